//! The result of a tracker for a frame.

use crate::geometry::pair::Pair;
use crate::outputs::events_cpu::Event;

/// The method that found the pairs of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FoundBy {
    /// By a fresh check.
    #[default]
    FreshCheck,
    /// From the state of the last frame.
    Coherence,
}

/// The work done for a frame, as counts. All except `found_by` are 0 for a fresh check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FrameWork {
    /// The method that found the pairs.
    pub found_by: FoundBy,
    /// The number of boxes that moved, rotated or changed.
    pub moved: usize,
    /// The number of pairs near enough to be watched.
    pub watched: usize,
    /// The number of watched pairs that were tested again.
    pub tested: usize,
    /// The number of boxes that left their fattened bounds and got others; with sweep lists, the
    /// number of passages of one interval end past another.
    pub renewed: usize,
    /// `true` if everything was sorted from scratch.
    pub rebuilt: bool,
}

/// The pairs of a frame, and the changes since the previous frame. Boxes are named by their ids.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct TrackedFrame<'a> {
    /// The colliding pairs, a < b, sorted.
    pub pairs: &'a [Pair],
    /// Those of the previous frame, for [`previous_pairs`](crate::tracking::previous_pairs).
    pub before: &'a [Pair],
    /// The changes, sorted by pair.
    pub events: &'a [Event],
    /// The number of pairs that begin.
    pub begin: usize,
    /// The number of pairs that persist.
    pub persist: usize,
    /// The number of pairs that end.
    pub end: usize,
    /// The work done to find them.
    pub work: FrameWork,
}
