//! Trees of bounds, for rays, points and boxes.

use std::sync::{Arc, PoisonError, RwLock};

use numpy::{IntoPyArray, PyArray2};
use obbligato::error::BoxProblem;
use obbligato::glam::Vec3;
use obbligato::shape::{Aabb, COORDINATE_LIMIT, Triangle};
use obbligato::tree::{Bvh, BvhBuild, Lists, Ray};
use obbligato::{Capsule, Error, Obb, Result, Sphere};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;

use crate::arrays::{Numbers, bounds_of, pairs_array, points_of, read, shape};
use crate::bodies::{Centers, Listed, Read, Room};
use crate::errors::{about, own_argument};
use crate::questions::result;
use crate::settings::{chosen, read as of};
use crate::threads::detached;

/// A tree of the bounds of bodies, which answers questions by rays, points and boxes.
///
/// Bodies are shapes of any kind but `Solids`, named by their positions. All answers are about
/// their bounds in float32: those of `Bounds`, spheres and triangles are the smallest, those of
/// other bodies are wider by at most about 1e-5 of their size and 1e-6 of their coordinates. Bounds
/// are closed: what touches them meets them. Rules of bodies do not apply.
///
/// `build` is the method of building: "surface", the fastest for questions, "morton", the fastest
/// to build, or "octree", between the two. All give the same answers.
///
/// >>> import obbligato
/// >>> tree = obbligato.Tree(obbligato.Bounds([[x, 0, 0, x + 1, 1, 1] for x in (0, 3, 0.5, 7)]))
/// >>> tree.pairs().tolist(), tree.containing([[0.75, 0.5, 0.5]]).row(0).tolist()
/// ([[0, 2]], [0, 2])
/// >>> hits = tree.first_hits([[10, 0.5, 0.5, -1, 0, 0], [0, 9, 0, 1, 0, 0]])
/// >>> hits.positions.tolist(), hits.t.tolist()
/// ([3, -1], [2.0, inf])
#[pyclass(frozen, module = "obbligato")]
pub struct Tree(Arc<RwLock<Bvh>>);

