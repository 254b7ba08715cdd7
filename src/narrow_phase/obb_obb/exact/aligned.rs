//! Boxes whose rotations only permute and flip the world's axes: intervals, compared exactly
//! without wide numbers.

use std::cmp::Ordering;

use fearless_simd::prelude::*;
use glam::Vec3;

use crate::base::lanes::{Simd, axes};
use crate::geometry::rounding::exact_sum;
use crate::narrow_phase::contact::Contact;
use crate::shapes::obb::lanes::BoxLanes;
use crate::shapes::obb::record::Obb;

/// Decides the pair if both boxes are world-aligned.
pub fn classify(a: &Obb, b: &Obb) -> Option<Contact> {
    let apart = |k: usize| exact_sum(f64::from(a.center[k]), -f64::from(b.center[k]));
    classify_apart(a, b, apart)
}

/// [`classify`] for boxes that are this far apart along each axis, wherever their centers are. A
/// distance is given as a rounded number and the part lost to rounding.
pub(super) fn classify_apart(a: &Obb, b: &Obb, apart: impl Fn(usize) -> (f64, f64)) -> Option<Contact> {
    let (h_a, h_b) = (world_half_extents(a)?, world_half_extents(b)?);
    let gap = |k: usize| gap(apart(k), h_a[k], h_b[k]);
    let largest = gap(0).max(gap(1)).max(gap(2));
    Some(Contact::from_largest(
        largest.partial_cmp(&0.0).unwrap_or(Ordering::Equal),
    ))
}

/// The answers for some pairs, one bit each.
pub(super) struct Unturned {
    /// Pairs without a rotated box. The others are not decided.
    pub decided: u64,
    pub separated: u64,
    pub overlapping: u64,
}

impl Unturned {
    /// Returns the answer for a decided pair.
    #[inline(always)]
    pub fn contact(&self, lane: usize) -> Contact {
        match (self.separated >> lane & 1, self.overlapping >> lane & 1) {
            (1, _) => Contact::Separated,
            (_, 1) => Contact::Overlapping,
            _ => Contact::Touching,
        }
    }
}

/// Decides the pairs, one per lane, whose boxes have no rotation at all. Works like `gap`, but in
/// `f32`, which is as exact.
#[inline(always)]
pub(super) fn classify_unturned<S: Simd>(a: &BoxLanes<S>, b: &BoxLanes<S>) -> Unturned {
    let [turned_a, turned_b] = [a.rotation[2], b.rotation[2]];
    let decided = a.are_upright() & b.are_upright() & turned_a.simd_eq(0.0) & turned_b.simd_eq(0.0);
    let signs = axes!(|k| {
        let (distance, distance_rest) = exact_sum(a.center[k], -b.center[k]);
        let (radius, radius_rest) = exact_sum(a.half[k], b.half[k]);
        let flip = distance.to_bits() & (1 << 31);
        let rest = S::f32s::from_bits(distance_rest.to_bits() ^ flip) - radius_rest;
        let distance = distance.abs();
        let equal = distance.simd_eq(radius);
        [
            distance.simd_gt(radius) | (equal & rest.simd_gt(0.0)),
            distance.simd_lt(radius) | (equal & rest.simd_lt(0.0)),
        ]
    });
    Unturned {
        decided: decided.to_bitmask(),
        separated: (signs[0][0] | signs[1][0] | signs[2][0]).to_bitmask(),
        overlapping: (signs[0][1] & signs[1][1] & signs[2][1]).to_bitmask(),
    }
}

/// Returns the half extents along the world's axes, if the box is world-aligned.
///
/// A quaternion maps the axes to one another, up to sign, if and only if its nonzero components are
/// one, two or four, all of equal magnitude. Its length does not matter, because the rotation is
/// `M(q) / |q|²`.
pub(crate) fn world_half_extents(obb: &Obb) -> Option<Vec3> {
    let h = obb.half_extents;
    let [x, y, z, w] = obb.rotation.to_array();
    if x == 0.0 && y == 0.0 && z == 0.0 {
        return Some(h);
    }
    let size = x.abs().max(y.abs()).max(z.abs()).max(w.abs());
    let mut present = 0;
    for (bit, component) in [x, y, z, w].into_iter().enumerate() {
        if component.abs() == size {
            present |= 1 << bit;
        } else if component != 0.0 {
            return None;
        }
    }
    let odd = (x < 0.0) ^ (y < 0.0) ^ (z < 0.0) ^ (w < 0.0);
    match present {
        0b0001 | 0b0010 | 0b0100 | 0b1000 => Some(h),
        // Half a turn about the diagonal of two axes, or a quarter turn about the third, swaps the
        // two.
        0b0011 | 0b1100 => Some(Vec3::new(h.y, h.x, h.z)),
        0b0110 | 0b1001 => Some(Vec3::new(h.x, h.z, h.y)),
        0b0101 | 0b1010 => Some(Vec3::new(h.z, h.y, h.x)),
        // A third of a turn: M_yx = 2 (xy + wz) is zero if an odd number of components is negative.
        0b1111 if odd => Some(Vec3::new(h.y, h.z, h.x)),
        0b1111 => Some(Vec3::new(h.z, h.x, h.y)),
        _ => None,
    }
}

/// Returns a number with the exact sign of `|d| - (h + k)`, where d is the sum of a rounded number
/// and the part lost to rounding. It is chosen without a branch: the axes along which touching
/// boxes touch are unpredictable.
fn gap((distance, distance_rest): (f64, f64), h: f32, k: f32) -> f64 {
    let (radius, radius_rest) = exact_sum(f64::from(h), f64::from(k));
    let sign = 1f64.copysign(distance);
    // The leading parts are the rounded sums, and rounding is monotone: if they differ, the sums
    // differ the same way.
    let leading = distance * sign - radius;
    let rest = distance_rest * sign - radius_rest;
    if leading == 0.0 { rest } else { leading }
}
