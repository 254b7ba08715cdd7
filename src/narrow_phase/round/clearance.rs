//! The clearance of two bodies, one of them round: the distance they may move before they can
//! begin, or cease, to collide.
//!
//! D is the distance of the cores, and R the sum of the radii. The bodies are `D - R` apart, or
//! else they overlap by at least `R - D` along every direction, because the cores have no gap wider
//! than D along any. This remains so while both together have moved less than that, by the argument
//! of [`clearance_cpu`](crate::narrow_phase::obb_obb::clearance_cpu). D is that of
//! [`closest`](super::closest), with its error.
//!
//! # In f32
//!
//! For two capsules, or a capsule and a sphere, the test of [`filter`](super::filter) proves in
//! `f32` that D is larger or smaller than a reach, whatever that is. With the names there, the
//! bodies are further apart than c if `G > (R + c + E) (L + FLUSH_LENGTH)` with the E of `R + c`,
//! which is E + K u c; and they overlap by more than c if `L + E < R - c`. A second E is more than
//! rounding takes in the steps that solve these for c, and [`ROUNDING`] more than `K u c`.

use fearless_simd::prelude::*;

use crate::base::lanes::{self, Simd, dispatch};
use crate::geometry::pair::Pair;
use crate::narrow_phase::round::answers::Witnesses;
use crate::narrow_phase::round::closest::ERROR;
use crate::narrow_phase::round::distance::{Balls, OnBox, Rounds, Two};
use crate::narrow_phase::round::filter::FLUSH_LENGTH;
use crate::narrow_phase::round::round_round_cpu::{self, closest};
use crate::shapes::bodies::lanes::gather_slots;
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::bodies::slot::Slot;

/// More than the relative error of rounding to `f32`, and than `K u`.
const ROUNDING: f64 = 4e-6;

