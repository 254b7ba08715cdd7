//! Balls and capsules against each other and against boxes, at rest and in motion, without error.
//!
//! Each question is asked twice of one piece of code, a function over any [numbers](real::Real): first of `f64`s that know how far they
//! may be off; and, if some sign is not certain, of whole numbers of as many words as it takes.

pub(crate) mod answers;
pub(crate) mod bodies;
pub(crate) mod box_round_cpu;
pub(crate) mod capsules;
pub(crate) mod clearance;
pub(crate) mod closest;
#[cfg(test)]
mod decided;
mod distance;
pub(crate) mod filter;
pub(crate) mod grid_balls;
pub(crate) mod manifold;
pub(crate) mod real;
#[cfg(test)]
pub(crate) mod rewritten;
pub(crate) mod round_box;
pub(crate) mod round_round_cpu;
pub(crate) mod sphere_sphere_cpu;
mod spheres;
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

/// What the shaders that test round bodies have in common.
#[cfg(feature = "gpu")]
const SHARED: &[crate::device::kernel::File] = crate::device::kernel::files![
    "shared/pair.wgsl",
    "shared/common.wgsl",
    "shared/counted.wgsl",
    "shared/obb.wgsl",
    "shared/bodies.wgsl",
    "shared/candidates.wgsl",
    "shared/queues.wgsl",
    "shared/verdicts.wgsl",
    "narrow_phase/obb_obb/testing.wgsl",
    "narrow_phase/round/answers.wgsl",
    "narrow_phase/round/pairs.wgsl"
];
