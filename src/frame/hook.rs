//! Hooks of a broad phase into the kernels that compute bounds.

use std::ops::Range;

use crate::device::kernel::{At, Code, File, Kernel, Size, Source, files};
use crate::frame::params::Params;
use crate::frame::slots::{OF_BOUNDS_KERNELS, OF_BOUNDS_WITHOUT_MARGINS};

/// The WGSL functions that a broad phase declares for the kernels of all shapes, which call them in
/// workgroups of 256:
///
/// - `begin_bounds(local: u32)` and `end_bounds(local: u32)`, called by all invocations of the
///   workgroup;
/// - `note_bounds(bounds: Bounds) -> Bounds`, called for each box, which returns its bounds in
///   their stored form;
/// - `note_suspect()`, called if a box may be invalid, and `note_tilted()`, called if one is
///   rotated about an axis other than z. The buffer at [`STATS`](super::slots::STATS) begins with
///   the data that these collect: `struct SceneStats` of `shaders/shared/scene_stats.wgsl`.
#[derive(Debug)]
pub(crate) struct BoundsHook {
    /// The files that declare the functions, and all files these depend on.
    pub files: &'static [File],
    /// The buffers that the functions bind.
    pub slots: &'static [At],
    /// `true` if the functions use the worlds of boxes.
    pub by_world: bool,
}

impl BoundsHook {
    /// Returns a kernel that validates records of a shape and computes their bounds, given its own
    /// files, the range of its records, and the number of records in a full segment.
    pub const fn kernel(
        &self,
        entry: &'static str,
        own: &'static [File],
        records: fn(&Params) -> Range<u64>,
        segment: fn(&Params) -> u64,
    ) -> Kernel<Params> {
        const SHARED: &[File] = files![
            "shared/obb.wgsl",
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/new_bounds.wgsl",
            "shared/validity.wgsl",
            "shared/images.wgsl",
            "rules/lists.wgsl",
            "rules/widening.wgsl"
        ];
        Kernel {
            code: Code {
                entry,
                workgroup: 256,
                source: Source::of(SHARED).and(own).and(self.files),
                slots: [OF_BOUNDS_KERNELS, self.slots],
                overrides: &["ruled", "imaged"],
            },
            size: Size::Streamed(records, segment),
        }
    }

    /// Returns such a kernel for a shape that has no margins.
    pub const fn kernel_without_margins(
        &self,
        entry: &'static str,
        own: &'static [File],
        records: fn(&Params) -> Range<u64>,
        segment: fn(&Params) -> u64,
    ) -> Kernel<Params> {
        const SHARED: &[File] = files![
            "shared/obb.wgsl",
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/new_bounds.wgsl",
            "shared/validity.wgsl"
        ];
        const WITH_WORLDS: &[File] = files![
            "shared/obb.wgsl",
            "shared/pair.wgsl",
            "shared/common.wgsl",
            "shared/new_bounds.wgsl",
            "shared/validity.wgsl",
            "shared/images.wgsl",
            "rules/lists.wgsl"
        ];
        let (shared, slots, overrides): (_, _, &[&str]) = match self.by_world {
            true => (WITH_WORLDS, OF_BOUNDS_KERNELS, &["ruled", "imaged"]),
            false => (SHARED, OF_BOUNDS_WITHOUT_MARGINS, &[]),
        };
        Kernel {
            code: Code {
                entry,
                workgroup: 256,
                source: Source::of(shared).and(own).and(self.files),
                slots: [slots, self.slots],
                overrides,
            },
            size: Size::Streamed(records, segment),
        }
    }
}
