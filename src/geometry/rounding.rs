//! Rounding with known errors: numbers in `f64` rounded up to `f32`, and sums with their
//! remainders.

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

/// Returns `x + y` as its rounded value and the exact remainder (Knuth's two-sum). The sum must be
/// finite; sums do not underflow.
#[inline(always)]
pub(crate) fn exact_sum<T: Number>(x: T, y: T) -> (T, T) {
    let sum = x + y;
    let y_part = sum - x;
    let x_part = sum - y_part;
    (sum, (x - x_part) + (y - y_part))
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
