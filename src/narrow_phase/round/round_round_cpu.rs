//! Tests of two capsules, or a capsule and a sphere, in `f32`, as many pairs at a time as the
//! machine has lanes. The formulas are in [`filter`](super::filter).

use fearless_simd::prelude::*;

use crate::base::lanes::{self, Simd, axes, dispatch};
use crate::geometry::pair::Pair;
use crate::narrow_phase::round::answers::{Answers, Question, Witnesses, test_all};
use crate::narrow_phase::round::filter::{LEAST_SINE, SEGMENTS_ERROR};
use crate::shapes::bodies::slot::Slot;
use crate::shapes::obb::lanes::BoxLanes;

/// `K u`, with the u of rounding to nearest.
pub(super) const ERROR: f32 = SEGMENTS_ERROR / (1u32 << 24) as f32;

/// Tests `pairs`, each of two round bodies, and calls `found` with batches of answers. Pairs whose
/// groups do not meet have no bit set. The answer to a pair does not depend on the others.
#[inline]
pub(crate) fn round_round(
    bodies: impl Fn(Pair) -> [Slot; 2],
    pairs: &[Pair],
    question: Question<impl Fn(Pair) -> f32>,
    found: impl FnMut(&[Pair], Answers),
) {
    dispatch!(lanes::level(), simd => test_all(simd, bodies, closest, ERROR, (pairs, question), found));
}

#[inline(always)]
fn dot<S: Simd>(u: [S::f32s; 3], v: [S::f32s; 3]) -> S::f32s {
    u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
}

/// Returns the direction of a segment: the third column of a quaternion's rotation.
#[inline(always)]
pub(super) fn direction<S: Simd>([x, y, z, w]: [S::f32s; 4]) -> [S::f32s; 3] {
    let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
    let square = ww + xx + yy + zz;
    let [along_x, along_y] = [x * z + w * y, y * z - w * x];
    [
        (along_x + along_x) / square,
        (along_y + along_y) / square,
        (ww - xx - yy + zz) / square,
    ]
}

/// Finds points of both segments that are near each other.
#[inline(always)]
pub(super) fn closest<S: Simd>(simd: S, a: &BoxLanes<S>, b: &BoxLanes<S>) -> Witnesses<S> {
    let (half_a, half_b) = (a.half[0], b.half[0]);
    let (z_a, z_b) = (direction::<S>(a.rotation), direction::<S>(b.rotation));
    let d = axes!(|i| b.center[i] - a.center[i]);
    let (along_a, along_b, cosine) = (dot::<S>(z_a, d), dot::<S>(z_b, d), dot::<S>(z_a, z_b));
    let least = S::f32s::splat(simd, LEAST_SINE);
    let one = S::f32s::splat(simd, 1.0);
    let squared_sine = (one - cosine * cosine).max(least);
    let s = ((along_a - cosine * along_b) / squared_sine).max(-half_a).min(half_a);
    let t = (s * cosine - along_b).max(-half_b).min(half_b);
    let s = (along_a + t * cosine).max(-half_a).min(half_a);
    let w = axes!(|i| d[i] + t * z_b[i] - s * z_a[i]);
    let radii = half_a * dot::<S>(w, z_a).abs() + half_b * dot::<S>(w, z_b).abs();
    let size = d[0].abs() + d[1].abs() + d[2].abs() + half_a + half_b;
    Witnesses {
        length: dot::<S>(w, w).sqrt(),
        gap: dot::<S>(w, d) - radii,
        size,
        depth: -size,
        radii: a.half[1] + b.half[1],
    }
}
