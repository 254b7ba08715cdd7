//! Tests of what only the inside of the GPU backend shows.

use std::cell::RefCell;
use std::sync::atomic::Ordering::Relaxed;

use super::GpuChecker;
use super::adapters::{Choice, choose};
use crate::scenes::Scene;
use crate::{Backend, Config, GpuConfig, Obb, Output, Report};

thread_local! {
    /// The kernels dispatched on this thread so far.
    pub(super) static DISPATCHES: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

const OUTPUTS: [Output; 3] = [Output::Pairs, Output::Degrees, Output::Count];

/// A checker on any adapter. Without one the test fails.
pub(super) fn checker(config: Config) -> GpuChecker {
    let config = Config {
        backend: Backend::Gpu,
        ..config
    };
    match pollster::block_on(choose(&config)) {
        Ok(Choice::Gpu(adapter, _)) => pollster::block_on(GpuChecker::open(&adapter, config)).expect("a checker"),
        Ok(Choice::Cpu(reason)) => panic!("this test needs a GPU adapter, a software one will do: {reason}"),
        Err(error) => panic!("this test needs a GPU adapter, a software one will do: {error}"),
    }
}

/// Buffers that checks have made so far.
fn buffers_made(checker: &GpuChecker) -> usize {
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
                checker.check(boxes).expect("a report");
            }
            let grown = buffers_made(&checker);
            assert!(grown > before, "{name}, {output:?}: the first checks need buffers");
            for boxes in scenes.iter().cycle().take(2 * scenes.len()) {
                checker.check(boxes).expect("a report");
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
            let expected = checker(config.clone()).check(&boxes).expect("a report");
            for most in [150, 2000, expected.candidate_pairs as u32 - 1] {
                let mut checker = checker(config.clone());
                checker.pipeline.as_mut().expect("a pipeline").most_candidates = most;
                let found = checker.check(&boxes).expect("a report");
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
    assert!(expected.pairs() == found.pairs(), "{what}: pairs");
    assert!(expected.degrees() == found.degrees(), "{what}: degrees");
    let totals = |report: &Report| (report.candidate_pairs, report.colliding_pairs, report.touching_pairs);
    assert_eq!(totals(expected), totals(found), "{what}: {} boxes", boxes.len());
}
