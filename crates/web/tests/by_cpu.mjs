// The package and the page in a browser without WebGPU.

import assert from "node:assert/strict";
import { join } from "node:path";

import { compare, compareMillion } from "./checksums.mjs";
import { until } from "./limit.mjs";
import { serve } from "./site.mjs";

/**
 * Tests a browser, which is named. It opens an address, takes screenshots, and evaluates functions
 * with arguments in the page.
 */
export const testByCpu = async (name, { open, shoot, evaluate }, [site, pictures]) => {
    const [base, endServing] = await serve(site);
    try {
        await open(`${base}#scene=crowd&n=5000`);
        const status = () => evaluate(() => document.getElementById("status").textContent);
        await until("an answer on the page", async () => (await status()).includes("native program"));
        assert.match(await status(), /those of the native program/);
        // The picture follows the answer.
        const colours = () =>
            evaluate(() => {
                const canvas = document.getElementById("canvas");
                const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
                return new Set(new Uint32Array(data.buffer)).size;
            });
        await until("a picture", async () => (await colours()) > 50);
        await shoot(join(pictures, `${name.toLowerCase()}.png`));
        assert.equal(await evaluate(() => document.getElementById("on-gpu").disabled), true);
        console.log(`ok      the page in ${name}`);

        await compare(evaluate, base, site, "cpu");
        console.log(`ok      named scenes, adversarial pairs and lockstep in ${name} by the CPU`);
        if (process.env.MILLION) {
            const start = performance.now();
            await compareMillion(evaluate, base, site);
            console.log(`ok      a million boxes in ${name} by the CPU (${((performance.now() - start) / 1000).toFixed(1)} s)`);
        }
    } finally {
        endServing();
    }
};
