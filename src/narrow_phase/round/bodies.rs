//! Exact tests of boxes, capsules and spheres as bodies of a scene: the relation of two of them,
//! and whether they are within a margin.
//!
//! The core of a capsule ends at `center ± half_length R(q) z`, which are fractions. Multiplied by
//! `n = |q|²`, they are integers if the numbers of the capsule are, and so is everything derived
//! from them. A sphere is a capsule of no length and without rotation. A margin is added to the sum
//! of the radii, without rounding it.

use crate::base::arrays::Mapped;
use std::cmp::Ordering;

use glam::{DVec3, Vec3};

use crate::geometry::rotation::matrix;
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::obb_obb::exact::apart::PARTS;
use crate::narrow_phase::obb_obb::exact::scale::{Grain, Grain64};
use crate::narrow_phase::obb_obb::exact::{Tally, classify_counted};
use crate::narrow_phase::obb_obb::within::within;
use crate::narrow_phase::round::capsules::cores;
use crate::narrow_phase::round::closest::Segment;
use crate::narrow_phase::round::real::{
    Lengths, Near, Real, Vector, dot, in_frame, minus, plus, vector, whole, with_words,
};
use crate::narrow_phase::round::round_box::{point_to_box, segment_to_box};
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::obb::record::Obb;

/// The core of a capsule or of a sphere, and its radius.
#[derive(Clone, Copy)]
pub(crate) struct Round {
    pub center: [f32; 3],
    pub half_length: f32,
    pub radius: f32,
    pub rotation: [f32; 4],
}

impl Round {
    /// Returns the core, in the world.
    #[inline]
    pub fn segment(&self) -> Segment {
        let (rows, square) = matrix(self.rotation.mapped(f64::from));
        Segment {
            middle: Vec3::from(self.center).as_dvec3(),
            along: match self.half_length > 0.0 {
                true => DVec3::from(rows.mapped(|row| row[2])) * (1.0 / square),
                false => DVec3::ZERO,
            },
            half: self.half_length.into(),
        }
    }
}

/// A body, with only the distinctions that the tests need.
pub(crate) enum Core<'a> {
    Box(&'a Obb),
    Round(Round),
}

impl<'a> From<BodyRef<'a>> for Core<'a> {
    fn from(body: BodyRef<'a>) -> Self {
        const UNTURNED: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
        match body {
            BodyRef::Box(obb) => Self::Box(obb),
            BodyRef::Capsule(capsule) => Self::Round(Round {
                center: capsule.center.to_array(),
                half_length: capsule.half_length,
                radius: capsule.radius,
                rotation: match capsule.half_length > 0.0 {
                    true => capsule.rotation.to_array(),
                    false => UNTURNED,
                },
            }),
            BodyRef::Sphere(sphere) => Self::Round(Round {
                center: sphere.center.to_array(),
                half_length: 0.0,
                radius: sphere.radius,
                rotation: UNTURNED,
            }),
        }
    }
}

