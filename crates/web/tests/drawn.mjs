// What the page draws by WebGPU, seen in the worker that checks and draws.

import assert from "node:assert/strict";

import { until } from "./limit.mjs";

/** The number of boxes, more than the page has shown before: they need other buffers. */
const BOXES = 5000;
/** The bytes that WebGPU's own parameters take, whatever the number of boxes. */
const PARAMETERS = 4000;

/** Records the bytes that a worker writes to buffers and reads from them, and the buffers of bind groups. */
const watch = () => {
    const seen = (globalThis.seen = { written: {}, read: 0, bound: {} });
    const { writeBuffer } = GPUQueue.prototype;
    GPUQueue.prototype.writeBuffer = function (buffer, offset, data, first = 0, size) {
        const unit = data.BYTES_PER_ELEMENT ?? 1;
        const bytes = size === undefined ? data.byteLength - first * unit : size * unit;
        seen.queue = this;
        seen.uploaded = buffer.label === "boxes" ? buffer : seen.uploaded;
        seen.written[buffer.label] = (seen.written[buffer.label] ?? 0) + bytes;
        return writeBuffer.call(this, buffer, offset, data, first, size);
    };
    const { getMappedRange } = GPUBuffer.prototype;
    GPUBuffer.prototype.getMappedRange = function (...given) {
        const range = getMappedRange.apply(this, given);
        seen.read += this.usage & GPUBufferUsage.MAP_READ ? range.byteLength : 0;
        return range;
    };
    const { createBindGroup } = GPUDevice.prototype;
    GPUDevice.prototype.createBindGroup = function (given) {
        (seen.bound[given.layout.label] ??= []).push(given.entries.map(({ resource }) => resource));
        return createBindGroup.call(this, given);
    };
};

/** Forgets what has been seen; keeps the buffers of the picture. */
const forget = () => Object.assign(seen, { written: {}, read: 0 });

const bytesOf = (written) => Object.values(written).reduce((sum, bytes) => sum + bytes, 0);

/** The worker whose last picture has been drawn since `watch`. */
const drawingWorker = async (page) => {
    const draws = (worker) => worker.evaluate(() => Boolean(globalThis.seen?.bound.picture));
    let found;
    await until("a picture", async () => {
        for (const worker of page.workers()) {
            found = (await draws(worker)) ? worker : found;
        }
        return found;
    });
    return found;
};

/** The number of pixels of the canvas as shown in the colour of bodies that overlap, and that of all its colours. */
const pixels = async (page) => {
    const shot = await page.locator("#canvas").screenshot();
    return page.evaluate(async (bytes) => {
        const image = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
        const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
        context.drawImage(image, 0, 0);
        // Where no legend is.
        const [x, y] = [image.width >> 2, image.height >> 2];
        const { data } = context.getImageData(x, y, 2 * x, 2 * y);
        let overlapping = 0;
        const colours = new Set();
        for (let k = 0; k < data.length; k += 4) {
            const [r, g, b] = data.subarray(k, k + 3);
            overlapping += r > 1.4 * g && r > 1.8 * b ? 1 : 0;
            colours.add((r << 16) | (g << 8) | b);
        }
        return { overlapping, colours: colours.size };
    }, [...shot]);
};

/** Turns the camera, and waits until the worker has drawn. */
const turn = async (page, worker) => {
    await worker.evaluate(forget);
    await page.locator("#canvas").press("ArrowLeft");
    await until("another picture", () => worker.evaluate(() => Object.keys(seen.written).length > 0));
};

/**
 * Checks more boxes, and looks at the bytes that are written and read, and at the buffers of the
 * picture. Then changes these on the GPU alone: the picture follows them.
 */
