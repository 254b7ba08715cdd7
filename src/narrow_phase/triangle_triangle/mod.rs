//! Two triangles.

pub(crate) mod exact;
pub(crate) mod filter;
pub(crate) mod intersection;
mod measures;
#[cfg(test)]
mod rewritten;
#[cfg(feature = "gpu")]
pub(crate) mod triangle_pairs;
pub(crate) mod triangle_pairs_cpu;
