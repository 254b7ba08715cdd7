//! Integers of a fixed number of 64-bit words, on the stack.

use crate::base::arrays::by_index;
use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

/// A signed number of `64 N` bits in two's complement, lowest word first. All operations wrap:
/// `proofs/Wide.v` proves that they are those of integers modulo `2^(64 N)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide<const N: usize>([u64; N]);

impl<const N: usize> Wide<N> {
    /// Returns `value * 2^shift`, for a value of at most 64 bits.
    #[inline]
    pub fn shifted(value: impl Into<i64>, shift: u32) -> Self {
        let value = value.into();
        let (word, bits) = ((shift / 64) as usize, shift % 64);
        let low = u128::from(value.unsigned_abs()) << bits;
        let magnitude = Self(by_index(|i| match i.wrapping_sub(word) {
            0 => low as u64,
            1 => (low >> 64) as u64,
            _ => 0,
        }));
        if value < 0 { -magnitude } else { magnitude }
    }

    /// Returns the number times `2^shift`.
    pub fn scaled(self, shift: u32) -> Self {
        let (word, bits) = ((shift / 64) as usize, shift % 64);
        let at = |i: usize| i.checked_sub(word).map_or(0, |i| self.0[i]);
        Self(by_index(|i| match bits {
            0 => at(i),
            _ => at(i) << bits | i.checked_sub(1).map_or(0, at) >> (64 - bits),
        }))
    }

    /// Returns the number of bits of a number that is not negative.
    pub fn bits(self) -> u32 {
        let word = self.0.iter().rposition(|&word| word != 0);
        word.map_or(0, |word| 64 * (word as u32 + 1) - self.0[word].leading_zeros())
    }

    /// Returns the first 64 bits of a number that is not negative, as an integer with the highest
    /// bit set (if there is one); the exponent of the power of two to multiply it by; and `true` if
    /// lower bits remain.
    pub fn leading(self) -> (u64, i32, bool) {
        let bits = self.bits();
        let (word, shift) = (bits.saturating_sub(64) / 64, bits.saturating_sub(64) % 64);
        let at = |i: u32| self.0.get(i as usize).copied().unwrap_or(0);
        let first = match shift {
            0 => at(word),
            _ => at(word) >> shift | at(word + 1) << (64 - shift),
        };
        let rest = self.0[..word as usize].iter().any(|&word| word != 0) || at(word) & ((1 << shift) - 1) != 0;
        let short = 64u32.saturating_sub(bits);
        (first.unbounded_shl(short), bits as i32 - 64, rest)
    }

    /// Returns the product with a machine integer.
    #[inline]
    pub fn times(self, factor: i64) -> Self {
        let (mut product, mut carry) = (self.0, 0);
        for word in &mut product {
            let sum = u128::from(*word) * u128::from(factor.unsigned_abs()) + carry;
            (*word, carry) = (sum as u64, sum >> 64);
        }
        if factor < 0 { -Self(product) } else { Self(product) }
    }

