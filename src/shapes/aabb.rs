//! Axis-aligned boxes as a shape: bounds without further information.

#[cfg(feature = "gpu")]
pub(crate) mod aabb_bounds;
pub(crate) mod aabb_bounds_cpu;
