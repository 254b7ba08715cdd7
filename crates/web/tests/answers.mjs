// Runs in a browser: answers that are compared with those of the native program.

import { play } from "./lockstep.mjs";

/** The checksums of scenes of one size, and the backends that have found them. */
export const checksums = async (checker, scene, names, size) => {
    const [sums, backends] = [{}, new Set()];
    for (const name of names) {
        const report = await checker.check(await scene(name, size));
        sums[name] = report.checksum;
        backends.add(report.backend);
    }
    return [sums, backends];
};

/** The checksums of scenes of one size on the CPU. */
export const byCpu = async (base, names, size) => {
    const { Checker, scene } = await import(`${base}obbligato/index.js`);
    const checker = await Checker.create({ backend: "cpu" });
    const [sums] = await checksums(checker, scene, names, size);
    checker.close();
    return sums;
};

/**
 * The checksums of scenes of one size, the answers about the adversarial pairs in a file beside this
 * one, and a game in lockstep.
 */
export const answers = async (base, file, backend, names, size) => {
    const { Checker, scene } = await import(`${base}obbligato/index.js`);
    const checker = await Checker.create({ backend, leastBoxes: 0 });
    const [scenes, backends] = await checksums(checker, scene, names, size);
    const boxes = new Float32Array(await (await fetch(`${base}tests/${file}`)).arrayBuffer());
    const pairs = Uint32Array.from({ length: boxes.length / 10 }, (_, k) => k);
    const report = await checker.checkPairs(boxes, pairs);
    backends.add(report.backend);
    const game = await play(async (boxes) => (await checker.check(boxes)).pairs);
    checker.close();
    const adversarial = { colliding: report.collidingPairs, checksum: report.checksum };
    return { scenes, adversarial, backends: [...backends], ...game };
};
