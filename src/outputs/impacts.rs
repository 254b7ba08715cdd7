//! The result of a sweep.

use crate::base::engine::Engine;
use crate::base::timings::Timings;
use crate::geometry::pair::Pair;
use crate::narrow_phase::moving_moving::time_of_impact::{ImpactState, TimeOfImpact};
use crate::outputs::report::checksum;

/// Two boxes that meet during a step, with the time and place of their first contact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Impact {
    /// The boxes. The normal points from a to b.
    pub pair: Pair,
    /// The first contact.
    pub first: TimeOfImpact,
}

/// The result of a sweep: all pairs that meet during a step.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Impacts {
    /// The number of boxes given, in both sets if there are two.
    pub boxes: usize,
    /// The number of boxes of the first set if there are two, else 0.
    pub(crate) first_set: usize,
    /// The number of pairs whose swept bounds overlap.
    pub candidate_pairs: u64,
    /// All impacts, sorted by time, then by a, then by b. Each pair occurs at most once.
    pub impacts: Vec<Impact>,
    /// The number of bytes of GPU memory held afterwards, as in
    /// [`Report::device_bytes`](crate::Report::device_bytes).
    pub device_bytes: u64,
    /// The engine that ran the sweep.
    pub engine: Engine,
    /// The duration of the sweep.
    pub timings: Timings,
}

impl Impacts {
    /// Returns the number of pairs that share a point at the start.
    pub fn starting(&self) -> usize {
        let is_start = |impact: &&Impact| impact.first.state == ImpactState::Start;
        self.impacts.iter().filter(is_start).count()
    }

    /// Returns the [checksum](crate::report::checksum) of the pairs.
    pub fn checksum(&self) -> u64 {
        self.impacts
            .iter()
            .fold(0, |sum: u64, impact| sum.wrapping_add(checksum(&[impact.pair])))
    }

    /// Returns for each box the position of its earliest impact in [`Impacts::impacts`], the first
    /// of several at the same time, or `None` if it meets nothing. The boxes of a second set follow
    /// those of the first. Takes time O(boxes + impacts).
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
