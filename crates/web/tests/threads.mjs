// The package with threads, and the page as `serve` serves it, in headless browsers, those that the
// environment names. Arguments: the folder of the site, the program that serves it, and a folder for
// screenshots.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { chromium } from "playwright-core";
import puppeteer from "puppeteer-core";

import { LIMIT } from "./limit.mjs";
import { serve } from "./site.mjs";

const [site, program, pictures] = process.argv.slice(2);
const SIZE = 20_000;
const native = JSON.parse(await readFile(join(site, "native.json")));

/** Runs in the page: the number of threads of a checker and of its workers, and checksums. */
const byThreads = async (settings, names, size) => {
    const { Checker, scene } = await import("/obbligato/index.js");
    let workers = 0;
    globalThis.OwnWorker ??= Worker;
    globalThis.Worker = class extends OwnWorker {
        constructor(...given) {
            super(...given);
            workers += 1;
        }
    };
    const checker = await Checker.create({ backend: "cpu", ...settings });
    const found = { threads: checker.threads, workers, sums: {} };
    for (const name of names) {
        found.sums[name] = (await checker.check(await scene(name, size))).checksum;
    }
    const broken = new Float32Array(20);
    const { name, index } = await checker.check(broken).catch((error) => error);
    checker.close();
    return { ...found, error: [name, index] };
};

/** Runs in the page: the error of a checker of which one worker fails, while another waits for it. */
const failing = async () => {
    const { Checker } = await import("/obbligato/index.js");
    const broken = URL.createObjectURL(new Blob(["throw new Error('broken')"], { type: "text/javascript" }));
    const Whole = Worker;
    let workers = 0;
    globalThis.Worker = class extends Whole {
        constructor(address, options) {
            workers += 1;
            super(workers === 3 ? broken : address, options);
        }
    };
    const { name, message } = await Checker.create({ backend: "cpu", threads: 3 }).catch((error) => error);
    globalThis.Worker = Whole;
    return [name, message];
};

/** Runs in the page: the error of a checker that cannot be made. */
const refused = async (settings) => {
    const { Checker } = await import("/obbligato/index.js");
    const { name, message } = await Checker.create({ backend: "cpu", ...settings }).catch((error) => error);
    return [name, message];
};

/** Calls a function in the page. */
const ask = (page, work, ...given) => page.evaluate(`(${work})(...${JSON.stringify(given)})`);
const sumsOf = (names) => Object.fromEntries(names.map((name) => [name, native[name][SIZE]]));

/** In an isolated page there are threads, whose answers are those of the native program. */
const isolated = async (page, base) => {
    // Any file will do that runs no scripts of its own.
    await page.goto(`${base}style.css`);
    assert.equal(await page.evaluate("crossOriginIsolated"), true);
    const names = Object.keys(native);
    assert.equal(names.length, 11);
    const find = (settings, names) => ask(page, byThreads, settings, names, SIZE);
    const error = ["InvalidInputError", 0];
    assert.deepEqual(await find({ threads: 3 }, names), { threads: 3, workers: 3, sums: sumsOf(names), error });
    const cores = Math.min(await page.evaluate("navigator.hardwareConcurrency"), 64);
    const few = ["crowd"];
    assert.deepEqual(await find({}, few), { threads: cores, workers: cores, sums: sumsOf(few), error });
    assert.deepEqual(await find({ threads: 1 }, few), { threads: 1, workers: 1, sums: sumsOf(few), error });
    const [name, message] = await ask(page, failing);
    assert.equal(name, "ObbligatoError");
    assert.match(message, /broken/);
};

/** The page tells how many threads its checks have had. */
const told = async (page, base) => {
    await page.goto(`${base}#scene=crowd&n=${SIZE}`);
    await page.waitForFunction(() => document.getElementById("status").textContent.includes("native program"));
    assert.match(await page.locator("#status").textContent(), /those of the native program/);
    const cores = Math.min(await page.evaluate("navigator.hardwareConcurrency"), 64);
    if (cores > 1) {
        const row = page.locator("#results tr", { has: page.locator("th", { hasText: /^threads$/ }) });
        assert.equal(await row.locator("td").first().textContent(), String(cores));
    }
    await page.screenshot({ path: join(pictures, "threads.png") });
};

/** In another page there is one thread, and words why. */
const notIsolated = async (page) => {
    const [base, endServing] = await serve(site);
    try {
        await page.goto(`${base}style.css`);
        const [name, message] = await ask(page, refused, { threads: 2 });
        assert.equal(name, "UnavailableError");
        assert.match(message, /not cross-origin isolated: serve it with the headers .*: require-corp, or leave threads out$/);
        const found = await ask(page, byThreads, {}, ["crowd"], SIZE);
        assert.deepEqual([found.threads, found.workers, found.sums], [1, 1, sumsOf(["crowd"])]);
    } finally {
        endServing();
    }
};

/** Runs tests in pages of a browser; what its console complains of fails them. */
const test = async (name, launch, tests) => {
    const browser = await launch();
    try {
        for (const test of tests) {
            const page = await browser.newPage();
            page.setDefaultTimeout(LIMIT);
            const complaints = [];
            page.on("console", (message) => {
                // Browsers ask for an icon of everything.
                if (message.type() === "error" && !message.location().url?.endsWith("/favicon.ico")) {
                    complaints.push(message.text());
                }
            });
            page.on("pageerror", (error) => complaints.push(error.message));
            await test(page, base);
            assert.deepEqual(complaints, []);
            await page.close();
        }
        console.log(`ok      threads in ${name}`);
    } finally {
        await browser.close();
    }
};

const server = spawn("python3", [program, site, "0"], { stdio: ["ignore", "pipe", "ignore"] });
const [base] = await once(createInterface(server.stdout), "line");
const { CHROMIUM, FIREFOX } = process.env;
const options = { headless: true, timeout: LIMIT };
try {
    if (CHROMIUM) {
        const launch = () => chromium.launch({ ...options, executablePath: CHROMIUM, args: ["--no-sandbox"] });
        await test("Chromium", launch, [isolated, told, notIsolated]);
    }
    if (FIREFOX) {
        const launch = () => puppeteer.launch({ ...options, browser: "firefox", executablePath: FIREFOX, protocolTimeout: LIMIT });
        await test("Firefox", launch, [isolated, notIsolated]);
    }
} finally {
    server.kill();
}
