//! The tree along a Morton curve on a GPU, compared with the grid and the CPU: it finds the same
//! pairs for every kind of query.

use obbligato::glam::Vec3;
use obbligato::gpu::FrameQuery;
use obbligato::unstable::gpu::{Inside, Limit, dispatches_of};
use obbligato::{
    BroadPhase, Checker, Config, GpuConfig, Obb, Output, Pair, Query, Rules, Set,
    contact::Contact,
    report::{Engine, Stage},
    shape::{Aabb, Triangle},
};
use obbligato_verify::scenes::Scene;

use crate::support::application::Application;
use crate::support::cases::{Numbers, counts, edges, scenes};
use crate::support::gpu::{OUTPUTS, check, cpu, cpu_pairs, expect_output, expect_pairs, expect_same, gpu};

fn lbvh(config: &Config) -> Checker {
    gpu(Config {
        broad_phase: BroadPhase::Lbvh,
        ..config.clone()
    })
}

/// Settings that take each path through the kernels: subgroups or none, records in one binding or
/// two, ranges or all at once.
fn all_settings() -> [(&'static str, GpuConfig); 3] {
    let portable = GpuConfig {
        subgroups: false,
        shader_f64: false,
        shader_checks: true,
        ..GpuConfig::default()
    };
    let small = GpuConfig {
        max_buffer_bytes: Some(1 << 16),
        initial_candidates: 1,
        initial_pairs: 1,
        ..GpuConfig::default()
    };
    [
        ("default", GpuConfig::default()),
        ("portable", portable),
        ("small", small),
    ]
}

#[test]
fn p3_all_scenes_have_the_pairs_of_the_cpu() {
    let all = || counts().into_iter().chain(scenes(700)).chain(edges());
    let mut expected: Vec<_> = Vec::new();
    let mut on_cpu = cpu(Config::default());
    for (what, boxes) in all() {
        expected.push(check(&mut on_cpu, &what, &boxes));
    }
    for (settings, gpu) in all_settings() {
        let config = Config {
            gpu,
            ..Config::default()
        };
        let mut checker = lbvh(&config);
        for ((what, boxes), expected) in all().zip(&expected) {
            // Many parts are slow, and those of few boxes are like others.
            if settings == "small" && boxes.len() > 5000 {
                continue;
            }
            let what = format!("{what}, {settings}");
            let found = check(&mut checker, &what, &boxes);
            expect_same(&what, expected, &found);
            assert!(found.grid.is_empty(), "{what}");
        }
    }
}

#[test]
fn p3_every_output_and_range() {
    let boxes = Scene::Dense.generate(5000, 3);
    let pairs = cpu_pairs(&boxes);
    for output in OUTPUTS {
        let config = Config {
            output,
            ..Config::default()
        };
        let mut checker = lbvh(&config);
        let whole = check(&mut checker, "all at once", &boxes);
        assert_eq!(whole.broad_phase.map(|choice| choice.used), Some(BroadPhase::Lbvh));
        let candidates = whole.candidate_pairs;
        for limit in [
            Limit::Candidates(2000),
            Limit::RecordsOfSubmission(777),
            Limit::WorkOfSubmission(10_000.0),
        ] {
            let what = format!("{output:?}, {limit:?}");
            let mut checker = lbvh(&config);
            Inside::of(&mut checker).expect("a GPU").set(limit);
            let report = check(&mut checker, &what, &boxes);
            expect_output(&what, output, &boxes, &pairs, &report);
            assert_eq!(report.candidate_pairs, candidates, "{what}");
            assert!(Inside::of(&mut checker).expect("a GPU").submissions() > 2, "{what}");
        }
    }
}

/// Random owners, worlds, statics and margins of this many boxes.
struct Given {
    owners: Vec<u32>,
    worlds: Vec<u32>,
    statics: Vec<bool>,
    margins: Vec<f32>,
}

impl Given {
    fn new(boxes: usize, worlds: u32, seed: u64) -> Self {
        let mut numbers = Numbers::new(seed);
        let mut up_to = |most: f32| -> Vec<u32> { (0..boxes).map(|_| (numbers.part() * most) as u32).collect() };
        Self {
            owners: up_to(boxes as f32 / 3.0),
            worlds: up_to(worlds as f32)
                .into_iter()
                .map(|world| world.wrapping_mul(0x9E37_79B9))
                .collect(),
            statics: up_to(3.0).into_iter().map(|choice| choice == 0).collect(),
            margins: up_to(4.0).into_iter().map(|choice| 0.03 * choice as f32).collect(),
        }
    }

    /// The rules selected by the bits of a mask.
    fn rules(&self, mask: u32) -> Rules<'_> {
        fn some<T: ?Sized>(wanted: u32, list: &T) -> Option<&T> {
            (wanted & 1 == 1).then_some(list)
        }
        Rules {
            owners: some(mask, &self.owners[..]),
            worlds: some(mask >> 1, &self.worlds[..]),
            statics: some(mask >> 2, &self.statics[..]),
            margins: some(mask >> 3, &self.margins[..]),
            ..Rules::default()
        }
    }
}