/// Returns a clearance. Above 0 the bodies are apart, below 0 they overlap, and this remains so
/// until both together have moved that far. 0 says nothing. Groups are ignored.
pub(crate) fn clearance([a, b]: [BodyRef<'_>; 2]) -> f32 {
    let (gap, error) = match Two::of(a, b) {
        // Two boxes have a test of their own.
        Two::Boxes(..) => return 0.0,
        Two::Balls(a, b) => {
            let balls = Balls::new([a, b]);
            let reach = balls.radii[0] + balls.radii[1];
            (balls.length - reach, ERROR * (balls.length + reach))
        }
        Two::Rounds(bodies, _) => {
            let rounds = Rounds::new(&bodies);
            let reach = rounds.radii[0] + rounds.radii[1];
            (rounds.closest().way().length() - reach, rounds.error())
        }
        Two::OnBox(obb, round, _) => {
            let on_box = OnBox::new(obb, &round);
            (on_box.closest().way().length() - on_box.radius, on_box.error())
        }
    };
    let certain = (gap.abs() - error) * (1.0 - ROUNDING);
    match certain > 0.0 {
        true => certain.copysign(gap) as f32,
        false => 0.0,
    }
}

/// Calls `found(pairs, clearances)` with batches of `pairs`, each of two round bodies. The
/// clearances are those of [`clearance`], but a little smaller, and 0 for more pairs. They are
/// infinite for bodies whose groups do not meet: wherever these go, they are no pair.
#[inline]
pub(crate) fn round_clearances(bodies: impl Fn(Pair) -> [Slot; 2], pairs: &[Pair], found: impl FnMut(&[Pair], &[f32])) {
    dispatch!(lanes::level(), simd => in_lanes(simd, bodies, pairs, found));
}

#[inline(always)]
fn in_lanes<S: Simd>(
    simd: S,
    bodies: impl Fn(Pair) -> [Slot; 2],
    pairs: &[Pair],
    mut found: impl FnMut(&[Pair], &[f32]),
) {
    for chunk in pairs.chunks(S::f32s::LEN) {
        // A short chunk is padded with copies of its last pair.
        let (a, b, meet) = gather_slots(simd, |lane| bodies(chunk[lane.min(chunk.len() - 1)]));
        let clearances = between(&closest(simd, &a, &b));
        let clearances = meet.select(clearances, S::f32s::splat(simd, f32::INFINITY));
        found(chunk, &clearances.as_slice()[..chunk.len()]);
    }
}

/// Returns the clearances of two bodies in each lane.
#[inline(always)]
fn between<S: Simd>(witnesses: &Witnesses<S>) -> S::f32s {
    let &Witnesses {
        length,
        gap,
        size,
        radii,
        ..
    } = witnesses;
    let error = ((size + radii) * round_round_cpu::ERROR + FLUSH_LENGTH) * 2.0;
    let apart = gap / (length + FLUSH_LENGTH) - radii - error;
    let overlap = radii - length - error;
    let none = apart * 0.0;
    let overlapping = overlap.simd_gt(0.0).select(-overlap, none);
    apart.simd_gt(0.0).select(apart, overlapping) * (1.0 - ROUNDING as f32)
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::base::split_mix::SplitMix;
    use crate::shapes::obb::record::Obb;
    use crate::shapes::round::capsule::Capsule;
    use crate::shapes::round::sphere::Sphere;

    #[test]
    fn contacts_do_not_change_within_the_clearance() {
        let mut random = SplitMix(6);
        let mut vector = |size: f64| Vec3::from([0; 3].map(|_| ((2.0 * random.unit() - 1.0) * size) as f32));
        let (mut apart, mut overlapping) = (0, 0);
        for trial in 0..6_000 {
            let turn = Quat::from_scaled_axis(vector(3.0));
            let obb = Obb::new(vector(2.0), vector(1.0).abs(), turn);
            let capsule = Capsule::new(vector(2.0), vector(1.0).x.abs(), turn.inverse(), 0.5);
            let ball = Sphere::new(vector(2.0), vector(1.0).x.abs());
            let other = Sphere::new(Vec3::ZERO, ball.radius);
            let [a, b]: [BodyRef; 2] = match trial % 4 {
                0 => [(&obb).into(), (&capsule).into()],
                1 => [(&ball).into(), (&obb).into()],
                2 => [(&capsule).into(), (&ball).into()],
                _ => [(&ball).into(), (&other).into()],
            };
            let clearance = clearance([a, b]);
            assert_eq!(clearance < 0.0, a.contact(b).collides(), "{a:?} {b:?}");
            // One of them moves by the clearance, in any direction.
            let way = vector(1.0).normalize_or_zero() * (clearance.abs() * 0.999_999);
            let moved = |body: BodyRef<'_>, other: BodyRef<'_>| match body {
                BodyRef::Box(obb) => BodyRef::Box(&Obb {
                    center: obb.center + way,
                    ..*obb
                })
                .contact(other),
                BodyRef::Sphere(ball) => BodyRef::Sphere(&Sphere {
                    center: ball.center + way,
                    ..*ball
                })
                .contact(other),
                BodyRef::Capsule(capsule) => {
                    let mut moved = *capsule;
                    moved.center += way;
                    BodyRef::Capsule(&moved).contact(other)
                }
            };
            assert_eq!(moved(a, b).collides(), clearance < 0.0, "{a:?} {b:?} {clearance}");
            apart += usize::from(clearance > 0.0);
            overlapping += usize::from(clearance < 0.0);
        }
        assert!(apart > 1_000 && overlapping > 300, "{apart} {overlapping}");
    }

    #[test]
    fn clearances_in_lanes_are_a_little_smaller() {
        let mut random = SplitMix(8);
        let mut vector = |size: f64| Vec3::from([0; 3].map(|_| ((2.0 * random.unit() - 1.0) * size) as f32));
        let mut capsules = Vec::new();
        for k in 0..6_000 {
            // Far from the origin, bodies differ by few digits.
            let far = [0.0, 1e3, 1e6][k % 3];
            let turn = Quat::from_scaled_axis(vector(3.0));
            let half_length = if k % 4 == 1 { 0.0 } else { vector(1.0).x.abs() };
            let center = vector(2.0) + Vec3::new(far, -far, 0.0);
            capsules.push(Capsule::new(center, half_length, turn, vector(1.0).x.abs()));
        }
        // Two that touch, and two whose groups do not meet.
        let ball = |x: f32| Capsule::new(Vec3::X * x, 0.0, Quat::IDENTITY, 1.0);
        capsules.extend([ball(0.0), ball(2.0), ball(0.0), ball(1.0)]);
        let alone = capsules.len() - 1;
        capsules[alone].filter = 0;
        let count = capsules.len() as u32;
        let pairs: Vec<Pair> = (0..count - 4)
            .map(|k| Pair::new(k, (k + 3) % (count - 4)))
            .chain([Pair::new(count - 4, count - 3), Pair::new(count - 2, count - 1)])
            .collect();
        let body = |id: u32| BodyRef::from(&capsules[id as usize]);
        let mut found = Vec::new();
        let slots = |pair: Pair| [body(pair.a), body(pair.b)].map(Slot::from);
        round_clearances(slots, &pairs, |pairs, clearances| {
            found.extend(pairs.iter().copied().zip(clearances.iter().copied()));
        });
        assert_eq!(found.len(), pairs.len());
        assert_eq!(found.pop().map(|(_, clearance)| clearance), Some(f32::INFINITY));
        assert_eq!(found.pop().map(|(_, clearance)| clearance), Some(0.0));
        let mut decided = [0; 2];
        for (pair, in_lanes) in found {
            let alone = clearance([body(pair.a), body(pair.b)]);
            assert!(
                in_lanes.abs() <= alone.abs() && in_lanes * alone >= 0.0,
                "{in_lanes} of {alone}"
            );
            let far = body(pair.a).center().abs().max_element();
            assert!(
                in_lanes.abs() >= alone.abs() - 3e-5 * (1.0 + alone.abs()) - 1e-5 * far,
                "{in_lanes} of {alone}"
            );
            if in_lanes != 0.0 {
                decided[usize::from(in_lanes < 0.0)] += 1;
            }
        }
        assert!(decided[0] > 1_000 && decided[1] > 500, "{decided:?}");
    }
}
