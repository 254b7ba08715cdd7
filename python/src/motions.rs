//! How boxes move, from arrays.

use numpy::{PyArray2, PyArrayMethods};
use obbligato::Motion;
use obbligato::glam::Vec3;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::converted;

/// The motions in the rows of an array of 3, 6, 9 or 10 columns.
pub fn motions(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<Motion>> {
    let array = converted(what, object, "float32")?;
    let shape: Vec<usize> = array.getattr("shape")?.extract()?;
    let columns = match shape[..] {
        [0] => return Ok(Vec::new()),
        [_, columns @ (3 | 6 | 9 | 10)] => columns,
        _ => {
            return Err(PyValueError::new_err(format!(
                "{what} has the shape {}: give (N, 3), (N, 6), (N, 9) or (N, 10): velocity, angular velocity, acceleration, \
                 uncertainty",
                array.getattr("shape")?
            )));
        }
    };
    let rows = array.cast::<PyArray2<f32>>()?.try_readonly()?;
    let motion = |row: &[f32]| {
        let three = |first| row.get(first..first + 3).map_or(Vec3::ZERO, Vec3::from_slice);
        Motion::linear(three(0))
            .turning(three(3))
            .accelerated(three(6))
            .uncertain(row.get(9).copied().unwrap_or(0.0))
    };
    Ok(rows.as_slice()?.chunks_exact(columns).map(motion).collect())
}
