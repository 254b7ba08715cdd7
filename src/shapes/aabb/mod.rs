//! Axis-aligned boxes as a shape: bounds of which no more is known.

#[cfg(feature = "gpu")]
pub(crate) mod aabb_bounds;
pub(crate) mod aabb_bounds_cpu;
