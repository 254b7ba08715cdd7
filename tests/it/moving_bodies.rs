//! Boxes, capsules and spheres in motion: sweeps of scenes on both backends, against all pairs and
//! against rational arithmetic; and trackers of scenes whose bodies appear, disappear and change
//! their shapes.

mod prepared;
mod recorded;
mod tracked;

use std::collections::BTreeSet;

use obbligato::glam::{DVec3, Quat, Vec3};
use obbligato::query::Sweep;
use obbligato::{
    Bodies, Capsule, Checker, Config, Error, Obb, Pair, Rules, Sphere,
    motion::{Impact, ImpactState, Motion, MovingSet, Step, time_of_impact},
    shape::BodyRef,
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::bodies_meet;

use crate::bodies::Scene;
use crate::support::gpu::{cpu, gpu};

fn vector(random: &mut SplitMix, size: f64) -> Vec3 {
    DVec3::from_array([0; 3].map(|_| (2.0 * random.unit() - 1.0) * size)).as_vec3()
}

/// A motion for each body: all straight with integers, or of any kind.
fn motions(count: usize, seed: u64, whole: bool) -> Vec<Motion> {
    let mut random = SplitMix(seed);
    let motion = |random: &mut SplitMix| {
        let straight = Motion::linear(vector(random, 8.0));
        match random.next() % 4 {
            _ if whole => Motion::linear(straight.velocity.round()),
            0 => straight,
            1 => straight.turning(vector(random, 3.0)),
            2 => straight.accelerated(vector(random, 6.0)),
            _ => straight.turning(vector(random, 1.0)).uncertain(random.unit() as f32),
        }
    };
    (0..count).map(|_| motion(&mut random)).collect()
}

/// The checkers of both backends.
fn both() -> [(&'static str, Checker); 2] {
    [("CPU", cpu(Config::default())), ("GPU", gpu(Config::default()))]
}

/// The impacts by brute force.
fn plain(sets: [Bodies<'_>; 2], motions: [&[Motion]; 2], within: bool, step: &Step) -> Vec<Impact> {
    let mut impacts = Vec::new();
    for a in 0..sets[0].len() as u32 {
        let first = if within { a + 1 } else { 0 };
        for b in first..sets[1].len() as u32 {
            let bodies = [sets[0].at(a), sets[1].at(b)];
            let found = time_of_impact(bodies, [&motions[0][a as usize], &motions[1][b as usize]], step);
            impacts.extend(found.map(|first| Impact {
                pair: Pair { a, b },
                first,
            }));
        }
    }
    impacts.sort_by(|a, b| a.first.time.total_cmp(&b.first.time).then(a.pair.cmp(&b.pair)));
    impacts
}

#[test]
fn m4_sweeps_of_bodies_match_all_pairs() {
    let step = Step::new(0.5);
    let mut checkers = both();
    for (case, counts) in [[30, 30, 60], [0, 0, 200], [0, 60, 0], [3, 1, 150], [40, 40, 0]]
        .into_iter()
        .enumerate()
    {
        for whole in [false, true] {
            let seed = case as u64;
            let scene = Scene::random(seed, counts, 24.0, whole);
            let count = scene.bodies().len();
            let motions = motions(count, seed, whole);
            let expected = plain([scene.bodies(); 2], [&motions; 2], true, &step);
            assert!(expected.len() > 10, "scene {case}: {} impacts", expected.len());
            for (name, checker) in &mut checkers {
                let set = MovingSet::new(scene.bodies(), &motions);
                let found = checker.check(Sweep::new(set, &step)).expect("valid motions");
                assert_eq!(found.impacts, expected, "{name}, scene {case}, {whole}");
                // Against another scene at rest, as two sets.
                let half = Scene::random(seed + 100, [5, 7, 9], 24.0, whole);
                let rest = [Motion::REST; 21];
                let between = checker
                    .check(Sweep::between(set, MovingSet::new(half.bodies(), &rest), &step))
                    .expect("valid motions");
                let expected = plain([scene.bodies(), half.bodies()], [&motions, &rest], false, &step);
                assert_eq!(between.impacts, expected, "{name}, scene {case}, {whole}, two sets");
            }
        }
    }
}

#[test]
fn m4_straight_impacts_match_exact_fractions() {
    let step = Step::new(1.0);
    for case in 0..4 {
        let scene = Scene::random(case, [8, 8, 8], 12.0, case % 2 == 0);
        let motions: Vec<Motion> = motions(24, case, true);
        let bodies = scene.bodies();
        let found = cpu(Config::default())
            .check(Sweep::new(MovingSet::new(bodies, &motions), &step))
            .expect("valid motions");
        let found: BTreeSet<Pair> = found.impacts.iter().map(|impact| impact.pair).collect();
        let (mut met, mut grazed) = (0, 0);
        for b in 8..24u32 {
            for a in 0..b {
                let velocities = [a, b].map(|k| motions[k as usize].velocity);
                let meets = bodies_meet([bodies.at(a), bodies.at(b)], velocities, [0.0, 1.0]);
                assert_eq!(found.contains(&Pair::new(a, b)), meets, "scene {case}: {a} {b}");
                met += usize::from(meets);
                grazed += usize::from(meets && !bodies_meet([bodies.at(a), bodies.at(b)], velocities, [0.0, 0.99]));
            }
        }
        assert!((10..250).contains(&met) && grazed < met, "scene {case}: {met} {grazed}");
    }
}

/// A capsule that moves sideways passes with its middle over the top of a block and over the end of
/// a post, at exactly its radius or one unit in the last place more or less. Neither its ends nor
/// its start and end positions come near.
#[test]
fn grazing_middles_of_capsules_are_decided_exactly() {
    let turn = Quat::from_xyzw(0.0, 0.5f32.sqrt(), 0.0, 0.5f32.sqrt());
    let moves = Motion::linear(Vec3::new(0.0, 20.0, 0.0));
    let block = Obb::axis_aligned(Vec3::ZERO, Vec3::new(1.0, 1.0, 2.0));
    let post = Capsule::new(Vec3::new(0.0, 0.0, -2.0), 4.0, Quat::IDENTITY, 0.0);
    let through = Obb::axis_aligned(Vec3::ZERO, Vec3::new(1.0, 1.0, 20.0));
    for (radius, meets) in [(1.0, true), (1f32.next_up(), true), (1f32.next_down(), false)] {
        let capsule = Capsule::new(Vec3::new(0.0, -10.0, 3.0), 10.0, turn, radius);
        for (other, time) in [(BodyRef::from(&block), 0.45), (BodyRef::from(&post), 0.5)] {
            let bodies = [other, BodyRef::from(&capsule)];
            let found = time_of_impact(bodies, [&Motion::REST, &moves], &Step::new(1.0));
            assert_eq!(bodies_meet(bodies, [Vec3::ZERO, moves.velocity], [0.0, 1.0]), meets);
            assert_eq!(found.is_some(), meets, "{bodies:?}");
            if let Some(first) = found.filter(|_| radius == 1.0) {
                assert!(first.time <= time && time - first.time < 1e-6, "{first:?}");
            }
        }
        let bodies = [BodyRef::from(&capsule), BodyRef::from(&through)];
        let first = time_of_impact(bodies, [&moves, &Motion::REST], &Step::new(1.0)).expect("it is in the way");
        let time = (9.0 - f64::from(radius)) / 20.0;
        assert!(first.time <= time && time - first.time < 1e-6, "{first:?}");
        assert!((first.normal - DVec3::Y).length() < 1e-6, "{first:?}");
    }
}

/// A sphere of a centimetre at 1,000 m/s, sixty times a second, against a plate of a millimetre.
#[test]
fn a_bullet_that_is_a_ball_does_not_pass_a_plate() {
    let plate = [Obb::axis_aligned(Vec3::ZERO, Vec3::new(0.0005, 1.0, 1.0))];
    let step = Step::new(1.0 / 60.0);
    let mut checkers = both();
    for k in 0..40 {
        let turn = Quat::from_rotation_y(0.035 * k as f32) * Quat::from_rotation_z(0.03 * (k % 7) as f32);
        let velocity = turn * Vec3::X * 1000.0;
        let bullet = [Sphere::new(velocity * -0.008, 0.005)];
        let bodies = Bodies {
            boxes: &plate,
            spheres: &bullet,
            ..Bodies::default()
        };
        let spin = Vec3::splat(1e3) * (k % 3) as f32;
        let motions = [Motion::REST, Motion::linear(velocity).turning(spin)];
        for (name, checker) in &mut checkers {
            let found = checker
                .check(Sweep::new(MovingSet::new(bodies, &motions), &step))
                .expect("valid motions");
            let [impact] = found.impacts[..] else {
                panic!("{name}, {k}: {:?}", found.impacts);
            };
            // At that time the center is in the plane of the face, moved outwards by a radius.
            let expected = (0.008 * f64::from(velocity.x) - 0.0055) / f64::from(velocity.x);
            let error = expected - impact.first.time;
            assert!(error.abs() < 1e-8, "{name}, {k}: {error:e}, {impact:?}");
            assert!(
                (impact.first.normal + DVec3::X).length() < 1e-4,
                "{name}, {k}: {impact:?}"
            );
            assert!(impact.first.is_resolved && impact.first.state == ImpactState::Impact);
        }
    }
}

/// Spheres that fly about in a box of six walls, step after step without a response to impacts:
/// each leaves through a wall for which an impact was reported, at the reported time.
#[test]
fn balls_leave_a_box_only_with_an_impact() {
    let mut random = SplitMix(3);
    let wall = |axis: usize, side: f32| {
        let mut half = Vec3::splat(2.0);
        half[axis] = 0.001;
        Obb::axis_aligned(Vec3::AXES[axis] * side, half)
    };
    let walls: Vec<Obb> = (0..6).map(|k| wall(k % 3, [-1.0, 1.0][k / 3])).collect();
    let balls: Vec<Sphere> = (0..200).map(|_| Sphere::new(vector(&mut random, 0.8), 0.01)).collect();
    let mut moves = vec![Motion::REST; 6];
    moves.extend(balls.iter().map(|_| Motion::linear(vector(&mut random, 300.0))));
    let bodies = Bodies {
        boxes: &walls,
        spheres: &balls,
        ..Bodies::default()
    };
    // Spheres do not meet each other here.
    let owners: Vec<u32> = (0..206).map(|k| if k < 6 { 0 } else { 1 }).collect();
    let rules = Rules {
        owners: Some(&owners),
        ..Rules::default()
    };
    let dt = 0.1;
    for (name, mut checker) in both() {
        let found = checker
            .check(Sweep::new(MovingSet::new(bodies, &moves).with(rules), &Step::new(dt)))
            .expect("valid motions");
        let earliest = found.earliest();
        for (k, ball) in balls.iter().enumerate() {
            let v = moves[6 + k].velocity.as_dvec3();
            let way = |axis: usize| (0.999 - 0.01 - ball.center.as_dvec3()[axis] * v[axis].signum()) / v[axis].abs();
            let leaves = (0..3).map(way).fold(f64::INFINITY, f64::min);
            let impact = earliest[6 + k].map(|place| found.impacts[place].first);
            match impact {
                Some(impact) => assert!((impact.time - leaves).abs() < 1e-6, "{name}, {k}: {leaves} {impact:?}"),
                None => assert!(leaves > dt, "{name}, {k}: {leaves}"),
            }
        }
    }
}

#[test]
fn errors_name_bodies_by_their_numbers() {
    let (boxes, capsules) = (
        [Obb::axis_aligned(Vec3::ZERO, Vec3::ONE); 2],
        [Capsule::new(Vec3::ZERO, 1.0, Quat::IDENTITY, 1.0); 2],
    );
    let spheres = [Sphere::new(Vec3::ZERO, 1.0), Sphere::new(Vec3::ZERO, -1.0)];
    let bodies = Bodies {
        boxes: &boxes,
        capsules: &capsules,
        spheres: &spheres[..1],
    };
    let (mut checker, step) = (cpu(Config::default()), Step::new(1.0));
    let rest = [Motion::REST; 6];
    let few = checker.check(Sweep::new(MovingSet::new(bodies, &rest[..4]), &step));
    assert!(
        matches!(few, Err(Error::MissingMotions { boxes: 5, motions: 4 })),
        "{few:?}"
    );
    let mut bad = rest;
    bad[4].velocity.x = f32::NAN;
    let invalid = checker.check(Sweep::new(MovingSet::new(bodies, &bad[..5]), &step));
    assert!(
        matches!(invalid, Err(Error::InvalidMotion { index: 4, count: 1, .. })),
        "{invalid:?}"
    );
    let bodies = Bodies {
        spheres: &spheres,
        ..bodies
    };
    let negative = checker.check(Sweep::new(MovingSet::new(bodies, &rest), &step));
    assert!(
        matches!(negative, Err(Error::InvalidBody { index: 5, count: 1, .. })),
        "{negative:?}"
    );
}

/// The smallest numbers, and the largest.
#[test]
fn bodies_of_any_size_are_swept() {
    for power in [-140, -60, 0, 40] {
        let unit = 2f64.powi(power) as f32;
        let balls = [Sphere::new(Vec3::ZERO, unit), Sphere::new(Vec3::X * (5.0 * unit), unit)];
        let capsule = [Capsule::new(Vec3::Y * (4.0 * unit), unit, Quat::IDENTITY, unit)];
        let bodies = Bodies {
            capsules: &capsule,
            spheres: &balls,
            ..Bodies::default()
        };
        let towards = Motion::linear(Vec3::X * (-6.0 * unit));
        let down = Motion::linear(Vec3::Y * (-2.0 * unit));
        let motions = [down, Motion::REST, towards];
        for (name, mut checker) in both() {
            let found = checker
                .check(Sweep::new(MovingSet::new(bodies, &motions), &Step::new(1.0)))
                .expect("valid motions");
            let pairs: Vec<Pair> = found.impacts.iter().map(|impact| impact.pair).collect();
            assert!(
                pairs.contains(&Pair::new(1, 2)) && pairs.contains(&Pair::new(0, 1)),
                "{name}, 2^{power}: {pairs:?}"
            );
            let of_balls = found.impacts.iter().find(|impact| impact.pair == Pair::new(1, 2));
            let time = of_balls.expect("they meet").first.time;
            assert!((time - 0.5).abs() < 1e-6, "{name}, 2^{power}: {time}");
        }
    }
}
