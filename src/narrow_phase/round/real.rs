//! The numbers of the exact tests: `f64`s with their errors, and integers.

use crate::base::arrays::{Mapped, by_index};
use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

use glam::DVec3;

use crate::narrow_phase::obb_obb::exact::scale::{Grain, Grain64};
use crate::narrow_phase::obb_obb::exact::wide::Wide;

/// Numbers whose signs decide.
pub(crate) trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// Returns 0.
    fn zero() -> Self;

    /// Compares the number with zero; `None` if the result is not certain.
    fn sign(self) -> Option<Ordering>;

    /// Returns the absolute value.
    fn size(self) -> Option<Self> {
        Some(if self.sign()?.is_lt() { -self } else { self })
    }

    /// Compares two numbers.
    fn compare(self, other: Self) -> Option<Ordering> {
        (self - other).sign()
    }
}

/// An `f64` and a bound on its distance from the number that it stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    value: f64,
    error: f64,
}

/// More than the relative error of rounding to nearest.
const ROUNDING: f64 = f64::EPSILON;

/// The magnitude below which products may lose digits to underflow that their residual would need:
/// 2^-900.
const SMALL: f64 = f64::from_bits((1023 - 900) << 52);

impl Near {
    /// Returns the number itself, without error.
    #[inline]
    pub fn exact(value: impl Into<f64>) -> Self {
        Self {
            value: value.into(),
            error: 0.0,
        }
    }

    /// Returns a result with its error, given the sum of the parts of the error, which was rounded
    /// a few times too. Without an error the number is exact, and stays so while nothing is lost to
    /// rounding: short numbers decide even if they are equal.
    #[inline]
    fn rounded(value: f64, error: f64) -> Self {
        let error = match error == 0.0 {
            true => 0.0,
            false => error * (1.0 + 8.0 * ROUNDING) + f64::MIN_POSITIVE,
        };
        Self { value, error }
    }

    /// Returns the smallest and the largest number that it may represent.
    pub fn range(self) -> [f64; 2] {
        [
            (self.value - self.error).next_down(),
            (self.value + self.error).next_up(),
        ]
    }
}

impl Add for Near {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        let (a, b) = (self.value, other.value);
        let sum = a + b;
        // The part lost to rounding: Knuth, The Art of Computer Programming, volume 2, 4.2.2,
        // theorem B.
        let from_b = sum - a;
        let lost = (a - (sum - from_b)) + (b - from_b);
        Self::rounded(sum, self.error + other.error + lost.abs())
    }
}

impl Neg for Near {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self {
            value: -self.value,
            error: self.error,
        }
    }
}

impl Sub for Near {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Near {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        let error = self.value.abs() * other.error + other.value.abs() * self.error + self.error * other.error;
        let product = self.value * other.value;
        // Underflow must not make the product of an uncertain number exact.
        let kept = if self.error == 0.0 && other.error == 0.0 {
            0.0
        } else {
            f64::MIN_POSITIVE
        };
        Self::rounded(product, error + lost(self.value, other.value, product) + kept)
    }
}

/// Returns the most that a product can lose to rounding: exactly what it loses, unless it is tiny.
///
/// Dekker, "A Floating-Point Technique for Extending the Available Precision", 1971.
#[inline]
fn lost(a: f64, b: f64, product: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    if product.abs() < SMALL {
        return product.abs() * ROUNDING + f64::MIN_POSITIVE;
    }
    let halves = |x: f64| {
        let scaled = x * f64::from((1u32 << 27) + 1);
        let high = scaled - (scaled - x);
        (high, x - high)
    };
    let ((a, a_low), (b, b_low)) = (halves(a), halves(b));
    (((a * b - product) + a * b_low + a_low * b) + a_low * b_low).abs()
}

impl Real for Near {
    fn zero() -> Self {
        Self::exact(0.0)
    }

    fn sign(self) -> Option<Ordering> {
        match self.value.abs() > self.error {
            true => self.value.partial_cmp(&0.0),
            false => (self.value == 0.0 && self.error == 0.0).then_some(Ordering::Equal),
        }
    }
}

impl<const N: usize> Real for Wide<N> {
    fn zero() -> Self {
        Self::shifted(0, 0)
    }

