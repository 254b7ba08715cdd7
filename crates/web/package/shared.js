// The workers of a checker with several threads, which share its memory.

import { exception } from "./errors.js";

/** Why there are no threads where the package has no module for them. */
export const NOT_BUILT =
    "there are no threads, because this package was built without them: build it by crates/web/build --threads";

// Pages of 64 kB: more than the module begins with, and all that it can have.
const PAGES = { initial: 256, maximum: 65536, shared: true };

/** What each worker of a checker begins with: the one that answers is the first. */
export const sharing = (threads) => {
    if (threads === 1) {
        return [{}];
    }
    try {
        const memory = new WebAssembly.Memory(PAGES);
        const helpers = Array.from({ length: threads - 1 }, () => ({ memory, first: "work" }));
        return [{ memory, first: "startThreads", given: [threads] }, ...helpers];
    } catch (error) {
        const message = `memory for ${threads} threads is refused (${error.message}): set threads to 1`;
        throw exception({ class: "OutOfMemoryError", kind: "OutOfMemory", message });
    }
};
