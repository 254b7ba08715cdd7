// Runs in a browser: answers that are compared with those of the native program.

import { play } from "./lockstep.mjs";

/** The answers about the adversarial pairs in a file beside this one, and a game in lockstep. */
export const answers = async (base, file, backend) => {
    const { Checker } = await import(`${base}obbligato/index.js`);
    const checker = await Checker.create({ backend, leastBoxes: 0 });
    const boxes = new Float32Array(await (await fetch(`${base}tests/${file}`)).arrayBuffer());
    const pairs = Uint32Array.from({ length: boxes.length / 10 }, (_, k) => k);
    const report = await checker.checkPairs(boxes, pairs);
    const game = await play(async (boxes) => (await checker.check(boxes)).pairs);
    checker.close();
    const adversarial = { colliding: report.collidingPairs, checksum: report.checksum };
    return { adversarial, backend: report.backend, ...game };
};
