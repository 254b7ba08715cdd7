//! The powers of two that turn the numbers of a pair into integers.

use crate::base::arrays::{Mapped, by_index};
use crate::narrow_phase::obb_obb::exact::digits::SHORT;
use crate::narrow_phase::obb_obb::exact::wide::Wide;
use crate::shapes::obb::record::Obb;

/// The powers of two that turn a pair into integers.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    pub rotation_a: Grain,
    pub rotation_b: Grain,
    pub lengths: Grain,
}

impl Scale {
    pub fn of(a: &Obb, b: &Obb) -> Self {
        Self {
            rotation_a: Grain::of_rotation(a),
            rotation_b: Grain::of_rotation(b),
            lengths: Grain::of_lengths(a, b),
        }
    }
}

/// A power of two that divides all numbers of a group, and one that exceeds them.
#[derive(Clone, Copy)]
pub(crate) struct Grain {
    pub exponent: i32,
    /// All numbers are below 2^limit.
    limit: i32,
}

impl Grain {
    pub fn of_rotation(obb: &Obb) -> Self {
        Self::of(obb.rotation.to_array())
    }

    pub fn of_lengths(a: &Obb, b: &Obb) -> Self {
        let [[c0, c1, c2], [c3, c4, c5]] = [a.center.to_array(), b.center.to_array()];
        let [[h0, h1, h2], [h3, h4, h5]] = [a.half_extents.to_array(), b.half_extents.to_array()];
        Self::of([c0, c1, c2, c3, c4, c5, h0, h1, h2, h3, h4, h5])
    }

    /// Computes the grain from the smallest nonzero number and the largest: magnitudes are ordered
    /// like their bits.
    pub fn of(numbers: impl IntoIterator<Item = f32>) -> Self {
        let (mut smallest, mut largest) = (u32::MAX, 0);
        for number in numbers {
            let bits = number.abs().to_bits();
            smallest = smallest.min(if bits == 0 { u32::MAX } else { bits });
            largest = largest.max(bits);
        }
        if largest == 0 {
            return Self { exponent: 0, limit: 0 };
        }
        let exponent = split(f32::from_bits(smallest)).1;
        let limit = split(f32::from_bits(largest)).1 + 24;
        Self { exponent, limit }
    }

    /// Returns the number of bits of the scaled numbers, without sign.
    pub fn bits(self) -> i32 {
        self.limit - self.exponent
    }

    #[inline]
    pub fn apply<const M: usize, const N: usize>(self, numbers: [f32; M]) -> [Wide<N>; M] {
        by_index(|k| {
            let (whole, power) = split(numbers[k]);
            Wide::shifted(whole, (power - self.exponent).max(0) as u32)
        })
    }
}

/// A [`Grain`] of numbers in `f64`. It is the largest power of two that divides all of them,
/// because the sum of two of them may have few digits.
#[derive(Clone, Copy)]
pub(crate) struct Grain64 {
    pub exponent: i32,
    limit: i32,
}

impl Grain64 {
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let present = numbers.into_iter().filter(|number| *number != 0.0).map(split_odd);
        let of_one = |(odd, power): (i64, i32)| Self {
            exponent: power,
            limit: power + 64 - odd.unsigned_abs().leading_zeros() as i32,
        };
        let both = |a: Self, b: Self| Self {
            exponent: a.exponent.min(b.exponent),
            limit: a.limit.max(b.limit),
        };
        present
            .map(of_one)
            .reduce(both)
            .unwrap_or(Self { exponent: 0, limit: 0 })
    }

    /// See [`Grain::bits`].
    pub fn bits(self) -> i32 {
        self.limit - self.exponent
    }

    pub fn apply<const N: usize>(self, number: f64) -> Wide<N> {
        let (odd, power) = split_odd(number);
        Wide::shifted(odd, (power - self.exponent).max(0) as u32)
    }
}

/// Splits `number` into an odd number of at most 53 bits and a power of two. Returns zeros for 0.
fn split_odd(number: f64) -> (i64, i32) {
    let bits = number.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7FF) as i32, (bits & ((1 << 52) - 1)) as i64);
    let whole = fraction | i64::from(exponent != 0) << 52;
    if whole == 0 {
        return (0, 0);
    }
    let even = whole.trailing_zeros();
    let odd = whole >> even;
    (
        if bits >> 63 == 1 { -odd } else { odd },
        exponent.max(1) - 1075 + even as i32,
    )
}

/// Splits `number` into an integer of at most 24 bits and a power of two.
#[inline]
pub(crate) fn split(number: f32) -> (i32, i32) {
    let bits = number.to_bits();
    let (negative, exponent, fraction) = (bits >> 31 == 1, (bits >> 23 & 0xFF) as i32, (bits & 0x007F_FFFF) as i32);
    // The leading bit is implicit, except in subnormal numbers, which have none.
    let whole = fraction | i32::from(exponent != 0) << 23;
    (if negative { -whole } else { whole }, exponent.max(1) - 150)
}

