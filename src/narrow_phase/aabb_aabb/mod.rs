//! Two sets of bounds of which no more is known, and whether they are within a margin.

#[cfg(feature = "gpu")]
pub(crate) mod aabb_within;
pub(crate) mod aabb_within_cpu;
