//! Two axis-aligned bounds, tested for being within a margin.

#[cfg(feature = "gpu")]
pub(crate) mod aabb_within;
pub(crate) mod aabb_within_cpu;
