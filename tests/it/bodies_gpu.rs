//! Capsules and spheres together with boxes on a GPU: the same results as on the CPU, whatever the
//! limits, and no kernel runs without need.

mod contacts;
mod recorded;

use obbligato::shape::BodyCounts;
use obbligato::unstable::gpu::{Inside, Limit, dispatches_of};
use obbligato::{
    Bodies, Capsule, Checker, Config, Error, GpuConfig, Obb, Output, Pair, Precision, Query, Report, Rules, Sphere,
    error::BoxProblem, report::Stage,
};
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::scenes::BodyScene;

use crate::bodies::Scene;
use crate::support::gpu::{OUTPUTS, cpu, expect_pairs, gpu};

/// This many bodies of each kind, with a few pairs per body.
fn mixture(counts: [usize; 3], seed: u64) -> Scene {
    let all: usize = counts.iter().sum();
    Scene::random(seed, counts, (30.0 * all as f64).cbrt(), false)
}

/// Every combination of kinds.
fn mixtures(count: usize) -> Vec<Scene> {
    let some = |k: usize| [count / 2, count / 3 + 1, count / 4 + 2][k];
    (1..8)
        .map(|kinds: usize| {
            let counts = std::array::from_fn(|kind| if kinds >> kind & 1 == 1 { some(kind) } else { 0 });
            mixture(counts, kinds as u64)
        })
        .collect()
}

pub fn counts_of(bodies: &Bodies<'_>) -> BodyCounts {
    BodyCounts {
        boxes: bodies.boxes.len() as u32,
        capsules: bodies.capsules.len() as u32,
        spheres: bodies.spheres.len() as u32,
    }
}

fn check<'a>(checker: &mut Checker, what: &str, query: impl Into<Query<'a>>) -> Report {
    checker.check(query).unwrap_or_else(|error| panic!("{what}: {error}"))
}

/// Asserts that two reports agree in everything about collisions.
#[track_caller]
fn expect_same(what: &str, expected: &Report, found: &Report) {
    let pairs = |report: &Report| report.pairs().map(<[Pair]>::to_vec).unwrap_or_default();
    expect_pairs(what, &pairs(expected), &pairs(found));
    let totals = |report: &Report| {
        (
            report.boxes,
            report.colliding_pairs,
            report.touching_pairs,
            report.near_pairs,
            report.complete,
        )
    };
    assert_eq!(totals(expected), totals(found), "{what}: totals");
    assert_eq!(
        expected.touching().ok(),
        found.touching().ok(),
        "{what}: touching pairs"
    );
    assert_eq!(expected.degrees().ok(), found.degrees().ok(), "{what}: degrees");
}

