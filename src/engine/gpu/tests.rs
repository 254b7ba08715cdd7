//! Tests of what only the inside of the GPU backend shows.

use std::sync::atomic::Ordering::Relaxed;

use glam::Vec3;

use crate::base::config::{Backend, Config, GpuConfig, Output};
use crate::base::error::Result;
use crate::base::stage::Stage;
use crate::device::adapters::{Choice, choose};
use crate::device::kernel::DISPATCHES;
use crate::engine::cpu::CpuChecker;
use crate::engine::gpu::engine::GpuEngine;
use crate::engine::gpu::recorded::FrameQuery;
use crate::engine::query::{BoxSet, Holder, Query};
use crate::geometry::pair::Pair;
use crate::narrow_phase::obb_obb::upright_sat_cpu::tests::upright_pairs;
use crate::outputs::report::Report;
use crate::rules::model::Rules;
use crate::scenes::Scene;
use crate::shapes::obb::record::Obb;

const OUTPUTS: [Output; 3] = [Output::Pairs, Output::Degrees, Output::Count];

/// A checker on any adapter. Without one the test fails.
pub(crate) fn checker(config: Config) -> GpuEngine {
    let config = Config {
        backend: Backend::Gpu,
        ..config
    };
    match pollster::block_on(choose(&config)) {
        Ok(Choice::Gpu(adapter, _)) => pollster::block_on(GpuEngine::open(&adapter, config)).expect("a checker"),
        Ok(Choice::Cpu(reason)) => panic!("this test needs a GPU adapter, a software one will do: {reason}"),
        Err(error) => panic!("this test needs a GPU adapter, a software one will do: {error}"),
    }
}

/// The answer to a query.
fn check<'a>(checker: &mut GpuEngine, query: impl Into<Query<'a>>) -> Result<Report> {
    let holder = Holder::new(query, checker.config.margin)?;
    pollster::block_on(checker.check(&holder.resolve()?)).map(|report| holder.named(report))
}

/// Buffers that checks have made so far.
fn buffers_made(checker: &GpuEngine) -> usize {
    checker.context.buffers_made.load(Relaxed)
}

#[test]
fn a_scene_like_the_last_allocates_nothing() {
    let small = GpuConfig {
        initial_candidates: 1,
        initial_pairs: 1,
        ..GpuConfig::default()
    };
    let windows = GpuConfig {
        max_buffer_bytes: Some(1 << 18),
        ..small.clone()
    };
    let scenes = [
        Scene::Dense.generate(5000, 1),
        Scene::Bricks.generate(2000, 1),
        Scene::Coincident.generate(1000, 1),
    ];
    for (name, settings) in [
        ("default", GpuConfig::default()),
        ("small", small),
        ("windows", windows),
    ] {
        for output in OUTPUTS {
            let mut checker = checker(Config {
                output,
                gpu: settings.clone(),
                ..Config::default()
            });
            let before = buffers_made(&checker);
            // Twice: the windows of a first check need less room than the one window of the second.
            for boxes in scenes.iter().cycle().take(2 * scenes.len()) {
                check(&mut checker, boxes).expect("a report");
            }
            let grown = buffers_made(&checker);
            assert!(grown > before, "{name}, {output:?}: the first checks need buffers");
            for boxes in scenes.iter().cycle().take(2 * scenes.len()) {
                check(&mut checker, boxes).expect("a report");
                assert_eq!(
                    buffers_made(&checker),
                    grown,
                    "{name}, {output:?}, {} boxes",
                    boxes.len()
                );
            }
        }
    }
}

#[test]
fn ranges_of_too_many_candidates_are_halved() {
    for boxes in [Scene::Dense.generate(1000, 2), Scene::Coincident.generate(200, 2)] {
        for output in OUTPUTS {
            let config = Config {
                output,
                ..Config::default()
            };
            let expected = check(&mut checker(config.clone()), &boxes).expect("a report");
            for most in [150, 2000, expected.candidate_pairs as u32 - 1] {
                let mut checker = checker(config.clone());
                checker.pipeline.as_mut().expect("a pipeline").most_candidates = most;
                let found = check(&mut checker, &boxes).expect("a report");
                expect_same(
                    &format!("{output:?}, {most} candidates a range"),
                    &expected,
                    &found,
                    &boxes,
                );
            }
        }
    }
}

