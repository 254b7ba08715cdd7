//! The internals of a GPU backend that no result shows: its allocations, submissions and
//! dispatches, and its behaviour beyond its limits.

use obbligato::glam::Vec3;
use obbligato::gpu::FrameQuery;
use obbligato::unstable::gpu::{Inside, Limit, dispatches_of};
use obbligato::{
    Checker, Config, GpuConfig, Obb, Output, Report,
    report::{Engine, Stage},
};
use obbligato_verify::scenes::Scene;

use crate::support::application::Application;
use crate::support::gpu::{OUTPUTS, check, cpu, gpu, gpu_with};

fn inside(checker: &mut Checker) -> Inside<'_> {
    Inside::of(checker).expect("a checker on a GPU")
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
        Scene::Dense.generate(3000, 1),
        Scene::Bricks.generate(1500, 1),
        Scene::Coincident.generate(500, 1),
    ];
    for (name, settings) in [
        ("default", GpuConfig::default()),
        ("small", small),
        ("windows", windows),
    ] {
        for output in OUTPUTS {
            let mut checker = gpu(Config {
                output,
                gpu: settings.clone(),
                ..Config::default()
            });
            // Otherwise the time that submissions take decides how much memory they need.
            inside(&mut checker).set(Limit::RecordsOfSubmission(u32::MAX));
            let before = inside(&mut checker).buffers_made();
            // Twice: the windows of a first check need less memory than the one window of the
            // second.
            for boxes in scenes.iter().cycle().take(2 * scenes.len()) {
                check(&mut checker, "a GPU", boxes);
            }
            let grown = inside(&mut checker).buffers_made();
            assert!(grown > before, "{name}, {output:?}: the first checks need buffers");
            for boxes in scenes.iter().cycle().take(2 * scenes.len()) {
                check(&mut checker, "a GPU", boxes);
                assert_eq!(
                    inside(&mut checker).buffers_made(),
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
            let expected = check(&mut gpu(config.clone()), "a GPU", &boxes);
            let mut checker = gpu(config);
            for most in [150, 2000, expected.candidate_pairs as u32 - 1] {
                inside(&mut checker).set(Limit::Candidates(most));
                let found = check(&mut checker, "a GPU", &boxes);
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

#[track_caller]
fn expect_same(what: &str, expected: &Report, found: &Report, boxes: &[Obb]) {
    assert!(expected.pairs().ok() == found.pairs().ok(), "{what}: pairs");
    assert!(expected.degrees().ok() == found.degrees().ok(), "{what}: degrees");
    let totals = |report: &Report| (report.candidate_pairs, report.colliding_pairs, report.touching_pairs);
    assert_eq!(totals(expected), totals(found), "{what}: {} boxes", boxes.len());
}

#[test]
fn a_hundred_recorded_frames_wait_for_nothing_and_allocate_nothing() {
    let boxes = Scene::Dense.generate(2000, 4);
    let application = Application::new();
    for output in OUTPUTS {
        let config = Config {
            output,
            ..Config::default()
        };
        let mut checker = application.checker(config);
        let buffers = [0, 1].map(|_| application.boxes(&boxes));
        let mut encoder = application.encoder();
        let mut counted = None;
        for frame in 0..102 {
            // Two buffers in turn, as in applications that move boxes from one to the other.
            let query = FrameQuery::boxes(&buffers[frame % 2], boxes.len() as u32);
            let recorded = checker.record(&mut encoder, query).expect("a recorded frame");
            let inside = inside(checker.checker());
            let counts = (inside.buffers_made(), inside.submissions(), recorded.pairs.size());
            if frame >= 2 {
                assert_eq!(*counted.get_or_insert(counts), counts, "{output:?}, frame {frame}");
            }
            assert_eq!(counts.1, 0, "nothing is submitted, so there is nothing to wait for");
        }
        // All of the frames run, and the next check finds the correct pairs.
        application.queue.submit([encoder.finish()]);
        let report = check(checker.checker(), "after the frames", &boxes);
        assert!(inside(checker.checker()).submissions() > 0, "checks do submit");
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
        let mut checker = gpu(Config {
            output,
            ..Config::default()
        });
        // A slow machine must not divide the work into pieces.
        inside(&mut checker).set(Limit::RecordsOfSubmission(u32::MAX));
        let mut check = |call: usize| {
            let before = inside(&mut checker).submissions();
            check(&mut checker, "a GPU", &boxes);
            let submitted = inside(&mut checker).submissions() - before;
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
    let expected = check(&mut gpu(Config::default()), "a GPU", &boxes);
    for output in OUTPUTS {
        let config = Config {
            output,
            ..Config::default()
        };
        let whole = check(&mut gpu(config.clone()), "a GPU", &boxes);
        for records in [100, 2999, 3000] {
            let mut checker = gpu(config.clone());
            inside(&mut checker).set(Limit::RecordsOfSubmission(records));
            let found = check(&mut checker, "a GPU", &boxes);
            let submitted = inside(&mut checker).submissions();
            let least = 3000_usize.div_ceil(records as usize);
            assert!(submitted >= least, "{submitted} submissions");
            expect_same(&format!("{output:?}, {records} records"), &whole, &found, &boxes);
            assert_eq!(found.colliding_pairs, expected.colliding_pairs);
        }
    }
}

#[test]
fn the_device_cuts_the_first_submission_by_its_work() {
    let boxes = Scene::Mixed.generate(3000, 6);
    let mut checker = gpu(Config::default());
    let expected = check(&mut checker, "a GPU", &boxes);
    let work: f32 = expected.grid.iter().map(|level| level.expected_cost).sum();
    for (share, least, most) in [(1.1, 1, 1), (0.4, 2, 3000), (1e-9, 2, 3000)] {
        inside(&mut checker).set(Limit::WorkOfSubmission(f64::from(work) * share));
        let before = inside(&mut checker).submissions();
        let found = check(&mut checker, "a GPU", &boxes);
        let submitted = inside(&mut checker).submissions() - before;
        assert!(
            (least..=most).contains(&submitted),
            "{submitted} submissions of {share} of the work"
        );
        expect_same(&format!("{share} of the work"), &expected, &found, &boxes);
    }
}

#[test]
fn a_frame_matches_the_documentation() {
    let text = include_str!("../../docs/src/design/gpu-frames.md");
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
    let mut checker = gpu(Config::default());
    check(&mut checker, "a GPU", &boxes);
    let (report, dispatches) = dispatches_of(|| check(&mut checker, "a GPU", &boxes));
    let of = |names: &[&str]| dispatches.iter().filter(|name| names.contains(name)).count();
    let f64_stage = inside(&mut checker).has_f64();
    let stages: [(Stage, &[&str], u64); 6] = {
        let n = boxes.len() as u64;
        let (c, u) = (report.candidate_pairs, report.undecided_pairs);
        // With so few boxes the device decides all pairs.
        let (p, left) = (report.colliding_pairs, report.undecided_after_f64);
        assert_eq!(left, 0);
        let s: u64 = report.grid.iter().map(|level| u64::from(level.slots)).sum();
        [
            (Stage::Bounds, &["obb_bounds"], 80 * n),
            (
                Stage::Plan,
                &["group_sizes", "grid_probe", "choose_levels"],
                32 * (n / 4),
            ),
            (
                Stage::Sort,
                &["count_slots", "allocate_runs", "place_records"],
                104 * n + 24 * s,
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
fn loops_that_a_driver_limits_are_split() {
    // Plates in one cell. Few of them meet, those beside a thick one.
    let plate = |k: usize| {
        let thickness = if k.is_multiple_of(2000) { 1e-3 } else { 1e-6 };
        let center = Vec3::new(0.0, 0.0, 1.3e-5 * k as f32);
        Obb::axis_aligned(center, Vec3::new(0.5, 0.5, thickness))
    };
    let pile: Vec<Obb> = (0..5000).map(plate).collect();
    let expected = check(&mut cpu(Config::default()), "the CPU", &pile);
    assert!(expected.colliding_pairs > 50);
    // In one workgroup an invocation walks for many plates, in more iterations than Mesa's llvmpipe
    // allows.
    let [in_many, in_one] = [None, Some(1)].map(|workgroups| {
        let mut checker = gpu_with(GpuConfig {
            max_workgroups_per_dimension: workgroups,
            ..GpuConfig::default()
        });
        inside(&mut checker).set(Limit::RecordsOfSubmission(u32::MAX));
        let report = check(&mut checker, "a GPU", &pile);
        expect_same(&format!("workgroups: {workgroups:?}"), &expected, &report, &pile);
        let ends_loops = matches!(checker.engine(), Engine::Gpu { adapter, .. } if adapter.contains("llvmpipe"));
        (inside(&mut checker).submissions(), ends_loops)
    });
    assert_eq!(in_one.0 > in_many.0, in_one.1, "{in_one:?} and {in_many:?} submissions");
}

#[test]
fn bandwidth_needs_timestamps() {
    for timestamps in [true, false] {
        let mut checker = gpu_with(GpuConfig {
            timestamps,
            ..GpuConfig::default()
        });
        let measured = inside(&mut checker).memory_bandwidth().expect("the device works");
        assert_eq!(measured.is_some(), inside(&mut checker).has_timestamps());
        assert!(
            measured.is_none_or(|rate| rate.is_finite() && rate > 0.0),
            "{measured:?}"
        );
    }
}
