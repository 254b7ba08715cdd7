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

/// Why a broad phase is used: [`BroadPhaseChoice::why`].
mod reason {
    pub const ASKED: &str = "the configuration asks for it";
    pub const FEW_BOXES: &str = "comparing so few boxes takes less time than sorting them";
    pub const BALLS: &str = "the grid alone compares balls without their bounds";
    pub const WORLDS: &str = "a grid keeps worlds apart at no cost";
    pub const SMALL_SCENE: &str = "a tree finds the pairs of so few boxes faster than a grid";
    pub const MANY_SIZES: &str =
        "more than a quarter of the boxes are much smaller or larger than the others: a grid would have many levels";
    pub const GIANTS: &str =
        "there are much larger boxes among not many small ones, and all of these would look for them in a grid";
    pub const LIKE_SIZES: &str = "most boxes are of like sizes, and a grid finds those fastest";
    pub const AT_REST: &str = "movers find boxes at rest fastest in a hierarchical grid";
    pub const ON_GPU: &str = "a GPU sorts boxes into a grid faster than it builds a tree";

    /// All of them.
    #[cfg(feature = "serde")]
    pub const ALL: [&str; 10] = [
        ASKED,
        FEW_BOXES,
        BALLS,
        WORLDS,
        SMALL_SCENE,
        MANY_SIZES,
        GIANTS,
        LIKE_SIZES,
        AT_REST,
        ON_GPU,
    ];
}

/// A choice as it is read, whose reason has to be one of ours.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(rename = "BroadPhaseChoice")]
struct Written {
    used: BroadPhase,
    why: String,
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for BroadPhaseChoice {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Written { used, why } = Written::deserialize(deserializer)?;
        let known = reason::ALL.into_iter().find(|reason| *reason == why);
        let unknown = || serde::de::Error::custom("the reason for the broad phase is of another version");
        Ok(Self {
            used,
            why: known.ok_or_else(unknown)?,
        })
    }
}

/// Which broad phase a check used, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
            why: reason::ASKED,
        }
    }

    /// The choice for this many boxes, if that is all that matters.
    pub(crate) fn by_count(asked: BroadPhase, boxes: usize) -> Option<Self> {
        match asked {
            BroadPhase::Auto if boxes <= FEW => Some(Self {
                used: BroadPhase::AllPairs,
                why: reason::FEW_BOXES,
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
                why: reason::BALLS,
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
            () if worlds => (BroadPhase::Grid, reason::WORLDS),
            () if boxes < SMALL && !stats.is_flat(FLAT) => (BroadPhase::Tree, reason::SMALL_SCENE),
            () if uncommon > boxes / 4 => (BroadPhase::Tree, reason::MANY_SIZES),
            () if boxes < MANY && largest > common + GIANT => (BroadPhase::Tree, reason::GIANTS),
            () => (BroadPhase::Grid, reason::LIKE_SIZES),
        };
        Self { used, why }
    }

    /// The choice for boxes at rest.
    pub(crate) fn at_rest(asked: BroadPhase, _: &Gathered) -> Self {
        match asked {
            BroadPhase::Auto => Self {
                used: BroadPhase::Grid,
                why: reason::AT_REST,
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
                why: reason::ON_GPU,
            },
            asked => Self::asked_for(asked),
        }
    }
}
