//! What a frame works on.

use bytemuck::{Pod, Zeroable};

use crate::base::config::{Output, Precision};

/// Candidate pairs that there are for a box, mostly at most.
pub(crate) const CANDIDATES_PER_BOX: u64 = 8;

/// What a frame works on: `struct Params` of `shaders/shared/common.wgsl`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Params {
    /// Boxes, or whatever bodies there are, in the scene.
    pub box_count: u32,
    /// The first record whose pairs are looked for.
    pub range_first: u32,
    /// Records whose pairs are looked for.
    pub range_count: u32,
    /// Candidate pairs that can be written.
    pub candidate_capacity: u32,
    /// A range with more candidate pairs is not tested: the host makes room, or divides the range, and comes back.
    pub most_candidates: u32,
    /// 1 if what fits is tested, though not everything may fit: in recorded frames, to which nobody comes back.
    pub partial: u32,
    /// Colliding pairs that can be written.
    pub pair_capacity: u32,
    /// Undecided pairs that can be written.
    pub undecided_capacity: u32,
    /// What is wanted: [`Params::PAIRS`], [`Params::DEGREES`] or [`Params::COUNT`].
    pub output: u32,
    /// How undecided pairs are settled: [`Precision`] as a number.
    pub exactness: u32,
    /// 1 if the range has been through f32 before, which has counted its pairs in the degrees; else 0.
    pub again: u32,
    /// Boxes the probe takes.
    pub probe_samples: u32,
    /// Slots of the probe's table for each size group.
    pub probe_slots: u32,
    /// 1 if undecided pairs are tested in f64.
    pub has_f64: u32,
    /// 1 if a pair is one of a box at rest and a mover, and the movers are the boxes that degrees are of: the narrow phase has
    /// them in the second segment of its boxes, and those at rest in the first. Else 0.
    pub movers: u32,
    /// Boxes in a full segment, if they are [`Obb`](crate::Obb)s.
    pub box_segment: u32,
    /// Bounds, or records, in a full segment.
    pub bounds_segment: u32,
    /// 1 if there are boxes of several worlds or layers.
    pub worlds: u32,
    /// Pairs no further apart than this are looked for.
    pub margin: f32,
    /// What bounds are widened by for it.
    pub half_margin: f32,
    /// 1 if boxes have margins of their own: then each candidate pair comes with its margin.
    pub own_margins: u32,
    /// Partners are looked for among the records from this one on.
    pub partners_first: u32,
    /// The first record after those.
    pub partners_end: u32,
    /// Pairs are looked for of as many records of the range as are so much work, in comparisons of bounds by the plan; of all if this
    /// is 0. See [`Counters::walked`](crate::frame::counters::Counters).
    pub most_work: f32,
    /// 0, which no compiler of shaders knows: `fenced` in `shaders/shared/common.wgsl`.
    pub zero: u32,
    /// Where the boxes end among the bodies that a pair's `b` names, and where the capsules do, which follow; then come the balls.
    pub box_end: u32,
    pub capsule_end: u32,
    /// The same of the bodies that a pair's `a` names.
    pub box_end_of_a: u32,
    pub capsule_end_of_a: u32,
    /// The words of the list of candidate pairs before those of its queues; see [`Counters::queue_ends`](crate::frame::counters::Counters).
    pub queues_first: u32,
    /// The number of the order, or the plan, that the broad phase makes or keeps; 0 if nobody will keep it.
    pub order: u32,
    /// 1 if an order is kept, or a plan may be.
    pub refit: u32,
}

impl Params {
    /// Numbers of 16 bytes in the record of a box or a capsule: a ball is one.
    pub const UNITS: u64 = 3;
    pub const PAIRS: u32 = 0;
    pub const DEGREES: u32 = 1;
    pub const COUNT: u32 = 2;
    /// [`Precision::Exact`] as a number.
    pub const EXACT: u32 = 0;

    /// Whether bounds and records are in more than one segment.
    pub fn is_split(&self) -> bool {
        self.box_count > self.bounds_segment
    }

    /// Whether distances decide, and not the separating-axis test.
    pub fn has_margin(&self) -> bool {
        self.margin > 0.0 || self.own_margins > 0
    }

    /// Items for a kernel over pairs of which only the device knows how many there are: as many as there mostly are, if there is
    /// room for so many. Kernels loop over more.
    pub fn mostly(&self, room: u32, for_each_box: u64) -> u64 {
        match self.movers {
            0 => u64::from(room).min(for_each_box * u64::from(self.box_count)),
            // A few movers may have any number.
            _ => u64::from(room),
        }
    }

    /// The number of an output in the shaders.
    pub const fn output_of(output: Output) -> u32 {
        match output {
            Output::Pairs => Self::PAIRS,
            Output::Degrees => Self::DEGREES,
            Output::Count => Self::COUNT,
        }
    }

    /// The number of a precision in the shaders.
    pub const fn exactness_of(precision: Precision) -> u32 {
        match precision {
            Precision::Exact => Self::EXACT,
            Precision::Fast => 1,
            Precision::Conservative => 2,
        }
    }
}
