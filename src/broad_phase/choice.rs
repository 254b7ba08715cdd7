//! The choice of a broad phase for a scene on the CPU.

use crate::base::config::BroadPhase;
use crate::broad_phase::all_pairs_cpu::FEW;
use crate::broad_phase::small_worlds_cpu::MOST_IN_WORLD;
use crate::geometry::scene_stats::Gathered;
use crate::rules::filter::SetRules;

/// Number of bodies in a body's world up to which they are compared with each other, if worlds are
/// runs of bodies. Boxes may be more: [`MOST_IN_WORLD`].
const SMALL_WORLD: usize = 256;

/// Number of boxes below which a tree takes less time than a grid, unless they lie in a plane.
/// Measured, like the other constants here.
pub(crate) const SMALL: u64 = 500;

/// Number of boxes of many sizes below which a tree takes less time than a grid, divided by the
/// square of the number of octaves: to plan the levels of a grid takes a time of that order.
const FEW_OF_MANY_SIZES: u64 = 10;

/// Minimum ratio of length to height of a flat world. In its grid, boxes look up a few cells of one
/// slice.
const FLAT: f32 = 4.0;

/// The reasons for a choice: [`BroadPhaseChoice::why`].
mod reason {
    pub const ASKED: &str = "the configuration asks for it";
    pub const FEW_BOXES: &str = "comparing so few boxes takes less time than sorting them";
    pub const BALLS: &str = "the grid alone compares balls without their bounds";
    pub const WORLDS: &str = "a grid keeps worlds apart at no cost";
    pub const SMALL_WORLDS: &str = "each world is so small that its pairs are found within the caches";
    pub const SMALL_SCENE: &str = "a tree finds the pairs of so few boxes faster than a grid";
    pub const MANY_SIZES: &str = "the sizes of so few boxes differ so much that a grid would need too many levels";
    pub const MANY_BOXES: &str = "a grid is fastest for this number of boxes and these sizes";
    pub const AT_REST: &str = "movers find boxes at rest fastest in a hierarchical grid";
    pub const ON_GPU: &str = "a GPU sorts boxes into a grid faster than it builds a tree";

    /// All reasons.
    #[cfg(feature = "serde")]
    pub const ALL: [&str; 10] = [
        ASKED,
        FEW_BOXES,
        BALLS,
        WORLDS,
        SMALL_WORLDS,
        SMALL_SCENE,
        MANY_SIZES,
        MANY_BOXES,
        AT_REST,
        ON_GPU,
    ];
}

/// A choice as deserialized, before its reason is checked against the known ones.
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

/// The broad phase that a check used, and the reason for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct BroadPhaseChoice {
    /// The broad phase; never [`BroadPhase::Auto`].
    pub used: BroadPhase,
    /// The reason, in one sentence without a full stop.
    pub why: &'static str,
}

impl BroadPhaseChoice {
    /// The broad phases that [`BroadPhase::Auto`] may choose for many boxes on the CPU.
    pub(crate) const ALL: [BroadPhase; 3] = [BroadPhase::Grid, BroadPhase::Tree, BroadPhase::AllPairs];

    /// The choice for few boxes.
    pub(crate) const OF_FEW: Self = Self {
        used: BroadPhase::AllPairs,
        why: reason::FEW_BOXES,
    };

    /// Returns the choice of the broad phase that the configuration names.
    pub(crate) const fn asked_for(used: BroadPhase) -> Self {
        Self {
            used,
            why: reason::ASKED,
        }
    }

    /// Returns the choice for this many bodies with these rules, if they determine it whatever the
    /// sizes are. Only boxes are `sortable` within their worlds.
    pub(crate) fn beforehand(asked: BroadPhase, (bodies, sortable): (usize, bool), rules: &SetRules) -> Option<Self> {
        let small = if sortable { MOST_IN_WORLD } else { SMALL_WORLD };
        match asked {
            BroadPhase::Auto if bodies <= FEW => Some(Self::OF_FEW),
            BroadPhase::Auto if !rules.layers.any() && rules.worlds_are_small_runs(small) => Some(Self {
                used: BroadPhase::AllPairs,
                why: reason::SMALL_WORLDS,
            }),
            BroadPhase::Auto => None,
            asked => Some(Self::asked_for(asked)),
        }
    }

    /// Returns `true` if the bodies are in many small worlds, each a run of them, and no broad
    /// phase is requested.
    pub(crate) fn is_of_small_worlds(&self) -> bool {
        self.why == reason::SMALL_WORLDS
    }

    /// Returns the choice for spheres alone, which only the grid compares as spheres, or `None` if
    /// another broad phase is requested.
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

    /// Returns the choice for many boxes on the CPU, based on measurements by
    /// `benches/broad_phases.rs`. A grid has levels of cells for boxes of similar sizes, and every
    /// level is one more place to search. A tree needs none.
    pub(crate) fn by_statistics(stats: &Gathered, worlds: bool) -> Self {
        let of_bin = stats.boxes_of_bin().map(u64::from);
        let boxes: u64 = of_bin.iter().sum();
        let octaves = of_bin.iter().filter(|boxes| **boxes > 0).count() as u64;
        let most_in_two = of_bin.windows(2).map(|two| two[0] + two[1]).max().unwrap_or_default();
        let are_many_sizes = boxes - most_in_two > boxes / 4;
        let (used, why) = match () {
            () if worlds => (BroadPhase::Grid, reason::WORLDS),
            () if boxes < SMALL && !stats.is_flat(FLAT) => (BroadPhase::Tree, reason::SMALL_SCENE),
            () if are_many_sizes && boxes < FEW_OF_MANY_SIZES * octaves * octaves => {
                (BroadPhase::Tree, reason::MANY_SIZES)
            }
            () => (BroadPhase::Grid, reason::MANY_BOXES),
        };
        Self { used, why }
    }

    /// Returns the choice for boxes at rest.
    pub(crate) fn at_rest(asked: BroadPhase, _: &Gathered) -> Self {
        match asked {
            BroadPhase::Auto => Self {
                used: BroadPhase::Grid,
                why: reason::AT_REST,
            },
            asked => Self::asked_for(asked),
        }
    }

    /// Returns the choice for a GPU.
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
