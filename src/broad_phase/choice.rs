//! Which broad phase suits a scene on the CPU.

use crate::base::config::BroadPhase;
use crate::broad_phase::all_pairs_cpu::FEW;
use crate::geometry::scene_stats::Gathered;

/// Which broad phase a check used, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BroadPhaseChoice {
    /// The broad phase; never [`BroadPhase::Auto`].
    pub used: BroadPhase,
    /// Why, in one sentence without a full stop.
    pub why: &'static str,
}

impl BroadPhaseChoice {
    /// What [`BroadPhase::Auto`] may choose for many boxes on the CPU.
    pub(crate) const ALL: [BroadPhase; 1] = [BroadPhase::Grid];

    /// What the configuration names.
    pub(crate) const fn asked_for(used: BroadPhase) -> Self {
        Self {
            used,
            why: "the configuration asks for it",
        }
    }

    /// The choice for this many boxes, if that is all that matters.
    pub(crate) fn by_count(asked: BroadPhase, boxes: usize) -> Option<Self> {
        match asked {
            BroadPhase::Auto if boxes <= FEW => Some(Self {
                used: BroadPhase::AllPairs,
                why: "comparing so few boxes takes less time than sorting them",
            }),
            BroadPhase::Auto => None,
            asked => Some(Self::asked_for(asked)),
        }
    }

    /// The choice for balls alone, which the grid compares as balls and no other broad phase; `None` if another one is asked for.
    pub(crate) fn of_balls(asked: BroadPhase) -> Option<Self> {
        match asked {
            BroadPhase::Auto => Some(Self {
                used: BroadPhase::Grid,
                why: "the grid alone compares balls without their bounds",
            }),
            BroadPhase::Grid => Some(Self::asked_for(asked)),
            _ => None,
        }
    }

    /// The choice for many boxes.
    pub(crate) fn by_statistics(_: &Gathered, _: bool) -> Self {
        Self {
            used: BroadPhase::Grid,
            why: "boxes of all sizes are found fastest in a hierarchical grid",
        }
    }

    /// The choice for boxes at rest.
    pub(crate) fn at_rest(asked: BroadPhase, _: &Gathered) -> Self {
        match asked {
            BroadPhase::Auto => Self {
                used: BroadPhase::Grid,
                why: "movers find boxes at rest fastest in a hierarchical grid",
            },
            asked => Self::asked_for(asked),
        }
    }

    /// The choice of a GPU.
    #[cfg(feature = "gpu")]
    pub(crate) fn on_gpu(asked: BroadPhase) -> Self {
        match asked {
            BroadPhase::Auto => Self {
                used: BroadPhase::Grid,
                why: "a GPU sorts boxes into a grid faster than it builds a tree",
            },
            asked => Self::asked_for(asked),
        }
    }
}
