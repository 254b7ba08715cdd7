// The form of the module with threads, in a browser.

export const threaded = {
    wasm: new URL("./threads/engine_bg.wasm", import.meta.url),
    open: () => new Worker(new URL("./threads/worker.js", import.meta.url), { type: "module", name: "obbligato" }),
};
