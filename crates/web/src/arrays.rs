//! Typed arrays as lists of records.

use js_sys::{Float32Array, Float64Array, Uint8Array, Uint32Array};
use obbligato::Pair;
use obbligato::shape::Triangle;
use obbligato_support::memory;
use wasm_bindgen::{JsCast, JsValue};

use crate::errors::{Result, invalid, raise};

/// The number of rows that are copied at a time.
const CHUNK: u32 = 1024;

/// An argument as an array of floats.
pub fn floats(what: &str, value: &JsValue) -> Result<Float32Array> {
    let array = value.dyn_ref::<Float32Array>();
    array.cloned().ok_or_else(|| wrong_type(what, "Float32Array"))
}

fn wrong_type(what: &str, wanted: &str) -> JsValue {
    invalid(&format!("{what} is not a {wanted}: give one"))
}

/// The triangles in an array of nine numbers each.
pub fn triangles(what: &'static str, value: &JsValue) -> Result<Vec<Triangle>> {
    let mut list = Vec::new();
    let about = [what, "corner a x y z, corner b x y z, corner c x y z"];
    fill(about, &floats(what, value)?, &mut list, |row: &[f32; 9]| {
        bytemuck::cast(*row)
    })?;
    Ok(list)
}

/// The number of rows of `columns` numbers in an array of this length.
fn rows(what: &str, length: u32, columns: usize, row: &str) -> Result<u32> {
    match length.is_multiple_of(columns as u32) {
        true => Ok(length / columns as u32),
        false => Err(invalid(&format!(
            "{what} has {length} numbers: give {columns} for each row ({row})"
        ))),
    }
}

/// Fills `list` with a record for each row of `N` numbers. `row` names the numbers, for errors.
pub fn fill<T, const N: usize>(
    [what, row]: [&'static str; 2],
    array: &Float32Array,
    list: &mut Vec<T>,
    record: impl Fn(&[f32; N]) -> T,
) -> Result<()> {
    let count = rows(what, array.length(), N, row)?;
    list.clear();
    memory::reserve(list, count as usize, what).map_err(|refused| raise(refused.into()))?;
    let mut chunk = vec![0.0; N * CHUNK.min(count) as usize];
    let columns = N as u32;
    for first in (0..count).step_by(CHUNK as usize) {
        let end = (first + CHUNK).min(count);
        let chunk = &mut chunk[..((end - first) * columns) as usize];
        array.subarray(first * columns, end * columns).copy_to(chunk);
        list.extend(chunk.as_chunks().0.iter().map(&record));
    }
    Ok(())
}

/// A list that takes `count` items, or the error that it cannot.
fn room<T: bytemuck::Zeroable + Clone>(what: &'static str, count: u32) -> Result<Vec<T>> {
    memory::filled(count as usize, T::zeroed(), what).map_err(|refused| raise(refused.into()))
}

/// The numbers of an array of floats.
pub fn singles(what: &'static str, value: &JsValue) -> Result<Vec<f32>> {
    let array = floats(what, value)?;
    let mut list = room(what, array.length())?;
    array.copy_to(&mut list);
    Ok(list)
}

/// The numbers of an array of doubles, if it is one.
pub fn doubles(what: &'static str, value: &JsValue) -> Result<Option<Vec<f64>>> {
    let Some(array) = value.dyn_ref::<Float64Array>() else {
        return Ok(None);
    };
    let mut list = room(what, array.length())?;
    array.copy_to(&mut list);
    Ok(Some(list))
}

/// The numbers of an array of whole numbers.
pub fn whole(what: &'static str, value: &JsValue) -> Result<Vec<u32>> {
    let array = value.dyn_ref::<Uint32Array>();
    let array = array.ok_or_else(|| wrong_type(what, "Uint32Array"))?;
    let mut list = room(what, array.length())?;
    array.copy_to(&mut list);
    Ok(list)
}

/// The bytes of an array.
pub fn bytes(what: &'static str, value: &JsValue) -> Result<Vec<u8>> {
    let array = value.dyn_ref::<Uint8Array>();
    let array = array.ok_or_else(|| wrong_type(what, "Uint8Array"))?;
    let mut list = room(what, array.length())?;
    array.copy_to(&mut list);
    Ok(list)
}

/// The flags in an array of bytes, of which 0 is false.
pub fn flags(what: &'static str, value: &JsValue) -> Result<Vec<bool>> {
    Ok(bytes(what, value)?.into_iter().map(|byte| byte != 0).collect())
}

/// The rows of two whole numbers each.
pub fn twos(what: &'static str, value: &JsValue) -> Result<Vec<[u32; 2]>> {
    let list = whole(what, value)?;
    rows(what, list.len() as u32, 2, "a, b")?;
    bytemuck::allocation::try_cast_vec(list).or_else(|(_, list)| Ok(list.as_chunks().0.to_vec()))
}

/// Pairs, two numbers each.
pub fn pairs(what: &'static str, value: &JsValue) -> Result<Vec<Pair>> {
    Ok(bytemuck::cast_vec(twos(what, value)?))
}

/// Rows of one of several lengths.
pub fn rows_of<'a>(
    what: &'static str,
    list: &'a [f32],
    count: usize,
    columns: &[usize],
    row: &str,
) -> Result<std::slice::ChunksExact<'a, f32>> {
    let found = columns.iter().find(|&&columns| columns * count == list.len());
    let Some(&columns) = found else {
        return Err(invalid(&format!(
            "{what} has {} numbers for {count} bodies: give {} for each ({row})",
            list.len(),
            columns.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
        )));
    };
    Ok(list.chunks_exact(columns))
}
