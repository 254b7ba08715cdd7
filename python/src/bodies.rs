//! Lists of shapes of any kind in the form of numpy arrays, and the records that the engine reads.

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::shape::{Aabb, Shapes, Triangle, Upright};
use obbligato::{Bodies, Capsule, Error, Obb, Obb64, Result, Sphere};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::Numbers;
use crate::boxes::{Boxes, fill};
use crate::errors::{about, raise};

/// The numbers of a capsule in a row: center, half length, quaternion x y z w, radius.
const CAPSULE: usize = 9;
/// The numbers of a sphere in a row: center, radius.
const SPHERE: usize = 4;
/// The numbers of an upright cuboid in a row: four corners in plan, lowest and highest z.
const UPRIGHT: usize = 10;
/// The numbers of bounds in a row: both corners.
const BOUNDS: usize = 6;
/// The numbers of a triangle in a row: three corners.
const TRIANGLE: usize = 9;

/// The numbers of capsules as rows.
pub fn capsule_rows(capsules: &[Capsule]) -> Vec<[f32; CAPSULE]> {
    let row = |one: &Capsule| {
        let ([cx, cy, cz], [qx, qy, qz, qw]) = (one.center.to_array(), one.rotation.to_array());
        [cx, cy, cz, one.half_length, qx, qy, qz, qw, one.radius]
    };
    capsules.iter().map(row).collect()
}

/// The numbers of spheres as rows.
pub fn sphere_rows(spheres: &[Sphere]) -> Vec<[f32; SPHERE]> {
    let row = |one: &Sphere| {
        let [cx, cy, cz] = one.center.to_array();
        [cx, cy, cz, one.radius]
    };
    spheres.iter().map(row).collect()
}

/// Shapes of one list, kept alive.
pub enum Listed {
    /// Boxes, capsules and spheres, numbered in this order.
    Bodies {
        boxes: Boxes,
        capsules: Numbers<f32>,
        spheres: Numbers<f32>,
    },
    /// Upright cuboids.
    Uprights(Vec<Upright>),
    /// Bounds.
    Bounds(Numbers<f32>),
    /// Triangles.
    Triangles(Numbers<f32>),
}

/// Shapes with the other columns of their table.
pub struct Read<'py> {
    pub shapes: Listed,
    /// Their ids, an array of any numbers or texts.
    pub ids: Option<Py<PyAny>>,
    /// The rules in the columns of the table.
    pub rules: Bound<'py, PyDict>,
}

/// The precision of centers that a call accepts.
#[derive(Clone, Copy, PartialEq)]
pub enum Centers {
    OnlyF32,
    F64Too,
}

/// Memory for the records of rows, kept from call to call: allocating it takes as long as writing
/// the records.
#[derive(Default)]
pub struct Room {
    pub boxes: Vec<Obb>,
    pub boxes64: Vec<Obb64>,
    capsules: Vec<Capsule>,
}

/// A list as `_shapes.py` returns it: its kind, its arrays, ids and rules.
type Parts<'py> = (String, Vec<Bound<'py, PyAny>>, Option<Py<PyAny>>, Bound<'py, PyDict>);

impl<'py> Read<'py> {
    /// The shapes in `object`, which errors call `what`.
    pub fn new(what: &str, object: &Bound<'py, PyAny>, centers: Centers) -> PyResult<Self> {
        let read = object.py().import("obbligato._shapes")?.getattr("parts")?;
        let (kind, arrays, ids, rules): Parts<'py> =
            read.call1((what, object, centers == Centers::F64Too))?.extract()?;
        let shapes = match (&kind[..], &arrays[..]) {
            ("bodies", [boxes, capsules, spheres]) => Listed::Bodies {
                boxes: Boxes::of(boxes)?,
                capsules: Numbers::of(capsules)?,
                spheres: Numbers::of(spheres)?,
            },
            ("uprights", [rows]) => {
                let rows: Numbers<f64> = Numbers::of(rows)?;
                let cuboids = Upright::from_rows(rows.as_chunks::<UPRIGHT>().0);
                Listed::Uprights(cuboids.map_err(raise).map_err(about([(what, usize::MAX)]))?)
            }
            ("bounds", [rows]) => Listed::Bounds(Numbers::of(rows)?),
            ("triangles", [rows]) => Listed::Triangles(Numbers::of(rows)?),
            _ => return Err(PyTypeError::new_err(format!("{what} is not a list of shapes"))),
        };
        Ok(Self { shapes, ids, rules })
    }

