//! Twin of `shaders/narrow_phase/obb_obb/obb_sat.wgsl`: the separating-axis test in f32 with three answers, four pairs
//! at a time. [`separating_axes`](super::separating_axes) gives the formulas.

use wide::f32x4;

use crate::base::config::Precision;
use crate::geometry::pair::Pair;
use crate::geometry::rotation::matrix;
use crate::narrow_phase::obb_obb::separating_axes::{ERROR_PER_DISTANCE, ERROR_PER_RADIUS, FLUSH_ERROR_F32, KAPPA};
use crate::narrow_phase::obb_obb::upright_sat_cpu::{Masks, upright_sat};
use crate::shapes::obb::lanes::{BoxLanes, LANES, axes};
use crate::shapes::obb::record::Obb;

/// Edges at an angle with a larger sine do not count as nearly parallel.
pub(crate) const LARGEST_SINE: f32 = 0.5;

/// What f32 can decide about some pairs, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verdicts {
    /// The boxes share interior points.
    pub overlapping: u32,
    /// Rounding may have changed the answer. Only with [`Precision::Exact`]; the other precisions settle such pairs.
    pub undecided: u32,
}

/// Tests `pairs` of a box of the first set and one of the second, which may be the same, and calls `found` with batches
/// of verdicts. Pairs whose groups do not meet have neither bit set, like separated pairs.
#[inline]
pub(crate) fn obb_sat(
    [boxes_a, boxes_b]: [&[Obb]; 2],
    pairs: &[Pair],
    precision: Precision,
    mut found: impl FnMut(&[Pair], Verdicts),
) {
    for chunk in pairs.chunks(LANES) {
        // A short chunk is padded with copies of its last pair, whose answers are ignored.
        let pair = |lane: usize| chunk[lane.min(chunk.len() - 1)];
        let a: [&Obb; LANES] = std::array::from_fn(|lane| &boxes_a[pair(lane).a as usize]);
        let b: [&Obb; LANES] = std::array::from_fn(|lane| &boxes_b[pair(lane).b as usize]);
        let (lanes_a, lanes_b) = (BoxLanes::load(a), BoxLanes::load(b));
        let masks = match lanes_a.tilt(&lanes_b).simd_eq(f32x4::ZERO).all() {
            true => upright_sat(&lanes_a, &lanes_b, precision),
            false => test(&lanes_a, &lanes_b, precision),
        };
        let meet = |lane: usize| u32::from(lane < chunk.len() && a[lane].groups_meet(b[lane])) << lane;
        let near = (0..LANES).map(meet).sum::<u32>() & !masks.separated;
        let verdicts = Verdicts {
            overlapping: near & masks.overlapping,
            undecided: near & !masks.overlapping,
        };
        found(chunk, verdicts);
    }
}

#[inline(always)]
fn largest(v: [f32x4; 3]) -> f32x4 {
    v[0].fast_max(v[1]).fast_max(v[2])
}

#[inline(always)]
fn sum(v: [f32x4; 3]) -> f32x4 {
    v[0] + v[1] + v[2]
}

/// The test of four pairs, regardless of their groups.
#[inline(always)]
fn test(a: &BoxLanes, b: &BoxLanes, precision: Precision) -> Masks {
    let (rows_a, n) = matrix(a.rotation);
    let d = axes(|i| b.center[i] - a.center[i]);
    let t = axes(|i| rows_a[0][i] * d[0] + rows_a[1][i] * d[1] + rows_a[2][i] * d[2]);
    let g_a = axes(|i| n * a.half[i]);
    let g_b = axes(|i| n * b.half[i]);
    let (c, s) = matrix(relative_rotation(a.rotation, b.rotation));
    let c_abs = c.map(|row| row.map(f32x4::abs));
    let (distance, sum_a, sum_b) = (sum(t.map(f32x4::abs)), sum(g_a), sum(g_b));
    let size = distance + sum_a + sum_b;
    // The error of an axis with these extents in its radii.
    let error_of = |extents: f32x4| {
        distance * f32x4::splat(ERROR_PER_DISTANCE)
            + extents * f32x4::splat(ERROR_PER_RADIUS)
            + f32x4::splat(FLUSH_ERROR_F32)
    };

    let face_a = axes(|i| s * (t[i].abs() - g_a[i]) - sum(axes(|j| c_abs[i][j] * g_b[j])));
    let face_b = axes(|j| sum(axes(|i| t[i] * c[i][j])).abs() - s * g_b[j] - sum(axes(|i| c_abs[i][j] * g_a[i])));
    let face = largest(face_a).fast_max(largest(face_b));
    let error_a = axes(|i| error_of(g_a[i] + sum_b));
    let error_b = axes(|j| error_of(sum_a + g_b[j]));
    let any = |test: [f32x4; 3]| test[0] | test[1] | test[2];
    let mut separated = any(axes(|i| face_a[i].simd_gt(error_a[i]) | face_b[i].simd_gt(error_b[i])));
    if separated.all() {
        return Masks {
            separated: separated.to_bitmask(),
            overlapping: 0,
        };
    }

    let not_inside = any(axes(|i| {
        face_a[i].simd_ge(-error_a[i]) | face_b[i].simd_ge(-error_b[i])
    }));
    let mut overlapping = !not_inside;
    let error = error_of(sum_a + sum_b);
    for j in 0..3 {
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            let radius_a = g_a[i1] * c_abs[i2][j] + g_a[i2] * c_abs[i1][j];
            let radius_b = g_b[j1] * c_abs[i][j2] + g_b[j2] * c_abs[i][j1];
            let edge = (t[i2] * c[i1][j] - t[i1] * c[i2][j]).abs() - (radius_a + radius_b);
            separated |= edge.simd_gt(error);
            let sine = c_abs[i1][j] + c_abs[i2][j];
            let margin = f32x4::splat(KAPPA as f32) * size * sine + (error + error);
            let parallel = sine.simd_lt(f32x4::splat(LARGEST_SINE)) & face.simd_lt(-margin);
            overlapping &= edge.simd_lt(-error) | parallel;
        }
    }
    match precision {
        Precision::Exact => {}
        // Faces decide by sign; edges only if rounding cannot have made their axis separate.
        Precision::Fast => {
            let separated = (separated | face.simd_gt(f32x4::ZERO)).to_bitmask() & !overlapping.to_bitmask();
            return Masks {
                separated,
                overlapping: !separated,
            };
        }
        Precision::Conservative => overlapping = !separated,
    }
    Masks {
        separated: separated.to_bitmask(),
        overlapping: overlapping.to_bitmask(),
    }
}

/// `conj(qA) qB`.
#[inline(always)]
fn relative_rotation([ax, ay, az, aw]: [f32x4; 4], [bx, by, bz, bw]: [f32x4; 4]) -> [f32x4; 4] {
    [
        aw * bx - bw * ax - (ay * bz - az * by),
        aw * by - bw * ay - (az * bx - ax * bz),
        aw * bz - bw * az - (ax * by - ay * bx),
        ax * bx + ay * by + az * bz + aw * bw,
    ]
}
