//! Twin of `shaders/narrow_phase/aabb_aabb/aabb_within.wgsl`: tests whether bounds are within a
//! margin of each other, exactly.

use crate::geometry::aabb::Aabb;

/// Returns `true` if the gap between the bounds is at most `margin` along every axis, for the
/// stored numbers.
pub(crate) fn aabb_within(a: &Aabb, b: &Aabb, margin: f64) -> bool {
    (0..3).all(|axis| reaches(a.min[axis], b.max[axis], margin) && reaches(b.min[axis], a.max[axis], margin))
}

/// Returns `true` if `high` is at most `margin` below `low`.
fn reaches(low: f32, high: f32, margin: f64) -> bool {
    let [low, high] = [low, high].map(f64::from);
    let gap = low - high;
    // Rounding keeps the order, so only a gap that is rounded to the margin itself leaves a doubt,
    // and the part lost to rounding is known (D. Knuth, "The Art of Computer Programming", volume
    // 2, 4.2.2, theorem B).
    let part_of_low = gap + high;
    let rest = (low - part_of_low) + ((part_of_low - gap) - high);
    gap < margin || (gap == margin && rest <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_that_f64_rounds_are_compared_exactly() {
        let tiny = f32::from_bits(1);
        for (low, high, margin, expected) in [
            (1e6 + 0.5625, 1e6, 0.5, false),
            (1e6 + 0.5, 1e6, 0.5, true),
            (tiny, 0.0, tiny, true),
            (2.0 * tiny, 0.0, tiny, false),
            (0.0, -0.0, -0.0, true),
            (1.0, -tiny, 1.0, false),
            (1.0, tiny, 1.0, true),
            (-tiny, -1.0, 1.0, true),
            (tiny, -1.0, 1.0, false),
            (1.0, -tiny, 1.0f32.next_up(), true),
            (-1.0, 1.0, 0.0, true),
        ] {
            assert_eq!(
                reaches(low, high, f64::from(margin)),
                expected,
                "{low:e} to {high:e}, {margin:e}"
            );
        }
    }
}
