//! Floating-point numbers of 320 bits, for boxes whose sizes differ by more than twice the digits
//! of `f64` can hold.
//!
//! Lengths are between 2^-149 and 2^63, so the coordinates of a pair may be 2^212 times as large as
//! the smallest extent. The overlap is needed to 2^-30 of the smaller box, which leaves 78 bits for
//! the errors of all operations.

use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::narrow_phase::obb_obb::overlap::float::Float;

/// The number of words.
const WORDS: usize = 5;
const BITS: i32 = 64 * WORDS as i32;

/// A number of 320 bits: the words, the lowest first, are a whole number that is multiplied by
/// `2^power`. Its highest bit is 1, unless the number is 0.
///
/// Results are truncated: they are off by less than 2^-318 of the larger operand of a sum, and by
/// less than 2^-310 of a product or a quotient. The quotient by 0 is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Long {
    words: [u64; WORDS],
    power: i32,
    negative: bool,
}

const ZERO: Long = Long {
    words: [0; WORDS],
    power: 0,
    negative: false,
};

impl Long {
    fn is_zero(self) -> bool {
        self.words[WORDS - 1] == 0
    }

    /// Returns a number with its highest bit at the top.
    fn normal(mut self) -> Self {
        let Some(top) = self.words.iter().rposition(|&word| word != 0) else {
            return ZERO;
        };
        let shift = 64 * (WORDS - 1 - top) as i32 + self.words[top].leading_zeros() as i32;
        self.words = raised(self.words, shift as u32);
        self.power -= shift;
        self
    }

    /// Compares the absolute values.
    fn compare_sizes(&self, other: &Self) -> Ordering {
        let key = |number: &Self| (!number.is_zero(), if number.is_zero() { 0 } else { number.power });
        let words = || self.words.iter().rev().cmp(other.words.iter().rev());
        key(self).cmp(&key(other)).then_with(words)
    }

    /// Returns about 1 / self, from a guess that Newton's steps double the digits of.
    fn inverse(self) -> Self {
        let top = self.words[WORDS - 1];
        if top == 0 {
            return ZERO;
        }
        // The number is `top` times 2^(power + 256) or a little more.
        let mut guess = Self::from(1.0 / top as f64);
        guess.power -= self.power + BITS - 64;
        guess.negative = self.negative;
        let two = Self::from(2.0);
        for _ in 0..3 {
            guess = guess * (two - self * guess);
        }
        guess
    }
}

/// Multiplies by a power of two below 2^320.
fn raised(words: [u64; WORDS], shift: u32) -> [u64; WORDS] {
    let (whole, part) = ((shift / 64) as usize, shift % 64);
    std::array::from_fn(|k| {
        let word = |k: usize| words.get(k.wrapping_sub(whole)).copied().unwrap_or(0);
        match part {
            0 => word(k),
            _ => word(k) << part | word(k.wrapping_sub(1)) >> (64 - part),
        }
    })
}

/// Divides by a power of two, rounding down.
fn lowered(words: [u64; WORDS], shift: u32) -> [u64; WORDS] {
    let (whole, part) = ((shift / 64) as usize, shift % 64);
    std::array::from_fn(|k| {
        let word = |k: usize| words.get(k + whole).copied().unwrap_or(0);
        match part {
            0 => word(k),
            _ => word(k) >> part | word(k + 1) << (64 - part),
        }
    })
}

impl From<f64> for Long {
    /// Returns the same number, if it is finite.
    fn from(number: f64) -> Self {
        let bits = number.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7FF) as i32, bits & ((1 << 52) - 1));
        let mut words = [0; WORDS];
        words[0] = fraction | u64::from(exponent != 0) << 52;
        let found = Self {
            words,
            power: exponent.max(1) - 1075,
            negative: number < 0.0,
        };
        found.normal()
    }
}

impl Float for Long {
    /// 2^-300.
    const UNIT: f64 = f64::from_bits((1023 - 300) << 52);

    fn rounded(self) -> f64 {
        let power = self.power + BITS - 64;
        // Two factors, because one alone may be out of range.
        let factor = |power: i32| f64::from_bits(((1023 + power.clamp(-1022, 1023)) as u64) << 52);
        let size = self.words[WORDS - 1] as f64 * factor(power / 2) * factor(power - power / 2);
        if self.negative { -size } else { size }
    }
}

impl Neg for Long {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            negative: !self.negative,
            ..self
        }
    }
}

