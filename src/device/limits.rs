//! How much a device takes at once: what its bindings hold, what 32 bits number and count, and what drivers let loop.

use crate::base::config::GpuConfig;
use crate::broad_phase::grid::grid_build::{PER_INVOCATION, WORKGROUP};
use crate::broad_phase::grid::layout::{BLOCK, MAX_SLOTS_PER_BOX};
use crate::device::adapters::AdapterSummary;
use crate::device::kernel::FILLING_WORKGROUPS;
use crate::device::segments::{BOUNDS_SEGMENTS, BOX_SEGMENTS};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::shapes::obb::record::Obb;

/// Bytes of a segment of boxes are a multiple of this: 16 [`Obb`]s or 32 [`Aabb`](crate::Aabb)s, and a place in a buffer
/// where a binding may begin (256 bytes and their multiples), as all segments of a caller's boxes are in one buffer.
const BOX_SEGMENT_UNIT: u64 = 768;

/// Entries of four bytes in so many can be numbered in 32 bits, and larger records all the more.
const MOST_NUMBERED_BYTES: u64 = 1 << 34;

/// Rounds that the loops of an invocation take in all, at most: half of what drivers allow (`shaders/shared/loops.wgsl`).
const MOST_ROUNDS: u64 = 1 << 15;

/// Pairs that each invocation of a walk can find so that all of a workgroup, 64, are counted in 32 bits.
pub(crate) const MOST_COUNTED: u32 = (1 << 26) - 1;

/// What a device and the configuration allow, as far as it bears on memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DeviceLimits {
    /// Largest buffer and binding, in bytes.
    pub max_buffer_bytes: u64,
    /// Workgroups of a dispatch whose invocations loop.
    pub looping_workgroups: u32,
    /// Shaders can compute in f64.
    pub f64: bool,
}

impl DeviceLimits {
    /// The limits of a device of `adapter` that we open ourselves.
    pub fn of_adapter(adapter: &AdapterSummary, config: &GpuConfig) -> Self {
        let workgroups = config.max_workgroups_per_dimension.unwrap_or(u32::MAX);
        Self {
            max_buffer_bytes: max_buffer_bytes(adapter.max_binding_bytes, adapter.max_buffer_bytes, config),
            // All devices allow more.
            looping_workgroups: workgroups.clamp(1, FILLING_WORKGROUPS),
            f64: config.shader_f64 && adapter.shader_f64,
        }
    }

    fn numbered_bytes(&self) -> u64 {
        self.max_buffer_bytes.min(MOST_NUMBERED_BYTES)
    }

    /// Bytes of boxes in a segment that is full.
    pub fn box_segment_bytes(&self) -> u64 {
        self.numbered_bytes() / BOX_SEGMENT_UNIT * BOX_SEGMENT_UNIT
    }

    /// Boxes in a segment that is full; twice as many if they are [`Aabb`](crate::Aabb)s.
    pub fn box_segment(&self) -> u32 {
        (self.box_segment_bytes() / size_of::<Obb>() as u64) as u32
    }

    /// Bounds, or sorted records, in a segment that is full.
    pub fn bounds_segment(&self) -> u32 {
        (self.numbered_bytes() / size_of::<Bounds>() as u64) as u32
    }

    /// Bytes of bounds in a segment that is full.
    pub fn bounds_segment_bytes(&self) -> u64 {
        u64::from(self.bounds_segment()) * size_of::<Bounds>() as u64
    }

    /// The most boxes of a scene that is checked whole.
    ///
    /// Its boxes are over three bindings and its bounds over two; what is in one binding are at most four slots a box, with an
    /// entry more for each block of 1,024, and less of everything else. Slots are numbered in 32 bits. Where there are few workgroups, each loops over
    /// many blocks. Pairs are no limit: those of a range of boxes that 32 bits cannot count are counted in several.
    pub fn max_boxes(&self) -> usize {
        let by_boxes = u64::from(self.box_segment()) * BOX_SEGMENTS as u64;
        let by_bounds = u64::from(self.bounds_segment()) * BOUNDS_SEGMENTS as u64;
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

    /// The most pairs a buffer may hold. A single box never has more: there are fewer boxes.
    pub fn max_pairs(&self) -> u64 {
        let by_loops = u64::from(self.looping_workgroups) * 256 * MOST_ROUNDS;
        (self.max_buffer_bytes / size_of::<Pair>() as u64)
            .min(u64::from(u32::MAX / 2))
            .min(by_loops)
    }
}

/// The largest buffer that is made, by the largest binding and buffer of a device.
pub(crate) fn max_buffer_bytes(binding: u64, buffer: u64, config: &GpuConfig) -> u64 {
    binding.min(buffer).min(config.max_buffer_bytes.unwrap_or(u64::MAX)) & !15
}

// A block is what a workgroup's invocations allocate together.
const _: () = assert!(BLOCK == (WORKGROUP * PER_INVOCATION) as u64);

#[cfg(test)]
mod tests {
    use super::*;

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
                    boxes == 0 || limits.max_pairs() >= boxes,
                    "{what}: a single box's pairs"
                );
                assert!(query <= boxes && query <= limits.max_pairs(), "{what}");
                assert!(boxes <= 3 * u64::from(limits.box_segment()), "{what}");
                assert!(boxes <= 2 * u64::from(limits.bounds_segment()), "{what}");
                // What has no segments, and the numbers of shaders.
                assert!(boxes * 12 <= bytes, "{what}: places");
                assert!(boxes * 4 * 1025 / 1024 < 1 << 32, "{what}: slots");
                assert!(3 * u64::from(limits.box_segment()) < 1 << 32, "{what}: boxes");
                assert_eq!(limits.box_segment_bytes() % 256, 0, "{what}: bindings");
            }
        }
    }
}
