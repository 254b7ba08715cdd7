// The package in Node: each checker runs in a thread, or in several that share its memory.

import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

import { startBy } from "./api.js";
import { threaded } from "./node_threads.js";
import { NOT_BUILT, sharing } from "./shared.js";

const single = {
    wasm: new URL("./engine_bg.wasm", import.meta.url),
    worker: new URL("./thread.js", import.meta.url),
};

// Compiles a module once for all threads.
const compile = async (path) => WebAssembly.compile(await readFile(path));

const threads = () => (threaded ? [availableParallelism()] : [1, NOT_BUILT]);

const start = async (receive, fail, threads) => {
    const form = threads > 1 ? threaded : single;
    const module = await (form.compiled ??= compile(form.wasm));
    const workers = sharing(threads).map((begin) => {
        const worker = new Worker(form.worker);
        worker.on("message", receive);
        worker.on("error", (error) => fail(error.message));
        worker.postMessage({ module, ...begin });
        // A thread without work does not keep the program running.
        worker.unref();
        return worker;
    });
    const [worker] = workers;
    return {
        post: (message, transfer) => worker.postMessage(message, transfer),
        end: () => workers.forEach((worker) => worker.terminate()),
        rest: () => worker.unref(),
        work: () => worker.ref(),
    };
};

startBy({ start, threads });

export * from "./api.js";
