//! Functions of pairs alone.

use js_sys::Uint32Array;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::arrays;
use crate::errors::{Result, invalid};

/// The checksum of pairs: 16 hexadecimal digits.
#[wasm_bindgen]
pub fn checksum(pairs: &JsValue) -> Result<String> {
    let pairs = arrays::pairs("pairs", pairs)?;
    Ok(format!("{:016x}", obbligato::report::checksum(&pairs)))
}

/// The number of pairs of each of `count` bodies.
#[wasm_bindgen]
pub fn degrees(pairs: &JsValue, count: u32) -> Result<Uint32Array> {
    let pairs = arrays::pairs("pairs", pairs)?;
    let beyond = pairs.iter().position(|pair| pair.a.max(pair.b) >= count);
    if let Some(index) = beyond {
        return Err(invalid(&format!(
            "pair {index} names a body beyond {count}: give the number of bodies"
        )));
    }
    Ok(Uint32Array::from(
        &obbligato::report::degrees(count as usize, &pairs)[..],
    ))
}
