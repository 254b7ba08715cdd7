//! Declares `shaders/shapes/round/capsule_bounds.wgsl` and `sphere_bounds.wgsl`: bounds and
//! validation of the capsules and spheres among bodies of several kinds. The broad phase adds its
//! hooks.

use crate::device::kernel::{Kernel, files};
use crate::frame::hook::BoundsHook;
use crate::frame::params::Params;
use crate::frame::slots::BOXES;
use crate::shapes::round::capsule::Capsule;
use crate::shapes::round::sphere::Sphere;

const _: () = assert!(BOXES.record == size_of::<Capsule>() as u64);
const _: () = assert!(BOXES.record == Params::UNITS * size_of::<Sphere>() as u64);

/// Capsules, which follow the boxes.
pub(crate) const fn capsule_bounds(hook: &'static BoundsHook) -> Kernel<Params> {
    hook.kernel(
        "capsule_bounds",
        files![
            "shared/runs.wgsl",
            "shapes/round/capsule.wgsl",
            "shapes/round/bounds_around.wgsl",
            "shapes/round/capsule_bounds.wgsl"
        ],
        Params::capsules,
        |params| params.box_segment as u64,
    )
}

/// Spheres, which follow the capsules.
pub(crate) const fn sphere_bounds(hook: &'static BoundsHook) -> Kernel<Params> {
    hook.kernel(
        "sphere_bounds",
        files![
            "shared/runs.wgsl",
            "shapes/round/sphere.wgsl",
            "shapes/round/bounds_around.wgsl",
            "shapes/round/sphere_bounds.wgsl"
        ],
        Params::spheres,
        |params| Params::UNITS * params.box_segment as u64,
    )
}
