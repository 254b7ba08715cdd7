//! What a sweep returns.

use crate::base::engine::Engine;
use crate::base::timings::Timings;
use crate::geometry::pair::Pair;
use crate::narrow_phase::moving_moving::time_of_impact::{ImpactState, TimeOfImpact};
use crate::outputs::report::checksum;

/// Two boxes that meet during a step, and when and how they do.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Impact {
    /// The boxes. The normal points from a to b.
    pub pair: Pair,
    /// When and how.
    pub first: TimeOfImpact,
}

/// The result of a sweep: all pairs that meet during a step.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Impacts {
    /// Boxes given, of both sets if there are two.
    pub boxes: usize,
    /// Boxes of the first set, if there are two; else 0.
    pub(crate) first_set: usize,
    /// Pairs whose swept bounds overlap.
    pub candidate_pairs: u64,
    /// All impacts, sorted by time, then by a, then by b. Each pair is in it once at most.
    pub impacts: Vec<Impact>,
    /// Bytes of GPU memory held afterwards, as in [`Report::device_bytes`](crate::Report::device_bytes).
    pub device_bytes: u64,
    /// Where the sweep ran.
    pub engine: Engine,
    /// How long it took.
    pub timings: Timings,
}

impl Impacts {
    /// How many pairs share a point at the start.
    pub fn starting(&self) -> usize {
        let is_start = |impact: &&Impact| impact.first.state == ImpactState::Start;
        self.impacts.iter().filter(is_start).count()
    }

    /// The [checksum](crate::checksum) of the pairs.
    pub fn checksum(&self) -> u64 {
        self.impacts
            .iter()
            .fold(0, |sum: u64, impact| sum.wrapping_add(checksum(&[impact.pair])))
    }

    /// For each box the position of its earliest impact in [`Impacts::impacts`], the first of several at the same time; `None` if
    /// it meets nothing. The boxes of a second set come after those of the first. O(boxes + impacts).
    pub fn earliest(&self) -> Vec<Option<usize>> {
        let mut earliest = vec![None; self.boxes];
        for (position, impact) in self.impacts.iter().enumerate() {
            let Pair { a, b } = impact.pair;
            for id in [a as usize, self.first_set + b as usize] {
                earliest[id].get_or_insert(position);
            }
        }
        earliest
    }
}
