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

/// Statistics on the way: corners as numbers, which are faster to compare than integers of the same order.
pub(crate) struct Gathered {
    low: Vec3,
    high: Vec3,
    boxes_of_bin: [u32; BINS],
    largest_of_bin: [u32; BINS],
}

impl Default for Gathered {
    fn default() -> Self {
        Self {
            low: Vec3::INFINITY,
            high: Vec3::NEG_INFINITY,
            boxes_of_bin: [0; BINS],
            largest_of_bin: [0; BINS],
        }
    }
}

impl Gathered {
    /// Boxes by [`size_bin`]: an octave each.
    pub fn boxes_of_bin(&self) -> &[u32; BINS] {
        &self.boxes_of_bin
    }

    /// Whether the two longest extents of the world are so many times its shortest at least.
    pub fn is_flat(&self, times: f32) -> bool {
        let mut extents = (self.high - self.low).to_array();
        extents.sort_by(f32::total_cmp);
        extents[1] >= times * extents[0]
    }

    /// Takes in the size of one more record.
    #[inline(always)]
    pub fn add_size(&mut self, size: f32) {
        let bin = size_bin(size) as usize;
        self.boxes_of_bin[bin] += 1;
        self.largest_of_bin[bin] = self.largest_of_bin[bin].max(size.to_bits());
    }

    /// Takes in corners of bounds.
    #[inline(always)]
    pub fn add_corners(&mut self, low: Vec3, high: Vec3) {
        (self.low, self.high) = (least(self.low, low), -least(-self.high, -high));
    }
}

impl Gather for Gathered {
    #[inline(always)]
    fn add(&mut self, bounds: &Bounds, size: f32) {
        self.add_size(size);
        self.add_corners(bounds.low, bounds.high);
    }

    fn merge(mut self, other: Self) -> Self {
        (self.low, self.high) = (least(self.low, other.low), -least(-self.high, -other.high));
        for bin in 0..BINS {
            self.boxes_of_bin[bin] += other.boxes_of_bin[bin];
            self.largest_of_bin[bin] = self.largest_of_bin[bin].max(other.largest_of_bin[bin]);
        }
        self
    }
}

/// The smaller coordinates of corners, none of which is NaN: [`Vec3::min`] would ask.
#[inline(always)]
fn least(a: Vec3, b: Vec3) -> Vec3 {
    let least = |a: f32, b: f32| if a < b { a } else { b };
    Vec3::new(least(a.x, b.x), least(a.y, b.y), least(a.z, b.z))
}

impl From<&Gathered> for SceneStats {
    fn from(gathered: &Gathered) -> Self {
        if gathered.low.x > gathered.high.x {
            return Self::zeroed();
        }
        Self {
            below: gathered.low.to_array().map(|x| !ordered(x)),
            suspects: 0,
            above: gathered.high.to_array().map(ordered),
            tilted: 0,
            boxes_of_bin: gathered.boxes_of_bin,
            largest_of_bin: gathered.largest_of_bin,
        }
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
