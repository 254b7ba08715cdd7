//! Distances of two points, and their order without rounding.
//!
//! # The error of a square
//!
//! Let `u = 2^-53`. If all three differences are stored numbers, as they are for most points in
//! `f32`, their squares are rounded once and the sum twice: the result is off by less than `3 u` of
//! itself. Otherwise the errors of differences, products and sums are computed and added, which
//! leaves an error of little more than `u`. (Dekker, "A floating-point technique for extending the
//! available precision", 1971.) The root halves the relative error and is rounded once, so a
//! distance is off by at most `1.5 u` and half a unit in the last place: two of these units.
//!
//! Two squares that differ by more than [`CLOSE`] of their sum are in the order of the true ones.
//! If no operation rounds, as in most lattices, squares are compared as they are. Others are
//! computed again, with integers.
//!
//! # Images
//!
//! In space that repeats, the vector to an image is the sum of four numbers. It is kept as four
//! that do not overlap, of which the first two have the error above: the others are below
//! `2^-106` of the whole. The nearest image is found for each axis by itself, without rounding
//! ([`nearest_way`]).

use std::cmp::Ordering;

use glam::DVec3;

use crate::geometry::period::Period;
use crate::geometry::rounding::{exact_product, exact_sum, exact_sum_of_four};
use crate::narrow_phase::obb_obb::exact::digits::Whole;
use crate::narrow_phase::obb_obb::exact::wide::Wide;

/// The relative difference of two squares beyond which their order is certain: `4 u`.
const CLOSE: f64 = 4.0 / (1u64 << 53) as f64;
/// Smaller squares may underflow, or the errors of their products: 2^-900.
const TINY: f64 = f64::from_bits((1023 - 900) << 52);
/// The factor for differences whose squares are tiny: 2^600.
const LARGER: f64 = f64::from_bits((1023 + 600) << 52);

/// A point in space.
pub(crate) type Point = [f64; 3];

/// A vector, each component of which is the exact sum of four numbers that do not overlap, the
/// largest first.
pub(crate) type Way = [[f64; 4]; 3];

/// Returns the vector from one point to another.
#[inline(always)]
pub(crate) fn way(from: Point, to: Point) -> Way {
    std::array::from_fn(|axis| {
        let (high, low) = exact_sum(to[axis], -from[axis]);
        [high, low, 0.0, 0.0]
    })
}

/// Returns the vector from one point to the nearest image of another.
pub(crate) fn nearest_way(from: DVec3, to: DVec3, period: &Period) -> Way {
    std::array::from_fn(|axis| match period.along(axis) {
        Some(length) => nearest_along(from[axis], to[axis], length),
        None => {
            let (high, low) = exact_sum(to[axis], -from[axis]);
            [high, low, 0.0, 0.0]
        }
    })
}

/// Returns the shortest way from a coordinate to one of those that follow each other after
/// `length`.
fn nearest_along(from: f64, to: f64, length: f64) -> [f64; 4] {
    let sum = |times: [f64; 3]| {
        let (rounded, rest) = exact_product(times[2], length);
        exact_sum_of_four([times[0] * to, times[1] * from, rounded, rest])
    };
    let way = |times: f64| sum([1.0, -1.0, times]);
    // Far from the origin, the quotient is off by a part of one.
    let mut times = ((from - to) / length).round();
    times -= (way(times)[0] / length).round();
    let (first, other) = (way(times), times - way(times)[0].signum());
    // The two are on opposite sides, so the sum of both shows which is longer.
    let both = sum([2.0, -2.0, times + other])[0];
    let is_longer = if first[0] > 0.0 { both > 0.0 } else { both < 0.0 };
    match first[0] != 0.0 && is_longer {
        true => way(other),
        false => first,
    }
}

/// Returns the square of the length of a vector. See the [module](self) for its error.
#[inline(always)]
pub(crate) fn square_of_way(way: &Way) -> f64 {
    square_of(way.map(|[high, low, ..]| (high, low)))
}

/// Returns the square of a vector, each component of which is the sum of two numbers.
#[inline(always)]
fn square_of(way: [(f64, f64); 3]) -> f64 {
    let [x, y, z] = way.map(|(high, _)| high * high);
    match way.iter().all(|(_, low)| *low == 0.0) {
        true => x + y + z,
        false => corrected(way),
    }
}

