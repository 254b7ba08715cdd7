//! Three axes of a separating-axis test in the four lanes of a vector.

use fearless_simd::f64x4;
use fearless_simd::prelude::*;

use crate::base::lanes::Simd;

/// Returns the numbers of three axes, with 0 in the last lane.
#[inline(always)]
pub(super) fn lanes<S: Simd>(simd: S, [x, y, z]: [f64; 3]) -> f64x4<S> {
    [x, y, z, 0.0].simd_into(simd)
}

/// Returns the radii along three axes; the last lane is an axis along which all overlap.
#[inline(always)]
pub(super) fn endless<S: Simd>(simd: S, [x, y, z]: [f64; 3]) -> f64x4<S> {
    [x, y, z, f64::INFINITY].simd_into(simd)
}
