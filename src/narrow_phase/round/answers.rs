//! The questions and answers of the tests of round bodies in `f32`: the last part of
//! [`filter`](super::filter), in lanes.

use fearless_simd::prelude::*;

use crate::base::config::Precision;
use crate::base::lanes::Simd;
use crate::geometry::pair::Pair;
use crate::narrow_phase::round::filter::FLUSH_LENGTH;
use crate::shapes::bodies::lanes::gather_slots;
use crate::shapes::bodies::slot::Slot;
use crate::shapes::obb::lanes::BoxLanes;

/// A question about pairs.
#[derive(Clone, Copy)]
pub(crate) struct Question<M> {
    pub precision: Precision,
    /// The margin of each pair, if any has one.
    pub margin: Option<M>,
}

/// The answers of `f32` about some pairs, one bit each. A pair with no bit set is not reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answers {
    /// They collide.
    pub colliding: u32,
    /// They are apart, but within their margin.
    pub near: u32,
    /// Rounding may have changed the answer. Only with [`Precision::Exact`].
    pub undecided: u32,
}

/// The comparison of a distance with a reach.
pub(super) struct Compared<S: Simd> {
    /// It is certainly greater.
    pub above: S::mask32s,
    /// It is certainly less.
    pub below: S::mask32s,
    /// As computed, it is not greater.
    pub at_most: S::mask32s,
}

impl<S: Simd> Compared<S> {
    /// Returns the pairs that count as apart and those that count as not apart, as far as
    /// `precision` decides.
    #[inline(always)]
    fn settled(self, precision: Precision) -> [S::mask32s; 2] {
        match precision {
            Precision::Exact => [self.above, self.below],
            Precision::Fast => [!self.at_most, self.at_most],
            Precision::Conservative => [self.above, !self.above],
        }
    }
}

/// Two points of two cores that are near each other, and lengths derived from them.
pub(super) struct Witnesses<S: Simd> {
    /// L, their distance.
    pub length: S::f32s,
    /// G, the distance of the cores' projections onto the line through the points, times L.
    pub gap: S::f32s,
    /// S, the sum of all lengths except the reach.
    pub size: S::f32s,
    /// I, the depth of one inside the other's box; negative if it is outside.
    pub depth: S::f32s,
    /// The sum of the radii.
    pub radii: S::f32s,
}

impl<S: Simd> Witnesses<S> {
    /// Compares the distance of the cores with the reach. `error` is `K u`.
    #[inline(always)]
    pub fn compare(&self, simd: S, reach: S::f32s, error: f32) -> Compared<S> {
        let error = (self.size + reach) * error + FLUSH_LENGTH;
        let inside = self.depth.simd_gt(error) & reach.simd_gt(S::f32s::splat(simd, 0.0));
        Compared {
            above: self.gap.simd_gt((reach + error) * (self.length + FLUSH_LENGTH)),
            below: (self.length + error).simd_lt(reach) | inside,
            at_most: self.length.simd_le(reach),
        }
    }
}

/// Tests `pairs` by the witnesses that `closest` returns for their bodies, in the order in which
/// `bodies` gives them, and calls `found` with batches of answers. `error` is `K u`. Pairs whose
/// groups do not meet have no bit set. The answer to a pair does not depend on the others.
#[expect(clippy::manual_map, reason = "the compiler leaves some closures alone")]
#[inline(always)]
pub(super) fn test_all<S: Simd>(
    simd: S,
    bodies: impl Fn(Pair) -> [Slot; 2],
    closest: impl Fn(S, &BoxLanes<S>, &BoxLanes<S>) -> Witnesses<S>,
    error: f32,
    (pairs, question): (&[Pair], Question<impl Fn(Pair) -> f32>),
    mut found: impl FnMut(&[Pair], Answers),
) {
    for chunk in pairs.chunks(S::f32s::LEN) {
        // A short chunk is padded with copies of its last pair, whose answers are ignored.
        let pair = |lane: usize| chunk[lane.min(chunk.len() - 1)];
        let (a, b, meet) = gather_slots(simd, |lane| bodies(pair(lane)));
        let witnesses = closest(simd, &a, &b);
        let within = match &question.margin {
            None => None,
            Some(margin) => Some(witnesses.compare(simd, witnesses.radii + margins(simd, margin, pair), error)),
        };
        let touch = witnesses.compare(simd, witnesses.radii, error);
        found(chunk, answers(touch, within, question.precision, meet, chunk.len()));
    }
}

/// Returns the margins of the lanes.
#[inline(always)]
pub(super) fn margins<S: Simd>(simd: S, margin: impl Fn(Pair) -> f32, pair: impl Fn(usize) -> Pair) -> S::f32s {
    let mut margins = S::f32s::splat(simd, 0.0);
    for (lane, place) in margins.as_mut_slice().iter_mut().enumerate() {
        *place = margin(pair(lane));
    }
    margins
}

/// Returns the answers of the first `lanes` lanes that count, given the comparison of the distance
/// with the sum of the radii, and, if there is a margin, with that sum plus the margin.
#[inline(always)]
pub(super) fn answers<S: Simd>(
    touch: Compared<S>,
    within: Option<Compared<S>>,
    precision: Precision,
    counts: S::mask32s,
    lanes: usize,
) -> Answers {
    let live = !(!0u32 << lanes);
    let live = live & counts.to_bitmask() as u32;
    let [apart, colliding] = touch.settled(precision);
    let colliding = colliding.to_bitmask() as u32 & live;
    let Some(within) = within else {
        let apart = apart.to_bitmask() as u32;
        return Answers {
            colliding,
            near: 0,
            undecided: live & !(colliding | apart),
        };
    };
    let [beyond, within] = within.settled(precision);
    let near = (apart & within).to_bitmask() as u32 & live & !colliding;
    Answers {
        colliding,
        near,
        undecided: live & !(colliding | near | beyond.to_bitmask() as u32),
    }
}
