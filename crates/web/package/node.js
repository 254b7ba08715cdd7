// The package in Node: each checker runs in a thread.

import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";

import { startBy } from "./api.js";

let compiled;

// Compiles the module once for all threads.
const compile = async () => WebAssembly.compile(await readFile(new URL("./engine_bg.wasm", import.meta.url)));

startBy(async (receive, fail) => {
    const module = await (compiled ??= compile());
    const worker = new Worker(new URL("./thread.js", import.meta.url));
    worker.on("message", receive);
    worker.on("error", (error) => fail(error.message));
    worker.postMessage({ module });
    // A thread without work does not keep the program running.
    worker.unref();
    return {
        post: (message, transfer) => worker.postMessage(message, transfer),
        end: () => worker.terminate(),
        rest: () => worker.unref(),
        work: () => worker.ref(),
    };
});

export * from "./api.js";
