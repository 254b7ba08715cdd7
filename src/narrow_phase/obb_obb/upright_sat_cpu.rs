//! Twin of `shaders/narrow_phase/obb_obb/upright_sat.wgsl`: the separating-axis test of boxes
//! rotated about z only, one pair per lane. [`separating_axes`](super::separating_axes) gives the
//! formulas.

use fearless_simd::prelude::*;

use crate::base::config::Precision;
use crate::base::lanes::{Simd, axes};
use crate::narrow_phase::obb_obb::separating_axes::{ERROR_PER_DISTANCE, ERROR_PER_RADIUS, FLUSH_ERROR_F32};
use crate::shapes::obb::lanes::BoxLanes;

/// Answers for several pairs, one per lane. A pair in neither is undecided.
pub(super) struct Masks<S: Simd> {
    pub separated: S::mask32s,
    pub overlapping: S::mask32s,
}

impl<S: Simd> Masks<S> {
    /// Returns these answers where the mask is set, and others elsewhere.
    #[inline(always)]
    pub fn or(self, mask: S::mask32s, others: Self) -> Self {
        Self {
            separated: mask.select(self.separated, others.separated),
            overlapping: mask.select(self.overlapping, others.overlapping),
        }
    }
}

/// Returns the error of an axis with this distance and these extents in its radii.
#[inline(always)]
pub(super) fn error_of<V: SimdFloat<S, Element = f32>, S: Simd>(distance: V, extents: V) -> V {
    distance * ERROR_PER_DISTANCE + extents * ERROR_PER_RADIUS + FLUSH_ERROR_F32
}

/// Tests pairs of boxes rotated about z only, over the five axes that they need.
#[inline(always)]
pub(super) fn upright_sat<S: Simd>(a: &BoxLanes<S>, b: &BoxLanes<S>, precision: Precision) -> Masks<S> {
    let ([_, _, z_a, w_a], [_, _, z_b, w_b]) = (a.rotation, b.rotation);
    let (ww, zz, wz) = (w_a * w_a, z_a * z_a, w_a * z_a);
    let (n, cosine, sine) = (ww + zz, ww - zz, wz + wz);
    let d = axes!(|i| b.center[i] - a.center[i]);
    let t = [cosine * d[0] + sine * d[1], cosine * d[1] - sine * d[0], n * d[2]];
    let g_a = axes!(|i| n * a.half[i]);
    let g_b = axes!(|i| n * b.half[i]);
    let (r_w, r_z) = (w_a * w_b + z_a * z_b, w_a * z_b - w_b * z_a);
    let (ww, zz, wz) = (r_w * r_w, r_z * r_z, r_w * r_z);
    let (s, cosine, sine) = (ww + zz, ww - zz, wz + wz);
    let (x, y) = (cosine.abs(), sine.abs());

    let of_a = [
        s * (t[0].abs() - g_a[0]) - (x * g_b[0] + y * g_b[1]),
        s * (t[1].abs() - g_a[1]) - (y * g_b[0] + x * g_b[1]),
    ];
    let of_b = [
        (t[0] * cosine + t[1] * sine).abs() - s * g_b[0] - (x * g_a[0] + y * g_a[1]),
        (t[1] * cosine - t[0] * sine).abs() - s * g_b[1] - (y * g_a[0] + x * g_a[1]),
    ];
    let plan = of_a[0].max(of_a[1]).max(of_b[0].max(of_b[1]));
    let along_z = s * (t[2].abs() - g_a[2]) - s * g_b[2];
    let error = error_of(t[0].abs() + t[1].abs(), (g_a[0] + g_a[1]) + (g_b[0] + g_b[1]));
    let error_z = error_of(t[2].abs(), g_a[2] + g_b[2]);
    let (separated, overlapping) = match precision {
        Precision::Fast => {
            let separated = plan.simd_gt(0.0) | along_z.simd_gt(0.0);
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
    Masks { separated, overlapping }
}
