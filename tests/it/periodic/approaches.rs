//! Closest approaches in space that repeats, against every image of every pair: in whole numbers on
//! lattices, by a closed form, and with every image moved by itself.

use obbligato::error::PeriodProblem;
use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::motion::{Approaches, ClosestApproach, Motion, MovingSet, Step, closest_approach};
use obbligato::query::{ApproachQuery, InImages, Sweep};
use obbligato::shape::{Image, OwnedBodies};
use obbligato::{Bodies, Capsule, Checker, Config, Error, Obb, Pair, Period, Result, Rules, Sphere};
use obbligato_support::split_mix::SplitMix;

use super::images::moved;
use super::{LATTICES, Lengths, Place, Random};
use crate::support::gpu::{cpu, gpu};

const DT: f64 = 1.0;

fn ask(bodies: Bodies<'_>, motions: &[Motion], within: f64, lengths: Lengths) -> Result<InImages<Approaches>> {
    let query = ApproachQuery::new(MovingSet::new(bodies, motions), &Step::new(DT), within);
    cpu(Config::default()).check(query.periodic(Period::new(lengths)))
}

#[track_caller]
fn find(bodies: Bodies<'_>, motions: &[Motion], within: f64, lengths: Lengths) -> InImages<Approaches> {
    let found = ask(bodies, motions, within, lengths).expect("valid motions");
    let approaches = &found.found.approaches;
    assert_eq!(approaches.len(), found.images.len());
    let key = |k: usize| (approaches[k].nearest.time, approaches[k].pair);
    assert!((1..approaches.len()).all(|k| key(k - 1) < key(k)));
    found
}

fn of_pair(found: &InImages<Approaches>, pair: Pair) -> Option<(ClosestApproach, Image)> {
    let place = found.found.approaches.iter().position(|one| one.pair == pair)?;
    Some((found.found.approaches[place].nearest, found.images[place]))
}

/// All images whose way is at most `reach` in each axis, and more.
fn images(apart: DVec3, velocity: DVec3, reach: f64, lengths: Lengths) -> Vec<Image> {
    let range = |k: usize| match lengths[k] {
        Some(length) => {
            let middle = (-apart[k] / length).round() as i64;
            let most = ((velocity[k].abs() * DT + reach) / length).ceil() as i64 + 1;
            middle - most..=middle + most
        }
        None => 0..=0,
    };
    let all = range(0).flat_map(|i| range(1).flat_map(move |j| range(2).map(move |k| [i, j, k])));
    all.collect()
}

/// Two balls on a lattice of quarters, in units of it: no number is rounded.
struct Whole {
    apart: [i128; 3],
    velocity: [i128; 3],
    lengths: [i128; 3],
    reach: i128,
    within: i128,
}

fn dot(a: [i128; 3], b: [i128; 3]) -> i128 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

impl Whole {
    /// The square of the least distance of the centers within the step, and the first time at which
    /// it is reached, both as multiples of the square of the speed.
    fn nearest(&self, image: Image) -> (i128, i128) {
        let d: [i128; 3] = std::array::from_fn(|k| self.apart[k] + self.lengths[k] * i128::from(image[k]));
        let (square, towards, distance) = (self.speed_square(), -dot(d, self.velocity), dot(d, d));
        match dot(self.velocity, self.velocity) {
            0 => (distance, 0),
            _ if towards <= 0 => (distance * square, 0),
            _ if towards >= square => ((distance - 2 * towards + square) * square, square),
            _ => (distance * square - towards * towards, towards),
        }
    }

    fn speed_square(&self) -> i128 {
        dot(self.velocity, self.velocity).max(1)
    }

    /// The first of the nearest images of those that do not meet.
    fn expected(&self, images: &[Image]) -> Option<(f64, f64, Image)> {
        let (square, length) = (self.speed_square(), self.reach + self.within);
        let ((least, time), image) = images.iter().map(|&image| (self.nearest(image), image)).min()?;
        let distance = (least as f64 / square as f64).sqrt() - self.reach as f64;
        let found = (time as f64 / square as f64, 0.25 * distance, image);
        (least <= length * length * square).then_some(found)
    }

