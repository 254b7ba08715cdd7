//! Two triangles.

pub(crate) mod exact;
pub(crate) mod filter;
mod measures;
pub(crate) mod triangle_triangle_cpu;
