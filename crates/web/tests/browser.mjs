// The package and the page in headless Chromium, by WebGPU and by the CPU; the page is driven as a
// person would. Arguments: the folder of the site, and one for screenshots.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { chromium } from "playwright-core";

import { compare, compareMillion } from "./checksums.mjs";
import { testBuffers, testCounts } from "./drawn.mjs";
import { MESHES, PARQUET, SCENES } from "./files.mjs";
import { LIMIT, until } from "./limit.mjs";
import { serve } from "./site.mjs";

const [site, pictures] = process.argv.slice(2);
/** The number of bodies in the tests of memory, in which `FRAMES` are checked. */
const BODIES = Number(process.env.BODIES ?? 1000);

const [base, endServing] = await serve(site);

// WebGPU on the SwiftShader that Chromium brings; wrong flags give a blank canvas without an error.
const CHROMIUM = {
    executablePath: process.env.CHROMIUM,
    headless: true,
    timeout: LIMIT,
    ignoreDefaultArgs: ["--headless", "--disable-gpu"],
    args: [
        "--headless=new",
        "--no-sandbox",
        "--enable-unsafe-webgpu",
        "--use-angle=swiftshader",
        "--enable-features=Vulkan",
        "--use-vulkan=swiftshader",
    ],
};

/** Opens the page in a context of its own; what the console complains of fails the test. */
const open = async (browser, path = "", options = {}, before = "") => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(LIMIT);
    const page = await context.newPage();
    const complaints = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    if (before) {
        await page.addInitScript(before);
    }
    await page.goto(base + path);
    return { page, complaints, close: () => context.close() };
};

const status = (page) => page.locator("#status").textContent();
/** Waits until the page says this, or that an answer is wrong. */
const settled = async (page, text) => {
    const says = (text) => {
        const said = document.getElementById("status").textContent;
        return (new RegExp(text).test(said) || said.includes("please report this")) && said;
    };
    const seen = await page.waitForFunction(says, text, { polling: 50 }).catch(async (error) => {
        throw new Error(`waited for ${text}, but the page says: ${await status(page)}`, { cause: error });
    });
    assert.match(await seen.jsonValue(), new RegExp(text));
};
/** The number of colours in the middle of the canvas as shown, where no legend is. */
const coloursShown = async (page) => {
    const shot = await page.locator("#canvas").screenshot();
    return page.evaluate(async (bytes) => {
        const image = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const [x, y] = [image.width >> 2, image.height >> 2];
        const { data } = context.getImageData(x, y, 2 * x, 2 * y);
        const colours = new Set();
        for (let k = 0; k < data.length; k += 4) {
            colours.add((data[k] << 16) | (data[k + 1] << 8) | data[k + 2]);
        }
        return colours.size;
    }, [...shot]);
};
/** Waits for a picture that has more colours than this. */
const drawn = async (page, least) => {
    await nextFrame(page);
    await until("a picture", async () => (await coloursShown(page)) > least);
};
/** What is drawn before it is in the frame after next. */
const nextFrame = (page) =>
    page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
const shoot = (page, name) => page.screenshot({ path: join(pictures, `${name}.png`) });

/** Drops a file on the page. */
const drop = (page, name, contents) => page.setInputFiles("#file", { name, mimeType: "", buffer: Buffer.from(contents) });

/** The lines of the pairs that the page hands out. */
const downloaded = async (page) => {
    const [file] = await Promise.all([page.waitForEvent("download"), page.click("#download")]);
    const [head, ...pairs] = (await readFile(await file.path(), "utf8")).trim().split("\n");
    assert.equal(head, "a,b");
    return pairs;
};
/** Returns true if a pair has this body. */
const has = (body) => (pair) => pair.split(",").includes(body);
/** The number of partners that the page tells of the picked body. */
const partnersTold = async (page) => parseInt(await page.locator("#picked p").textContent()) || 0;