    fn meets(&self, image: Image) -> bool {
        self.nearest(image).0 <= self.reach * self.reach * self.speed_square()
    }
}

/// Balls whose centers, radii and velocities are multiples of a quarter, a quarter of them at rest
/// and another one along an axis.
fn on_lattice(random: &mut Random, speed: f64) -> (Vec<Sphere>, Vec<Motion>) {
    let balls: Vec<Sphere> = (0..14)
        .map(|_| {
            let radius = 0.25 + 0.25 * random.below(3.0).floor();
            Sphere::new(random.center(Place::Halves).as_vec3(), radius as f32)
        })
        .collect();
    let motions = (0..balls.len())
        .map(|k| {
            let velocity = random.vector(speed).round();
            Motion::linear(match k % 4 {
                0 => Vec3::ZERO,
                1 => velocity * Vec3::X,
                _ => velocity,
            })
        })
        .collect();
    (balls, motions)
}

/// Ties of distances and of times are exact here, and so are distances of exactly the limit.
#[test]
fn c1_c5_balls_on_lattices_approach_their_first_nearest_image() {
    let mut random = Random(SplitMix(51));
    let (mut apart, mut wrapped, mut tied, mut still, mut limit, mut meeting) = (0, 0, 0, 0, 0, 0);
    let lattices = [
        LATTICES[0],
        LATTICES[2],
        [Some(8.0), None, None],
        [Some(2.5), Some(2.5), None],
    ];
    for round in 0..9 {
        for lengths in lattices {
            // Over several periods in a step.
            let (balls, motions) = on_lattice(&mut random, [1.0, 4.0, 24.0][round % 3]);
            let within = [0.25, 1.0, 3.0][round % 3];
            let found = find((&balls).into(), &motions, within, lengths);
            let quarters = |x: f64| (4.0 * x) as i128;
            let whole = |v: DVec3| v.to_array().map(quarters);
            for b in 0..balls.len() {
                for a in 0..b {
                    let (d, v) = (
                        balls[b].center.as_dvec3() - balls[a].center.as_dvec3(),
                        motions[b].velocity.as_dvec3() - motions[a].velocity.as_dvec3(),
                    );
                    let reach = f64::from(balls[a].radius + balls[b].radius);
                    let case = Whole {
                        apart: whole(d),
                        velocity: whole(v),
                        lengths: lengths.map(|length| quarters(length.unwrap_or(0.0))),
                        reach: quarters(reach),
                        within: quarters(within),
                    };
                    let images = images(d, v, reach + within, lengths);
                    let expected = case.expected(&images);
                    let own = of_pair(&found, Pair::new(a as u32, b as u32));
                    let pair = [balls[a], balls[b]];
                    let what = format!("{lengths:?} {pair:?} {v} {within}: {own:?} {expected:?}");
                    assert_eq!(own.is_some(), expected.is_some(), "{what}");
                    let (Some((nearest, image)), Some((time, distance, first))) = (own, expected) else {
                        continue;
                    };
                    if case.meets(first) {
                        assert!(nearest.distance == 0.0 && case.meets(image), "{what}");
                        meeting += 1;
                        continue;
                    }
                    assert_eq!(image, first, "{what}");
                    assert!((nearest.time - time).abs() <= 1e-9 * DT, "{what}");
                    assert!((nearest.distance - distance).abs() <= 1e-12, "{what}");
                    let least = case.nearest(first).0;
                    apart += 1;
                    wrapped += usize::from(first != Image::default());
                    tied += usize::from(images.iter().filter(|&&image| case.nearest(image).0 == least).count() > 1);
                    still += usize::from(v == DVec3::ZERO);
                    limit += usize::from(distance == within);
                }
            }
        }
    }
    let all = [apart, wrapped, tied, still, limit, meeting];
    let least = [600, 400, 50, 20, 10, 200];
    assert!(all.iter().zip(least).all(|(&is, least)| is > least), "{all:?}");
}

