//! Rounding with known errors: numbers in `f64` rounded up to `f32`, and sums and products with
//! their remainders.

use crate::geometry::rotation::Number;

/// Returns the smallest `f32` that is not below `x`.
pub(crate) fn above(x: f64) -> f32 {
    let rounded = x as f32;
    match f64::from(rounded) < x {
        true => rounded.next_up(),
        false => rounded,
    }
}

/// Returns the smallest `f32` that is not below `a - b`.
pub(crate) fn above_difference(a: f32, b: f32) -> f32 {
    let (difference, lost) = exact_sum(f64::from(a), -f64::from(b));
    let rounded = above(difference);
    match f64::from(rounded) == difference && lost > 0.0 {
        true => rounded.next_up(),
        false => rounded,
    }
}

/// Returns `x + y` as its rounded value and the exact remainder (Knuth's two-sum, the theorem
/// `two_sum` of `proofs`). The sum must be finite; sums do not underflow.
#[inline(always)]
pub(crate) fn exact_sum<T: Number>(x: T, y: T) -> (T, T) {
    let sum = x + y;
    let y_part = sum - x;
    let x_part = sum - y_part;
    (sum, (x - x_part) + (y - y_part))
}

/// Returns `x * y` as its rounded value and the exact remainder. Nothing may overflow, and the
/// product must be a multiple of 2^-1074, as that of any number and a whole one is.
#[inline]
pub(crate) fn exact_product(x: f64, y: f64) -> (f64, f64) {
    let product = x * y;
    (product, x.mul_add(y, -product))
}

/// Returns four numbers with exactly the sum of these (`parts_have_the_sum` of `proofs`), the
/// largest first. It is off by at most 2^-53 (1 + 2^-51) of the sum, and only the last numbers are
/// 0.
///
/// The terms are added one after the other, and the result is compressed (Shewchuk, "Adaptive
/// Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997, theorems 10 and
/// 23). Then the sum is off by less than a unit in the last place of the first, and the last step
/// leaves half of it.
pub(crate) fn exact_sum_of_four(terms: [f64; 4]) -> [f64; 4] {
    let (sum, rest) = exact_sum(terms[0], terms[1]);
    if rest == 0.0 && terms[3] == 0.0 {
        let (sum, rest) = exact_sum(sum, terms[2]);
        return [sum, rest, 0.0, 0.0];
    }
    // From the smallest to the largest, as everywhere here but in the result.
    let mut grown = [0.0; 4];
    for (count, mut rest) in terms.into_iter().enumerate() {
        for place in &mut grown[..count] {
            (rest, *place) = exact_sum(rest, *place);
        }
        grown[count] = rest;
    }
    let (mut down, mut bottom, mut sum) = ([0.0; 4], 3, grown[3]);
    for part in grown[..3].iter().rev() {
        let (rounded, rest) = exact_sum(sum, *part);
        sum = rounded;
        if rest != 0.0 {
            down[bottom] = rounded;
            (bottom, sum) = (bottom - 1, rest);
        }
    }
    let (mut parts, mut top) = ([0.0; 4], 0);
    for part in &down[bottom + 1..] {
        let (rounded, rest) = exact_sum(*part, sum);
        sum = rounded;
        if rest != 0.0 {
            (parts[top], top) = (rest, top + 1);
        }
    }
    parts[top] = sum;
    parts[..=top].reverse();
    (parts[0], parts[1]) = exact_sum(parts[0], parts[1]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn above_returns_the_least_number_not_below() {
        let tiny = f32::from_bits(1);
        for (x, expected) in [
            (0.0, 0.0),
            (1.0, 1.0),
            (1.0 + 1e-12, 1.0f32.next_up()),
            (-1.0 - 1e-12, -1.0),
        ] {
            assert_eq!(above(x), expected);
        }
        assert_eq!(above(1e-60), tiny);
        assert_eq!(above(-1e-60), 0.0);
        let cases = [
            (3.0, 1.0, 2.0),
            (1.0, -tiny, 1.0f32.next_up()),
            (1.0, tiny, 1.0),
            (-1.0, -tiny, -(1.0f32.next_down())),
            (1e30, 1e-30, 1e30),
            (1e30, -1e-30, 1e30f32.next_up()),
            (tiny, tiny, 0.0),
        ];
        for (a, b, expected) in cases {
            assert_eq!(above_difference(a, b), expected, "{a:e} {b:e}");
        }
    }
}