impl Add for Long {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (large, small) = match self.compare_sizes(&other) {
            Ordering::Less => (other, self),
            _ => (self, other),
        };
        let shift = large.power - small.power;
        if small.is_zero() || shift >= BITS {
            return large;
        }
        let other = lowered(small.words, shift as u32);
        let (mut words, mut carry) = (large.words, false);
        for (word, other) in words.iter_mut().zip(other) {
            let (step, [first, second]) = match large.negative == small.negative {
                true => {
                    let (sum, first) = word.overflowing_add(other);
                    let (sum, second) = sum.overflowing_add(carry.into());
                    (sum, [first, second])
                }
                false => {
                    let (rest, first) = word.overflowing_sub(other);
                    let (rest, second) = rest.overflowing_sub(carry.into());
                    (rest, [first, second])
                }
            };
            (*word, carry) = (step, first | second);
        }
        if carry {
            words = lowered(words, 1);
            words[WORDS - 1] |= 1 << 63;
        }
        let power = large.power + i32::from(carry);
        Self { words, power, ..large }.normal()
    }
}

impl Sub for Long {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Long {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let mut product = [0u64; 2 * WORDS];
        for (i, &a) in self.words.iter().enumerate() {
            let mut carry = 0;
            for (j, &b) in other.words.iter().enumerate() {
                let sum = u128::from(a) * u128::from(b) + u128::from(product[i + j]) + carry;
                product[i + j] = sum as u64;
                carry = sum >> 64;
            }
            product[i + WORDS] = carry as u64;
        }
        let found = Self {
            words: std::array::from_fn(|k| product[k + WORDS]),
            power: self.power + other.power + BITS,
            negative: self.negative != other.negative,
        };
        found.normal()
    }
}

impl Div for Long {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        self.mul(other.inverse())
    }
}

impl PartialOrd for Long {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let sign = |number: &Self| match (number.is_zero(), number.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let signs = [sign(self), sign(other)];
        Some(match signs {
            [-1, -1] => other.compare_sizes(self),
            [1, 1] => self.compare_sizes(other),
            [a, b] => a.cmp(&b),
        })
    }
}

#[cfg(test)]
mod tests {
    use obbligato_support::split_mix::SplitMix;

    use super::*;

    /// Numbers with the digits of several `f64`, of any sign and of very different sizes.
    fn numbers() -> Vec<Long> {
        let mut random = SplitMix(9);
        let mut part = |power: u64| {
            let number = Long::from(random.next() as f64 - (1u64 << 63) as f64);
            number * Long::from((power as f64 - 300.0).exp2())
        };
        let long = |power: u64| (0..5).fold(Long::from(0.0), |sum, k| sum + part(power + 300 - 60 * k));
        (0..40).map(|k| 7 * k).map(long).collect()
    }

    /// Returns `true` if two numbers differ by at most `2^-300` of a third.
    fn near(a: Long, b: Long, size: Long) -> bool {
        (a - b).size() <= size.size() * Long::from(Long::UNIT)
    }

    #[test]
    fn sums_products_and_quotients_obey_their_laws() {
        let all = numbers();
        for (k, &a) in all.iter().enumerate() {
            let (b, c) = (all[(k + 7) % all.len()], all[(k + 20) % all.len()]);
            let size = a.size() + b.size() + c.size();
            assert!(near((a + b) + c, a + (b + c), size), "{a:?} {b:?} {c:?}");
            assert!(near((a + b) - b, a, size), "{a:?} {b:?}");
            assert_eq!(a - a, ZERO);
            assert!(near((a + b) * c, a * c + b * c, size * c.size()), "{a:?} {b:?} {c:?}");
            assert!(near(a / b * b, a, a), "{a:?} {b:?}");
            assert!(near((a - b) * (a + b), a * a - b * b, size * size), "{a:?} {b:?}");
            assert_eq!(a < b, (b - a) > ZERO);
            assert_eq!((-a).rounded(), -a.rounded());
        }
    }

    #[test]
    fn numbers_of_f64_come_back() {
        for number in [
            0.0,
            -0.0,
            1.0,
            -3.5,
            1e300,
            -1e-300,
            f64::from(f32::from_bits(1)),
            f64::MAX,
        ] {
            assert_eq!(Long::from(number).rounded(), number);
            assert_eq!((Long::from(number) / ZERO).rounded(), 0.0);
        }
        let third = Long::from(1.0) / Long::from(3.0);
        assert_eq!(third.rounded(), 1.0 / 3.0);
        assert!(near(third * Long::from(3.0), Long::from(1.0), Long::from(1.0)));
    }
}
