//! The exact answer on the GPU: in f32, in f64 if the adapter supports it, and in integer
//! arithmetic, against the CPU.

use std::fmt::Debug;
use std::time::{SystemTime, UNIX_EPOCH};

use obbligato::Query;
use obbligato::unstable::exact::classify_all;
use obbligato::{
    Backend, Checker, Config, Error, GpuConfig, Obb, Output, Pair, Precision, Report, contact::Contact, report::Stage,
};
use obbligato_verify::adversarial;
use obbligato_verify::scenes::Scene;

fn checker(backend: Backend, gpu: GpuConfig) -> Checker {
    let config = Config {
        backend,
        list_touching: true,
        gpu,
        ..Config::default()
    };
    Checker::new(config).expect("these tests need an adapter, a software one will do")
}

fn without_f64() -> GpuConfig {
    GpuConfig {
        shader_f64: false,
        ..GpuConfig::default()
    }
}

/// Lists so short that none fits at first, and windows so small that there are many.
fn short_lists() -> GpuConfig {
    GpuConfig {
        initial_candidates: 3_000,
        initial_pairs: 64,
        ..GpuConfig::default()
    }
}

/// The GPU with f64 and without, with short lists and without subgroup operations, and the CPU.
fn checkers() -> Vec<(&'static str, Checker)> {
    let portable = GpuConfig {
        subgroups: false,
        shader_checks: true,
        ..short_lists()
    };
    vec![
        ("f64 on the GPU", checker(Backend::Gpu, GpuConfig::default())),
        ("f64 on the CPU", checker(Backend::Gpu, without_f64())),
        ("short lists", checker(Backend::Gpu, short_lists())),
        ("portable, checked", checker(Backend::Gpu, portable)),
        ("the CPU", checker(Backend::Cpu, GpuConfig::default())),
    ]
}

/// Pairs that are hard to decide, each of two boxes of its own.
fn hard_pairs(count: u32, first: u64, seed: u64) -> (Vec<Obb>, Vec<Pair>) {
    let boxes = (0..u64::from(count)).flat_map(|k| <[Obb; 2]>::from(adversarial::pair(first + k, seed)));
    let pairs = (0..count).map(|k| Pair::new(2 * k, 2 * k + 1));
    (boxes.collect(), pairs.collect())
}

/// The pairs whose contact is one of `wanted`.
fn having(pairs: &[Pair], contacts: &[Contact], wanted: &[Contact]) -> Vec<Pair> {
    let having = pairs
        .iter()
        .zip(contacts)
        .filter(|(_, contact)| wanted.contains(contact));
    having.map(|(pair, _)| *pair).collect()
}

/// A description of the first pair that only one list contains, and of the right answer for it.
fn first_difference(found: &[Pair], expected: &[Pair]) -> String {
    let lacking = expected
        .iter()
        .find(|pair| found.binary_search_by_key(&pair.key(), |p| p.key()).is_err());
    let surplus = found
        .iter()
        .find(|pair| expected.binary_search_by_key(&pair.key(), |p| p.key()).is_err());
    format!("lacking {lacking:?}, too many {surplus:?}")
}

#[test]
fn e5_a_million_hard_pairs() {
    const AT_ONCE: u32 = 1 << 18;
    let seed = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(1, |time| time.as_nanos() as u64);
    println!("seed {seed}");
    let mut checkers = [
        ("f64 on the GPU", checker(Backend::Gpu, GpuConfig::default())),
        ("f64 on the CPU", checker(Backend::Gpu, without_f64())),
        ("the CPU", checker(Backend::Cpu, GpuConfig::default())),
    ];
    for round in 0..4 {
        let (boxes, pairs) = hard_pairs(AT_ONCE, u64::from(round * AT_ONCE), seed);
        let (contacts, _) = classify_all(&boxes, &pairs);
        let colliding = having(&pairs, &contacts, &[Contact::Touching, Contact::Overlapping]);
        let touching = having(&pairs, &contacts, &[Contact::Touching]);
        for (name, checker) in &mut checkers {
            let report = checker
                .check(Query::pairs(&boxes, &pairs))
                .expect("boxes and pairs are valid");
            let case = || format!("{name}, from pair {} of seed {seed}", round * AT_ONCE);
            assert!(
                report.pairs().expect("asked for") == colliding,
                "{}: {}",
                case(),
                first_difference(report.pairs().expect("asked for"), &colliding)
            );
            assert!(
                report.touching().expect("asked for") == touching,
                "{}: {}",
                case(),
                first_difference(report.touching().expect("asked for"), &touching)
            );
            assert_eq!(report.colliding_pairs, colliding.len() as u64, "{}", case());
            assert_eq!(report.touching_pairs, Some(touching.len() as u64), "{}", case());
            assert_eq!(report.candidate_pairs, pairs.len() as u64, "{}", case());
            // Most pairs are near contact, and f64 decides many of them, on either processor.
            let decided_in_f64 = report.undecided_pairs - report.undecided_after_f64;
            assert!(
                report.undecided_after_f64 > 10_000 && decided_in_f64 > 10_000,
                "{}: {report:?}",
                case()
            );
        }
    }
}

/// The parts of two reports on the same boxes that must agree, whatever computed them.
fn common(report: &Report) -> impl PartialEq + Debug {
    (
        (report.colliding_pairs, report.touching_pairs),
        [report.pairs(), report.touching()].map(Result::ok),
        report.degrees().ok(),
    )
}

