//! The calls about buffers on the GPU, in a module without that backend.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::checker::Checker;
use crate::errors::{Result, no_buffers};

#[wasm_bindgen]
impl Checker {
    /// Fails.
    pub fn device(&self) -> Result<JsValue> {
        Err(no_buffers())
    }

    /// Fails.
    pub fn place(&self, _bodies: &JsValue) -> Result<()> {
        Err(no_buffers())
    }

    /// Fails.
    #[wasm_bindgen(js_name = placeMesh)]
    pub fn place_mesh(&self, _triangles: &JsValue) -> Result<()> {
        Err(no_buffers())
    }
}
