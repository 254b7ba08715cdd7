//! Boxes whose rotations only permute and flip the world's axes: intervals, compared exactly without wide numbers.

use std::cmp::Ordering;

use glam::Vec3;

use crate::narrow_phase::contact::Contact;
use crate::shapes::obb::record::Obb;

/// Decides the pair if both boxes are world-aligned.
pub fn classify(a: &Obb, b: &Obb) -> Option<Contact> {
    let (h_a, h_b) = (world_half_extents(a)?, world_half_extents(b)?);
    let gap = |k: usize| gap(a.center[k], b.center[k], h_a[k], h_b[k]);
    let largest = gap(0).max(gap(1)).max(gap(2));
    Some(Contact::from_largest(
        largest.partial_cmp(&0.0).unwrap_or(Ordering::Equal),
    ))
}

/// The half extents along the world's axes, if the box is world-aligned.
///
/// A quaternion maps the axes to one another, up to sign, if and only if its nonzero components are one, two or four,
/// all of equal magnitude; its length does not matter, since the rotation is `M(q) / |q|²`.
fn world_half_extents(obb: &Obb) -> Option<Vec3> {
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
        // Half a turn about the diagonal of two axes, or a quarter turn about the third, swaps the two.
        0b0011 | 0b1100 => Some(Vec3::new(h.y, h.x, h.z)),
        0b0110 | 0b1001 => Some(Vec3::new(h.x, h.z, h.y)),
        0b0101 | 0b1010 => Some(Vec3::new(h.z, h.y, h.x)),
        // A third of a turn: M_yx = 2 (xy + wz) is zero if an odd number of components is negative.
        0b1111 if odd => Some(Vec3::new(h.y, h.z, h.x)),
        0b1111 => Some(Vec3::new(h.z, h.x, h.y)),
        _ => None,
    }
}

/// A number with the exact sign of `|p - q| - (h + k)`. Chosen without a branch: whether touching boxes touch along a
/// given axis is unpredictable.
fn gap(p: f32, q: f32, h: f32, k: f32) -> f64 {
    let (distance, distance_rest) = exact_sum(p.into(), -f64::from(q));
    let (radius, radius_rest) = exact_sum(h.into(), k.into());
    let sign = 1f64.copysign(distance);
    // The leading parts are the rounded sums, and rounding is monotone: if they differ, the sums differ the same way.
    let leading = distance * sign - radius;
    let rest = distance_rest * sign - radius_rest;
    if leading == 0.0 { rest } else { leading }
}

/// `x + y` as its rounded value and the exact remainder (Knuth's two-sum). Two f32 cannot overflow here, and sums do
/// not underflow.
fn exact_sum(x: f64, y: f64) -> (f64, f64) {
    let sum = x + y;
    let y_part = sum - x;
    let x_part = sum - y_part;
    (sum, (x - x_part) + (y - y_part))
}
