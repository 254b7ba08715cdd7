//! Declares `shaders/shapes/aabb/aabb_bounds.wgsl`.

use crate::device::kernel::{Kernel, files};
use crate::frame::hook::BoundsHook;
use crate::frame::params::Params;
use crate::frame::slots::BOXES;
use crate::geometry::aabb::Aabb;

// The shader uses one segment for twice as many records.
const _: () = assert!(BOXES.record == 2 * size_of::<Aabb>() as u64);

/// Validates the caller's own bounds. The broad phase adds its hook.
pub(crate) const fn aabb_bounds(hook: &'static BoundsHook) -> Kernel<Params> {
    let own = files!["shapes/aabb/aabb.wgsl", "shapes/aabb/aabb_bounds.wgsl"];
    hook.kernel(
        "aabb_bounds",
        own,
        |params| 0..params.box_count as u64,
        |params| 2 * params.box_segment as u64,
    )
}
