//! Integer types for the numbers of a pair, with as few digits as these allow. The theorems of
//! `proofs/MachineWidths.v` and `proofs/Widths.v` prove that they are enough.

use std::cmp::Ordering;
use std::ops::Neg;

use crate::geometry::rotation::Number;
use crate::narrow_phase::obb_obb::exact::wide::Wide;

/// A signed integer.
pub(crate) trait Whole: Number + Neg<Output = Self> {
    /// Compares the number with zero.
    fn sign(self) -> Ordering;

    /// Returns the absolute value.
    #[inline(always)]
    fn abs(self) -> Self {
        if self.sign() == Ordering::Less { -self } else { self }
    }
}

impl Whole for i64 {
    #[inline(always)]
    fn sign(self) -> Ordering {
        self.cmp(&0)
    }
}

impl Whole for i128 {
    #[inline(always)]
    fn sign(self) -> Ordering {
        self.cmp(&0)
    }
}

impl<const N: usize> Whole for Wide<N> {
    #[inline(always)]
    fn sign(self) -> Ordering {
        Self::sign(self)
    }
}

/// The types of the numbers of a pair: polynomials of degree at most 4 in its quaternions, lengths
/// or velocities, and products of one of each.
pub(crate) trait Digits {
    type Turn: Whole;
    type Length: Number;
    type Product: Whole;

    fn times(turn: Self::Turn, length: Self::Length) -> Self::Product;

    /// Returns the dot product of two vectors.
    #[inline(always)]
    fn dot(turns: [Self::Turn; 3], lengths: [Self::Length; 3]) -> Self::Product {
        let product = |k: usize| Self::times(turns[k], lengths[k]);
        product(0) + product(1) + product(2)
    }
}

/// For quaternions that are multiples of 2^-14, like those of boxes that touch without rounding,
/// and lengths of [`SHORT`] bits. A component of such a quaternion is below `1.002 * 2^14`, even if
/// it is not valid, so |q|² is below 2^30.1 and s below 2^60.2. A sum of all distances and radii
/// along an axis is below 2^125.
pub(crate) struct Tiny;

impl Tiny {
    /// Quaternions are multiples of two to this power.
    pub const GRAIN: i32 = -14;
    /// The number of bits of s.
    pub const TURNS: i32 = 61;
}

impl Digits for Tiny {
    type Turn = i64;
    type Length = i64;
    type Product = i128;

    #[inline(always)]
    fn times(turn: i64, length: i64) -> i128 {
        i128::from(turn) * i128::from(length)
    }
}

/// For quaternions that are multiples of 2^-30, as most are, and lengths of [`SHORT`] bits: s is
/// below 2^124.2, and a product below 2^189, which leaves room for another 53 bits.
pub(crate) struct Short;

impl Short {
    /// Quaternions are multiples of two to this power.
    pub const GRAIN: i32 = -30;
}

impl Digits for Short {
    type Turn = i128;
    type Length = i64;
    type Product = Wide<4>;

    #[inline(always)]
    fn times(turn: i128, length: i64) -> Wide<4> {
        Wide::product(turn, length)
    }
}

/// For quaternions like those of [`Tiny`], and lengths of any number of bits.
pub(crate) struct Turned<const N: usize>;

impl<const N: usize> Digits for Turned<N> {
    type Turn = i64;
    type Length = Wide<N>;
    type Product = Wide<N>;

    #[inline(always)]
    fn times(turn: i64, length: Wide<N>) -> Wide<N> {
        length.times(turn)
    }
}

/// For any numbers.
pub(crate) struct Long<const N: usize>;

impl<const N: usize> Digits for Long<N> {
    type Turn = Wide<N>;
    type Length = Wide<N>;
    type Product = Wide<N>;

    #[inline(always)]
    fn times(turn: Wide<N>, length: Wide<N>) -> Wide<N> {
        turn * length
    }
}

/// The number of bits of short lengths and velocities: they are below two to this power, and
/// differences are below twice that.
pub(crate) const SHORT: i32 = 61;
