//! Upper bounds of the displacement of the points of a box between two placements.
//!
//! The box has rotations R and R' and centers c and c'. A point `c + R x`, with `|x| <= |h|`, moves
//! by `c' - c + (R' - R) x`, no further than `|c' - c| + |R' - R| |h|`. R' is R followed by a
//! rotation by some angle θ, so that `|R' - R| = 2 sin(θ/2) = 2 |v| / (|q| |q'|)`, where v is the
//! vector part of `conj(q) q'`. No point moves further, whatever happens between the two
//! placements; and the sum over several steps bounds their total displacement.
//!
//! Rounding, with u = 2^-24: `c' - c` errs by u of its components. v errs by `8 u |q| |q'|` in
//! length (`separating_axes.rs` has the figure), which [`TURN_ERROR`] covers, and `1 / (|q| |q'|)`
//! is at most [`INVERSE_LENGTHS`] for valid boxes. Roots, products and sums are fewer than 16, and
//! [`ROUNDING`] is 64 u. Squares below `2^-149`, of numbers below `2^-74`, vanish; [`FLUSH`]
//! compensates for that.

use fearless_simd::prelude::*;

use crate::base::lanes::{self, Simd, axes, dispatch};
use crate::geometry::rotation::relative;
use crate::shapes::obb::lanes::BoxLanes;
use crate::shapes::obb::record::Obb;

/// Bound on the rounding error of `|v|`: 16 u.
const TURN_ERROR: f32 = 1.0 / (1u32 << 20) as f32;
/// Upper bound of `1 / (|q| |q'|)` for two valid boxes, whose quaternions are no shorter than 0.999
/// except for rounding.
const INVERSE_LENGTHS: f32 = 1.0021;
/// Bound on the relative rounding error of the sum.
const ROUNDING: f32 = 1.0 / (1u32 << 18) as f32;
/// Bound on the loss of the sum from vanishing squares: 2^-70, in the caller's unit.
const FLUSH: f32 = f32::from_bits((127 - 70) << 23);

/// Calls `found(position of the first, bounds of displacements)` with batches of boxes that have
/// changed, in order: 0 for a box at rest, infinity for one with other extents or groups. Batches
/// in which all boxes are at rest are skipped. Returns `true` if all boxes of `to` are valid; those
/// of `from` must be. If not, the numbers are meaningless.
#[inline]
pub(crate) fn displacements(from: &[Obb], to: &[Obb], found: impl FnMut(usize, &[f32])) -> bool {
    dispatch!(lanes::level(), simd => in_lanes(simd, from, to, found))
}

#[inline(always)]
fn in_lanes<S: Simd>(simd: S, from: &[Obb], to: &[Obb], mut found: impl FnMut(usize, &[f32])) -> bool {
    let mut valid = true;
    let count = S::f32s::LEN;
    for (k, (from, to)) in from.chunks(count).zip(to.chunks(count)).enumerate() {
        if bytemuck::cast_slice::<Obb, u8>(from) == bytemuck::cast_slice::<Obb, u8>(to) {
            continue;
        }
        let last = to.len() - 1;
        let (before, groups_before) = BoxLanes::gather(simd, |lane| &from[lane.min(last)]);
        let (now, groups) = BoxLanes::gather(simd, |lane| &to[lane.min(last)]);
        valid &= now.are_valid().all_true() || to.iter().all(|obb| obb.problem().is_none());
        let same_extents = axes!(|i| before.half[i].simd_eq(now.half[i]));
        let same_groups = groups_before[0].simd_eq(groups[0]) & groups_before[1].simd_eq(groups[1]);
        let same = same_extents[0] & same_extents[1] & same_extents[2] & same_groups;
        let moved = same.select(displacement(&before, &now), S::f32s::splat(simd, f32::INFINITY));
        found(k * count, &moved.as_slice()[..to.len()]);
    }
    valid
}

