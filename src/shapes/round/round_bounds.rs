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
            "shapes/round/capsule.wgsl",
            "shapes/round/bounds_around.wgsl",
            "shapes/round/capsule_bounds.wgsl"
        ],
        |params| params.box_end as u64..params.capsule_end as u64,
        |params| params.box_segment as u64,
    )
}

/// Spheres, which follow the capsules.
pub(crate) const fn sphere_bounds(hook: &'static BoundsHook) -> Kernel<Params> {
    hook.kernel(
        "sphere_bounds",
        files![
            "shapes/round/sphere.wgsl",
            "shapes/round/bounds_around.wgsl",
            "shapes/round/sphere_bounds.wgsl"
        ],
        |params| {
            let first = Params::UNITS * params.capsule_end as u64;
            first..first + (params.box_count - params.capsule_end) as u64
        },
        |params| Params::UNITS * params.box_segment as u64,
    )
}
