//! What sweeps return.

use numpy::{IntoPyArray, PyArray1, PyArray2};
use obbligato::ImpactState;
use pyo3::prelude::*;

use crate::arrays::{pairs_array, table};
use crate::checker::backend;

/// The pairs that meet during a step, sorted by time, an entry each in all arrays.
#[pyclass(frozen, get_all, module = "obbligato")]
pub struct Impacts {
    /// Boxes given, of both lists.
    boxes: usize,
    /// Pairs whose swept bounds overlap.
    candidate_pairs: u64,
    /// (P, 2) uint32: positions of the boxes.
    pairs: Py<PyArray2<u32>>,
    /// (P,) float64, in seconds: never later than the true time.
    times: Py<PyArray1<f64>>,
    /// (P,) bool: whether they share a point at the start.
    starting: Py<PyArray1<bool>>,
    /// (P, 3) float64: unit vectors from the first box to the second.
    normals: Py<PyArray2<f64>>,
    /// (P, 3) float64: a point that both boxes are at.
    points: Py<PyArray2<f64>>,
    /// (P,) bool: False if the search was ended before it was clear whether they meet; they do not before that time.
    resolved: Py<PyArray1<bool>>,
    /// (boxes,) int64: the position here of each box's earliest impact, -1 if it meets nothing; the boxes of `against` come last.
    earliest: Py<PyArray1<i64>>,
    /// The checksum of the pairs, 16 hexadecimal digits.
    checksum: String,
    /// Where it ran: "gpu" or "cpu".
    backend: &'static str,
    /// Milliseconds that the sweep took.
    milliseconds: f64,
}

impl Impacts {
    pub fn new(py: Python<'_>, found: &obbligato::Impacts) -> PyResult<Self> {
        let impacts = &found.impacts;
        let earliest = found.earliest().into_iter();
        let earliest: Vec<i64> = earliest.map(|place| place.map_or(-1, |place| place as i64)).collect();
        let starting: Vec<bool> = impacts
            .iter()
            .map(|impact| impact.first.state == ImpactState::Start)
            .collect();
        let times: Vec<f64> = impacts.iter().map(|impact| impact.first.time).collect();
        let resolved: Vec<bool> = impacts.iter().map(|impact| impact.first.is_resolved).collect();
        let normals = impacts.iter().map(|impact| impact.first.normal.to_array()).collect();
        let points = impacts.iter().map(|impact| impact.first.point.to_array()).collect();
        Ok(Self {
            boxes: found.boxes,
            candidate_pairs: found.candidate_pairs,
            pairs: pairs_array(py, impacts.iter().map(|impact| impact.pair).collect())?.unbind(),
            times: times.into_pyarray(py).unbind(),
            starting: starting.into_pyarray(py).unbind(),
            normals: table(py, normals)?.unbind(),
            points: table(py, points)?.unbind(),
            resolved: resolved.into_pyarray(py).unbind(),
            earliest: earliest.into_pyarray(py).unbind(),
            checksum: format!("{:016x}", found.checksum()),
            backend: backend(&found.engine),
            milliseconds: found.timings.total,
        })
    }
}

#[pymethods]
impl Impacts {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.pairs.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "<Impacts: {} of {} boxes, {}, {:.1} ms>",
            self.__len__(py)?,
            self.boxes,
            self.backend,
            self.milliseconds
        ))
    }
}
