//! The coordinates of points: `f32` or `f64`, and the errors of squared distances.
//!
//! # The error
//!
//! Let `u` denote the rounding error of the type. A difference of two stored numbers is rounded
//! once, and so is its square; the sum of three squares is rounded twice. No term is negative, so a
//! computed square is off by less than `6 u` of itself, and by [`FLUSH`](Coordinate::FLUSH) where
//! products underflow. The same holds for the distance of a point and a box, and of two boxes.
//!
//! If `k` points have computed squares up to `c`, the true square of the k-th nearest is at most
//! `c (1 + 6 u)`. The computed square of whatever is as near is at most `c (1 + 13 u)`, which
//! [`limit`](Coordinate::limit) exceeds.

use std::fmt::Debug;

use fearless_simd::prelude::*;
use fearless_simd::{f32x8, f64x8};

use crate::base::lanes::Simd;

/// Number of points of a block, and of children of a node.
pub(crate) const WIDTH: usize = 8;

/// A type of coordinates.
pub(crate) trait Coordinate: SimdFloatElement + Copy + Debug + PartialOrd + Send + Sync + 'static {
    /// Eight numbers that are computed with at once.
    type Lanes<S: Simd>: SimdFloat<S, Element = Self> + Into<[Self; WIDTH]>;
    /// A square with the position of a point, in the order of the squares.
    type Key: Copy + Debug + Ord + Send;

    const ZERO: Self;
    const INFINITY: Self;
    const NEGATIVE_INFINITY: Self;
    /// The spacing of numbers next to 1.
    const SPACING: f64;
    /// The factor `1 + 16 u`.
    const SLACK: Self;
    /// More than the error of squares that underflow.
    const FLUSH: Self;

    /// Returns the number in this type, which must have it.
    fn of(x: f64) -> Self;

    fn to_f64(self) -> f64;

    /// Returns the largest computed square of anything whose true square is not above that of a
    /// point with this computed square.
    fn limit(square: Self) -> Self;

    fn key(square: Self, position: u32) -> Self::Key;

    fn square(key: Self::Key) -> Self;

    fn position(key: Self::Key) -> u32;
}

/// Implements `Coordinate` with the bits of squares, which ascend as squares do, in front of the
/// position.
macro_rules! coordinate {
    ($real:ident, $lanes:ident, $bits:ident, $key:ident, $slack_bits:expr, $of:expr) => {
        impl Coordinate for $real {
            type Lanes<S: Simd> = $lanes<S>;
            type Key = $key;

            const ZERO: Self = 0.0;
            const INFINITY: Self = $real::INFINITY;
            const NEGATIVE_INFINITY: Self = $real::NEG_INFINITY;
            const SPACING: f64 = 1.0 / (1u64 << ($slack_bits + 3)) as f64;
            const SLACK: Self = 1.0 + 1.0 / (1u64 << $slack_bits) as $real;
            const FLUSH: Self = $real::from_bits(1 << 9);

            #[inline(always)]
            fn of(x: f64) -> Self {
                $of(x)
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                self.into()
            }

            #[inline(always)]
            fn limit(square: Self) -> Self {
                square * Self::SLACK + Self::FLUSH
            }

            #[inline(always)]
            fn key(square: Self, position: u32) -> $key {
                $key::from(square.to_bits()) << u32::BITS | $key::from(position)
            }

            #[inline(always)]
            fn square(key: $key) -> Self {
                $real::from_bits((key >> u32::BITS) as $bits)
            }

            #[inline(always)]
            fn position(key: $key) -> u32 {
                key as u32
            }
        }
    };
}

coordinate!(f32, f32x8, u32, u64, 20, |x| x as f32);
coordinate!(f64, f64x8, u64, u128, 49, |x| x);
