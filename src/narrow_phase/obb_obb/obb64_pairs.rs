//! The narrow phase and the exact stage of boxes with centers in `f64`: tests pairs as if the first
//! box were at the origin.
//!
//! The difference of the centers is rounded once to `f64` and once to `f32`. It is off by at most
//! 2^-24 (1 + 2^-28) of itself; the difference of two centers in `f32` is off by at most 2^-24. The
//! error bound of the test in `f32` ([`DISTANCE_ERROR`](super::separating_axes::DISTANCE_ERROR))
//! has room for such terms of second order (`cpu_f32_separated` and `cpu_f32_overlapping` of
//! `proofs`). `f32` therefore leaves no more pairs undecided than near the origin, however far away
//! the boxes are, and however large the scene is.

#[cfg(feature = "gpu")]
use std::iter::Sum;

use glam::Vec3;

use crate::base::config::Precision;
use crate::geometry::pair::Pair;
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::obb_obb::exact::apart::{Apart, classify};
use crate::narrow_phase::obb_obb::exact::{Tally, classify_pairs};
use crate::narrow_phase::obb_obb::obb_sat_cpu::obb_sat;
use crate::shapes::obb::record::Obb;
use crate::shapes::obb64::record::Obb64;

/// Number of pairs tested at a time: a multiple of any machine's lanes, and few enough to stay in
/// the caches.
const BLOCK: usize = 64;

/// Counts of the pairs that `f32` left undecided.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Pairs that `f32` left undecided.
    pub undecided: u64,
    /// The arithmetic that decided those.
    pub tally: Tally,
}

#[cfg(feature = "gpu")]
impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |sum, counts| Self {
            undecided: sum.undecided + counts.undecided,
            tally: [sum.tally, counts.tally].into_iter().sum(),
        })
    }
}

/// Tests `pairs` of these boxes, and calls `found` with the position in `pairs` of each that
/// collides. In each block, the pairs that `f32` finds overlapping come first, in order; the others
/// follow. Without [`Precision::Exact`] all of them overlap. `margin` returns the margin of the
/// pair at a position: if given, `found` also gets the pairs within it, as [`Contact::Separated`].
pub(crate) fn obb64_pairs(
    boxes: &[Obb64],
    pairs: &[Pair],
    precision: Precision,
    margin: Option<&dyn Fn(usize) -> f64>,
    mut found: impl FnMut(usize, Contact),
) -> Counts {
    let nowhere = Obb::axis_aligned(Vec3::ZERO, Vec3::ZERO);
    let mut sets = [[nowhere; BLOCK]; 2];
    let own: [Pair; BLOCK] = std::array::from_fn(|k| Pair {
        a: k as u32,
        b: k as u32,
    });
    let mut counts = Counts::default();
    for (block, pairs) in pairs.chunks(BLOCK).enumerate() {
        let first = block * BLOCK;
        let boxes = |pair: &Pair| [&boxes[pair.a as usize], &boxes[pair.b as usize]];
        for (k, [a, b]) in pairs.iter().map(boxes).enumerate() {
            sets[0][k] = a.centered_at(Vec3::ZERO);
            sets[1][k] = b.centered_at((b.center - a.center).as_vec3());
        }
        let sets = [&sets[0][..], &sets[1][..]];
        let is_near = |k: usize| {
            let [a, b] = boxes(&pairs[k]);
            margin.is_some_and(|margin| a.groups_meet(b) && a.within(b, margin(first + k)))
        };
        let (mut undecided, mut apart) = (0u64, 0u64);
        obb_sat(sets, &own[..pairs.len()], precision, |own, verdicts| {
            let place = own[0].a as usize;
            undecided |= u64::from(verdicts.undecided) << place;
            let others = !(verdicts.overlapping | verdicts.undecided);
            apart |= (u64::from(others) & !(!0 << own.len())) << place;
            for k in ones(verdicts.overlapping.into()) {
                found(first + place + k, Contact::Overlapping);
            }
        });
        if margin.is_some() {
            for k in ones(apart).filter(|&k| is_near(k)) {
                found(first + k, Contact::Separated);
            }
        }
        if undecided == 0 {
            continue;
        }
        counts.undecided += u64::from(undecided.count_ones());
        // Pairs whose difference of centers fits in f32 are pairs of boxes in f32, which are
        // decided in lanes.
        let (mut short, mut length) = (own, 0);
        for k in ones(undecided) {
            let [a, b] = boxes(&pairs[k]);
            let apart = Apart::between(a.center, b.center);
            if apart.is_short() {
                short[length] = own[k];
                length += 1;
                continue;
            }
            let contact = classify(&sets[0][k], &sets[1][k], &apart, &mut counts.tally);
            if contact.collides() || is_near(k) {
                found(first + k, contact);
            }
        }
        counts.tally += classify_pairs(sets, &short[..length], |pair, contact| {
            let k = pair.a as usize;
            if contact.collides() || is_near(k) {
                found(first + k, contact);
            }
        });
    }
    counts
}

/// Returns the positions of the set bits, ascending.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (place < 64).then_some(place)
    })
}
