//! What a recorded frame found.

use bytemuck::{Pod, Zeroable};
use wgpu::BufferUsages as Usages;

use crate::base::shader::shader;
use crate::device::buffers::Slot;

/// What a recorded frame found: the contents of [`Recorded::outcome`](crate::gpu::Recorded::outcome) once the frame has run.
///
/// In WGSL, [`Outcome::WGSL`]:
///
#[doc = concat!("```wgsl\n", shader!("shared/outcome.wgsl"), "```")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Outcome {
    /// The arguments of an indirect dispatch, at offset 0, with an invocation for each stored pair in workgroups of 64. An
    /// invocation's pair is `(workgroup_id.y * outcome.workgroups.x + workgroup_id.x) * 64 + local_invocation_index`, if that is
    /// below `pairs`. Not `num_workgroups.x`: on DX12 that is 0 in an indirect dispatch, unless wgpu validates it.
    pub workgroups: [u32; 3],
    /// Pairs stored in [`Recorded::pairs`](crate::gpu::Recorded::pairs).
    pub pairs: u32,
    /// Pairs found. If there are more than are stored, there was not room for all.
    pub pairs_needed: u32,
    /// Pairs whose bounds overlap; `u32::MAX` if there are more. If there was not room for all, some are not tested, and
    /// the other counts are of those that are.
    pub candidates_needed: u32,
    /// Pairs stored in [`Recorded::undecided`](crate::gpu::Recorded::undecided).
    pub undecided: u32,
    /// Pairs that `f32` could not decide; `f64` may have decided some since.
    pub undecided_needed: u32,
    /// Boxes that are not valid: [`Obb::problem`](crate::Obb::problem) tells on the host what is wrong with them. If there are any, nothing
    /// else here means much.
    pub suspects: u32,
    /// 1 if the frame [fits](Self::fits) and no pair is left to the host: [`Recorded::pairs`](crate::gpu::Recorded::pairs) then
    /// has all that was asked for. Else 0.
    ///
    /// With [`Precision::Exact`](crate::Precision::Exact) it is 0 as soon as [`undecided`](Self::undecided) is not: these pairs
    /// collide or not, and only the host can tell. Boxes that merely touch are always among them.
    pub complete: u32,
    /// 1 if the frame was to keep the order of one before it ([`FrameQuery::refit`](crate::gpu::FrameQuery::refit)), and none has run that
    /// left one: no pairs were looked for. Else 0.
    pub stale: u32,
    /// 1 if everything was tested, there was room for everything that was asked for, and all boxes are valid; else 0, and
    /// [`GpuChecker::reserve`](crate::GpuChecker::reserve) makes more room. Pairs that are left to the host have room, too, in
    /// [`Recorded::undecided`](crate::gpu::Recorded::undecided).
    pub fits: u32,
}

impl Outcome {
    /// The record in WGSL, to be put before a shader that reads what a frame has found; see [`gpu`](crate::gpu#records-in-your-shaders).
    pub const WGSL: &'static str = shader!("shared/outcome.wgsl");
}

/// [`Outcome`]; the caller can dispatch by it.
pub(crate) static OUTCOME: Slot = Slot::of::<Outcome>("outcome", "outcome").used(
    Usages::STORAGE
        .union(Usages::UNIFORM)
        .union(Usages::COPY_DST)
        .union(Usages::COPY_SRC)
        .union(Usages::INDIRECT),
);
