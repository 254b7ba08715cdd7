//! What a frame counts.

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};

/// Queues of candidate pairs: boxes, a box and a capsule, a box and a ball, capsules, a capsule and a ball, balls.
pub(crate) const QUEUES: usize = 6;

/// What is counted in a frame: the header of the list of candidate pairs, `candidates.counters` in the shaders. Counts of pairs
/// go on past the capacities.
///
/// Each frame begins with zeros, a range with zeros from `candidates` on, and another test of the same candidates with zeros
/// from `pairs` on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Counters {
    /// What the broad phase counts as it sorts: of the grid records that have been given a place, of a tree the comparisons of a sample
    /// of walks.
    pub placed: u32,
    /// Candidate pairs, modulo 2^32.
    pub candidates: u32,
    /// 1 if there are 2^32 candidate pairs or more, [`Counters::LOOPS_ENDED`] if a driver has ended the loops that look for them,
    /// 3 if none are looked for, as the order that was to be kept is not there.
    pub too_many: u32,
    /// Rows of cells looked up, the low half first; 0 if that is not asked for.
    pub rows: [u32; 2],
    /// Bounds compared, likewise.
    pub comparisons: [u32; 2],
    /// Records of the range whose pairs have been looked for: all, or as many as are [`Params::most_work`](crate::frame::params::Params).
    pub walked: u32,
    /// Overlapping pairs.
    pub pairs: u32,
    /// Pairs that f32 could not decide.
    pub undecided: u32,
    /// Of these, the pairs that f64 could not decide either.
    pub left: u32,
    /// Of the overlapping pairs, those that are only within the margin.
    pub near: u32,
    /// Candidate pairs of bodies of several kinds are sorted into queues by their kinds: where each queue ends among all. First as many as
    /// are in a queue, then where it begins, at last where it ends.
    pub queue_ends: [u32; QUEUES],
    pub unused: [u32; 2],
}

impl Counters {
    /// What `too_many` is if a driver has ended loops.
    pub const LOOPS_ENDED: u32 = 2;
    /// Where those of a range of records begin.
    pub const OF_RANGE: u64 = offset_of!(Self, candidates) as u64;
    /// Where those of the narrow phase begin.
    pub const OF_NARROW: u64 = offset_of!(Self, pairs) as u64;
    /// Where they end.
    pub const END: u64 = size_of::<Self>() as u64;
}
