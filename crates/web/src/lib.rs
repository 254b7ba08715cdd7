//! Bindings for the npm package: questions over typed arrays, whose answers are plain objects of
//! typed arrays.
//!
//! `package/api.js` is the JavaScript API; `package/index.d.ts` describes every object. Each
//! checker there has a worker with an instance of this module, so nothing here blocks a page.

#![cfg(target_arch = "wasm32")]

#[cfg(all(feature = "gpu", feature = "threads"))]
compile_error!("objects of the browser belong to one thread: leave out the feature `gpu` or `threads`");

mod answers;
mod arrays;
mod bodies;
mod checker;
mod errors;
#[cfg(feature = "files")]
mod files;
#[cfg(feature = "gpu")]
mod left;
#[cfg(not(feature = "gpu"))]
mod nothing_left;
mod options;
mod pairs;
#[cfg(feature = "pictures")]
mod picture;
mod scenes;
mod settings;
#[cfg(feature = "threads")]
mod threads;

use wasm_bindgen::prelude::wasm_bindgen;

/// Keeps the message of a panic for [`last_panic`]: a panic ends the module.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| errors::keep_panic(panic.to_string())));
}
