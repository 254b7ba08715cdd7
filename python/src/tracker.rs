//! Pairs from frame to frame.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use obbligato::{
    Pair,
    tracking::{Coherence, EventKind, FoundBy, FrameWork, TrackerConfig},
};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{pairs_array, whole};
use crate::bodies::{Centers, Room};
use crate::checker::made;
use crate::errors::about;
use crate::rules::Held;
use crate::settings::{Settings, chosen};
use crate::threads::Shared;

/// Checks frame after frame, and reports the pairs that begin, persist and end.
///
/// `coherence` is the method that reuses work from frame to frame: "auto", "fattened",
/// "sweep-lists" or "none"; all find the same pairs. All other settings are those of `Checker`.
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
pub struct Tracker {
    written: String,
    shared: Arc<Shared<Inner>>,
    /// The boxes of the last frame, if they had no ids.
    without_ids: Mutex<Option<usize>>,
}

struct Inner {
    tracker: obbligato::tracking::Tracker,
    room: Room,
}

#[pymethods]
impl Tracker {
    #[new]
    #[pyo3(
        signature = (*, coherence="auto", **settings),
        text_signature = "(*, coherence='auto', backend='auto', adapter=None, broad_phase='auto', output='pairs', precision='exact', margin=0.0, list_touching=False, max_pairs=None, count_operations=False, least_boxes=16384, pipeline_cache=None, timeout=300.0, threads=None)"
    )]
    fn new(py: Python<'_>, coherence: &str, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let all = [
            ("auto", Coherence::Auto),
            ("fattened", Coherence::Fattened),
            ("sweep-lists", Coherence::SweepLists),
            ("none", Coherence::None),
        ];
        let how = TrackerConfig {
            coherence: chosen("coherence", coherence, all)?,
            ..TrackerConfig::default()
        };
        let settings = Settings::new(settings)?;
        let pool = settings.pool()?;
        let checker = made(py, &settings.config, pool.as_ref())?;
        let inner = Inner {
            tracker: obbligato::tracking::Tracker::new(checker, how),
            room: Room::default(),
        };
        let separator = if settings.written.is_empty() { "" } else { ", " };
        Ok(Self {
            shared: Shared::new(inner, settings.config.stop, pool),
            written: format!("coherence='{coherence}'{separator}{}", settings.written),
            without_ids: Mutex::new(None),
        })
    }

    /// Checks the next frame. Each box needs an id, an unsigned 32-bit integer, that stays the same
    /// as long as the box exists: ids identify boxes from frame to frame. A table has them in its
    /// column `id`.
    ///
    /// Without ids, positions identify the boxes. This is for scenes whose boxes never come or go:
    /// if one does, all boxes after it count as different ones, and their pairs end and begin. If
    /// the number of boxes changes, there is a warning. Rules are those of `check`. A frame that
    /// raises an error is ignored.
    #[pyo3(
        signature = (boxes, ids=None, **rules),
        text_signature = "($self, boxes, ids=None, *, owners=None, worlds=None, statics=None, active=None, margins=None, groups=None, excluded=None)"
    )]
    fn update(
        &self,
        py: Python<'_>,
        boxes: &Bound<'_, PyAny>,
        ids: Option<&Bound<'_, PyAny>>,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Frame> {
        let held = Held::new("boxes", boxes, rules, Centers::OnlyF32)?;
        let of_table = held.ids.as_ref().map(|ids| ids.bind(py));
        let ids = match (ids, of_table) {
            (Some(ids), _) => Some(whole("ids", ids)?),
            (None, Some(ids)) => Some(whole("boxes['id']", ids)?),
            (None, None) => None,
        };
        let boxes = held.len();
        self.warn_of_positions(py, ids.is_none().then_some(boxes))?;
        let found = self.shared.with(py, boxes, move |Inner { tracker, room }| {
            let boxes = held.set(room)?;
            let frame = match &ids {
                Some(ids) => tracker.update(ids, boxes)?,
                None => tracker.update_by_position(boxes)?,
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
        });
        let found = found.map_err(about([("boxes", boxes)]))?;
        Ok(Frame {
            boxes,
            pairs: pairs_array(py, found.pairs)?.unbind(),
            begin: pairs_array(py, found.begin)?.unbind(),
            end: pairs_array(py, found.end)?.unbind(),
            work: work_of(py, &found.work)?.unbind(),
        })
    }

    /// Returns (N,) float32, in ascending order of ids: as long as no point of any box has moved
    /// further than its box's distance, no pair begins or ends. 0 means that nothing is known.
    fn safe_distances<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let distances = self
            .shared
            .with(py, 0, |Inner { tracker, .. }| tracker.safe_distances())?;
        Ok(distances.into_pyarray(py))
    }

    fn __repr__(&self) -> String {
        format!("Tracker({})", self.written)
    }
}

