//! Neighbours, overlaps, closest approaches, rooms, self-intersections of meshes, and sweeps of
//! movers.

use numpy::IntoPyArray;
use obbligato::contact::Overlap;
use obbligato::glam::{DVec3, Vec3};
use obbligato::query::{ApproachQuery, Containment, NeighbourQuery, OverlapQuery, Points, Sweep};
use obbligato::{Query, Set};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Numbers, pairs_array, pairs_of, read_doubles, rows_of_two, shape};
use crate::bodies::Centers;
use crate::checker::{Checker, backend};
use crate::contacts::images_array;
use crate::errors::{about, shown};
use crate::impacts::Impacts;
use crate::lists::Lists;
use crate::motions::{Moving, expect_one_each, step_of};
use crate::prepared::PreparedScene;
use crate::regions::{ClosedMesh, Room, number};
use crate::report::{Ids, Report};
use crate::rules::Held;
use crate::settings::read;
use crate::space::Space;

/// Points in either precision, kept alive.
enum Places {
    Single(Numbers<f32>),
    Double(Numbers<f64>),
}

impl Places {
    fn new(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let array = read_doubles(what, object)?;
        if !matches!(shape(&array)?[..], [_, 3] | [0]) {
            return Err(PyValueError::new_err(format!(
                "{what} has the shape {}: give (M, 3), one row per point",
                array.getattr("shape")?
            )));
        }
        Numbers::of(&array)
            .map(Self::Single)
            .or_else(|_| Numbers::of(&array).map(Self::Double))
    }

    fn points(&self) -> Points<'_> {
        match self {
            Self::Single(numbers) => bytemuck::cast_slice::<f32, Vec3>(numbers).into(),
            Self::Double(numbers) => bytemuck::cast_slice::<f64, DVec3>(numbers).into(),
        }
    }
}

/// A result class of `obbligato/_results.py`, made from its fields.
pub fn result<'py>(py: Python<'py>, class: &str, fields: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
    py.import("obbligato._results")?.getattr(class)?.call((), Some(fields))
}

