//! Declares `shaders/shapes/aabb/aabb_bounds.wgsl`.

use crate::device::kernel::{Code, Kernel, Size, Source, files};
use crate::frame::hook::BoundsHook;
use crate::frame::params::Params;
use crate::frame::slots::{BOXES, OF_BOUNDS_KERNELS};
use crate::geometry::aabb::Aabb;

// The shader takes a segment for twice as many.
const _: () = assert!(BOXES.record == 2 * size_of::<Aabb>() as u64);

/// Validation of the caller's own bounds. The broad phase hooks in.
pub(crate) const fn aabb_bounds(hook: &'static BoundsHook) -> Kernel<Params> {
    Kernel {
        code: Code {
            entry: "aabb_bounds",
            workgroup: 256,
            source: Source {
                files: [
                    files![
                        "shared/common.wgsl",
                        "shared/new_bounds.wgsl",
                        "shared/validity.wgsl",
                        "rules/lists.wgsl",
                        "rules/widening.wgsl",
                        "shapes/aabb/aabb_bounds.wgsl"
                    ],
                    hook.files,
                    &[],
                ],
                forms: None,
            },
            slots: [OF_BOUNDS_KERNELS, hook.slots],
            overrides: &["ruled"],
        },
        size: Size::Streamed(|params| params.box_count as u64, |params| 2 * params.box_segment as u64),
    }
}