/// If an image meets the first body, it is the one that a sweep finds, at its time; bodies of all
/// kinds, anywhere.
#[test]
fn c1_c5_images_that_meet_are_those_of_sweeps() {
    let mut random = Random(SplitMix(52));
    let (mut met, mut apart) = (0, 0);
    for lengths in LATTICES {
        for place in [Place::Halves, Place::Strays, Place::Anywhere] {
            let bodies = random.bodies(place, [9, 4, 4]);
            let motions = random.straight(17, place, 6.0);
            let found = find(bodies.all(), &motions, 0.5, lengths);
            let sweep = Sweep::new(MovingSet::new(bodies.all(), &motions), &Step::new(DT));
            let swept = cpu(Config::default())
                .check(sweep.periodic(Period::new(lengths)))
                .expect("valid motions");
            for (impact, image) in swept.found.impacts.iter().zip(&swept.images) {
                let (nearest, own) = of_pair(&found, impact.pair).expect("it meets");
                let what = format!("{lengths:?} {place:?} {impact:?} {nearest:?}");
                assert_eq!((nearest.distance, own), (0.0, *image), "{what}");
                assert!((nearest.time - impact.first.time).abs() <= 2e-6 * DT, "{what}");
                met += 1;
            }
            let all = found.found.approaches.iter();
            let others = all.filter(|one| one.nearest.distance > 0.0).count();
            assert_eq!(others + swept.images.len(), found.images.len());
            apart += others;
        }
    }
    assert!(met > 200 && apart > 100, "{met} {apart}");
}

/// Lengths that are no `f32`, and places thousands of periods away, by the closed form in `f64`.
#[test]
fn c1_c5_balls_anywhere_agree_with_the_closed_form() {
    let mut random = Random(SplitMix(53));
    let (mut near, mut wrapped) = (0, 0);
    for lengths in [LATTICES[1], LATTICES[2], LATTICES[4]] {
        for place in [Place::Cell, Place::Strays, Place::Anywhere] {
            let balls: Vec<Sphere> = (0..24)
                .map(|_| Sphere::new(random.center(place).as_vec3(), random.length(place, 0.9)))
                .collect();
            let motions = random.straight(balls.len(), place, 12.0);
            let within = 1.5;
            let found = find((&balls).into(), &motions, within, lengths);
            for b in 0..balls.len() {
                for a in 0..b {
                    let (d, v) = (
                        balls[b].center.as_dvec3() - balls[a].center.as_dvec3(),
                        motions[b].velocity.as_dvec3() - motions[a].velocity.as_dvec3(),
                    );
                    let reach = f64::from(balls[a].radius) + f64::from(balls[b].radius);
                    let nearest = |image: Image| {
                        let d = d + DVec3::from([0, 1, 2].map(|k| lengths[k].unwrap_or(0.0) * image[k] as f64));
                        let time = (-d.dot(v) / v.length_squared()).clamp(0.0, DT);
                        (time, (d + v * time).length() - reach)
                    };
                    let all = images(d, v, reach + within, lengths);
                    let least = all.iter().map(|&image| nearest(image).1).fold(f64::INFINITY, f64::min);
                    let own = of_pair(&found, Pair::new(a as u32, b as u32));
                    let what = format!("{lengths:?} {:?} {v}: {own:?} {least}", (balls[a], balls[b]));
                    assert_eq!(own.is_some(), least <= within, "{what}");
                    let Some((own, image)) = own else { continue };
                    if least <= 1e-9 {
                        assert!(own.distance <= 1e-9 && nearest(image).1 <= 1e-9, "{what}");
                        continue;
                    }
                    let (time, distance) = nearest(image);
                    assert!(
                        (own.distance - least).abs() < 1e-9 && (distance - least).abs() < 1e-9,
                        "{what}"
                    );
                    assert!((own.time - time).abs() < 1e-8, "{what} {time}");
                    near += 1;
                    wrapped += usize::from(image != Image::default());
                }
            }
        }
    }
    assert!(near > 300 && wrapped > 200, "{near} {wrapped}");
}