impl BodyRef<'_> {
    /// Returns the relation of two bodies: the true answer for the stored numbers. A capsule or a
    /// sphere touches another body if the distance of its core, the segment or the center, from the
    /// other's core, or from the box, equals the sum of the radii. Pairs whose radii are 0
    /// therefore touch at most.
    ///
    /// ```
    /// use obbligato::{contact::Contact, glam::{Quat, Vec3}, shape::BodyRef, Capsule, Sphere};
    /// let capsule = Capsule::new(Vec3::ZERO, 2.0, Quat::IDENTITY, 1.0);
    /// let ball = Sphere::new(Vec3::new(3.0, 0.0, 6.0), 4.0);
    /// assert_eq!(BodyRef::Capsule(&capsule).contact(BodyRef::Sphere(&ball)), Contact::Touching);
    /// ```
    pub fn contact(self, other: BodyRef<'_>) -> Contact {
        self.contact_counted(other, &mut Tally::default())
    }

    /// Computes [`contact`](Self::contact), and counts the pair in the tally.
    pub(crate) fn contact_counted(self, other: BodyRef<'_>, tally: &mut Tally) -> Contact {
        match (self.as_box(), other.as_box()) {
            (Some(a), Some(b)) => classify_counted(a, b, tally),
            _ => Contact::from_largest(self.compare(other, 0.0, tally)),
        }
    }

    /// Returns `true` if two bodies that do not collide are at most `margin` apart, exactly; always
    /// `false` if it is 0.
    pub(crate) fn within(self, other: BodyRef<'_>, margin: f64) -> bool {
        match (self.as_box(), other.as_box()) {
            (Some(a), Some(b)) => within(a, b, margin),
            _ => margin > 0.0 && self.compare(other, margin, &mut Tally::default()).is_le(),
        }
    }

    /// Compares the distance of two cores, one of which is round, with the sum of the radii and the
    /// margin. Counts the pair in the tally.
    fn compare(self, other: BodyRef<'_>, margin: f64, tally: &mut Tally) -> Ordering {
        let [from, to] = [self, other].mapped(|body| body.center().as_dvec3());
        if let (Some(a), Some(b)) = (self.as_sphere(), other.as_sphere())
            && let Some(ordering) = short_balls([from, to], [a.radius, b.radius].mapped(f64::from), margin)
        {
            tally.f64 += 1;
            return ordering;
        }
        compare([self.into(), other.into()], &[to, -from], margin, tally)
    }
}

