//! What the kernels share that look closer at pairs in the memory of a device: `shaders/shared/found_pairs.wgsl`.

use bytemuck::{Pod, Zeroable};

use crate::device::buffers::Slot;
use crate::device::kernel::At;
use crate::frame::outcome::OUTCOME;
use crate::frame::slots::TESTED;
use crate::geometry::pair::Pair;

/// What the kernels need to know: `struct PairParams` of the shader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct PairParams {
    /// Pairs that there is room for.
    pub pair_capacity: u32,
    /// Points that there is room for.
    pub point_capacity: u32,
    /// Boxes in a full segment, or as many bytes of other bodies.
    pub box_segment: u32,
    /// 1 if a pair's b names a mover, which are in the second segment; else 0.
    pub movers: u32,
    /// 0, as in [`Params`](crate::frame::params::Params).
    pub zero: u32,
    /// Where the boxes and the capsules end among the bodies that a pair's b names, and among those that its a names; balls follow.
    pub box_end: u32,
    pub capsule_end: u32,
    pub box_end_of_a: u32,
    pub capsule_end_of_a: u32,
}

/// [`PairParams`].
pub(crate) static PAIR_PARAMS: Slot = Slot::of::<PairParams>("params", "parameters of pairs");

/// The pairs to look at.
pub(crate) static FOUND_PAIRS: Slot = Slot::of::<Pair>("pairs", "pairs to look at");

/// What all of these kernels bind.
pub(crate) const SLOTS: &[At] = &[
    At::new(0, &PAIR_PARAMS),
    At::new(1, &TESTED),
    At::new(4, &OUTCOME),
    At::new(5, &FOUND_PAIRS),
];