/// On a lattice of a length that is a power of two, images in `f32` are not rounded. Bodies of all
/// kinds that turn, accelerate and are uncertain; rules, two sets, and both backends.
#[test]
fn c1_c5_approaches_of_any_motion() {
    let mut random = Random(SplitMix(54));
    let bodies = random.bodies(Place::Halves, [24, 8, 8]);
    let (all, count, within) = (bodies.all(), 40, 0.75);
    let mut motions = random.motions(count);
    // Plates would be wider than the period if they turned.
    let plates = motions.iter_mut().take(24).step_by(7);
    plates.for_each(|motion| *motion = motion.turning(Vec3::ZERO));
    let period = Period::new([Some(8.0), None, Some(8.0)]);
    let images: Vec<Image> = (-3..=3).flat_map(|i| (-3..=3).map(move |k| [i, 0, k])).collect();
    let scenes: Vec<OwnedBodies> = images.iter().map(|&image| moved(all, image)).collect();
    let owners: Vec<u32> = (0..count as u32).map(|id| id / 2).collect();
    let rules = Rules {
        owners: Some(&owners),
        ..Rules::default()
    };
    let tolerance = 1e-3;
    let step = Step::new(DT).with_tolerance(tolerance);
    let query = ApproachQuery::new(MovingSet::new(all, &motions).with(rules), &step, within).periodic(period);
    let found = cpu(Config::default()).check(query).expect("valid motions");
    let on_device = gpu(Config::default()).check(query).expect("valid motions");
    assert_eq!(found.images, on_device.images);
    assert_eq!(found.found.approaches, on_device.found.approaches);
    let (mut near, mut wrapped) = (0, 0);
    for b in 0..count as u32 {
        for a in 0..b {
            let own = of_pair(&found, Pair::new(a, b));
            if owners[a as usize] == owners[b as usize] {
                assert_eq!(own, None);
                continue;
            }
            let of_image = |scene: &OwnedBodies| {
                let motions = [a, b].map(|id| &motions[id as usize]);
                closest_approach([all.at(a), scene.all().at(b)], motions, &step)
            };
            let expected: Vec<ClosestApproach> = scenes.iter().map(of_image).collect();
            let least = expected.iter().map(|one| one.distance).fold(f64::INFINITY, f64::min);
            let what = format!("{a} {b}: {own:?}, {least}");
            assert!(own.is_some() || least > within, "{what}");
            assert!(own.is_none() || least <= within + tolerance, "{what}");
            let Some((nearest, image)) = own else { continue };
            assert!((nearest.distance - least).abs() <= 1e-9, "{what}");
            let chosen = images.iter().position(|other| *other == image).expect("in reach");
            assert!(expected[chosen].distance <= least + 2.0 * tolerance + 1e-9, "{what}");
            assert!((nearest.time - expected[chosen].time).abs() <= 4e-6 * DT, "{what}");
            near += 1;
            wrapped += usize::from(image != Image::default());
        }
    }
    assert!(near > 200 && wrapped > 100, "{near} {wrapped}");
    expect_between(
        &mut cpu(Config::default()),
        all,
        &motions,
        (&step, within),
        period,
        &found,
    );
}

