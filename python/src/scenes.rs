//! Scenes, adapters and checksums.

use numpy::PyArray2;
use obbligato_verify::scenes::Scene;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{pairs_of, rows_of_two, table};
use crate::boxes::rows;
use crate::settings::read;
use crate::threads::detached;

/// Generates a named scene from a seed, (count, 10) float32: the same boxes on every machine.
///
/// The names are uniform, dense, mixed, giants, crowd, bricks, clusters, sticks, particles, far and
/// coincident.
///
/// >>> import obbligato
/// >>> obbligato.scene("crowd", 1000).shape
/// (1000, 10)
#[pyfunction]
#[pyo3(signature = (name, count, seed=1))]
pub fn scene<'py>(
    py: Python<'py>,
    name: &str,
    count: &Bound<'py, PyAny>,
    seed: u64,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let count = read("count", count, "a number of boxes")?;
    let scene: Scene = name.parse().map_err(PyValueError::new_err)?;
    let rows = detached(py, count, move || Ok(rows(&scene.generate(count, seed))))?;
    table(py, rows)
}

/// Returns the GPUs of this machine, best first, including software adapters, with the properties
/// of each. The list is empty if there is none.
#[pyfunction]
pub fn adapters(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let found = py.detach(obbligato::gpu::adapters);
    let fields = |summary: obbligato::gpu::AdapterSummary| {
        let fields = PyDict::new(py);
        fields.set_item("index", summary.index)?;
        fields.set_item("name", summary.name)?;
        fields.set_item("driver", summary.driver)?;
        fields.set_item("api", summary.api)?;
        fields.set_item("kind", summary.kind.to_string())?;
        fields.set_item("max_buffer_bytes", summary.max_buffer_bytes)?;
        fields.set_item("max_binding_bytes", summary.max_binding_bytes)?;
        Ok(fields)
    };
    found.into_iter().map(fields).collect()
}

/// Returns the checksum of pairs, 16 hexadecimal digits. It does not depend on their order. The
/// checksum of a list is the sum of the checksums of its parts, modulo 2^64.
///
/// >>> import obbligato
/// >>> obbligato.checksum([[0, 1], [1, 2]]) == obbligato.checksum([[1, 2], [0, 1]])
/// True
#[pyfunction]
pub fn checksum(py: Python<'_>, pairs: &Bound<'_, PyAny>) -> PyResult<String> {
    let pairs = rows_of_two("pairs", pairs)?;
    let sum = detached(py, pairs.len(), move || {
        Ok(obbligato::report::checksum(pairs_of(&pairs)))
    })?;
    Ok(format!("{sum:016x}"))
}
