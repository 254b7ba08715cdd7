//! Points of the difference of two solids, and signs of determinants of such points: in f64 with an
//! error bound, and in whole numbers if that is not certain.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use glam::{DVec3, Vec3};

use crate::narrow_phase::obb_obb::exact::scale::{Grain, split};
use crate::narrow_phase::obb_obb::exact::wide::Wide;

/// Half a unit in the last place of 1: the relative error of a rounded operation.
const UNIT: f64 = f64::EPSILON / 2.0;

/// A corner of A less a corner of B.
#[derive(Clone, Copy, Debug)]
pub(super) struct Difference {
    pub a: Vec3,
    pub b: Vec3,
}

impl Difference {
    pub fn new(a: Vec3, b: Vec3) -> Self {
        Self { a, b }
    }

    /// Returns the difference, rounded once.
    pub fn value(self) -> DVec3 {
        self.a.as_dvec3() - self.b.as_dvec3()
    }

    pub fn minus(self, other: Self) -> Combination<2> {
        Combination::of([self.a, other.b], [self.b, other.a])
    }
}

/// N points less N points, and the rounded result.
pub(super) struct Combination<const N: usize> {
    value: DVec3,
    /// The maximum error of a coordinate of `value`.
    error: f64,
    plus: [Vec3; N],
    minus: [Vec3; N],
}

impl<const N: usize> Combination<N> {
    /// Returns the sum of the first points less that of the others.
    #[inline]
    pub fn of(plus: [Vec3; N], minus: [Vec3; N]) -> Self {
        const { assert!(N <= MOST) };
        // Differences come first: they are as small as the solids, however far these are from the
        // origin.
        let (mut value, mut sizes) = (DVec3::ZERO, 0.0);
        for k in 0..N {
            let difference = plus[k].as_dvec3() - minus[k].as_dvec3();
            value += difference;
            sizes += size(difference);
        }
        Self {
            value,
            // Each difference is off by a unit of its size, each of N - 1 sums by at most a unit of
            // all sizes.
            error: (N as f64 + 0.5) * UNIT * sizes,
            plus,
            minus,
        }
    }

    /// Returns all coordinates.
    fn numbers(&self) -> impl Iterator<Item = f32> {
        self.plus.iter().chain(&self.minus).flat_map(|point| point.to_array())
    }

    /// Returns the result without rounding. `whole` makes whole numbers of digits and a power of
    /// two above that of the grain.
    fn exactly<T: Whole>(&self, grain: Grain, whole: impl Fn(i32, u32) -> T) -> [T; 3] {
        [0, 1, 2].map(|axis| {
            let sum = |points: &[Vec3; N]| {
                points.iter().fold(whole(0, 0), |sum, point| {
                    let (digits, power) = split(point[axis]);
                    sum + whole(digits, (power - grain.exponent).max(0) as u32)
                })
            };
            sum(&self.plus) - sum(&self.minus)
        })
    }
}

impl From<Difference> for Combination<1> {
    #[inline]
    fn from(point: Difference) -> Self {
        Self::of([point.a], [point.b])
    }
}

/// Returns the largest absolute coordinate.
fn size(vector: DVec3) -> f64 {
    vector.abs().max_element()
}

/// Returns the sign of the determinant of three vectors.
///
/// In the following, X, Y and Z are the sizes of the rounded vectors, and x, y and z the maximum
/// errors of their coordinates. Each of the six products that are summed is then off by (X + x)(Y +
/// y)(Z + z) - XYZ, and evaluating them adds 6 units of each, 36 XYZ units in all.
#[inline]
pub(super) fn sign<const I: usize, const J: usize, const K: usize>(
    u: &Combination<I>,
    v: &Combination<J>,
    w: &Combination<K>,
) -> Ordering {
    let value = u.value.dot(v.value.cross(w.value));
    let [x, y, z] = [u.value, v.value, w.value].map(size);
    let inherited = u.error * (y + v.error) * (z + w.error) + x * (v.error * (z + w.error) + y * w.error);
    let bound = 6.5 * inherited + 40.0 * UNIT * x * y * z;
    match value.abs() > bound {
        true => value.total_cmp(&0.0),
        false => exact_sign(u, v, w),
    }
}

#[cold]
fn exact_sign<const I: usize, const J: usize, const K: usize>(
    u: &Combination<I>,
    v: &Combination<J>,
    w: &Combination<K>,
) -> Ordering {
    let grain = Grain::of(u.numbers().chain(v.numbers()).chain(w.numbers()));
    match grain.bits() <= NARROW / 3 {
        true => determinant(
            u.exactly(grain, narrow),
            v.exactly(grain, narrow),
            w.exactly(grain, narrow),
        )
        .cmp(&0),
        false => {
            let whole = Broad::shifted;
            determinant(
                u.exactly(grain, whole),
                v.exactly(grain, whole),
                w.exactly(grain, whole),
            )
            .sign()
        }
    }
}

/// Returns the sign of a coordinate of the cross product of two vectors. The bound is derived as
/// for [`sign`].
pub(super) fn sign_of_minor<const I: usize, const J: usize>(
    axis: usize,
    first: &Combination<I>,
    second: &Combination<J>,
) -> Ordering {
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let (u, v) = (first.value, second.value);
    let value = u[j] * v[k] - u[k] * v[j];
    let (x, y) = (size(u), size(v));
    let bound = 2.5 * (first.error * (y + second.error) + x * second.error) + 8.0 * UNIT * x * y;
    if value.abs() > bound {
        return value.total_cmp(&0.0);
    }
    let grain = Grain::of(first.numbers().chain(second.numbers()));
    match grain.bits() <= NARROW / 2 {
        true => minor(j, k, first.exactly(grain, narrow), second.exactly(grain, narrow)).cmp(&0),
        false => {
            let whole = Broad::shifted;
            minor(j, k, first.exactly(grain, whole), second.exactly(grain, whole)).sign()
        }
    }
}

/// The maximum number of points that are added.
const MOST: usize = 8;

/// 16 numbers below 2^210 (from 2^-149 to 2^60) have a sum below 2^214, and six products of three
/// such sums one below 2^645.
type Broad = Wide<11>;

/// The number of bits of products that fit in 128 bits: one bit is the sign, three more are for the
/// sum of six products, and four for each factor that is a sum of 16 numbers.
const NARROW: i32 = 128 - 4 - 3 * 4;

fn narrow(digits: i32, power: u32) -> i128 {
    i128::from(digits) << power
}

/// The whole numbers in which determinants are computed.
trait Whole: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {}

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>> Whole for T {}

fn determinant<T: Whole>(u: [T; 3], v: [T; 3], w: [T; 3]) -> T {
    u[0] * minor(1, 2, v, w) + u[1] * minor(2, 0, v, w) + u[2] * minor(0, 1, v, w)
}

fn minor<T: Whole>(j: usize, k: usize, u: [T; 3], v: [T; 3]) -> T {
    u[j] * v[k] - u[k] * v[j]
}
