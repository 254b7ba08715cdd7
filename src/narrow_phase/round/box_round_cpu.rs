//! Tests of a box and a capsule or a sphere in `f32`, as many pairs at a time as the machine has
//! lanes. The formulas are in [`filter`](super::filter).

use fearless_simd::prelude::*;

use crate::base::lanes::{self, Simd, axes, dispatch};
use crate::geometry::pair::Pair;
use crate::geometry::rotation::{matrix, relative};
use crate::narrow_phase::round::answers::{Answers, Question, Witnesses, test_all};
use crate::narrow_phase::round::filter::{BOX_ERROR, FLUSH_LENGTH, LEAST_SLOPE};
use crate::narrow_phase::round::round_round_cpu::direction;
use crate::shapes::bodies::slot::Slot;
use crate::shapes::obb::lanes::BoxLanes;

/// `K u`, with the u of rounding to nearest.
const ERROR: f32 = BOX_ERROR / (1u32 << 24) as f32;

/// Tests `pairs`, each of a box and a round body in either order, and calls `found` with batches of
/// answers. Pairs whose groups do not meet have no bit set. The answer to a pair does not depend on
/// the others.
#[inline]
pub(crate) fn box_round(
    bodies: impl Fn(Pair) -> [Slot; 2],
    pairs: &[Pair],
    question: Question<impl Fn(Pair) -> f32>,
    found: impl FnMut(&[Pair], Answers),
) {
    let box_first = |pair: Pair| match bodies(pair) {
        [a, b] if a.is_box() => [a, b],
        [a, b] => [b, a],
    };
    dispatch!(lanes::level(), simd => test_all(simd, box_first, closest, ERROR, (pairs, question), found));
}

/// Segments in the frame of boxes.
struct Frame<S: Simd> {
    /// The half extents of the box.
    half: [S::f32s; 3],
    /// The middle of the segment, its direction and half its length.
    middle: [S::f32s; 3],
    along: [S::f32s; 3],
    half_length: S::f32s,
}

impl<S: Simd> Frame<S> {
    /// Returns the point of the segment at a position, and the vector to it from the nearest point
    /// of the box.
    #[inline(always)]
    fn at(&self, place: S::f32s) -> ([S::f32s; 3], [S::f32s; 3]) {
        let x = axes!(|i| self.middle[i] + place * self.along[i]);
        (x, axes!(|i| x[i] - x[i].max(-self.half[i]).min(self.half[i])))
    }

    /// Returns φ: half the derivative of the squared distance.
    #[inline(always)]
    fn slope(&self, place: S::f32s) -> S::f32s {
        let (_, w) = self.at(place);
        w[0] * self.along[0] + w[1] * self.along[1] + w[2] * self.along[2]
    }

    /// Returns the position where the segment is closest to the box: between two planes of faces,
    /// where φ is linear.
    #[inline(always)]
    fn search(&self, simd: S) -> S::f32s {
        let zero = S::f32s::splat(simd, 0.0);
        let one = S::f32s::splat(simd, 1.0);
        let (mut low, mut high) = (-self.half_length, self.half_length);
        for axis in 0..3 {
            let steep = self.along[axis].abs().simd_ge(S::f32s::splat(simd, LEAST_SLOPE));
            let along = steep.select(self.along[axis], one);
            for side in [-self.half[axis], self.half[axis]] {
                let place = steep.select((side - self.middle[axis]) / along, zero);
                let place = place.max(-self.half_length).min(self.half_length);
                let before = self.slope(place).simd_le(zero);
                low = before.select(low.max(place), low);
                high = before.select(high, high.min(place));
            }
        }
        let (at_low, at_high) = (self.slope(low), self.slope(high));
        let rise = (at_high - at_low).max(S::f32s::splat(simd, FLUSH_LENGTH));
        let part = (-at_low / rise).max(zero).min(one);
        (low + part * (high - low)).max(-self.half_length).min(self.half_length)
    }
}

/// Finds points of the boxes and the segments that are near each other.
#[inline(always)]
fn closest<S: Simd>(simd: S, obb: &BoxLanes<S>, round: &BoxLanes<S>) -> Witnesses<S> {
    let (rows, square) = matrix(obb.rotation);
    let d = axes!(|i| round.center[i] - obb.center[i]);
    let middle = axes!(|i| (rows[0][i] * d[0] + rows[1][i] * d[1] + rows[2][i] * d[2]) / square);
    let frame = Frame::<S> {
        half: obb.half,
        middle,
        along: direction::<S>(relative(obb.rotation, round.rotation)),
        half_length: round.half[0],
    };
    let zero = S::f32s::splat(simd, 0.0);
    // Spheres have no length.
    let place = match frame.half_length.simd_gt(zero).any_true() {
        true => frame.search(simd),
        false => zero,
    };
    let (x, w) = frame.at(place);
    let along = w[0] * frame.along[0] + w[1] * frame.along[1] + w[2] * frame.along[2];
    let from_middle = w[0] * middle[0] + w[1] * middle[1] + w[2] * middle[2];
    let half = frame.half;
    let radius = half[0] * w[0].abs() + half[1] * w[1].abs() + half[2] * w[2].abs();
    let inside = axes!(|i| half[i] - x[i].abs());
    Witnesses {
        length: (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt(),
        gap: from_middle - radius - frame.half_length * along.abs(),
        size: (middle[0].abs() + middle[1].abs() + middle[2].abs()) + (half[0] + half[1] + half[2]) + frame.half_length,
        depth: inside[0].min(inside[1]).min(inside[2]),
        radii: round.half[1],
    }
}