/** Asks the package itself, without the page. */
const byPackage = async (browser, ask) => {
    // Any file will do that runs no scripts of its own.
    const { page, complaints, close } = await open(browser, "style.css");
    const answer = await ask((work, ...given) => page.evaluate(`(${work})(...${JSON.stringify(given)})`));
    assert.deepEqual(complaints, []);
    await close();
    return answer;
};

/** Plays this many frames: neither objects nor modules nor the memory of processes grow. */
const flat = async (browser, backend, frames) => {
    const small = { viewport: { width: 320, height: 400 } };
    const { page, complaints, close } = await open(browser, `#scene=uniform&n=${BODIES}`, small);
    await settled(page, "CPU and GPU agree");
    await page.uncheck(backend === "cpu" ? "#on-gpu" : "#on-cpu");
    await settled(page, `Found on the ${backend.toUpperCase()}`);
    await page.evaluate(() => {
        globalThis.frames_checked = 0;
        const shown = new MutationObserver(() => globalThis.frames_checked++);
        shown.observe(document.querySelector("#results tbody"), { childList: true });
    });
    const session = await page.context().newCDPSession(page);
    const whole = await browser.newBrowserCDPSession();
    const bytes = async () => {
        await session.send("HeapProfiler.collectGarbage");
        const { usedSize } = await session.send("Runtime.getHeapUsage");
        const { processInfo } = await whole.send("SystemInfo.getProcessInfo");
        // The browser also starts services of its own, of 100 MB each, whatever a page does.
        const sum = async (type) => {
            const own = processInfo.filter((process) => process.type === type);
            assert.ok(own.length >= 1, JSON.stringify(processInfo));
            return total(await Promise.all(own.map(({ id }) => ownBytes(id))));
        };
        const modules = total(await Promise.all(page.workers().map(moduleBytes)));
        return { objects: usedSize, modules, renderers: await sum("renderer"), GPU: await sum("GPU") };
    };
    await page.click("#play");
    const samples = [];
    for (const share of [0.2, 0.4, 0.6, 0.8, 1]) {
        const seen = (count) => {
            const status = document.getElementById("status");
            const isTold = status.textContent.startsWith("Playing");
            return (globalThis.frames_checked >= count && isTold) || status.classList.contains("error");
        };
        await page.waitForFunction(seen, share * frames, { polling: 500 });
        assert.match(await status(page), /^Playing/, `after ${await page.evaluate(() => globalThis.frames_checked)} frames`);
        samples.push(await bytes());
        console.log(`        ${share * frames} frames of ${BODIES} bodies, bytes: ${JSON.stringify(samples.at(-1))}`);
    }
    const [early, late] = [samples[0], samples.at(-1)];
    for (const [what, megabytes] of Object.entries({ objects: 2, modules: 2, renderers: 24, GPU: 24 })) {
        assert.ok(late[what] - early[what] < megabytes << 20, `${what} from ${early[what]} to ${late[what]} bytes`);
    }
    assert.deepEqual(complaints, []);
    await close();
};

const total = (list) => list.reduce((sum, one) => sum + one, 0);
/**
 * The memory of a process without files, whose share grows when another browser ends; 0 where the
 * system does not tell.
 */
const ownBytes = async (id) => {
    const text = await readFile(`/proc/${id}/smaps_rollup`, "utf8").catch(() => "");
    const parts = [...text.matchAll(/^Pss_(?:Anon|Shmem): +(\d+) kB/gm)];
    return 1024 * total(parts.map(([, kilobytes]) => Number(kilobytes)));
};
/** The memory of the module in a worker. */
const moduleBytes = (worker) =>
    worker.evaluate(async (engine) => {
        const { memory } = await (await import(engine)).default();
        return memory.buffer.byteLength;
    }, `${base}obbligato/engine.js`);

