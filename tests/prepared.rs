//! Movers against scenes that are prepared once, held against all pairs of the reference.

#[path = "support/cases.rs"]
mod cases;
#[path = "support/gpu.rs"]
mod support;

use cases::Numbers;
use obbligato::glam::{Quat, Vec3};
use obbligato::reference::{contact, pairs_against};
use obbligato::scenes::Scene;
use obbligato::{BoxProblem, COORDINATE_LIMIT, Checker, Config, Contact, Error, Obb, Output, Pair, Precision};
use obbligato::{PreparedScene, Report};
use support::{OUTPUTS, cpu, expect_pairs, gpu};

fn prepare(checker: &mut Checker, boxes: &[Obb]) -> PreparedScene {
    checker.prepare(boxes).expect("valid boxes")
}

fn check(checker: &mut Checker, what: &str, scene: &PreparedScene, movers: &[Obb]) -> Report {
    checker
        .check_against(scene, movers)
        .unwrap_or_else(|error| panic!("{what}: {error}"))
}

/// Checks all movers at once, twice, and returns the pairs.
fn expect_reference(what: &str, boxes: &[Obb], movers: &[Obb]) -> Vec<Pair> {
    let mut checker = cpu(Config::default());
    let scene = prepare(&mut checker, boxes);
    let expected = pairs_against(boxes, movers);
    for _ in 0..2 {
        let report = check(&mut checker, what, &scene, movers);
        expect_pairs(what, &expected, report.pairs());
        assert_eq!(report.boxes, movers.len(), "{what}");
        assert_eq!(report.colliding_pairs, expected.len() as u64, "{what}");
        assert!(
            report.candidate_pairs >= report.colliding_pairs && report.complete,
            "{what}"
        );
    }
    expected
}

/// Every third box, and the others.
fn thirds(boxes: &[Obb]) -> (Vec<Obb>, Vec<Obb>) {
    let (movers, scene): (Vec<_>, Vec<_>) = boxes.iter().enumerate().partition(|(i, _)| i % 3 == 0);
    let boxes = |part: Vec<(usize, &Obb)>| part.into_iter().map(|(_, solid)| *solid).collect();
    (boxes(scene), boxes(movers))
}

#[test]
fn a_third_of_every_scene_moves() {
    for (name, boxes) in cases::counts()
        .into_iter()
        .chain(cases::scenes(3000))
        .chain(cases::edges())
    {
        let (scene, movers) = thirds(&boxes);
        expect_reference(&name, &scene, &movers);
        expect_reference(&format!("{name}, the other way round"), &movers, &scene);
    }
}

#[test]
fn boxes_of_every_scene_move_through_every_other() {
    let scenes = cases::scenes(600);
    for (name, scene) in &scenes {
        for (other, movers) in &scenes {
            expect_reference(&format!("{other} through {name}"), scene, movers);
        }
    }
}

#[test]
fn movers_one_by_one_find_what_they_find_together() {
    let (boxes, movers) = thirds(&Scene::Mixed.generate(3000, 3));
    let mut checker = cpu(Config::default());
    let scene = prepare(&mut checker, &boxes);
    let together = check(&mut checker, "all", &scene, &movers);
    let mut alone: Vec<Pair> = Vec::new();
    for (b, mover) in movers.iter().enumerate() {
        let report = check(&mut checker, "one", &scene, std::slice::from_ref(mover));
        assert!(report.pairs().iter().all(|pair| pair.b == 0));
        alone.extend(report.pairs().iter().map(|pair| Pair { b: b as u32, ..*pair }));
    }
    alone.sort();
    assert!(!alone.is_empty());
    assert!(together.pairs() == alone);
}

/// Movers of all sizes, from points to far larger than a scene of so large a world, in it and outside.
fn strangers(world: f32) -> Vec<Obb> {
    let mut numbers = Numbers::new(9);
    let mut movers: Vec<Obb> = (0..400)
        .map(|i| {
            let size = world * 2f32.powi(i % 20 - 15);
            let flat = |bit: i32| if (i / 20) >> bit & 1 == 0 { 1.0 } else { 0.001 };
            let extents = Vec3::new(flat(0), flat(1), flat(2)) * size;
            Obb::new(numbers.point() * world * 1.5, extents, numbers.rotation())
        })
        .collect();
    let limit = COORDINATE_LIMIT;
    movers.extend([
        Obb::axis_aligned(Vec3::ZERO, Vec3::ZERO),
        Obb::axis_aligned(Vec3::ZERO, Vec3::splat(limit)),
        Obb::axis_aligned(Vec3::splat(limit), Vec3::splat(limit)),
        Obb::axis_aligned(Vec3::splat(limit), Vec3::ONE),
        Obb::axis_aligned(Vec3::splat(-limit), Vec3::ZERO),
        Obb::new(Vec3::ZERO, Vec3::new(limit, 0.0, 0.0), Quat::from_rotation_z(0.7)),
        Obb::axis_aligned(Vec3::X * world * 3.0, Vec3::new(world * 3.0, 0.1, 0.1)),
    ]);
    movers
}

