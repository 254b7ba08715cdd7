// The two checkers of the page.

import { Checker } from "./obbligato/index.js";

// A checker that is ready: the first check compiles shaders, which no later one does.
const started = async (backend) => {
    const checker = await Checker.create({ backend, listTouching: true });
    await checker.check(new Float32Array([0, 0, 0, 1, 1, 1, 0, 0, 0, 1]));
    return checker;
};

/** A checker on one backend, started when it is first asked and again after it has failed. */
export class Side {
    #checker;
    #events;
    report;

    /** `opened` is called with each checker that is started, `closed` with the error that ends it. */
    constructor(backend, { opened = () => {}, closed = () => {} } = {}) {
        this.backend = backend;
        this.#events = { opened, closed };
    }

    async #start() {
        const checker = await started(this.backend);
        await this.#events.opened(checker);
        return checker;
    }

    #started() {
        return (this.#checker ??= this.#start());
    }

    /** Calls `work` with the checker. Errors of devices and workers end it. */
    async with(work) {
        try {
            return await work(await this.#started());
        } catch (error) {
            if (error.name !== "InvalidInputError") {
                this.close(error);
            }
            throw error;
        }
    }

    async check({ given, isMesh }) {
        this.report = undefined;
        this.report = await this.with(async (checker) => {
            const report = await (isMesh ? checker.checkMesh(given) : checker.check(given));
            return { ...report, threads: checker.threads };
        });
        return this.report;
    }

    /** Uploads what a check would. */
    place({ given, isMesh }) {
        return this.with((checker) => (isMesh ? checker.placeMesh(given) : checker.place(given)));
    }

    close(error) {
        const checker = this.#checker;
        this.#checker = undefined;
        checker?.then(
            (checker) => checker.close(),
            () => {},
        );
        this.#events.closed(error);
    }
}
