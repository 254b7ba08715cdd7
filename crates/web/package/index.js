// The package in a browser: each checker runs in a worker.

import { startBy } from "./api.js";

let compiled;

// Compiles the module once for all workers.
const compile = async () => {
    const response = await fetch(new URL("./engine_bg.wasm", import.meta.url));
    if (!response.ok) {
        throw new Error(`engine_bg.wasm cannot be fetched (${response.status}): put it beside index.js`);
    }
    return WebAssembly.compile(await response.arrayBuffer());
};

startBy(async (receive, fail) => {
    const module = await (compiled ??= compile());
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "obbligato" });
    worker.onmessage = (event) => receive(event.data);
    worker.onerror = (event) => {
        event.preventDefault();
        fail(event.message ?? "the worker cannot be started");
    };
    worker.postMessage({ module });
    return {
        post: (message, transfer) => worker.postMessage(message, transfer),
        end: () => worker.terminate(),
        rest: () => {},
        work: () => {},
    };
});

export * from "./api.js";
