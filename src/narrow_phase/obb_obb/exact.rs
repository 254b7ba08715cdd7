//! The exact answer for a pair of boxes.
//!
//! The page for users is [`exactness`](crate::exactness).
//!
//! # The promise
//!
//! A box is the set of points `c + R(q) (h * s)`, `s` in `[-1, 1]³`, with `R(q) = M(q) / |q|²`: a
//! closed solid whose center, half extents and quaternion are the stored `f32` values, taken as
//! exact real numbers. This definition involves no rounding, and neither does the answer:
//! [`classify`] distinguishes [`Contact::Separated`], [`Contact::Touching`] and
//! [`Contact::Overlapping`] without error, for every pair of valid boxes ([`Obb::problem`]), and
//! thus gives the same answer on every machine.
//!
//! # Method
//!
//! 1. World-aligned boxes are intervals: sums of two `f32` are stored losslessly in two `f64` and
//!    compared. In lists, pairs of boxes without any rotation are compared in lanes, where two
//!    `f32` hold such a sum too.
//! 2. All others go to [`obb_sat_f64_cpu`], some after its shader. It answers if its error bound
//!    allows: nearly always, unless the boxes touch. Otherwise it returns the axes that it could
//!    not judge.
//! 3. Those axes are computed in integers: the distance along an axis less the radii is a
//!    polynomial in the stored numbers, each an integer times a power of two. Equal rotations leave
//!    three common axes of degree 3, other pairs at most fifteen of degree 5. For most boxes they
//!    are products of machine integers: in 128 bits if the quaternions have few digits, as those of
//!    boxes that touch without rounding do, else in 256. The others take 128 to 384 bits, and 832
//!    suffice for any pair (a quaternion with a component of 1e-45 is taken literally). The
//!    integers live on the stack.
//!
//! # Why fifteen axes suffice, for plates, rods and points too
//!
//! A and B share a point if and only if `d = cB - cA` lies in their Minkowski sum `Z = A' + B'`,
//! the boxes moved to the origin (they are symmetric), which is spanned by the edges `hA_i a_i` and
//! `hB_j b_j`.
//!
//! - *Separated.* If all extents are positive, Z is a solid polyhedron; its faces are parallel to
//!   two edges of A, of B, or one of each, so their normals are among the fifteen axes, and d is
//!   outside Z if and only if some axis has f > 0. If extents are zero and the boxes are apart,
//!   they are still apart when every extent grows by a sufficiently small ε > 0, so one of the
//!   fifteen axes (which do not depend on extents) has f > 0 for these larger boxes, and all the
//!   more for the boxes themselves.
//! - *Overlapping* means that d lies in the interior of Z, which holds if and only if every axis of
//!   nonzero length has f < 0. For interior points f < 0 along every axis. Conversely, if Z is
//!   solid its faces have normals among the axes as before. If Z is flat, some axis is normal to it
//!   (the product of two edges, or a face axis if there is only one direction), and along it the
//!   radii are zero, so f >= 0.
//!
//! The axis of two parallel edges has no length and does not count. For nearly parallel ones see
//! [`KAPPA`](super::separating_axes::KAPPA). The theorems `separated_is`, `touching_is` and
//! `overlapping_is` of `proofs` prove this.
//!
//! # Limits
//!
//! Invalid boxes give an arbitrary answer (no panic). The answer holds for the stored numbers: a
//! wall whose bricks were meant to touch, but were placed at rounded coordinates, has gaps and
//! overlaps of a rounding error, and these are reported faithfully.
//!
//! # Cost
//!
//! Measured on a shared virtual core: 50 ns for a pair that f64 decides; for touching boxes 20 ns
//! when world-aligned, 0.13 µs with equal rotations, 0.2 µs with others of few digits, 0.4 µs
//! otherwise; 4 µs with extreme numbers. `benches/exact.rs` prints these.

pub(crate) mod algebra;
pub(crate) mod aligned;
pub(crate) mod apart;
pub(crate) mod digits;
pub(crate) mod scale;
pub(crate) mod wide;
pub(crate) mod wide_sat;

use std::iter::Sum;
use std::ops::AddAssign;

use fearless_simd::prelude::*;

