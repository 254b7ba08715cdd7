//! Checks, prepared scenes, contacts, distances and sweeps.

use std::sync::{Mutex, PoisonError};

use numpy::PyReadonlyArray2;
use obbligato::{Aabb, BoxSet, Config, Engine, MovingSet, Pair, Query, Result, Step};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{converted, rows_of_two};
use crate::boxes::Room;
use crate::contacts::{Contacts, Distances};
use crate::impacts::Impacts;
use crate::motions::motions;
use crate::report::Report;
use crate::rules::{Held, Set};
use crate::settings;
use crate::threads::detached;
use crate::tiles::tile_of;

/// Finds colliding pairs, and keeps its memory from call to call: make one and use it for every frame.
///
/// Settings, all by name:
///
/// - `backend`: "auto", "gpu" or "cpu"; `adapter`: part of a GPU's name, its position in `adapters()`, or a graphics API.
/// - `precision`: "exact", "fast" or "conservative".
/// - `margin`: report pairs that are no further apart than this.
/// - `output`: "pairs", "degrees" (how many boxes each box collides with) or "count" (totals alone).
/// - `broad_phase`: "auto", "grid", "sweep", "tree", "octree", "lbvh" or "all-pairs"; the pairs are the same with each.
/// - `list_touching`: list the pairs that touch without overlapping, too.
/// - `max_pairs`: return at most so many pairs, and the true total.
/// - `count_operations`: count the broad phase's work.
/// - `least_boxes`: "auto" checks smaller scenes on the CPU.
/// - `pipeline_cache`: a file for compiled shaders; `timeout`: seconds to wait for a GPU.
///
/// Calls release the interpreter's lock. Calls of one checker from several threads wait for each other.
///
/// >>> import obbligato
/// >>> checker = obbligato.Checker(backend="cpu")
/// >>> checker.check([[0, 0, 0, 1, 1, 1, 0, 0, 0, 1], [1.5, 0, 0, 1, 1, 1, 0, 0, 0, 1]]).pairs
/// array([[0, 1]], dtype=uint32)
#[pyclass(frozen, module = "obbligato")]
pub struct Checker(Mutex<Inner>);

struct Inner {
    checker: obbligato::Checker,
    rooms: [Room; 2],
}

impl Checker {
    pub fn made(py: Python<'_>, config: Config) -> PyResult<obbligato::Checker> {
        detached(py, || obbligato::Checker::new(config))
    }

    /// Calls `work` with the checker, and room for two lists of boxes, while other threads go on.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut obbligato::Checker, &mut [Room; 2]) -> Result<T> + Send,
    ) -> PyResult<T> {
        detached(py, || {
            // Waited for without the interpreter's lock, which whoever works may need at the end.
            let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let Inner { checker, rooms } = &mut *inner;
            work(checker, rooms)
        })
    }
}

#[pymethods]
impl Checker {
    #[new]
    #[pyo3(signature = (**settings))]
    fn new(py: Python<'_>, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let config = settings::config(settings)?;
        let checker = Self::made(py, config)?;
        Ok(Self(Mutex::new(Inner {
            checker,
            rooms: Default::default(),
        })))
    }

    /// All colliding pairs of `boxes`, or the pairs of a box in `boxes` and one in `against`.
    ///
    /// Rules about `boxes`, all by name, one entry for each box: `owners`, `worlds`, `statics`, `active`, `margins`, `groups` (memberships
    /// and filter), and `excluded`, pairs that are never reported. A `BoxSet` has them for `against`.
    ///
    /// >>> import obbligato
    /// >>> boxes = obbligato.scene("uniform", 1000)
    /// >>> obbligato.Checker(backend="cpu").check(boxes, owners=[0] * 1000).colliding_pairs
    /// 0
    #[pyo3(signature = (boxes, against=None, **rules))]
    fn check(
        &self,
        py: Python<'_>,
        boxes: &Bound<'_, PyAny>,
        against: Option<&Bound<'_, PyAny>>,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Report> {
        let held = Held::new("boxes", boxes, rules)?;
        let others = against.map(|boxes| Held::new("against", boxes, None)).transpose()?;
        let (set, others) = (held.set()?, others.as_ref().map(Held::set).transpose()?);
        let report = self.with(py, |checker, [room, other]| {
            checker.check(query(&set, others.as_ref(), room, other)?)
        })?;
        Ok(Report(report))
    }

