// The API of the package. Everything is computed in workers; answers are promises.

import { exception } from "./errors.js";

export * from "./errors.js";

let host;

/**
 * Sets how workers are started. `start(receive, fail, threads)` resolves to the means to talk to one,
 * which has that many threads. `threads()` returns how many a checker can have, and if that is only
 * one, why.
 */
export const startBy = (by) => {
    host = by;
};

const MOST_THREADS = 64;

/** The number of threads of a checker with these settings. */
const threadsOf = ({ backend, threads }) => {
    const [most, why] = host.threads();
    if (threads === undefined || threads === null) {
        return backend === "cpu" ? Math.min(most, MOST_THREADS) : 1;
    }
    const invalid = (message) => exception({ class: "InvalidInputError", kind: "InvalidArgument", message });
    if (!Number.isInteger(threads) || threads < 1 || threads > MOST_THREADS) {
        throw invalid(`threads is ${threads}: give a whole number from 1 to ${MOST_THREADS}`);
    }
    if (threads === 1) {
        return 1;
    }
    if (backend !== "cpu") {
        throw invalid(`threads is ${threads}, but only the CPU has threads: set backend to "cpu", too`);
    }
    if (why) {
        throw exception({ class: "UnavailableError", kind: "Unavailable", message: `${why}, or leave threads out` });
    }
    return threads;
};

// A worker, and the calls that wait for its answers.
class Client {
    #calls = new Map();
    #next = 0;
    #threads;
    #worker;
    #why;

    constructor(threads = 1) {
        this.#threads = threads;
    }

    // Starts the worker at the first call.
    #started() {
        return (this.#worker ??= host.start(
            (message) => this.#receive(message),
            (reason) => this.#fail({ class: "ObbligatoError", kind: "Worker", message: reason }),
            this.#threads,
        ));
    }

    async call(method, given, transfer = []) {
        if (this.#why) {
            throw exception(this.#why);
        }
        const worker = await this.#started();
        return new Promise((resolve, reject) => {
            const id = this.#next++;
            worker.work();
            try {
                worker.post({ id, method, given }, transfer);
            } catch (error) {
                reject(exception({ class: "InvalidInputError", kind: "InvalidArgument", message: error.message }));
                return;
            }
            this.#calls.set(id, { resolve, reject });
        });
    }

    async #receive({ id, value, error, failed }) {
        const call = this.#calls.get(id);
        if (failed || !call) {
            this.#fail(failed);
            return;
        }
        const { resolve, reject } = call;
        this.#calls.delete(id);
        if (this.#calls.size === 0) {
            (await this.#worker).rest();
        }
        if (!error) {
            resolve(value);
        } else if (error.ended) {
            this.#calls.set(id, { resolve, reject });
            this.#fail(error);
        } else {
            reject(exception(error));
        }
    }

    // Ends the worker; all calls fail, now and later.
    #fail(why) {
        if (!why) {
            return;
        }
        this.#why ??= why;
        this.#worker?.then(
            (worker) => worker.end(),
            () => {},
        );
        for (const { reject } of this.#calls.values()) {
            reject(exception(this.#why));
        }
        this.#calls.clear();
    }

    close() {
        this.#fail({ class: "ObbligatoError", kind: "Closed", message: "the checker is closed: create another" });
    }
}

/** Finds collisions. Each checker has a worker, and memory that it keeps from call to call. */
export class Checker {
    #client;
    #started = {};

    constructor(key, threads) {
        if (key !== Checker) {
            throw new TypeError("a checker is made by Checker.create, which waits for its worker");
        }
        this.#client = new Client(threads);
    }

    static async create(settings = {}) {
        const checker = new Checker(Checker, threadsOf(settings ?? {}));
        try {
            checker.#started = await checker.#client.call("create", [settings]);
        } catch (error) {
            checker.close();
            throw error;
        }
        return checker;
    }

    get warnings() {
        return this.#started.warnings;
    }

    get threads() {
        return this.#started.threads;
    }

    check(bodies, against) {
        return this.#client.call("check", [bodies, against]);
    }

    checkPairs(bodies, pairs) {
        return this.#client.call("checkPairs", [bodies, pairs]);
    }

    checkMesh(triangles) {
        return this.#client.call("checkMesh", [triangles]);
    }

    attach(module, given = [], transfer = []) {
        return this.#client.call("attach", [String(module), given], transfer);
    }

    place(bodies) {
        return this.#client.call("place", [bodies]);
    }

    placeMesh(triangles) {
        return this.#client.call("placeMesh", [triangles]);
    }

    contacts(bodies, pairs, against) {
        return this.#client.call("contacts", [bodies, pairs, against]);
    }

    distances(bodies, pairs, against) {
        return this.#client.call("distances", [bodies, pairs, against]);
    }

    sweep(bodies, motions, dt, options) {
        return this.#client.call("sweep", [bodies, motions, dt, options]);
    }

    neighbours(bodies, options) {
        return this.#client.call("neighbours", [bodies, options]);
    }

    close() {
        this.#client.close();
    }
}

// Calls without a checker share a worker.
let shared = new Client();

const call = async (method, ...given) => {
    const client = shared;
    try {
        return await client.call(method, given);
    } catch (error) {
        if (["Ended", "Panic", "Worker"].includes(error.kind) && shared === client) {
            shared = new Client();
        }
        throw error;
    }
};

export const scene = (name, count, seed = 1) => call("scene", name, count, seed);
export const scenes = () => call("scenes");
export const checksum = (pairs) => call("checksum", pairs);
export const degrees = (pairs, count) => call("degrees", pairs, count);
export const readScene = (name, contents) => call("readScene", name, contents);
export const readTable = (name, columns) => call("readTable", name, columns);
export const readMesh = (name, contents) => call("readMesh", name, contents);
export const picture = (bodies, marks, options) => call("picture", bodies, marks, options);
