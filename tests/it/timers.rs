//! GPU times: of checks, and of frames that stay on the GPU.

use std::collections::BTreeMap;

use obbligato::unstable::gpu::{After, Inside, dispatches_of};
use obbligato::{Config, Error, GpuConfig, report::Stage, wgpu};
use obbligato::{
    GpuChecker,
    gpu::{FrameQuery, FrameTimer, FrameTimings, Recorded, TimedBy, required_features, required_limits},
};
use obbligato_verify::scenes::Scene;

use crate::support::application::Application;
use crate::support::gpu::{adapter, cpu_pairs, device, gpu};

const BOXES: u32 = 2000;

/// An application on a device with timestamps, also between passes if requested and supported by
/// the adapter.
fn application(between_passes: bool) -> Option<Application> {
    let mut features = required_features(&adapter());
    if !between_passes {
        features = features - wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS;
    }
    let supported = features.contains(wgpu::Features::TIMESTAMP_QUERY);
    supported.then(|| Application::on(device(features, required_limits(&adapter()))))
}

/// Records this many frames, each timed, and returns their times.
fn timed(
    application: &Application,
    checker: &mut GpuChecker,
    (by, frames): (TimedBy, usize),
) -> (FrameTimings, Vec<&'static str>, Recorded) {
    let boxes = application.boxes(&Scene::Dense.generate(BOXES as usize, 5));
    let timer = checker.timer(by).expect("a timer");
    let mut encoder = application.encoder();
    let record = || {
        let query = FrameQuery::boxes(&boxes, BOXES).timed(&timer);
        let mut record = |_| checker.record(&mut encoder, query).expect("a recorded frame");
        (0..frames).map(&mut record).last().expect("a frame")
    };
    let (recorded, dispatches) = dispatches_of(record);
    application.queue.submit([encoder.finish()]);
    (checker.timings(&timer).expect("times"), dispatches, recorded)
}

#[test]
fn every_kernel_of_a_frame_has_its_time() {
    for between_passes in [true, false] {
        let Some(application) = application(between_passes) else {
            return;
        };
        let mut checker = application.checker(Config::default());
        let (timings, dispatches, recorded) = timed(&application, &mut checker, (TimedBy::Kernel, 3));
        let mut calls = BTreeMap::new();
        dispatches
            .iter()
            .for_each(|kernel| *calls.entry(*kernel).or_insert(0) += 1);
        let found = timings.kernels.iter().map(|kernel| (kernel.kernel, kernel.calls));
        assert_eq!(found.collect::<BTreeMap<_, _>>(), calls);
        // The first frame has no plan to keep, and so no counts to discard.
        assert_eq!(calls.remove("discard_counts"), Some(2));
        assert!(calls.len() > 8 && calls.values().all(|calls| *calls == 3), "{calls:?}");

        assert_eq!(timings.frames.len(), 3);
        let (kernels, frames): (f64, f64) = (
            timings.kernels.iter().map(|kernel| kernel.time).sum(),
            timings.frames.iter().sum(),
        );
        assert!(kernels > 0.0 && kernels <= frames * (1.0 + 1e-9), "{timings:?}");
        assert!(
            (kernels + timings.other() - frames).abs() <= 1e-9 * frames,
            "{timings:?}"
        );
        assert!(timings.total >= frames * (1.0 - 1e-9), "{timings:?}");
        let of = |kernel: &str| {
            timings
                .kernels
                .iter()
                .find(|other| other.kernel == kernel)
                .map(|kernel| kernel.stage)
        };
        assert_eq!(
            (of("grid_pairs"), of("finish")),
            (Some(Stage::Pairs), Some(Stage::Other))
        );

        // A timer changes no result.
        let boxes = Scene::Dense.generate(BOXES as usize, 5);
        let outcome: obbligato::gpu::Outcome = checker.read(&recorded.outcome, 1).expect("an outcome")[0];
        assert_eq!((outcome.fits, outcome.undecided), (1, 0));
        assert_eq!(outcome.pairs as usize, cpu_pairs(&boxes).len());
    }
}

#[test]
fn frames_have_a_time_without_their_kernels() {
    for between_passes in [true, false] {
        let Some(application) = application(between_passes) else {
            return;
        };
        let mut checker = application.checker(Config::default());
        let (timings, ..) = timed(&application, &mut checker, (TimedBy::Frame, 2));
        assert_eq!((timings.kernels.len(), timings.frames.len()), (0, 2));
        assert!(timings.frames.iter().all(|time| *time > 0.0), "{timings:?}");
        // Each time is rounded, and there may be none between frames.
        let frames: f64 = timings.frames.iter().sum();
        assert!(
            timings.between() >= 0.0 && timings.total >= frames * (1.0 - 1e-9),
            "{timings:?}"
        );
    }
}