#[test]
fn giants_points_and_strangers() {
    for (name, boxes) in cases::scenes(1500).into_iter().chain(cases::edges()) {
        let reach = |solid: &Obb| solid.center.abs().max_element() + solid.half_extents.max_element();
        let world = boxes
            .iter()
            .map(reach)
            .fold(1e-30, f32::max)
            .min(COORDINATE_LIMIT / 32.0);
        expect_reference(&format!("strangers in {name}"), &boxes, &strangers(world));
    }
}

/// Boxes in rows along x through a long world, and a rod along each row. The walks are longer than the 512 cells that a key
/// can tell apart, through a table into which the world is folded so often that some cells of one walk share a slot.
#[test]
fn walks_over_thousands_of_cells() {
    let mut numbers = Numbers::new(4);
    let (mut boxes, mut rods) = (Vec::new(), Vec::new());
    for _ in 0..80 {
        let start = Vec3::new(
            numbers.part() * 40_000.0,
            numbers.part() * 3400.0,
            numbers.part() * 3400.0,
        );
        boxes.extend((0..200).map(|i| {
            let half_extents = Vec3::splat(0.5 + 0.5 * numbers.part());
            Obb::new(start + Vec3::X * (65.0 * i as f32), half_extents, numbers.rotation())
        }));
        rods.push(Obb::axis_aligned(start + Vec3::X * 6500.0, Vec3::new(6500.0, 0.2, 0.2)));
    }
    let pairs = expect_reference("rods along rows", &boxes, &rods);
    assert!(pairs.len() >= boxes.len(), "{} pairs", pairs.len());
    // The test means nothing if the rods are not walked.
    let mut checker = cpu(Config {
        count_operations: true,
        ..Config::default()
    });
    let scene = prepare(&mut checker, &boxes);
    let walks = check(&mut checker, "rods", &scene, &rods).operations;
    let walks = walks.expect("operations are counted");
    assert!(walks.rows > 20 * rods.len() as u64, "{walks:?}");
}

#[test]
fn nothing_against_nothing() {
    let boxes = Scene::Dense.generate(100, 1);
    for (scene, movers) in [(&[][..], &[][..]), (&[], &boxes), (&boxes, &[])] {
        expect_reference("nothing", scene, movers);
    }
}

#[test]
fn every_output() {
    let (boxes, movers) = thirds(&Scene::Bricks.generate(3000, 2));
    let pairs = pairs_against(&boxes, &movers);
    let mut degrees = vec![0; movers.len()];
    pairs.iter().for_each(|pair| degrees[pair.b as usize] += 1);
    let touches = |pair: &&Pair| contact(&boxes[pair.a as usize], &movers[pair.b as usize]) == Contact::Touching;
    let touching: Vec<Pair> = pairs.iter().filter(touches).copied().collect();
    assert!(touching.len() > 1000);
    for output in OUTPUTS {
        let mut checker = cpu(Config {
            output,
            list_touching: true,
            ..Config::default()
        });
        let scene = prepare(&mut checker, &boxes);
        let report = check(&mut checker, "bricks", &scene, &movers);
        assert_eq!(report.colliding_pairs, pairs.len() as u64, "{output:?}");
        assert_eq!(report.touching_pairs, Some(touching.len() as u64), "{output:?}");
        assert!(report.touching() == touching, "{output:?}");
        assert!(report.complete, "{output:?}");
        assert!(report.pairs() == if output == Output::Pairs { &pairs[..] } else { &[] });
        assert!(report.degrees() == if output == Output::Degrees { &degrees[..] } else { &[] });
        assert_eq!(report.grid, scene.levels());
    }
    for most in [0, 10, pairs.len(), usize::MAX] {
        let mut checker = cpu(Config {
            max_pairs: Some(most),
            ..Config::default()
        });
        let scene = prepare(&mut checker, &boxes);
        let report = check(&mut checker, "bricks", &scene, &movers);
        assert_eq!(report.pairs().len(), most.min(pairs.len()));
        assert!(report.pairs().iter().all(|pair| pairs.binary_search(pair).is_ok()));
        assert_eq!(report.colliding_pairs, pairs.len() as u64);
        assert_eq!(report.complete, most >= pairs.len());
    }
}

