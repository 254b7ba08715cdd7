//! Sweeps in space that repeats, against every image of every pair: in rational arithmetic if
//! bodies move straight, otherwise with every image moved by itself.

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::motion::{Impact, ImpactState, Impacts, Motion, MovingSet, Step, TimeOfImpact, time_of_impact};
use obbligato::query::{ApproachQuery, InImages, Sweep};
use obbligato::shape::{BodyRef, Image, OwnedBodies};
use obbligato::{Bodies, Capsule, Config, Error, Obb, Pair, Period, Rules, Sphere};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::{image_first_contact, image_meets};

use super::images::moved;
use super::{LATTICES, Lengths, Place, Random};
use crate::support::gpu::cpu;

/// The promised precision of times, in steps.
const PRECISE: f64 = 1.0 / (1u32 << 20) as f64;

const DT: f64 = 1.0;

impl Random {
    pub(super) fn vector(&mut self, size: f64) -> Vec3 {
        DVec3::from([0; 3].map(|_| self.below(2.0 * size) - size)).as_vec3()
    }

    /// Straight motions: whole numbers on a lattice of halves, otherwise of any length.
    pub(super) fn straight(&mut self, count: usize, place: Place, size: f64) -> Vec<Motion> {
        let velocity = |random: &mut Self| match place {
            Place::Halves => random.vector(size).round(),
            _ => random.vector(size),
        };
        (0..count).map(|_| Motion::linear(velocity(self))).collect()
    }

    /// Motions of any kind.
    pub(super) fn motions(&mut self, count: usize) -> Vec<Motion> {
        let motion = |random: &mut Self| {
            let straight = Motion::linear(random.vector(5.0));
            match random.0.next() % 4 {
                0 => straight,
                1 => straight.turning(random.vector(2.0)),
                2 => straight.accelerated(random.vector(6.0)),
                _ => straight.turning(random.vector(1.0)).uncertain(random.below(0.5) as f32),
            }
        };
        (0..count).map(|_| motion(self)).collect()
    }
}

fn sweep(bodies: Bodies<'_>, motions: &[Motion], lengths: Lengths) -> InImages<Impacts> {
    let set = MovingSet::new(bodies, motions);
    cpu(Config::default())
        .check(Sweep::new(set, &Step::new(DT)).periodic(Period::new(lengths)))
        .expect("valid motions")
}

/// Returns the images of the second body that may meet the first while both move straight, by the
/// distance of their centers.
fn near([a, b]: [BodyRef<'_>; 2], velocity: DVec3, lengths: Lengths) -> Vec<Image> {
    let radius = |body: BodyRef<'_>| match body {
        BodyRef::Box(obb) => obb.half_extents.length(),
        BodyRef::Capsule(capsule) => capsule.half_length + capsule.radius,
        BodyRef::Sphere(sphere) => sphere.radius,
    };
    let reach = 1.001 * f64::from(radius(a) + radius(b));
    let apart = b.center().as_dvec3() - a.center().as_dvec3();
    let range = |k: usize| match lengths[k] {
        Some(length) => {
            let middle = -(apart[k] + 0.5 * velocity[k] * DT) / length;
            let most = (reach + 0.5 * velocity[k].abs() * DT) / length + 1.0;
            (middle - most).floor() as i64..=(middle + most).ceil() as i64
        }
        None => 0..=0,
    };
    let all = range(0).flat_map(|i| range(1).flat_map(move |j| range(2).map(move |k| [i, j, k])));
    let is_near = |image: &Image| {
        let moved = DVec3::from([0, 1, 2].map(|k| lengths[k].unwrap_or(0.0) * image[k] as f64));
        let from = apart + moved;
        let time = (-from.dot(velocity) / velocity.length_squared()).clamp(0.0, DT);
        let time = if time.is_nan() { 0.0 } else { time };
        (from + velocity * time).length() <= reach + 1e-6 * moved.length()
    };
    all.filter(is_near).collect()
}

/// The counts of the reference.
#[derive(Default)]
struct Counts {
    met: usize,
    wrapped: usize,
    several: usize,
    starting: usize,
}

