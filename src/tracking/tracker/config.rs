//! How a tracker works.

#[cfg(doc)]
use crate::tracking::tracker::frame::TrackedFrame;

/// How a [`Tracker`](crate::Tracker) works.
///
/// ```
/// use obbligato::{Coherence, TrackerConfig};
/// let config = TrackerConfig { coherence: Coherence::None, ..TrackerConfig::default() };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrackerConfig {
    /// Whether [`TrackedFrame::events`] has the pairs that persist, too. They are counted in any case.
    pub persisting: bool,
    /// What of the last frame serves the next.
    pub coherence: Coherence,
}

/// What of the last frame serves a [`Tracker`](crate::Tracker) in the next. The pairs of every frame are those of a fresh check in any case.
///
/// Coherence works on the CPU. Where the checker runs on a GPU every frame is checked afresh; likewise with a margin
/// ([`Config::margin`](crate::Config::margin), [`Rules::margins`](crate::Rules::margins)), with another precision than
/// [`Precision::Exact`](crate::Precision::Exact), with [`Config::max_pairs`](crate::Config::max_pairs), with scenes of numbers below 2^-60, and with
/// excluded pairs if ids do not ascend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Coherence {
    /// [`Coherence::Fattened`] where it promises to take less time than fresh checks, by how fast boxes are seen to move, and fresh checks
    /// elsewhere. Both are measured: where it takes longer, frames are checked afresh for a while, or until the scene changes. It takes some 200 bytes a box and 24 a pair that is near.
    #[default]
    Auto,
    /// Every box has fattened bounds to move in, and pairs of them are tested again only when both boxes together may have moved as far as they
    /// were apart, or overlapped. O(boxes + pairs nearby) a frame; tests few of them.
    Fattened,
    /// Three lists of interval ends, sorted by insertion: for some thousands of boxes. With ids that do not ascend frames are checked afresh.
    SweepLists,
    /// Every frame is checked afresh.
    None,
}
