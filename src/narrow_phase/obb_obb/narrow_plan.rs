//! Declares `shaders/narrow_phase/obb_obb/narrow_plan.wgsl`: selects the kernels of the narrow
//! phase by the kinds of bodies, and their numbers of workgroups by the number of candidate pairs
//! of each kind.

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};

use crate::device::kernel::{At, Code, File, Kernel, Size, Source, files};
use crate::frame::params::Params;
use crate::frame::slots::{CANDIDATES, DISPATCHES, OF_PAIR_TESTS, PARAMS, STATS};
use crate::frame::visitor::LISTING;

/// Invocations per workgroup of the kernels that test boxes.
pub(crate) const TESTING: u32 = 256;

/// Arguments of the indirect dispatches of the narrow phase, each with an unused last word:
/// `struct Dispatches` of the shader.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Dispatches {
    /// Two boxes.
    pub boxes: [u32; 4],
    /// Two boxes, over all axes; no workgroups if `five_axes` has any.
    pub all_axes: [u32; 4],
    /// Two boxes, over the axes of boxes that are rotated about z only; no workgroups if `all_axes`
    /// has any.
    pub five_axes: [u32; 4],
    /// A box, and a capsule or a sphere.
    pub of_box: [u32; 4],
    /// A capsule, and another one or a sphere.
    pub of_capsule: [u32; 4],
    /// Two spheres.
    pub of_spheres: [u32; 4],
}

impl Dispatches {
    /// Byte offsets of the dispatches.
    pub const BOXES: u64 = offset_of!(Self, boxes) as u64;
    pub const ALL_AXES: u64 = offset_of!(Self, all_axes) as u64;
    pub const FIVE_AXES: u64 = offset_of!(Self, five_axes) as u64;
    pub const OF_BOX: u64 = offset_of!(Self, of_box) as u64;
    pub const OF_CAPSULE: u64 = offset_of!(Self, of_capsule) as u64;
    pub const OF_SPHERES: u64 = offset_of!(Self, of_spheres) as u64;
}

const _: () = assert!(DISPATCHES.record == size_of::<Dispatches>() as u64);

pub(crate) static NARROW_PLAN: Kernel<Params> = Kernel {
    code: Code {
        entry: "narrow_plan",
        workgroup: 1,
        source: Source::of(files![
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/scene_stats.wgsl",
            "shared/candidates.wgsl",
            "shared/queues.wgsl",
            "narrow_phase/obb_obb/testing.wgsl",
            "narrow_phase/obb_obb/narrow_plan.wgsl"
        ]),
        slots: [
            &[
                At::new(0, &PARAMS),
                At::new(1, &CANDIDATES),
                At::new(2, &DISPATCHES),
                At::new(3, &STATS),
            ],
            &[],
        ],
        overrides: &["most_workgroups", "queued"],
    },
    size: Size::One,
};

/// Returns a kernel that tests boxes. Its files come after those that all such kernels share. Its
/// dispatch is at this offset in [`Dispatches`].
pub(super) const fn pair_test(entry: &'static str, own: &'static [File], dispatch: u64) -> Kernel<Params> {
    const SHARED: &[File] = files![
        "shared/pair.wgsl",
        "shared/common.wgsl",
        "shared/counted.wgsl",
        "shared/obb.wgsl",
        "shared/boxes.wgsl",
        "shared/candidates.wgsl",
        "shared/queues.wgsl",
        "shared/images.wgsl",
        "shared/verdicts.wgsl",
        "narrow_phase/obb_obb/testing.wgsl"
    ];
    indirect_test(entry, Source::appending(SHARED).and(own), dispatch)
}

/// Returns a kernel that tests candidate pairs of some kinds.
pub(in crate::narrow_phase) const fn indirect_test(
    entry: &'static str,
    source: Source,
    dispatch: u64,
) -> Kernel<Params> {
    Kernel {
        code: Code {
            entry,
            workgroup: TESTING,
            source: source.and(LISTING),
            slots: [OF_PAIR_TESTS, &[]],
            overrides: &["most_workgroups", "queued", "imaged"],
        },
        size: Size::Indirect(&DISPATCHES, dispatch),
    }
}
