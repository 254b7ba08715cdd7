//! Triangles. A mesh is a list of them.

pub(crate) mod lanes;
pub(crate) mod open_edges;
pub(crate) mod point;
pub(crate) mod record;
pub(crate) mod set;
#[cfg(feature = "gpu")]
pub(crate) mod triangle_bounds;
pub(crate) mod triangle_bounds_cpu;
pub(crate) mod volume_part;
