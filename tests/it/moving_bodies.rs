//! Boxes, capsules and spheres in motion: sweeps of scenes on both backends, against all pairs and
//! against rational arithmetic; and trackers of scenes whose bodies appear, disappear and change
//! their shapes.

use std::collections::BTreeSet;

use obbligato::glam::{DQuat, DVec3, Quat, Vec3};
use obbligato::query::Sweep;
use obbligato::{
    Bodies, Capsule, Checker, Config, Error, Obb, Output, Pair, Precision, Rules, Set, Sphere,
    motion::{Impact, ImpactState, Motion, MovingSet, Step, safe_time, time_of_impact},
    shape::{BodyRef, COORDINATE_LIMIT},
    tracking::{Coherence, EventKind, Tracker, TrackerConfig},
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::reference::bodies_meet;

use crate::bodies::Scene;
use crate::support::gpu::{cpu, gpu};

mod recorded;

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
fn sweeps_of_bodies_match_all_pairs() {
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

/// Movers against a scene prepared once: the results equal those of two sets of which one is at
/// rest, for every precision.
#[test]
fn sweeps_against_a_prepared_scene_match_all_pairs() {
    let step = Step::new(0.5);
    let fast = Config {
        precision: Precision::Fast,
        ..Config::default()
    };
    let mut checkers = [
        ("CPU", cpu(Config::default())),
        ("GPU", gpu(Config::default())),
        ("CPU, fast", cpu(fast.clone())),
        ("GPU, fast", gpu(fast)),
    ];
    for (case, [at_rest, moving]) in [
        [[300, 0, 0], [60, 0, 0]],
        [[100, 100, 100], [20, 20, 20]],
        [[0, 0, 300], [0, 60, 0]],
        [[1, 0, 0], [0, 0, 300]],
        [[0, 0, 0], [5, 5, 5]],
        [[5, 5, 5], [0, 0, 0]],
    ]
    .into_iter()
    .enumerate()
    {
        for whole in [false, true] {
            let seed = 40 + case as u64;
            let scene = Scene::random(seed, at_rest, 24.0, whole);
            let movers = Scene::random(seed + 100, moving, 24.0, whole);
            let motions = motions(movers.bodies().len(), seed, whole);
            let rest = vec![Motion::REST; scene.bodies().len()];
            let expected = plain([scene.bodies(), movers.bodies()], [&rest, &motions], false, &step);
            assert!(
                case > 2 || expected.len() > 100,
                "case {case}: {} impacts",
                expected.len()
            );
            for (name, checker) in &mut checkers {
                let what = format!("{name}, case {case}, {whole}");
                let prepared = checker.prepare(scene.bodies()).expect("valid bodies");
                // The prepared scene can be reused: here for the movers in motion and at rest.
                for motions in [motions.clone(), motions.iter().map(|_| Motion::REST).collect()] {
                    let set = MovingSet::new(movers.bodies(), &motions);
                    let found = checker
                        .check(Sweep::against(&prepared, set, &step))
                        .expect("valid motions");
                    let fixed = MovingSet::new(scene.bodies(), &rest);
                    let between = checker.check(Sweep::between(fixed, set, &step)).expect("valid motions");
                    assert_eq!(found.impacts, between.impacts, "{what}");
                    assert_eq!(found.boxes, between.boxes, "{what}");
                    assert_eq!(found.earliest(), between.earliest(), "{what}");
                    assert!(found.candidate_pairs >= found.impacts.len() as u64, "{what}");
                }
                let set = MovingSet::new(movers.bodies(), &motions);
                let found = pollster::block_on(checker.check_async(Sweep::against(&prepared, set, &step)));
                assert_eq!(found.expect("valid motions").impacts, expected, "{what}");
            }
        }
    }
}

/// Cubes that slide over plates, rotated together, exactly in contact or up to rounding, each pair
/// in a world of its own. The box around a cube's path touches the plate as the cube does.
#[test]
fn grazing_a_prepared_scene_is_decided_the_same_everywhere() {
    let mut random = SplitMix(12);
    let (mut plates, mut cubes, mut motions, mut worlds) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for world in 0..1500u32 {
        let turn = DQuat::from_scaled_axis(vector(&mut random, if world % 3 == 0 { 0.0 } else { 3.0 }).as_dvec3());
        let rotation = turn.as_quat();
        let center = vector(&mut random, 30.0);
        let place = |v: DVec3| (turn * v).as_vec3();
        let along = vector(&mut random, 4.0).as_dvec3() * DVec3::new(1.0, 0.0, 1.0);
        let start = DVec3::Y * 2.0 - 0.5 * along;
        plates.push(Obb::new(center, Vec3::new(1.0, 1.0, 1.0), rotation));
        cubes.push(Obb::new(center + place(start), Vec3::new(1.0, 1.0, 1.0), rotation));
        motions.push(Motion::linear(place(along)));
        worlds.push(world);
    }
    let rules = Rules {
        worlds: Some(&worlds),
        ..Rules::default()
    };
    let step = Step::new(1.0);
    let mut expected = Vec::new();
    for k in 0..plates.len() {
        let first = time_of_impact([&plates[k], &cubes[k]], [&Motion::REST, &motions[k]], &step);
        let (a, b) = (k as u32, k as u32);
        expected.extend(first.map(|first| Impact {
            pair: Pair { a, b },
            first,
        }));
    }
    expected.sort_by(|a, b| a.first.time.total_cmp(&b.first.time).then(a.pair.cmp(&b.pair)));
    assert!((500..1400).contains(&expected.len()), "{}", expected.len());
    for precision in [Precision::Exact, Precision::Fast, Precision::Conservative] {
        let config = Config {
            precision,
            ..Config::default()
        };
        for (name, mut checker) in [("CPU", cpu(config.clone())), ("GPU", gpu(config))] {
            let scene = checker.prepare(Set::from(&plates).with(rules)).expect("valid boxes");
            let set = MovingSet::new(&cubes, &motions).with(rules);
            let found = checker
                .check(Sweep::against(&scene, set, &step))
                .expect("valid motions");
            assert_eq!(found.impacts, expected, "{name}, {precision:?}");
        }
    }
}

/// The box around the path of a mover as large as a scene may be exceeds the valid range of
/// coordinates.
#[test]
fn the_largest_movers_meet_a_prepared_scene() {
    let large = COORDINATE_LIMIT;
    let corner = |x: f32, y: f32, z: f32| Obb::axis_aligned(Vec3::new(x, y, z) * large, Vec3::splat(0.01 * large));
    let scene = [
        corner(0.95, 0.95, 0.95),
        corner(-0.97, 0.95, 0.95),
        corner(-0.5, 0.0, 0.0),
    ];
    let mover = [
        Obb::axis_aligned(Vec3::ZERO, Vec3::splat(0.9 * large)),
        corner(0.1, 0.1, 0.1),
    ];
    let motions = [0.09, 0.85].map(|part| Motion::linear(Vec3::splat(part * large)));
    assert!(motions[0].swept_box(&mover[0], 1.0).problem().is_some());
    let step = Step::new(1.0);
    for (name, mut checker) in both() {
        let prepared = checker.prepare(&scene).expect("valid boxes");
        let set = MovingSet::new(&mover, &motions);
        let found = checker
            .check(Sweep::against(&prepared, set, &step))
            .expect("valid motions");
        let met = |a: usize, b: usize| {
            time_of_impact([&scene[a], &mover[b]], [&Motion::REST, &motions[b]], &step).map(|first| first.time)
        };
        let mut expected: Vec<(f64, Pair)> = (0..6)
            .filter_map(|k| {
                Some((
                    met(k / 2, k % 2)?,
                    Pair {
                        a: k as u32 / 2,
                        b: k as u32 % 2,
                    },
                ))
            })
            .collect();
        expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        assert_eq!(expected.len(), 3, "{expected:?}");
        let found: Vec<_> = found
            .impacts
            .iter()
            .map(|impact| (impact.first.time, impact.pair))
            .collect();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn unsupported_sweeps_against_a_prepared_scene_are_errors() {
    let boxes = [0.0, 3.0, 6.0].map(|x| Obb::axis_aligned(Vec3::X * x, Vec3::ONE));
    let motions = [Motion::linear(Vec3::X); 3];
    let (set, step) = (MovingSet::new(&boxes, &motions), Step::new(1.0));
    let margins = [0.0; 3];
    let with_margins = Rules {
        margins: Some(&margins),
        ..Rules::default()
    };
    let mut checker = cpu(Config::default());
    let plain = checker.prepare(&boxes).expect("valid boxes");
    let wide = checker
        .prepare(Set::from(&boxes).with(with_margins))
        .expect("valid boxes");
    let is_unavailable = |found: Result<_, Error>| matches!(found, Err(Error::Unavailable { .. }));
    assert!(is_unavailable(checker.check(Sweep::against(&wide, set, &step))));
    assert!(is_unavailable(checker.check(Sweep::against(
        &plain,
        set.with(with_margins),
        &step
    ))));
    for config in [
        Config {
            margin: 0.5,
            ..Config::default()
        },
        Config {
            output: Output::Count,
            ..Config::default()
        },
        Config {
            max_pairs: Some(9),
            ..Config::default()
        },
    ] {
        assert!(is_unavailable(cpu(config).check(Sweep::against(&plain, set, &step))));
    }
    let missing = checker.check(Sweep::against(&plain, MovingSet::new(&boxes, &motions[1..]), &step));
    assert!(matches!(missing, Err(Error::MissingMotions { boxes: 3, motions: 2 })));
    let backwards = checker.check(Sweep::against(&plain, set, &Step::new(-1.0)));
    assert!(matches!(backwards, Err(Error::InvalidStep { what: "dt", .. })));
    let mut bad = motions;
    bad[1].velocity.y = f32::NAN;
    let invalid = checker.check(Sweep::against(&plain, MovingSet::new(&boxes, &bad), &step));
    assert!(matches!(invalid, Err(Error::InvalidMotion { index: 1, count: 1, .. })));
    let mut broken = boxes;
    broken[2].center.x = f32::INFINITY;
    let invalid = checker.check(Sweep::against(&plain, MovingSet::new(&broken, &motions), &step));
    assert!(matches!(invalid, Err(Error::InvalidBox { index: 2, .. })));
    let foreign = gpu(Config::default()).check(Sweep::against(&plain, set, &step));
    assert!(matches!(foreign, Err(Error::ForeignScene { .. })), "{foreign:?}");
    let on_device = gpu(Config::default()).prepare(&boxes).expect("valid boxes");
    let foreign = checker.check(Sweep::against(&on_device, set, &step));
    assert!(matches!(foreign, Err(Error::ForeignScene { .. })), "{foreign:?}");
}

#[test]
fn straight_impacts_match_exact_fractions() {
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

/// A world of bodies by their ids.
struct World {
    bodies: Vec<(u32, Kind)>,
    random: SplitMix,
}

#[derive(Clone, Copy)]
enum Kind {
    Box(Obb),
    Capsule(Capsule),
    Sphere(Sphere),
}

impl World {
    fn body(&mut self) -> Kind {
        let random = &mut self.random;
        let center = vector(random, 6.0);
        let turn = Quat::from_scaled_axis(vector(random, 2.0));
        match random.next() % 3 {
            0 => Kind::Box(Obb::new(center, vector(random, 1.0).abs(), turn)),
            1 => Kind::Capsule(Capsule::new(center, random.unit() as f32, turn, 0.5)),
            _ => Kind::Sphere(Sphere::new(center, random.unit() as f32)),
        }
    }

    /// Some move a little, some appear, some disappear, and some change their shape in place.
    fn next(&mut self) {
        for k in 0..self.bodies.len() {
            let (chance, way) = (self.random.next() % 20, vector(&mut self.random, 0.05));
            if chance == 0 {
                self.bodies[k].1 = self.body();
                continue;
            }
            match &mut self.bodies[k].1 {
                Kind::Box(obb) => obb.center += way,
                Kind::Capsule(capsule) => capsule.center += way,
                Kind::Sphere(sphere) => sphere.center += way,
            }
        }
        for _ in 0..3 {
            let gone = self.random.next() as usize % self.bodies.len();
            self.bodies.swap_remove(gone);
            let id = self.random.next() as u32 % 100_000;
            let body = self.body();
            if self.bodies.iter().all(|(other, _)| *other != id) {
                self.bodies.push((id, body));
            }
        }
    }

    /// The ids and bodies in the order of their kinds.
    fn listed(&self, boxes_only: bool) -> (Vec<u32>, Scene) {
        let (mut ids, mut scene) = ([const { Vec::new() }; 3], Scene::default());
        for (id, body) in &self.bodies {
            match *body {
                Kind::Box(obb) => {
                    ids[0].push(*id);
                    scene.boxes.push(obb);
                }
                _ if boxes_only => {}
                Kind::Capsule(capsule) => {
                    ids[1].push(*id);
                    scene.capsules.push(capsule);
                }
                Kind::Sphere(sphere) => {
                    ids[2].push(*id);
                    scene.spheres.push(sphere);
                }
            }
        }
        (ids.concat(), scene)
    }
}

#[test]
fn frames_of_bodies_match_fresh_checks() {
    for coherence in [
        Coherence::None,
        Coherence::Auto,
        Coherence::Fattened,
        Coherence::SweepLists,
    ] {
        let config = TrackerConfig {
            coherence,
            persisting: true,
        };
        let mut tracker = Tracker::new(cpu(Config::default()), config);
        let mut world = World {
            bodies: Vec::new(),
            random: SplitMix(5),
        };
        for id in 0..200 {
            let body = world.body();
            world.bodies.push((17 * id % 1009, body));
        }
        let (mut before, mut changes) = (BTreeSet::new(), 0);
        for frame in 0..24 {
            // Occasionally there are only boxes, for some frames.
            let (ids, scene) = world.listed(frame / 6 % 3 == 2);
            let fresh = cpu(Config::default()).check(scene.bodies()).expect("valid bodies");
            let named = |pair: &Pair| Pair::new(ids[pair.a as usize], ids[pair.b as usize]);
            let now: BTreeSet<Pair> = fresh.pairs().expect("pairs").iter().map(named).collect();
            let tracked = tracker.update(&ids, scene.bodies()).expect("valid bodies");
            assert!(tracked.pairs.iter().eq(&now), "{coherence:?}, frame {frame}");
            let of = |kind| {
                let events = tracked.events.iter().filter(move |event| event.kind == kind);
                events.map(|event| &event.pair)
            };
            assert!(
                of(EventKind::Begin).eq(now.difference(&before)),
                "{coherence:?}, frame {frame}"
            );
            assert!(
                of(EventKind::Persist).eq(now.intersection(&before)),
                "{coherence:?}, frame {frame}"
            );
            assert!(
                of(EventKind::End).eq(before.difference(&now)),
                "{coherence:?}, frame {frame}"
            );
            changes += tracked.begin + tracked.end;
            before = now;
            world.next();
        }
        assert!(changes > 150, "{changes}");
        let invalid = [Sphere::new(Vec3::ZERO, -1.0)];
        assert!(matches!(
            tracker.update_by_position(&invalid),
            Err(Error::InvalidBody { index: 0, .. })
        ));
    }
}

#[test]
fn bodies_do_not_collide_before_their_safe_time() {
    let scene = Scene::random(9, [20, 20, 20], 16.0, false);
    let (bodies, motions) = (scene.bodies(), motions(60, 9, false));
    let mut some = 0;
    for b in 0..60u32 {
        for a in 0..b {
            let [(body_a, of_a), (body_b, of_b)] = [a, b].map(|k| (bodies.at(k), &motions[k as usize]));
            let time = safe_time(body_a, of_a, body_b, of_b);
            let apart = !body_a.contact(body_b).collides();
            assert_eq!(time > 0.0, apart, "{a} {b}");
            if !apart {
                continue;
            }
            let first = time_of_impact([body_a, body_b], [of_a, of_b], &Step::new(1.0).with_tolerance(1e-9));
            if let Some(first) = first {
                assert!(first.time >= time * (1.0 - 1e-6), "{a} {b}: {time} {first:?}");
                some += 1;
            }
        }
    }
    assert!(some > 30, "{some}");
    // It is at least the time of the boxes around them.
    let balls = [Sphere::new(Vec3::ZERO, 1.0), Sphere::new(Vec3::new(3.0, 4.0, 0.0), 1.0)];
    let towards = Motion::linear(Vec3::new(3.0, 4.0, 0.0)).turning(Vec3::X);
    let time = safe_time(&balls[0], &towards, BodyRef::Sphere(&balls[1]), &Motion::REST);
    assert!(time <= 0.6 && time > 0.5999, "{time}");
}

/// The box around both is the same, and nothing has moved.
#[test]
fn a_ball_that_becomes_a_cube_is_tested_again() {
    let config = TrackerConfig {
        coherence: Coherence::Fattened,
        ..TrackerConfig::default()
    };
    let mut tracker = Tracker::new(cpu(Config::default()), config);
    let cube = [Obb::axis_aligned(Vec3::ZERO, Vec3::ONE)];
    let balls = [Sphere::new(Vec3::ZERO, 1.0), Sphere::new(Vec3::splat(1.5), 1.0)];
    let apart = Bodies::from(&balls);
    let together = Bodies {
        boxes: &cube,
        spheres: &balls[1..],
        ..Bodies::default()
    };
    for (frame, bodies) in [apart, apart, apart, together, together, apart, apart]
        .into_iter()
        .enumerate()
    {
        let tracked = tracker.update(&[4, 9], bodies).expect("valid bodies");
        let expected: &[Pair] = if bodies.boxes.is_empty() {
            &[]
        } else {
            &[Pair { a: 4, b: 9 }]
        };
        assert_eq!(tracked.pairs, expected, "frame {frame}");
    }
}
