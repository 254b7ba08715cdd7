// Times checks on the CPU: the best of seven, in milliseconds.

import { Checker, scene } from "obbligato";

const checker = await Checker.create({ backend: "cpu" });
for (const [name, size] of [["uniform", 100_000], ["crowd", 100_000], ["dense", 100_000], ["uniform", 1_000_000]]) {
    const boxes = await scene(name, size);
    let best = Infinity;
    for (let turn = 0; turn < 7; turn++) {
        best = Math.min(best, (await checker.check(boxes)).milliseconds);
    }
    console.log(name, size, best.toFixed(1));
}