#[test]
fn rules_sets_and_movers_have_the_pairs_of_the_cpu() {
    let [boxes, others] = [1, 2].map(|seed| Scene::Mixed.generate(500, seed));
    let [own, of_others] = [(9, 1), (9, 2)].map(|(worlds, seed)| Given::new(500, worlds, seed));
    for margin in [0.0, 0.05] {
        let config = Config {
            margin,
            ..Config::default()
        };
        let mut on_cpu = cpu(config.clone());
        for (settings, gpu) in all_settings() {
            let mut checker = lbvh(&Config { gpu, ..config.clone() });
            // Each of the four rules, with and without each other.
            let masks = if settings == "default" { 1 } else { 3 };
            for mask in (0..16).step_by(masks) {
                let what = format!("{settings}, margin {margin}, rules {mask:b}");
                let first = Set::from(&boxes).with(own.rules(mask));
                // Rules about only one of the sets, too.
                let second = Set::from(&others).with(of_others.rules(if mask % 3 == 0 { 0 } else { mask }));
                for query in [Query::from(first), Query::between(first, second)] {
                    let expected = on_cpu.check(query).expect("the CPU");
                    // Parts are cut out of space, which does not divide worlds.
                    expect_same(&what, &expected, &checker.check(query).expect(&what));
                }
                if settings == "small" {
                    continue;
                }
                let at_rest = on_cpu.prepare(first).expect("valid boxes");
                let expected = on_cpu.check(Query::against(&at_rest, second)).expect("the CPU");
                let at_rest = checker.prepare(first).expect("valid boxes");
                let found = checker.check(Query::against(&at_rest, second)).expect(&what);
                expect_same(&format!("{what}, movers"), &expected, &found);
            }
        }
    }
}

#[test]
fn movers_of_any_size_find_all_pairs() {
    let mut numbers = Numbers::new(4);
    let strangers: Vec<Obb> = (0..300)
        .map(|k| {
            let size = 60.0 * 0.5f32.powi(k % 12);
            Obb::new(numbers.point() * 80.0, Vec3::splat(size), numbers.rotation())
        })
        .collect();
    let (mut on_cpu, mut checker) = (cpu(Config::default()), lbvh(&Config::default()));
    for (what, boxes) in counts().into_iter().chain([(
        "one spot".to_owned(),
        vec![Obb::axis_aligned(Vec3::ONE, Vec3::ONE); 3000],
    )]) {
        let at_rest = on_cpu.prepare(&boxes).expect("valid boxes");
        let expected = on_cpu.check(Query::against(&at_rest, &strangers)).expect("the CPU");
        let at_rest = checker.prepare(&boxes).expect("valid boxes");
        // The whole workgroup shares the work for large movers.
        let found = checker.check(Query::against(&at_rest, &strangers)).expect(&what);
        expect_same(&what, &expected, &found);
        let none = checker.check(Query::against(&at_rest, &[] as &[Obb])).expect(&what);
        assert_eq!(none.colliding_pairs, 0, "{what}");
    }
}

