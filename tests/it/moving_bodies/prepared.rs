//! Sweeps of bodies against a prepared scene.

use obbligato::glam::{DQuat, DVec3, Vec3};
use obbligato::query::Sweep;
use obbligato::{
    Config, Error, Obb, Output, Pair, Precision, Rules, Set,
    motion::{Impact, Motion, MovingSet, Step, time_of_impact},
    shape::COORDINATE_LIMIT,
};
use obbligato_support::split_mix::SplitMix;

use crate::bodies::Scene;
use crate::moving_bodies::{both, motions, plain, vector};
use crate::support::gpu::{cpu, gpu};

/// Movers against a scene prepared once: the results equal those of two sets of which one is at
/// rest, for every precision.
#[test]
fn m1_sweeps_against_a_prepared_scene_match_all_pairs() {
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
