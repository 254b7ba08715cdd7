//! Checks, prepared scenes, contacts, distances and sweeps.

use std::sync::Arc;

use obbligato::query::{ContactQuery, DistanceQuery, MeshQuery, SolidQuery, Sweep, TileQuery};
use obbligato::{Backend, Config, Query, Result, report::Engine, shape::Aabb};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::ThreadPool;

use crate::arrays::{bounds_of, pairs_of, rows_of_two};
use crate::bodies::{Centers, Room};
use crate::contacts::{Contacts, Distances};
use crate::errors::{about, raise};
use crate::impacts::Impacts;
use crate::lists::Lists;
use crate::logs::Told;
use crate::motions::{Moving, step_of};
use crate::prepared::PreparedScene;
use crate::report::{Ids, Report};
use crate::rules::Held;
use crate::settings::{Settings, read};
use crate::solids::Solids;
use crate::space::Space;
use crate::threads::{Shared, expect_no_fork};
use crate::tiles::tile_of;

/// Finds colliding pairs. A checker reuses its memory from call to call: create one and use it for
/// every frame.
///
/// Settings, all by keyword:
///
/// - `backend`: "auto", "gpu" or "cpu"; `adapter`: part of a GPU's name, its position in
///   `adapters()`, or a graphics API.
/// - `precision`: "exact", "fast" or "conservative".
/// - `margin`: report pairs no further apart than this distance, a float that is compared without
///   rounding.
/// - `output`: "pairs", "degrees" (the number of boxes that each box collides with) or "count"
///   (only totals). Degrees and counts need no memory for pairs.
/// - `broad_phase`: "auto", "grid", "sweep", "tree", "octree", "lbvh" or "all-pairs"; all find the
///   same pairs.
/// - `list_touching`: also list the pairs that touch without overlapping.
/// - `max_pairs`: the maximum number of pairs to return; `colliding_pairs` still counts all of
///   them.
/// - `count_operations`: count the operations of the broad phase.
/// - `least_boxes`: the smallest scene that "auto" checks on a GPU.
/// - `pipeline_cache`: a file for compiled shaders; `timeout`: the seconds to wait for a GPU.
/// - `threads`: the number of CPU threads for this checker alone; None uses the threads that all
///   checkers share, one per core or RAYON_NUM_THREADS.
///
/// Calls release the interpreter's lock. Calls of one checker from several threads run one after
/// the other.
///
/// >>> import obbligato
/// >>> checker = obbligato.Checker(backend="cpu")
/// >>> checker.check([[0, 0, 0, 1, 1, 1, 0, 0, 0, 1], [1.5, 0, 0, 1, 1, 1, 0, 0, 0, 1]]).pairs
/// array([[0, 1]], dtype=uint32)
#[pyclass(frozen, module = "obbligato")]
pub struct Checker {
    written: String,
    shared: Arc<Shared<Inner>>,
    /// The smallest scene whose check looks for a GPU, if that is left to the checker.
    least_boxes: usize,
    told: Arc<Told>,
}

struct Inner {
    checker: obbligato::Checker,
    rooms: [Room; 2],
}

/// A checker with this configuration, made on its own threads if it has any.
pub fn made(py: Python<'_>, config: &Config, pool: Option<&ThreadPool>) -> PyResult<obbligato::Checker> {
    expect_no_fork(py)?;
    let config = config.clone();
    py.detach(|| match pool {
        Some(pool) => pool.install(|| obbligato::Checker::new(config)),
        None => obbligato::Checker::new(config),
    })
    .map_err(raise)
}

impl Checker {
    /// Checks solids. `given` says which other arguments there are.
    fn check_solids(&self, py: Python<'_>, solids: &Bound<'_, Solids>, given: [bool; 4]) -> PyResult<Report> {
        if given.contains(&true) {
            return Err(PyTypeError::new_err(
                "boxes is Solids, which are checked without against, period, in_plane and rules: leave them out",
            ));
        }
        let solids = solids.get().list.clone();
        self.report(py, [("boxes", solids.len())], Ids::default(), move |checker, _| {
            checker.check(SolidQuery::new(&solids))
        })
    }