/// Compares the impact of a pair, if there is one, with all its images.
fn compare(
    bodies: [BodyRef<'_>; 2],
    velocities: [Vec3; 2],
    lengths: Lengths,
    found: Option<(&Impact, Image)>,
    counts: &mut Counts,
) {
    let relative = velocities[1].as_dvec3() - velocities[0].as_dvec3();
    let meets = |image: Image, time: f64| image_meets(bodies, (lengths, image), velocities, time);
    let images = near(bodies, relative, lengths);
    let meeting: Vec<Image> = images.into_iter().filter(|&image| meets(image, DT)).collect();
    let what = format!("{bodies:?} {velocities:?} {lengths:?} {found:?} {meeting:?}");
    assert_eq!(found.is_some(), !meeting.is_empty(), "{what}");
    let Some((impact, image)) = found else { return };
    let time = impact.first.time;
    assert!(meeting.contains(&image), "{what}");
    assert!(meets(image, f64::min(time + PRECISE * DT, DT)), "early: {what}");
    let starts = meeting.iter().position(|&image| meets(image, 0.0));
    assert_eq!(starts.is_some(), impact.first.state == ImpactState::Start, "{what}");
    match starts {
        Some(first) => assert_eq!((meeting[first], time), (image, 0.0), "{what}"),
        None => assert!(
            meeting.iter().all(|&other| !meets(other, time.next_down())),
            "late: {what}"
        ),
    }
    if let [BodyRef::Box(a), BodyRef::Box(b)] = bodies {
        let first = |image| image_first_contact([a, b], (lengths, image), velocities, DT).expect("they meet");
        let times: Vec<f64> = meeting.iter().map(|&image| first(image).to_f64()).collect();
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        let tied = meeting.iter().zip(&times).find(|(_, time)| **time <= least + 1e-12);
        let is_clear = times.iter().all(|&time| !(1e-12..1e-5).contains(&(time - least)));
        assert!(
            !is_clear || tied.is_some_and(|(first, _)| *first == image),
            "{what} {times:?}"
        );
    }
    counts.met += 1;
    counts.wrapped += usize::from(image != Image::default());
    counts.several += usize::from(meeting.len() > 1);
    counts.starting += usize::from(starts.is_some());
}

#[test]
fn c1_straight_sweeps_are_those_of_all_images() {
    let mut random = Random(SplitMix(41));
    let mut counts = Counts::default();
    for lengths in LATTICES {
        for (place, size) in [
            (Place::Halves, 4.0),
            (Place::Strays, 4.0),
            (Place::Cell, 20.0),
            (Place::Anywhere, 6.0),
        ] {
            let bodies = random.bodies(place, [9, 4, 4]);
            let all = bodies.all();
            let motions = random.straight(all.len(), place, size);
            let found = sweep(all, &motions, lengths);
            let (impacts, images) = (&found.found.impacts, &found.images);
            assert_eq!(impacts.len(), images.len());
            assert!(impacts.is_sorted_by_key(|impact| impact.first.time));
            for b in 0..all.len() as u32 {
                for a in 0..b {
                    let place = impacts.iter().position(|impact| impact.pair == Pair::new(a, b));
                    compare(
                        [all.at(a), all.at(b)],
                        [a, b].map(|id| motions[id as usize].velocity),
                        lengths,
                        place.map(|place| (&impacts[place], images[place])),
                        &mut counts,
                    );
                }
            }
        }
    }
    let Counts {
        met,
        wrapped,
        several,
        starting,
    } = counts;
    let all = [met, wrapped, several, starting];
    assert!(
        all.into_iter().zip([300, 200, 50, 60]).all(|(is, least)| is > least),
        "{all:?}"
    );
}

/// Asserts that an impact is that of an image moved by itself, and the first of all images.
fn assert_first(own: TimeOfImpact, other: TimeOfImpact, all: &[Option<TimeOfImpact>], what: &str) {
    let what = format!("{what} {own:?} {other:?}");
    let times = all.iter().flatten().map(|impact| impact.time);
    let least = times.fold(f64::INFINITY, f64::min);
    assert!((own.time - least).abs() <= 2.0 * PRECISE * DT, "{what} {least}");
    assert!((own.time - other.time).abs() <= 2.0 * PRECISE * DT, "{what}");
    assert_eq!((own.state, own.is_resolved), (other.state, other.is_resolved), "{what}");
    assert!(own.point.distance(other.point) < 1e-4, "{what}");
    assert!(own.normal.distance(other.normal) < 1e-4, "{what}");
}

/// On a lattice of a length that is a power of two, images in `f32` are not rounded.
#[test]
fn c1_sweeps_of_any_motion() {
    let mut random = Random(SplitMix(42));
    let bodies = random.bodies(Place::Halves, [30, 10, 10]);
    let (all, count) = (bodies.all(), 50);
    let mut motions = random.motions(count);
    // Plates would be wider than the period if they turned.
    let plates = motions.iter_mut().take(30).step_by(7);
    plates.for_each(|motion| *motion = motion.turning(Vec3::ZERO));
    let period = Period::new([Some(8.0), None, Some(8.0)]);
    let images: Vec<Image> = (-3..=3).flat_map(|i| (-3..=3).map(move |k| [i, 0, k])).collect();
    let scenes: Vec<OwnedBodies> = images.iter().map(|&image| moved(all, image)).collect();
    let owners: Vec<u32> = (0..count as u32).map(|id| id / 2).collect();
    let rules = Rules {
        owners: Some(&owners),
        ..Rules::default()
    };
    let step = Step::new(DT);
    let set = MovingSet::new(all, &motions).with(rules);
    let found = cpu(Config::default())
        .check(Sweep::new(set, &step).periodic(period))
        .expect("valid motions");
    let mut met = 0;
    for b in 0..count as u32 {
        for a in 0..b {
            let of_image = |scene: &OwnedBodies| {
                let motions = [a, b].map(|id| &motions[id as usize]);
                time_of_impact([all.at(a), scene.all().at(b)], motions, &step)
            };
            let place = found
                .found
                .impacts
                .iter()
                .position(|impact| impact.pair == Pair::new(a, b));
            if owners[a as usize] == owners[b as usize] {
                assert_eq!(place, None);
                continue;
            }
            let expected: Vec<_> = scenes.iter().map(of_image).collect();
            assert_eq!(place.is_some(), expected.iter().any(Option::is_some), "{a} {b}");
            let Some(place) = place else { continue };
            let chosen = images.iter().position(|other| *other == found.images[place]);
            let other = expected[chosen.expect("in reach")].expect("it meets");
            assert_first(found.found.impacts[place].first, other, &expected, &format!("{a} {b}"));
            met += 1;
        }
    }
    assert!(met > 100, "{met}");
}

/// Two images of a body fall onto a plate at the same moment: the first in order is the answer,
/// whichever body of the pair falls.
#[test]
fn c1_tied_images_are_in_order() {
    let plate = Obb::axis_aligned(Vec3::ZERO, Vec3::new(4.0, 1.0, 0.5));
    let above = Obb::axis_aligned(Vec3::new(5.0, 0.0, 3.0), Vec3::new(3.0, 1.0, 0.5));
    let ball = Sphere::new(Vec3::new(5.0, 0.0, 3.0), 2.0);
    let (falls, accelerates) = (Motion::linear(-Vec3::Z * 3.0), Motion::REST.accelerated(-Vec3::Z * 6.0));
    let tilted = Quat::from_rotation_y(0.25);
    let leaning = Obb::new(Vec3::new(5.0, 0.0, 3.0), Vec3::new(3.0, 1.0, 0.25), tilted);
    for length in [10.0, 10.1] {
        let lengths = [Some(length), None, None];
        for motion in [falls, accelerates] {
            let found = sweep((&[plate, above]).into(), &[Motion::REST, motion], lengths);
            assert_eq!(found.images, [[-1, 0, 0]], "{length} {motion:?}");
            let found = sweep((&[above, plate]).into(), &[motion, Motion::REST], lengths);
            assert_eq!(found.images, [[0, 0, 0]], "{length} {motion:?}");
        }
        // The lower end of one comes first, by far.
        let found = sweep((&[plate, leaning]).into(), &[Motion::REST, falls], lengths);
        assert_eq!(found.images.len(), 1);
        // The middle of a ball is over a gap: both images meet an edge, at the same time for 10.
        let bodies = Bodies {
            boxes: &[plate],
            spheres: &[ball],
            ..Bodies::default()
        };
        let expected = if length == 10.0 { [-1, 0, 0] } else { [0, 0, 0] };
        assert_eq!(sweep(bodies, &[Motion::REST, falls], lengths).images, [expected]);
    }
}

/// The vectors to images take three numbers in `f64`: rounded, the bodies would just touch as the
/// step ends. Answers are those of bodies in the order of their ranks, of images that meet at the
/// same time, too.
#[test]
fn ranks_decide_which_body_of_a_pair_is_first() {
    let period = Period::new([Some(8.0), Some(8.0), None]);
    let mut random = Random(SplitMix(11));
    let mut tied = 0;
    for _ in 0..200 {
        let count = 6;
        let bodies: Vec<Sphere> = (0..count)
            .map(|_| Sphere::new(random.vector(4.0).round(), 2.25))
            .collect();
        let motions: Vec<Motion> = (0..count)
            .map(|_| Motion::linear(Vec3::Z * random.vector(4.0).round()))
            .collect();
        let ranks: [u32; 6] = [50, 3, 41, 0, 17, 4];
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&position| ranks[position]);
        let sorted_bodies: Vec<Sphere> = order.iter().map(|&position| bodies[position]).collect();
        let sorted_motions: Vec<Motion> = order.iter().map(|&position| motions[position]).collect();

        let ranked = MovingSet::new(&bodies, &motions).ranked(&ranks);
        let sorted = MovingSet::new(&sorted_bodies, &sorted_motions);
        let step = Step::new(DT);
        let mut checker = cpu(Config::default());
        let found = checker
            .check(Sweep::new(ranked, &step).periodic(period))
            .expect("valid");
        let expected = checker
            .check(Sweep::new(sorted, &step).periodic(period))
            .expect("valid");
        let at = |place: u32| order[place as usize] as u32;
        let impacts = expected.found.impacts.iter().map(|impact| {
            let pair = Pair {
                a: at(impact.pair.a),
                b: at(impact.pair.b),
            };
            Impact { pair, ..*impact }
        });
        assert!(impacts.eq(found.found.impacts.iter().copied()));
        assert_eq!(found.images, expected.images);
        tied += found.images.iter().filter(|image| image[0].abs() == 1).count();

        let found = checker.check(Sweep::new(ranked, &step)).expect("valid");
        let expected = checker.check(Sweep::new(sorted, &step)).expect("valid");
        let pairs = expected
            .impacts
            .iter()
            .map(|impact| (at(impact.pair.a), at(impact.pair.b)));
        assert!(pairs.eq(found.impacts.iter().map(|impact| (impact.pair.a, impact.pair.b))));

        let near = ApproachQuery::new(ranked, &step, 1.0).periodic(period);
        let found = checker.check(near).expect("valid");
        let near = ApproachQuery::new(sorted, &step, 1.0).periodic(period);
        let expected = checker.check(near).expect("valid");
        assert_eq!(found.images, expected.images);
    }
    assert!(tied > 50, "{tied}");
}

