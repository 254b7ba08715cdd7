// The work of a worker: one checker at most, and calls that are answered one after the other.

import init, * as engine from "./engine.js";

// The calls after which a guest may use what is left on the GPU.
const LEAVE = ["check", "checkMesh", "place", "placeMesh"];

// The arrays of an answer, which are handed over instead of copied.
const arraysOf = (answer) => {
    const values = ArrayBuffer.isView(answer) ? [answer] : Object.values(answer ?? {});
    return values.filter((value) => ArrayBuffer.isView(value)).map((value) => value.buffer);
};

// Starts the module, and resolves to what its function `first` returns, if that is named.
const begin = async ({ module, memory, first, given = [] }) => {
    await init({ module_or_path: module, memory });
    return first && engine[first](...given);
};

// An error as a plain object. The engine's errors are plain objects already.
const described = (error) => {
    if (!(error instanceof Error)) {
        return error;
    }
    if (!(error instanceof WebAssembly.RuntimeError)) {
        return { class: "ObbligatoError", kind: "Internal", message: error.message };
    }
    const panic = engine.lastPanic();
    return panic === ""
        ? {
              class: "OutOfMemoryError",
              kind: "Ended",
              message: `the module has ended (${error.message}), most likely out of memory: check fewer boxes at once`,
              ended: true,
          }
        : { class: "ObbligatoError", kind: "Panic", message: `${panic}; please report this`, ended: true };
};

/**
 * Returns the function that takes messages and answers them through `post`, and the one that takes
 * errors that no call has caught: the end of the module while it was computing.
 */
export const answerBy = (post) => {
    let ready;
    let checker;
    let guest;

    const run = async (method, given) => {
        await ready;
        if (method === "create") {
            checker = await engine.Checker.create(...given);
            return { warnings: checker.warnings(), threads: (await ready) ?? 1 };
        }
        if (method === "attach") {
            const [module, own] = given;
            const device = checker.device();
            guest = await (await import(module)).attach(device, ...own);
            return undefined;
        }
        const answer = await (method in engine ? engine[method](...given) : checker[method](...given));
        if (LEAVE.includes(method)) {
            await guest?.checked(checker.left(), answer);
        }
        return answer;
    };

    let last = Promise.resolve();
    const answer = async ({ id, method, given }) => {
        try {
            const value = await run(method, given);
            post({ id, value }, arraysOf(value));
        } catch (error) {
            post({ id, error: described(error) }, []);
        }
    };
    const fail = (error) => post({ failed: described(error) }, []);
    const receive = (message) => {
        if (message.module) {
            ready = begin(message);
            ready.catch(fail);
            return;
        }
        last = last.then(() => answer(message));
    };
    return { receive, fail };
};