/// Settings without the features that an adapter need not have, and with checks in shaders.
fn all_settings(settings: &GpuConfig) -> [(&'static str, GpuConfig); 3] {
    let plain = GpuConfig {
        subgroups: false,
        shader_f64: false,
        ..settings.clone()
    };
    let checked = GpuConfig {
        shader_checks: true,
        ..settings.clone()
    };
    [
        ("default", settings.clone()),
        ("plain", plain),
        ("shader checks", checked),
    ]
}

#[test]
fn s1_every_mixture_has_the_pairs_of_the_cpu() {
    for (settings_name, settings) in all_settings(&GpuConfig::default()) {
        for margin in [0.0, 0.4] {
            let config = Config {
                margin,
                gpu: settings.clone(),
                list_touching: true,
                ..Config::default()
            };
            let (mut on_cpu, mut on_gpu) = (cpu(config.clone()), gpu(config));
            for (k, scene) in mixtures(3000).iter().enumerate() {
                let what = format!("{settings_name}, margin {margin}, mixture {k}");
                let expected = check(&mut on_cpu, &what, scene.bodies());
                let found = check(&mut on_gpu, &what, scene.bodies());
                expect_same(&what, &expected, &found);
                assert!(found.colliding_pairs > 300, "{what}: {}", found.colliding_pairs);
                if margin > 0.0 {
                    assert!(found.near_pairs > Some(20), "{what}: {:?}", found.near_pairs);
                }
                // f32 leaves almost nothing undecided.
                assert!(
                    found.undecided_pairs < 20,
                    "{what}: {} undecided",
                    found.undecided_pairs
                );
            }
            let touching = BodyScene::Lattice.bodies(5000, 1);
            let what = format!("{settings_name}, margin {margin}, a lattice");
            let expected = check(&mut on_cpu, &what, touching.all());
            let found = check(&mut on_gpu, &what, touching.all());
            expect_same(&what, &expected, &found);
            assert!(found.touching_pairs > Some(13_000), "{what}");
        }
    }
}

#[test]
fn outputs_rules_and_own_margins_match_the_cpu() {
    for output in OUTPUTS {
        let config = Config {
            output,
            ..Config::default()
        };
        let (mut on_cpu, mut on_gpu) = (cpu(config.clone()), gpu(config));
        for (k, scene) in mixtures(2000).iter().enumerate() {
            let bodies = scene.bodies();
            let count = bodies.len() as u32;
            let margins: Vec<f32> = (0..count).map(|id| if id % 5 == 0 { 0.5 } else { 0.0 }).collect();
            let groups: Vec<[u32; 2]> = (0..count).map(|id| [1 << (id % 3), !(1 << (id / 3 % 3))]).collect();
            let worlds: Vec<u32> = (0..count).map(|id| id % 2).collect();
            let rules = [
                Rules {
                    margins: Some(&margins),
                    ..Rules::default()
                },
                Rules {
                    groups: Some(&groups),
                    worlds: Some(&worlds),
                    ..Rules::default()
                },
                Rules {
                    groups: Some(&groups),
                    margins: Some(&margins),
                    ..Rules::default()
                },
            ];
            for (number, rules) in rules.into_iter().enumerate() {
                let what = format!("{output:?}, mixture {k}, rules {number}");
                let expected = check(&mut on_cpu, &what, bodies.with(rules));
                expect_same(&what, &expected, &check(&mut on_gpu, &what, bodies.with(rules)));
                assert!(expected.colliding_pairs > 30, "{what}");
            }
        }
    }
}

#[test]
fn groups_of_boxes_and_capsules_are_respected() {
    let mut scene = mixture([700, 800, 600], 5);
    for (k, obb) in scene.boxes.iter_mut().enumerate() {
        (obb.memberships, obb.filter) = (1 << (k % 3), !(1 << (k % 2)));
    }
    for (k, capsule) in scene.capsules.iter_mut().enumerate() {
        (capsule.memberships, capsule.filter) = (1 << (k % 2), !(1 << (k % 3)));
    }
    for margin in [0.0, 0.5] {
        let config = Config {
            margin,
            ..Config::default()
        };
        let expected = check(&mut cpu(config.clone()), "the CPU", scene.bodies());
        expect_same("groups", &expected, &check(&mut gpu(config), "a GPU", scene.bodies()));
    }
}

/// Bindings of this many bytes hold 1,360 boxes or capsules, 4,096 spheres, or 2,048 bounds.
const BYTES: u64 = 1 << 16;

fn small() -> GpuConfig {
    GpuConfig {
        max_buffer_bytes: Some(BYTES),
        initial_candidates: 1,
        initial_pairs: 16,
        ..GpuConfig::default()
    }
}

/// Mixtures whose kinds begin in each of three segments, just before and after a boundary, and one
/// that must be checked in parts.
const COUNTS: [[usize; 3]; 12] = [
    [1343, 1, 1],
    [1344, 1, 3],
    [1345, 3, 100],
    [1, 1342, 2000],
    [1, 1343, 1000],
    [1344, 1344, 1000],
    [1400, 1340, 1000],
    [0, 10, 3800],
    [0, 0, 3840],
    [0, 3000, 800],
    [3000, 3000, 3000],
    [0, 0, 9000],
];

#[test]
fn scenes_over_several_bindings_ranges_and_parts_lose_nothing() {
    for (settings_name, settings) in all_settings(&small()) {
        for (margin, output) in [(0.0, Output::Pairs), (0.3, Output::Degrees)] {
            let config = Config {
                margin,
                output,
                gpu: settings.clone(),
                ..Config::default()
            };
            let (mut on_cpu, mut on_gpu) = (cpu(config.clone()), gpu(config));
            for counts in COUNTS {
                let scene = mixture(counts, 3);
                let what = format!("{settings_name}, {counts:?}, margin {margin}");
                let expected = check(&mut on_cpu, &what, scene.bodies());
                expect_same(&what, &expected, &check(&mut on_gpu, &what, scene.bodies()));
            }
        }
    }
}

#[test]
fn work_is_cut_and_ranges_are_divided_without_loss() {
    let scene = mixture([2000, 1500, 2500], 4);
    let expected = check(&mut cpu(Config::default()), "whole", scene.bodies());
    for limit in [
        Limit::Candidates(50),
        Limit::Candidates(1000),
        Limit::RecordsOfSubmission(777),
    ] {
        let mut checker = gpu(Config::default());
        Inside::of(&mut checker).expect("a GPU").set(limit);
        let before = Inside::of(&mut checker).expect("a GPU").submissions();
        let found = check(&mut checker, "cut", scene.bodies());
        expect_same(&format!("{limit:?}"), &expected, &found);
        let submitted = Inside::of(&mut checker).expect("a GPU").submissions() - before;
        assert!(submitted > 5, "{limit:?}: {submitted} submissions");
    }
}

#[test]
fn s1_bodies_of_any_kind_move_against_bodies_of_any_kind_at_rest() {
    for settings in [GpuConfig::default(), small()] {
        for margin in [0.0, 0.3] {
            let config = Config {
                margin,
                gpu: settings.clone(),
                ..Config::default()
            };
            let (mut on_cpu, mut on_gpu) = (cpu(config.clone()), gpu(config));
            for (k, at_rest) in mixtures(1200).iter().enumerate() {
                let scenes =
                    [&mut on_cpu, &mut on_gpu].map(|checker| checker.prepare(at_rest.bodies()).expect("valid"));
                for (j, movers) in mixtures(900).iter().enumerate() {
                    let what = format!("margin {margin}, mixture {j} against mixture {k}");
                    let expected = check(&mut on_cpu, &what, Query::against(&scenes[0], movers.bodies()));
                    let found = check(&mut on_gpu, &what, Query::against(&scenes[1], movers.bodies()));
                    expect_same(&what, &expected, &found);
                    assert!(found.colliding_pairs > 10, "{what}");
                    if settings.max_buffer_bytes.is_none() {
                        let between = Query::between(at_rest.bodies(), movers.bodies());
                        let expected = check(&mut on_cpu, &what, between);
                        let between = Query::between(at_rest.bodies(), movers.bodies());
                        expect_same(&what, &expected, &check(&mut on_gpu, &what, between));
                    }
                }
            }
        }
    }
}

#[test]
fn given_pairs_of_bodies_are_tested() {
    let scene = mixture([300, 300, 300], 9);
    let count = scene.bodies().len() as u64;
    let mut random = SplitMix(5);
    let mut pairs: Vec<Pair> = (0..20_000)
        .map(|_| [random.next() % count, random.next() % count].map(|id| id as u32))
        .filter(|[a, b]| a != b)
        // In either order.
        .map(|[a, b]| Pair { a, b })
        .collect();
    let all = check(&mut cpu(Config::default()), "all", scene.bodies())
        .into_pairs()
        .expect("pairs");
    pairs.extend(all);
    for settings in [GpuConfig::default(), small()] {
        for margin in [0.0, 1.0] {
            let config = Config {
                margin,
                gpu: settings.clone(),
                ..Config::default()
            };
            let expected = check(
                &mut cpu(config.clone()),
                "the CPU",
                Query::pairs(scene.bodies(), &pairs),
            );
            let found = check(&mut gpu(config), "a GPU", Query::pairs(scene.bodies(), &pairs));
            expect_same(&format!("margin {margin}"), &expected, &found);
        }
    }
}

#[test]
fn a_scene_of_one_kind_runs_no_kernels_of_the_others() {
    let run = |bodies: Bodies<'_>| {
        let mut checker = gpu(Config::default());
        check(&mut checker, "a GPU", bodies);
        let (report, kernels) = dispatches_of(|| check(&mut checker, "a GPU", bodies));
        let place = |word: &str| {
            kernels
                .iter()
                .position(|kernel| kernel.starts_with(word))
                .expect("dispatched")
        };
        let (sort, pairs) = (place("group_sizes"), place("grid_pairs"));
        (kernels[..sort].to_vec(), kernels[pairs + 1..].to_vec(), report)
    };
    let scene = mixture([500, 500, 500], 2);
    let (bounds, narrow, report) = run(Bodies::from(&scene.spheres[..]));
    assert_eq!(
        (bounds, narrow),
        (vec!["sphere_bounds"], vec!["narrow_plan", "sphere_sphere_pairs"])
    );
    // As in docs/src/design/gpu-frames.md, "One frame".
    let (n, c, found) = (
        500,
        report.candidate_pairs,
        report.colliding_pairs + report.undecided_pairs,
    );
    for (stage, bytes) in [
        (Stage::Bounds, 48 * n),
        (Stage::Narrow, 8 * c + 16 * n.min(2 * c) + 8 * found),
    ] {
        assert!(
            report.traffic.contains(&(stage, bytes)),
            "{stage}: {:?}",
            report.traffic
        );
    }
    let (bounds, narrow, _) = run(Bodies::from(&scene.capsules[..]));
    assert_eq!(
        (bounds, narrow),
        (vec!["capsule_bounds"], vec!["narrow_plan", "round_round_pairs"])
    );
    let (bounds, narrow, _) = run(scene.bodies());
    assert_eq!(bounds, ["obb_bounds", "capsule_bounds", "sphere_bounds"]);
    assert_eq!(narrow.len(), 8, "{narrow:?}");
}