/// The pairs of a box and another body are those of all.
fn expect_between(
    checker: &mut Checker,
    all: Bodies<'_>,
    motions: &[Motion],
    (step, within): (&Step, f64),
    period: Period,
    expected: &InImages<Approaches>,
) {
    let split = all.boxes.len();
    let boxes = MovingSet::new(all.boxes, &motions[..split]);
    let others = MovingSet::new(Bodies { boxes: &[], ..all }, &motions[split..]);
    let query = ApproachQuery::between(boxes, others, step, within).periodic(period);
    let found = checker.check(query).expect("valid sets");
    let across = |pair: &Pair| (pair.a as usize) < split && pair.b as usize >= split;
    let wanted = expected.found.approaches.iter().zip(&expected.images);
    let wanted: Vec<_> = wanted
        .filter(|(one, _)| across(&one.pair))
        .map(|(one, image)| (one.pair.a, one.pair.b - split as u32, one.nearest, *image))
        .collect();
    let found: Vec<_> = found.found.approaches.iter().zip(&found.images).collect();
    assert!(
        found
            .iter()
            .map(|(one, image)| (one.pair.a, one.pair.b, one.nearest, **image))
            .eq(wanted)
    );
}

/// Plates as wide as half of the period come near in two images at the same moment: the first in
/// order is the answer, whichever body of the pair moves.
#[test]
fn c1_c5_tied_images_are_in_order() {
    let plate = Obb::axis_aligned(Vec3::ZERO, Vec3::new(4.0, 1.0, 0.5));
    let above = Obb::axis_aligned(Vec3::new(5.0, 0.0, 3.0), Vec3::new(3.0, 1.0, 0.5));
    let (falls, rests) = (Motion::linear(-Vec3::Z), Motion::REST);
    for (length, slower) in [(10.0, 1.0), (10.1, 1.0), (10.0, 0.0)] {
        let lengths = [Some(length), None, None];
        let falls = Motion::linear(falls.velocity * slower);
        let (time, distance) = (f64::from(slower), 2.0 - f64::from(slower));
        for (boxes, motions, image) in [
            ([plate, above], [rests, falls], [-1, 0, 0]),
            ([above, plate], [falls, rests], [0, 0, 0]),
        ] {
            let found = find((&boxes).into(), &motions, 2.0, lengths);
            let nearest = found.found.approaches[0].nearest;
            assert_eq!(found.images, [image], "{length} {slower}");
            assert!((nearest.time - time).abs() < 1e-9 && (nearest.distance - distance).abs() < 1e-12);
        }
    }
}

/// A body that passes image after image, at the same distance: the first that it passes counts.
#[test]
fn c1_c5_the_first_of_many_passes_counts() {
    let balls = [0.0, 3.0].map(|x| Sphere::new(Vec3::new(x, x, 0.0), 0.5));
    let rods = [0.0, 3.0].map(|x| Capsule::new(Vec3::new(x, x, 0.0), 0.25, Quat::IDENTITY, 0.5));
    for bodies in [Bodies::from(&balls), Bodies::from(&rods)] {
        for (speed, time, image) in [(40.0, 5.0 / 40.0, [-1, 0, 0]), (-40.0, 3.0 / 40.0, [0, 0, 0])] {
            let motions = [Motion::REST, Motion::linear(Vec3::X * speed)];
            let found = find(bodies, &motions, 2.5, [Some(8.0), None, None]);
            let nearest = found.found.approaches[0].nearest;
            assert_eq!(found.images, [image], "{speed}");
            assert!(
                (nearest.time - time).abs() < 1e-9 && (nearest.distance - 2.0).abs() < 1e-12,
                "{nearest:?}"
            );
        }
    }
}

