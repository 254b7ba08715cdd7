// How long tests wait.

/** Milliseconds after which a test gives up: enough for any busy machine, so only what hangs fails. */
export const LIMIT = 20 * 60_000;

/** Resolves when `test` resolves to true. */
export const until = async (what, test) => {
    const start = performance.now();
    while (!(await test())) {
        if (performance.now() - start > LIMIT) {
            throw new Error(`waited in vain for ${what}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 200));
    }
};
