//! Twin of `shaders/narrow_phase/obb_obb/obb_sat.wgsl`: the separating-axis test in f32 with three
//! answers, as many pairs at a time as the machine has lanes.
//! [`separating_axes`](super::separating_axes) gives the formulas.

use fearless_simd::prelude::*;

use crate::base::config::Precision;
use crate::base::lanes::{self, Simd, axes, dispatch};
use crate::geometry::pair::Pair;
use crate::geometry::rotation::{Number, matrix};
use crate::narrow_phase::obb_obb::separating_axes::KAPPA;
use crate::narrow_phase::obb_obb::upright_sat_cpu::{Masks, error_of, upright_sat};
use crate::shapes::obb::lanes::BoxLanes;
use crate::shapes::obb::record::Obb;

/// Edges at an angle with a larger sine do not count as nearly parallel.
pub(crate) const LARGEST_SINE: f32 = 0.5;

/// The decisions of f32 about some pairs, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdicts {
    /// The boxes share interior points.
    pub overlapping: u32,
    /// Rounding may have changed the answer. Only with [`Precision::Exact`]; the other precisions
    /// settle such pairs.
    pub undecided: u32,
}

/// Tests `pairs` of a box of the first set and one of the second, which may be the same, and calls
/// `found` with batches of verdicts. Pairs whose groups do not meet have neither bit set, like
/// separated pairs. The verdict of a pair does not depend on the others.
#[inline]
pub fn obb_sat(boxes: [&[Obb]; 2], pairs: &[Pair], precision: Precision, found: impl FnMut(&[Pair], Verdicts)) {
    dispatch!(lanes::level(), simd => test_all(simd, boxes, pairs, precision, found));
}

#[inline(always)]
fn test_all<S: Simd>(
    simd: S,
    [boxes_a, boxes_b]: [&[Obb]; 2],
    pairs: &[Pair],
    precision: Precision,
    mut found: impl FnMut(&[Pair], Verdicts),
) {
    for chunk in pairs.chunks(S::f32s::LEN) {
        // A short chunk is padded with copies of its last pair, whose answers are ignored.
        let pair = |lane: usize| chunk[lane.min(chunk.len() - 1)];
        let (a, groups_a) = BoxLanes::gather(simd, |lane| &boxes_a[pair(lane).a as usize]);
        let (b, groups_b) = BoxLanes::gather(simd, |lane| &boxes_b[pair(lane).b as usize]);
        let upright = a.are_upright() & b.are_upright();
        let mut masks = Masks {
            separated: upright,
            overlapping: upright,
        };
        if upright.any_false() {
            masks = test(&a, &b, precision);
        }
        if upright.any_true() {
            masks = upright_sat(&a, &b, precision).or(upright, masks);
        }
        let groups_miss = (groups_a[0] & groups_b[1]).simd_eq(0) | (groups_b[0] & groups_a[1]).simd_eq(0);
        let near = !(masks.separated | groups_miss).to_bitmask() as u32 & !(!0 << chunk.len());
        let overlapping = masks.overlapping.to_bitmask() as u32;
        let verdicts = Verdicts {
            overlapping: near & overlapping,
            undecided: near & !overlapping,
        };
        found(chunk, verdicts);
    }
}

#[inline(always)]
fn largest<V: SimdFloat<S, Element = f32>, S: Simd>(v: [V; 3]) -> V {
    v[0].max(v[1]).max(v[2])
}

#[inline(always)]
fn sum<V: Number>(v: [V; 3]) -> V {
    v[0] + v[1] + v[2]
}

/// Tests pairs, one per lane, regardless of their groups.
#[inline(always)]
fn test<S: Simd>(a: &BoxLanes<S>, b: &BoxLanes<S>, precision: Precision) -> Masks<S> {
    let (rows_a, n) = matrix(a.rotation);
    let d = axes!(|i| b.center[i] - a.center[i]);
    let t = axes!(|i| rows_a[0][i] * d[0] + rows_a[1][i] * d[1] + rows_a[2][i] * d[2]);
    let g_a = axes!(|i| n * a.half[i]);
    let g_b = axes!(|i| n * b.half[i]);
    let (c, s) = matrix(relative_rotation(a.rotation, b.rotation));
    let c_abs = axes!(|i| axes!(|j| c[i][j].abs()));
    let (distance, sum_a, sum_b) = (sum(axes!(|i| t[i].abs())), sum(g_a), sum(g_b));
    let size = distance + sum_a + sum_b;

    let face_a = axes!(|i| s * (t[i].abs() - g_a[i]) - sum(axes!(|j| c_abs[i][j] * g_b[j])));
    let face_b = axes!(|j| sum(axes!(|i| t[i] * c[i][j])).abs() - s * g_b[j] - sum(axes!(|i| c_abs[i][j] * g_a[i])));
    let face = largest(face_a).max(largest(face_b));
    let error_a = axes!(|i| error_of(distance, g_a[i] + sum_b));
    let error_b = axes!(|j| error_of(distance, sum_a + g_b[j]));
    let exceeds = axes!(|i| face_a[i].simd_gt(error_a[i]) | face_b[i].simd_gt(error_b[i]));
    let mut separated = exceeds[0] | exceeds[1] | exceeds[2];
    if separated.all_true() {
        return Masks {
            separated,
            overlapping: !separated,
        };
    }

    let inside = axes!(|i| face_a[i].simd_lt(-error_a[i]) & face_b[i].simd_lt(-error_b[i]));
    let mut overlapping = inside[0] & inside[1] & inside[2];
    let error = error_of(distance, sum_a + sum_b);
    for j in 0..3 {
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            let radius_a = g_a[i1] * c_abs[i2][j] + g_a[i2] * c_abs[i1][j];
            let radius_b = g_b[j1] * c_abs[i][j2] + g_b[j2] * c_abs[i][j1];
            let edge = (t[i2] * c[i1][j] - t[i1] * c[i2][j]).abs() - (radius_a + radius_b);
            separated |= edge.simd_gt(error);
            let sine = c_abs[i1][j] + c_abs[i2][j];
            let margin = size * KAPPA as f32 * sine + (error + error);
            let parallel = sine.simd_lt(LARGEST_SINE) & face.simd_lt(-margin);
            overlapping &= edge.simd_lt(-error) | parallel;
        }
    }
    match precision {
        Precision::Exact => {}
        // Faces decide by sign. Edges separate only if rounding cannot have made them do so.
        Precision::Fast => {
            separated = (separated | face.simd_gt(0.0)) & !overlapping;
            overlapping = !separated;
        }
        Precision::Conservative => overlapping = !separated,
    }
    Masks { separated, overlapping }
}

/// Computes `conj(qA) qB`.
#[inline(always)]
pub(crate) fn relative_rotation<V: Number>([ax, ay, az, aw]: [V; 4], [bx, by, bz, bw]: [V; 4]) -> [V; 4] {
    [
        aw * bx - bw * ax - (ay * bz - az * by),
        aw * by - bw * ay - (az * bx - ax * bz),
        aw * bz - bw * az - (ax * by - ay * bx),
        ax * bx + ay * by + az * bz + aw * bw,
    ]
}