    /// The pairs that a tile owns, positions in `boxes`: those of the scene that the tile needs, which `Tiling.assign` gives it, and
    /// perhaps others. Over the tiles of a tiling these are the pairs of the scene, each once: see `tile`.
    ///
    /// The report is that of `check` but for the pairs of other tiles; its candidates, undecided pairs and times are of the work.
    #[pyo3(signature = (tile, boxes, **rules))]
    fn check_tile(
        &self,
        py: Python<'_>,
        tile: &Bound<'_, PyAny>,
        boxes: &Bound<'_, PyAny>,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Report> {
        let (tile, held) = (tile_of(tile)?, Held::new("boxes", boxes, rules)?);
        let set = held.set32()?;
        let report = self.with(py, |checker, [room, _]| {
            checker.check_tile(&tile, BoxSet::new(set.boxes.records(room)?).with(set.rules))
        })?;
        Ok(Report(report))
    }

    /// Which of `pairs` collide, positions in `boxes`: the narrow phase alone, for a broad phase of your own.
    #[pyo3(signature = (boxes, pairs, **rules))]
    fn check_pairs(
        &self,
        py: Python<'_>,
        boxes: &Bound<'_, PyAny>,
        pairs: &Bound<'_, PyAny>,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Report> {
        let (held, pairs) = (Held::new("boxes", boxes, rules)?, rows_of_two("pairs", pairs)?);
        let (set, pairs) = (held.set32()?, pairs_of(&pairs)?);
        let report = self.with(py, |checker, [room, _]| {
            let boxes = BoxSet::new(set.boxes.records(room)?).with(set.rules);
            checker.check(Query::pairs(boxes, pairs))
        })?;
        Ok(Report(report))
    }

