//! Vectors in lanes, one per pair, for the tests in `f32`.

use fearless_simd::prelude::*;

use crate::base::lanes::{Simd, axes};
use crate::narrow_phase::triangle_triangle::filter::LARGEST_SCALE;

/// Half a unit in the last place of 1.
pub(super) const UNIT: f32 = f32::EPSILON / 2.0;

/// A point or a vector in each lane.
pub(super) type Vectors<S> = [<S as Simd>::f32s; 3];

/// The certain answers.
pub(super) struct Masks<S: Simd> {
    pub separated: S::mask32s,
    pub meeting: S::mask32s,
}

/// Returns the power of two that scales the largest of some differences to about 1.
#[inline(always)]
pub(super) fn scale_of<S: Simd>(simd: S, largest: S::f32s) -> S::f32s {
    let exponent = largest.bitcast::<S::u32s>() >> 23;
    let power = S::u32s::splat(simd, 254) - exponent;
    (power.min(S::u32s::splat(simd, LARGEST_SCALE)) << 23).bitcast::<S::f32s>()
}

#[inline(always)]
pub(super) fn difference<V: SimdFloat<S, Element = f32>, S: Simd>(p: [V; 3], q: [V; 3]) -> [V; 3] {
    axes!(|k| p[k] - q[k])
}

/// Returns the largest magnitude of a component.
#[inline(always)]
pub(super) fn size<V: SimdFloat<S, Element = f32>, S: Simd>(v: [V; 3]) -> V {
    v[0].abs().max(v[1].abs()).max(v[2].abs())
}

#[inline(always)]
pub(super) fn cross<V: SimdFloat<S, Element = f32>, S: Simd>(u: [V; 3], v: [V; 3]) -> [V; 3] {
    axes!(|k| u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3])
}

#[inline(always)]
pub(super) fn dot<V: SimdFloat<S, Element = f32>, S: Simd>(u: [V; 3], v: [V; 3]) -> V {
    u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
}

/// The axis of the largest component of a vector in each lane, along which others are seen.
pub(super) struct Plan<S: Simd> {
    along_x: S::mask32s,
    along_y: S::mask32s,
}

impl<S: Simd> Plan<S> {
    #[inline(always)]
    pub fn along(normal: Vectors<S>) -> Self {
        let [x, y, z] = axes!(|k| normal[k].abs());
        let along_x = x.simd_ge(y) & x.simd_ge(z);
        let along_y = y.simd_ge(z) & !along_x;
        Self { along_x, along_y }
    }

    /// Returns the two other coordinates, in cyclic order.
    #[inline(always)]
    pub fn seen(&self, [x, y, z]: Vectors<S>) -> [S::f32s; 2] {
        [
            self.along_x.select(y, self.along_y.select(z, x)),
            self.along_x.select(z, self.along_y.select(x, y)),
        ]
    }
}
