//! The counters of a frame.

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable};

/// Number of queues of candidate pairs: boxes, a box and a capsule, a box and a sphere, capsules, a
/// capsule and a sphere, spheres.
pub(crate) const QUEUES: usize = 6;

/// The counters of a frame: the header of the list of candidate pairs, `candidates.counters` in the
/// shaders. Counts of pairs continue beyond the capacities.
///
/// Each frame starts with all counters at zero. A range starts with zeros from `candidates` on, and
/// another test of the same candidates with zeros from `pairs` on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Counters {
    /// The count of the broad phase's sort. For a grid: the records that have been placed. For a
    /// tree: the comparisons of a sample of walks.
    pub placed: u32,
    /// Candidate pairs, modulo 2^32.
    pub candidates: u32,
    /// 1 if there are 2^32 candidate pairs or more, [`Counters::LOOPS_ENDED`] if a driver has ended
    /// the loops that search for them, 3 if there is no search because the order to be kept is
    /// missing.
    pub too_many: u32,
    /// Rows of cells looked up, the low half first; 0 if operations are not counted.
    pub rows: [u32; 2],
    /// Bounds compared, in the same form.
    pub comparisons: [u32; 2],
    /// Records of the range whose pairs have been searched for: all, or as many as fit
    /// [`Params::most_work`](crate::frame::params::Params).
    pub walked: u32,
    /// Overlapping pairs.
    pub pairs: u32,
    /// Pairs that `f32` could not decide.
    pub undecided: u32,
    /// Of these, the pairs that `f64` could not decide either.
    pub left: u32,
    /// Of the overlapping pairs, those that are only within the margin.
    pub near: u32,
    /// The end of each queue among all queues, if candidate pairs of bodies of several kinds are
    /// sorted into queues by kind. First it holds the number of pairs in a queue, then the queue's
    /// start, and in the end its end.
    pub queue_ends: [u32; QUEUES],
    pub unused: [u32; 2],
}

impl Counters {
    /// Value of `too_many` if a driver has ended loops.
    pub const LOOPS_ENDED: u32 = 2;
    /// Offset of the counters of a range of records.
    pub const OF_RANGE: u64 = offset_of!(Self, candidates) as u64;
    /// Offset of the counters of the narrow phase.
    pub const OF_NARROW: u64 = offset_of!(Self, pairs) as u64;
    /// End of the counters.
    pub const END: u64 = size_of::<Self>() as u64;
}