#[test]
fn ranges_whose_pairs_cannot_be_counted_are_divided() {
    let boxes = Scene::Dense.generate(600, 3);
    for subgroups in [true, false] {
        let config = Config {
            gpu: GpuConfig {
                subgroups,
                ..GpuConfig::default()
            },
            ..Config::default()
        };
        let expected = check(&mut checker(config.clone()), &boxes).expect("a report");
        // As if 32 bits counted that many of each record, when some of them have more.
        for (most, least_submissions) in [(10, 100), (0, 500), (100_000, 1)] {
            let mut checker = checker(config.clone());
            checker.pipeline.as_mut().expect("a pipeline").most_counted = most;
            let found = check(&mut checker, &boxes).expect("a report");
            expect_same(&format!("{most} pairs a record"), &expected, &found, &boxes);
            let submitted = checker.context.submissions.load(Relaxed);
            assert!(
                submitted >= least_submissions,
                "{submitted} submissions for {most} pairs a record"
            );
        }
    }
}

#[track_caller]
fn expect_same(what: &str, expected: &Report, found: &Report, boxes: &[Obb]) {
    assert!(expected.pairs() == found.pairs(), "{what}: pairs");
    assert!(expected.degrees() == found.degrees(), "{what}: degrees");
    let totals = |report: &Report| (report.candidate_pairs, report.colliding_pairs, report.touching_pairs);
    assert_eq!(totals(expected), totals(found), "{what}: {} boxes", boxes.len());
}

#[test]
fn a_hundred_recorded_frames_wait_for_nothing_and_allocate_nothing() {
    let boxes = Scene::Dense.generate(2000, 4);
    for output in OUTPUTS {
        let mut checker = checker(Config {
            output,
            ..Config::default()
        });
        let buffers = [0, 1].map(|_| {
            let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
            let made = checker
                .context
                .buffer_with("the caller's boxes", bytemuck::cast_slice(&boxes), usage);
            made.expect("a buffer")
        });
        let mut encoder = checker.context.device.create_command_encoder(&Default::default());
        let mut counted = None;
        for frame in 0..102 {
            // Two buffers in turn, as applications do that move boxes from one to the other.
            let buffer = &buffers[frame % 2];
            let recorded = checker
                .record(&mut encoder, FrameQuery::boxes(buffer, boxes.len() as u32))
                .expect("a recorded frame");
            let counts = (
                buffers_made(&checker),
                checker.context.submissions.load(Relaxed),
                recorded.pairs.size(),
            );
            if frame >= 2 {
                assert_eq!(*counted.get_or_insert(counts), counts, "{output:?}, frame {frame}");
            }
            assert_eq!(counts.1, 0, "nothing is submitted, so there is nothing to wait for");
        }
        // All of them run, and the next check finds what it should.
        checker.context.queue.submit([encoder.finish()]);
        let report = check(&mut checker, &boxes).expect("a report");
        assert!(checker.context.submissions.load(Relaxed) > 0, "checks do submit");
        assert!(report.colliding_pairs > 1000);
    }
}

#[test]
fn a_check_like_the_last_submits_once() {
    for (scene, output) in [
        (Scene::Dense, Output::Pairs),
        (Scene::Bricks, Output::Pairs),
        (Scene::Dense, Output::Count),
    ] {
        let boxes = scene.generate(3000, 5);
        let mut checker = checker(Config {
            output,
            ..Config::default()
        });
        // A slow machine must not cut the work into pieces.
        let mut check = |call: usize| {
            checker.pipeline.as_mut().expect("a pipeline").records_per_submission = u32::MAX;
            let before = checker.context.submissions.load(Relaxed);
            check(&mut checker, &boxes).expect("a report");
            let submitted = checker.context.submissions.load(Relaxed) - before;
            assert!(
                call == 0 || submitted == 1,
                "{scene}, {output:?}, call {call}: {submitted}"
            );
        };
        (0..3).for_each(&mut check);
    }
}