#[test]
fn every_scene_with_and_without_f64() {
    let mut checkers = checkers();
    for scene in Scene::ALL {
        let boxes = scene.generate(8_000, 7);
        let reports: Vec<(&str, Report)> = checkers
            .iter_mut()
            .map(|(name, checker)| (*name, checker.check(&boxes).expect("scenes are valid")))
            .collect();
        for (name, report) in &reports[1..] {
            assert!(common(report) == common(&reports[0].1), "{scene:?}, {name}");
            assert!(
                report.undecided_pairs >= report.undecided_after_f64,
                "{scene:?}, {name}"
            );
        }
    }
}

/// Degrees and totals are sums over windows and stages: nothing may be counted twice if a list was
/// too short.
#[test]
fn degrees_and_totals() {
    let (boxes, pairs) = hard_pairs(20_000, 0, 3);
    for output in [Output::Degrees, Output::Count] {
        let reports: Vec<Report> = [
            (Backend::Cpu, GpuConfig::default()),
            (Backend::Gpu, GpuConfig::default()),
            (Backend::Gpu, short_lists()),
            (
                Backend::Gpu,
                GpuConfig {
                    shader_f64: false,
                    ..short_lists()
                },
            ),
        ]
        .into_iter()
        .flat_map(|(backend, gpu)| {
            let config = Config {
                backend,
                output,
                gpu,
                ..Config::default()
            };
            let mut checker = Checker::new(config).expect("an adapter");
            // Twice with one checker: the second time everything fits.
            [(); 2].map(|()| {
                checker
                    .check(Query::pairs(&boxes, &pairs))
                    .expect("boxes and pairs are valid")
            })
        })
        .collect();
        assert!(reports[0].colliding_pairs > 5_000);
        for (k, report) in reports.iter().enumerate() {
            assert!(common(report) == common(&reports[0]), "report {k} of {output:?}");
        }
    }
}

/// If the adapter has f64, it is used unless disabled; and only for exact answers.
#[test]
fn the_f64_stage_runs_only_for_exact_answers() {
    let adapter = pollster::block_on(obbligato::wgpu::Instance::default().request_adapter(&Default::default()))
        .expect("these tests need an adapter, a software one will do");
    let (has_f64, has_timestamps) = (
        adapter.features().contains(obbligato::wgpu::Features::SHADER_F64),
        adapter.features().contains(obbligato::wgpu::Features::TIMESTAMP_QUERY),
    );
    let boxes = Scene::Uniform.generate(1_000, 1);
    for precision in [Precision::Exact, Precision::Fast, Precision::Conservative] {
        for gpu in [GpuConfig::default(), without_f64()] {
            let expected = has_f64 && has_timestamps && gpu.shader_f64 && precision == Precision::Exact;
            let config = Config {
                backend: Backend::Gpu,
                precision,
                gpu,
                ..Config::default()
            };
            let report = Checker::new(config)
                .and_then(|mut checker| checker.check(&boxes))
                .expect("a valid scene");
            let ran = report.timings.gpu.iter().any(|(stage, _)| *stage == Stage::F64);
            assert_eq!(ran, expected, "{precision:?}");
            assert_eq!(report.touching_pairs.is_some(), precision == Precision::Exact);
        }
    }
}

/// Given pairs may be few, repeated, out of order or invalid.
#[test]
fn given_pairs() {
    let boxes = Scene::Dense.generate(2_000, 5);
    let strangers = boxes
        .clone()
        .into_iter()
        .map(|obb| obb.with_groups(1, 2))
        .collect::<Vec<_>>();
    for (name, mut checker) in checkers() {
        let all = checker
            .check(&boxes)
            .expect("a valid scene")
            .into_pairs()
            .expect("asked for");
        assert!(all.len() > 1_000, "{name}");
        // The first pair twice, the others backwards, and one that does not collide.
        let apart_pair = (1..)
            .map(|b| Pair::new(0, b))
            .find(|pair| !all.contains(pair))
            .expect("not all collide");
        let shuffled: Vec<Pair> = [apart_pair, all[0]].iter().chain(all.iter().rev()).copied().collect();
        let report = checker.check(Query::pairs(&boxes, &shuffled)).expect("valid pairs");
        let expected: Vec<Pair> = [all[0]].iter().chain(&all).copied().collect();
        assert_eq!(report.pairs().expect("asked for"), expected, "{name}");
        assert_eq!(report.candidate_pairs, shuffled.len() as u64, "{name}");

        assert_eq!(
            checker
                .check(Query::pairs(&strangers, &all))
                .expect("valid pairs")
                .colliding_pairs,
            0,
            "{name}"
        );
        assert_eq!(
            checker
                .check(Query::pairs(&boxes, &[]))
                .expect("no pairs")
                .pairs()
                .expect("asked for"),
            [],
            "{name}"
        );
        assert_eq!(
            checker.check(Query::pairs(&[] as &[Obb], &[])).expect("no boxes").boxes,
            0,
            "{name}"
        );
        expect_errors(name, &mut checker, &boxes, &all);
        // The checker still works afterwards.
        assert_eq!(
            checker
                .check(&boxes)
                .expect("a valid scene")
                .into_pairs()
                .expect("asked for"),
            all,
            "{name}"
        );
    }
}

/// Asserts the errors for a missing and for an invalid box.
fn expect_errors(name: &str, checker: &mut Checker, boxes: &[Obb], all: &[Pair]) {
    let wrong = checker.check(Query::pairs(boxes, &[all[0], Pair::new(7, 2_000)]));
    assert!(
        matches!(
            wrong,
            Err(Error::InvalidPair {
                index: 1,
                named: 2_000,
                boxes: 2_000
            })
        ),
        "{name}: {wrong:?}"
    );
    let mut invalid = boxes.to_vec();
    invalid[3].half_extents.x = -1.0;
    let wrong = checker.check(Query::pairs(&invalid, all));
    assert!(
        matches!(wrong, Err(Error::InvalidBox { index: 3, .. })),
        "{name}: {wrong:?}"
    );
}
