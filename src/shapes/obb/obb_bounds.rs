//! Declares `shaders/shapes/obb/obb_bounds.wgsl`.

use crate::device::kernel::{Code, Kernel, Size, Source, files};
#[cfg(test)]
use crate::device::twins::{Twin, record};
use crate::frame::hook::BoundsHook;
use crate::frame::params::Params;
use crate::frame::slots::{BOXES, OF_BOUNDS_KERNELS};
#[cfg(test)]
use crate::frame::{counters, params, twins};
#[cfg(test)]
use crate::geometry::bounds::{ABSOLUTE_ERROR, CENTER_ERROR, EXTENT_ERROR};
#[cfg(test)]
use crate::rules::list;
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
            #[cfg(test)]
            twins: [
                const { &[params::TWINS, counters::TWINS, twins::COMMON, OBB_TWINS, list::TWINS] },
                hook.twins,
            ],
        },
        size: Size::Streamed(|params| params.box_count as u64, |params| params.box_segment as u64),
    }
}

/// What shaders about oriented boxes have of Rust's records and constants.
#[cfg(test)]
pub(crate) const OBB_TWINS: &[Twin] = &[
    record!("Obb", Obb, [
        rotation,
        center,
        half_extents as "half_x" + 0,
        half_extents as "half_y" + 4,
        half_extents as "half_z" + 8,
        memberships,
        filter as "groups_filter" + 0,
    ]),
    Twin::Constant("EXTENT_ERROR", EXTENT_ERROR as f64),
    Twin::Constant("CENTER_ERROR", CENTER_ERROR as f64),
    Twin::Constant("ABSOLUTE_ERROR", ABSOLUTE_ERROR as f64),
];