/// Compares the distance of two cores, one of which is round, with the sum of the radii and the
/// margin, wherever they are: the vector between their centers is the sum of at most [`PARTS`].
/// Counts the pair in the tally.
pub(crate) fn compare(cores: [Core<'_>; 2], apart: &[DVec3], margin: f64, tally: &mut Tally) -> Ordering {
    match cores {
        [Core::Round(a), Core::Round(b)] if a.half_length == 0.0 && b.half_length == 0.0 => {
            balls(apart, [a.radius, b.radius], margin, tally)
        }
        [Core::Round(a), Core::Round(b)] => rounds(&a, &b, apart, margin, tally),
        [Core::Box(obb), Core::Round(round)] => box_and_round(obb, &round, apart, margin, tally),
        [Core::Round(round), Core::Box(obb)] => {
            let mut reversed = [DVec3::ZERO; PARTS];
            for (place, part) in reversed.iter_mut().zip(apart) {
                *place = -part;
            }
            box_and_round(obb, &round, &reversed[..apart.len()], margin, tally)
        }
        // Two boxes have a test of their own.
        [Core::Box(_), Core::Box(_)] => Ordering::Greater,
    }
}

/// Returns the decision of `f64`, or else that of the integers, and counts it.
fn counted(near: Option<Ordering>, tally: &mut Tally, whole: impl FnOnce() -> Ordering) -> Ordering {
    match near {
        Some(ordering) => {
            tally.f64 += 1;
            ordering
        }
        None => {
            tally.wide += 1;
            whole()
        }
    }
}

#[inline(never)]
fn balls(apart: &[DVec3], [a, b]: [f32; 2], margin: f64, tally: &mut Tally) -> Ordering {
    let lengths = Lengths {
        apart,
        others: [a.into(), b.into(), margin],
    };
    counted(decide_balls(lengths.near()), tally, || {
        let grain = lengths.grain();
        with_words!(2 * (grain.bits() + 4) + 4, exact_balls(grain, &lengths))
    })
}

/// Decides two spheres of short numbers, as on lattices, if `f64` need not round them.
#[inline(always)]
fn short_balls([from, to]: [DVec3; 2], [a, b]: [f64; 2], margin: f64) -> Option<Ordering> {
    let exact = |x: f64, y: f64| {
        let sum = x + y;
        let of_y = sum - x;
        ((x - (sum - of_y)) + (y - of_y) == 0.0).then_some(sum)
    };
    // An f32 has half the digits of an f64, so squares fit.
    let short = |x: f64, y: f64| exact(x, y).filter(|&sum| f64::from(sum as f32) == sum);
    let [x, y, z] = [short(to.x, -from.x)?, short(to.y, -from.y)?, short(to.z, -from.z)?];
    let reach = short(short(a, b)?, margin)?;
    exact(exact(x * x, y * y)?, z * z)?.partial_cmp(&(reach * reach))
}

fn exact_balls<const N: usize>(grain: Grain64, lengths: &Lengths<'_, 3>) -> Ordering {
    decide_balls(lengths.whole::<N>(grain)).unwrap_or(Ordering::Greater)
}

fn decide_balls<T: Real>((apart, [a, b, margin]): (Vector<T>, [T; 3])) -> Option<Ordering> {
    let reach = a + b + margin;
    dot(apart, apart).compare(reach * reach)
}

fn rounds(a: &Round, b: &Round, apart: &[DVec3], margin: f64, tally: &mut Tally) -> Ordering {
    let [half_a, half_b, radius_a, radius_b] = [a.half_length, b.half_length, a.radius, b.radius].mapped(f64::from);
    let lengths = Lengths {
        apart,
        others: [half_a, half_b, radius_a, radius_b, margin],
    };
    let turns = [a.rotation, b.rotation];
    let points = [a, b].mapped(|round| round.half_length == 0.0);
    let near = decide_rounds(lengths.near(), turns.mapped(|turn| turn.mapped(Near::exact)), points);
    counted(near, tally, || {
        let grain = lengths.grain();
        let grains = turns.mapped(Grain::of);
        let bits = grain.bits() + 2 * (grains[0].bits() + grains[1].bits()) + 8;
        with_words!(6 * (bits + 4) + 4, exact_rounds(grain, grains, &lengths, turns, points))
    })
}

fn exact_rounds<const N: usize>(
    grain: Grain64,
    grains: [Grain; 2],
    lengths: &Lengths<'_, 5>,
    turns: [[f32; 4]; 2],
    points: [bool; 2],
) -> Ordering {
    let [a, b] = [0, 1].mapped(|k| whole::<4, N>(grains[k], turns[k]));
    decide_rounds(lengths.whole::<N>(grain), [a, b], points).unwrap_or(Ordering::Greater)
}

fn decide_rounds<T: Real>(
    (apart, others): (Vector<T>, [T; 5]),
    turns: [[T; 4]; 2],
    points: [bool; 2],
) -> Option<Ordering> {
    let [(rows_a, n_a), (rows_b, n_b)] = turns.mapped(matrix);
    let p = ends([T::zero(); 3], &rows_a, others[0]).mapped(|end| end.mapped(|x| x * n_b));
    let q = ends(apart.mapped(|x| x * n_b), &rows_b, others[1]).mapped(|end| end.mapped(|x| x * n_a));
    let reach = (others[2] + others[3] + others[4]) * n_a * n_b;
    cores([p, q], points, reach * reach)
}

/// Returns the ends of a core, times `n`.
pub(crate) fn ends<T: Real>(center: Vector<T>, rows: &[Vector<T>; 3], half_length: T) -> [Vector<T>; 2] {
    let along = rows.mapped(|row| row[2] * half_length);
    [minus(center, along), plus(center, along)]
}

fn box_and_round(obb: &Obb, round: &Round, apart: &[DVec3], margin: f64, tally: &mut Tally) -> Ordering {
    let [hx, hy, hz] = obb.half_extents.to_array();
    let [hx, hy, hz, half, radius] = [hx, hy, hz, round.half_length, round.radius].mapped(f64::from);
    let lengths = Lengths {
        apart,
        others: [hx, hy, hz, half, radius, margin],
    };
    let turns = [obb.rotation.to_array(), round.rotation];
    let point = round.half_length == 0.0;
    let near = decide_box(lengths.near(), turns.mapped(|turn| turn.mapped(Near::exact)), point);
    counted(near, tally, || {
        let grain = lengths.grain();
        let grains = turns.mapped(Grain::of);
        let bits = grain.bits() + 2 * (grains[0].bits() + grains[1].bits()) + 10;
        with_words!(6 * (bits + 4) + 4, exact_box(grain, grains, &lengths, turns, point))
    })
}

fn exact_box<const N: usize>(
    grain: Grain64,
    grains: [Grain; 2],
    lengths: &Lengths<'_, 6>,
    turns: [[f32; 4]; 2],
    point: bool,
) -> Ordering {
    let [a, b] = [0, 1].mapped(|k| whole::<4, N>(grains[k], turns[k]));
    decide_box(lengths.whole::<N>(grain), [a, b], point).unwrap_or(Ordering::Greater)
}

fn decide_box<T: Real>((apart, others): (Vector<T>, [T; 6]), turns: [[T; 4]; 2], point: bool) -> Option<Ordering> {
    let [(rows, n_box), (rows_round, n_round)] = turns.mapped(matrix);
    let apart = apart.mapped(|x| x * n_round);
    let scale = n_box * n_round;
    let half = vector(&others, 0).mapped(|half| half * scale);
    let reach = (others[4] + others[5]) * scale;
    if point {
        return point_to_box(in_frame(&rows, apart), half, reach * reach);
    }
    let ends = ends(apart, &rows_round, others[3]).mapped(|end| in_frame(&rows, end));
    segment_to_box(ends, half, reach * reach)
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::base::split_mix::SplitMix;
    use crate::shapes::round::capsule::Capsule;
    use crate::shapes::round::sphere::Sphere;
    use crate::shapes::round::swept_sphere::SweptSphere;

    /// Spheres and capsules that are not made to touch need no integers, nor do spheres and boxes.
    #[test]
    fn ordinary_balls_are_decided_in_f64() {
        const COUNT: u64 = 4_000;
        let mut random = SplitMix(21);
        let mut vector = |size: f64| Vec3::from([0; 3].map(|_| ((2.0 * random.unit() - 1.0) * size) as f32));
        let (mut wide, mut colliding) = ([0; 3], [0; 3]);
        for _ in 0..COUNT {
            let turns = [0; 2].map(|_| Quat::from_scaled_axis(vector(3.0)));
            let obb = Obb::new(vector(1.0), vector(0.8).abs(), turns[0]);
            let capsules = turns.map(|turn| Capsule::new(vector(1.0), vector(0.6).x.abs(), turn, vector(0.4).x.abs()));
            let balls = [0; 2].map(|_| Sphere::new(vector(1.0), vector(0.5).x.abs()));
            let [a, b]: [BodyRef; 2] = [(&capsules[0]).into(), (&capsules[1]).into()];
            let [c, d]: [BodyRef; 2] = [(&balls[0]).into(), (&obb).into()];
            for (kind, [a, b]) in [[a, b], [a, c], [c, d]].into_iter().enumerate() {
                let mut tally = Tally::default();
                let contact = a.contact_counted(b, &mut tally);
                assert_eq!(b.contact(a), contact);
                wide[kind] += tally.wide;
                colliding[kind] += u64::from(contact.collides());
            }
            let ball = SweptSphere::from(balls[0]);
            assert_eq!(ball.contact_box(&obb), BodyRef::from(&balls[0]).contact((&obb).into()));
            assert_eq!(ball.contact_sphere(&balls[1]), balls[0].contact(&balls[1]));
        }
        assert!(wide.iter().all(|wide| 200 * wide < COUNT), "{wide:?} of {COUNT}");
        assert!(
            colliding.iter().all(|hits| (100..3_900).contains(hits)),
            "{colliding:?}"
        );
    }
}
