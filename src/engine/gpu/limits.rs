//! The number of boxes and pairs that a device can process at once. It is limited by the size of
//! bindings, by numbering and counting in 32 bits, and by the loops that drivers allow.

use crate::broad_phase::grid::grid_query::MOST_COUNTED;
use crate::broad_phase::passes::BroadPhase;
use crate::device::limits::{DeviceLimits, MOST_ROUNDS};
use crate::frame::slots::{BOUNDS, BOXES, CANDIDATES};
use crate::geometry::pair::Pair;

/// Number of words of a candidate pair without extras. There is one more word for a margin if boxes
/// have their own margins, and one more for its place in a queue if bodies are of several kinds.
pub(crate) const WORDS: u64 = 2;
const MOST_WORDS: u64 = WORDS + 2;

/// Returns the number of words of a candidate pair of such a frame.
pub(crate) fn words_of_candidate(own_margins: bool, queued: bool) -> u64 {
    WORDS + u64::from(own_margins) + u64::from(queued)
}

/// Returns the number of records of the candidate list that this many pairs take, each of `words`
/// words.
pub(crate) fn candidate_records(pairs: u64, words: u64) -> u64 {
    (pairs * words).div_ceil(WORDS)
}

/// Returns the number of pairs that this many records of the candidate list hold. The inverse of
/// [`candidate_records`].
pub(crate) fn candidate_pairs(records: u64, words: u64) -> u64 {
    records * WORDS / words
}

impl DeviceLimits {
    /// Returns the number of oriented boxes in a full segment.
    pub fn box_segment(&self) -> u32 {
        (self.numbered_bytes() / BOXES.unit * BOXES.unit / BOXES.record) as u32
    }

    /// Returns the number of bounds, or of sorted records, in a full segment.
    pub fn bounds_segment(&self) -> u32 {
        (self.numbered_bytes() / BOUNDS.record) as u32
    }

    /// Returns the maximum number of boxes of a scene that is checked as a whole.
    ///
    /// Its boxes are divided among three bindings and its bounds among two. The broad phase's limit
    /// follows from its lists in one binding. The number of pairs is no limit: if 32 bits cannot
    /// count the pairs of a range of boxes, the range is divided.
    pub fn max_boxes(&self, broad_phase: &BroadPhase) -> usize {
        self.max_records(broad_phase, BOXES.record)
    }

    /// Like [`DeviceLimits::max_boxes`], for records of this many bytes.
    pub fn max_records(&self, broad_phase: &BroadPhase, record: u64) -> usize {
        let bytes = u64::from(self.box_segment()) * BOXES.record * BOXES.bindings as u64;
        let by_boxes = bytes / record;
        let by_bounds = u64::from(self.bounds_segment()) * BOUNDS.bindings as u64;
        let by_candidates = self.max_candidates(MOST_WORDS);
        let by_broad_phase = (broad_phase.most_boxes)(self);
        by_boxes.min(by_bounds).min(by_broad_phase).min(by_candidates) as usize
    }

    /// Returns the maximum number of boxes at rest in a check of movers, and of movers. Each set is
    /// in one binding, and the pairs of all movers of a workgroup are counted in 32 bits.
    pub fn max_boxes_of_query(&self, broad_phase: &BroadPhase) -> usize {
        self.max_records_of_query(broad_phase, BOXES.record)
    }

    /// Like [`DeviceLimits::max_boxes_of_query`], for records of this many bytes.
    pub fn max_records_of_query(&self, broad_phase: &BroadPhase, record: u64) -> usize {
        let by_boxes = u64::from(self.box_segment()) * BOXES.record / record;
        self.max_records(broad_phase, record)
            .min(by_boxes.min(u64::from(MOST_COUNTED)) as usize)
    }

    /// Returns the maximum number of pairs in a list. A single box never has more, because there
    /// are fewer boxes.
    pub fn max_pairs(&self) -> u64 {
        let by_loops = u64::from(self.looping_workgroups) * 256 * MOST_ROUNDS;
        (self.max_buffer_bytes / size_of::<Pair>() as u64)
            .min(u64::from(u32::MAX / 2))
            .min(by_loops)
    }

    /// Returns the maximum number of pairs that `f32` may leave undecided. If the device has `f64`,
    /// the pairs that it leaves undecided take the other half of the list. A single box never has
    /// more, either.
    pub fn max_undecided(&self) -> u64 {
        self.max_pairs() >> u32::from(self.f64)
    }

    /// Returns the maximum number of candidate pairs of `words` words each. Their list has a
    /// header. If a pair has more than `WORDS` words, its words are numbered in 32 bits.
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
    fn candidate_records_and_pairs_convert_back_and_forth() {
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
        // The bindings of large GPUs, those of Mesa's lavapipe (the size that WebGPU guarantees),
        // and unlimited ones.
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
    fn limits_are_consistent() {
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
                // Lists without segments, and the numbers used in shaders.
                assert!(boxes * 12 <= bytes, "{what}: places");
                assert!(boxes * 4 * 1025 / 1024 < 1 << 32, "{what}: slots");
                assert!(3 * u64::from(limits.box_segment()) < 1 << 32, "{what}: boxes");
                let segment_bytes = u64::from(limits.box_segment()) * BOXES.record;
                assert_eq!(segment_bytes % 256, 0, "{what}: bindings");
            }
        }
    }
}
