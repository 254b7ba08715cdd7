//! The totals of a tile, and of all tiles.

use serde::{Deserialize, Serialize};

use obbligato::Report;

/// The results of a check as counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Totals {
    /// The number of boxes of the file.
    pub boxes: u64,
    /// The number of pairs whose bounds overlap. A pair on the border of tiles counts once in each
    /// of them.
    pub candidate_pairs: u64,
    /// The number of pairs, without duplicates.
    pub colliding_pairs: u64,
    /// See [`Report::touching_pairs`].
    pub touching_pairs: Option<u64>,
    /// See [`Report::near_pairs`].
    pub near_pairs: Option<u64>,
    /// See [`Report::undecided_pairs`]. A pair on the border of tiles counts once in each of them.
    pub undecided_pairs: u64,
    /// See [`Report::undecided_after_f64`]. A pair on the border of tiles counts once in each of
    /// them.
    pub undecided_after_f64: u64,
    /// The [`checksum`](obbligato::report::checksum) of the pairs, by ids.
    pub checksum: u64,
}

impl Totals {
    /// Returns the totals of a tile's report, without the checksum of its pairs.
    pub(super) fn of(report: &Report) -> Self {
        Self {
            boxes: 0,
            candidate_pairs: report.candidate_pairs,
            colliding_pairs: report.colliding_pairs,
            touching_pairs: report.touching_pairs,
            near_pairs: report.near_pairs,
            undecided_pairs: report.undecided_pairs,
            undecided_after_f64: report.undecided_after_f64,
            checksum: 0,
        }
    }

    /// Returns totals without pairs, for `boxes` boxes. `exact` is set if touching pairs are
    /// counted.
    pub(super) fn none(boxes: u64, exact: bool) -> Self {
        Self {
            boxes,
            touching_pairs: exact.then_some(0),
            near_pairs: exact.then_some(0),
            ..Self::default()
        }
    }

    /// Adds the totals of another tile.
    pub(super) fn add(&mut self, other: &Self) {
        let sum = |own: Option<u64>, other: Option<u64>| Some(own? + other?);
        self.candidate_pairs += other.candidate_pairs;
        self.colliding_pairs += other.colliding_pairs;
        self.touching_pairs = sum(self.touching_pairs, other.touching_pairs);
        self.near_pairs = sum(self.near_pairs, other.near_pairs);
        self.undecided_pairs += other.undecided_pairs;
        self.undecided_after_f64 += other.undecided_after_f64;
        self.checksum = self.checksum.wrapping_add(other.checksum);
    }
}