#[test]
fn thousands_of_worlds_in_one_place_stay_separate() {
    let scenes: Vec<Vec<Obb>> = (0..2000).map(|k| Scene::Dense.generate(10, k)).collect();
    let boxes = scenes.concat();
    let worlds: Vec<u32> = (0..boxes.len() as u32)
        .map(|id| (id / 10).wrapping_mul(0x9E37_79B9))
        .collect();
    let rules = Rules {
        worlds: Some(&worlds),
        ..Rules::default()
    };
    let config = Config {
        count_operations: true,
        ..Config::default()
    };
    let set = Set::from(&boxes).with(rules);
    let expected = cpu(config.clone()).check(set).expect("the CPU");
    let mut checker = lbvh(&config);
    let found = checker.check(set).expect("a GPU");
    expect_same("worlds", &expected, &found);
    let operations = found.operations.expect("asked for");
    assert!(operations.comparisons < 20 * boxes.len() as u64, "{operations:?}");
    assert_eq!(operations.rows, 0);
    let at_rest = checker.prepare(set).expect("valid boxes");
    let movers = checker.check(Query::against(&at_rest, set)).expect("a GPU");
    assert!(movers.colliding_pairs >= boxes.len() as u64, "each meets itself");
    let operations = movers.operations.expect("asked for");
    assert!(operations.comparisons < 100 * boxes.len() as u64, "{operations:?}");
}

#[test]
fn bounds_and_triangles_have_the_pairs_of_the_cpu() {
    let mut numbers = Numbers::new(7);
    let (mut on_cpu, mut checker) = (cpu(Config::default()), lbvh(&Config::default()));
    let bounds: Vec<Aabb> = (0..4000)
        .map(|_| {
            let low = (numbers.point() * 12.0).round();
            Aabb::new(low, low + Vec3::new(numbers.part(), 1.0, 2.0))
        })
        .collect();
    let corner = |numbers: &mut Numbers, near: Vec3| near + numbers.point();
    let triangles: Vec<Triangle> = (0..3000)
        .map(|_| {
            let near = numbers.point() * 8.0;
            let [a, b, c] = [(); 3].map(|()| corner(&mut numbers, near));
            Triangle::new(a, b, c)
        })
        .collect();
    for query in [Query::from(&bounds), Query::from(&triangles)] {
        let expected = on_cpu.check(query).expect("the CPU");
        assert!(expected.colliding_pairs > 1000, "{}", expected.colliding_pairs);
        expect_same("a GPU", &expected, &checker.check(query).expect("a GPU"));
    }
}

#[test]
fn recorded_frames_have_the_pairs_of_the_cpu() {
    let application = Application::new();
    let config = Config {
        broad_phase: BroadPhase::Lbvh,
        ..Config::default()
    };
    let mut checker = application.checker(config);
    for (frame, scene) in [Scene::Dense, Scene::Giants, Scene::Far].into_iter().enumerate() {
        let boxes = scene.generate(3000 - 700 * frame, frame as u64);
        let buffer = application.boxes(&boxes);
        let mut encoder = application.encoder();
        let query = FrameQuery::boxes(&buffer, boxes.len() as u32);
        let recorded = checker.record(&mut encoder, query).expect("a recorded frame");
        let found = application.copy(&mut encoder, &recorded.pairs);
        let undecided = application.copy(&mut encoder, &recorded.undecided);
        let outcome = application.copy(&mut encoder, &recorded.outcome);
        application.queue.submit([encoder.finish()]);
        let outcome: obbligato::gpu::Outcome = application.read(&outcome)[0];
        assert_eq!(outcome.fits, 1, "{scene}: {outcome:?}");
        let mut found: Vec<Pair> = application.read(&found);
        found.truncate(outcome.pairs as usize);
        // Without f64 a few pairs are left for the host.
        let left: Vec<Pair> = application.read(&undecided);
        let collide = |pair: &&Pair| boxes[pair.a as usize].contact(&boxes[pair.b as usize]) != Contact::Separated;
        found.extend(left[..outcome.undecided as usize].iter().filter(collide));
        found.sort_unstable();
        expect_pairs(scene.name(), &cpu_pairs(&boxes), &found);
    }
}