#[test]
fn work_is_cut_into_submissions() {
    let boxes = Scene::Dense.generate(3000, 6);
    let expected = check(&mut checker(Config::default()), &boxes).expect("a report");
    for output in OUTPUTS {
        for records in [100, 2999, 3000] {
            let config = Config {
                output,
                ..Config::default()
            };
            let whole = check(&mut checker(config.clone()), &boxes).expect("a report");
            let mut checker = checker(config);
            checker.pipeline.as_mut().expect("a pipeline").records_per_submission = records;
            let found = check(&mut checker, &boxes).expect("a report");
            let submitted = checker.context.submissions.load(Relaxed);
            assert!(
                submitted >= boxes.len().div_ceil(records as usize).min(3000),
                "{submitted} submissions"
            );
            expect_same(&format!("{output:?}, {records} records"), &whole, &found, &boxes);
            assert_eq!(found.colliding_pairs, expected.colliding_pairs);
        }
    }
}

#[test]
fn operations_are_those_of_the_cpu() {
    for (scene, count) in [
        (Scene::Uniform, 20_000),
        (Scene::Mixed, 20_000),
        (Scene::Coincident, 3000),
    ] {
        let boxes = scene.generate(count, 7);
        let config = Config {
            count_operations: true,
            ..Config::default()
        };
        let cpu = CpuChecker::default().check(&boxes, &config).expect("a report");
        let gpu = check(&mut checker(config), &boxes).expect("a report");
        let (cpu, gpu) = (cpu.operations.expect("counts"), gpu.operations.expect("counts"));
        // Cells differ by rounding, and blocks of slots cut some rows.
        let near = |gpu: u64, cpu: u64, part: f64| (gpu as f64 / cpu as f64 - 1.0).abs() < part;
        assert!(near(gpu.comparisons, cpu.comparisons, 1e-3), "{scene}: {gpu:?} {cpu:?}");
        assert!(near(gpu.rows, cpu.rows, 2e-2), "{scene}: {gpu:?} {cpu:?}");
    }
    assert_eq!(
        check(&mut checker(Config::default()), &[])
            .expect("a report")
            .operations,
        None
    );
}

#[test]
fn a_frame_is_what_the_documents_say() {
    let text = include_str!("../../../ARCHITECTURE.md");
    let table = text.split("## One frame").nth(1).expect("the section");
    let row = |stage: &str| {
        let row = table
            .lines()
            .find(|line| line.starts_with(&format!("| {stage} |")))
            .expect("a row");
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        (cells[2].parse::<usize>().expect("a number"), cells[3].to_owned())
    };
    let boxes = Scene::Dense.generate(3000, 8);
    let mut checker = checker(Config::default());
    check(&mut checker, &boxes).expect("a report");
    DISPATCHES.take();
    let report = check(&mut checker, &boxes).expect("a report");
    let dispatches = DISPATCHES.take();
    let of = |names: &[&str]| dispatches.iter().filter(|name| names.contains(name)).count();
    let f64_stage = checker.context.f64;
    let stages: [(Stage, &[&str], u64); 6] = {
        let n = boxes.len() as u64;
        let (c, u) = (report.candidate_pairs, report.undecided_pairs);
        // Of so few boxes the device decides all pairs.
        let (p, left) = (report.colliding_pairs, report.undecided_after_f64);
        assert_eq!(left, 0);
        let s: u64 = report.grid.iter().map(|level| u64::from(level.slots)).sum();
        [
            (Stage::Bounds, &["obb_bounds"], 80 * n),
            (Stage::Plan, &["group_sizes", "grid_probe", "choose_levels"], 32 * n),
            (
                Stage::Sort,
                &["count_slots", "allocate_runs", "place_records"],
                120 * n + 24 * s,
            ),
            (Stage::Pairs, &["grid_pairs"], 32 * n + 4 * s + 8 * c),
            (
                Stage::Narrow,
                &["narrow_plan", "obb_sat_pairs", "upright_sat_pairs"],
                8 * c + 48 * n.min(2 * c) + 8 * (p + u),
            ),
            (Stage::F64, &["obb_sat_f64_pairs"], 8 * u + 48 * n.min(2 * u) + 8 * left),
        ]
    };
    let mut all = 0;
    for (stage, kernels, bytes) in stages.into_iter().take(if f64_stage { 6 } else { 5 }) {
        let (count, formula) = row(stage.name());
        assert_eq!(of(kernels), count, "{stage}: {dispatches:?}");
        all += count;
        let moved = report
            .traffic
            .iter()
            .find(|(other, _)| *other == stage)
            .map(|&(_, bytes)| bytes);
        assert_eq!(moved, Some(bytes), "{stage}: {formula}");
    }
    assert_eq!(dispatches.len(), all, "{dispatches:?}");
}