impl Tree {
    /// Asks a question about `size` entries of the argument `what`.
    fn ask<T: Send + 'static>(
        &self,
        py: Python<'_>,
        (what, size): (&str, usize),
        answer: impl FnOnce(&Bvh) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let tree = self.0.clone();
        let work = move || answer(&tree.read().unwrap_or_else(PoisonError::into_inner));
        detached(py, size, work).map_err(about([(what, size)]))
    }

    fn read<T>(&self, py: Python<'_>, get: impl Fn(&Bvh) -> T + Send + Sync) -> T
    where
        T: Send,
    {
        py.detach(|| get(&self.0.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[pymethods]
impl Tree {
    #[new]
    #[pyo3(signature = (boxes, *, build=None), text_signature = "(boxes, *, build='surface')")]
    fn new(py: Python<'_>, boxes: &Bound<'_, PyAny>, build: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let name = build.map(|build| of::<String>("build", build, "a text"));
        let all = [
            ("surface", BvhBuild::Surface),
            ("morton", BvhBuild::Morton),
            ("octree", BvhBuild::Octree),
        ];
        let build = chosen("build", name.transpose()?.as_deref().unwrap_or("surface"), all)?;
        let listed = Read::new("boxes", boxes, Centers::OnlyF32)?.shapes;
        let size = listed.len();
        let tree = detached(py, size, move || Bvh::built(&bounds_of_each(&listed)?, build));
        Ok(Self(Arc::new(RwLock::new(tree.map_err(about([("boxes", size)]))?))))
    }

    /// Finds the first body that each ray meets. A ray is a row of 6 or 7 numbers, float32: origin,
    /// direction, and the largest t. Its points are origin + t * direction, from t = 0; directions
    /// have any length but 0. See `FirstHits`.
    ///
    /// Whether a ray meets bounds is decided exactly. If it enters several at the same t, the first
    /// of them is found.
    fn first_hits<'py>(&self, py: Python<'py>, rays: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let rays = rays_of(rays)?;
        let hits = self.ask(py, ("rays", rays.len()), move |tree| tree.first_hits(&rays))?;
        let positions: Vec<i64> = hits.iter().map(|hit| hit.map_or(-1, |hit| hit.index.into())).collect();
        let t: Vec<f32> = hits.iter().map(|hit| hit.map_or(f32::INFINITY, |hit| hit.t)).collect();
        let fields = PyDict::new(py);
        fields.set_item("positions", positions.into_pyarray(py))?;
        fields.set_item("t", t.into_pyarray(py))?;
        result(py, "FirstHits", &fields)
    }

    /// Finds all bodies that each ray meets, in the order in which it enters their bounds: see
    /// `Hits`. Rays are those of `first_hits`.
    ///
    /// >>> import obbligato
    /// >>> tree = obbligato.Tree(obbligato.Spheres([[x, 0, 0, 1] for x in (9, 3, 6)]))
    /// >>> hits = tree.all_hits([[0, 0, 0, 1, 0, 0, 99], [0, 0, 0, 2, 0, 0, 2.5]])
    /// >>> hits.row(0).tolist(), hits.row(1).tolist(), hits.t_of(1).tolist()
    /// ([1, 2, 0], [1, 2], [1.0, 2.5])
    fn all_hits<'py>(&self, py: Python<'py>, rays: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let rays = rays_of(rays)?;
        let hits = self.ask(py, ("rays", rays.len()), move |tree| tree.all_hits_each(&rays))?;
        let fields = fields_of(py, &hits, |hit| hit.index)?;
        let t: Vec<f32> = hits.items().iter().map(|hit| hit.t).collect();
        fields.set_item("t", t.into_pyarray(py))?;
        result(py, "Hits", &fields)
    }

    /// Finds the bodies whose bounds contain each of some points, (Q, 3) float32: see `Lists`.
    fn containing<'py>(&self, py: Python<'py>, points: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let points = points_of("points", points)?;
        let size = ("points", points.len() / 3);
        let found = self.ask(py, size, move |tree| {
            tree.containing_each(bytemuck::cast_slice(&points))
        })?;
        result(py, "Lists", &fields_of(py, &found, |index| *index)?)
    }

    /// Finds the bodies whose bounds share a point with each of some others, (Q, 6) float32, the
    /// corners min x y z and max x y z, or `Bounds`: see `Lists`.
    fn overlapping<'py>(&self, py: Python<'py>, bounds: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let bounds = bounds_of("bounds", bounds)?;
        let size = ("bounds", bounds.len() / 6);
        let found = self.ask(py, size, move |tree| {
            tree.overlapping_each(bytemuck::cast_slice(&bounds))
        })?;
        result(py, "Lists", &fields_of(py, &found, |index| *index)?)
    }

    /// Finds the bodies whose bounds are within a distance, in the caller's unit, of each of some
    /// points, (Q, 3) float32: see `Lists`.
    fn within<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        distance: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let points = points_of("points", points)?;
        let distance: f32 = of("distance", distance, "a number")?;
        if !(0.0..=COORDINATE_LIMIT).contains(&distance) {
            let message = format!("{distance} is not a distance: give a number from 0 to {COORDINATE_LIMIT:e}");
            return Err(own_argument(py, ("distance", None), "InvalidMargin", &message));
        }
        let size = ("points", points.len() / 3);
        let found = self.ask(py, size, move |tree| {
            tree.within_each(bytemuck::cast_slice(&points), distance)
        })?;
        result(py, "Lists", &fields_of(py, &found, |index| *index)?)
    }

    /// Finds the `count` bodies whose bounds are nearest to each of some points, (Q, 3) float32, or
    /// all if there are fewer: see `Neighbours`. The distance is 0 in the bounds. Those at the same
    /// distance are in ascending order.
    ///
    /// >>> import obbligato
    /// >>> tree = obbligato.Tree(obbligato.Bounds([[x, 0, 0, x + 1, 1, 1] for x in (0, 3, 7)]))
    /// >>> near = tree.nearest([[6, 0, 0]], count=2)
    /// >>> near.row(0).tolist(), near.distances_of(0).tolist()
    /// ([2, 1], [1.0, 2.0])
    #[pyo3(signature = (points, count=None), text_signature = "($self, points, count=1)")]
    fn nearest<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        count: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let points = points_of("points", points)?;
        let count = count.map_or(Ok(1), |count| of("count", count, "a number of bodies"))?;
        let size = ("points", points.len() / 3);
        let near = self.ask(py, size, move |tree| {
            tree.nearest_few_each(bytemuck::cast_slice(&points), count)
        })?;
        let distances: Vec<f64> = near.items().iter().map(|one| one.distance.into()).collect();
        let fields = PyDict::new(py);
        fields.set_item("offsets", offsets(&near).into_pyarray(py))?;
        let neighbours: Vec<u32> = near.items().iter().map(|one| one.index).collect();
        fields.set_item("neighbours", neighbours.into_pyarray(py))?;
        fields.set_item("distances", distances.into_pyarray(py))?;
        fields.set_item("cut", vec![false; near.len()].into_pyarray(py))?;
        result(py, "Neighbours", &fields)
    }

    /// Finds the pairs of bodies whose bounds share a point, (P, 2) uint32, sorted.
    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let pairs = self.ask(py, ("boxes", self.__len__(py)), Bvh::pairs)?;
        pairs_array(py, pairs)
    }

    /// Moves every body to its new place: `boxes` has as many, in the same order. That is several
    /// times as fast as a new tree. Answers stay correct wherever the bodies go, but take longer
    /// the further former neighbours have moved apart: see `cost`.
    fn refit(&self, py: Python<'_>, boxes: &Bound<'_, PyAny>) -> PyResult<()> {
        let listed = Read::new("boxes", boxes, Centers::OnlyF32)?.shapes;
        let (size, tree) = (listed.len(), self.0.clone());
        let work = move || {
            let bounds = bounds_of_each(&listed)?;
            tree.write().unwrap_or_else(PoisonError::into_inner).refit(&bounds)
        };
        detached(py, size, work).map_err(about([("boxes", size)]))
    }

    /// The mean number of nodes that a line through the tree visits. Lower is better: at twice the
    /// cost of a new tree, after `refit`, a new one usually pays.
    #[getter]
    fn cost(&self, py: Python<'_>) -> f64 {
        self.read(py, Bvh::cost)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.read(py, Bvh::len)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<Tree: {} bodies>", self.__len__(py))
    }
}

