//! What a broad phase hooks into the kernels that make bounds.

use crate::device::kernel::{At, File};

/// The WGSL functions that a broad phase declares for the kernels of all shapes, which call them in workgroups of 256:
///
/// - `begin_bounds(local: u32)` and `end_bounds(local: u32)`, by all invocations of the workgroup;
/// - `note_bounds(bounds: Bounds) -> u32` for each box: what its bounds are tagged with;
/// - `note_suspect()` if a box may be invalid, `note_tilted()` if one is turned otherwise than about z. The buffer at
///   [`STATS`](super::slots::STATS) begins with what these note: `struct SceneStats` of `shaders/shared/scene_stats.wgsl`.
#[derive(Debug)]
pub(crate) struct BoundsHook {
    /// The files that declare them, and whatever they need.
    pub files: &'static [File],
    /// The buffers they bind.
    pub slots: &'static [At],
}
