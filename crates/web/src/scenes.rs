//! Named scenes.

use js_sys::{Array, Float32Array};
use obbligato::{Error, Obb};
use obbligato_verify::scenes::Scene;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::bodies::{BOX, row};
use crate::errors::{Result, invalid, raise};

/// The number of boxes that are copied at a time.
const CHUNK: usize = 1024;

/// The boxes of a named scene, ten numbers each. `seed` is a whole number.
#[wasm_bindgen]
pub fn scene(name: &str, count: u32, seed: f64) -> Result<Float32Array> {
    let scene: Scene = name.parse().map_err(|error: String| invalid(&error))?;
    let needed = u64::from(count) * size_of::<Obb>() as u64;
    if needed > isize::MAX as u64 {
        let what = "the boxes of a scene";
        return Err(raise(Error::OutOfMemory { what, needed }));
    }
    let length = count * BOX as u32;
    let rows = Float32Array::new_with_length(length);
    let mut boxes = scene.boxes(count as usize, seed as u64);
    let mut chunk = Vec::with_capacity(CHUNK * BOX);
    let mut filled = 0;
    while filled < length {
        chunk.clear();
        chunk.extend(boxes.by_ref().take(CHUNK).flat_map(|boxed| row(&boxed)));
        let end = filled + chunk.len() as u32;
        rows.subarray(filled, end).copy_from(&chunk);
        filled = end;
    }
    Ok(rows)
}

/// The names of all scenes, each with a description.
#[wasm_bindgen]
pub fn scenes() -> Array {
    let entry = |scene: &Scene| Array::of2(&scene.name().into(), &scene.describe().into());
    Scene::ALL.iter().map(|scene| JsValue::from(entry(scene))).collect()
}