#[test]
fn fast_and_conservative_answers_enclose_the_exact_ones() {
    let touching = BodyScene::Lattice.bodies(3000, 1);
    let mixed = mixture([800, 900, 1000], 6);
    for margin in [0.0, 0.25] {
        let pairs_of = |precision| {
            let mut checker = gpu(Config {
                precision,
                margin,
                ..Config::default()
            });
            [touching.all(), mixed.bodies()]
                .map(|bodies| check(&mut checker, "a GPU", bodies).into_pairs().expect("pairs"))
        };
        let all = [Precision::Exact, Precision::Conservative, Precision::Fast].map(pairs_of);
        for k in 0..2 {
            let [exact, conservative, fast] = all.each_ref().map(|of_scenes| &of_scenes[k]);
            assert!(exact.iter().all(|pair| conservative.binary_search(pair).is_ok()));
            assert!(
                conservative.len() < exact.len() + 20,
                "{} for {}",
                conservative.len(),
                exact.len()
            );
            assert!(
                fast.len().abs_diff(exact.len()) < 20,
                "{} for {}",
                fast.len(),
                exact.len()
            );
        }
    }
}

#[test]
fn tiny_and_huge_bodies_have_the_pairs_of_the_cpu() {
    let (mut on_cpu, mut on_gpu) = (cpu(Config::default()), gpu(Config::default()));
    for exponent in [-140, -120, -60, 40, 54] {
        let mut scene = Scene::random(8, [200, 200, 200], 10.0, false);
        let size = 2f64.powi(exponent);
        let scaled = |x: f32| (f64::from(x) * size) as f32;
        for obb in &mut scene.boxes {
            obb.center = obb.center.to_array().map(scaled).into();
            obb.half_extents = obb.half_extents.to_array().map(scaled).into();
        }
        for capsule in &mut scene.capsules {
            capsule.center = capsule.center.to_array().map(scaled).into();
            (capsule.half_length, capsule.radius) = (scaled(capsule.half_length), scaled(capsule.radius));
        }
        for sphere in &mut scene.spheres {
            *sphere = Sphere::new(sphere.center.to_array().map(scaled).into(), scaled(sphere.radius));
        }
        let what = format!("times 2^{exponent}");
        let expected = check(&mut on_cpu, &what, scene.bodies());
        expect_same(&what, &expected, &check(&mut on_gpu, &what, scene.bodies()));
        assert!(expected.colliding_pairs > 1000, "{what}");
    }
}

