//! Declares `shaders/shapes/triangle/triangle_bounds.wgsl`.

use crate::device::kernel::{Kernel, files};
use crate::frame::hook::BoundsHook;
use crate::frame::params::Params;
use crate::frame::slots::BOXES;
use crate::shapes::triangle::record::Triangle;

// Shaders use one segment for a third more records, a whole number of them.
const _: () = assert!(3 * BOXES.record == 4 * size_of::<Triangle>() as u64);
const _: () = assert!(BOXES.unit.is_multiple_of(3 * BOXES.record));

/// Computes the bounds of triangles and validates them. The broad phase adds its hook.
pub(crate) const fn triangle_bounds(hook: &'static BoundsHook) -> Kernel<Params> {
    hook.kernel_without_margins(
        "triangle_bounds",
        files![
            "shapes/triangle/triangle.wgsl",
            "shapes/triangle/corners.wgsl",
            "shapes/triangle/triangle_bounds.wgsl"
        ],
        |params| 0..params.box_count as u64,
        |params| params.box_segment as u64 / 3 * 4,
    )
}
