//! The results of checks.

use numpy::ndarray::{ArrayView, Dimension, Ix1, Ix2};
use numpy::{Element, IntoPyArray, PyArray, PyArray1, PyArray2, PyArrayMethods};
use obbligato::{
    Pair,
    report::{Direction, Engine},
};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::checker::{adapter, backend};
use crate::errors::raise;
use crate::rules::Held;
use crate::settings::chosen;

/// The result of a check. Its arrays are read-only views of the result's memory: copy an array to
/// change it.
///
/// >>> import obbligato
/// >>> report = obbligato.check(obbligato.scene("bricks", 1000), backend="cpu")
/// >>> report.colliding_pairs == report.touching_pairs == len(report.pairs)
/// True
#[pyclass(frozen, module = "obbligato")]
pub struct Report {
    report: obbligato::Report,
    ids: Ids,
}

/// The ids of the boxes that the first and the second numbers of pairs refer to, if their tables
/// have any.
#[derive(Default)]
pub struct Ids([Option<Py<PyAny>>; 2]);

impl Ids {
    /// The ids of one list, whose boxes both numbers refer to, or of two.
    pub fn of(boxes: &mut Held, against: Option<&mut Held>) -> Self {
        let first = boxes.ids.take();
        match against {
            Some(others) => Self([first, others.ids.take()]),
            None => Python::attach(|py| Self([first.as_ref().map(|ids| ids.clone_ref(py)), first])),
        }
    }

    /// The ids of two lists.
    pub fn between(first: Option<Py<PyAny>>, second: Option<Py<PyAny>>) -> Self {
        Self([first, second])
    }

    fn lists(&self, py: Python<'_>) -> [Option<Py<PyAny>>; 2] {
        self.0.each_ref().map(|ids| ids.as_ref().map(|ids| ids.clone_ref(py)))
    }

    /// These pairs by ids.
    pub fn named<'py>(&self, pairs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = pairs.py();
        match &self.0 {
            [None, None] => Ok(pairs.clone()),
            _ => py
                .import("obbligato._tables")?
                .call_method1("named", (pairs, self.lists(py))),
        }
    }
}

/// The ids of both lists, and the report as bytes.
type Written<'py> = ([Option<Py<PyAny>>; 2], Bound<'py, PyBytes>);

impl Report {
    pub fn new(report: obbligato::Report, ids: Ids) -> Self {
        Self { report, ids }
    }
}

#[pymethods]
impl Report {
    /// The number of boxes checked, in both lists.
    #[getter]
    fn boxes(&self) -> usize {
        self.report.boxes
    }

    /// The number of pairs whose bounds overlap.
    #[getter]
    fn candidate_pairs(&self) -> u64 {
        self.report.candidate_pairs
    }

    /// The number of colliding pairs, listed or not. With a margin, the number of pairs no further
    /// apart than that.
    #[getter]
    fn colliding_pairs(&self) -> u64 {
        self.report.colliding_pairs
    }

    /// The number of colliding pairs that share only boundary points; None unless the precision is
    /// "exact".
    #[getter]
    fn touching_pairs(&self) -> Option<u64> {
        self.report.touching_pairs
    }

    /// The number of pairs that share no point and are only within the margin; None unless the
    /// precision is "exact".
    #[getter]
    fn near_pairs(&self) -> Option<u64> {
        self.report.near_pairs
    }

    /// The number of pairs that `f32` could not decide, but `f64` or exact arithmetic did.
    #[getter]
    fn undecided_pairs(&self) -> u64 {
        self.report.undecided_pairs
    }

    /// The number of undecided pairs that required exact arithmetic.
    #[getter]
    fn undecided_after_f64(&self) -> u64 {
        self.report.undecided_after_f64
    }

    /// False only if more pairs collide than `max_pairs`.
    #[getter]
    fn complete(&self) -> bool {
        self.report.complete
    }

