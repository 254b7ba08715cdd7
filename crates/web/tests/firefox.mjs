// The package and the page in headless Firefox, by the CPU. Arguments: the folder of the site, and
// one for screenshots.

import assert from "node:assert/strict";

import puppeteer from "puppeteer-core";

import { testByCpu } from "./by_cpu.mjs";
import { LIMIT } from "./limit.mjs";

const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: process.env.FIREFOX,
    headless: true,
    timeout: LIMIT,
    protocolTimeout: LIMIT,
});
try {
    const page = await browser.newPage();
    const complaints = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.setDefaultTimeout(LIMIT);
    await page.setViewport({ width: 1280, height: 800 });
    const driver = {
        open: (address) => page.goto(address),
        shoot: (path) => page.screenshot({ path }),
        evaluate: (work, ...given) => page.evaluate(work, ...given),
    };
    await testByCpu("Firefox", driver, process.argv.slice(2));
    assert.deepEqual(complaints, []);
} finally {
    await browser.close();
}
