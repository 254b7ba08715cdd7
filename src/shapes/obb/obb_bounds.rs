//! Declares `shaders/shapes/obb/obb_bounds.wgsl`.

use crate::device::kernel::{Kernel, files};
use crate::frame::hook::BoundsHook;
use crate::frame::params::Params;
use crate::frame::slots::BOXES;
use crate::shapes::obb::record::Obb;

const _: () = assert!(BOXES.record == size_of::<Obb>() as u64);

/// Computes the bounds of boxes and validates them: all of a scene of boxes, or the first of bodies
/// of several kinds. The broad phase adds its hook.
pub(crate) const fn obb_bounds(hook: &'static BoundsHook) -> Kernel<Params> {
    let own = files!["shared/runs.wgsl", "shapes/obb/obb_bounds.wgsl"];
    hook.kernel("obb_bounds", own, Params::boxes, |params| params.box_segment as u64)
}
