//! Twin of `shaders/narrow_phase/obb_obb/upright_sat.wgsl`: the separating-axis test of boxes turned about z only, four
//! pairs at a time. [`separating_axes`](super::separating_axes) gives the formulas.

use wide::f32x4;

use crate::base::config::Precision;
use crate::narrow_phase::obb_obb::separating_axes::{ERROR_PER_DISTANCE, ERROR_PER_RADIUS, FLUSH_ERROR_F32};
use crate::shapes::obb::lanes::{BoxLanes, axes};

/// Answers for several pairs, one bit each. A pair in neither is undecided.
pub(super) struct Masks {
    pub separated: u32,
    pub overlapping: u32,
}

/// The test of four pairs of boxes turned about z only, over the five axes that they need.
// A separate function, so that the loop over other pairs stays as small as without it.
#[inline(never)]
pub(super) fn upright_sat(a: &BoxLanes, b: &BoxLanes, precision: Precision) -> Masks {
    let ([_, _, z_a, w_a], [_, _, z_b, w_b]) = (a.rotation, b.rotation);
    let twice = |p: f32x4| p + p;
    let (ww, zz) = (w_a * w_a, z_a * z_a);
    let (n, cosine, sine) = (ww + zz, ww - zz, twice(w_a * z_a));
    let d = axes(|i| b.center[i] - a.center[i]);
    let t = [cosine * d[0] + sine * d[1], cosine * d[1] - sine * d[0], n * d[2]];
    let g_a = axes(|i| n * a.half[i]);
    let g_b = axes(|i| n * b.half[i]);
    let (r_w, r_z) = (w_a * w_b + z_a * z_b, w_a * z_b - w_b * z_a);
    let (ww, zz) = (r_w * r_w, r_z * r_z);
    let (s, cosine, sine) = (ww + zz, ww - zz, twice(r_w * r_z));
    let (x, y) = (cosine.abs(), sine.abs());

    let of_a = [
        s * (t[0].abs() - g_a[0]) - (x * g_b[0] + y * g_b[1]),
        s * (t[1].abs() - g_a[1]) - (y * g_b[0] + x * g_b[1]),
    ];
    let of_b = [
        (t[0] * cosine + t[1] * sine).abs() - s * g_b[0] - (x * g_a[0] + y * g_a[1]),
        (t[1] * cosine - t[0] * sine).abs() - s * g_b[1] - (y * g_a[0] + x * g_a[1]),
    ];
    let plan = of_a[0].fast_max(of_a[1]).fast_max(of_b[0].fast_max(of_b[1]));
    let along_z = s * (t[2].abs() - g_a[2]) - s * g_b[2];
    let error_of = |distance: f32x4, extents: f32x4| {
        distance * f32x4::splat(ERROR_PER_DISTANCE)
            + extents * f32x4::splat(ERROR_PER_RADIUS)
            + f32x4::splat(FLUSH_ERROR_F32)
    };
    let error = error_of(t[0].abs() + t[1].abs(), (g_a[0] + g_a[1]) + (g_b[0] + g_b[1]));
    let error_z = error_of(t[2].abs(), g_a[2] + g_b[2]);
    let (separated, overlapping) = match precision {
        Precision::Fast => {
            let separated = plan.simd_gt(f32x4::ZERO) | along_z.simd_gt(f32x4::ZERO);
            (separated, !separated)
        }
        Precision::Conservative => {
            let separated = plan.simd_gt(error) | along_z.simd_gt(error_z);
            (separated, !separated)
        }
        Precision::Exact => (
            plan.simd_gt(error) | along_z.simd_gt(error_z),
            plan.simd_lt(-error) & along_z.simd_lt(-error_z),
        ),
    };
    Masks {
        separated: separated.to_bitmask(),
        overlapping: overlapping.to_bitmask(),
    }
}
