//! Declares `shaders/shapes/obb/obb_bounds.wgsl`.

use crate::device::kernel::{Code, Kernel, Size, Source, files};
use crate::frame::hook::BoundsHook;
use crate::frame::params::Params;
use crate::frame::slots::{BOXES, OF_BOUNDS_KERNELS};
use crate::shapes::obb::record::Obb;

const _: () = assert!(BOXES.record == size_of::<Obb>() as u64);

/// Bounds and validation of all boxes. The broad phase hooks in.
pub(crate) const fn obb_bounds(hook: &'static BoundsHook) -> Kernel<Params> {
    Kernel {
        code: Code {
            entry: "obb_bounds",
            workgroup: 256,
            source: Source {
                files: [
                    files![
                        "shared/common.wgsl",
                        "shared/new_bounds.wgsl",
                        "shared/validity.wgsl",
                        "rules/lists.wgsl",
                        "rules/widening.wgsl",
                        "shapes/obb/obb_bounds.wgsl"
                    ],
                    hook.files,
                    &[],
                ],
                forms: None,
            },
            slots: [OF_BOUNDS_KERNELS, hook.slots],
            overrides: &["ruled"],
        },
        size: Size::Streamed(|params| params.box_count as u64, |params| params.box_segment as u64),
    }
}
