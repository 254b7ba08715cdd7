//! The motions of boxes, from arrays.

use obbligato::glam::Vec3;
use obbligato::motion::Motion;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{Numbers, shape};

/// The motions in the rows of an array of 3, 6, 9 or 10 columns, or of a table.
pub fn motions(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<Motion>> {
    let tables = object.py().import("obbligato._tables")?;
    let array = tables.call_method1("numbers", (what, object, tables.getattr("MOTIONS")?))?;
    let columns = match shape(&array)?[..] {
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
    let rows: Numbers<f32> = Numbers::of(&array)?;
    let motion = |row: &[f32]| {
        let three = |first| row.get(first..first + 3).map_or(Vec3::ZERO, Vec3::from_slice);
        Motion::linear(three(0))
            .turning(three(3))
            .accelerated(three(6))
            .uncertain(row.get(9).copied().unwrap_or(0.0))
    };
    Ok(rows.chunks_exact(columns).map(motion).collect())
}
