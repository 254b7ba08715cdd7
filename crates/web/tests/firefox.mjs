// The package and the page in headless Firefox, by the CPU. Arguments: the folder of the site, and
// one for screenshots.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import puppeteer from "puppeteer-core";

import { FILE, expected } from "./adversarial.mjs";
import { NATIVE } from "./lockstep.mjs";
import { serve } from "./site.mjs";

const [site, pictures] = process.argv.slice(2);
const [base, endServing] = await serve(site);
const native = JSON.parse(await readFile(join(site, "native.json")));

const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: process.env.FIREFOX,
    headless: true,
});
try {
    const page = await browser.newPage();
    const complaints = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.setViewport({ width: 1280, height: 800 });
    await page.goto(`${base}#scene=crowd&n=5000`);
    await page.waitForFunction(() => document.getElementById("status").textContent.includes("those of the native program"));
    // The picture follows the answer.
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await page.screenshot({ path: join(pictures, "firefox.png") });
    const colours = await page.evaluate(() => {
        const canvas = document.getElementById("canvas");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        return new Set(new Uint32Array(data.buffer)).size;
    });
    assert.ok(colours > 50, "the canvas is blank");
    console.log("ok      the page in Firefox");

    const found = await page.evaluate(
        async (base, names) => {
            const { Checker, scene } = await import(`${base}obbligato/index.js`);
            const checker = await Checker.create({ backend: "cpu" });
            const sums = {};
            for (const name of names) {
                sums[name] = (await checker.check(await scene(name, 20_000))).checksum;
            }
            checker.close();
            return sums;
        },
        base,
        Object.keys(native),
    );
    const wanted = Object.fromEntries(Object.entries(native).map(([name, sums]) => [name, sums[20_000]]));
    assert.deepEqual(found, wanted);
    console.log("ok      named scenes in Firefox by the CPU");

    const answers = await page.evaluate(
        async (base, file) => (await import(`${base}tests/answers.mjs`)).answers(base, file, "cpu"),
        base,
        FILE,
    );
    assert.deepEqual(answers.adversarial, await expected());
    console.log("ok      adversarial pairs in Firefox by the CPU");
    assert.deepEqual([answers.collisions, answers.sums.at(-1)], [NATIVE.collisions, NATIVE.checksum]);
    console.log("ok      a game in lockstep in Firefox by the CPU");
    assert.deepEqual(complaints, []);
} finally {
    await browser.close();
    endServing();
}
