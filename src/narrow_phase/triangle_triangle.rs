//! Two triangles.

pub(crate) mod exact;
pub(crate) mod filter;
pub(crate) mod intersection;
mod measures;
mod neighbours;
mod neighbours_cpu;
#[cfg(test)]
mod rewritten;
#[cfg(feature = "gpu")]
pub(crate) mod triangle_pairs;
pub(crate) mod triangle_pairs_cpu;
mod vectors;
