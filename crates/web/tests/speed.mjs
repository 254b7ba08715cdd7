// Times checks on the CPU: the best of seven, in milliseconds. `THREADS=2` needs a package built with threads.

import { Checker, scene } from "obbligato";

const checker = await Checker.create({ backend: "cpu", threads: Number(process.env.THREADS ?? 1) });
for (const [name, size] of [["uniform", 100_000], ["crowd", 100_000], ["dense", 100_000], ["uniform", 1_000_000]]) {
    const boxes = await scene(name, size);
    let best = Infinity;
    for (let turn = 0; turn < 7; turn++) {
        best = Math.min(best, (await checker.check(boxes)).milliseconds);
    }
    console.log(name, size, best.toFixed(1));
}