    /// Compares the product of two numbers with that of two others. None of them may be negative.
    pub fn compare_products(of: [Self; 2], with: [Self; 2]) -> Ordering {
        let (ours, theirs) = (Self::full_product(of), Self::full_product(with));
        let words = ours.iter().zip(&theirs).rev().flat_map(|(x, y)| x.iter().zip(y).rev());
        words
            .map(|(x, y)| x.cmp(y))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    /// Returns the words of a product: the lower half and the upper half.
    fn full_product([x, y]: [Self; 2]) -> [[u64; N]; 2] {
        let mut product = [[0; N]; 2];
        for i in 0..N {
            let mut carry = 0;
            for j in 0..N {
                let word = &mut product[(i + j) / N][(i + j) % N];
                let sum = u128::from(x.0[i]) * u128::from(y.0[j]) + u128::from(*word) + u128::from(carry);
                (*word, carry) = (sum as u64, (sum >> 64) as u64);
            }
            product[1][i] = carry;
        }
        product
    }

    /// Returns twice the number.
    pub fn twice(self) -> Self {
        self + self
    }

    /// Returns the absolute value.
    pub fn abs(self) -> Self {
        if self.is_negative() { -self } else { self }
    }

    /// Compares the number with zero.
    pub fn sign(self) -> Ordering {
        if self.is_negative() {
            Ordering::Less
        } else if self.0 == [0; N] {
            Ordering::Equal
        } else {
            Ordering::Greater
        }
    }

    /// Returns the number as digits and the exponent of the power of two to multiply them by, a
    /// multiple of 64. The result is accurate to a few parts in 2^53.
    pub fn rounded(self) -> (f64, i32) {
        let words = self.abs().0;
        let highest = words.iter().rposition(|&word| word != 0).unwrap_or(0).max(1);
        let digits = (u128::from(words[highest]) << 64 | u128::from(words[highest - 1])) as f64;
        let sign = if self.is_negative() { -1.0 } else { 1.0 };
        (sign * digits, 64 * (highest as i32 - 1))
    }

    fn is_negative(self) -> bool {
        self.0[N - 1] >> 63 != 0
    }
}

impl Wide<4> {
    /// Returns the full product.
    #[inline]
    pub fn product(x: i128, y: i64) -> Self {
        let low = i128::from(x as u64) * i128::from(y);
        let high = (x >> 64) * i128::from(y) + (low >> 64);
        Self([low as u64, high as u64, (high >> 64) as u64, (high >> 127) as u64])
    }
}

/// Requires more than one word.
impl<const N: usize> From<i128> for Wide<N> {
    #[inline]
    fn from(value: i128) -> Self {
        let mut words = [(value >> 127) as u64; N];
        (words[0], words[1]) = (value as u64, (value >> 64) as u64);
        Self(words)
    }
}

impl<const N: usize> Add for Wide<N> {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        called_if_long(&self, &other, sum)
    }
}

impl<const N: usize> Neg for Wide<N> {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self([0; N]) - self
    }
}

impl<const N: usize> Sub for Wide<N> {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        called_if_long(&self, &other, difference)
    }
}

impl<const N: usize> Mul for Wide<N> {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        called_if_long(&self, &other, product)
    }
}

/// Applies an operation. Its loops over a few words are inlined and unrolled; over more, they would
/// be most of the code of each test of a pair.
#[inline(always)]
fn called_if_long<const N: usize>(
    x: &Wide<N>,
    y: &Wide<N>,
    operation: impl Fn(&Wide<N>, &Wide<N>) -> Wide<N>,
) -> Wide<N> {
    if N <= 4 {
        operation(x, y)
    } else {
        called(x, y, operation)
    }
}

#[inline(never)]
fn called<const N: usize>(x: &Wide<N>, y: &Wide<N>, operation: impl Fn(&Wide<N>, &Wide<N>) -> Wide<N>) -> Wide<N> {
    operation(x, y)
}

#[inline(always)]
fn sum<const N: usize>(x: &Wide<N>, y: &Wide<N>) -> Wide<N> {
    let (mut sum, mut carry) = ([0; N], false);
    for (i, word) in sum.iter_mut().enumerate() {
        (*word, carry) = x.0[i].carrying_add(y.0[i], carry);
    }
    Wide(sum)
}

#[inline(always)]
fn difference<const N: usize>(x: &Wide<N>, y: &Wide<N>) -> Wide<N> {
    let (mut difference, mut borrow) = ([0; N], false);
    for (i, word) in difference.iter_mut().enumerate() {
        (*word, borrow) = x.0[i].borrowing_sub(y.0[i], borrow);
    }
    Wide(difference)
}

