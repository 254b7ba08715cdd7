// Compiled by `tsc --strict`, and not run: the types fit each other and are as narrow as they say.

import { Checker, InvalidInputError, checksum, picture, readScene, readTable, scene, type Guest, type Report } from "obbligato";

const boxes: Float32Array = await scene("crowd", 1000);
const checker = await Checker.create({ backend: "auto", output: "pairs", listTouching: true });
const threads: number = (await Checker.create({ backend: "cpu", threads: 1 })).threads;
const report: Report = await checker.check(boxes, { spheres: new Float32Array(4), owners: new Uint32Array(1) });
const pairs = report.pairs ?? new Uint32Array();
const sum: string = await checksum(pairs);
const contacts = await checker.contacts(boxes, pairs);
const depth: number | undefined = contacts.depths[0];
const impacts = await checker.sweep(boxes, new Float32Array(3000), 1 / 60, { tolerance: 0.001 });
const near = await checker.neighbours(boxes, { nearest: 3, bySurface: true });
const file = await readScene("boxes.csv", new Uint8Array());
const table = await readTable("boxes", [["cx", new Float32Array()], ["owner", [1n, null]]]);
const drawn = await picture({ boxes: file.boxes }, new Uint8Array(), { width: 64, height: 64 });
const guest: Guest = { checked: (left) => console.log(left?.listed) };
await checker.attach(new URL("./guest.js", import.meta.url), [guest], []);
await checker.place({ boxes });
try {
    await checker.distances(boxes, pairs);
} catch (error) {
    if (error instanceof InvalidInputError) {
        console.log(error.kind, error.index?.toFixed());
    }
}
console.log(sum, threads, depth, impacts.times, near.offsets, drawn.pixels, table.spheres);

// @ts-expect-error there is no such backend
await Checker.create({ backend: "tpu" });
// @ts-expect-error boxes are typed arrays
await checker.check([1, 2, 3]);