    /// The backend that ran the check: "gpu" or "cpu".
    #[getter]
    fn backend(&self) -> &'static str {
        backend(&self.report.engine)
    }

    /// The GPU's name; None on the CPU.
    #[getter]
    fn adapter(&self) -> Option<&str> {
        adapter(&self.report.engine)
    }

    /// The number of CPU threads; None on a GPU.
    #[getter]
    fn threads(&self) -> Option<usize> {
        match self.report.engine {
            Engine::Cpu { threads } => Some(threads),
            Engine::Gpu { .. } => None,
        }
    }

    /// The broad phase that found the candidate pairs and the reason for its choice: ("grid",
    /// "..."). None if the pairs were given.
    #[getter]
    fn broad_phase(&self) -> Option<(&'static str, &'static str)> {
        let choice = self.report.broad_phase?;
        Some((choice.used.name(), choice.why))
    }

    /// The numbers of "rows" and "comparisons" in the broad phase; None unless `count_operations`
    /// is set.
    #[getter]
    fn operations<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(operations) = self.report.operations else {
            return Ok(None);
        };
        let fields = PyDict::new(py);
        fields.set_item("rows", operations.rows)?;
        fields.set_item("comparisons", operations.comparisons)?;
        Ok(Some(fields))
    }

    /// The GPU memory that the checker holds, in bytes; 0 on the CPU.
    #[getter]
    fn device_bytes(&self) -> u64 {
        self.report.device_bytes
    }

    /// The time of each stage by the host's clock, and "total", in milliseconds.
    #[getter]
    fn timings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stages = PyDict::new(py);
        for (stage, _) in &self.report.timings.wall {
            stages.set_item(stage.name(), self.report.timings.wall_of(*stage))?;
        }
        stages.set_item("total", self.report.timings.total)?;
        Ok(stages)
    }

    /// The time of each stage by the GPU's timestamps, in milliseconds; empty on the CPU.
    #[getter]
    fn gpu_timings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stages = PyDict::new(py);
        for (stage, time) in &self.report.timings.gpu {
            stages.set_item(stage.name(), time)?;
        }
        Ok(stages)
    }

    /// (P, 2) uint32: the colliding pairs, sorted. With one list, the first position is the smaller
    /// one; with two, the first is a position in `boxes` and the second a position in `against`.
    #[getter]
    fn pairs<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        Ok(shown_pairs(slf, slf.get().report.pairs().map_err(raise)?))
    }

    /// (P, 2): the pairs as ids of their boxes, from the column `id` of a table; positions for
    /// boxes without ids.
    ///
    /// >>> import obbligato, numpy
    /// >>> boxes = obbligato.scene("bricks", 4)
    /// >>> table = dict(zip("cx cy cz hx hy hz qx qy qz qw".split(), boxes.T), id=numpy.array(["a", "b", "c", "d"]))
    /// >>> obbligato.check(table, backend="cpu").pair_ids[0].tolist()
    /// ['a', 'b']
    #[getter]
    fn pair_ids<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.get().ids.named(Self::pairs(slf)?.as_any())
    }

    /// (T, 2) uint32: the pairs that touch without overlapping, sorted. Requires `list_touching`.
    #[getter]
    fn touching<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        Ok(shown_pairs(slf, slf.get().report.touching().map_err(raise)?))
    }

    /// (N,) uint32: the number of boxes that each box collides with. Requires the output "degrees".
    #[getter]
    fn degrees<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        Ok(shown_list(slf, slf.get().report.degrees().map_err(raise)?))
    }

    /// The checksum of the pairs, 16 hexadecimal digits; it does not depend on their order.
    #[getter]
    fn checksum(&self, py: Python<'_>) -> PyResult<String> {
        let sum = py.detach(|| self.report.checksum()).map_err(raise)?;
        Ok(format!("{sum:016x}"))
    }

    /// Returns (N,) bool: True for each box that collides. With a prepared scene, only for movers;
    /// with two lists, for `boxes` and then for `against`.
    fn marks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let marks = py.detach(|| self.report.marks()).map_err(raise)?;
        Ok(marks.into_pyarray(py))
    }

    /// Returns the partners of every box as `offsets` and `neighbours`: the partners of box k are
    /// `neighbours[offsets[k]:offsets[k + 1]]`, in ascending order.
    ///
    /// The direction is "both", "a-to-b" (each pair in the row of its first box) or "b-to-a".
    /// "both" is not available for pairs of two lists.
    ///
    /// >>> import obbligato
    /// >>> row = [[x, 0, 0, 1, 1, 1, 0, 0, 0, 1] for x in (0, 1.5, 3, 9)]
    /// >>> adjacency = obbligato.check(row, backend="cpu").adjacency()
    /// >>> adjacency.row(1).tolist()
    /// [0, 2]
    #[pyo3(signature = (direction="both"))]
    fn adjacency(&self, py: Python<'_>, direction: &str) -> PyResult<Adjacency> {
        let all = [
            ("both", Direction::Both),
            ("a-to-b", Direction::AToB),
            ("b-to-a", Direction::BToA),
        ];
        let direction = chosen("direction", direction, all)?;
        let adjacency = py.detach(|| self.report.adjacency(direction)).map_err(raise)?;
        Ok(Adjacency(adjacency))
    }

    /// For pickle.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Written<'py>)> {
        let made_by = py.get_type::<Self>().getattr("_restored")?;
        let bytes = py.detach(|| postcard::to_allocvec(&self.report)).map_err(broken)?;
        Ok((made_by, (self.ids.lists(py), PyBytes::new(py, &bytes))))
    }

    #[staticmethod]
    fn _restored(py: Python<'_>, ids: [Option<Py<PyAny>>; 2], bytes: &[u8]) -> PyResult<Self> {
        let report = py.detach(|| postcard::from_bytes(bytes)).map_err(broken)?;
        Ok(Self { report, ids: Ids(ids) })
    }

    fn __repr__(&self) -> String {
        let report = &self.report;
        let place = match &report.engine {
            Engine::Gpu { adapter, .. } => adapter.clone(),
            Engine::Cpu { threads } => format!("cpu, {threads} threads"),
        };
        format!(
            "<Report: {} boxes, {} colliding pairs, {place}, {:.1} ms>",
            report.boxes, report.colliding_pairs, report.timings.total
        )
    }
}

