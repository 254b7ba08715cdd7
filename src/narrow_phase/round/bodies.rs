//! Exact tests of boxes, capsules and spheres as bodies of a scene: the relation of two of them,
//! and whether they are within a margin.
//!
//! The core of a capsule ends at `center ± half_length R(q) z`, which are fractions. Multiplied by
//! `n = |q|²`, they are integers if the numbers of the capsule are, and so is everything derived
//! from them. A sphere is a capsule of no length and without rotation. A margin is added to the sum
//! of the radii, without rounding it.

use std::cmp::Ordering;

use glam::{DVec3, Vec3};

use crate::geometry::rotation::matrix;
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::obb_obb::exact::scale::{Grain, Grain64};
use crate::narrow_phase::obb_obb::exact::{Tally, classify_counted};
use crate::narrow_phase::obb_obb::within::within;
use crate::narrow_phase::round::capsules::cores;
use crate::narrow_phase::round::closest::Segment;
use crate::narrow_phase::round::real::{
    Near, Real, Vector, dot, in_frame, minus, plus, vector, whole, whole64, with_words,
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
        let (rows, square) = matrix(self.rotation.map(f64::from));
        Segment {
            middle: Vec3::from(self.center).as_dvec3(),
            along: match self.half_length > 0.0 {
                true => DVec3::from(rows.map(|row| row[2])) * (1.0 / square),
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
            _ => Contact::from_largest(compare(self.into(), other.into(), 0.0, tally)),
        }
    }

    /// Returns `true` if two bodies that do not collide are at most `margin` apart, exactly; always
    /// `false` if it is 0.
    pub(crate) fn within(self, other: BodyRef<'_>, margin: f64) -> bool {
        match (self.as_box(), other.as_box()) {
            (Some(a), Some(b)) => within(a, b, margin),
            _ => margin > 0.0 && compare(self.into(), other.into(), margin, &mut Tally::default()).is_le(),
        }
    }
}

