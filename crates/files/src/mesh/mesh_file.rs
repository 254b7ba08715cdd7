//! The contents of a mesh file.

use std::ops::Range;

use glam::DVec3;

use crate::mesh::notes::Notes;
use obbligato::shape::Triangle;

/// The triangles of a mesh file, and notes on its other contents. Comes from
/// [`read_mesh`](crate::read_mesh).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MeshFile {
    /// The triangles in the order of the file, including degenerate ones.
    pub triangles: Vec<Triangle>,
    /// The point subtracted from all coordinates, in `f64`, before they were rounded to `f32`: 0
    /// unless the mesh is so far from the origin of coordinates that rounding would move corners by
    /// more than a millionth of its extent. Numbers that are `f32` in the file stay exact.
    pub origin: DVec3,
    /// The named parts of the file, in its order: the nodes of glTF with their triangles, and the
    /// objects of an OBJ file, or its groups if it has no objects. Empty for other formats.
    /// Together they have all triangles.
    pub parts: Vec<MeshPart>,
    /// Notes on contents that are not in the triangles, or that deviate from the format.
    pub notes: Notes,
}

/// A part of a mesh file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeshPart {
    /// Its name; of a node without one its number, from 0, as in `node 7`.
    pub name: String,
    /// The positions of its triangles.
    pub triangles: Vec<Range<usize>>,
}
