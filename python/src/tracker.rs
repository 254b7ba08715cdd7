//! Pairs from frame to frame.

use std::sync::{Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use obbligato::{BoxSet, Coherence, EventKind, FoundBy, FrameWork, Pair, TrackerConfig};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{numbers, pairs_array};
use crate::boxes::Room;
use crate::checker::Checker;
use crate::rules::Held;
use crate::settings::{chosen, config};
use crate::threads::detached;

/// Checks frame after frame and says which pairs begin, persist and end.
///
/// `coherence` says what of a frame serves the next: "auto", "fattened", "sweep-lists" or "none"; the pairs are the same with each. All
/// other settings are those of `Checker`.
///
/// >>> import obbligato, numpy
/// >>> cube = lambda x: [x, 0, 0, 1, 1, 1, 0, 0, 0, 1]
/// >>> tracker = obbligato.Tracker(backend="cpu")
/// >>> for x in (4, 3, 2, 1, 3):
/// ...     frame = tracker.update(numpy.array([cube(0), cube(x)], numpy.float32), ids=[7, 3])
/// ...     print(frame.begin.tolist(), len(frame.persist), frame.end.tolist())
/// [] 0 []
/// [] 0 []
/// [[3, 7]] 0 []
/// [] 1 []
/// [] 0 [[3, 7]]
#[pyclass(frozen, module = "obbligato")]
pub struct Tracker(Mutex<Inner>);

struct Inner {
    tracker: obbligato::Tracker,
    room: Room,
}

#[pymethods]
impl Tracker {
    #[new]
    #[pyo3(signature = (*, coherence="auto", **settings))]
    fn new(py: Python<'_>, coherence: &str, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let all = [
            ("auto", Coherence::Auto),
            ("fattened", Coherence::Fattened),
            ("sweep-lists", Coherence::SweepLists),
            ("none", Coherence::None),
        ];
        let mut how = TrackerConfig::default();
        how.coherence = chosen("coherence", coherence, all)?;
        let checker = Checker::made(py, config(settings)?)?;
        Ok(Self(Mutex::new(Inner {
            tracker: obbligato::Tracker::new(checker, how),
            room: Room::default(),
        })))
    }

    /// The next frame. A box is the same from frame to frame if its id is, a whole number of 32 bits; without `ids` they are the boxes'
    /// positions. Rules are those of `check`. After an error the frame counts as not given.
    #[pyo3(signature = (boxes, ids=None, **rules))]
    fn update<'py>(
        &self,
        py: Python<'py>,
        boxes: &Bound<'py, PyAny>,
        ids: Option<&Bound<'py, PyAny>>,
        rules: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Frame> {
        let held = Held::new("boxes", boxes, rules)?;
        let ids = ids.map(|ids| numbers("ids", ids)).transpose()?;
        let set = held.set32()?;
        let ids = ids.as_ref().map(|ids| ids.as_slice()).transpose()?;
        let found = detached(py, || {
            let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let Inner { tracker, room } = &mut *inner;
            let boxes = BoxSet::new(set.boxes.records(room)?).with(set.rules);
            let frame = match ids {
                Some(ids) => tracker.update_named(ids, boxes)?,
                None => tracker.update(boxes)?,
            };
            let of = |kind| {
                frame
                    .events
                    .iter()
                    .filter(move |event| event.kind == kind)
                    .map(|event| event.pair)
            };
            Ok(Found {
                pairs: frame.pairs.to_vec(),
                begin: of(EventKind::Begin).collect(),
                end: of(EventKind::End).collect(),
                work: frame.work,
            })
        })?;
        Ok(Frame {
            boxes: set.boxes.len(),
            pairs: pairs_array(py, found.pairs)?.unbind(),
            begin: pairs_array(py, found.begin)?.unbind(),
            end: pairs_array(py, found.end)?.unbind(),
            work: found.work,
        })
    }

    /// (N,) float32, in ascending order of ids: while no point of a box has moved further than this, no pair begins or ends. 0 says nothing.
    fn safe_distances<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let distances = detached(py, || {
            let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            inner.tracker.safe_distances()
        })?;
        Ok(distances.into_pyarray(py))
    }
}

/// A frame as it leaves the thread that found it.
struct Found {
    pairs: Vec<Pair>,
    begin: Vec<Pair>,
    end: Vec<Pair>,
    work: FrameWork,
}

/// The pairs of a frame, and what has changed since the frame before. Boxes are named by their ids, the smaller one first; lists are sorted.
#[pyclass(frozen, module = "obbligato")]
pub struct Frame {
    /// Boxes given.
    #[pyo3(get)]
    boxes: usize,
    /// (P, 2) uint32: the colliding pairs.
    #[pyo3(get)]
    pairs: Py<PyArray2<u32>>,
    /// (B, 2) uint32: those that did not collide in the frame before.
    #[pyo3(get)]
    begin: Py<PyArray2<u32>>,
    /// (E, 2) uint32: those that did, and do not now, or of which a box is gone.
    #[pyo3(get)]
    end: Py<PyArray2<u32>>,
    work: FrameWork,
}

#[pymethods]
impl Frame {
    /// (P - B, 2) uint32: the pairs that collide now as before. O(pairs), whenever it is asked for.
    #[getter]
    fn persist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let (pairs, begin) = (self.pairs.bind(py).readonly(), self.begin.bind(py).readonly());
        let (pairs, begin): (&[Pair], &[Pair]) = (
            bytemuck::cast_slice(pairs.as_slice()?),
            bytemuck::cast_slice(begin.as_slice()?),
        );
        let mut begin = begin.iter().peekable();
        let persists = |pair: &Pair| begin.next_if_eq(&pair).is_none();
        pairs_array(py, pairs.iter().copied().filter(persists).collect())
    }

    /// What was done to find them: "coherent" (whether what was known of the last frame served), and counts of boxes and pairs.
    #[getter]
    fn work<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        fields.set_item("coherent", self.work.found_by == FoundBy::Coherence)?;
        fields.set_item("moved", self.work.moved)?;
        fields.set_item("watched", self.work.watched)?;
        fields.set_item("tested", self.work.tested)?;
        fields.set_item("renewed", self.work.renewed)?;
        fields.set_item("rebuilt", self.work.rebuilt)?;
        Ok(fields)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let count = |list: &Py<PyArray2<u32>>| list.bind(py).len();
        Ok(format!(
            "<Frame: {} boxes, {} pairs, {} begin, {} end>",
            self.boxes,
            count(&self.pairs)?,
            count(&self.begin)?,
            count(&self.end)?
        ))
    }
}
