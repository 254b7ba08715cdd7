//! Scenes of rigid meshes: which of them overlap, touch, contain one another or are near.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use obbligato::glam::{Quat, Vec3};
use obbligato::mesh::{MeshPair, MeshRelation, MeshScene};
use obbligato::shape::{Aabb, Pose};
use obbligato::{Error, Pair, Result};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;

use crate::arrays::{Numbers, pairs_array, pairs_of, read, rows_of_two, shape, table};
use crate::bodies::{Centers, Listed, Read};
use crate::checker::Checker;
use crate::errors::{about, raise};
use crate::questions::result;
use crate::rules::RuleLists;
use crate::settings::read as of;
use crate::threads::detached;

/// The numbers of a pose: translation and quaternion.
const POSE: usize = 7;

/// A triangle mesh that is prepared once, for a scene of any number of instances: see
/// `Checker.mesh_scene`. `triangles` is `Triangles`, in the mesh's own frame.
///
/// A closed mesh, in which every edge belongs to an even number of triangles, bounds a solid: the
/// points from which a ray crosses an odd number of triangles. An open one is a surface without an
/// inside.
///
/// >>> import obbligato
/// >>> a, b, c, d = [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]
/// >>> wedge = obbligato.MeshBody(obbligato.Triangles([[a, c, b], [a, b, d], [a, d, c], [b, c, d]]))
/// >>> wedge.is_closed, len(wedge)
/// (True, 4)
#[pyclass(frozen, module = "obbligato")]
pub struct MeshBody {
    mesh: Arc<obbligato::mesh::MeshBody>,
    /// The triangles that it was made from.
    made_from: Py<PyAny>,
}

#[pymethods]
impl MeshBody {
    #[new]
    fn new(py: Python<'_>, triangles: &Bound<'_, PyAny>) -> PyResult<Self> {
        let shapes = triangles_of("triangles", triangles)?;
        let size = shapes.len();
        let mesh = detached(py, size, move || {
            obbligato::mesh::MeshBody::new(shapes.triangles().unwrap_or_default())
        });
        Ok(Self {
            mesh: Arc::new(mesh.map_err(about([("triangles", size)]))?),
            made_from: triangles.clone().unbind(),
        })
    }

    /// Prepares a list of meshes, on all cores.
    #[staticmethod]
    fn from_each(py: Python<'_>, triangles: &Bound<'_, PyAny>) -> PyResult<Vec<Self>> {
        let each: Vec<Bound<'_, PyAny>> = of("triangles", triangles, "a list of Triangles, one for each mesh")?;
        let named = each.iter().enumerate();
        let lists = named.map(|(row, one)| triangles_of(&format!("triangles[{row}]"), one));
        let lists = lists.collect::<PyResult<Vec<_>>>()?;
        let size = lists.iter().map(Listed::len).sum();
        let made = detached(py, size, move || Ok(of_lists(&lists)))?;
        let made = made.map_err(|(row, error)| {
            let name = format!("triangles[{row}]");
            about([(&*name, each[row].len().unwrap_or(0))])(raise(error))
        })?;
        let body = |(mesh, one): (_, &Bound<'_, PyAny>)| Self {
            mesh: Arc::new(mesh),
            made_from: one.clone().unbind(),
        };
        Ok(made.into_iter().zip(&each).map(body).collect())
    }

    /// True if it bounds a solid.
    #[getter]
    fn is_closed(&self) -> bool {
        self.mesh.is_closed()
    }

    /// (6,) float32: the bounds of its triangles in its own frame, min x y z and max x y z.
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        let Aabb { min, max } = self.mesh.bounds();
        [min.to_array(), max.to_array()].concat().into_pyarray(py)
    }

    /// Returns the number of triangles.
    fn __len__(&self) -> usize {
        self.mesh.triangles().len()
    }

    fn __repr__(&self) -> String {
        let kind = if self.is_closed() { "closed" } else { "open" };
        format!("<MeshBody: {} triangles, {kind}>", self.__len__())
    }

    /// For pickle.
    fn __getnewargs__(&self, py: Python<'_>) -> (Py<PyAny>,) {
        (self.made_from.clone_ref(py),)
    }
}

/// The triangles in an argument.
pub fn triangles_of(what: &str, object: &Bound<'_, PyAny>) -> PyResult<Listed> {
    match Read::new(what, object, Centers::OnlyF32)?.shapes {
        shapes @ Listed::Triangles(_) => Ok(shapes),
        _ => Err(PyTypeError::new_err(format!(
            "{what} is another kind of shapes: give Triangles"
        ))),
    }
}

/// The mesh of each list of triangles, or the first list that none can be made of, and why.
fn of_lists(lists: &[Listed]) -> std::result::Result<Vec<obbligato::mesh::MeshBody>, (usize, Error)> {
    let made: Vec<Result<_>> = lists
        .par_iter()
        .map(|list| obbligato::mesh::MeshBody::new(list.triangles().unwrap_or_default()))
        .collect();
    let numbered = made.into_iter().enumerate();
    numbered.map(|(row, made)| made.map_err(|error| (row, error))).collect()
}