const tests = {
    "checksums by the CPU and by WebGPU": async (browser) => {
        const game = (backend) => byPackage(browser, (evaluate) => compare(evaluate, base, site, backend));
        const games = [await game("cpu"), await game("gpu")];
        // After each tick.
        assert.deepEqual(games[0], games[1]);
    },

    "a million boxes by the CPU": (browser) => byPackage(browser, (evaluate) => compareMillion(evaluate, base, site)),

    "a link to a scene": async (browser) => {
        const { page, complaints, close } = await open(browser, "#scene=bricks&n=1000");
        await settled(page, "pairs, those of the native program");
        assert.equal(await page.locator("td.good").count(), 2);
        await drawn(page, 50);
        assert.deepEqual(complaints, []);
        await close();
    },

    "a person looks around": async (browser) => {
        const { page, complaints, close } = await open(browser);
        await settled(page, "pairs, those of the native program");
        assert.equal(await page.locator("td.good").count(), 2);
        await drawn(page, 50);
        await shoot(page, "crowd");

        await page.selectOption("#scene", "bricks");
        await page.selectOption("#size", "5000");
        await settled(page, "pairs, those of the native program");
        assert.equal(await page.locator("#count-overlapping").textContent(), "0");
        await drawn(page, 50);
        await shoot(page, "bricks");

        await page.locator("#canvas").click();
        await page.waitForSelector("#picked:not([hidden]) h2");
        assert.match(await page.locator("#picked").textContent(), /box \d+ at .* partners.*touches/s);
        await shoot(page, "picked");

        await page.locator("#canvas").press("ArrowLeft");
        await page.locator("#canvas").press("+");
        await page.click("#link");
        const link = page.url();
        const [, body] = link.match(/scene=bricks&n=5000&view=.*&pick=(\d+)/);

        const pairs = await downloaded(page);
        const shown = await page.locator("#results tbody tr:first-child td").first().textContent();
        assert.equal(String(pairs.length), shown.replaceAll(",", ""));
        assert.equal(await partnersTold(page), pairs.filter(has(body)).length);

        await page.click("#play");
        await settled(page, "frames a second");
        await shoot(page, "playing");
        await page.click("#play");
        await settled(page, "CPU and GPU agree");
        // Bricks that have moved have other partners.
        const moved = (await downloaded(page)).filter(has(body));
        assert.notDeepEqual(moved, pairs.filter(has(body)));
        await page.waitForFunction(() => /depth/.test(document.querySelector("#picked").textContent));
        assert.equal(await partnersTold(page), moved.length);
        await page.click("#theme");
        await page.click("#fit");
        await drawn(page, 50);
        await shoot(page, "dark");
        assert.deepEqual(complaints, []);
        await close();

        const other = await open(browser, new URL(link).hash);
        await other.page.waitForSelector("#picked:not([hidden]) h2");
        assert.equal(await other.page.locator("#scene").inputValue(), "bricks");
        await other.close();
    },

    "the picture is drawn from what the check has left on the GPU": async (browser) => {
        const { page, complaints, close } = await open(browser, "#scene=crowd&n=1000");
        await settled(page, "those of the native program");
        await testBuffers(page, settled);
        assert.deepEqual(complaints, []);
        await close();
    },

    "bodies are counted on the GPU as on the CPU": async (browser) => {
        const { page, complaints, close } = await open(browser, "#scene=crowd&n=1000");
        await settled(page, "those of the native program");
        await testCounts(page, settled, drop, () => shoot(page, "page"));
        assert.deepEqual(complaints, []);
        await close();
    },

    "files, good and broken": async (browser) => {
        const { page, complaints, close } = await open(browser, "#scene=uniform&n=1000");
        await settled(page, "those of the native program");
        const header = "shape,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw,radius\n";
        const text = `${header}box,0,0,0,1,1,1,0,0,0,1,\nsphere,1.5,0,0,,,,,,,,0.75\ncapsule,5,0,0,,,1,0,0,0,1,0.5\n`;
        await drop(page, "mixed.csv", text);
        await settled(page, "1 pair. Compare the checksum with that of obbligato check mixed.csv");
        const choices = await page.locator("select option:checked").allTextContents();
        assert.deepEqual(choices, ["from a file", "3"]);
        await drawn(page, 20);
        await shoot(page, "file");
        await drop(page, "broken.csv", text.replace("1.5", "one"));
        await settled(page, "broken.csv: ");
        assert.ok(await page.locator("#status.error").isVisible());
        await drop(page, "scene.txt", text);
        await settled(page, "scene.txt: this page reads .csv, .*: save it as one of these");
        for (const [name, [good, broken, message]] of Object.entries({ ...SCENES, ...MESHES })) {
            await drop(page, name, good);
            await settled(page, `CPU and GPU agree: 1 pair. .* obbligato (check|mesh) ${name}`);
            await drawn(page, 20);
            await shoot(page, name);
            await drop(page, `broken_${name}`, broken);
            await settled(page, `broken_${name}: .*${message.source}`);
            assert.ok(await page.locator("#status.error").isVisible());
        }
        await drop(page, "a.obj", MESHES["a.obj"][0]);
        await settled(page, "obbligato mesh a.obj");
        await page.locator("#canvas").click();
        await page.waitForSelector("#picked:not([hidden]) h2");
        assert.match(await page.locator("#picked").textContent(), /triangle \d at/);
        await shoot(page, "mesh");
        await page.click("#play");
        await settled(page, "frames a second");
        await page.click("#play");
        await page.selectOption("#scene", "crowd");
        await settled(page, "those of the native program");
        assert.deepEqual(complaints, []);
        await close();
    },

    "Parquet, good and broken": async (browser) => {
        const { page, complaints, close } = await open(browser, "#scene=uniform&n=1000");
        await settled(page, "those of the native program");
        const agree = (name, pairs) => settled(page, `CPU and GPU agree: ${pairs}. .* obbligato check ${name}`);
        const native = JSON.parse(await readFile(join(site, "native.json")));
        // The native program has written it.
        const written = await readFile("crowd.parquet");
        await drop(page, "crowd.parquet", written);
        await agree("crowd.parquet", "[\\d,]+ pairs");
        assert.ok((await page.locator("#results").textContent()).includes(native.crowd[5000]));
        await shoot(page, "parquet");
        for (const name of PARQUET.good) {
            await drop(page, `${name}.parquet`, await readFile(`parquet/${name}.parquet`));
            await agree(`${name}.parquet`, "3 pairs");
        }
        const refused = async (name, contents, message) => {
            await drop(page, name, contents);
            await settled(page, `^${name}: .*${message.source}`);
            assert.ok(await page.locator("#status.error").isVisible());
        };
        for (const [name, message] of Object.entries(PARQUET.bad)) {
            await refused(`${name}.parquet`, await readFile(`parquet/${name}.parquet`), message);
        }
        await refused("cut.parquet", written.subarray(0, -1), /cannot be read as Parquet \(.*\): write it again/);
        await refused("empty.parquet", "", /cannot be read as Parquet \(.*\): write it again/);
        const decodeBy = (script) =>
            page.evaluate((address) => {
                globalThis.Worker = class extends Worker {
                    constructor(url, options) {
                        super(String(url).endsWith("/parquet.js") ? address : url, options);
                    }
                };
            }, `data:text/javascript,${encodeURIComponent(script)}`);
        // As it is built where npm cannot be had.
        await decodeBy(await readFile(join(site, "..", "parquet", "absent.js"), "utf8"));
        await refused("late.parquet", written, /this page was built where npm could not install the reader/);
        assert.deepEqual(complaints, []);
        await close();
    },

    "too many bodies are told in words": async (browser) => {
        const { page, complaints, close } = await open(browser, "#scene=uniform&n=10000000");
        await settled(page, "this page shows up to 1,000,000 bodies, not 10,000,000");
        await page.selectOption("#size", "1000");
        await settled(page, "those of the native program");
        assert.deepEqual(complaints, []);
        await close();
    },

    "a phone": async (browser) => {
        const phone = { viewport: { width: 390, height: 844 } };
        const { page, complaints, close } = await open(browser, "#scene=clusters&n=5000", phone);
        await settled(page, "those of the native program");
        await drawn(page, 50);
        await page.screenshot({ path: join(pictures, "phone.png"), fullPage: true });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= 390, `the page is ${wide} pixels wide`);
        assert.deepEqual(complaints, []);
        await close();
    },

    "a lost GPU is told in words, and the CPU goes on": async () => {
        for (const playing of [false, true]) {
            // A browser ends if its GPU is lost a second time.
            const browser = await chromium.launch(CHROMIUM);
            const { page } = await open(browser, "#scene=uniform&n=5000");
            await settled(page, "those of the native program");
            if (playing) {
                await page.click("#play");
                await settled(page, "frames a second");
            }
            const session = await browser.newBrowserCDPSession();
            // The answer would come from the process that ends.
            session.send("Browser.crashGpuProcess").catch(() => {});
            await settled(page, "The GPU was lost");
            assert.equal(await page.locator("#play").getAttribute("aria-pressed"), "false");
            await page.click("#check");
            await settled(page, playing ? "Found on the CPU" : "Found on the CPU: .* those of the native program");
            await drawn(page, 50);
            await shoot(page, playing ? "lost_while_playing" : "lost");
            await page.check("#on-gpu");
            await settled(page, "CPU and GPU agree");
            assert.match(await page.locator("#drawn").textContent(), /swiftshader/);
            await drawn(page, 50);
            await browser.close();
        }
    },

    "a tab in the background pauses, and goes on": async (browser) => {
        const { page, complaints, close } = await open(browser, "#scene=uniform&n=1000");
        await settled(page, "those of the native program");
        await page.click("#play");
        await settled(page, "frames a second");
        // Tests see every tab as if it were in view, so the page is told otherwise.
        const hide = (hidden) =>
            page.evaluate((hidden) => {
                Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
                globalThis.requestFrame ??= globalThis.requestAnimationFrame;
                globalThis.frames_waiting ??= [];
                globalThis.requestAnimationFrame = hidden ? (work) => frames_waiting.push(work) : requestFrame;
                document.dispatchEvent(new Event("visibilitychange"));
                frames_waiting.splice(0).forEach(requestFrame);
            }, hidden);
        await hide(true);
        await settled(page, "Paused while this tab is in the background");
        await page.waitForTimeout(1000);
        await shoot(page, "background");
        assert.match(await status(page), /^Paused/);
        await hide(false);
        await settled(page, "frames a second");
        // A tab that the browser freezes, as it does after some minutes.
        const session = await page.context().newCDPSession(page);
        await session.send("Page.setWebLifecycleState", { state: "frozen" });
        await new Promise((resolve) => setTimeout(resolve, 1000));
        await session.send("Page.setWebLifecycleState", { state: "active" });
        await page.evaluate(() => (document.getElementById("status").textContent = ""));
        await settled(page, "frames a second");
        await page.click("#play");
        await settled(page, "CPU and GPU agree");
        assert.deepEqual(complaints, []);
        await close();
    },

    "memory is flat while the CPU checks a moving scene": (browser) => flat(browser, "cpu", Number(process.env.FRAMES ?? 100)),
    "memory is flat while WebGPU checks a moving scene": (browser) => flat(browser, "gpu", Number(process.env.FRAMES ?? 50)),

    "without WebGPU": async (browser) => {
        const gone = "Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined })";
        const { page, complaints, close } = await open(browser, "#scene=sticks&n=5000", {}, gone);
        await settled(page, "those of the native program");
        await drawn(page, 50);
        assert.equal(await page.locator("#on-gpu").isDisabled(), true);
        await shoot(page, "cpu");
        assert.deepEqual(complaints, []);
        await close();
    },
};

const only = process.env.ONLY;
const browser = await chromium.launch(CHROMIUM);
let failures = 0;
for (const [name, test] of Object.entries(tests)) {
    if (only && !new RegExp(only).test(name)) {
        continue;
    }
    const start = performance.now();
    try {
        await test(browser);
        console.log(`ok      ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
    } catch (error) {
        failures += 1;
        console.log(`FAILED  ${name}: ${error.stack}`);
    }
}
await browser.close();
endServing();
process.exitCode = failures === 0 ? 0 : 1;