#[test]
fn ranks_are_one_for_each_body() {
    let bodies = [Sphere::new(Vec3::ZERO, 1.0); 2];
    let set = MovingSet::new(&bodies, &[Motion::REST; 2]).ranked(&[1]);
    let error = cpu(Config::default())
        .check(Sweep::new(set, &Step::new(DT)))
        .expect_err("a rank is missing");
    assert!(matches!(error, Error::MissingIds { boxes: 2, ids: 1 }), "{error}");
}

#[test]
fn c1_sweeps_are_exact_across_the_border() {
    let (length, lengths) = (10.1, [Some(10.1), None, None]);
    // The half extents add up to 1, and the way to go is an `f64` but no `f32`.
    let dt = length - 9.0;
    let motions = [Motion::REST, Motion::linear(Vec3::X)];
    for tiny in [0.0, 2f32.powi(-80), 2f64.powi(-140) as f32] {
        for (first, meets) in [(-tiny, true), (tiny, tiny == 0.0)] {
            let centers = [Vec3::new(first, 0.0, 0.0), Vec3::new(8.0, 0.0, 0.0)];
            for turn in [Quat::IDENTITY, Quat::from_xyzw(0.6, 0.0, 0.0, 0.8)] {
                let boxes = [Quat::IDENTITY, turn].map(|turn| Obb::new(centers[0], Vec3::splat(0.5), turn));
                let boxes = [
                    boxes[0],
                    Obb {
                        center: centers[1],
                        ..boxes[1]
                    },
                ];
                let balls = centers.map(|center| Sphere::new(center, 0.5));
                let rods = centers.map(|center| Capsule::new(center, 0.25, turn, 0.5));
                for bodies in [Bodies::from(&boxes), Bodies::from(&balls), Bodies::from(&rods)] {
                    let set = MovingSet::new(bodies, &motions);
                    let sweep = Sweep::new(set, &Step::new(dt)).periodic(Period::new(lengths));
                    let found = cpu(Config::default()).check(sweep).expect("valid motions");
                    let what = format!("{tiny:e} {first:e} {:?}", bodies.at(0));
                    assert_eq!(!found.images.is_empty(), meets, "{what}");
                    let both = [bodies.at(0), bodies.at(1)];
                    let velocities = motions.map(|motion| motion.velocity);
                    assert_eq!(
                        image_meets(both, (lengths, [-1, 0, 0]), velocities, dt),
                        meets,
                        "{what}"
                    );
                }
            }
        }
    }
}