/// Returns a square with the errors of all its operations added.
#[cold]
fn corrected(way: [(f64, f64); 3]) -> f64 {
    let [x, y, z] = way.map(|(high, _)| high * high);
    let (sum, lost) = exact_sum(x, y);
    let (sum, more_lost) = exact_sum(sum, z);
    let of_ways = way.iter().map(|&(high, low)| lost_of_square(high) + 2.0 * high * low);
    sum + (lost + more_lost + of_ways.sum::<f64>())
}

/// Returns the rounding error of a square (Dekker's product).
fn lost_of_square(x: f64) -> f64 {
    const SPLITTER: f64 = ((1u32 << 27) + 1) as f64;
    let part = SPLITTER * x;
    let high = part - (part - x);
    let low = x - high;
    ((high * high - x * x) + 2.0 * high * low) + low * low
}

/// Returns the length of a vector, given its square, within two units in the last place. `way`
/// returns the vector, if it is needed.
#[inline(always)]
pub(crate) fn length(way: impl FnOnce() -> Way, square: f64) -> f64 {
    match square >= TINY {
        true => square.sqrt(),
        false => short_length(&way()),
    }
}

/// Returns a length whose square may underflow.
#[cold]
fn short_length(way: &Way) -> f64 {
    square_of(way.map(|[high, low, ..]| (high * LARGER, low * LARGER))).sqrt() / LARGER
}

/// Compares the lengths of two vectors, given their squares. `ways` returns the vectors, if
/// rounding leaves a doubt.
#[inline(always)]
pub(crate) fn order(squares: [f64; 2], ways: impl FnOnce() -> [Way; 2]) -> Ordering {
    decided(squares).unwrap_or_else(|| {
        let [a, b] = ways();
        match [unrounded(&a), unrounded(&b)] {
            _ if a == b => Ordering::Equal,
            [Some(a), Some(b)] => a.total_cmp(&b),
            _ => exactly(&a, &b),
        }
    })
}

/// Returns the square of the length of a vector if no operation rounds.
fn unrounded(way: &Way) -> Option<f64> {
    let [x, y, z] = way.map(|[high, ..]| high * high);
    let (sum, lost) = exact_sum(x, y);
    let (sum, more_lost) = exact_sum(sum, z);
    // Losses of tiny squares underflow, too.
    let is_exact =
        |&[high, low, ..]: &[f64; 4]| low == 0.0 && (high == 0.0 || high * high >= TINY) && lost_of_square(high) == 0.0;
    (lost == 0.0 && more_lost == 0.0 && way.iter().all(is_exact)).then_some(sum)
}

/// Returns `true` if the length of a vector, given its square, is at most `radius`. `way` returns
/// the vector, if it is needed.
#[inline(always)]
pub(crate) fn is_within(way: impl FnOnce() -> Way, square: f64, radius: f64) -> bool {
    let order = decided([square, radius * radius]);
    let of_radius = || [[radius, 0.0, 0.0, 0.0], [0.0; 4], [0.0; 4]];
    order.unwrap_or_else(|| exactly(&way(), &of_radius())).is_le()
}

/// Returns the order of two squares, if rounding leaves no doubt. If two of a sorted list are next
/// to each other and decided, so are all from both sides.
#[inline(always)]
pub(crate) fn decided([a, b]: [f64; 2]) -> Option<Ordering> {
    let is_clear = (a - b).abs() > CLOSE * (a + b) && a + b >= TINY;
    is_clear.then(|| a.total_cmp(&b))
}

/// Compares two sums of squares without rounding.
#[cold]
fn exactly(a: &Way, b: &Way) -> Ordering {
    let numbers = || a.iter().chain(b).flatten().copied().filter(|&x| x != 0.0).map(digits);
    let lowest = numbers().map(|(_, exponent)| exponent).min().unwrap_or(0);
    let highest = numbers().map(|(digits, exponent)| exponent + 64 - digits.abs().leading_zeros() as i32);
    // Parts of n bits add up to n + 1, whose squares have 2n + 2, and a sum of three has two more.
    match highest.max().unwrap_or(0) - lowest {
        ..=61 => compared([a, b], |x| {
            let (digits, exponent) = digits(x);
            i128::from(digits) << (exponent - lowest).clamp(0, 63)
        }),
        62..=253 => compared([a, b], |x| wide::<8>(x, lowest)),
        // No number is above 2^63, and none has digits below 2^-1074.
        _ => compared([a, b], |x| wide::<36>(x, lowest)),
    }
}

