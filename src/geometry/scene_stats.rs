//! What is known of the boxes of a scene once their bounds are made. Twin of `shaders/broad_phase/grid/statistics.wgsl`, which
//! gathers it on a GPU.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use crate::geometry::bounds::{BINS, Bounds, Gather, ordered, size_bin, unordered};

/// Where the bounds are and how large, as a grid is planned from: `struct SceneStats` of `shaders/shared/scene_stats.wgsl`. All
/// zeros are the statistics of no boxes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SceneStats {
    /// How far the bounds reach down: the complement of the smallest coordinates as [`ordered`] integers.
    pub below: [u32; 3],
    /// Boxes that may be invalid; 0 on the CPU, which finds out at once.
    pub suspects: u32,
    /// How far the bounds reach up: the largest coordinates as [`ordered`] integers.
    pub above: [u32; 3],
    /// On a GPU 1 if some box is turned otherwise than about z, else 0.
    pub tilted: u32,
    /// Boxes by [`size_bin`].
    pub boxes_of_bin: [u32; BINS],
    /// Bits of the largest size in each bin.
    pub largest_of_bin: [u32; BINS],
}

impl Default for SceneStats {
    fn default() -> Self {
        Self::zeroed()
    }
}

impl Gather for SceneStats {
    fn add(&mut self, bounds: &Bounds) {
        let size = bounds.size();
        let bin = size_bin(size) as usize;
        self.boxes_of_bin[bin] += 1;
        self.largest_of_bin[bin] = self.largest_of_bin[bin].max(size.to_bits());
        for axis in 0..3 {
            self.below[axis] = self.below[axis].max(!ordered(bounds.low[axis]));
            self.above[axis] = self.above[axis].max(ordered(bounds.high[axis]));
        }
    }

    fn merge(mut self, other: Self) -> Self {
        for axis in 0..3 {
            self.below[axis] = self.below[axis].max(other.below[axis]);
            self.above[axis] = self.above[axis].max(other.above[axis]);
        }
        for bin in 0..BINS {
            self.boxes_of_bin[bin] += other.boxes_of_bin[bin];
            self.largest_of_bin[bin] = self.largest_of_bin[bin].max(other.largest_of_bin[bin]);
        }
        self
    }
}

impl SceneStats {
    /// The corner of the world with the smallest coordinates.
    pub fn world_low(&self) -> Vec3 {
        Vec3::from_array(self.below.map(|key| unordered(!key)))
    }

    /// The corner of the world with the largest coordinates.
    pub fn world_high(&self) -> Vec3 {
        Vec3::from_array(self.above.map(unordered))
    }
}