/// The lengths of a pair in units of a power of two, if they are integers of [`SHORT`] bits in
/// these units.
pub(crate) struct ShortLengths {
    pub d: [i64; 3],
    pub half_extents: [[i64; 3]; 2],
    pub exponent: i32,
}

impl ShortLengths {
    #[inline]
    pub fn of(a: &Obb, b: &Obb) -> Option<Self> {
        let vectors = [a.center, b.center, a.half_extents, b.half_extents].mapped(|v| v.to_array());
        let exponent = finest(&vectors);
        let [from, to, h_a, h_b] = whole(vectors, exponent)?;
        Some(Self {
            d: [0, 1, 2].mapped(|k| to[k] - from[k]),
            half_extents: [h_a, h_b],
            exponent,
        })
    }
}

/// Returns the second vector less the first in units of a power of two, and the exponent of that
/// power, if both vectors are integers of [`SHORT`] bits in these units.
#[inline]
pub(crate) fn short_difference(vectors: [[f32; 3]; 2]) -> Option<([i64; 3], i32)> {
    let exponent = finest(&vectors);
    let [from, to] = whole(vectors, exponent)?;
    Some(([0, 1, 2].mapped(|k| to[k] - from[k]), exponent))
}

/// Returns the quaternions of a pair as multiples of `2^grain`, if they are such multiples; see
/// [`Tiny`](super::digits::Tiny).
#[inline]
pub(crate) fn short_turns(a: &Obb, b: &Obb, grain: i32) -> Option<[[i64; 4]; 2]> {
    let turns = whole([a.rotation.to_array(), b.rotation.to_array()], grain)?;
    let most: u64 = (1 << -grain) + (1 << (-grain - 9));
    turns
        .as_flattened()
        .iter()
        .all(|part| part.unsigned_abs() <= most)
        .then_some(turns)
}

/// Returns the exponent of the smallest power of two in whose units these numbers have [`SHORT`]
/// bits.
#[inline]
fn finest<const M: usize, const K: usize>(numbers: &[[f32; M]; K]) -> i32 {
    // Numbers are below 2^(e - 126), where e is the stored exponent.
    let largest = numbers
        .as_flattened()
        .iter()
        .fold(0, |largest, number| number.abs().to_bits().max(largest));
    (largest >> 23).max(1) as i32 - 126 - SHORT
}

/// Returns numbers as multiples of `2^exponent`, if these are integers of 63 bits.
#[inline(always)]
fn whole<const M: usize, const K: usize>(numbers: [[f32; M]; K], exponent: i32) -> Option<[[i64; M]; K]> {
    // A normal f64, because exponents are from -187 to 68. So the products are not rounded.
    let unit = f64::from_bits(((1023 - exponent) as u64) << 52);
    let scaled = numbers.mapped(|group| group.mapped(|number| f64::from(number) * unit));
    // Numbers beyond 64 bits become the nearest i64, which differs from them. The exception is
    // 2^63: it becomes 2^63 - 1, which rounds to 2^63.
    let whole = scaled.mapped(|group| group.mapped(|number| number as i64));
    let pairs = whole.as_flattened().iter().zip(scaled.as_flattened());
    let is_whole = pairs.fold(true, |all, (&whole, &scaled)| all & (whole as f64 == scaled));
    is_whole.then_some(whole)
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::narrow_phase::obb_obb::exact::digits::{Short, Tiny};

    #[test]
    fn turns_are_short_if_near_one_and_multiples_of_the_grain() {
        let valid = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
        let is_short = |part: f32, grain| {
            let other = Obb {
                rotation: Quat::from_xyzw(0.0, 0.0, part, 0.0),
                ..valid
            };
            short_turns(&valid, &other, grain).is_some() && short_turns(&other, &valid, grain).is_some()
        };
        for grain in [Tiny::GRAIN, Short::GRAIN] {
            let unit = f32::exp2(grain as f32);
            for part in [0.0, 1.0, -1.0, unit, 1.0 + f32::exp2(-9.0)] {
                assert!(is_short(part, grain), "{part:e}");
            }
            // The last four are the ends of the range of 64 bits, infinity and NaN.
            let ends = [f32::exp2(63.0) * unit, -f32::exp2(63.0) * unit, f32::INFINITY, f32::NAN];
            for part in [0.5 * unit, 1.01, -1.01, ends[0], ends[1], ends[2], ends[3]] {
                assert!(!is_short(part, grain), "{part:e}");
            }
        }
    }
}