#[test]
fn a_timer_is_reusable_and_reports_when_it_is_full() {
    let Some(application) = application(true) else {
        return;
    };
    let mut checker = application.checker(Config::default());
    let boxes = application.boxes(&Scene::Uniform.generate(10, 5));
    for (by, most) in [(TimedBy::Frame, 64), (TimedBy::Kernel, 21)] {
        let timer = checker.timer(by).expect("a timer");
        assert_eq!(checker.timings(&timer).expect("no times"), FrameTimings::default());
        let query = FrameQuery::boxes(&boxes, 10).timed(&timer);
        for _ in 0..2 {
            let mut encoder = application.encoder();
            for _ in 0..most {
                checker.record(&mut encoder, query).expect("a recorded frame");
            }
            let more = checker.record(&mut application.encoder(), query);
            let Err(Error::LimitExceeded { needed, available, .. }) = more else {
                panic!("{more:?}");
            };
            assert_eq!((needed, available), (most + 1, most));
            application.queue.submit([encoder.finish()]);
            let timings = checker.timings(&timer).expect("times");
            assert_eq!(timings.frames.len() as u64, most);
            assert!(timings.frames.iter().all(|time| *time > 0.0), "{timings:?}");
        }
    }

    // A frame that was never submitted is not waited for.
    let timer = checker.timer(TimedBy::Kernel).expect("a timer");
    let query = FrameQuery::boxes(&boxes, 10).timed(&timer);
    let mut encoder = application.encoder();
    checker.record(&mut encoder, query).expect("a recorded frame");
    let timings = checker.timings(&timer).expect("times");
    assert_eq!((timings.total, &timings.frames[..]), (0.0, &[0.0][..]));

    expect_unavailable(&application, &timer, query);
}

/// Asserts that a checker on another device, and one without timestamps, times no frames.
fn expect_unavailable(application: &Application, timer: &FrameTimer, query: FrameQuery<'_>) {
    // The timer's device is gone, or is another one.
    let other = self::application(true).expect("there was one");
    let mut others = other.checker(Config::default());
    let foreign = others.record(&mut other.encoder(), query);
    assert!(
        matches!(
            foreign,
            Err(Error::Unavailable {
                what: "the time of a frame",
                ..
            })
        ),
        "{foreign:?}"
    );
    assert!(matches!(others.timings(timer), Err(Error::Unavailable { .. })));

    let without = Config {
        gpu: GpuConfig {
            timestamps: false,
            ..GpuConfig::default()
        },
        ..Config::default()
    };
    let none = application.checker(without).timer(TimedBy::Frame);
    assert!(
        matches!(
            none,
            Err(Error::Unavailable {
                what: "the time of a frame",
                ..
            })
        ),
        "{none:?}"
    );
}

#[test]
fn work_after_each_frame_is_timed_between_frames() {
    let mut checker = gpu(Config::default());
    let boxes = Scene::Dense.generate(BOXES as usize, 5);
    let mut inside = Inside::of(&mut checker).expect("a GPU");
    if !inside.has_timestamps() {
        return;
    }
    let buffer = inside.upload(&boxes).expect("a buffer");
    let query = FrameQuery::boxes(&buffer, BOXES);
    let mut between = |after| {
        let run = |_| {
            let frames = inside.time_frames(query, 4, TimedBy::Frame, after).expect("frames");
            frames.timings.expect("times").between()
        };
        (0..3).map(run).fold(f64::INFINITY, f64::min)
    };
    let contacts = between(After::Contacts(100_000));
    let closest = between(After::ClosestPoints);
    assert!(contacts > 0.0 && closest > 0.0);
}

#[test]
fn the_stages_of_a_check_add_up_to_its_time() {
    let mut checker = gpu(Config::default());
    let boxes = Scene::Uniform.generate(5000, 5);
    if !Inside::of(&mut checker).expect("a GPU").has_timestamps() {
        return;
    }
    for _ in 0..3 {
        let timings = checker.check(&boxes).expect("valid boxes").timings;
        let sum: f64 = timings.gpu.iter().map(|(_, time)| time).sum();
        let wall = timings.wall_of(Stage::Gpu).expect("a time");
        assert!(sum > 0.0 && sum <= wall * (1.0 + 1e-9), "{timings:?}");
        let other = timings.gpu.iter().find(|(stage, _)| *stage == Stage::Other);
        assert!(other.is_some_and(|(_, time)| *time > 0.0), "{timings:?}");
        assert!(timings.gpu.iter().all(|(_, time)| *time >= 0.0), "{timings:?}");
    }
}
