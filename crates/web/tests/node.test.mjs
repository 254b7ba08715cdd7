// The installed package in Node, on the CPU.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { test } from "node:test";

import {
    Checker,
    InvalidInputError,
    ObbligatoError,
    UnavailableError,
    checksum,
    degrees,
    picture,
    readMesh,
    readScene,
    readTable,
    scene,
    scenes,
} from "obbligato";

import { FILE, expected } from "./adversarial.mjs";
import { MESHES, SCENES } from "./files.mjs";
import { NATIVE, play } from "./lockstep.mjs";

const native = JSON.parse(await readFile(process.env.NATIVE));
const CHECKS = Number(process.env.FRAMES ?? 5000);
const SIZES = (process.env.SIZES ?? "20000,100000").split(",");

const box = (x, y = 0, z = 0) => [x, y, z, 1, 1, 1, 0, 0, 0, 1];
const row = new Float32Array([0, 1.5, 9].flatMap((x) => box(x)));
const withChecker = async (settings, work) => {
    const checker = await Checker.create({ backend: "cpu", ...settings });
    try {
        return await work(checker);
    } finally {
        checker.close();
    }
};

test("a3: named scenes have the checksums of the native program", async () => {
    const names = (await scenes()).map(([name]) => name);
    assert.deepEqual(names, Object.keys(native));
    await withChecker({}, async (checker) => {
        for (const name of names) {
            for (const size of SIZES) {
                const report = await checker.check(await scene(name, Number(size)));
                assert.equal(report.checksum, native[name][size], `${name}, ${size}`);
            }
        }
    });
});

test("a3: adversarial pairs have the checksum of the reference", async () => {
    const { buffer, byteOffset, byteLength } = await readFile(FILE);
    const boxes = new Float32Array(buffer, byteOffset, byteLength / 4);
    const pairs = Uint32Array.from({ length: boxes.length / 10 }, (_, k) => k);
    assert.equal(pairs.length, 200_000);
    const { colliding, checksum } = await expected();
    await withChecker({}, async (checker) => {
        const report = await checker.checkPairs(boxes, pairs);
        assert.deepEqual([report.collidingPairs, report.checksum], [colliding, checksum]);
    });
});

test("a3: a game in lockstep is that of the native program", async () => {
    await withChecker({}, async (checker) => {
        const { collisions, sums } = await play(async (boxes) => (await checker.check(boxes)).pairs);
        assert.deepEqual([collisions, sums.at(-1)], [NATIVE.collisions, NATIVE.checksum]);
    });
});

test("forms of answers agree with the pairs", async () => {
    const boxes = await scene("bricks", 5000);
    const report = await withChecker({ listTouching: true }, (checker) => checker.check(boxes));
    assert.equal(report.pairs.length, 2 * report.collidingPairs);
    // Bricks touch and never overlap.
    assert.deepEqual(report.touching, report.pairs);
    assert.equal(await checksum(report.pairs), report.checksum);
    const counted = await withChecker({ output: "degrees" }, (checker) => checker.check(boxes));
    assert.deepEqual(counted.degrees, await degrees(report.pairs, 5000));
    assert.equal(counted.pairs, undefined);
    const totals = await withChecker({ output: "count" }, (checker) => checker.check(boxes));
    assert.equal(totals.collidingPairs, report.collidingPairs);
    const few = await withChecker({ maxPairs: 10 }, (checker) => checker.check(boxes));
    assert.equal(few.pairs.length, 20);
    assert.equal(few.complete, false);
    assert.equal(few.collidingPairs, report.collidingPairs);
});

test("two sets, given pairs, bodies of all kinds and rules", async () => {
    await withChecker({}, async (checker) => {
        const two = await checker.check(row, new Float32Array(box(10.5)));
        assert.deepEqual([...two.pairs], [2, 0]);
        const given = await checker.checkPairs(row, new Uint32Array([0, 1, 1, 2]));
        assert.deepEqual([...given.pairs], [0, 1]);
        const bodies = {
            boxes: new Float32Array(box(0)),
            capsules: new Float32Array([0, 0, 2, 1, 0, 0, 0, 1, 0.5]),
            spheres: new Float32Array([1.25, 0, 0, 0.5, 9, 9, 9, 1]),
        };
        assert.deepEqual([...(await checker.check(bodies)).pairs], [0, 1, 0, 2]);
        const owners = new Uint32Array([7, 7, 8, 8]);
        assert.deepEqual([...(await checker.check({ ...bodies, owners })).pairs], [0, 2]);
        const excluded = new Uint32Array([0, 2]);
        assert.deepEqual([...(await checker.check({ ...bodies, excluded })).pairs], [0, 1]);
        const active = new Uint8Array([0, 1, 0, 0]);
        assert.deepEqual([...(await checker.check({ ...bodies, active })).pairs], [0, 1]);
    });
});

