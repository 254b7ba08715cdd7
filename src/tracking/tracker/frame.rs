//! What a tracker says of a frame.

use crate::geometry::pair::Pair;
use crate::outputs::events_cpu::Event;

/// How the pairs of a frame were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FoundBy {
    /// By a fresh check.
    #[default]
    FreshCheck,
    /// From what is known of the last frame.
    Coherence,
}

/// What was done for a frame, as counts. All but `found_by` are 0 for a fresh check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FrameWork {
    /// How the pairs were found.
    pub found_by: FoundBy,
    /// Boxes that have moved, turned or changed.
    pub moved: usize,
    /// Pairs near enough to be watched.
    pub watched: usize,
    /// Those of them that were tested again.
    pub tested: usize,
    /// Boxes that have left their fattened bounds and got others; with sweep lists, how often an interval end has passed another.
    pub renewed: usize,
    /// Whether everything was sorted anew.
    pub rebuilt: bool,
}

/// The pairs of a frame, and what has changed since the frame before. Boxes are named by their ids.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct TrackedFrame<'a> {
    /// The colliding pairs, a < b, sorted.
    pub pairs: &'a [Pair],
    /// What has changed, sorted by pair.
    pub events: &'a [Event],
    /// Pairs that begin.
    pub begin: usize,
    /// Pairs that persist.
    pub persist: usize,
    /// Pairs that end.
    pub end: usize,
    /// What was done to find them.
    pub work: FrameWork,
}
