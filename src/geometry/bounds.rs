//! Bounds of boxes, the only thing that the broad phase knows about a shape.
//!
//! # Widening
//!
//! Bounds must contain the box, or a pair is lost before the narrow phase sees it. `u = 2^-23` is
//! the spacing of `f32` next to 1: WGSL does not specify to which neighbour a result is rounded.
//! `h` are the half extents and `|h|_1` is their sum. The extent along a world axis is
//! `e = (sum_j |M_j| h_j) / n`, where `M` is a row of the quaternion's matrix and `n = |q|^2`. An
//! entry of `M` is a sum of at most four products, each below `n`, and is off by at most `4u n`
//! whatever the order of the operations, fused or not. `n` is off by `4u n`, and a division in WGSL
//! by 2.5 ulp, at most `3u`, or `4u` as a product with the reciprocal. A compiler with fast math
//! may write the whole widening as one sum (`src/base/rewriting.rs`) of 12 numbers above zero, each
//! through 11 additions, and those of `e` through two products. Because `|M_j| <= n`, the error of
//! `e` is below `(4 + 4 + 4 + 11 + 2) u |h|_1 = 25u |h|_1`. The sum is fenced, so subtracting it
//! from or adding it to the center `c` rounds once, by at most `u (|c| + 1.01 |h|_1)` (and not once
//! for each of its parts, which would be more than the widening far from the origin). The corners
//! are fenced too: their difference is that of the rounded numbers. The total is at most
//! `27u |h|_1 + 1.1u |c|`. A GPU may also flush numbers below `2^-126` to zero: in the entries of
//! `M` this is negligible compared with rounding; among the lengths there are fewer than 60 such
//! numbers, less than `2^-120` together. The widening
//!
//! `2^-18 |h|_1 + 2^-22 |c| + 2^-100` = `32u |h|_1 + 2u |c| + 2^-100`, itself off by at most `12u`
//! of it,
//!
//! covers both with room: `bounds_contain` of `proofs` for the shader, `cpu_bounds_contain` for the
//! CPU.
//!
//! In checks with a margin, the bounds of both boxes are also widened by half of it, so that boxes
//! no further apart have overlapping bounds. Computing the half, adding it to the widening, in any
//! order, and this to the center rounds by at most `15u` of it, and [`MARGIN_ERROR`] is `16u`. The
//! caller's own bounds are not widened otherwise, so small margins need [`MARGIN_FLUSH`], which
//! exceeds the sum of fewer than 60 flushed numbers. The theorems `half_margins_are_enough` and
//! `all_bounds_overlap` prove it for boxes, spheres and capsules.

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3, Vec4};

use crate::base::arrays::Mapped;
use crate::geometry::rounding::above;

/// Widening of bounds per unit of `|h|_1`.
pub(crate) const EXTENT_ERROR: f32 = 1.0 / (1u32 << 18) as f32;
/// Widening of bounds per unit of the center's coordinate.
pub(crate) const CENTER_ERROR: f32 = 1.0 / (1u32 << 22) as f32;
/// Constant widening of bounds: 2^-100, in the caller's unit.
pub(crate) const ABSOLUTE_ERROR: f32 = f32::from_bits((127 - 100) << 23);
/// Relative widening of half a margin.
pub(crate) const MARGIN_ERROR: f32 = 1.0 / (1u32 << 19) as f32;
/// Constant widening for a margin, 2^-120, in the caller's unit: half of the smallest number above
/// 0 rounds to 0, and a GPU may flush numbers below 2^-126.
pub(crate) const MARGIN_FLUSH: f32 = f32::from_bits((127 - 120) << 23);
/// Relative widening of a box's size, which covers the rounding of `high - low`.
pub(crate) const SIZE_ERROR: f32 = 1.0 / (1u32 << 20) as f32;
/// The smallest size of bounds per unit of their coordinates, about the resolution of `f32`.
pub(crate) const COARSENESS: f32 = 1.0 / (1u32 << 22) as f32;

/// Label for out-of-memory errors.
pub(crate) const BOUNDS: &str = "the bounds of the boxes";

/// Number of size bins: one for each exponent of a 32-bit float.
pub(crate) const BINS: usize = 256;

/// Conservative bounds of one box: `struct Bounds` of `shaders/shared/common.wgsl`.
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
    /// Returns the largest extent, rounded up; at least [`COARSENESS`] times the largest
    /// coordinate. Bounds of boxes are never smaller, because they are widened by as much.
    pub fn size(&self) -> f32 {
        let coordinate = self.high.abs().max(self.low.abs()).max_element();
        // The extent from 0 to -0 is -0, whose bits belong to no size.
        let extent = (self.high - self.low).max_element().abs();
        extent.max(coordinate * COARSENESS) * (1.0 + SIZE_ERROR)
    }

    /// Returns bounds that contain these after they are moved by about this vector, each component
    /// of which is rounded once.
    pub fn moved(self, way: DVec3) -> Self {
        let corner = |corner: Vec3, sign: f64| {
            Vec3::from_array([0, 1, 2].mapped(|k| {
                if way[k] == 0.0 {
                    return corner[k];
                }
                let (place, way) = (sign * f64::from(corner[k]), sign * way[k]);
                // More than the rounding errors of the way and of the sum: `moved_corner_holds`.
                let moved = place + way + 4.0 * f64::EPSILON * (place.abs() + way.abs());
                sign as f32 * above(moved)
            }))
        };
        Self {
            low: corner(self.low, -1.0),
            high: corner(self.high, 1.0),
            ..self
        }
    }

    /// Returns `true` if the two bounds share a point.
    #[inline(always)]
    pub fn overlaps(&self, other: &Self) -> bool {
        // Both corners as laid out in memory, four lanes each; the fourth holds no coordinate and
        // is masked out.
        let [low, high]: [Vec4; 2] = bytemuck::cast(*self);
        let [other_low, other_high]: [Vec4; 2] = bytemuck::cast(*other);
        (low.cmple(other_high) & other_low.cmple(high)).bitmask() & 7 == 7
    }
}

/// Returns the widening that makes the bounds of two boxes overlap if they are at most `margin`
/// apart: half of it, rounded up. Returns 0 if there is no margin.
pub(crate) fn half_margin(margin: f32) -> f32 {
    match margin > 0.0 {
        true => 0.5 * margin * (1.0 + MARGIN_ERROR) + MARGIN_FLUSH,
        false => 0.0,
    }
}

/// Returns the bin of a size: its exponent.
pub(crate) const fn size_bin(size: f32) -> u32 {
    size.to_bits() >> 23
}

/// Maps a float to an integer of the same order, so that integer atomics find the smallest and the
/// largest.
pub(crate) const fn ordered(x: f32) -> u32 {
    let bits = x.to_bits();
    if bits >> 31 == 1 { !bits } else { bits ^ 0x8000_0000 }
}

/// Inverts [`ordered`].
pub(crate) const fn unordered(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 { key ^ 0x8000_0000 } else { !key })
}

/// Data that a broad phase gathers about all bounds while they are computed. `Default` is that of
/// no bounds.
pub(crate) trait Gather: Default + Send {
    /// Adds the bounds of one more record, and their [`Bounds::size`].
    fn add(&mut self, bounds: &Bounds, size: f32);

    /// Merges the data of both sets of records.
    fn merge(self, other: Self) -> Self;
}

/// Gathers nothing.
impl Gather for () {
    fn add(&mut self, _: &Bounds, _: f32) {}

    fn merge(self, (): Self) {}
}