use crate::base::lanes::{self, Simd, dispatch};
use crate::geometry::pair::Pair;
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::obb_obb::obb_sat_f64_cpu;
use crate::narrow_phase::obb_obb::obb_sat_f64_cpu::{Axes, Decision};
use crate::shapes::obb::lanes::BoxLanes;
use crate::shapes::obb::record::Obb;
#[cfg(feature = "unstable")]
use crate::{base::parallel, narrow_phase::obb_obb::exact::scale::Scale};

impl Obb {
    /// Returns the relation of this box and `other`: the true answer for the stored numbers, free
    /// of rounding.
    ///
    /// Groups are ignored. If a box has a [`problem`](Obb::problem), the answer is arbitrary. See
    /// [`exactness`](crate::exactness).
    ///
    /// ```
    /// use obbligato::{contact::Contact, glam::{Quat, Vec3}, Obb};
    /// let unit = Obb::axis_aligned(Vec3::ZERO, Vec3::ONE);
    /// let next = Obb::axis_aligned(Vec3::new(2.0, 0.0, 0.0), Vec3::ONE);
    /// assert_eq!(unit.contact(&next), Contact::Touching);
    /// let tilted = Obb::new(next.center, next.half_extents, Quat::from_rotation_z(0.1));
    /// assert_eq!(unit.contact(&tilted), Contact::Overlapping);
    /// ```
    pub fn contact(&self, other: &Obb) -> Contact {
        classify(self, other)
    }
}

/// Returns the relation of two valid boxes.
pub fn classify(a: &Obb, b: &Obb) -> Contact {
    classify_staged(a, b).0
}

/// [`classify`], given that all axes except these have f < 0 or no length. Nothing is known about
/// these.
pub(crate) fn classify_unclear(a: &Obb, b: &Obb, axes: Axes) -> Contact {
    // Boxes with parallel edges have more such axes, most of which f64 knows to be irrelevant.
    match axes.iter().count() {
        ..=2 => classify_wide(a, b, axes),
        _ => classify(a, b),
    }
}

/// The number of pairs that each arithmetic decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Pairs of world-aligned boxes.
    pub aligned: u64,
    /// Pairs that f64 decided.
    pub f64: u64,
    /// Pairs that f64 left undecided, decided in integers.
    pub wide: u64,
}

impl Tally {
    /// Pairs that f64 did not decide.
    pub(crate) const fn undecided_after_f64(self) -> u64 {
        self.aligned + self.wide
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.aligned += other.aligned;
        self.f64 += other.f64;
        self.wide += other.wide;
    }
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), |mut sum, tally| {
            sum += tally;
            sum
        })
    }
}

/// Number of pairs that a thread decides at a time: enough to pay off, few enough to balance slow
/// ones.
pub(crate) const CHUNK: usize = 1 << 10;

/// Applies [`classify`] to each of `pairs`, on all cores (feature `rayon`).
///
/// # Panics
/// If a pair names a missing box.
#[cfg(feature = "unstable")]
pub fn classify_all(boxes: &[Obb], pairs: &[Pair]) -> (Vec<Contact>, Tally) {
    let chunks = parallel::map_ranges_of(CHUNK, pairs.len(), |range| {
        let mut tally = Tally::default();
        let contact = |pair: &Pair| classify_counted(&boxes[pair.a as usize], &boxes[pair.b as usize], &mut tally);
        let contacts: Vec<Contact> = pairs[range].iter().map(contact).collect();
        (contacts, tally)
    });
    let (contacts, tallies): (Vec<_>, Vec<_>) = chunks.into_iter().unzip();
    (contacts.concat(), tallies.into_iter().sum())
}

/// Keeps the pairs that collide, in order; otherwise like [`classify_all`].
#[cfg(feature = "unstable")]
pub fn retain_colliding(boxes: &[Obb], pairs: &mut Vec<Pair>) -> Tally {
    let (contacts, tally) = classify_all(boxes, pairs);
    let mut contacts = contacts.into_iter();
    pairs.retain(|_| contacts.next().is_some_and(Contact::collides));
    tally
}

