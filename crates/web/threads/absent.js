// The package without the form of the module with threads, which `crates/web/build --threads` adds.

export const threaded = undefined;
