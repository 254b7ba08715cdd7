//! Tests of two spheres in `f32`, as many pairs at a time as the machine has lanes. The formulas
//! are in [`filter`](super::filter).

use fearless_simd::prelude::*;

use crate::base::lanes::{self, Simd, axes, dispatch};
use crate::geometry::pair::Pair;
use crate::narrow_phase::round::answers::{Answers, Compared, Question, answers, margins};
use crate::narrow_phase::round::filter::{FLUSH_SQUARE, SPHERES_ERROR};
use crate::shapes::round::lanes::BallLanes;
use crate::shapes::round::sphere::Sphere;

/// `K u`, with the u of rounding to nearest.
pub(super) const ERROR: f32 = SPHERES_ERROR / (1u32 << 24) as f32;

/// Tests `pairs`, each of two spheres, and calls `found` with batches of answers. The answer to a
/// pair does not depend on the others.
#[inline]
pub(crate) fn sphere_sphere(
    balls: impl Fn(Pair) -> [Sphere; 2],
    pairs: &[Pair],
    question: Question<impl Fn(Pair) -> f32>,
    found: impl FnMut(&[Pair], Answers),
) {
    dispatch!(lanes::level(), simd => test_all(simd, balls, pairs, question, found));
}

#[expect(clippy::manual_map, reason = "the compiler leaves some closures alone")]
#[inline(always)]
fn test_all<S: Simd>(
    simd: S,
    balls: impl Fn(Pair) -> [Sphere; 2],
    pairs: &[Pair],
    question: Question<impl Fn(Pair) -> f32>,
    mut found: impl FnMut(&[Pair], Answers),
) {
    let all = S::f32s::splat(simd, 0.0).simd_eq(S::f32s::splat(simd, 0.0));
    for chunk in pairs.chunks(S::f32s::LEN) {
        // A short chunk is padded with copies of its last pair, whose answers are ignored.
        let pair = |lane: usize| chunk[lane.min(chunk.len() - 1)];
        let a = BallLanes::gather(simd, |lane| balls(pair(lane))[0]);
        let b = BallLanes::gather(simd, |lane| balls(pair(lane))[1]);
        let d = axes!(|i| b.center[i] - a.center[i]);
        let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        let reach = a.radius + b.radius;
        let within = match &question.margin {
            None => None,
            Some(margin) => Some(compare::<S>(square, reach + margins(simd, margin, pair))),
        };
        let touch = compare::<S>(square, reach);
        found(chunk, answers(touch, within, question.precision, all, chunk.len()));
    }
}

/// Compares a squared distance with the square of a reach.
#[inline(always)]
fn compare<S: Simd>(square: S::f32s, reach: S::f32s) -> Compared<S> {
    let squared_reach = reach * reach;
    let error = (square + squared_reach) * ERROR + FLUSH_SQUARE;
    let rest = square - squared_reach;
    Compared {
        above: rest.simd_gt(error),
        below: rest.simd_lt(-error),
        at_most: square.simd_le(squared_reach),
    }
}