/// Compares the distance of two cores, one of which is round, with the sum of the radii and the
/// margin. Counts the pair in the tally.
fn compare(a: Core<'_>, b: Core<'_>, margin: f64, tally: &mut Tally) -> Ordering {
    match (a, b) {
        (Core::Round(a), Core::Round(b)) if a.half_length == 0.0 && b.half_length == 0.0 => {
            balls(&a, &b, margin, tally)
        }
        (Core::Round(a), Core::Round(b)) => rounds(&a, &b, margin, tally),
        (Core::Box(obb), Core::Round(round)) | (Core::Round(round), Core::Box(obb)) => {
            box_and_round(obb, &round, margin, tally)
        }
        // Two boxes have a test of their own.
        (Core::Box(_), Core::Box(_)) => Ordering::Greater,
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

fn balls(a: &Round, b: &Round, margin: f64, tally: &mut Tally) -> Ordering {
    let [ax, ay, az, a_radius] = four(a.center, a.radius);
    let [bx, by, bz, b_radius] = four(b.center, b.radius);
    let numbers = [ax, ay, az, bx, by, bz, a_radius, b_radius, margin];
    match short_balls(numbers) {
        Some(ordering) => {
            tally.f64 += 1;
            ordering
        }
        None => long_balls(numbers, tally),
    }
}

/// Returns the coordinates of a center, and a radius.
#[inline(always)]
fn four([x, y, z]: [f32; 3], radius: f32) -> [f64; 4] {
    [f64::from(x), f64::from(y), f64::from(z), f64::from(radius)]
}

#[inline(never)]
fn long_balls(numbers: [f64; 9], tally: &mut Tally) -> Ordering {
    let near = decide_balls(numbers.map(Near::exact));
    counted(near, tally, || {
        let grain = Grain64::of(numbers);
        with_words!(2 * (grain.bits() + 3) + 4, exact_balls(grain, numbers))
    })
}

/// Decides two spheres of short numbers, as on lattices, if `f64` need not round them.
#[inline(always)]
fn short_balls([ax, ay, az, bx, by, bz, a, b, margin]: [f64; 9]) -> Option<Ordering> {
    let exact = |x: f64, y: f64| {
        let sum = x + y;
        let of_y = sum - x;
        ((x - (sum - of_y)) + (y - of_y) == 0.0).then_some(sum)
    };
    // An f32 has half the digits of an f64, so squares fit.
    let short = |x: f64, y: f64| exact(x, y).filter(|&sum| f64::from(sum as f32) == sum);
    let [x, y, z] = [short(bx, -ax)?, short(by, -ay)?, short(bz, -az)?];
    let reach = short(short(a, b)?, margin)?;
    exact(exact(x * x, y * y)?, z * z)?.partial_cmp(&(reach * reach))
}

fn exact_balls<const N: usize>(grain: Grain64, numbers: [f64; 9]) -> Ordering {
    decide_balls(whole64::<9, N>(grain, numbers)).unwrap_or(Ordering::Greater)
}

fn decide_balls<T: Real>([ax, ay, az, bx, by, bz, a, b, margin]: [T; 9]) -> Option<Ordering> {
    let apart = minus([bx, by, bz], [ax, ay, az]);
    let reach = a + b + margin;
    dot(apart, apart).compare(reach * reach)
}

fn rounds(a: &Round, b: &Round, margin: f64, tally: &mut Tally) -> Ordering {
    let ([ax, ay, az], [bx, by, bz]) = (a.center, b.center);
    let [half_a, half_b, radius_a, radius_b] = [a.half_length, b.half_length, a.radius, b.radius].map(f64::from);
    let [ax, ay, az, bx, by, bz] = [ax, ay, az, bx, by, bz].map(f64::from);
    let numbers = [ax, ay, az, bx, by, bz, half_a, half_b, radius_a, radius_b, margin];
    let turns = [a.rotation, b.rotation];
    let points = [a, b].map(|round| round.half_length == 0.0);
    let near = decide_rounds(
        numbers.map(Near::exact),
        turns.map(|turn| turn.map(Near::exact)),
        points,
    );
    counted(near, tally, || {
        let grain = Grain64::of(numbers);
        let grains = turns.map(Grain::of);
        let bits = grain.bits() + 2 * (grains[0].bits() + grains[1].bits()) + 8;
        with_words!(6 * (bits + 4) + 4, exact_rounds(grain, grains, numbers, turns, points))
    })
}

fn exact_rounds<const N: usize>(
    grain: Grain64,
    grains: [Grain; 2],
    numbers: [f64; 11],
    turns: [[f32; 4]; 2],
    points: [bool; 2],
) -> Ordering {
    let [a, b] = [0, 1].map(|k| whole::<4, N>(grains[k], turns[k]));
    decide_rounds(whole64::<11, N>(grain, numbers), [a, b], points).unwrap_or(Ordering::Greater)
}

fn decide_rounds<T: Real>(numbers: [T; 11], turns: [[T; 4]; 2], points: [bool; 2]) -> Option<Ordering> {
    let [(rows_a, n_a), (rows_b, n_b)] = turns.map(matrix);
    let p = ends(vector(&numbers, 0).map(|x| x * n_a), &rows_a, numbers[6]).map(|end| end.map(|x| x * n_b));
    let q = ends(vector(&numbers, 1).map(|x| x * n_b), &rows_b, numbers[7]).map(|end| end.map(|x| x * n_a));
    let reach = (numbers[8] + numbers[9] + numbers[10]) * n_a * n_b;
    cores([p, q], points, reach * reach)
}

/// Returns the ends of a core, times `n`.
pub(crate) fn ends<T: Real>(center: Vector<T>, rows: &[Vector<T>; 3], half_length: T) -> [Vector<T>; 2] {
    let along = rows.map(|row| row[2] * half_length);
    [minus(center, along), plus(center, along)]
}

fn box_and_round(obb: &Obb, round: &Round, margin: f64, tally: &mut Tally) -> Ordering {
    let ([bx, by, bz], [hx, hy, hz]) = (obb.center.to_array(), obb.half_extents.to_array());
    let [cx, cy, cz] = round.center;
    let [bx, by, bz, hx, hy, hz] = [bx, by, bz, hx, hy, hz].map(f64::from);
    let [cx, cy, cz, half, radius] = [cx, cy, cz, round.half_length, round.radius].map(f64::from);
    let numbers = [bx, by, bz, hx, hy, hz, cx, cy, cz, half, radius, margin];
    let turns = [obb.rotation.to_array(), round.rotation];
    let point = round.half_length == 0.0;
    let near = decide_box(numbers.map(Near::exact), turns.map(|turn| turn.map(Near::exact)), point);
    counted(near, tally, || {
        let grain = Grain64::of(numbers);
        let grains = turns.map(Grain::of);
        let bits = grain.bits() + 2 * (grains[0].bits() + grains[1].bits()) + 10;
        with_words!(6 * (bits + 4) + 4, exact_box(grain, grains, numbers, turns, point))
    })
}

fn exact_box<const N: usize>(
    grain: Grain64,
    grains: [Grain; 2],
    numbers: [f64; 12],
    turns: [[f32; 4]; 2],
    point: bool,
) -> Ordering {
    let [a, b] = [0, 1].map(|k| whole::<4, N>(grains[k], turns[k]));
    decide_box(whole64::<12, N>(grain, numbers), [a, b], point).unwrap_or(Ordering::Greater)
}

fn decide_box<T: Real>(numbers: [T; 12], turns: [[T; 4]; 2], point: bool) -> Option<Ordering> {
    let [(rows, n_box), (rows_round, n_round)] = turns.map(matrix);
    let apart = minus(vector(&numbers, 2), vector(&numbers, 0)).map(|x| x * n_round);
    let scale = n_box * n_round;
    let half = vector(&numbers, 1).map(|half| half * scale);
    let reach = (numbers[10] + numbers[11]) * scale;
    if point {
        return point_to_box(in_frame(&rows, apart), half, reach * reach);
    }
    let ends = ends(apart, &rows_round, numbers[9]).map(|end| in_frame(&rows, end));
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