#[test]
fn loops_that_a_driver_limits_are_split() {
    // A giant that comes before all others and meets them: its walk takes more iterations than
    // Mesa's llvmpipe allows a loop.
    let mut boxes = vec![Obb::axis_aligned(Vec3::ZERO, Vec3::splat(80.0))];
    boxes.extend((0..40_000).map(|k: u32| Obb::axis_aligned(cell(k) * 2.0 + 1.0, Vec3::splat(0.5))));
    let expected = check(&mut cpu(Config::default()), "the CPU", &boxes);
    assert_eq!(expected.colliding_pairs, 40_000);
    let mut checker = lbvh(&Config::default());
    expect_same("a giant", &expected, &check(&mut checker, "a GPU", &boxes));
    // SwiftShader, for example, ends no loops early.
    let ends_loops = matches!(checker.engine(), Engine::Gpu { adapter, .. } if adapter.contains("llvmpipe"));
    let submissions = Inside::of(&mut checker).expect("a GPU").submissions();
    assert_eq!(submissions > 2, ends_loops, "{submissions} submissions");
}

/// Cells of a cube with a side of 35, row by row.
fn cell(k: u32) -> Vec3 {
    Vec3::new((k % 35) as f32, (k / 35 % 35) as f32, (k / 1225) as f32)
}

#[test]
fn only_the_chosen_broad_phase_takes_memory() {
    let boxes = Scene::Uniform.generate(50_000, 1);
    let config = Config {
        output: Output::Count,
        ..Config::default()
    };
    let mut checker = lbvh(&config);
    let [empty, estimate] = [0, boxes.len()].map(|count| checker.memory_estimate(count, 0).device_bytes);
    let report = check(&mut checker, "a GPU", &boxes);
    // In addition to boxes and bounds. Those of the grid would take 76 more.
    let own = (estimate - empty) / boxes.len() as u64 - 80;
    assert!((90..=98).contains(&own), "{own} bytes a box");
    assert!(
        report.device_bytes <= estimate + (1 << 20),
        "{} of {estimate}",
        report.device_bytes
    );
}

#[test]
fn a_frame_matches_the_documentation() {
    let text = include_str!("../../docs/src/design/gpu-frames.md");
    let row = |formula: &str| assert!(text.contains(formula), "{formula}");
    row("| sort | 38, and one for each size of blocks | 528n + 64b |");
    row("| pairs | 1 | 64n + 8c |");
    let boxes = Scene::Dense.generate(5000, 8);
    let mut checker = lbvh(&Config::default());
    check(&mut checker, "a GPU", &boxes);
    let (report, dispatches) = dispatches_of(|| check(&mut checker, "a GPU", &boxes));
    let others = [
        "obb_bounds",
        "lbvh_probe",
        "lbvh_pairs",
        "narrow_plan",
        "obb_sat_pairs",
        "upright_sat_pairs",
        "obb_sat_f64_pairs",
    ];
    let sort = dispatches.iter().filter(|name| !others.contains(name)).count();
    // Blocks of 8, 64, 512 and 4096 records.
    assert_eq!(sort, 38 + 4, "{dispatches:?}");
    let n = boxes.len() as u64;
    let of = |stage| {
        report
            .traffic
            .iter()
            .find(|(other, _)| *other == stage)
            .map(|&(_, bytes)| bytes)
    };
    assert_eq!(of(Stage::Sort), Some(528 * n + 64 * (n / 7)));
    assert_eq!(of(Stage::Pairs), Some(64 * n + 8 * report.candidate_pairs));
}
