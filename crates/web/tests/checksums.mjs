// The answers of browsers beside those of the native program.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { FILE, expected } from "./adversarial.mjs";
import { NATIVE } from "./lockstep.mjs";

const SIZE = 20_000;

/**
 * Compares the answers on a backend with the native ones: all named scenes, adversarial pairs and a
 * game in lockstep, whose checksums after each tick it resolves to. `evaluate` calls a function with
 * arguments in the browser.
 */
export const compare = async (evaluate, base, site, backend) => {
    const native = JSON.parse(await readFile(join(site, "native.json")));
    const found = await evaluate(
        async (base, ...given) => (await import(`${base}tests/answers.mjs`)).answers(base, ...given),
        base,
        FILE,
        backend,
        Object.keys(native),
        SIZE,
    );
    const scenes = Object.fromEntries(Object.entries(native).map(([name, sums]) => [name, sums[SIZE]]));
    assert.deepEqual(found.scenes, scenes);
    assert.deepEqual(found.adversarial, await expected());
    assert.deepEqual([found.collisions, found.sums.at(-1)], [NATIVE.collisions, NATIVE.checksum]);
    assert.deepEqual(found.backends, [backend]);
    return found.sums;
};
