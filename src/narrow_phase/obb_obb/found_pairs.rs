//! What the kernels share that look closer at pairs in the memory of a device: `shaders/shared/found_pairs.wgsl`.

use bytemuck::{Pod, Zeroable};

use crate::device::buffers::Slot;
use crate::device::kernel::At;
#[cfg(test)]
use crate::device::twins::{Twin, record};
use crate::frame::outcome::OUTCOME;
use crate::frame::slots::TESTED;
#[cfg(test)]
use crate::frame::{counters, outcome, params, twins};
use crate::geometry::pair::Pair;
#[cfg(test)]
use crate::narrow_phase::obb_obb::obb_distance::DISTANCE_TWINS;
#[cfg(test)]
use crate::shapes::obb::obb_bounds::OBB_TWINS;

/// What the kernels need to know: `struct PairParams` of the shader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct PairParams {
    /// Pairs that there is room for.
    pub pair_capacity: u32,
    /// Points that there is room for.
    pub point_capacity: u32,
    /// Boxes in a full segment.
    pub box_segment: u32,
    /// 1 if a pair's b names a mover, which are in the second segment; else 0.
    pub movers: u32,
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

/// What all of them have of Rust's records and constants.
#[cfg(test)]
pub(crate) const TWINS: &[&[Twin]] = &[
    params::TWINS,
    counters::TWINS,
    twins::COMMON,
    outcome::TWINS,
    OBB_TWINS,
    DISTANCE_TWINS,
    &[record!(
        "PairParams",
        PairParams,
        [pair_capacity, point_capacity, box_segment, movers]
    )],
];
