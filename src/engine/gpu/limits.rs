//! How many boxes and pairs a device takes at once: what its bindings hold, what 32 bits number and count, and what drivers let
//! loop.

use crate::broad_phase::grid::grid_build::WORKGROUP;
use crate::broad_phase::grid::grid_query::MOST_COUNTED;
use crate::broad_phase::grid::layout::{BLOCK, MAX_SLOTS_PER_BOX};
use crate::device::limits::{DeviceLimits, MOST_ROUNDS};
use crate::frame::slots::{BOUNDS, BOXES, CANDIDATES};
use crate::geometry::pair::Pair;
use crate::shapes::kind::Shape;

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
    /// Its boxes are over three bindings and its bounds over two; what is in one binding are at most four slots a box, with an
    /// entry more for each block of 1,024, and less of everything else. Slots are numbered in 32 bits. Where there are few
    /// workgroups, each loops over many blocks. Pairs are no limit: those of a range of boxes that 32 bits cannot count are
    /// counted in several.
    pub fn max_boxes(&self) -> usize {
        self.max_records(Shape::Obb)
    }

    /// The same of records of another shape.
    pub fn max_records(&self, shape: Shape) -> usize {
        let bytes = u64::from(self.box_segment()) * BOXES.record * BOXES.bindings as u64;
        let by_boxes = bytes / shape.record_bytes();
        let by_bounds = u64::from(self.bounds_segment()) * BOUNDS.bindings as u64;
        let boxes_of = |blocks: u64| blocks * BLOCK / MAX_SLOTS_PER_BOX as u64;
        let by_slots = boxes_of(self.numbered_bytes() / (4 * (BLOCK + 1)));
        // For each block the rounds of the scan, and the loop's own.
        let rounds = u64::from(WORKGROUP.ilog2() + 1);
        let by_loops = boxes_of(u64::from(self.looping_workgroups) * (MOST_ROUNDS / rounds));
        by_boxes.min(by_bounds).min(by_slots).min(by_loops) as usize
    }

    /// The most boxes at rest that movers are checked against, and the most movers: each are in one binding, and pairs of
    /// all movers of a workgroup are counted in 32 bits.
    pub fn max_boxes_of_query(&self) -> usize {
        let by_boxes = self.box_segment().min(MOST_COUNTED) as usize;
        self.max_boxes().min(by_boxes)
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

    /// The most candidate pairs: their list has a header, and if boxes have margins of their own, half as much again.
    pub fn max_candidates(&self, own_margins: bool) -> u64 {
        let records = self.max_buffer_bytes.saturating_sub(CANDIDATES.header) / CANDIDATES.record;
        let pairs = if own_margins { records * 2 / 3 } else { records };
        pairs.min(self.max_pairs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::limits::FILLING_WORKGROUPS;

    fn limits(max_buffer_bytes: u64, looping_workgroups: u32) -> DeviceLimits {
        DeviceLimits {
            max_buffer_bytes,
            looping_workgroups,
            f64: true,
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
            assert_eq!(limits(bytes, FILLING_WORKGROUPS).max_boxes(), boxes, "{bytes} bytes");
        }
    }

    #[test]
    fn limits_go_together() {
        for bytes in (0..50).flat_map(|k| [1u64 << k, (1 << k) + (1 << k) / 3]) {
            for workgroups in [1, 7, FILLING_WORKGROUPS] {
                let limits = limits(bytes, workgroups);
                let (boxes, query) = (limits.max_boxes() as u64, limits.max_boxes_of_query() as u64);
                let what = format!("{bytes} bytes, {workgroups} workgroups: {boxes} boxes");
                assert!(
                    boxes == 0 || limits.max_candidates(true) >= boxes,
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
