//! Sums of two `f64`s: twice the digits, for cases that `f64` cannot decide.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number as a sum of two, the second at most half a rounding error of the first.
///
/// Sums, products and quotients have a relative error below 2^-102 (Joldes, Muller and Popescu,
/// "Tight and rigorous error bounds for basic building blocks of double-word arithmetic", 2017), if
/// nothing underflows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Double {
    high: f64,
    low: f64,
}

impl Double {
    /// Adds two numbers, of which the first is not smaller than the second.
    fn of(high: f64, low: f64) -> Self {
        let sum = high + low;
        Self {
            high: sum,
            low: low - (sum - high),
        }
    }

    /// Returns the exact sum (Knuth).
    fn sum(x: f64, y: f64) -> Self {
        let high = x + y;
        let part = high - x;
        Self {
            high,
            low: (x - (high - part)) + (y - part),
        }
    }

    /// Returns the exact product.
    fn product(x: f64, y: f64) -> Self {
        let high = x * y;
        Self {
            high,
            low: x.mul_add(y, -high),
        }
    }

    /// Returns the nearest `f64`.
    pub fn rounded(self) -> f64 {
        self.high
    }
}

impl From<f64> for Double {
    fn from(number: f64) -> Self {
        Self { high: number, low: 0.0 }
    }
}

impl Neg for Double {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            high: -self.high,
            low: -self.low,
        }
    }
}

impl Add for Double {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (high, low) = (Self::sum(self.high, other.high), Self::sum(self.low, other.low));
        let sum = Self::of(high.high, high.low + low.high);
        Self::of(sum.high, sum.low + low.low)
    }
}

impl Sub for Double {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let product = Self::product(self.high, other.high);
        Self::of(
            product.high,
            product.low + (self.high * other.low + self.low * other.high),
        )
    }
}

impl Div for Double {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * Self::from(first);
        let second = rest.high / other.high;
        let last = (rest - other * Self::from(second)).high / other.high;
        Self::of(first, second) + Self::from(last)
    }
}

impl PartialOrd for Double {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match self.high.partial_cmp(&other.high) {
            Some(Ordering::Equal) => self.low.partial_cmp(&other.low),
            decided => decided,
        }
    }
}