#[pymethods]
impl Checker {
    /// Finds all pairs of meshes that share a point or are near, and how they lie relative to each
    /// other: see `MeshPairs`.
    ///
    /// `meshes` is a list of `MeshBody`, one for each instance, in which one may be repeated.
    /// `poses` is (N, 7) float32, a row per instance: translation x y z in the caller's unit, and
    /// the unit quaternion x y z w that rotates it into the world. Without it all frames are that
    /// of the world. A pair is decided exactly in the frame of its first instance, where corners of
    /// the second are rounded once to float32. With the checker's `margin`, pairs that share no
    /// point are also found if their surfaces are no further apart.
    ///
    /// With `pairs`, positions of instances, only these are decided, in their order. Rules are
    /// those of `check`, with one entry for each instance. `margins` add to the checker's: a mesh
    /// of one triangle whose corners are one point, or two, is a sphere or a capsule whose radius
    /// is its margin.
    ///
    /// >>> import obbligato
    /// >>> a, b, c, d = [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]
    /// >>> wedge = obbligato.MeshBody(obbligato.Triangles([[a, c, b], [a, b, d], [a, d, c], [b, c, d]]))
    /// >>> poses = [[x, 0, 0, 0, 0, 0, 1] for x in (0, 0.5, 1.5, 2.75)]
    /// >>> found = obbligato.Checker(backend="cpu", margin=0.25).mesh_scene([wedge] * 4, poses)
    /// >>> found.pairs.tolist(), found.relations.tolist(), found.distances.tolist()
    /// ([[0, 1], [1, 2], [2, 3]], [0, 1, 4], [0.0, 0.0, 0.25])
    #[pyo3(
        signature = (meshes, poses=None, *, pairs=None, **rules),
        text_signature = "($self, meshes, poses=None, *, pairs=None, owners=None, worlds=None, statics=None, active=None, margins=None, groups=None, excluded=None)"
    )]
    fn mesh_scene<'py>(
        &self,
        py: Python<'py>,
        meshes: &Bound<'py, PyAny>,
        poses: Option<&Bound<'py, PyAny>>,
        pairs: Option<&Bound<'py, PyAny>>,
        rules: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let meshes: Vec<PyRef<'py, MeshBody>> = of("meshes", meshes, "a list of MeshBody, one for each instance")?;
        let bodies: Vec<_> = meshes.iter().map(|one| one.mesh.clone()).collect();
        let poses = poses.map(|poses| poses_of(poses, bodies.len())).transpose()?;
        let pairs = pairs.map(|pairs| rows_of_two("pairs", pairs)).transpose()?;
        let rules = RuleLists::new(rules)?;
        let size = bodies.iter().map(|mesh| mesh.triangles().len()).sum();
        let lengths = [(if poses.is_some() { "poses" } else { "meshes" }, bodies.len())];
        let found = self.with(py, size, move |checker, _| {
            let pose_of = |row| poses.as_ref().map_or(Pose::IDENTITY, |numbers| pose_at(numbers, row));
            let numbered = bodies.iter().enumerate();
            let scene: Vec<_> = numbered.map(|(row, mesh)| mesh.at(pose_of(row))).collect();
            let question = match &pairs {
                Some(pairs) => MeshScene::pairs(&scene, pairs_of(pairs)),
                None => MeshScene::new(&scene),
            };
            checker.check(question.with(rules.rules()))
        });
        answer(py, &found.map_err(about(lengths))?)
    }
}

/// The numbers of the poses of `size` instances.
fn poses_of(poses: &Bound<'_, PyAny>, size: usize) -> PyResult<Numbers<f32>> {
    let array = read("floats", "poses", poses)?;
    match shape(&array)?[..] {
        [rows, POSE] if rows == size => Numbers::of(&array),
        [0] if size == 0 => Numbers::of(&array),
        _ => Err(PyValueError::new_err(format!(
            "poses has the shape {}: give ({size}, {POSE}), one row per instance (translation x y z, quaternion x y z w)",
            array.getattr("shape")?
        ))),
    }
}

fn pose_at(numbers: &[f32], row: usize) -> Pose {
    let (translation, rotation) = numbers[row * POSE..(row + 1) * POSE].split_at(3);
    Pose::new(Vec3::from_slice(translation), Quat::from_slice(rotation))
}

fn answer<'py>(py: Python<'py>, found: &[MeshPair]) -> PyResult<Bound<'py, PyAny>> {
    let relations: Vec<i8> = found.iter().map(|one| number(one.relation)).collect();
    let distances: Vec<f64> = found.iter().map(|one| one.distance).collect();
    let named = |pair: Option<Pair>| pair.map_or([-1; 2], |pair| [pair.a, pair.b].map(i64::from));
    let fields = PyDict::new(py);
    fields.set_item("pairs", pairs_array(py, found.iter().map(|one| one.pair).collect())?)?;
    fields.set_item("relations", relations.into_pyarray(py))?;
    let triangles: Vec<[i64; 2]> = found.iter().map(|one| named(one.triangles)).collect();
    fields.set_item("triangles", table(py, triangles)?)?;
    fields.set_item("distances", distances.into_pyarray(py))?;
    result(py, "MeshPairs", &fields)
}

/// The number of a relation: its position in `MeshPairs.RELATIONS`.
fn number(relation: MeshRelation) -> i8 {
    match relation {
        MeshRelation::Overlap => 0,
        MeshRelation::Touch => 1,
        MeshRelation::AContainsB => 2,
        MeshRelation::BContainsA => 3,
        MeshRelation::Near => 4,
    }
}
