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
    report;

    constructor(backend) {
        this.backend = backend;
    }

    #started() {
        return (this.#checker ??= started(this.backend));
    }

    /** Calls `work` with the checker. Errors of devices and workers end it. */
    async with(work) {
        try {
            return await work(await this.#started());
        } catch (error) {
            if (error.name !== "InvalidInputError") {
                this.close();
            }
            throw error;
        }
    }

    async check({ given, isMesh }) {
        this.report = undefined;
        this.report = await this.with((checker) => (isMesh ? checker.checkMesh(given) : checker.check(given)));
        return this.report;
    }

    close() {
        const checker = this.#checker;
        this.#checker = undefined;
        checker?.then(
            (checker) => checker.close(),
            () => {},
        );
    }
}
