//! Exact tests of spheres and capsules against each other and against boxes, at rest and in motion.
//!
//! Each test is one function over any [numbers](real::Real), called at most twice: first with
//! `f64`s that know their error bounds; then, if some sign is not certain, with integers of as many
//! words as necessary.

pub(crate) mod answers;
pub(crate) mod bodies;
pub(crate) mod box_round_cpu;
pub(crate) mod capsules;
pub(crate) mod clearance;
pub(crate) mod closest;
#[cfg(test)]
mod decided;
pub(crate) mod distance;
pub(crate) mod filter;
pub(crate) mod grid_balls;
pub(crate) mod manifold;
pub(crate) mod real;
#[cfg(test)]
pub(crate) mod rewritten;
pub(crate) mod round_box;
pub(crate) mod round_round_cpu;
pub(crate) mod sphere_sphere_cpu;
pub(crate) mod spheres;
pub(crate) mod straight;
mod whole_step;

#[cfg(feature = "gpu")]
pub(crate) mod box_round;
#[cfg(feature = "gpu")]
pub(crate) mod round_closest;
#[cfg(feature = "gpu")]
pub(crate) mod round_manifold;
#[cfg(feature = "gpu")]
pub(crate) mod round_round;
#[cfg(feature = "gpu")]
pub(crate) mod sort_by_kinds;
#[cfg(feature = "gpu")]
pub(crate) mod sphere_sphere;

/// The files common to the shaders that test round bodies.
#[cfg(feature = "gpu")]
const SHARED: &[crate::device::kernel::File] = crate::device::kernel::files![
    "shared/pair.wgsl",
    "shared/common.wgsl",
    "shared/counted.wgsl",
    "shared/obb.wgsl",
    "shared/bodies.wgsl",
    "shared/candidates.wgsl",
    "shared/queues.wgsl",
    "shared/images.wgsl",
    "shared/verdicts.wgsl",
    "narrow_phase/obb_obb/testing.wgsl",
    "narrow_phase/round/answers.wgsl",
    "narrow_phase/round/pairs.wgsl"
];
