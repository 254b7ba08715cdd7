//! Spheres, capsules, and swept spheres.

pub(crate) mod capsule;
pub(crate) mod lanes;
#[cfg(feature = "gpu")]
pub(crate) mod round_bounds;
pub(crate) mod round_bounds_cpu;
pub(crate) mod sphere;
pub(crate) mod swept_sphere;