    fn sign(self) -> Option<Ordering> {
        Some(Wide::sign(self))
    }
}

/// Converts numbers of one unit to integers.
pub(crate) fn whole<const M: usize, const N: usize>(grain: Grain, numbers: [f32; M]) -> [Wide<N>; M] {
    grain.apply(numbers)
}

/// [`whole`] for numbers in `f64`.
pub(crate) fn whole64<const M: usize, const N: usize>(grain: Grain64, numbers: [f64; M]) -> [Wide<N>; M] {
    numbers.mapped(|number| grain.apply(number))
}

pub(crate) type Vector<T> = [T; 3];

/// The lengths of a pair: the vector between the centers as an exact sum, and others.
#[derive(Clone, Copy)]
pub(crate) struct Lengths<'a, const M: usize> {
    pub apart: &'a [DVec3],
    pub others: [f64; M],
}

impl<const M: usize> Lengths<'_, M> {
    /// Returns the grain of all of them.
    pub fn grain(&self) -> Grain64 {
        let apart = self.apart.iter().flat_map(|part| part.to_array());
        Grain64::of(apart.chain(self.others))
    }

    /// Returns the vector and the others, with their errors.
    pub fn near(&self) -> (Vector<Near>, [Near; M]) {
        (self.sum(Near::exact), self.others.mapped(Near::exact))
    }

    /// Returns the vector and the others in integers.
    pub fn whole<const N: usize>(&self, grain: Grain64) -> (Vector<Wide<N>>, [Wide<N>; M]) {
        (self.sum(|part| grain.apply(part)), whole64(grain, self.others))
    }

    fn sum<T: Real>(&self, convert: impl Fn(f64) -> T) -> Vector<T> {
        let parts = self.apart.iter().map(|part| part.to_array().mapped(&convert));
        parts.reduce(plus).unwrap_or([T::zero(); 3])
    }
}

/// Returns the vector in places `3 k` to `3 k + 2`.
pub(crate) fn vector<T: Copy>(numbers: &[T], k: usize) -> Vector<T> {
    by_index(|axis| numbers[3 * k + axis])
}

/// Returns a point in the frame whose axes are the columns of a matrix.
pub(crate) fn in_frame<T: Real>(rows: &[Vector<T>; 3], point: Vector<T>) -> Vector<T> {
    by_index(|axis| dot(rows.mapped(|row| row[axis]), point))
}

pub(crate) fn dot<T: Real>(u: Vector<T>, v: Vector<T>) -> T {
    u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
}

pub(crate) fn plus<T: Real>(u: Vector<T>, v: Vector<T>) -> Vector<T> {
    [u[0] + v[0], u[1] + v[1], u[2] + v[2]]
}

pub(crate) fn minus<T: Real>(u: Vector<T>, v: Vector<T>) -> Vector<T> {
    [u[0] - v[0], u[1] - v[1], u[2] - v[2]]
}

pub(crate) use crate::geometry::rotation::cross;

/// Calls a function with integers of as many words as `bits` require, including a sign. Numbers in
/// `f32` take at most 6,144 bits; with an `f64` among the lengths, 10,752.
macro_rules! with_words {
    ($bits:expr, $function:ident($($argument:expr),*)) => {
        match $bits {
            ..=256 => $crate::narrow_phase::round::real::outlined(|| $function::<4>($($argument),*)),
            257..=512 => $crate::narrow_phase::round::real::outlined(|| $function::<8>($($argument),*)),
            513..=1024 => $crate::narrow_phase::round::real::outlined(|| $function::<16>($($argument),*)),
            1025..=2048 => $crate::narrow_phase::round::real::outlined(|| $function::<32>($($argument),*)),
            2049..=6144 => $crate::narrow_phase::round::real::outlined(|| $function::<96>($($argument),*)),
            _ => $crate::narrow_phase::round::real::outlined(|| $function::<168>($($argument),*)),
        }
    };
}
pub(crate) use with_words;

/// Calls a function that takes much of the stack. Inlined, its memory would be that of its caller,
/// which would have to make sure of each page of it at each call.
#[cold]
#[inline(never)]
pub(crate) fn outlined<T>(work: impl FnOnce() -> T) -> T {
    work()
}