impl Tracker {
    /// Warns if a frame has no ids, and a different number of boxes than the last one, which had
    /// none either.
    fn warn_of_positions(&self, py: Python<'_>, without_ids: Option<usize>) -> PyResult<()> {
        let mut last = self.without_ids.lock().unwrap_or_else(PoisonError::into_inner);
        let (before, now) = (std::mem::replace(&mut *last, without_ids), without_ids);
        drop(last);
        match (before, now) {
            (Some(before), Some(now)) if before != now => PyErr::warn(
                py,
                &py.get_type::<PyUserWarning>(),
                c"the number of boxes has changed, and they have no ids: boxes behind those that came or went count as others; \
                  give ids to Tracker.update",
                1,
            ),
            _ => Ok(()),
        }
    }
}

/// The work done for a frame, as a Python dictionary.
fn work_of<'py>(py: Python<'py>, work: &FrameWork) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("coherent", work.found_by == FoundBy::Coherence)?;
    fields.set_item("moved", work.moved)?;
    fields.set_item("watched", work.watched)?;
    fields.set_item("tested", work.tested)?;
    fields.set_item("renewed", work.renewed)?;
    fields.set_item("rebuilt", work.rebuilt)?;
    Ok(fields)
}

/// A frame as returned by the thread that found it.
struct Found {
    pairs: Vec<Pair>,
    begin: Vec<Pair>,
    end: Vec<Pair>,
    work: FrameWork,
}

/// The fields that a frame is restored from.
type FrameFields = (usize, [Py<PyArray2<u32>>; 3], Py<PyDict>);

/// The pairs of a frame, and the changes since the previous frame. Pairs are ids of boxes, the
/// smaller one first; lists are sorted.
#[pyclass(frozen, module = "obbligato")]
pub struct Frame {
    /// The number of boxes.
    #[pyo3(get)]
    boxes: usize,
    /// (P, 2) uint32: the colliding pairs.
    #[pyo3(get)]
    pairs: Py<PyArray2<u32>>,
    /// (B, 2) uint32: the pairs that collide now, but did not in the previous frame.
    #[pyo3(get)]
    begin: Py<PyArray2<u32>>,
    /// (E, 2) uint32: the pairs that collided in the previous frame and do not now, or have lost a
    /// box.
    #[pyo3(get)]
    end: Py<PyArray2<u32>>,
    work: Py<PyDict>,
}

#[pymethods]
impl Frame {
    /// (P - B, 2) uint32: the pairs that collide in both frames. O(pairs) for each access.
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

    /// The work for this frame: "coherent" (True if it reused work from the previous frame), and
    /// counts of boxes and pairs.
    #[getter]
    fn work<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.work.bind(py).copy()
    }

    /// For pickle.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, FrameFields)> {
        let made_by = py.get_type::<Self>().getattr("_restored")?;
        let lists = [&self.pairs, &self.begin, &self.end].map(|list| list.clone_ref(py));
        Ok((made_by, (self.boxes, lists, self.work.clone_ref(py))))
    }

    #[staticmethod]
    fn _restored(boxes: usize, lists: [Py<PyArray2<u32>>; 3], work: Py<PyDict>) -> Self {
        let [pairs, begin, end] = lists;
        Self {
            boxes,
            pairs,
            begin,
            end,
            work,
        }
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
