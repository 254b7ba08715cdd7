// The package in a browser: each checker runs in a worker, or in several that share its memory.

import { startBy } from "./api.js";
import { NOT_BUILT, sharing } from "./shared.js";
import { threaded } from "./threads.js";

const single = {
    wasm: new URL("./engine_bg.wasm", import.meta.url),
    open: () => new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "obbligato" }),
};

const NOT_ISOLATED =
    "there are no threads, because this page is not cross-origin isolated: serve it with the headers " +
    "Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp";

// Compiles a module once for all workers.
const compile = async (address) => {
    const response = await fetch(address);
    if (!response.ok) {
        throw new Error(`${address} cannot be fetched (${response.status}): serve the files of the package together`);
    }
    return WebAssembly.compile(await response.arrayBuffer());
};

const threads = () => {
    if (!threaded) {
        return [1, NOT_BUILT];
    }
    return globalThis.crossOriginIsolated ? [navigator.hardwareConcurrency] : [1, NOT_ISOLATED];
};

const start = async (receive, fail, threads) => {
    const form = threads > 1 ? threaded : single;
    const module = await (form.compiled ??= compile(form.wasm));
    const workers = sharing(threads).map((begin) => {
        const worker = form.open();
        worker.onmessage = (event) => receive(event.data);
        worker.onerror = (event) => {
            event.preventDefault();
            fail(event.message ?? "the worker cannot be started");
        };
        worker.postMessage({ module, ...begin });
        return worker;
    });
    return {
        post: (message, transfer) => workers[0].postMessage(message, transfer),
        end: () => workers.forEach((worker) => worker.terminate()),
        rest: () => {},
        work: () => {},
    };
};

startBy({ start, threads });

export * from "./api.js";