    /// Which of these bounds overlap, (N, 6) float32 of min and max corners: the broad phase alone, for shapes of your own.
    fn check_bounds(&self, py: Python<'_>, bounds: &Bound<'_, PyAny>) -> PyResult<Report> {
        let array = converted("bounds", bounds, "float32")?;
        let bounds: PyReadonlyArray2<'_, f32> = array
            .extract()
            .ok()
            .filter(|bounds: &PyReadonlyArray2<'_, f32>| bounds.as_array().ncols() == 6)
            .ok_or_else(|| {
                PyValueError::new_err("bounds are not (N, 6), a row a pair of corners: give min x y z max x y z")
            })?;
        let bounds: &[Aabb] = bytemuck::cast_slice(bounds.as_slice()?);
        let report = self.with(py, |checker, _| checker.check(Query::bounds(bounds)))?;
        Ok(Report(report))
    }

    /// Sorts boxes at rest once, for many calls of `check_movers`.
    #[pyo3(signature = (boxes, **rules))]
    fn prepare(
        &self,
        py: Python<'_>,
        boxes: &Bound<'_, PyAny>,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PreparedScene> {
        let held = Held::new("boxes", boxes, rules)?;
        let set = held.set32()?;
        let scene = self.with(py, |checker, [room, _]| {
            checker.prepare(BoxSet::new(set.boxes.records(room)?).with(set.rules))
        })?;
        Ok(PreparedScene(scene))
    }

    /// The pairs of a box at rest and a mover that collide, in time that grows with the movers alone. In a pair, the first is a position in
    /// the scene and the second one among the movers.
    ///
    /// >>> import obbligato
    /// >>> checker = obbligato.Checker(backend="cpu")
    /// >>> wall = checker.prepare([[x, 0, 0, 1, 1, 1, 0, 0, 0, 1.0] for x in (0, 2, 4)])
    /// >>> checker.check_movers(wall, [[4.5, 1, 0, 0.4, 0.4, 0.4, 0, 0, 0, 1]]).pairs
    /// array([[2, 0]], dtype=uint32)
    #[pyo3(signature = (scene, movers, **rules))]
    fn check_movers(
        &self,
        py: Python<'_>,
        scene: &Bound<'_, PreparedScene>,
        movers: &Bound<'_, PyAny>,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Report> {
        let held = Held::new("movers", movers, rules)?;
        let (set, scene) = (held.set32()?, &scene.get().0);
        let report = self.with(py, |checker, [room, _]| {
            let movers = BoxSet::new(set.boxes.records(room)?).with(set.rules);
            checker.check(Query::against(scene, movers))
        })?;
        Ok(Report(report))
    }

    /// Where the boxes of each pair touch, and how deep they are in each other: see `Contacts`. In a pair, the second is a position in
    /// `against` if it is given, as in the pairs of `check`.
    #[pyo3(signature = (boxes, pairs, against=None))]
    fn contacts<'py>(
        &self,
        py: Python<'py>,
        boxes: &Bound<'py, PyAny>,
        pairs: &Bound<'py, PyAny>,
        against: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Contacts> {
        let (lists, pairs) = (Lists::new(boxes, against)?, rows_of_two("pairs", pairs)?);
        let ((first, second), pairs) = (lists.sets()?, pairs_of(&pairs)?);
        let found = self.with(py, |checker, [room, other]| {
            let boxes = first.boxes.records(room)?;
            match second {
                Some(second) => checker.contacts([boxes, second.boxes.records(other)?], pairs),
                None => checker.contacts_within(boxes, pairs),
            }
        })?;
        Contacts::new(py, &found)
    }

    /// How far apart the boxes of each pair are, and where they are closest: see `Distances`. Pairs are as in `contacts`.
    #[pyo3(signature = (boxes, pairs, against=None))]
    fn distances<'py>(
        &self,
        py: Python<'py>,
        boxes: &Bound<'py, PyAny>,
        pairs: &Bound<'py, PyAny>,
        against: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Distances> {
        let (lists, pairs) = (Lists::new(boxes, against)?, rows_of_two("pairs", pairs)?);
        let ((first, second), pairs) = (lists.sets()?, pairs_of(&pairs)?);
        let found = self.with(py, |checker, [room, other]| {
            let boxes = first.boxes.records(room)?;
            match second {
                Some(second) => checker.closest_points([boxes, second.boxes.records(other)?], pairs),
                None => checker.closest_points_within(boxes, pairs),
            }
        })?;
        Distances::new(py, &found)
    }

    /// The pairs that share a point at any time of a step of `dt` seconds, and when each does first: see `Impacts`.
    ///
    /// A motion is a row of 3, 6, 9 or 10 numbers: velocity; angular velocity in radians per second; acceleration; and the uncertainty of
    /// that. `against`, with `against_motions`, is a second list, whose boxes are held against those of the first alone. Rules
    /// are those of `check`.
    ///
    /// >>> import obbligato
    /// >>> bullet, plate = [-10, 0, 0, .005, .005, .005, 0, 0, 0, 1], [0, 0, 0, .0005, 1, 1, 0, 0, 0, 1]
    /// >>> found = obbligato.Checker(backend="cpu").sweep([bullet, plate], [[1000, 0, 0], [0, 0, 0]], 1 / 60)
    /// >>> found.pairs.tolist(), round(float(found.times[0]), 4)
    /// ([[0, 1]], 0.01)
    #[pyo3(signature = (boxes, motions, dt, *, tolerance=None, against=None, against_motions=None, **rules))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn sweep<'py>(
        &self,
        py: Python<'py>,
        boxes: &Bound<'py, PyAny>,
        motions: &Bound<'py, PyAny>,
        dt: f64,
        tolerance: Option<f64>,
        against: Option<&Bound<'py, PyAny>>,
        against_motions: Option<&Bound<'py, PyAny>>,
        rules: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Impacts> {
        let step = Step { dt, tolerance };
        let held = Held::new("boxes", boxes, rules)?;
        let moves = self::motions("motions", motions)?;
        let others = match (against, against_motions) {
            (Some(boxes), Some(motions)) => Some((
                Held::new("against", boxes, None)?,
                self::motions("against_motions", motions)?,
            )),
            (None, None) => None,
            _ => {
                return Err(PyTypeError::new_err(
                    "against and against_motions go together: give both or none",
                ));
            }
        };
        let set = held.set32()?;
        let others = match &others {
            Some((held, moves)) => Some((held.set32()?, moves)),
            None => None,
        };
        let found = self.with(py, |checker, [room, other]| {
            let moving = MovingSet::new(set.boxes.records(room)?, &moves).with(set.rules);
            match others {
                Some((others, moves)) => {
                    let others = MovingSet::new(others.boxes.records(other)?, moves).with(others.rules);
                    checker.sweep_between(moving, others, &step)
                }
                None => checker.sweep(moving, &step),
            }
        })?;
        Impacts::new(py, &found)
    }

    /// The bytes that a check of so many boxes with so many colliding pairs needs at most: `host_bytes`, `device_bytes`,
    /// `largest_buffer_bytes`, and in how many `parts`.
    #[pyo3(signature = (boxes, pairs=0))]
    fn memory_estimate<'py>(&self, py: Python<'py>, boxes: usize, pairs: usize) -> PyResult<Bound<'py, PyDict>> {
        let estimate = self.with(py, |checker, _| Ok(checker.memory_estimate(boxes, pairs)))?;
        let fields = PyDict::new(py);
        fields.set_item("host_bytes", estimate.host_bytes)?;
        fields.set_item("device_bytes", estimate.device_bytes)?;
        fields.set_item("largest_buffer_bytes", estimate.largest_buffer_bytes)?;
        fields.set_item("parts", estimate.parts)?;
        Ok(fields)
    }

    /// Where large scenes are checked: "gpu" or "cpu". With the backend "auto" this looks for a GPU.
    #[getter]
    fn backend(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.with(py, |checker, _| Ok(backend(checker.engine())))
    }

    /// The GPU's name; None on the CPU.
    #[getter]
    fn adapter(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.with(py, |checker, _| Ok(adapter(checker.engine()).map(str::to_owned)))
    }

    /// Why it works there, in a few words.
    #[getter]
    fn choice(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |checker, _| Ok(checker.choice().to_owned()))
    }

    /// What has failed without an effect on results, a sentence each.
    #[getter]
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, |checker, _| Ok(checker.warnings().to_vec()))
    }
}

