//! The comparison of bounds with others that lie one after the other: both corners in the lanes of
//! one vector.

use bytemuck::{cast, cast_ref};
use fearless_simd::f32x16;
use fearless_simd::prelude::*;
use wide::{f32x4, i32x4, u8x16};

use crate::base::lanes::Simd;
use crate::broad_phase::hits::LANES;
use crate::geometry::bounds::Bounds;

/// Number of bounds compared at a time.
pub(crate) const GROUP: usize = LANES;

/// The lanes of the coordinates of both corners, one bit each, and those of the low corner.
const COORDINATES: u8 = 0b0111_0111;
const LOW: u8 = 0b0000_0111;

/// Bounds in the form that others are compared with.
pub(crate) struct Reach<S: Simd> {
    simd: S,
    /// The high corner and the largest numbers below the low corner, twice. Of bounds that meet
    /// these, the low corner is at most the former, and the high corner above the latter.
    ends: f32x16<S>,
}

impl<S: Simd> Reach<S> {
    #[inline(always)]
    pub fn of(simd: S, bounds: &Bounds) -> Self {
        let [low, high]: [f32x4; 2] = cast(*bounds);
        let below = next_lower(low);
        let ends: [f32; 16] = cast([high, below, high, below]);
        Self {
            simd,
            ends: f32x16::simd_from(simd, ends),
        }
    }

    /// Returns a mask of the bounds that share a point with these, one bit each.
    #[inline(always)]
    pub fn meets(&self, group: &[Bounds; GROUP]) -> usize {
        let pairs: &[[f32; 16]; GROUP / 2] = cast_ref(group);
        let mut lanes = 0;
        for (k, pair) in pairs.iter().enumerate() {
            let pair = f32x16::simd_from(self.simd, *pair);
            lanes |= pair.simd_le(self.ends).to_bitmask() << (16 * k);
        }
        // A byte for each of the bounds.
        let lanes: u8x16 = cast([lanes, 0]);
        let coordinates = lanes & u8x16::splat(COORDINATES);
        coordinates.simd_eq(u8x16::splat(LOW)).to_bitmask() as usize & ((1 << GROUP) - 1)
    }
}

/// Returns the largest numbers below these, which are finite.
#[inline(always)]
fn next_lower(x: f32x4) -> f32x4 {
    let bits: i32x4 = cast(x);
    // The number below 0 is that below -0.
    let is_zero: i32x4 = cast(x.simd_eq(f32x4::ZERO));
    let bits = bits | (is_zero & i32x4::splat(i32::MIN));
    let is_negative: i32x4 = bits >> 31;
    let step: i32x4 = !(is_negative + is_negative);
    cast(bits + step)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;
    use crate::base::lanes::{self, dispatch};
    use crate::base::split_mix::SplitMix;

    #[test]
    fn next_lower_is_that_of_the_standard_library() {
        let numbers = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f32::MIN_POSITIVE,
            -f32::MIN_POSITIVE,
            1e-45,
            -1e-45,
            3e38,
            -3e38,
        ];
        for x in numbers {
            let lower = next_lower(f32x4::splat(x)).to_array()[0];
            assert_eq!(lower.to_bits(), x.next_down().to_bits(), "{x}");
        }
    }

    #[test]
    fn a_group_meets_what_each_of_its_bounds_meets() {
        let mut random = SplitMix(7);
        // Few different numbers, so that many bounds touch; both zeros and numbers next to zero.
        let values = [-1.0, -1e-45, -0.0, 0.0, 1e-45, 1.0, f32::MIN_POSITIVE, 2.0];
        let mut number = || values[random.next() as usize % values.len()];
        let mut bounds = |k: u32| {
            let (a, b) = (
                Vec3::from_array([(); 3].map(|()| number())),
                Vec3::from_array([(); 3].map(|()| number())),
            );
            Bounds {
                low: a.min(b),
                tag: k.wrapping_mul(0x9E37_79B1),
                high: a.max(b),
                id: u32::MAX - k,
            }
        };
        let mut met = 0;
        for k in 0..2000 {
            let walker = bounds(k);
            let group: [Bounds; GROUP] = std::array::from_fn(|lane| bounds(lane as u32 + k));
            let expected = (0..GROUP).filter(|&lane| walker.overlaps(&group[lane]));
            let expected = expected.fold(0, |mask, lane| mask | 1 << lane);
            let mask = dispatch!(lanes::level(), simd => Reach::of(simd, &walker).meets(&group));
            assert_eq!(mask, expected);
            met += mask.count_ones();
        }
        assert!((1000..15_000).contains(&met), "{met}");
    }
}
