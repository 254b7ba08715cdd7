//! What a mesh file holds.

use glam::DVec3;

use crate::mesh::notes::Notes;
use obbligato::Triangle;

/// The triangles of a mesh file, and notes on what else there is. From [`read_mesh`](crate::read_mesh).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MeshFile {
    /// The triangles in the order of the file, degenerate ones among them.
    pub triangles: Vec<Triangle>,
    /// What was subtracted from all coordinates, in `f64`, before they were rounded to `f32`: 0 unless the mesh is so far from the origin of
    /// coordinates that rounding would move corners by more than a millionth of its extent. Numbers that are `f32` in the file stay exact.
    pub origin: DVec3,
    /// What is not in the triangles, and what is read although the format has it otherwise.
    pub notes: Notes,
}
