//! Fractions of integers of any size.
//!
//! They are reduced only by powers of two, because sums and products of floating-point numbers have
//! no other common factors in general.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use num_bigint::{BigInt, Sign};

/// A fraction with a denominator above 0.
#[derive(Clone, Debug)]
pub struct Rational {
    over: BigInt,
    under: BigInt,
}

impl Rational {
    fn new(over: BigInt, under: BigInt) -> Self {
        let twos = |number: &BigInt| number.trailing_zeros().unwrap_or(u64::MAX);
        let common = twos(&over).min(twos(&under));
        Self {
            over: over >> common,
            under: under >> common,
        }
    }

    /// Zero.
    pub fn zero() -> Self {
        Self::from(0.0f64)
    }

    /// Returns the number clamped to the range from 0 to 1.
    pub fn clamped(self) -> Self {
        self.max(Self::zero()).min(Self::from(1.0f64))
    }

    /// Returns `true` below zero.
    pub fn is_negative(&self) -> bool {
        self.over.sign() == Sign::Minus
    }

    /// Returns `true` for zero.
    pub fn is_zero(&self) -> bool {
        self.over.sign() == Sign::NoSign
    }

    /// The absolute value.
    pub fn size(self) -> Self {
        if self.is_negative() { -self } else { self }
    }

    /// Returns the square root of a number that is not negative, rounded.
    pub fn root(&self) -> f64 {
        if self.is_zero() {
            return 0.0;
        }
        // Scaled so that the integer part of the root has 64 or 65 bits; the exponent of the root
        // is half that of the scale.
        let mut power = 130 + self.under.bits() as i32 - self.over.bits() as i32;
        power += power & 1;
        let scaled = match power < 0 {
            true => &self.over / (&self.under << -power),
            false => (&self.over << power) / &self.under,
        };
        let root = scaled.sqrt();
        let rest = root.bits().saturating_sub(64) as i32;
        let digits = (root >> rest).iter_u64_digits().next().unwrap_or(0);
        let exponent = rest - power / 2;
        digits as f64 * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
    }

    /// The square.
    pub fn square(&self) -> Self {
        self.clone() * self.clone()
    }

    /// Returns the nearest `f64` except for the last bit; 0 for numbers below 2^-1000, infinity for
    /// numbers above 2^1000.
    pub fn to_f64(&self) -> f64 {
        let shift = 64 + self.under.bits() as i64 - self.over.bits() as i64;
        let shifted = |number: &BigInt, by: i64| if by > 0 { number << by } else { number.clone() };
        // A quotient of 64 or 65 bits.
        let digits = shifted(&self.over, shift) / shifted(&self.under, -shift);
        let digits = i128::try_from(digits).unwrap_or(0) as f64;
        digits * 2f64.powi(-shift.clamp(-1000, 1000) as i32)
    }
}

impl From<f64> for Rational {
    /// Converts a number, which must be finite, exactly.
    fn from(number: f64) -> Self {
        let bits = number.abs().to_bits();
        let (exponent, fraction) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
        let digits = BigInt::from(if exponent == 0 { fraction } else { fraction | 1 << 52 });
        let power = exponent.max(1) - 1075;
        let one = BigInt::from(1);
        let size = match power < 0 {
            true => Self::new(digits, one << -power),
            false => Self::new(digits << power, one),
        };
        if number < 0.0 { -size } else { size }
    }
}

impl From<f32> for Rational {
    fn from(number: f32) -> Self {
        f64::from(number).into()
    }
}

impl Neg for Rational {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            over: -self.over,
            under: self.under,
        }
    }
}

impl Add for Rational {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let over = self.over * &other.under + other.over * &self.under;
        Self::new(over, self.under * other.under)
    }
}

impl Sub for Rational {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Rational {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self::new(self.over * other.over, self.under * other.under)
    }
}

impl Div for Rational {
    type Output = Self;

    /// The divisor must not be 0.
    fn div(self, other: Self) -> Self {
        let (over, under) = (self.over * other.under, self.under * other.over);
        match under.sign() {
            Sign::Minus => Self::new(-over, -under),
            _ => Self::new(over, under),
        }
    }
}

impl PartialEq for Rational {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Rational {}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.over * &other.under).cmp(&(&other.over * &self.under))
    }
}
