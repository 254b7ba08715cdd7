//! Fractions of integers of any size.
//!
//! They are reduced only by powers of two, because sums and products of floating-point numbers have
//! no other common factors in general.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use num_bigint::{BigInt, Sign};

/// The fraction `over / under * 2^power`.
///
/// Powers of two in a fraction of floating-point numbers are far longer than its digits, so they
/// are kept apart: `under` is odd and above 0, `over` is odd or 0. Zero has the power 0.
#[derive(Clone, Debug)]
pub struct Rational {
    over: BigInt,
    under: BigInt,
    power: i64,
}

impl Rational {
    /// A fraction whose `under` is odd and above 0.
    fn new(over: BigInt, under: BigInt, power: i64) -> Self {
        match over.trailing_zeros() {
            None => Self::zero(),
            Some(0) => Self { over, under, power },
            Some(twos) => Self {
                over: over >> twos,
                under,
                power: power + twos as i64,
            },
        }
    }

    /// Zero.
    pub fn zero() -> Self {
        Self {
            over: BigInt::ZERO,
            under: BigInt::from(1),
            power: 0,
        }
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
        // Scaled so that the integer part of the root has 64 or 65 bits, by an even power in all.
        let mut shift = 130 + self.under.bits() as i64 - self.over.bits() as i64;
        shift += (self.power - shift) & 1;
        let root = self.scaled(shift).sqrt();
        let rest = root.bits().saturating_sub(64);
        let digits = (root >> rest).iter_u64_digits().next().unwrap_or(0);
        times_two_to(digits as f64, rest as i64 + (self.power - shift) / 2)
    }

    /// The integer part of `over / under * 2^shift`.
    fn scaled(&self, shift: i64) -> BigInt {
        match shift < 0 {
            true => &self.over / (&self.under << -shift),
            false => (&self.over << shift) / &self.under,
        }
    }

    /// The square.
    pub fn square(&self) -> Self {
        self.clone() * self.clone()
    }

    /// Returns the nearest `f64` except for the last bit; 0 or infinity for numbers out of its
    /// range.
    pub fn to_f64(&self) -> f64 {
        // A quotient of 64 or 65 bits.
        let shift = 64 + self.under.bits() as i64 - self.over.bits() as i64;
        let digits = i128::try_from(self.scaled(shift)).unwrap_or(0) as f64;
        times_two_to(digits, self.power - shift)
    }

    /// Returns `true` if both have the same `under`, most often 1 or that of one rotation.
    fn alike(&self, other: &Self) -> bool {
        self.under == other.under
    }

    /// Bounds on the exponent of the absolute value of a number other than 0: it is above two to
    /// the first, and below two to the second.
    fn exponents(&self) -> [i64; 2] {
        let exponent = self.over.bits() as i64 - self.under.bits() as i64 + self.power;
        [exponent - 1, exponent + 1]
    }
}

/// Returns `digits * 2^power`, where two to the power may be out of the range of `f64`.
fn times_two_to(digits: f64, power: i64) -> f64 {
    let power = power.clamp(-2200, 2200) as i32;
    let (third, rest) = (power / 3, power - 2 * (power / 3));
    digits * 2f64.powi(third) * 2f64.powi(third) * 2f64.powi(rest)
}

/// Returns the two numbers, where `powers` are those of two that they are multiplied by, divided by
/// the lower power, and that power.
fn level(numbers: [BigInt; 2], powers: [i64; 2]) -> ([BigInt; 2], i64) {
    let least = powers[0].min(powers[1]);
    let [a, b] = numbers;
    ([a << (powers[0] - least), b << (powers[1] - least)], least)
}

impl From<f64> for Rational {
    /// Converts a number, which must be finite, exactly.
    fn from(number: f64) -> Self {
        let bits = number.abs().to_bits();
        let (exponent, fraction) = ((bits >> 52) as i64, bits & ((1 << 52) - 1));
        let digits = if exponent == 0 { fraction } else { fraction | 1 << 52 };
        if digits == 0 {
            return Self::zero();
        }
        let twos = digits.trailing_zeros();
        let odd = (digits >> twos) as i64;
        Self {
            over: BigInt::from(if number < 0.0 { -odd } else { odd }),
            under: BigInt::from(1),
            power: exponent.max(1) - 1075 + i64::from(twos),
        }
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
            ..self
        }
    }
}

impl Add for Rational {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        let powers = [self.power, other.power];
        let (overs, under) = match self.alike(&other) {
            true => ([self.over, other.over], self.under),
            false => (
                [self.over * &other.under, other.over * &self.under],
                self.under * other.under,
            ),
        };
        let ([a, b], power) = level(overs, powers);
        Self::new(a + b, under, power)
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
        Self::new(
            self.over * other.over,
            self.under * other.under,
            self.power + other.power,
        )
    }
}

impl Div for Rational {
    type Output = Self;

    /// The divisor must not be 0.
    fn div(self, other: Self) -> Self {
        let power = self.power - other.power;
        let (over, under) = match self.alike(&other) {
            true => (self.over, other.over),
            false => (self.over * other.under, self.under * other.over),
        };
        match under.sign() {
            Sign::Minus => Self::new(-over, -under, power),
            _ => Self::new(over, under, power),
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
        let by_sign = self.over.sign().cmp(&other.over.sign());
        if by_sign.is_ne() || self.is_zero() {
            return by_sign;
        }
        // Most numbers differ so much that their exponents decide.
        let further = if self.is_negative() {
            Ordering::Less
        } else {
            Ordering::Greater
        };
        let ([least, most], [other_least, other_most]) = (self.exponents(), other.exponents());
        if least >= other_most {
            return further;
        }
        if most <= other_least {
            return further.reverse();
        }
        let overs = match self.alike(other) {
            true => [self.over.clone(), other.over.clone()],
            false => [&self.over * &other.under, &other.over * &self.under],
        };
        let ([a, b], _) = level(overs, [self.power, other.power]);
        a.cmp(&b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of all sizes, with either sign.
    fn numbers() -> Vec<f64> {
        let sizes = [0.0, 5e-324, 2.5e-310, 1e-40, 0.1, 1.0, 1.5, 3.0, 7e22, 1e300, f64::MAX];
        sizes.into_iter().flat_map(|size| [size, -size]).collect()
    }

    #[test]
    fn conversions_and_order_are_those_of_the_numbers() {
        for x in numbers() {
            let exact = Rational::from(x);
            assert_eq!(exact.to_f64(), x);
            assert_eq!(exact.square().root(), x.abs(), "{x:e}");
            for y in numbers() {
                assert_eq!(
                    exact.cmp(&Rational::from(y)),
                    x.partial_cmp(&y).expect("numbers"),
                    "{x:e} {y:e}"
                );
            }
        }
    }

    #[test]
    fn sums_products_and_quotients_undo_each_other() {
        let third = Rational::from(1.0f64) / Rational::from(3.0f64);
        assert!(third > Rational::from(1.0 / 3.0) && third < Rational::from((1.0f64 / 3.0).next_up()));
        for (x, y) in numbers()
            .into_iter()
            .flat_map(|x| numbers().into_iter().map(move |y| (x, y)))
        {
            let (a, b) = (Rational::from(x) * third.clone(), Rational::from(y));
            assert_eq!(a.clone() + b.clone() - b.clone(), a, "{x:e} {y:e}");
            if y != 0.0 {
                assert_eq!(a.clone() / b.clone() * b, a, "{x:e} {y:e}");
            }
        }
    }
}