test("contacts, distances, sweeps and neighbours", async () => {
    await withChecker({}, async (checker) => {
        const pairs = new Uint32Array([0, 1]);
        const contacts = await checker.contacts(row, pairs);
        assert.deepEqual([...contacts.normals], [1, 0, 0]);
        assert.deepEqual([...contacts.depths], [0.5]);
        assert.deepEqual([...contacts.offsets], [0, 4]);
        assert.equal(contacts.onA.length, 12);
        const distances = await checker.distances(row, new Uint32Array([0, 1, 1, 2]));
        assert.deepEqual([...distances.distances], [0, 5.5]);

        const motions = new Float32Array([0, 0, 0, 0, 0, 0, -20, 0, 0]);
        const impacts = await checker.sweep(row, motions, 1);
        assert.deepEqual([...impacts.pairs.subarray(0, 4)], [0, 1, 1, 2]);
        assert.ok(Math.abs(impacts.times[1] - 5.5 / 20) < 1e-6, `${impacts.times[1]}`);
        assert.deepEqual([...impacts.starting], [1, 0, 0]);

        const near = await checker.neighbours(row, { nearest: 1 });
        assert.deepEqual([...near.neighbours], [1, 0, 1]);
        const around = new Float64Array([9, 0, 0]);
        const within = await checker.neighbours(row, { around, within: 8 });
        assert.deepEqual([[...within.neighbours], [...within.distances]], [[2, 1], [0, 7.5]]);
    });
});

test("errors have Rust's texts and their numbers", async () => {
    await withChecker({}, async (checker) => {
        const broken = row.slice();
        broken[13] = NaN;
        await assert.rejects(checker.check(broken), (error) => {
            assert.ok(error instanceof InvalidInputError && error instanceof ObbligatoError);
            assert.deepEqual([error.name, error.kind, error.index, error.count], ["InvalidInputError", "InvalidBox", 1, 1]);
            assert.match(error.message, /^box 1 has .* \(1 invalid box in all\): fix or remove it$/);
            return true;
        });
        await assert.rejects(checker.contacts(row, new Uint32Array([0, 3])), {
            kind: "InvalidPair",
            message: "pair 0 names body 3 of 3, counted from 0: fix or remove the pair",
        });
        await assert.rejects(checker.check(row.subarray(1)), /boxes has 29 numbers: give 10 for each row/);
        await assert.rejects(checker.check({ cubes: row }), /there are no bodies and no rule named cubes/);
        await assert.rejects(checker.check([1, 2]), InvalidInputError);
        await assert.rejects(checker.sweep(row, new Float32Array(4), 1), /motions has 4 numbers for 3 bodies/);
        await assert.rejects(checker.neighbours(row, { nearest: 0 }), { kind: "InvalidSearch" });
        for (const refused of [checker.attach("data:,", []), checker.place(row), checker.placeMesh(new Float32Array(9))]) {
            await assert.rejects(refused, { name: "UnavailableError", message: /backend "gpu"/ });
        }
        // It goes on after all of these.
        assert.equal((await checker.check(row)).collidingPairs, 1);
    });
    await assert.rejects(Checker.create({ backend: "tpu" }), /no backend is named "tpu"/);
    await assert.rejects(Checker.create({ margin: -1 }), { kind: "InvalidMargin" });
    await assert.rejects(Checker.create({ backend: "gpu" }), { name: "DeviceError", kind: "NoAdapter" });
    await assert.rejects(Checker.create({ colour: 1 }), /there is no option colour/);
    await assert.rejects(
        withChecker({ margin: 1 }, (checker) => checker.sweep(row, new Float32Array(9), 1)),
        UnavailableError,
    );
    await assert.rejects(scene("nowhere", 1), /no scene is named nowhere: choose one of uniform/);
    await assert.rejects(scene("bricks", 50_000_000), { name: "OutOfMemoryError", needed: 2_400_000_000 });
    await assert.rejects(degrees(new Uint32Array([0, 5]), 5), InvalidInputError);
});

