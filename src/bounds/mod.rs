//! From boxes to bounds: the only thing about a shape that the broad phase sees.
//!
//! # How far bounds are widened
//!
//! Bounds must contain the box, or a pair is lost before the narrow phase sees it. Let `u = 2^-23`, the spacing of `f32`
//! next to 1: WGSL leaves open to which neighbour a result is rounded. Let `h` be the half extents and `|h|_1` their sum.
//! The extent along a world axis is `e = (sum_j |M_j| h_j) / n`, `M` a row of the quaternion's matrix and `n = |q|^2`. An
//! entry of `M` is a sum of at most four products, each below `n`, off by at most `4u n` whatever the order of the
//! operations and whether or not they are fused; the dot product adds `3u`, `n` is off by `4u n`, and a division in WGSL by
//! 2.5 ulp, at most `3u`. As `|M_j| <= n`, the error of `e` is below `(4 + 3 + 4 + 3) u |h|_1` plus terms in `u^2`, that is
//! `15u |h|_1`. Subtracting it from or adding it to the center `c` rounds by at most `u (|c| + e)`, and computing the
//! widened extent by at most `3u e + u |c| 2^-22`, with `e <= |h|_1 (1 + 15u) < 1.01 |h|_1`. All in all at most
//! `20u |h|_1 + 1.1u |c|`. A GPU may also flush numbers below `2^-126` to zero: in the entries of `M` that is nothing beside
//! their rounding; among the lengths there are fewer than 40 such numbers, less than `2^-120` together. The widening
//!
//! `2^-18 |h|_1 + 2^-22 |c| + 2^-100` = `32u |h|_1 + 2u |c| + 2^-100`
//!
//! covers both with room.
//!
//! In checks with a margin the bounds of both boxes are widened by half of it too, so that boxes which are no further apart have
//! bounds that overlap. Computing the half, adding it to the widening and this to the center rounds by at most `4u` of it, and [`MARGIN_ERROR`]
//! is `8u`.

pub(crate) mod aabb_bounds;
pub(crate) mod aabb_bounds_cpu;
pub(crate) mod obb_bounds;
pub(crate) mod obb_bounds_cpu;

use bytemuck::{Pod, Zeroable};
use glam::{Vec3, Vec4};

use crate::{BoxProblem, Error, Result, parallel};

/// Widening of bounds per unit of `|h|_1`.
pub(crate) const EXTENT_ERROR: f32 = 1.0 / (1u32 << 18) as f32;
/// Widening of bounds per unit of the center's coordinate.
pub(crate) const CENTER_ERROR: f32 = 1.0 / (1u32 << 22) as f32;
/// Widening of bounds whatever the box: 2^-100, in the caller's unit.
pub(crate) const ABSOLUTE_ERROR: f32 = f32::from_bits((127 - 100) << 23);
/// Relative widening of half a margin.
const MARGIN_ERROR: f32 = 1.0 / (1u32 << 20) as f32;
/// Relative widening of a box's size, which covers the rounding of `high - low`.
pub(crate) const SIZE_ERROR: f32 = 1.0 / (1u32 << 20) as f32;

/// Size bins: one for each exponent a 32-bit float can have.
pub(crate) const BINS: usize = 256;

/// Conservative bounds of one box: `struct Bounds` of `shaders/common.wgsl`.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(16))]
pub(crate) struct Bounds {
    /// The corner with the smallest coordinates.
    pub low: Vec3,
    /// The size bin; once the grid is built, the cell key.
    pub tag: u32,
    /// The corner with the largest coordinates.
    pub high: Vec3,
    /// Position of the box in the caller's slice.
    pub id: u32,
}

impl Bounds {
    /// The largest extent, rounded up.
    pub fn size(&self) -> f32 {
        // From 0 to -0 it is -0, whose bits are those of no size.
        (self.high - self.low).max_element().abs() * (1.0 + SIZE_ERROR)
    }

    /// Whether the two share a point.
    #[inline(always)]
    pub fn overlaps(&self, other: &Self) -> bool {
        // Both corners as they lie in memory, four lanes each; the fourth holds no coordinate and is masked out.
        let [low, high]: [Vec4; 2] = bytemuck::cast(*self);
        let [other_low, other_high]: [Vec4; 2] = bytemuck::cast(*other);
        (low.cmple(other_high) & other_low.cmple(high)).bitmask() & 7 == 7
    }
}

