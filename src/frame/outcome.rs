//! The outcome of a recorded frame.

use bytemuck::{Pod, Zeroable};
use wgpu::BufferUsages as Usages;

use crate::base::shader::shader;
use crate::device::buffers::Slot;

/// The outcome of a recorded frame: the contents of
/// [`Recorded::outcome`](crate::gpu::Recorded::outcome) once the frame has run.
///
/// In WGSL, [`Outcome::WGSL`]:
///
#[doc = concat!("```wgsl\n", shader!("shared/outcome.wgsl"), "```")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Outcome {
    /// The arguments of an indirect dispatch, at offset 0, with an invocation for each stored pair
    /// in workgroups of 64. An invocation's pair is `(workgroup_id.y * outcome.workgroups.x +
    /// workgroup_id.x) * 64 + local_invocation_index`, if that is below `pairs`. Do not use
    /// `num_workgroups.x` instead: on DX12 it is 0 in an indirect dispatch, unless wgpu validates
    /// it.
    pub workgroups: [u32; 3],
    /// Pairs stored in [`Recorded::pairs`](crate::gpu::Recorded::pairs).
    pub pairs: u32,
    /// Pairs found. If this exceeds the number of stored pairs, not all pairs fit.
    pub pairs_needed: u32,
    /// Pairs whose bounds overlap; `u32::MAX` if there are more. If they did not all fit, some are
    /// not tested, and the other counts are of those that are.
    pub candidates_needed: u32,
    /// Pairs stored in [`Recorded::undecided`](crate::gpu::Recorded::undecided): none if the caller
    /// [visits](crate::gpu::FrameVisitor::undecided) them.
    pub undecided: u32,
    /// Pairs that `f32` could not decide; `f64` may then have decided some of them.
    pub undecided_needed: u32,
    /// Boxes that are invalid: [`Obb::problem`](crate::Obb::problem) gives the reason on the host.
    /// If there are any, the other values are meaningless.
    pub suspects: u32,
    /// 1 if the frame [fits](Self::fits) and no pair is left to the host, else 0. If 1,
    /// [`Recorded::pairs`](crate::gpu::Recorded::pairs) contains everything requested.
    ///
    /// With [`Precision::Exact`](crate::Precision::Exact) it is 0 unless
    /// [`undecided`](Self::undecided) is 0, because only the host can decide whether undecided
    /// pairs collide. Boxes that merely touch are always among them.
    pub complete: u32,
    /// 1 if the frame was to keep the order of an earlier one
    /// ([`FrameQuery::refit`](crate::gpu::FrameQuery::refit)), and no frame that left this order
    /// has run: no pairs were searched for. Else 0.
    pub stale: u32,
    /// 1 if everything was tested, everything requested fits, and all boxes are valid; else 0, and
    /// [`GpuChecker::reserve`](crate::GpuChecker::reserve) can enlarge the buffers. Pairs that are
    /// left to the host must also fit, in [`Recorded::undecided`](crate::gpu::Recorded::undecided).
    pub fits: u32,
    /// Bodies, or other records, that were checked.
    pub bodies: u32,
    /// Bodies that there are. If the number that the device decided
    /// ([`FrameQuery::counted`](crate::gpu::FrameQuery::counted)) exceeds the one given to the
    /// query, the bodies beyond that were not checked.
    pub bodies_needed: u32,
    /// The position of the first image in pairs of a frame with images
    /// ([`FrameQuery::images`](crate::gpu::FrameQuery::images)); without images, the same as
    /// [`bodies`](Self::bodies).
    pub first_image: u32,
    /// 0.
    pub unused: u32,
}

impl Outcome {
    /// The record in WGSL, to be prepended to a shader that reads the outcome of a frame. See
    /// [`gpu`](crate::gpu#records-in-your-shaders).
    pub const WGSL: &'static str = shader!("shared/outcome.wgsl");
}

/// [`Outcome`]. The caller can use it for indirect dispatches.
pub(crate) static OUTCOME: Slot = Slot::of::<Outcome>("outcome", "outcome").used(
    Usages::STORAGE
        .union(Usages::UNIFORM)
        .union(Usages::COPY_DST)
        .union(Usages::COPY_SRC)
        .union(Usages::INDIRECT),
);
