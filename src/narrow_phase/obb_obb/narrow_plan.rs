//! Declares `shaders/narrow_phase/obb_obb/narrow_plan.wgsl`: which kernel of the narrow phase runs, by what the boxes are, and in how
//! many workgroups, by how many candidate pairs there are.

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};

use crate::device::kernel::{At, Code, File, Kernel, Size, Source, files};
use crate::frame::params::Params;
use crate::frame::slots::{CANDIDATES, DISPATCHES, OF_PAIR_TESTS, PARAMS, STATS};

/// Invocations of a workgroup of the kernels that test boxes.
pub(crate) const TESTING: u32 = 256;

/// Arguments of the indirect dispatches of the narrow phase: `struct Dispatches` of the shader. One of the two has no
/// workgroups.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Dispatches {
    /// The kernel over all axes, or that of a margin.
    pub all_axes: [u32; 3],
    pub unused: u32,
    /// The kernel over the axes of boxes that are turned about z only.
    pub five_axes: [u32; 3],
    pub unused_too: u32,
}

impl Dispatches {
    /// Where [`Dispatches::all_axes`] are, in bytes.
    pub const ALL_AXES: u64 = offset_of!(Self, all_axes) as u64;
    /// Where [`Dispatches::five_axes`] are.
    pub const FIVE_AXES: u64 = offset_of!(Self, five_axes) as u64;
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
        overrides: &["most_workgroups"],
    },
    size: Size::One,
};

/// A kernel that tests boxes: its files come after those that all of them have, and its dispatch is the one at this offset in
/// [`Dispatches`].
pub(super) const fn pair_test(entry: &'static str, own: &'static [File], dispatch: u64) -> Kernel<Params> {
    const SHARED: &[File] = files![
        "shared/pair.wgsl",
        "shared/common.wgsl",
        "shared/counted.wgsl",
        "shared/obb.wgsl",
        "shared/boxes.wgsl",
        "shared/candidates.wgsl",
        "shared/verdicts.wgsl",
        "narrow_phase/obb_obb/testing.wgsl"
    ];
    Kernel {
        code: Code {
            entry,
            workgroup: TESTING,
            source: Source::appending(SHARED).and(own),
            slots: [OF_PAIR_TESTS, &[]],
            overrides: &["most_workgroups"],
        },
        size: Size::Indirect(&DISPATCHES, dispatch),
    }
}