/// What bounds are widened by, so that those of two boxes overlap which are no further apart than `margin`: half of it,
/// rounded up. 0 if there is none.
pub(crate) fn half_margin(margin: f32) -> f32 {
    0.5 * margin * (1.0 + MARGIN_ERROR)
}

/// The bin of a size: its exponent.
pub(crate) const fn size_bin(size: f32) -> u32 {
    size.to_bits() >> 23
}

/// A float as an integer of the same order, so that integer atomics find the smallest and the largest.
pub(crate) const fn ordered(x: f32) -> u32 {
    let bits = x.to_bits();
    if bits >> 31 == 1 { !bits } else { bits ^ 0x8000_0000 }
}

/// The inverse of [`ordered`].
pub(crate) const fn unordered(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 { key ^ 0x8000_0000 } else { !key })
}

/// What the grid is planned from: `struct SceneStats` of `shaders/grid.wgsl`. All zero is the statistics of no boxes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SceneStats {
    /// How far the bounds reach down: the complement of the smallest coordinates as [`ordered`] integers.
    pub below: [u32; 3],
    pub unused_a: u32,
    /// How far the bounds reach up: the largest coordinates as [`ordered`] integers.
    pub above: [u32; 3],
    pub unused_b: u32,
    /// Boxes by [`size_bin`].
    pub boxes_of_bin: [u32; BINS],
    /// Bits of the largest size in each bin.
    pub largest_of_bin: [u32; BINS],
}

impl SceneStats {
    /// Counts one box in.
    pub fn add(&mut self, bounds: &Bounds) {
        let size = bounds.size();
        let bin = size_bin(size) as usize;
        self.boxes_of_bin[bin] += 1;
        self.largest_of_bin[bin] = self.largest_of_bin[bin].max(size.to_bits());
        for axis in 0..3 {
            self.below[axis] = self.below[axis].max(!ordered(bounds.low[axis]));
            self.above[axis] = self.above[axis].max(ordered(bounds.high[axis]));
        }
    }

    /// The statistics of both sets of boxes together.
    pub fn merge(mut self, other: &Self) -> Self {
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

    /// The corner of the world with the smallest coordinates.
    pub fn world_low(&self) -> Vec3 {
        Vec3::from_array(self.below.map(|key| unordered(!key)))
    }

    /// The corner of the world with the largest coordinates.
    pub fn world_high(&self) -> Vec3 {
        Vec3::from_array(self.above.map(unordered))
    }
}

/// Checks `boxes`, fills `bounds` with their bounds and returns the scene's statistics: one pass over memory.
fn fill<T: Sync>(
    boxes: &[T],
    bounds: &mut Vec<Bounds>,
    problem: impl Fn(&T) -> Option<BoxProblem> + Sync + Send,
    bounds_of: impl Fn(&T, u32) -> Bounds + Sync + Send,
) -> Result<SceneStats> {
    bounds.resize(boxes.len(), Zeroable::zeroed());
    let parts = parallel::map_chunks(bounds, |first, bounds| {
        let (mut stats, mut bad) = (SceneStats::zeroed(), false);
        for (k, bounds) in bounds.iter_mut().enumerate() {
            let i = first + k;
            if problem(&boxes[i]).is_some() {
                bad = true;
            } else {
                *bounds = bounds_of(&boxes[i], i as u32);
                stats.add(bounds);
            }
        }
        (stats, bad)
    });
    if parts.iter().any(|&(_, bad)| bad) {
        validate(boxes, problem)?;
    }
    let merge = |all: SceneStats, (stats, _): &(SceneStats, bool)| all.merge(stats);
    Ok(parts.iter().fold(SceneStats::zeroed(), merge))
}

/// An error that names the first of `boxes` that has a problem, if any has.
pub(crate) fn validate<T: Sync>(boxes: &[T], problem: impl Fn(&T) -> Option<BoxProblem> + Sync + Send) -> Result<()> {
    let bad = parallel::map_ranges(boxes.len(), |range| {
        let mut bad = range.filter_map(|index| problem(&boxes[index]).map(|problem| (index, problem)));
        (bad.next(), bad.count())
    });
    let Some((index, problem)) = bad.iter().find_map(|&(first, _)| first) else {
        return Ok(());
    };
    let count = bad
        .iter()
        .map(|&(first, more)| usize::from(first.is_some()) + more)
        .sum();
    Err(Error::InvalidBox { index, problem, count })
}
