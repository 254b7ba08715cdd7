//! Two triangles.

pub(crate) mod exact;
pub(crate) mod filter;
pub(crate) mod intersection;
mod measures;
#[cfg(test)]
mod rewritten;
pub(crate) mod triangle_triangle_cpu;
