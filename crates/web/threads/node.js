// The form of the module with threads, in Node.

export const threaded = {
    wasm: new URL("./threads/engine_bg.wasm", import.meta.url),
    worker: new URL("./threads/thread.js", import.meta.url),
};