/// The partners of every box, from `Report.adjacency`.
#[pyclass(frozen, module = "obbligato")]
pub struct Adjacency(obbligato::report::Adjacency);

#[pymethods]
impl Adjacency {
    /// (N + 1,) uint64: the start of each box's partners in `neighbours`, and the end of the last
    /// box's.
    #[getter]
    fn offsets<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray1<u64>> {
        shown_list(slf, slf.get().0.offsets())
    }

    /// (K,) uint32: the partners of all boxes, one box after the other.
    #[getter]
    fn neighbours<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray1<u32>> {
        shown_list(slf, slf.get().0.neighbours())
    }

    /// Returns the partners of one box, in ascending order.
    fn row<'py>(slf: &Bound<'py, Self>, number: u32) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let adjacency = &slf.get().0;
        if number as usize >= adjacency.len() {
            let count = adjacency.len();
            return Err(PyIndexError::new_err(format!(
                "there is no box {number} of {count}: give one, counted from 0"
            )));
        }
        Ok(shown_list(slf, adjacency.row(number)))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        let Self(adjacency) = self;
        format!(
            "<Adjacency: {} boxes, {} partners>",
            adjacency.len(),
            adjacency.neighbours().len()
        )
    }

    /// For pickle.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let made_by = py.get_type::<Self>().getattr("_restored")?;
        let bytes = py.detach(|| postcard::to_allocvec(&self.0)).map_err(broken)?;
        Ok((made_by, (PyBytes::new(py, &bytes),)))
    }

    #[staticmethod]
    fn _restored(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        py.detach(|| postcard::from_bytes(bytes)).map(Self).map_err(broken)
    }
}

/// An error about bytes that are not a result, or are of another version.
fn broken(error: postcard::Error) -> PyErr {
    PyValueError::new_err(format!("is not what was pickled: {error}"))
}

/// A list in `owner` as an array.
fn shown_list<'py, T: Element, C: Frozen>(owner: &Bound<'py, C>, list: &[T]) -> Bound<'py, PyArray1<T>> {
    shown::<_, Ix1, _>(owner, ArrayView::from(list))
}

/// Pairs in `owner` as an array.
fn shown_pairs<'py, C: Frozen>(owner: &Bound<'py, C>, pairs: &[Pair]) -> Bound<'py, PyArray2<u32>> {
    let rows: &[[u32; 2]] = bytemuck::cast_slice(pairs);
    shown::<_, Ix2, _>(owner, ArrayView::from(rows))
}

/// An owner of lists that stay in place until it is dropped.
trait Frozen: pyo3::PyClass {}

impl Frozen for Report {}
impl Frozen for Adjacency {}

/// The part of `owner` that `view` refers to, as a read-only array that keeps the owner alive.
fn shown<'py, T: Element, D: Dimension, C: Frozen>(
    owner: &Bound<'py, C>,
    view: ArrayView<'_, T, D>,
) -> Bound<'py, PyArray<T, D>> {
    // SAFETY: the view is of a list of `owner`, a frozen class: nothing changes or moves the list
    // until the owner is dropped, and the array holds a reference to it.
    let array = unsafe { PyArray::borrow_from_array(&view, owner.clone().into_any()) };
    // No other reference to it exists yet. Because it does not own its memory, Python cannot make
    // it writable again.
    array.readwrite().make_nonwriteable();
    array
}