/// Returns the bound for boxes of equal extents, one per lane.
#[inline(always)]
fn displacement<S: Simd>(from: &BoxLanes<S>, to: &BoxLanes<S>) -> S::f32s {
    let d = axes!(|i| to.center[i] - from.center[i]);
    let [x, y, z, _] = relative(from.rotation, to.rotation);
    let at_rest = |k: usize| from.rotation[k].simd_eq(to.rotation[k]);
    let unturned = at_rest(0) & at_rest(1) & at_rest(2) & at_rest(3);
    let unmoved = axes!(|i| from.center[i].simd_eq(to.center[i]));
    let chord = (length([x, y, z]) + TURN_ERROR) * (2.0 * INVERSE_LENGTHS);
    let turned = unturned.select(chord * 0.0, chord * length(to.half));
    let sum = (length(d) + turned) * (1.0 + ROUNDING) + FLUSH;
    (unturned & unmoved[0] & unmoved[1] & unmoved[2]).select(sum * 0.0, sum)
}

#[inline(always)]
fn length<V: SimdFloat<S, Element = f32>, S: Simd>([x, y, z]: [V; 3]) -> V {
    (x * x + y * y + z * z).sqrt()
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Quat, Vec3};

    use super::*;
    use crate::base::split_mix::SplitMix;

    /// Returns the largest displacement of a corner, in `f64`.
    fn of_corners(from: &Obb, to: &Obb) -> f64 {
        let (from, to) = (from.corners(), to.corners());
        from.iter()
            .zip(to)
            .map(|(from, to): (&DVec3, DVec3)| from.distance(to))
            .fold(0.0, f64::max)
    }

    #[test]
    fn no_corner_moves_farther_than_the_displacement() {
        let mut random = SplitMix(5);
        let mut number = |scale: f32| (random.unit() as f32 - 0.5) * scale;
        let mut boxes = [Vec::new(), Vec::new()];
        for k in 0..1000 {
            let turn = [1.0, 1e-2, 1e-4, 0.0][k % 4];
            let step = [0.0, 1e-20, 1e-3, 10.0][k / 4 % 4];
            let mut vector = |scale| Vec3::new(number(scale), number(scale), number(scale));
            let (axis, shift) = (vector(1.0), vector(step));
            let rotation = Quat::from_scaled_axis(vector(6.0)) * (1.0 + 9e-4 * (k % 3) as f32 - 9e-4);
            let obb = Obb::new(vector(100.0), vector(4.0).abs(), rotation);
            let mut moved = obb;
            moved.center += shift;
            if turn > 0.0 {
                moved.rotation = Quat::from_scaled_axis(axis * turn) * rotation;
            }
            boxes[0].push(obb);
            boxes[1].push(moved);
        }
        let mut seen = 0;
        let valid = displacements(&boxes[0], &boxes[1], |first, bounds| {
            for (k, &bound) in (first..).zip(bounds) {
                let (from, to) = (&boxes[0][k], &boxes[1][k]);
                let truth = of_corners(from, to);
                assert!(f64::from(bound) >= truth - 1e-14, "{k}: {bound} {truth}");
                assert_eq!(bound == 0.0, from == to, "{k}");
                seen += usize::from(truth > 0.0);
            }
        });
        assert!(valid && seen > 600, "{seen}");
    }

    #[test]
    fn changed_extents_or_groups_give_an_infinite_displacement() {
        let obb = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
        let mut others = [obb; 5];
        others[1].half_extents.y = 1.5;
        others[2].filter = 1;
        others[3].memberships = 1;
        let mut found = Vec::new();
        assert!(displacements(&[obb; 5], &others, |_, bounds| found.extend_from_slice(bounds)));
        assert_eq!(found, [0.0, f32::INFINITY, f32::INFINITY, f32::INFINITY, 0.0]);
        others[4].center.x = f32::NAN;
        assert!(!displacements(&[obb; 5], &others, |_, _| {}));
    }
}
