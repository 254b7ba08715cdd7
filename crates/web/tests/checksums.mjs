// The answers of browsers beside those of the native program.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { FILE, expected } from "./adversarial.mjs";
import { NATIVE } from "./lockstep.mjs";

const SIZE = 20_000;
const MILLION = 1_000_000;

const nativeSums = async (site, size) => {
    const native = JSON.parse(await readFile(join(site, "native.json")));
    return Object.fromEntries(Object.entries(native).map(([name, sums]) => [name, sums[size]]));
};

/** Compares the answers of the CPU about all named scenes of a million boxes with the native ones. */
export const compareMillion = async (evaluate, base, site) => {
    const native = await nativeSums(site, MILLION);
    assert.equal(Object.keys(native).length, 11);
    const found = await evaluate(
        async (base, ...given) => (await import(`${base}tests/answers.mjs`)).byCpu(base, ...given),
        base,
        Object.keys(native),
        MILLION,
    );
    assert.deepEqual(found, native);
};

/**
 * Compares the answers on a backend with the native ones: all named scenes, adversarial pairs and a
 * game in lockstep, whose checksums after each tick it resolves to. `evaluate` calls a function with
 * arguments in the browser.
 */
export const compare = async (evaluate, base, site, backend) => {
    const native = await nativeSums(site, SIZE);
    const found = await evaluate(
        async (base, ...given) => (await import(`${base}tests/answers.mjs`)).answers(base, ...given),
        base,
        FILE,
        backend,
        Object.keys(native),
        SIZE,
    );
    assert.deepEqual(found.scenes, native);
    assert.deepEqual(found.adversarial, await expected());
    assert.deepEqual([found.collisions, found.sums.at(-1)], [NATIVE.collisions, NATIVE.checksum]);
    assert.deepEqual(found.backends, [backend]);
    return found.sums;
};