test("files and pictures", async () => {
    const text = "cx,cy,cz,hx,hy,hz,qx,qy,qz,qw\n0,0,0,1,1,1,0,0,0,1\n1.5,0,0,1,1,1,0,0,0,1\n";
    const bytes = (text) => new TextEncoder().encode(text);
    const { boxes } = await readScene("two.csv", bytes(text));
    assert.deepEqual([...boxes], [...row.subarray(0, 20)]);
    await assert.rejects(readScene("two.csv", bytes(text.replace("1.5", "abc"))), {
        name: "InvalidInputError",
        kind: "File",
        message: /^two.csv: /,
    });
    await assert.rejects(readScene("two.stl", bytes(text)), /unknown extension/);
    await withChecker({}, async (checker) => {
        for (const [name, [good, broken, message]] of Object.entries(SCENES)) {
            const { boxes, inPlane } = await readScene(name, good);
            assert.equal(inPlane, false);
            const report = await checker.check(boxes);
            assert.deepEqual([...report.pairs], [0, 1], name);
            await assert.rejects(readScene(name, broken), { kind: "File", message });
        }
        for (const [name, [good, broken, message]] of Object.entries(MESHES)) {
            const mesh = await readMesh(name, good);
            assert.deepEqual([[...mesh.origin], mesh.notes], [[0, 0, 0], []], name);
            assert.deepEqual([...(await checker.checkMesh(mesh.triangles)).pairs], [0, 2], name);
            await assert.rejects(readMesh(name, broken), { name: "InvalidInputError", kind: "File", message });
        }
        await assert.rejects(checker.checkMesh(row), /triangles has 30 numbers: give 9 for each row/);
    });
    const columns = ["cx", "cy", "cz", "hx", "hy", "hz", "qx", "qy", "qz", "qw"];
    const table = (change = {}) =>
        columns.map((name, k) => [name, change[name] ?? Float32Array.from([0, 1, 2], (k0) => row[10 * k0 + k])]);
    const typed = { cx: [0n, 1.5, "9"], qw: new Float64Array([1, 1, 1]) };
    assert.deepEqual((await readTable("three", table(typed))).boxes, row);
    for (const [cx, words] of [
        [[0, null, 9], "three: row 1 has nothing in column cx"],
        [[0, "a", 9], 'three: row 1 has "a" in column cx'],
        [[0, true, 9], "three: row 1 has true in column cx"],
        [[0, {}, 9], 'three: row 1 has "an object" in column cx'],
        [[0, 1], "column cy has 3 rows, and column cx has 2"],
        [7, "a column is not a Float32Array"],
    ]) {
        const refused = (error) => error instanceof InvalidInputError && error.message.startsWith(words);
        await assert.rejects(readTable("three", table({ cx })), refused, words);
    }
    await assert.rejects(readTable("three", table().slice(1)), /three: lacks columns \(cx\)/);
    await assert.rejects(readTable("three", [...table(), table()[0]]), /three: has two columns cx/);
    await assert.rejects(readTable("three", [[7, []]]), /a column has no name/);
    const noted = await readMesh("a.obj", bytes("v 0 0 0\np 1\n"));
    assert.deepEqual(noted.notes, ["1 point is left out", "1 vertex and no face: there are no triangles"]);
    const drawn = await picture({ boxes }, new Uint8Array([2, 2]), { width: 64, height: 48 });
    assert.equal(drawn.pixels.length, 64 * 48 * 4);
    assert.ok(new Set(drawn.pixels).size > 20);
    const { triangles } = await readMesh("a.obj", MESHES["a.obj"][0]);
    const triangleMarks = new Uint8Array([2, 0, 2]);
    const mesh = await picture({}, new Uint8Array(), { width: 64, height: 48, triangles, triangleMarks });
    assert.ok(new Set(mesh.pixels).size > 20);
});

test("threads, where the package is built with them", async () => {
    const create = (settings) => withChecker(settings, async (checker) => checker.threads);
    assert.equal(await create({ threads: 1 }), 1);
    for (const threads of [0, 1.5, 65, "2"]) {
        await assert.rejects(create({ threads }), { name: "InvalidInputError", message: /give a whole number from 1 to 64/ });
    }
    await assert.rejects(create({ backend: "auto", threads: 2 }), { name: "InvalidInputError", message: /set backend to "cpu"/ });
    if (!process.env.THREADS) {
        assert.equal(await create({}), 1);
        await assert.rejects(create({ threads: 2 }), { name: "UnavailableError", message: /crates\/web\/build --threads/ });
        return;
    }
    assert.equal(await create({}), Math.min(availableParallelism(), 64));
    await withChecker({ threads: 3 }, async (checker) => {
        assert.equal(checker.threads, 3);
        for (const [name, sums] of Object.entries(native)) {
            const report = await checker.check(await scene(name, 20_000));
            assert.equal(report.checksum, sums[20_000], name);
        }
        await assert.rejects(checker.attach("data:,"), { name: "UnavailableError", message: /backend "gpu"/ });
    });
});

test("memory is flat over many checks", async () => {
    await withChecker({}, async (checker) => {
        const boxes = await scene("uniform", 1000);
        const bytes = [];
        for (let frame = 1; frame <= CHECKS; frame++) {
            const { pairs } = await checker.check(boxes);
            assert.equal(pairs.length, 762);
            if (frame % (CHECKS / 5) === 0) {
                globalThis.gc?.();
                bytes.push(process.memoryUsage().rss);
            }
        }
        const grown = bytes.at(-1) - bytes[0];
        assert.ok(grown < 24 << 20, `${bytes}`);
    });
});

test("a closed checker answers no more", async () => {
    const checker = await Checker.create({ backend: "cpu" });
    checker.close();
    await assert.rejects(checker.check(row), /the checker is closed/);
});