#[test]
fn five_axes_decide_upright_boxes_truly_on_the_gpu() {
    let boxes: Vec<Obb> = upright_pairs().into_iter().flatten().collect();
    let pairs: Vec<Pair> = (0..boxes.len() as u32)
        .step_by(2)
        .map(|a| Pair::new(a, a + 1))
        .collect();
    let collides = |pair: &&Pair| boxes[pair.a as usize].contact(&boxes[pair.b as usize]).collides();
    let colliding: Vec<Pair> = pairs.iter().filter(collides).copied().collect();
    for subgroups in [true, false] {
        let mut checker = checker(Config {
            gpu: GpuConfig {
                subgroups,
                ..GpuConfig::default()
            },
            ..Config::default()
        });
        let report = check(&mut checker, Query::pairs(&boxes, &pairs)).expect("a report");
        assert!(report.pairs() == colliding, "subgroups: {subgroups}");
        let undecided = report.undecided_pairs as usize;
        assert!(undecided > 2_000 && undecided < pairs.len() - 2_000, "{undecided}");
    }
}

/// More boxes in one cell than Mesa's llvmpipe lets a loop take rounds: their walks are cut.
#[test]
fn loops_that_a_driver_ends_are_cut() {
    // Few of the plates in this pile meet, those beside a thick one.
    let plate = |k: usize| {
        let thickness = if k.is_multiple_of(2000) { 1e-3 } else { 1e-6 };
        let center = Vec3::new(0.0, 0.0, 1.3e-5 * k as f32);
        Obb::axis_aligned(center, Vec3::new(0.5, 0.5, thickness))
    };
    let pile: Vec<Obb> = (0..66_500).map(plate).collect();
    expect_twin("a pile of plates", 1 << 12, &pile);
    // All are in one place, and of one owner but for two.
    let same = vec![Obb::axis_aligned(Vec3::ONE, Vec3::ONE); 24_000];
    let owners: Vec<u32> = (0..same.len() as u32).map(|k| u32::from(k % 12_000 == 7)).collect();
    let rules = Rules {
        owners: Some(&owners),
        ..Rules::default()
    };
    expect_twin("one place", u32::MAX, BoxSet::new(&same).with(rules));
}

/// Compares a check whose submissions look for the pairs of so many records with the CPU's.
fn expect_twin<'a>(what: &str, records: u32, query: impl Into<Query<'a>>) {
    let query = query.into();
    let cpu = CpuChecker::default()
        .check(query, &Config::default())
        .expect("a report");
    assert!(cpu.colliding_pairs > 50, "{what}");
    let mut checker = checker(Config::default());
    checker.pipeline.as_mut().expect("a pipeline").records_per_submission = records;
    let report = check(&mut checker, query).expect("a report");
    assert!(report.pairs() == cpu.pairs(), "{what}: pairs are missing or wrong");
    assert_eq!(report.candidate_pairs, cpu.candidate_pairs, "{what}");
}
