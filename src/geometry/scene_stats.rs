//! Statistics of the boxes of a scene, gathered while their bounds are computed. Twin of
//! `shaders/broad_phase/grid/statistics.wgsl`, which gathers them on a GPU.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use crate::geometry::bounds::{BINS, Bounds, Gather, ordered, size_bin, unordered};

/// The most layers of bodies: as many as the rules make.
pub(crate) const MAX_LAYERS: usize = 4;

/// The extent and the sizes of the bounds, from which a grid is planned: `struct SceneStats` of
/// `shaders/shared/scene_stats.wgsl`. All zeros are the statistics of no boxes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SceneStats {
    /// The lower corner of all bounds: the complement of the smallest coordinates as [`ordered`]
    /// integers.
    pub below: [u32; 3],
    /// The number of boxes that may be invalid; 0 on the CPU, which detects them immediately.
    pub suspects: u32,
    /// The upper corner of all bounds: the largest coordinates as [`ordered`] integers.
    pub above: [u32; 3],
    /// 1 on a GPU if some box is rotated other than about z, else 0.
    pub tilted: u32,
    /// The number of boxes by [`size_bin`].
    pub boxes_of_bin: [u32; BINS],
    /// Bits of the largest size in each bin.
    pub largest_of_bin: [u32; BINS],
    /// The bodies of each layer; zeros where there are none, and on the CPU.
    pub layers: [LayerStats; MAX_LAYERS],
}

/// The extent and the sizes of the bounds of a layer, as in [`SceneStats`]: `struct LayerStats` of
/// `shaders/shared/scene_stats.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct LayerStats {
    pub below: [u32; 3],
    pub above: [u32; 3],
    pub boxes_of_bin: [u32; BINS],
}

/// Statistics while they are gathered: corners are floats, which are faster to compare than
/// integers of the same order.
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
    /// Returns the number of boxes by [`size_bin`]: an octave each.
    pub fn boxes_of_bin(&self) -> &[u32; BINS] {
        &self.boxes_of_bin
    }

    /// Returns `true` if the two longest extents of the world are at least `times` its shortest.
    pub fn is_flat(&self, times: f32) -> bool {
        let mut extents = (self.high - self.low).to_array();
        extents.sort_by(f32::total_cmp);
        extents[1] >= times * extents[0]
    }

    /// Lets the world have no extent along z, so that a grid is one cell high: bounds beyond the
    /// world are in its outermost cells.
    pub fn flatten(&mut self) {
        self.high.z = self.low.z;
    }

    /// Adds the size of one more record.
    #[inline(always)]
    pub fn add_size(&mut self, size: f32) {
        let bin = size_bin(size) as usize;
        self.boxes_of_bin[bin] += 1;
        self.largest_of_bin[bin] = self.largest_of_bin[bin].max(size.to_bits());
    }

    /// Adds corners of bounds.
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

/// Returns the smaller coordinates of corners, none of which is NaN: [`Vec3::min`] would check for
/// it.
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
            layers: Zeroable::zeroed(),
        }
    }
}

impl SceneStats {
    /// Returns the corner of the world with the smallest coordinates.
    pub fn world_low(&self) -> Vec3 {
        Vec3::from_array(self.below.map(|key| unordered(!key)))
    }

    /// Returns the corner of the world with the largest coordinates.
    pub fn world_high(&self) -> Vec3 {
        Vec3::from_array(self.above.map(unordered))
    }
}