#[test]
fn invalid_bodies_are_named() {
    let scene = mixture([10, 20, 30], 1);
    let mut checker = gpu(Config::default());
    let mut expect = |change: &dyn Fn(&mut Scene), index: usize, problem: BoxProblem| {
        let mut wrong = mixture([10, 20, 30], 1);
        change(&mut wrong);
        match checker.check(wrong.bodies()) {
            Err(
                Error::InvalidBox {
                    index: found,
                    problem: why,
                    ..
                }
                | Error::InvalidBody {
                    index: found,
                    problem: why,
                    ..
                },
            ) => assert_eq!((found, why), (index, problem)),
            other => panic!("{problem:?}: {other:?}"),
        }
        check(&mut checker, "valid bodies", scene.bodies());
    };
    expect(&|wrong| wrong.spheres[3].radius = -0.5, 33, BoxProblem::NegativeRadius);
    expect(
        &|wrong| wrong.spheres[29].radius = -1e-45,
        59,
        BoxProblem::NegativeRadius,
    );
    expect(&|wrong| wrong.spheres[0].center.y = f32::NAN, 30, BoxProblem::NotFinite);
    expect(
        &|wrong| wrong.spheres[0].radius = f32::INFINITY,
        30,
        BoxProblem::NotFinite,
    );
    expect(&|wrong| wrong.spheres[1].radius = 2e18, 31, BoxProblem::TooLarge);
    expect(&|wrong| wrong.capsules[4].radius = -1.0, 14, BoxProblem::NegativeRadius);
    expect(
        &|wrong| wrong.capsules[4].half_length = -1.0,
        14,
        BoxProblem::NegativeExtent,
    );
    expect(
        &|wrong| wrong.capsules[4].half_length = f32::NAN,
        14,
        BoxProblem::NotFinite,
    );
    expect(&|wrong| wrong.capsules[19].rotation.w += 0.1, 29, BoxProblem::Rotation);
    expect(
        &|wrong| wrong.boxes[2].half_extents.x = -1.0,
        2,
        BoxProblem::NegativeExtent,
    );
}

/// The kind of bodies follows from the element type.
#[test]
fn slices_of_one_kind_are_bodies() {
    let mut checker = gpu(Config::default());
    let balls = [0.0, 1.5, 9.0].map(|x| Sphere::new([x, 0.0, 0.0].into(), 1.0));
    let capsules = balls.map(|ball| Capsule::new(ball.center, 0.0, Default::default(), ball.radius));
    let cubes = balls.map(|ball| Obb::axis_aligned(ball.center, [1.0; 3].into()));
    let expected = [Pair::new(0, 1)];
    assert_eq!(check(&mut checker, "balls", &balls).pairs().expect("pairs"), expected);
    assert_eq!(
        check(&mut checker, "capsules", &capsules).pairs().expect("pairs"),
        expected
    );
    assert_eq!(check(&mut checker, "cubes", &cubes).pairs().expect("pairs"), expected);
}