/// What a check of one or two lists asks for. If one has centers in `f64`, both have.
fn query<'a>(set: &Set<'a>, others: Option<&Set<'a>>, room: &'a mut Room, other: &'a mut Room) -> Result<Query<'a>> {
    let in_doubles = set.boxes.are_doubles() || others.is_some_and(|others| others.boxes.are_doubles());
    if in_doubles {
        let boxes = BoxSet::new(set.boxes.records64(room)?).with(set.rules);
        return Ok(match others {
            Some(others) => Query::between64(boxes, BoxSet::new(others.boxes.records64(other)?).with(others.rules)),
            None => boxes.into(),
        });
    }
    let boxes = BoxSet::new(set.boxes.records(room)?).with(set.rules);
    Ok(match others {
        Some(others) => Query::between(boxes, BoxSet::new(others.boxes.records(other)?).with(others.rules)),
        None => boxes.into(),
    })
}

/// One or two lists of boxes without rules.
struct Lists<'py> {
    boxes: Held<'py>,
    against: Option<Held<'py>>,
}

impl<'py> Lists<'py> {
    fn new(boxes: &Bound<'py, PyAny>, against: Option<&Bound<'py, PyAny>>) -> PyResult<Self> {
        Ok(Self {
            boxes: Held::new("boxes", boxes, None)?,
            against: against.map(|boxes| Held::new("against", boxes, None)).transpose()?,
        })
    }

    fn sets(&self) -> PyResult<(Set<'_>, Option<Set<'_>>)> {
        Ok((self.boxes.set32()?, self.against.as_ref().map(Held::set32).transpose()?))
    }
}

fn pairs_of<'a>(array: &'a PyReadonlyArray2<'_, u32>) -> PyResult<&'a [Pair]> {
    Ok(bytemuck::cast_slice(array.as_slice()?))
}

/// "gpu" or "cpu".
pub fn backend(engine: &Engine) -> &'static str {
    match engine {
        Engine::Gpu { .. } => "gpu",
        Engine::Cpu { .. } => "cpu",
    }
}

/// The name of the GPU.
pub fn adapter(engine: &Engine) -> Option<&str> {
    match engine {
        Engine::Gpu { adapter, .. } => Some(adapter),
        Engine::Cpu { .. } => None,
    }
}

/// Boxes at rest, sorted once: from `Checker.prepare`, for `Checker.check_movers`. It holds copies of the boxes and never changes.
#[pyclass(frozen, module = "obbligato")]
pub struct PreparedScene(obbligato::PreparedScene);

#[pymethods]
impl PreparedScene {
    fn __len__(&self) -> usize {
        self.0.bodies().len()
    }

    fn __repr__(&self) -> String {
        format!("<PreparedScene: {} boxes, {}>", self.__len__(), self.backend())
    }

    /// Where it is: "gpu" or "cpu".
    #[getter]
    fn backend(&self) -> &'static str {
        backend(self.0.engine())
    }
}
