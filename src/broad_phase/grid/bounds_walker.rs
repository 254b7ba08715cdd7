//! Bounds that are compared with those of eight records at a time.

use fearless_simd::f32x8;
use fearless_simd::prelude::*;
use glam::Vec3;

use crate::base::lanes::{Simd, axes};
use crate::geometry::bounds::Bounds;

/// Bounds whose pairs are searched for, repeated in all lanes.
pub(crate) struct Walker<S: Simd> {
    pub simd: S,
    low: [f32x8<S>; 3],
    high: [f32x8<S>; 3],
}

impl<S: Simd> Walker<S> {
    #[inline(always)]
    pub fn of(simd: S, Bounds { low, high, .. }: &Bounds) -> Self {
        Self::between(simd, *low, *high)
    }

    #[inline(always)]
    pub fn between(simd: S, low: Vec3, high: Vec3) -> Self {
        Self {
            simd,
            low: axes!(|axis| f32x8::splat(simd, low[axis])),
            high: axes!(|axis| f32x8::splat(simd, high[axis])),
        }
    }

    /// Returns a mask of the bounds, given as the low and the high coordinate along each axis, that
    /// share a point with these.
    #[inline(always)]
    pub fn overlap(&self, bounds: [[f32x8<S>; 2]; 3]) -> usize {
        let [x, y, z] = axes!(|axis| {
            let [low, high] = bounds[axis];
            low.simd_le(self.high[axis]) & self.low[axis].simd_le(high)
        });
        (x & y & z).to_bitmask() as usize
    }
}