export const testBuffers = async (page, settled) => {
    await Promise.all(page.workers().map((worker) => worker.evaluate(watch)));
    await page.selectOption("#size", String(BOXES));
    await settled(page, "those of the native program");
    const worker = await drawingWorker(page);
    await until("overlapping bodies in the picture", async () => (await pixels(page)).overlapping > 1000);

    const cells = await page.locator("#results tbody tr:first-child td").allTextContents();
    const pairs = Number(cells[1].replaceAll(",", ""));
    const bound = await worker.evaluate(() => {
        const [, , records, states] = seen.bound.picture.at(-1).map(({ buffer }) => buffer);
        Object.assign(seen, { records, states });
        const listed = seen.bound.states.find(([{ buffer }]) => buffer.label === "colliding pairs");
        const [first, second] = listed.map(({ buffer, size }) => [buffer.label, size]);
        const are = { uploaded: records === seen.uploaded, marked: states === listed[1].buffer };
        return { are, pairs: first, states: second };
    });
    assert.deepEqual(bound.are, { uploaded: true, marked: true });
    assert.deepEqual(bound.states, ["states", 4 * BOXES]);
    // The host decides those that are too close for f32.
    assert.ok(bound.pairs[1] <= 8 * pairs && bound.pairs[1] > 0.99 * 8 * pairs, `${bound.pairs} of ${pairs}`);

    await worker.evaluate(forget);
    await page.evaluate(() => (document.getElementById("status").textContent = ""));
    await page.click("#check");
    await settled(page, "those of the native program");
    const { written, read } = await worker.evaluate(() => seen);
    const { boxes, ...others } = written;
    console.log(`        written: ${JSON.stringify(written)}, read: ${read}`);
    assert.equal(boxes, 48 * BOXES);
    assert.ok(bytesOf(others) < PARAMETERS, JSON.stringify(written));
    assert.ok(read < 2 * 8 * pairs, `${read} bytes read, for ${pairs} pairs`);

    await turn(page, worker);
    const ofTurn = await worker.evaluate(() => [seen.written, seen.read]);
    console.log(`        of a turn: ${JSON.stringify(ofTurn)}`);
    assert.ok(bytesOf(ofTurn[0]) < 1000 && ofTurn[1] === 0, JSON.stringify(ofTurn));

    await worker.evaluate(() => seen.queue.writeBuffer(seen.states, 0, new Uint32Array(seen.states.size / 4)));
    await turn(page, worker);
    await until("no overlapping bodies", async () => (await pixels(page)).overlapping === 0);
    assert.ok((await pixels(page)).colours > 50);
    await worker.evaluate(() => seen.queue.writeBuffer(seen.records, 0, new Uint32Array(seen.records.size / 4)));
    await turn(page, worker);
    await until("no bodies", async () => (await pixels(page)).colours === 1);
    await page.evaluate(() => (document.getElementById("status").textContent = ""));
    await page.click("#check");
    await settled(page, "those of the native program");
    await until("all bodies again", async () => (await pixels(page)).overlapping > 1000);
};

const ROWS = ["0,0,0", "1.5,0,0", "10,0,0", "12,0,0", "20,0,0", "30,0,0", "31.5,0,0", "33.5,0,0"];

/** A wall whose bricks touch, except those that are smaller; some are turned into their neighbours. */
const wall = () => {
    const rows = [];
    for (let z = 0; z < 14; z++) {
        for (let y = 0; y < 3; y++) {
            for (let x = 0; x < 12; x++) {
                const number = (7 * x + 5 * y + 11 * z) % 31;
                const size = number % 10 === 3 ? 0.875 : 1;
                const half = [size, size / 2, 0.375 * size];
                const turn = number % 15 === 7 ? [0.125, 0.992157] : [0, 1];
                rows.push([2 * x + (z % 2), y, 0.75 * z, ...half, 0, 0, ...turn].join(","));
            }
        }
    }
    return rows;
};

/**
 * The numbers of free, touching and overlapping bodies, by each choice of what checks. `shoot` takes
 * the picture of docs/src/guide/web.md.
 */
export const testCounts = async (page, settled, drop, shoot) => {
    const show = (name, rows) => drop(page, name, ["cx,cy,cz,hx,hy,hz,qx,qy,qz,qw", ...rows, ""].join("\n"));
    const counted = () => {
        const ids = ["free", "touching", "overlapping"];
        return Promise.all(ids.map((id) => page.locator(`#count-${id}`).textContent()));
    };
    const expect = async (said, expected) => {
        await settled(page, `${said}: [\\d,]+ pairs.* obbligato check`);
        assert.deepEqual(await counted(), expected, said);
    };
    const byEach = async (expected) => {
        await expect("CPU and GPU agree", expected);
        await page.uncheck("#on-cpu");
        await expect("Found on the GPU", expected);
        await page.check("#on-cpu");
        await page.uncheck("#on-gpu");
        await expect("Found on the CPU", expected);
        await page.check("#on-gpu");
        await expect("CPU and GPU agree", expected);
    };
    await show("row.csv", ROWS.map((center) => `${center},1,1,1,0,0,0,1`));
    await byEach(["1", "3", "4"]);
    await show("wall.csv", wall());
    await settled(page, "agree: .* obbligato check wall.csv");
    const found = await counted();
    assert.ok(found.every((count) => Number(count) > 20), `${found}`);
    await byEach(found);
    await page.mouse.move(540, 400);
    await page.mouse.wheel(0, -300);
    await page.mouse.click(510, 330);
    await page.waitForSelector("#picked:not([hidden]) li");
    await until("a picture", async () => (await pixels(page)).colours > 50);
    await shoot();
};