    /// The boxes, for a call that takes nothing else.
    pub fn boxes(self, what: &str) -> PyResult<Boxes> {
        match self.shapes {
            Listed::Bodies {
                boxes,
                capsules,
                spheres,
            } if capsules.is_empty() && spheres.is_empty() => Ok(boxes),
            _ => Err(PyTypeError::new_err(format!(
                "{what} has shapes other than boxes, which this call does not accept: give boxes"
            ))),
        }
    }
}

impl Listed {
    /// The number of shapes.
    pub fn len(&self) -> usize {
        match self {
            Self::Bodies {
                boxes,
                capsules,
                spheres,
            } => boxes.len() + capsules.len() / CAPSULE + spheres.len() / SPHERE,
            Self::Uprights(cuboids) => cuboids.len(),
            Self::Bounds(numbers) => numbers.len() / BOUNDS,
            Self::Triangles(numbers) => numbers.len() / TRIANGLE,
        }
    }

    /// The triangles, if that is what they are.
    pub fn triangles(&self) -> Option<&[Triangle]> {
        match self {
            Self::Triangles(numbers) => Some(bytemuck::cast_slice(numbers)),
            _ => None,
        }
    }

    /// The centers of boxes in `f64`.
    pub fn centers(&self) -> Option<Vec<DVec3>> {
        let Self::Bodies {
            boxes: Boxes::Doubles(rows),
            ..
        } = self
        else {
            return None;
        };
        let rows = rows.as_chunks::<{ crate::boxes::COLUMNS }>().0;
        Some(rows.iter().map(|row| DVec3::new(row[0], row[1], row[2])).collect())
    }

    /// The shapes in the form of any question: the caller's memory if it has the layout of records,
    /// else copies in `room`.
    pub fn shapes<'a>(&'a self, room: &'a mut Room) -> Result<Shapes<'a>> {
        Ok(match self {
            Self::Bodies { boxes, .. } if boxes.are_doubles() => boxes.records64(&mut room.boxes64)?.into(),
            Self::Bodies { .. } => self.bodies(room)?.into(),
            Self::Uprights(cuboids) => cuboids.into(),
            Self::Bounds(numbers) => bytemuck::cast_slice::<f32, Aabb>(numbers).into(),
            Self::Triangles(numbers) => bytemuck::cast_slice::<f32, Triangle>(numbers).into(),
        })
    }

    /// The bodies, for questions about nothing else. Centers in `f64` are rounded.
    pub fn bodies<'a>(&'a self, room: &'a mut Room) -> Result<Bodies<'a>> {
        self.bodies_from(DVec3::ZERO, room)
    }

    /// The bodies, but centers in `f64` are relative to `origin` before they are rounded.
    pub fn bodies_from<'a>(&'a self, origin: DVec3, room: &'a mut Room) -> Result<Bodies<'a>> {
        match self {
            Self::Bodies {
                boxes,
                capsules,
                spheres,
            } => Ok(Bodies {
                boxes: boxes.records_from(origin, &mut room.boxes)?,
                capsules: fill(&mut room.capsules, capsules.as_chunks().0, capsule)?,
                spheres: bytemuck::cast_slice::<f32, Sphere>(spheres),
            }),
            Self::Uprights(cuboids) => {
                room.boxes = Upright::to_boxes(cuboids)?;
                Ok(room.boxes.as_slice().into())
            }
            _ => Err(Error::Unavailable {
                what: "this question about bounds or triangles",
                hint: "give boxes, capsules, spheres or upright cuboids",
            }),
        }
    }
}

fn capsule(&[cx, cy, cz, half_length, qx, qy, qz, qw, radius]: &[f32; CAPSULE]) -> Capsule {
    let rotation = Quat::from_xyzw(qx, qy, qz, qw);
    Capsule::new(Vec3::new(cx, cy, cz), half_length, rotation, radius)
}
