// The package's exceptions.

/** Any error of the package. `kind` names it, as in Rust. */
export class ObbligatoError extends Error {
    constructor({ class: name, message, ended, ...fields }) {
        super(message);
        Object.assign(this, fields);
        this.name = new.target.name;
    }
}

/** Bodies, pairs, motions or options that are invalid: `index` is the position of the first. */
export class InvalidInputError extends ObbligatoError {}

/** Memory that the browser or the GPU refuses: `needed` bytes. */
export class OutOfMemoryError extends ObbligatoError {}

/** Work beyond a limit: `needed` and `available`. */
export class LimitExceededError extends ObbligatoError {}

/** There is no GPU, or it failed. */
export class DeviceError extends ObbligatoError {}

/** A form of answer that the settings do not allow. */
export class UnavailableError extends ObbligatoError {}

const CLASSES = {
    ObbligatoError,
    InvalidInputError,
    OutOfMemoryError,
    LimitExceededError,
    DeviceError,
    UnavailableError,
};

/** Returns the exception for a description that a worker sends. */
export const exception = (described) => new (CLASSES[described.class] ?? ObbligatoError)(described);
