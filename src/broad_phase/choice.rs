//! Which broad phase suits a scene on the CPU.

use crate::base::config::BroadPhase;
use crate::broad_phase::all_pairs_cpu::FEW;
use crate::geometry::bounds::BINS;
use crate::geometry::scene_stats::Gathered;

/// Boxes that are many enough for a grid with a few giants. Measured, as all else here.
const MANY: u64 = 300_000;

/// Boxes that a tree takes less time for than a grid, unless they lie in a plane.
const SMALL: u64 = 1_500;

/// How many times as long as it is high a flat world is. In its grid boxes look up a few cells of one slice.
const FLAT: f32 = 4.0;

/// Octaves from common sizes to those of giants.
const GIANT: usize = 2;

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
    pub(crate) const ALL: [BroadPhase; 2] = [BroadPhase::Grid, BroadPhase::Tree];

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

    /// The choice for many boxes on the CPU, which `benches/broad_phases.rs` measures: a grid has levels of cells for boxes of like sizes, and
    /// every level is one more place to look. A tree needs none.
    pub(crate) fn by_statistics(stats: &Gathered, worlds: bool) -> Self {
        let boxes: u64 = stats.boxes_of_bin().iter().copied().map(u64::from).sum();
        let two_octaves = |&bin: &usize| {
            stats.boxes_of_bin()[bin..bin + 2]
                .iter()
                .copied()
                .map(u64::from)
                .sum::<u64>()
        };
        let common = (0..BINS - 1).max_by_key(two_octaves).unwrap_or_default();
        let uncommon = boxes - two_octaves(&common);
        let largest = stats
            .boxes_of_bin()
            .iter()
            .rposition(|&boxes| boxes > 0)
            .unwrap_or_default();
        let (used, why) = match () {
            () if worlds => (BroadPhase::Grid, "a grid keeps worlds apart at no cost"),
            () if boxes < SMALL && !stats.is_flat(FLAT) => (
                BroadPhase::Tree,
                "a tree finds the pairs of so few boxes faster than a grid",
            ),
            () if uncommon > boxes / 4 => (
                BroadPhase::Tree,
                "more than a quarter of the boxes are much smaller or larger than the others: a grid would have many levels",
            ),
            () if boxes < MANY && largest > common + GIANT => (
                BroadPhase::Tree,
                "there are much larger boxes among not many small ones, and all of these would look for them in a grid",
            ),
            () => (
                BroadPhase::Grid,
                "most boxes are of like sizes, and a grid finds those fastest",
            ),
        };
        Self { used, why }
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