/// The vectors to images take three numbers in `f64`: rounded, the bodies would just touch as the
/// step ends. A distance of 0 means that they meet.
#[test]
fn c1_c5_meeting_is_exact_across_the_border() {
    let lengths = [Some(10.1), None, None];
    let motions = [Motion::REST, Motion::linear(Vec3::X)];
    let dt = 10.1 - 9.0;
    for tiny in [0.0, 2f32.powi(-80), 2f64.powi(-140) as f32] {
        for (first, meets) in [(-tiny, true), (tiny, tiny == 0.0)] {
            let centers = [Vec3::new(first, 0.0, 0.0), Vec3::new(8.0, 0.0, 0.0)];
            let boxes = centers.map(|center| Obb::axis_aligned(center, Vec3::splat(0.5)));
            let balls = centers.map(|center| Sphere::new(center, 0.5));
            for bodies in [Bodies::from(&boxes), Bodies::from(&balls)] {
                let query = ApproachQuery::new(MovingSet::new(bodies, &motions), &Step::new(dt), 0.0);
                let found = cpu(Config::default())
                    .check(query.periodic(Period::new(lengths)))
                    .expect("valid motions");
                let nearest: Vec<_> = found.found.approaches.iter().map(|one| one.nearest).collect();
                let is_met = nearest.iter().any(|one| one.distance == 0.0);
                assert_eq!(is_met, meets, "{tiny:e} {first:e} {nearest:?}");
            }
        }
    }
}

/// The distance to an image that is passed later comes out one rounding smaller.
#[test]
fn c1_c5_distances_that_differ_by_rounding_are_tied() {
    let balls = [Vec3::ZERO, Vec3::new(7.0, 0.0, 0.75)].map(|center| Sphere::new(center, 0.25));
    let motions = [Motion::REST, Motion::linear(Vec3::new(34.0, 68.0, 0.0))];
    let found = find((&balls).into(), &motions, 1.0, [Some(8.0), Some(8.0), None]);
    assert_eq!(found.images, [[-1, 0, 0]]);
    assert!((found.found.approaches[0].nearest.time - 1.0 / 170.0).abs() < 1e-9);
}

/// The distance to a body with an uncertain motion is the least possible, across the border too.
#[test]
fn c1_c5_uncertain_motions_reach_across_the_border() {
    let balls = [0.0, 9.0].map(|x| Sphere::new(Vec3::new(x, 0.0, 0.0), 0.25));
    let motions = [Motion::REST, Motion::REST.uncertain(0.5)];
    let found = find((&balls).into(), &motions, 0.3, [Some(10.0), None, None]);
    assert_eq!(found.images, [[-1, 0, 0]]);
    assert!((found.found.approaches[0].nearest.distance - 0.25).abs() < 1e-4);
    let found = find((&balls).into(), &motions, 0.2, [Some(10.0), None, None]);
    assert!(found.images.is_empty());
}

#[test]
fn c1_c5_approaches_that_are_refused() {
    let balls = [Sphere::new(Vec3::ZERO, 1.0), Sphere::new(Vec3::X, 1.0)];
    let rests = [Motion::REST; 2];
    let ask = |motions: &[Motion], within: f64, length: f64| {
        let found = ask((&balls).into(), motions, within, [Some(length), None, None]);
        found.map(|found| found.images)
    };
    for (within, motions) in [(500.0, rests), (1.0, [Motion::REST, Motion::linear(Vec3::X * 200.0)])] {
        match ask(&motions, within, 10.0) {
            Err(error @ Error::Unavailable { .. }) => {
                assert!(error.to_string().contains("reach over more than 16 periods"), "{error}");
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(ask(&rests, 80.0, 10.0).expect("in reach"), [[0, 0, 0]]);
    for wrong in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(
            matches!(ask(&rests, wrong, 10.0), Err(Error::InvalidMargin { .. })),
            "{wrong}"
        );
    }
    assert!(matches!(
        ask(&rests, 1.0, 0.0),
        Err(Error::InvalidPeriod { axis: 'x', .. })
    ));
    let problem = PeriodProblem::TooWide { axis: 'x' };
    match ask(&rests, 1.0, 2.0) {
        Err(Error::OutOfPeriod {
            index: 0,
            problem: found,
            count: 2,
        }) => assert_eq!(found, problem),
        other => panic!("{other:?}"),
    }
    assert!(matches!(ask(&rests[..1], 1.0, 10.0), Err(Error::MissingMotions { .. })));
}
