//! The configuration of a tracker.

use crate::geometry::period::Period;
#[cfg(doc)]
use crate::tracking::tracker::frame::TrackedFrame;

/// The configuration of a [`Tracker`](crate::tracking::Tracker).
///
/// ```
/// use obbligato::tracking::{Coherence, TrackerConfig};
/// let config = TrackerConfig { coherence: Coherence::None, ..TrackerConfig::default() };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrackerConfig {
    /// Set to include the pairs that persist in [`TrackedFrame::events`]. They are counted in any
    /// case.
    pub persisting: bool,
    /// The state of the last frame used for the next.
    pub coherence: Coherence,
    /// The lengths after which space repeats: pairs collide by any image, as in
    /// [`Query::periodic`](crate::Query::periodic). Bodies may leave the cell on one side and need
    /// not be put back on the other.
    pub period: Option<Period>,
}

/// The state of the last frame that a [`Tracker`](crate::tracking::Tracker) uses for the next. The
/// pairs of every frame are those of a fresh check in any case.
///
/// Coherence works on the CPU. If the checker runs on a GPU, every frame is checked afresh. The
/// same applies with a [period](TrackerConfig::period), with a margin
/// ([`Config::margin`](crate::Config::margin), [`Rules::margins`](crate::Rules::margins)), with a
/// precision other than [`Precision::Exact`](crate::Precision::Exact), with
/// [`Config::max_pairs`](crate::Config::max_pairs), for scenes of numbers below 2^-60, and with
/// excluded pairs if ids do not ascend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Coherence {
    /// [`Coherence::Fattened`] if it is expected to take less time than fresh checks, given the
    /// observed speed of boxes, and fresh checks otherwise. Both are measured: if coherence takes
    /// longer, frames are checked afresh for a while, or until the scene changes. It takes about
    /// 200 bytes per box and 24 per nearby pair.
    #[default]
    Auto,
    /// Every box has fattened bounds to move in. Pairs of them are tested again only when both
    /// boxes together may have moved as far as the distance or the overlap between them. O(boxes +
    /// pairs nearby) per frame; tests few of the pairs.
    Fattened,
    /// Three lists of interval ends, sorted by insertion: for a few thousand boxes. If ids do not
    /// ascend, frames are checked afresh.
    SweepLists,
    /// Every frame is checked afresh.
    None,
}