#[pymethods]
impl Checker {
    /// Finds the nearest neighbours of each body, or of each point of `around`: the `nearest` ones,
    /// all `within` a distance, or the nearest ones within it. With neither, the nearest one.
    ///
    /// Distances are those of centers, or, `by_surface`, those of the bodies. `around` is (M, 3)
    /// float32 or float64; bodies may be a `PreparedScene` then. Rules are those of `check`; bodies
    /// that they keep apart are not neighbours. `period` is that of `check`. See `Neighbours`.
    ///
    /// >>> import obbligato
    /// >>> balls = obbligato.Spheres([[x, 0, 0, 0.5] for x in (0, 1, 3, 9)])
    /// >>> found = obbligato.Checker(backend="cpu").neighbours(balls, within=2.5)
    /// >>> found.row(1).tolist(), found.distances_of(1).tolist()
    /// ([0, 2], [1.0, 2.0])
    #[pyo3(
        signature = (boxes, *, around=None, nearest=None, within=None, by_surface=false, period=None, **rules),
        text_signature = "($self, boxes, *, around=None, nearest=None, within=None, by_surface=False, period=None, owners=None, worlds=None, statics=None, active=None, margins=None, groups=None, excluded=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn neighbours<'py>(
        &self,
        py: Python<'py>,
        boxes: &Bound<'py, PyAny>,
        around: Option<&Bound<'py, PyAny>>,
        nearest: Option<&Bound<'py, PyAny>>,
        within: Option<&Bound<'py, PyAny>>,
        by_surface: bool,
        period: Option<&Bound<'py, PyAny>>,
        rules: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let space = Space::of(period, false)?;
        let nearest = nearest.map(|nearest| read("nearest", nearest, "a number of neighbours, or None"));
        let within = within.map(|within| read("within", within, "a distance, or None"));
        let (nearest, within) = (nearest.transpose()?, within.transpose()?);
        let places = around.map(|around| Places::new("around", around)).transpose()?;
        let scene = match boxes.cast::<PreparedScene>() {
            Ok(_) if places.is_none() || rules.is_some() => {
                return Err(PyTypeError::new_err(
                    "boxes is a PreparedScene: give the points to search from as around, and rules to prepare",
                ));
            }
            Ok(scene) => Some(scene.get().scene.clone()),
            Err(_) => None,
        };
        let held = match &scene {
            Some(_) => None,
            None => Some(Held::new("boxes", boxes, rules, Centers::F64Too)?),
        };
        let size = held.as_ref().map_or(usize::MAX, Held::len);
        let lengths = [("boxes", size), ("around", 0)];
        let found = self.with(py, size, move |checker, [room, _]| {
            let set: Set<'_> = match &held {
                Some(held) => held.set(room)?,
                None => Set::from(&[] as &[obbligato::Obb]),
            };
            let query = match (&places, &scene) {
                (Some(places), Some(scene)) => NeighbourQuery::against(places.points(), scene),
                (Some(places), None) => NeighbourQuery::around(places.points(), set),
                (None, _) => NeighbourQuery::of(set),
            };
            let query = match (nearest, within) {
                (Some(count), Some(radius)) => query.nearest_within(count, radius),
                (None, Some(radius)) => query.within(radius),
                (count, None) => query.nearest(count.unwrap_or(1)),
            };
            let query = if by_surface { query.by_surface() } else { query };
            checker.check(match space.period {
                Some(period) => query.periodic(period),
                None => query,
            })
        });
        let found = found.map_err(about(lengths))?;
        let fields = PyDict::new(py);
        fields.set_item("offsets", found.offsets().to_vec().into_pyarray(py))?;
        fields.set_item("neighbours", found.neighbours().to_vec().into_pyarray(py))?;
        fields.set_item("distances", found.distances().to_vec().into_pyarray(py))?;
        fields.set_item("cut", found.cut().to_vec().into_pyarray(py))?;
        result(py, "Neighbours", &fields)
    }

    /// Computes the volumes that the boxes of pairs share, and their IoU: see `Overlaps`. Pairs,
    /// `period` and `in_plane` are as in `contacts`.
    ///
    /// >>> import obbligato
    /// >>> boxes = [[x, 0, 0, 1, 1, 1, 0, 0, 0, 1] for x in (0, 1, 2)]
    /// >>> found = obbligato.Checker(backend="cpu").overlaps(boxes, [[0, 1], [0, 2], [1, 1]])
    /// >>> found.volumes.tolist(), found.ious.round(4).tolist()
    /// ([4.0, 0.0, 8.0], [0.3333, 0.0, 1.0])
    #[pyo3(signature = (boxes, pairs, against=None, *, period=None, in_plane=false))]
    fn overlaps<'py>(
        &self,
        py: Python<'py>,
        boxes: &Bound<'py, PyAny>,
        pairs: &Bound<'py, PyAny>,
        against: Option<&Bound<'py, PyAny>>,
        period: Option<&Bound<'py, PyAny>>,
        in_plane: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let space = Space::of(period, in_plane)?;
        let (lists, pairs) = (Lists::new(boxes, against)?, rows_of_two("pairs", pairs)?);
        let lengths = lists.lengths();
        let found = self.with(py, pairs.len(), move |checker, rooms| {
            space.overlaps(checker, OverlapQuery::new(lists.shapes(rooms)?, pairs_of(&pairs)))
        });
        let (found, images) = found.map_err(about(lengths))?;
        let fields = PyDict::new(py);
        let numbers = |number: fn(&Overlap) -> f64| found.iter().map(number).collect::<Vec<f64>>();
        fields.set_item("volumes", numbers(|one| one.volume).into_pyarray(py))?;
        fields.set_item("ious", numbers(|one| one.iou).into_pyarray(py))?;
        fields.set_item("images", images_array(py, images)?)?;
        result(py, "Overlaps", &fields)
    }

    /// Finds the pairs that come `within` a distance of each other during a step of `dt` seconds,
    /// and when each is nearest: see `Approaches`. The other arguments are those of `sweep`,
    /// which also has a form for the plane.
    ///
    /// >>> import obbligato
    /// >>> people = obbligato.Spheres([[x, 0.1 * x, 0, 0.25] for x in (0, 10)])
    /// >>> found = obbligato.Checker(backend="cpu").approaches(people, [[1, 0, 0], [-1, 0, 0]], 8, within=1)
    /// >>> round(float(found.times[0]), 6), round(float(found.distances[0]), 6)
    /// (5.0, 0.5)
    #[pyo3(
        signature = (boxes, motions, dt, within, *, tolerance=None, against=None, against_motions=None, period=None, **rules),
        text_signature = "($self, boxes, motions, dt, within, *, tolerance=None, against=None, against_motions=None, period=None, owners=None, worlds=None, statics=None, active=None, margins=None, groups=None, excluded=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn approaches<'py>(
        &self,
        py: Python<'py>,
        boxes: &Bound<'py, PyAny>,
        motions: &Bound<'py, PyAny>,
        dt: &Bound<'py, PyAny>,
        within: &Bound<'py, PyAny>,
        tolerance: Option<&Bound<'py, PyAny>>,
        against: Option<&Bound<'py, PyAny>>,
        against_motions: Option<&Bound<'py, PyAny>>,
        period: Option<&Bound<'py, PyAny>>,
        rules: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let space = Space::of(period, false)?;
        let (step, within) = (step_of(dt, tolerance)?, read("within", within, "a distance")?);
        let mut moving = Moving::new((boxes, motions), [against, against_motions], rules)?;
        let ids = std::mem::take(&mut moving.ids);
        let [first, second] = moving.lengths();
        let found = self.with(py, moving.len(), move |checker, rooms| {
            let query = match moving.sets(rooms)? {
                (first, Some(second)) => ApproachQuery::between(first, second, &step, within),
                (set, None) => ApproachQuery::new(set, &step, within),
            };
            space.approaches(checker, query)
        });
        let (found, images) = found.map_err(about([first, second, ("within", 0)]))?;
        let all = &found.approaches;
        let pairs = pairs_array(py, all.iter().map(|one| one.pair).collect())?;
        let numbers =
            |number: &dyn Fn(&obbligato::motion::Approaching) -> f64| -> Vec<f64> { all.iter().map(number).collect() };
        let resolved: Vec<bool> = all.iter().map(|one| one.nearest.is_resolved).collect();
        let fields = PyDict::new(py);
        fields.set_item("boxes", found.boxes)?;
        fields.set_item("candidate_pairs", found.candidate_pairs)?;
        fields.set_item("pair_ids", ids.named(pairs.as_any())?)?;
        fields.set_item("pairs", pairs)?;
        fields.set_item("times", numbers(&|one| one.nearest.time).into_pyarray(py))?;
        fields.set_item("distances", numbers(&|one| one.nearest.distance).into_pyarray(py))?;
        fields.set_item("resolved", resolved.into_pyarray(py))?;
        fields.set_item("backend", backend(&found.engine))?;
        fields.set_item("milliseconds", found.timings.total)?;
        fields.set_item("images", images_array(py, images)?)?;
        result(py, "Approaches", &fields)
    }

    /// Locates bodies relative to a `Room` or a `ClosedMesh`: see `Enclosures`.
    ///
    /// >>> import obbligato
    /// >>> room = obbligato.Room([0, 0, 0], [6, 4, 2.5])
    /// >>> found = obbligato.Checker(backend="cpu").enclosures(room, obbligato.Spheres([[3, 2, 1, 0.5], [6, 2, 1, 0.5]]))
    /// >>> found.states.tolist(), found.walls.tolist()
    /// ([0, 1], [0, 2])
    fn enclosures<'py>(
        &self,
        py: Python<'py>,
        region: &Bound<'py, PyAny>,
        boxes: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let held = Held::new("boxes", boxes, None, Centers::OnlyF32)?;
        let lengths = [("boxes", held.len())];
        let fields = PyDict::new(py);
        if let Ok(mesh) = region.cast::<ClosedMesh>() {
            let mesh = mesh.get().mesh.clone();
            let found = self.with(py, held.len(), move |checker, [room, _]| {
                checker.check(Containment::new(&*mesh, held.shapes.bodies(room)?))
            });
            let found = found.map_err(about(lengths))?;
            let states: Vec<i8> = found.into_iter().map(number).collect();
            fields.set_item("states", states.into_pyarray(py))?;
            fields.set_item("walls", py.None())?;
        } else if let Ok(own) = region.cast::<Room>() {
            let own = own.get().room;
            let found = self.with(py, held.len(), move |checker, [room, _]| {
                checker.check(Containment::new(&own, held.shapes.bodies(room)?))
            });
            let found = found.map_err(about(lengths))?;
            let states: Vec<i8> = found.iter().map(|one| number(one.state)).collect();
            let walls: Vec<u8> = found.iter().map(|one| one.walls).collect();
            fields.set_item("states", states.into_pyarray(py))?;
            fields.set_item("walls", walls.into_pyarray(py))?;
        } else {
            return Err(PyTypeError::new_err(format!(
                "region is {}: give a Room or a ClosedMesh",
                shown(region)?
            )));
        }
        result(py, "Enclosures", &fields)
    }

    /// Finds where a mesh intersects itself: the pairs of its triangles that share more than the
    /// corners and edges that they have in common. `without_neighbours=True` leaves out all pairs
    /// with a common corner. Rules are those of `check`.
    ///
    /// >>> import obbligato
    /// >>> square = obbligato.Triangles.of([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    /// >>> checker = obbligato.Checker(backend="cpu")
    /// >>> checker.check_mesh(square).colliding_pairs, checker.check(square).colliding_pairs
    /// (0, 1)
    #[pyo3(
        signature = (triangles, *, without_neighbours=false, **rules),
        text_signature = "($self, triangles, *, without_neighbours=False, owners=None, worlds=None, statics=None, active=None, margins=None, groups=None, excluded=None)"
    )]
    fn check_mesh(
        &self,
        py: Python<'_>,
        triangles: &Bound<'_, PyAny>,
        without_neighbours: bool,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Report> {
        let mut held = Held::new("triangles", triangles, rules, Centers::OnlyF32)?;
        if held.shapes.triangles().is_none() {
            return Err(PyTypeError::new_err(
                "triangles is another kind of shapes: give Triangles",
            ));
        }
        let ids = Ids::of(&mut held, None);
        self.report(py, [("triangles", held.len())], ids, move |checker, [room, _]| {
            let set = held.set(room)?;
            checker.check(match without_neighbours {
                true => Query::mesh_without_neighbours(set),
                false => Query::mesh(set),
            })
        })
    }

    /// Finds the pairs of a body at rest and a mover that share a point at any time during a step
    /// of `dt` seconds, in time that depends only on the movers: see `Impacts`. In each pair, the
    /// first number is a position in the scene and the second a position in the movers.
    #[pyo3(
        signature = (scene, movers, motions, dt, *, tolerance=None, **rules),
        text_signature = "($self, scene, movers, motions, dt, *, tolerance=None, owners=None, worlds=None, statics=None, active=None, margins=None, groups=None, excluded=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn sweep_movers(
        &self,
        py: Python<'_>,
        scene: &Bound<'_, PyAny>,
        movers: &Bound<'_, PyAny>,
        motions: &Bound<'_, PyAny>,
        dt: &Bound<'_, PyAny>,
        tolerance: Option<&Bound<'_, PyAny>>,
        rules: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Impacts> {
        let step = step_of(dt, tolerance)?;
        let PreparedScene { scene, ids } = PreparedScene::of(scene)?;
        let mut held = Held::new("movers", movers, rules, Centers::OnlyF32)?;
        let moves = crate::motions::motions("motions", motions)?;
        expect_one_each("motions", held.len(), moves.len())?;
        let ids = Ids::between(ids.as_ref().map(|ids| ids.clone_ref(py)), held.ids.take());
        let scene = scene.clone();
        let size = held.len();
        let found = self.with(py, size, move |checker, [room, _]| {
            checker.check(Sweep::against(&scene, held.moving(room, &moves)?, &step))
        });
        Impacts::new(py, &found.map_err(about([("movers", size)]))?, None, ids)
    }
}
