//! How many boxes and pairs a device takes at once: what its bindings hold, what 32 bits number and count, and what drivers let
//! loop.

use crate::broad_phase::grid::grid_query::MOST_COUNTED;
use crate::broad_phase::passes::BroadPhase;
use crate::device::limits::{DeviceLimits, MOST_ROUNDS};
use crate::frame::slots::{BOUNDS, BOXES, CANDIDATES};
use crate::geometry::pair::Pair;

/// Words of a candidate pair: the pair itself, one more for a margin if boxes have margins of their own, and one more for its place in
/// a queue if bodies are of several kinds.
pub(crate) const WORDS: u64 = 2;
const MOST_WORDS: u64 = WORDS + 2;

/// Words of a candidate pair of such a frame.
pub(crate) fn words_of_candidate(own_margins: bool, queued: bool) -> u64 {
    WORDS + u64::from(own_margins) + u64::from(queued)
}

/// Records of the list of candidate pairs that so many pairs take, of so many words each.
pub(crate) fn candidate_records(pairs: u64, words: u64) -> u64 {
    (pairs * words).div_ceil(WORDS)
}

/// Pairs that so many records of the list hold: the inverse.
pub(crate) fn candidate_pairs(records: u64, words: u64) -> u64 {
    records * WORDS / words
}

impl DeviceLimits {
    /// Oriented boxes in a segment that is full.
    pub fn box_segment(&self) -> u32 {
        (self.numbered_bytes() / BOXES.unit * BOXES.unit / BOXES.record) as u32
    }

    /// Bounds, or sorted records, in a segment that is full.
    pub fn bounds_segment(&self) -> u32 {
        (self.numbered_bytes() / BOUNDS.record) as u32
    }

    /// The most boxes of a scene that is checked whole.
    ///
    /// Its boxes are over three bindings and its bounds over two; what the broad phase has in one binding is its own limit. Pairs are
    /// none: those of a range of boxes that 32 bits cannot count are counted in several.
    pub fn max_boxes(&self, broad_phase: &BroadPhase) -> usize {
        self.max_records(broad_phase, BOXES.record)
    }

    /// The same of records of so many bytes.
    pub fn max_records(&self, broad_phase: &BroadPhase, record: u64) -> usize {
        let bytes = u64::from(self.box_segment()) * BOXES.record * BOXES.bindings as u64;
        let by_boxes = bytes / record;
        let by_bounds = u64::from(self.bounds_segment()) * BOUNDS.bindings as u64;
        let by_candidates = self.max_candidates(MOST_WORDS);
        let by_broad_phase = (broad_phase.most_boxes)(self);
        by_boxes.min(by_bounds).min(by_broad_phase).min(by_candidates) as usize
    }

    /// The most boxes at rest that movers are checked against, and the most movers: each are in one binding, and pairs of
    /// all movers of a workgroup are counted in 32 bits.
    pub fn max_boxes_of_query(&self, broad_phase: &BroadPhase) -> usize {
        self.max_records_of_query(broad_phase, BOXES.record)
    }

    /// The same of records of so many bytes.
    pub fn max_records_of_query(&self, broad_phase: &BroadPhase, record: u64) -> usize {
        let by_boxes = u64::from(self.box_segment()) * BOXES.record / record;
        self.max_records(broad_phase, record)
            .min(by_boxes.min(u64::from(MOST_COUNTED)) as usize)
    }

    /// The most pairs a list may hold. A single box never has more: there are fewer boxes.
    pub fn max_pairs(&self) -> u64 {
        let by_loops = u64::from(self.looping_workgroups) * 256 * MOST_ROUNDS;
        (self.max_buffer_bytes / size_of::<Pair>() as u64)
            .min(u64::from(u32::MAX / 2))
            .min(by_loops)
    }

    /// The most pairs that f32 may leave undecided: where there is f64, what it leaves takes the other half of the list. A single
    /// box never has more either.
    pub fn max_undecided(&self) -> u64 {
        self.max_pairs() >> u32::from(self.f64)
    }

    /// The most candidate pairs of so many words each: their list has a header, and words are numbered in 32 bits where they are more
    /// than the pairs.
    pub fn max_candidates(&self, words: u64) -> u64 {
        let records = self.max_buffer_bytes.saturating_sub(CANDIDATES.header) / CANDIDATES.record;
        let numbered = if words > WORDS {
            u64::from(u32::MAX) / words
        } else {
            u64::MAX
        };
        candidate_pairs(records, words).min(self.max_pairs()).min(numbered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad_phase::passes::{self, GRID};
    use crate::device::limits::FILLING_WORKGROUPS;

    fn limits(max_buffer_bytes: u64, looping_workgroups: u32) -> DeviceLimits {
        DeviceLimits {
            max_buffer_bytes,
            looping_workgroups,
            f64: true,
        }
    }

    #[test]
    fn records_of_candidates_and_pairs_are_inverse() {
        for words in WORDS..=MOST_WORDS {
            for pairs in 0..100 {
                let records = candidate_records(pairs, words);
                let held = candidate_pairs(records, words);
                assert!(
                    held >= pairs && held * words <= records * WORDS,
                    "{pairs} of {words} words"
                );
            }
        }
    }

    #[test]
    fn large_scenes_are_checked_whole() {
        // The bindings of large GPUs, those of Mesa's lavapipe, which WebGPU guarantees, and any.
        for (bytes, boxes) in [
            (i32::MAX as u64 & !15, 134_086_656),
            (128 << 20, 8_380_416),
            (u64::MAX, 954_204_160),
        ] {
            assert_eq!(
                limits(bytes, FILLING_WORKGROUPS).max_boxes(&GRID),
                boxes,
                "{bytes} bytes"
            );
        }
    }

    #[test]
    fn limits_go_together() {
        for bytes in (0..50).flat_map(|k| [1u64 << k, (1 << k) + (1 << k) / 3]) {
            for (workgroups, phase) in [1, 7, FILLING_WORKGROUPS]
                .into_iter()
                .flat_map(|n| passes::ALL.map(|phase| (n, phase)))
            {
                let limits = limits(bytes, workgroups);
                let (boxes, query) = (limits.max_boxes(phase) as u64, limits.max_boxes_of_query(phase) as u64);
                let what = format!("{bytes} bytes, {workgroups} workgroups: {boxes} boxes");
                assert!(
                    boxes == 0 || limits.max_candidates(MOST_WORDS) >= boxes,
                    "{what}: a single box's candidate pairs"
                );
                assert!(
                    boxes == 0 || limits.max_undecided() >= boxes,
                    "{what}: a single box's undecided pairs"
                );
                assert!(query <= boxes && query <= limits.max_pairs(), "{what}");
                assert!(boxes <= 3 * u64::from(limits.box_segment()), "{what}");
                assert!(boxes <= 2 * u64::from(limits.bounds_segment()), "{what}");
                // What has no segments, and the numbers of shaders.
                assert!(boxes * 12 <= bytes, "{what}: places");
                assert!(boxes * 4 * 1025 / 1024 < 1 << 32, "{what}: slots");
                assert!(3 * u64::from(limits.box_segment()) < 1 << 32, "{what}: boxes");
                let segment_bytes = u64::from(limits.box_segment()) * BOXES.record;
                assert_eq!(segment_bytes % 256, 0, "{what}: bindings");
            }
        }
    }
}