/// Computes the schoolbook product, truncated. In two's complement this is correct for either sign.
#[inline(always)]
fn product<const N: usize>(x: &Wide<N>, y: &Wide<N>) -> Wide<N> {
    let mut product = [0; N];
    for i in 0..N {
        let mut carry = 0;
        for j in 0..N - i {
            let sum = u128::from(x.0[i]) * u128::from(y.0[j]) + u128::from(product[i + j]) + u128::from(carry);
            product[i + j] = sum as u64;
            carry = (sum >> 64) as u64;
        }
    }
    Wide(product)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(value: i128) -> Wide<2> {
        Wide([value as u64, (value >> 64) as u64])
    }

    #[test]
    fn wide_integers_agree_with_128_bits() {
        let samples = [
            0,
            1,
            -1,
            7,
            -12_345,
            i128::MAX,
            i128::MIN,
            1 << 64,
            -(1 << 64),
            (1 << 90) - 3,
            -(1 << 77) + 5,
        ];
        for x in samples {
            assert_eq!(-wide(x), wide(x.wrapping_neg()));
            assert_eq!(wide(x).abs(), wide(x.wrapping_abs()));
            assert_eq!(wide(x).sign(), x.cmp(&0));
            for y in samples {
                assert_eq!(wide(x) + wide(y), wide(x.wrapping_add(y)));
                assert_eq!(wide(x) - wide(y), wide(x.wrapping_sub(y)));
                assert_eq!(wide(x) * wide(y), wide(x.wrapping_mul(y)));
            }
        }
    }

    #[test]
    fn products_agree_with_wide_ones() {
        let wide = Wide::<4>::from;
        let samples = [
            0,
            1,
            -1,
            7,
            (1 << 64) - 1,
            1 << 64,
            -(1 << 64),
            (1 << 90) - 3,
            5 - (1 << 121),
            i128::MAX,
            i128::MIN,
        ];
        for x in samples {
            for y in [0, 1, -1, 12_345, -(1 << 40), i64::MAX, i64::MIN] {
                assert_eq!(Wide::product(x, y), wide(x) * wide(y.into()), "{x} {y}");
                assert_eq!(wide(x).times(y), wide(x) * wide(y.into()), "{x} {y}");
            }
        }
    }

    #[test]
    fn products_are_compared_without_overflow() {
        let samples = [0, 1, 3, (1 << 64) - 1, 1 << 64, (1 << 90) - 3, i128::MAX - 1, i128::MAX];
        let pairs = || samples.into_iter().flat_map(|x| samples.map(|y| [x, y]));
        for of in pairs() {
            for with in pairs() {
                let wide_product = |[x, y]: [i128; 2]| Wide::<4>::from(x) * Wide::from(y);
                let expected = (wide_product(of) - wide_product(with)).sign();
                assert_eq!(
                    Wide::compare_products(of.map(wide), with.map(wide)),
                    expected,
                    "{of:?} {with:?}"
                );
            }
        }
    }

    #[test]
    fn leading_bits() {
        for value in [
            1,
            5,
            (1 << 63) - 1,
            1 << 63,
            (1 << 64) + 1,
            (1 << 90) - 3,
            (1 << 77) + (1 << 13),
            i128::MAX,
        ] {
            let bits = 128 - value.leading_zeros();
            assert_eq!(wide(value).bits(), bits);
            let (first, power, rest) = wide(value).leading();
            assert_eq!(first, ((value as u128) << (128 - bits) >> 64) as u64, "{value}");
            assert_eq!(power, bits as i32 - 64);
            assert_eq!(rest, bits > 64 && value & ((1 << (bits - 64)) - 1) != 0, "{value}");
            for shift in 0..value.leading_zeros() {
                assert_eq!(wide(value).scaled(shift), wide(value << shift));
            }
        }
        assert_eq!((wide(0).bits(), wide(0).leading()), (0, (0, -64, false)));
    }

    #[test]
    fn rounds_to_digits_and_an_exponent() {
        for (value, shift) in [
            (0, 0),
            (1, 0),
            (-3, 0),
            (0x00FF_FFFF, 64),
            (-5, 127),
            (7, 150),
            (0x00AB_CDEF, 160),
        ] {
            let (digits, exponent) = Wide::<3>::shifted(value, shift).rounded();
            assert_eq!(exponent % 64, 0);
            assert_eq!(
                digits * 2f64.powi(exponent),
                f64::from(value) * 2f64.powi(shift as i32),
                "{value} {shift}"
            );
        }
    }

    #[test]
    fn shifts_across_words() {
        for shift in 0..127 {
            for value in [1, -1, 0x00FF_FFFF, -0x00AB_CDEF] {
                assert_eq!(
                    Wide::<2>::shifted(value, shift),
                    wide(i128::from(value).wrapping_shl(shift))
                );
            }
        }
        assert_eq!(Wide::<2>::shifted(1, 300), wide(0));
    }
}