/// The start of each list, and the end of the last one.
fn offsets<T>(lists: &Lists<T>) -> Vec<u64> {
    lists.starts().iter().map(|&start| start as u64).collect()
}

/// The fields of a result of lists.
fn fields_of<'py, T>(py: Python<'py>, lists: &Lists<T>, position: impl Fn(&T) -> u32) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("offsets", offsets(lists).into_pyarray(py))?;
    let positions: Vec<u32> = lists.items().iter().map(position).collect();
    fields.set_item("positions", positions.into_pyarray(py))?;
    Ok(fields)
}

/// The rays of rows.
fn rays_of(rays: &Bound<'_, PyAny>) -> PyResult<Vec<Ray>> {
    let array = read("floats", "rays", rays)?;
    let width = match shape(&array)?[..] {
        [0] => 6,
        [_, width @ (6 | 7)] => width,
        _ => {
            return Err(PyValueError::new_err(format!(
                "rays has the shape {}: give (R, 6) or (R, 7), one row per ray (origin x y z, direction x y z, largest t)",
                array.getattr("shape")?
            )));
        }
    };
    let numbers: Numbers<f32> = Numbers::of(&array)?;
    let ray = |row: &[f32]| {
        let ray = Ray::new(Vec3::from_slice(&row[..3]), Vec3::from_slice(&row[3..6]));
        row.get(6).map_or(ray, |&limit| ray.up_to(limit))
    };
    Ok(numbers.chunks_exact(width).map(ray).collect())
}

/// The bounds of each shape.
fn bounds_of_each(listed: &Listed) -> Result<Vec<Aabb>> {
    if let Listed::Bounds(numbers) = listed {
        return Ok(bytemuck::cast_slice(numbers).to_vec());
    }
    if let Some(triangles) = listed.triangles() {
        validate(triangles, Triangle::problem, |index, problem, count| {
            Error::InvalidTriangle { index, problem, count }
        })?;
        return Ok(triangles.par_iter().map(Triangle::bounds).collect());
    }
    let mut room = Room::default();
    let bodies = listed.bodies(&mut room)?;
    validate_boxes(bodies.boxes)?;
    let body = |kind, first: usize| {
        move |index, problem, count| Error::InvalidBody {
            index: first + index,
            kind,
            problem,
            count,
        }
    };
    let first = bodies.boxes.len();
    validate(bodies.capsules, Capsule::problem, body("capsule", first))?;
    let first = first + bodies.capsules.len();
    validate(bodies.spheres, Sphere::problem, body("sphere", first))?;
    let mut bounds: Vec<Aabb> = bodies.boxes.par_iter().map(Obb::bounds).collect();
    bounds.par_extend(bodies.capsules.par_iter().map(Capsule::bounds));
    bounds.par_extend(bodies.spheres.par_iter().map(Sphere::bounds));
    Ok(bounds)
}

/// Returns an error if one of the boxes is invalid.
pub fn validate_boxes(boxes: &[Obb]) -> Result<()> {
    validate(boxes, Obb::problem, |index, problem, count| Error::InvalidBox {
        index,
        problem,
        count,
    })
}

/// Returns the error about the first invalid shape, its problem, and the number of invalid ones.
fn validate<T: Sync>(
    shapes: &[T],
    problem: impl Fn(&T) -> Option<BoxProblem> + Sync,
    error: impl Fn(usize, BoxProblem, usize) -> Error,
) -> Result<()> {
    let invalid = shapes.par_iter().enumerate();
    let invalid = invalid.filter_map(|(index, shape)| Some((index, problem(shape)?)));
    let all: Vec<(usize, BoxProblem)> = invalid.collect();
    match all.first() {
        Some(&(index, problem)) => Err(error(index, problem, all.len())),
        None => Ok(()),
    }
}
