//! What a mesh file holds.

use crate::shapes::triangle::record::Triangle;

/// The triangles of a mesh file, and how much there is beside them. From [`read_mesh`](crate::files::read_mesh).
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MeshFile {
    /// The triangles in the order of the file, degenerate ones among them.
    pub triangles: Vec<Triangle>,
    /// Points that are drawn as such. Vertices that nothing uses do not count.
    pub points: u64,
    /// Lines from point to point.
    pub lines: u64,
    /// Meshes of a glTF file that no node places anywhere.
    pub unplaced: u64,
}
