//! The contents of a mesh file.

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
    /// Notes on contents that are not in the triangles, or that deviate from the format.
    pub notes: Notes,
}