#[test]
fn a_conservative_answer_misses_nothing() {
    let (boxes, movers) = thirds(&Scene::Bricks.generate(2000, 2));
    let mut checker = cpu(Config {
        precision: Precision::Conservative,
        ..Config::default()
    });
    let scene = prepare(&mut checker, &boxes);
    let report = check(&mut checker, "bricks", &scene, &movers);
    assert_eq!(report.touching_pairs, None);
    for pair in pairs_against(&boxes, &movers) {
        assert!(report.pairs().binary_search(&pair).is_ok(), "{pair:?} is missing");
    }
}

/// What it costs, counted: the same everywhere, where times are not.
#[test]
fn the_cost_is_that_of_the_movers() {
    let mut checker = cpu(Config {
        count_operations: true,
        ..Config::default()
    });
    let mut cost = |count: usize, mover: Obb| {
        let scene = prepare(&mut checker, &Scene::Uniform.generate(count, 1));
        let report = check(&mut checker, "one mover", &scene, &[mover]);
        report.operations.expect("operations are counted")
    };
    let person = Obb::axis_aligned(Vec3::splat(3.0), Vec3::new(0.3, 0.3, 0.9));
    for count in [10_000, 200_000] {
        let small = cost(count, person);
        assert!(small.rows < 30 && small.comparisons < 100, "{count}: {small:?}");
        let giant = cost(count, Obb::axis_aligned(Vec3::ZERO, Vec3::splat(1e6)));
        assert!(
            giant.rows <= count as u64 / 10 && giant.comparisons <= count as u64,
            "{count}: {giant:?}"
        );
        let outside = cost(count, Obb::axis_aligned(Vec3::splat(1e6), Vec3::ONE));
        assert_eq!(outside, Default::default(), "{count}");
    }
}

#[test]
fn a_checker_serves_many_scenes() {
    let mut checker = cpu(Config::default());
    let scenes: Vec<_> = [Scene::Dense, Scene::Mixed, Scene::Sticks]
        .map(|scene| {
            let (boxes, movers) = thirds(&scene.generate(1500, 5));
            (prepare(&mut checker, &boxes), pairs_against(&boxes, &movers), movers)
        })
        .into();
    for _ in 0..2 {
        for (scene, pairs, movers) in &scenes {
            let report = pollster::block_on(checker.check_against_async(scene, movers));
            assert!(report.expect("valid movers").pairs() == pairs);
            assert!(checker.check(scene.boxes()).is_ok());
        }
    }
    // Another checker on the same backend can use them.
    let (scene, pairs, movers) = &scenes[0];
    assert!(check(&mut cpu(Config::default()), "another", scene, movers).pairs() == pairs);
}

#[test]
fn bad_boxes_are_named() {
    let good = Scene::Uniform.generate(600, 1);
    let mut bad = good.clone();
    bad[7].center.x = f32::NAN;
    bad[500].half_extents.y = f32::NAN;
    let mut checker = cpu(Config::default());
    let scene = prepare(&mut checker, &good);
    let named = |error: Error| match error {
        Error::InvalidBox { index, problem, count } => (index, problem, count),
        other => panic!("{other}"),
    };
    let expected = (7, BoxProblem::NotFinite, 2);
    assert_eq!(named(checker.prepare(&bad).expect_err("bad boxes")), expected);
    assert_eq!(
        named(checker.check_against(&scene, &bad).expect_err("bad movers")),
        expected
    );
    assert!(checker.check_against(&scene, &good).is_ok());
}

#[test]
fn the_gpu_says_that_it_cannot() {
    let boxes = Scene::Uniform.generate(10, 1);
    let scene = prepare(&mut cpu(Config::default()), &boxes);
    let mut gpu = gpu(Config::default());
    assert!(matches!(gpu.prepare(&boxes), Err(Error::Unsupported { .. })));
    assert!(matches!(
        gpu.check_against(&scene, &boxes),
        Err(Error::Unsupported { .. })
    ));
}
