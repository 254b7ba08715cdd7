//! Movers against scenes that are prepared once, compared with all pairs of the reference.

use obbligato::Query;
use obbligato::glam::{Quat, Vec3};
use obbligato::{
    Checker, Config, Error, GpuConfig, Obb, Output, Pair, contact::Contact, error::BoxProblem, shape::COORDINATE_LIMIT,
};
use obbligato::{Precision, PreparedScene, Report};
use obbligato_verify::reference::{contact, pairs_against};
use obbligato_verify::scenes::Scene;

use crate::support::cases::{self, Numbers};
use crate::support::gpu::{OUTPUTS, cpu, cpu_pairs, expect_pairs, gpu, gpu_with};

fn prepare(checker: &mut Checker, boxes: &[Obb]) -> PreparedScene {
    checker.prepare(boxes).expect("valid boxes")
}

fn check(checker: &mut Checker, what: &str, scene: &PreparedScene, movers: &[Obb]) -> Report {
    checker
        .check(Query::against(scene, movers))
        .unwrap_or_else(|error| panic!("{what}: {error}"))
}

/// A checker of each backend.
struct Backends(Vec<(&'static str, Checker)>);

impl Backends {
    fn new(config: &Config) -> Self {
        Self(vec![("the CPU", cpu(config.clone())), ("the GPU", gpu(config.clone()))])
    }

    /// Checks all movers at once on each backend, and returns the pairs.
    fn expect_reference(&mut self, what: &str, boxes: &[Obb], movers: &[Obb]) -> Vec<Pair> {
        let expected = pairs_against(boxes, movers);
        for (backend, checker) in &mut self.0 {
            let what = format!("{what}, {backend}");
            let scene = prepare(checker, boxes);
            let report = check(checker, &what, &scene, movers);
            expect_pairs(&what, &expected, report.pairs().expect("asked for"));
            assert_eq!(report.boxes, movers.len(), "{what}");
            assert_eq!(report.colliding_pairs, expected.len() as u64, "{what}");
            assert!(
                report.candidate_pairs >= report.colliding_pairs && report.complete,
                "{what}"
            );
        }
        expected
    }
}

/// Every third box, and the others.
fn thirds(boxes: &[Obb]) -> (Vec<Obb>, Vec<Obb>) {
    let (movers, scene): (Vec<_>, Vec<_>) = boxes.iter().enumerate().partition(|(i, _)| i % 3 == 0);
    let boxes = |part: Vec<(usize, &Obb)>| part.into_iter().map(|(_, solid)| *solid).collect();
    (boxes(scene), boxes(movers))
}

#[test]
fn r1_a_third_of_every_scene_moves() {
    let mut backends = Backends::new(&Config::default());
    for (name, boxes) in cases::counts()
        .into_iter()
        .chain(cases::scenes(3000))
        .chain(cases::edges())
    {
        let (scene, movers) = thirds(&boxes);
        backends.expect_reference(&name, &scene, &movers);
        backends.expect_reference(&format!("{name}, the other way round"), &movers, &scene);
    }
}

#[test]
fn boxes_of_every_scene_move_through_every_other() {
    let mut backends = Backends::new(&Config::default());
    let scenes = cases::scenes(300);
    for (name, scene) in &scenes {
        for (other, movers) in &scenes {
            backends.expect_reference(&format!("{other} through {name}"), scene, movers);
        }
    }
}

#[test]
fn r1_movers_one_by_one_match_movers_together() {
    let (boxes, movers) = thirds(&Scene::Mixed.generate(3000, 3));
    for (backend, mut checker) in Backends::new(&Config::default()).0 {
        let scene = prepare(&mut checker, &boxes);
        let together = check(&mut checker, backend, &scene, &movers);
        let some = 0..if backend == "the CPU" { movers.len() } else { 100 };
        let mut alone: Vec<Pair> = Vec::new();
        for b in some.clone() {
            let report = check(&mut checker, backend, &scene, &movers[b..=b]);
            assert!(
                report.pairs().expect("asked for").iter().all(|pair| pair.b == 0),
                "{backend}"
            );
            alone.extend(
                report
                    .pairs()
                    .expect("asked for")
                    .iter()
                    .map(|pair| Pair { b: b as u32, ..*pair }),
            );
        }
        alone.sort();
        let of_some = |pair: &&Pair| some.contains(&(pair.b as usize));
        assert!(
            !alone.is_empty() && together.pairs().expect("asked for").iter().filter(of_some).eq(&alone),
            "{backend}"
        );
    }
}

/// Movers of all sizes, from points to far larger than a scene of this extent, inside it and
/// outside.
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
fn giants_points_and_distant_movers() {
    let mut backends = Backends::new(&Config::default());
    for (name, boxes) in cases::scenes(1500).into_iter().chain(cases::edges()) {
        let reach = |solid: &Obb| solid.center.abs().max_element() + solid.half_extents.max_element();
        let world = boxes
            .iter()
            .map(reach)
            .fold(1e-30, f32::max)
            .min(COORDINATE_LIMIT / 32.0);
        backends.expect_reference(&format!("strangers in {name}"), &boxes, &strangers(world));
    }
}

/// Boxes in rows along x through a long world, and a rod along each row. The walks are longer than
/// the 512 cells that a key can distinguish, through a table into which the world is folded so
/// often that some cells of one walk share a slot.
#[test]
fn walks_over_thousands_of_cells() {
    let mut backends = Backends::new(&Config::default());
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
    let pairs = backends.expect_reference("rods along rows", &boxes, &rods);
    assert!(pairs.len() >= boxes.len(), "{} pairs", pairs.len());
    // The test is only meaningful if the rods are walked.
    let config = Config {
        count_operations: true,
        ..Config::default()
    };
    for (backend, mut checker) in Backends::new(&config).0 {
        let scene = prepare(&mut checker, &boxes);
        let walks = check(&mut checker, backend, &scene, &rods).operations;
        let walks = walks.expect("operations are counted");
        assert!(walks.rows > 20 * rods.len() as u64, "{walks:?}, {backend}");
    }
}

/// Enough large movers that Mesa's llvmpipe ends the loops of a workgroup that processes all of
/// them.
#[test]
fn work_too_long_for_a_driver_is_divided() {
    let boxes = Scene::Uniform.generate(40_000, 4);
    let mut numbers = Numbers::new(6);
    // Their bounds contain the world, and few boxes touch them.
    let rods: Vec<Obb> = (0..70)
        .map(|_| Obb::new(numbers.point() * 5.0, Vec3::new(200.0, 0.1, 0.1), numbers.rotation()))
        .collect();
    Backends::new(&Config::default()).expect_reference("rods through the world", &boxes, &rods);
}

#[test]
fn empty_sets_have_no_pairs() {
    let mut backends = Backends::new(&Config::default());
    let boxes = Scene::Dense.generate(100, 1);
    for (scene, movers) in [(&[][..], &[][..]), (&[], &boxes), (&boxes, &[])] {
        backends.expect_reference("nothing", scene, movers);
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
        let config = Config {
            output,
            list_touching: true,
            ..Config::default()
        };
        for (backend, mut checker) in Backends::new(&config).0 {
            let what = format!("{output:?}, {backend}");
            let scene = prepare(&mut checker, &boxes);
            let report = check(&mut checker, &what, &scene, &movers);
            assert_eq!(report.colliding_pairs, pairs.len() as u64, "{what}");
            assert_eq!(report.touching_pairs, Some(touching.len() as u64), "{what}");
            assert!(report.touching().expect("asked for") == touching, "{what}");
            assert!(report.complete, "{what}");
            assert!(
                report.pairs().ok() == (output == Output::Pairs).then_some(&pairs[..]),
                "{what}"
            );
            assert!(
                report.degrees().ok() == (output == Output::Degrees).then_some(&degrees[..]),
                "{what}"
            );
            assert_eq!(report.grid, scene.grid(), "{what}");
            assert_eq!(report.engine, *scene.engine(), "{what}");
        }
    }
    for most in [0, 10, pairs.len(), usize::MAX] {
        let config = Config {
            max_pairs: Some(most),
            ..Config::default()
        };
        for (backend, mut checker) in Backends::new(&config).0 {
            let what = format!("at most {most}, {backend}");
            let scene = prepare(&mut checker, &boxes);
            let report = check(&mut checker, &what, &scene, &movers);
            assert_eq!(
                report.pairs().expect("asked for").len(),
                most.min(pairs.len()),
                "{what}"
            );
            assert!(
                report
                    .pairs()
                    .expect("asked for")
                    .iter()
                    .all(|pair| pairs.binary_search(pair).is_ok()),
                "{what}"
            );
            assert_eq!(report.colliding_pairs, pairs.len() as u64, "{what}");
            assert_eq!(report.complete, most >= pairs.len(), "{what}");
        }
    }
}

#[test]
fn a_conservative_answer_misses_nothing() {
    let (boxes, movers) = thirds(&Scene::Bricks.generate(2000, 2));
    let config = Config {
        precision: Precision::Conservative,
        ..Config::default()
    };
    for (backend, mut checker) in Backends::new(&config).0 {
        let scene = prepare(&mut checker, &boxes);
        let report = check(&mut checker, backend, &scene, &movers);
        assert_eq!(report.touching_pairs, None);
        for pair in pairs_against(&boxes, &movers) {
            assert!(
                report.pairs().expect("asked for").binary_search(&pair).is_ok(),
                "{pair:?} is missing, {backend}"
            );
        }
    }
}

/// The cost in counted operations: unlike times, these are the same everywhere.
#[test]
fn the_cost_depends_on_the_movers() {
    let config = Config {
        count_operations: true,
        ..Config::default()
    };
    let person = Obb::axis_aligned(Vec3::splat(3.0), Vec3::new(0.3, 0.3, 0.9));
    let giant = Obb::axis_aligned(Vec3::ZERO, Vec3::splat(1e6));
    let outside = Obb::axis_aligned(Vec3::splat(1e6), Vec3::ONE);
    for (backend, mut checker) in Backends::new(&config).0 {
        for count in [10_000, 100_000] {
            let what = format!("{count}, {backend}");
            let scene = prepare(&mut checker, &Scene::Uniform.generate(count, 1));
            let [person, giant, outside] = [person, giant, outside].map(|mover| {
                let report = check(&mut checker, &what, &scene, &[mover]);
                report.operations.expect("operations are counted")
            });
            assert!(person.rows < 30 && person.comparisons < 100, "{what}: {person:?}");
            assert!(
                giant.rows <= count as u64 / 10 && giant.comparisons <= count as u64,
                "{what}: {giant:?}"
            );
            assert_eq!(outside, Default::default(), "{what}");
        }
    }
}

#[test]
fn a_checker_serves_many_scenes() {
    let (boxes, movers) = thirds(&Scene::Dense.generate(1500, 5));
    let (others, strangers) = thirds(&Scene::Mixed.generate(1000, 5));
    for (backend, mut checker) in Backends::new(&Config::default()).0 {
        let scenes = [prepare(&mut checker, &boxes), prepare(&mut checker, &others)];
        for _ in 0..2 {
            for (scene, movers) in [
                (&scenes[0], &movers),
                (&scenes[1], &strangers),
                (&scenes[0], &strangers),
            ] {
                let report =
                    pollster::block_on(checker.check_async(Query::against(scene, movers))).expect("valid movers");
                assert!(
                    report.pairs().expect("asked for") == pairs_against(scene.boxes(), movers),
                    "{backend}"
                );
            }
            let report = checker.check(&boxes).expect("valid boxes");
            assert!(report.pairs().expect("asked for") == cpu_pairs(&boxes), "{backend}");
        }
    }
}

#[test]
fn a_scene_belongs_to_the_checker_that_prepared_it() {
    let (boxes, movers) = thirds(&Scene::Dense.generate(300, 1));
    let mut checkers = [cpu(Config::default()), gpu(Config::default()), gpu(Config::default())];
    let scenes = [0, 1, 2].map(|k| prepare(&mut checkers[k], &boxes));
    for (k, checker) in checkers.iter_mut().enumerate() {
        for (home, scene) in scenes.iter().enumerate() {
            match checker.check(Query::against(scene, &movers)) {
                Ok(report) if home == k => {
                    assert!(report.pairs().expect("asked for") == pairs_against(&boxes, &movers))
                }
                Err(Error::ForeignScene { .. }) if home != k => {}
                other => panic!("{home} on {k}: {other:?}"),
            }
        }
    }
    let report = check(&mut cpu(Config::default()), "another on the CPU", &scenes[0], &movers);
    assert!(report.pairs().expect("asked for") == pairs_against(&boxes, &movers));
}

/// Results that outgrow their first buffers, and lists that are too long for the device.
#[test]
fn small_buffers_lose_nothing() {
    let settings = |bytes| GpuConfig {
        initial_candidates: 1,
        initial_pairs: 1,
        max_buffer_bytes: bytes,
        ..GpuConfig::default()
    };
    let (boxes, movers) = thirds(&Scene::Bricks.generate(1500, 1));
    let mut checker = gpu_with(settings(None));
    let scene = prepare(&mut checker, &boxes);
    for _ in 0..2 {
        let report = check(&mut checker, "small", &scene, &movers);
        assert!(report.pairs().expect("asked for") == pairs_against(&boxes, &movers));
    }
    // Capacity for 1,360 boxes, and for 8,192 of the candidate pairs.
    let mut checker = gpu_with(settings(Some(1 << 16)));
    let scene = prepare(&mut checker, &boxes);
    let many: Vec<Obb> = movers.iter().cycle().take(1300).copied().collect();
    let report = check(&mut checker, "64 KiB", &scene, &many);
    assert!(report.candidate_pairs > 8192, "{} candidates", report.candidate_pairs);
    assert!(report.pairs().expect("asked for") == pairs_against(&boxes, &many));
    let too_many: Vec<Obb> = movers.iter().cycle().take(1400).copied().collect();
    let error = checker
        .check(Query::against(&scene, &too_many))
        .expect_err("too many movers");
    assert!(
        matches!(
            error,
            Error::LimitExceeded {
                needed: 1400,
                available: 1344,
                ..
            }
        ),
        "{error}"
    );
    assert!(matches!(checker.prepare(&too_many), Err(Error::LimitExceeded { .. })));
    assert!(
        check(&mut checker, "after errors", &scene, &many)
            .pairs()
            .expect("asked for")
            == report.pairs().expect("asked for")
    );
}

#[test]
fn bad_boxes_are_named() {
    let good = Scene::Uniform.generate(600, 1);
    let mut bad = good.clone();
    bad[7].center.x = f32::NAN;
    bad[500].half_extents.y = f32::NAN;
    let named = |error: Error| match error {
        Error::InvalidBox { index, problem, count } => (index, problem, count),
        other => panic!("{other}"),
    };
    let expected = (7, BoxProblem::NotFinite, 2);
    for (backend, mut checker) in Backends::new(&Config::default()).0 {
        let scene = prepare(&mut checker, &good);
        assert_eq!(
            named(checker.prepare(&bad).expect_err("bad boxes")),
            expected,
            "{backend}"
        );
        let error = checker.check(Query::against(&scene, &bad)).expect_err("bad movers");
        assert_eq!(named(error), expected, "{backend}");
        assert!(checker.check(Query::against(&scene, &good)).is_ok(), "{backend}");
        // An invalid mover is found even if there are no boxes at rest.
        let nothing = prepare(&mut checker, &[]);
        let error = checker.check(Query::against(&nothing, &bad)).expect_err("bad movers");
        assert_eq!(named(error), expected, "{backend}");
    }
}