fn compared<T: Whole>(sums: [&Way; 2], number: impl Fn(f64) -> T) -> Ordering {
    let [a, b] = sums.map(|ways| {
        let [x, y, z] = ways.map(|[a, b, c, d]| {
            let way = number(a) + number(b) + number(c) + number(d);
            way * way
        });
        x + y + z
    });
    (a - b).sign()
}

fn wide<const N: usize>(x: f64, lowest: i32) -> Wide<N> {
    let (digits, exponent) = digits(x);
    Wide::shifted(digits, (exponent - lowest).max(0) as u32)
}

/// Returns a number as an odd integer and the exponent of the power of two to multiply it by.
fn digits(x: f64) -> (i64, i32) {
    let exponent = (x.to_bits() >> 52) as i32 & 0x7ff;
    let below = x.to_bits() & ((1 << 52) - 1);
    let digits = if exponent > 0 { below | 1 << 52 } else { below };
    if digits == 0 {
        return (0, 0);
    }
    let zeros = digits.trailing_zeros();
    let odd = (digits >> zeros) as i64;
    (if x < 0.0 { -odd } else { odd }, exponent.max(1) - 1075 + zeros as i32)
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::*;
    use crate::base::split_mix::SplitMix;

    /// The square in units of 2^-2148.
    fn whole(a: Point, b: Point) -> BigInt {
        let number = |x: f64| {
            let (digits, exponent) = digits(x);
            BigInt::from(digits) << (exponent + 1074).max(0) as u32
        };
        let square = |axis: usize| (number(a[axis]) - number(b[axis])).pow(2);
        square(0) + square(1) + square(2)
    }

    /// Points of few and of many digits, near each other and far apart, as small as numbers get.
    fn points() -> Vec<Point> {
        let mut random = SplitMix(5);
        let mut points = vec![
            [0.0; 3],
            [1.0, 2.0, 2.0],
            [2.0, 1.0, -2.0],
            [3.0, 0.0, 0.0],
            [3.0, 1e-200, 0.0],
            [5e-324, 0.0, -5e-324],
        ];
        for scale in [1.0, 1e-3, 1e18, 1e-160, 1e-310, 3.0f64.recip()] {
            for _ in 0..4 {
                let mut number = || scale * ((random.next() % 9) as f64 - 4.0);
                points.push([number(), number(), number()]);
                points.push([0; 3].map(|_| scale * (random.unit() - 0.5)));
            }
        }
        points
    }

    #[test]
    fn orders_are_those_of_integers() {
        let points = points();
        let mut ties = 0;
        for &from in &points {
            for &a in &points {
                for &b in &points {
                    let order = order([a, b].map(|to| square_of_way(&way(from, to))), || {
                        [a, b].map(|to| way(from, to))
                    });
                    let expected = whole(from, a).cmp(&whole(from, b));
                    assert_eq!(order, expected, "{from:?} {a:?} {b:?}");
                    ties += u32::from(a != b && order.is_eq());
                }
            }
        }
        assert!(ties > 10, "{ties} ties");
    }

    #[test]
    fn distances_are_within_two_units() {
        let points = points();
        for &a in &points {
            for &b in &points {
                let found = length(|| way(a, b), square_of_way(&way(a, b)));
                // The root of the square times 2^2200, rounded down.
                let root = (whole(a, b) << 2200u32).sqrt();
                let (two_less, two_more) = (bits_moved(found, -2), bits_moved(found, 2));
                let scaled = |x: f64| {
                    let (digits, exponent) = digits(x);
                    BigInt::from(digits) << (exponent + 1074 + 1100) as u32
                };
                assert!(
                    scaled(two_less) <= root && root <= scaled(two_more),
                    "{a:?} {b:?}: {found:e}"
                );
                assert!(is_within(|| way(a, b), square_of_way(&way(a, b)), bits_moved(found, 3)));
                assert!(found == 0.0 || !is_within(|| way(a, b), square_of_way(&way(a, b)), bits_moved(found, -3)));
            }
        }
        // Exactly the radius is within it.
        let seven = way([0.0; 3], [2.0, 3.0, 6.0]);
        assert!(is_within(|| seven, 49.0, 7.0));
        assert!(!is_within(|| seven, 49.0, 7.0f64.next_down()));
    }

    fn bits_moved(x: f64, steps: i64) -> f64 {
        f64::from_bits((x.to_bits() as i64 + steps).max(0) as u64)
    }
}