/// Applies [`classify`] to pairs of a box of the first set and one of the second, in order. Boxes
/// without rotation, which touch more often than others, are decided in lanes.
pub(crate) fn classify_pairs(sets: [&[Obb]; 2], pairs: &[Pair], found: impl FnMut(Pair, Contact)) -> Tally {
    dispatch!(lanes::level(), simd => classify_in_lanes(simd, sets, pairs, found))
}

#[inline(always)]
fn classify_in_lanes<S: Simd>(
    simd: S,
    [boxes_a, boxes_b]: [&[Obb]; 2],
    pairs: &[Pair],
    mut found: impl FnMut(Pair, Contact),
) -> Tally {
    let mut tally = Tally::default();
    for chunk in pairs.chunks(S::f32s::LEN) {
        let boxes = |lane: usize| {
            let pair = chunk[lane.min(chunk.len() - 1)];
            (&boxes_a[pair.a as usize], &boxes_b[pair.b as usize])
        };
        let a = BoxLanes::gather(simd, |lane| boxes(lane).0).0;
        let b = BoxLanes::gather(simd, |lane| boxes(lane).1).0;
        let unturned = aligned::classify_unturned(&a, &b);
        for (lane, &pair) in chunk.iter().enumerate() {
            let contact = if unturned.decided >> lane & 1 == 1 {
                tally.aligned += 1;
                unturned.contact(lane)
            } else {
                let (a, b) = boxes(lane);
                classify_counted(a, b, &mut tally)
            };
            found(pair, contact);
        }
    }
    tally
}

/// Applies [`classify`] and counts the pair in the tally.
pub(crate) fn classify_counted(a: &Obb, b: &Obb, tally: &mut Tally) -> Contact {
    let (contact, arithmetic) = classify_staged(a, b);
    match arithmetic {
        Arithmetic::Aligned => tally.aligned += 1,
        Arithmetic::F64 => tally.f64 += 1,
        Arithmetic::Wide => tally.wide += 1,
    }
    contact
}

/// The arithmetic that decides a pair; see [`Tally`].
enum Arithmetic {
    Aligned,
    F64,
    Wide,
}

fn classify_staged(a: &Obb, b: &Obb) -> (Contact, Arithmetic) {
    if let Some(contact) = aligned::classify(a, b) {
        return (contact, Arithmetic::Aligned);
    }
    match obb_sat_f64_cpu::classify(a, b) {
        Decision::Decided(contact) => (contact, Arithmetic::F64),
        Decision::Unclear(axes) => (classify_wide(a, b, axes), Arithmetic::Wide),
    }
}

fn classify_wide(a: &Obb, b: &Obb, axes: Axes) -> Contact {
    match same_rotation(a, b) {
        true => wide_sat::classify_parallel(a, b, axes),
        false => wide_sat::classify(a, b, axes),
    }
}

/// Returns `true` if the stored quaternions are equal or opposite, and so represent the same
/// rotation.
pub(crate) fn same_rotation(a: &Obb, b: &Obb) -> bool {
    a.rotation == b.rotation || a.rotation == -b.rotation
}

/// Returns the answer of each path that can decide a pair, for tests that compare them.
#[cfg(feature = "unstable")]
pub fn classify_each_way(a: &Obb, b: &Obb) -> Ways {
    Ways {
        aligned: aligned::classify(a, b),
        f64: obb_sat_f64_cpu::classify(a, b),
        parallel: same_rotation(a, b).then(|| wide_sat::classify_parallel(a, b, Axes::ALL)),
        short: wide_sat::classify_short(a, b, Axes::ALL),
        general: wide_sat::classify_long(a, b, Scale::of(a, b), Axes::ALL),
    }
}

/// The answers of [`classify_each_way`].
#[cfg(feature = "unstable")]
#[derive(Clone, Copy, Debug)]
pub struct Ways {
    /// As intervals, if both boxes are world-aligned.
    pub aligned: Option<Contact>,
    /// In f64, if it decides.
    pub f64: Decision,
    /// In integers along the three common axes, if the rotations are equal.
    pub parallel: Option<Contact>,
    /// In integers along all axes, if few digits suffice.
    pub short: Option<Contact>,
    /// In integers of any length along all axes.
    pub general: Contact,
}
