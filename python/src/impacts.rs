//! The results of sweeps.

use numpy::{IntoPyArray, PyArray1, PyArray2};
use obbligato::motion::ImpactState;
use obbligato::shape::Image;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{pairs_array, table};
use crate::checker::backend;
use crate::contacts::images_array;
use crate::report::Ids;

/// The pairs that meet during a step, sorted by time. Each pair has one entry in every array.
#[pyclass(frozen, get_all, module = "obbligato")]
pub struct Impacts {
    /// The number of boxes, in both lists.
    boxes: usize,
    /// The number of pairs whose swept bounds overlap.
    candidate_pairs: u64,
    /// (P, 2) uint32: the positions of the boxes.
    pairs: Py<PyArray2<u32>>,
    /// (P,) float64: the times of first contact in seconds, never later than the true times.
    times: Py<PyArray1<f64>>,
    /// (P,) bool: True if the boxes share a point at the start.
    starting: Py<PyArray1<bool>>,
    /// (P, 3) float64: unit vectors from the first box to the second.
    normals: Py<PyArray2<f64>>,
    /// (P, 3) float64: a point on both boxes.
    points: Py<PyArray2<f64>>,
    /// (P,) bool: False if the search ended before it could decide whether the boxes meet; they do
    /// not meet before that time.
    resolved: Py<PyArray1<bool>>,
    /// (boxes,) int64: the position in these arrays of each box's earliest impact, -1 if it has
    /// none; the boxes of `against` come last.
    earliest: Py<PyArray1<i64>>,
    /// The checksum of the pairs, 16 hexadecimal digits.
    checksum: String,
    /// The backend that ran the sweep: "gpu" or "cpu".
    backend: &'static str,
    /// The time of the sweep in milliseconds.
    milliseconds: f64,
    /// (P, 2): the pairs as ids of their boxes, from the column `id` of a table; positions for
    /// boxes without ids.
    pair_ids: Py<PyAny>,
    /// (P, 3) int64: the whole numbers of periods by which the second body is moved along each
    /// axis, if space repeats; else None.
    images: Option<Py<PyArray2<i64>>>,
}

impl Impacts {
    pub fn new(
        py: Python<'_>,
        found: &obbligato::motion::Impacts,
        images: Option<Vec<Image>>,
        ids: Ids,
    ) -> PyResult<Self> {
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
        let pairs = pairs_array(py, impacts.iter().map(|impact| impact.pair).collect())?;
        Ok(Self {
            boxes: found.boxes,
            candidate_pairs: found.candidate_pairs,
            pair_ids: ids.named(pairs.as_any())?.unbind(),
            pairs: pairs.unbind(),
            times: times.into_pyarray(py).unbind(),
            starting: starting.into_pyarray(py).unbind(),
            normals: table(py, normals)?.unbind(),
            points: table(py, points)?.unbind(),
            resolved: resolved.into_pyarray(py).unbind(),
            earliest: earliest.into_pyarray(py).unbind(),
            checksum: format!("{:016x}", found.checksum()),
            backend: backend(&found.engine),
            milliseconds: found.timings.total,
            images: images_array(py, images)?,
        })
    }
}

#[pymethods]
impl Impacts {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.pairs.bind(py).len()
    }

    /// For pickle.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyDict>,))> {
        let made_by = py.get_type::<Self>().getattr("_restored")?;
        let fields = PyDict::new(py);
        fields.set_item("boxes", self.boxes)?;
        fields.set_item("candidate_pairs", self.candidate_pairs)?;
        fields.set_item("pairs", &self.pairs)?;
        fields.set_item("times", &self.times)?;
        fields.set_item("starting", &self.starting)?;
        fields.set_item("normals", &self.normals)?;
        fields.set_item("points", &self.points)?;
        fields.set_item("resolved", &self.resolved)?;
        fields.set_item("earliest", &self.earliest)?;
        fields.set_item("checksum", &self.checksum)?;
        fields.set_item("backend", self.backend)?;
        fields.set_item("milliseconds", self.milliseconds)?;
        fields.set_item("pair_ids", &self.pair_ids)?;
        fields.set_item("images", &self.images)?;
        Ok((made_by, (fields,)))
    }

    #[staticmethod]
    fn _restored(fields: &Bound<'_, PyDict>) -> PyResult<Self> {
        fn field<'py, T: FromPyObjectOwned<'py>>(fields: &Bound<'py, PyDict>, name: &str) -> PyResult<T> {
            fields.as_any().get_item(name)?.extract().map_err(Into::into)
        }
        Ok(Self {
            boxes: field(fields, "boxes")?,
            candidate_pairs: field(fields, "candidate_pairs")?,
            pairs: field(fields, "pairs")?,
            times: field(fields, "times")?,
            starting: field(fields, "starting")?,
            normals: field(fields, "normals")?,
            points: field(fields, "points")?,
            resolved: field(fields, "resolved")?,
            earliest: field(fields, "earliest")?,
            checksum: field(fields, "checksum")?,
            backend: match &field::<String>(fields, "backend")?[..] {
                "gpu" => "gpu",
                _ => "cpu",
            },
            milliseconds: field(fields, "milliseconds")?,
            pair_ids: field(fields, "pair_ids")?,
            images: field(fields, "images")?,
        })
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