    /// Runs a check of these lists by [`Checker::with`], and tells the logger of it.
    pub fn report<const N: usize>(
        &self,
        py: Python<'_>,
        lists: [(&str, usize); N],
        ids: Ids,
        work: impl FnOnce(&mut obbligato::Checker, &mut [Room; 2]) -> Result<obbligato::Report> + Send + 'static,
    ) -> PyResult<Report> {
        let size = lists.iter().map(|(_, length)| length).sum();
        let (told, least_boxes) = (self.told.clone(), self.least_boxes);
        let done = self.with(py, size, move |checker, rooms| {
            let report = work(checker, rooms)?;
            let news = told.news(checker, &report, least_boxes);
            Ok((report, news))
        });
        let (report, news) = done.map_err(about(lists))?;
        news.tell(py, &report)?;
        Ok(Report::new(report, ids))
    }

    /// Calls `work` on `size` boxes and pairs, with the checker and memory for two lists of boxes,
    /// while other threads continue.
    pub fn with<T: Send + 'static>(
        &self,
        py: Python<'_>,
        size: usize,
        work: impl FnOnce(&mut obbligato::Checker, &mut [Room; 2]) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        self.shared
            .with(py, size, move |Inner { checker, rooms }| work(checker, rooms))
    }
}

#[pymethods]
impl Checker {
    #[new]
    #[pyo3(
        signature = (**settings),
        text_signature = "(*, backend='auto', adapter=None, broad_phase='auto', output='pairs', precision='exact', margin=0.0, list_touching=False, max_pairs=None, count_operations=False, least_boxes=16384, pipeline_cache=None, timeout=300.0, threads=None)"
    )]
    fn new(py: Python<'_>, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let settings = Settings::new(settings)?;
        let pool = settings.pool()?;
        let inner = Inner {
            checker: made(py, &settings.config, pool.as_ref())?,
            rooms: Default::default(),
        };
        let least_boxes = match settings.config.backend {
            Backend::Auto => settings.config.gpu.least_boxes,
            _ => 0,
        };
        Ok(Self {
            shared: Shared::new(inner, settings.config.stop, pool),
            written: settings.written,
            least_boxes,
            told: Arc::default(),
        })
    }

    /// Finds the colliding pairs within `boxes`, or between `boxes` and `against`.
    ///
    /// Both are shapes of any kind: boxes, `Bodies`, `Capsules`, `Spheres`, `Uprights`, `Bounds`,
    /// `Triangles` or, alone, `Solids`. Between triangles and bodies, give the triangles first.
    /// `period` is the length of space along each axis after which it repeats, None for an axis
    /// that does not; `in_plane=True` is for bodies in the plane z = 0, see `Bodies.in_plane`.
    ///
    /// Rules for `boxes`, all by keyword, with one entry for each box: `owners`, `worlds`,
    /// `statics`, `active`, `margins`, `groups` (memberships and filter), and `excluded`, pairs
    /// that are never reported. Rules for `against` need a `BoxSet`.
    ///
    /// >>> import obbligato
    /// >>> boxes = obbligato.scene("uniform", 1000)
    /// >>> obbligato.Checker(backend="cpu").check(boxes, owners=[0] * 1000).colliding_pairs
    /// 0
    #[pyo3(
        signature = (boxes, against=None, *, period=None, in_plane=false, **rules),
        text_signature = "($self, boxes, against=None, *, period=None, in_plane=False, owners=None, worlds=None, statics=None, active=None, margins=None, groups=None, excluded=None)"
    )]
    fn check(
        &self,
        py: Python<'_>,
        boxes: &Bound<'_, PyAny>,
        against: Option<&Bound<'_, PyAny>>,
        period: Option<&Bound<'_, PyAny>>,
        in_plane: bool,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Report> {
        let space = Space::of(period, in_plane)?;
        if let Ok(solids) = boxes.cast::<Solids>() {
            let given = [against.is_some(), period.is_some(), in_plane, rules.is_some()];
            return self.check_solids(py, solids, given);
        }
        let mut held = Held::new("boxes", boxes, rules, Centers::F64Too)?;
        let other = |boxes| Held::new("against", boxes, None, Centers::F64Too);
        let mut others = against.map(other).transpose()?;
        let ids = Ids::of(&mut held, others.as_mut());
        let lists = [("boxes", held.len()), ("against", others.as_ref().map_or(0, Held::len))];
        self.report(py, lists, ids, move |checker, [room, other]| {
            let Some(others) = &others else {
                return space.check(checker, held.set(room)?.into());
            };
            match (held.shapes.triangles(), others.shapes.triangles()) {
                (Some(mesh), None) => checker.check(MeshQuery::new(mesh, others.shapes.bodies(other)?)),
                _ => space.check(checker, Query::between(held.set(room)?, others.set(other)?)),
            }
        })
    }

    /// Finds the pairs that a tile owns, as positions in `boxes`. `boxes` must contain the boxes of
    /// the scene that the tile needs, see `Tiling.assign`, and may contain others. All tiles of a
    /// tiling together own each pair of the scene once: see `tile`.
    ///
    /// The report is that of `check` without the pairs of other tiles, but its candidate pairs,
    /// undecided pairs and times include the work for those.
    #[pyo3(
        signature = (tile, boxes, **rules),
        text_signature = "($self, tile, boxes, *, owners=None, worlds=None, statics=None, active=None, margins=None, groups=None, excluded=None)"
    )]
    fn check_tile(
        &self,
        py: Python<'_>,
        tile: &Bound<'_, PyAny>,
        boxes: &Bound<'_, PyAny>,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Report> {
        let (tile, mut held) = (tile_of(tile)?, Held::new("boxes", boxes, rules, Centers::OnlyF32)?);
        let ids = Ids::of(&mut held, None);
        self.report(py, [("boxes", held.len())], ids, move |checker, [room, _]| {
            checker.check(TileQuery::new(&tile, held.set(room)?))
        })
    }

    /// Finds the colliding pairs among `pairs`, positions in `boxes`: the narrow phase alone, for a
    /// custom broad phase.
    #[pyo3(
        signature = (boxes, pairs, **rules),
        text_signature = "($self, boxes, pairs, *, owners=None, worlds=None, statics=None, active=None, margins=None, groups=None, excluded=None)"
    )]
    fn check_pairs(
        &self,
        py: Python<'_>,
        boxes: &Bound<'_, PyAny>,
        pairs: &Bound<'_, PyAny>,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Report> {
        let mut held = Held::new("boxes", boxes, rules, Centers::OnlyF32)?;
        let (ids, pairs) = (Ids::of(&mut held, None), rows_of_two("pairs", pairs)?);
        let lists = [("boxes", held.len()), ("pairs", pairs.len())];
        self.report(py, lists, ids, move |checker, [room, _]| {
            checker.check(Query::pairs(held.set(room)?, pairs_of(&pairs)))
        })
    }

    /// Finds the overlapping pairs of bounds: the broad phase alone, for custom shapes. Bounds are
    /// (N, 6) float32, the min and max corners, or a table with the columns min_x, min_y, ...
    /// max_z.
    fn check_bounds(&self, py: Python<'_>, bounds: &Bound<'_, PyAny>) -> PyResult<Report> {
        let bounds = bounds_of("bounds", bounds)?;
        self.report(py, [("bounds", bounds.len() / 6)], Ids::default(), move |checker, _| {
            let bounds: &[Aabb] = bytemuck::cast_slice(&bounds);
            checker.check(bounds)
        })
    }

    /// Sorts boxes at rest once, for many calls of `check_movers`.
    #[pyo3(
        signature = (boxes, **rules),
        text_signature = "($self, boxes, *, owners=None, worlds=None, statics=None, active=None, margins=None, groups=None, excluded=None)"
    )]
    fn prepare(
        &self,
        py: Python<'_>,
        boxes: &Bound<'_, PyAny>,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PreparedScene> {
        let mut held = Held::new("boxes", boxes, rules, Centers::OnlyF32)?;
        let ids = held.ids.take();
        let size = held.len();
        let scene = self.with(py, size, move |checker, [room, _]| checker.prepare(held.set(room)?));
        Ok(PreparedScene {
            scene: Arc::new(scene.map_err(about([("boxes", size)]))?),
            ids,
        })
    }

    /// Finds the colliding pairs of a box at rest and a mover, in time that depends only on the
    /// number of movers. In each pair, the first number is a position in the scene and the second a
    /// position in the movers.
    ///
    /// >>> import obbligato
    /// >>> checker = obbligato.Checker(backend="cpu")
    /// >>> wall = checker.prepare([[x, 0, 0, 1, 1, 1, 0, 0, 0, 1.0] for x in (0, 2, 4)])
    /// >>> checker.check_movers(wall, [[4.5, 1, 0, 0.4, 0.4, 0.4, 0, 0, 0, 1]]).pairs
    /// array([[2, 0]], dtype=uint32)
    #[pyo3(
        signature = (scene, movers, **rules),
        text_signature = "($self, scene, movers, *, owners=None, worlds=None, statics=None, active=None, margins=None, groups=None, excluded=None)"
    )]
    fn check_movers(
        &self,
        py: Python<'_>,
        scene: &Bound<'_, PyAny>,
        movers: &Bound<'_, PyAny>,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Report> {
        let PreparedScene { scene, ids } = PreparedScene::of(scene)?;
        let mut held = Held::new("movers", movers, rules, Centers::OnlyF32)?;
        let ids = Ids::between(ids.as_ref().map(|ids| ids.clone_ref(py)), held.ids.take());
        let scene = scene.clone();
        self.report(py, [("movers", held.len())], ids, move |checker, [room, _]| {
            checker.check(Query::against(&scene, held.set(room)?))
        })
    }

    /// Computes the contact points and penetration depths of pairs: see `Contacts`. If `against` is
    /// given, the second number of a pair is a position in it, as in the pairs of `check`. Contacts
    /// of float64 boxes are computed on the CPU. `period` and `in_plane` are those of `check`.
    #[pyo3(signature = (boxes, pairs, against=None, *, period=None, in_plane=false))]
    fn contacts(
        &self,
        py: Python<'_>,
        boxes: &Bound<'_, PyAny>,
        pairs: &Bound<'_, PyAny>,
        against: Option<&Bound<'_, PyAny>>,
        period: Option<&Bound<'_, PyAny>>,
        in_plane: bool,
    ) -> PyResult<Contacts> {
        let space = Space::of(period, in_plane)?;
        let (lists, pairs) = (Lists::new(boxes, against)?, rows_of_two("pairs", pairs)?);
        let lengths = lists.lengths();
        let found = self.with(py, pairs.len(), move |checker, rooms| {
            space.contacts(checker, ContactQuery::new(lists.shapes(rooms)?, pairs_of(&pairs)))
        });
        let (found, images) = found.map_err(about(lengths))?;
        Contacts::new(py, &found, images)
    }

    /// Computes the distances and closest points of pairs: see `Distances`. Pairs, `period` and
    /// `in_plane` are as in `contacts`.
    #[pyo3(signature = (boxes, pairs, against=None, *, period=None, in_plane=false))]
    fn distances(
        &self,
        py: Python<'_>,
        boxes: &Bound<'_, PyAny>,
        pairs: &Bound<'_, PyAny>,
        against: Option<&Bound<'_, PyAny>>,
        period: Option<&Bound<'_, PyAny>>,
        in_plane: bool,
    ) -> PyResult<Distances> {
        let space = Space::of(period, in_plane)?;
        let (lists, pairs) = (Lists::new(boxes, against)?, rows_of_two("pairs", pairs)?);
        let lengths = lists.lengths();
        let found = self.with(py, pairs.len(), move |checker, rooms| {
            space.distances(checker, DistanceQuery::new(lists.shapes(rooms)?, pairs_of(&pairs)))
        });
        let (found, images) = found.map_err(about(lengths))?;
        Distances::new(py, &found, images)
    }

    /// Finds the pairs that share a point at any time during a step of `dt` seconds, and the first
    /// time of each: see `Impacts`.
    ///
    /// A motion is a row of 3, 6, 9 or 10 numbers: velocity, angular velocity in radians per
    /// second, acceleration, and the uncertainty of the acceleration. Motions can also be a table
    /// with any of the columns vx, vy, vz, wx, wy, wz, ax, ay, az and uncertainty. With `against`
    /// and `against_motions`, a second list, only pairs between the two lists are found. `period`,
    /// `in_plane` and rules are those of `check`.
    ///
    /// >>> import obbligato
    /// >>> bullet, plate = [-10, 0, 0, .005, .005, .005, 0, 0, 0, 1], [0, 0, 0, .0005, 1, 1, 0, 0, 0, 1]
    /// >>> found = obbligato.Checker(backend="cpu").sweep([bullet, plate], [[1000, 0, 0], [0, 0, 0]], 1 / 60)
    /// >>> found.pairs.tolist(), round(float(found.times[0]), 4)
    /// ([[0, 1]], 0.01)
    #[pyo3(
        signature = (boxes, motions, dt, *, tolerance=None, against=None, against_motions=None, period=None, in_plane=false, **rules),
        text_signature = "($self, boxes, motions, dt, *, tolerance=None, against=None, against_motions=None, period=None, in_plane=False, owners=None, worlds=None, statics=None, active=None, margins=None, groups=None, excluded=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn sweep(
        &self,
        py: Python<'_>,
        boxes: &Bound<'_, PyAny>,
        motions: &Bound<'_, PyAny>,
        dt: &Bound<'_, PyAny>,
        tolerance: Option<&Bound<'_, PyAny>>,
        against: Option<&Bound<'_, PyAny>>,
        against_motions: Option<&Bound<'_, PyAny>>,
        period: Option<&Bound<'_, PyAny>>,
        in_plane: bool,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Impacts> {
        let (step, space) = (step_of(dt, tolerance)?, Space::of(period, in_plane)?);
        let mut moving = Moving::new((boxes, motions), [against, against_motions], rules)?;
        let ids = std::mem::take(&mut moving.ids);
        let lengths = moving.lengths();
        let found = self.with(py, moving.len(), move |checker, rooms| {
            space.sweep(
                checker,
                match moving.sets(rooms)? {
                    (first, Some(second)) => Sweep::between(first, second, &step),
                    (set, None) => Sweep::new(set, &step),
                },
            )
        });
        let (found, images) = found.map_err(about(lengths))?;
        Impacts::new(py, &found, images, ids)
    }

    /// Estimates the memory for a check with these numbers of boxes and colliding pairs:
    /// `host_bytes`, `device_bytes` and `largest_buffer_bytes` at most, and the number of `parts`.
    #[pyo3(signature = (boxes, pairs=None), text_signature = "($self, boxes, pairs=0)")]
    fn memory_estimate<'py>(
        &self,
        py: Python<'py>,
        boxes: &Bound<'py, PyAny>,
        pairs: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let boxes: usize = read("boxes", boxes, "a number of boxes")?;
        let pairs = pairs.map_or(Ok(0), |pairs| read("pairs", pairs, "a number of pairs"))?;
        let estimate = self.with(py, 0, move |checker, _| Ok(checker.memory_estimate(boxes, pairs)))?;
        let fields = PyDict::new(py);
        fields.set_item("host_bytes", estimate.host_bytes)?;
        fields.set_item("device_bytes", estimate.device_bytes)?;
        fields.set_item("largest_buffer_bytes", estimate.largest_buffer_bytes)?;
        fields.set_item("parts", estimate.parts)?;
        Ok(fields)
    }

    /// The backend for large scenes: "gpu" or "cpu". With the setting "auto", this looks for a GPU.
    #[getter]
    fn backend(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.with(py, 0, |checker, _| Ok(backend(checker.engine())))
    }

    /// The GPU's name; None on the CPU.
    #[getter]
    fn adapter(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.with(py, 0, |checker, _| Ok(adapter(checker.engine()).map(str::to_owned)))
    }

    /// The reason for the choice of the backend, in a few words.
    #[getter]
    fn choice(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, 0, |checker, _| Ok(checker.choice().to_owned()))
    }

    /// Failures that do not affect results, one sentence each.
    #[getter]
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.with(py, 0, |checker, _| Ok(checker.warnings().to_vec()))
    }

    fn __repr__(&self) -> String {
        format!("Checker({})", self.written)
    }
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
