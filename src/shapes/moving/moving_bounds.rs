//! Declares `shaders/shapes/moving/moving_bounds.wgsl`.

use crate::device::kernel::{Kernel, files};
use crate::frame::hook::BoundsHook;
use crate::frame::params::Params;
use crate::frame::slots::BOXES;
use crate::shapes::moving::record::Moving;

// The shader uses one segment for half as many records.
const _: () = assert!(2 * BOXES.record == size_of::<Moving>() as u64);

/// Computes the bounds of the regions that boxes in motion sweep. The broad phase adds its hook.
pub(crate) const fn moving_bounds(hook: &'static BoundsHook) -> Kernel<Params> {
    let own = files!["shapes/moving/moving.wgsl", "shapes/moving/moving_bounds.wgsl"];
    hook.kernel(
        "moving_bounds",
        own,
        |params| 0..params.box_count as u64,
        |params| params.box_segment as u64 / 2,
    )
}
