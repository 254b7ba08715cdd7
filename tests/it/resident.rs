//! Frames recorded into the caller's encoder: the same results as a check, without a wait, in the
//! caller's order.

mod buffers;
mod movers_and_bounds;

use obbligato::gpu::FrameQuery;
use obbligato::{Config, GpuConfig, Obb, Output, Pair, Precision, wgpu};
use obbligato::{
    GpuChecker,
    gpu::{Capacity, Outcome, Recorded},
};
use obbligato_verify::reference::colliding_pairs;
use obbligato_verify::scenes::Scene;

use crate::support::application::Application;
use crate::support::gpu::{OUTPUTS, cpu, cpu_pairs, expect_pairs};

/// Capacity for every frame here.
const ROOM: Capacity = Capacity {
    boxes: 5000,
    candidates: 600_000,
    pairs: 600_000,
    undecided: 50_000,
};

/// Copies of the results of a frame.
struct Copies {
    outcome: wgpu::Buffer,
    pairs: wgpu::Buffer,
    undecided: wgpu::Buffer,
    degrees: wgpu::Buffer,
}

/// The results of a frame.
struct Frame {
    outcome: Outcome,
    pairs: Vec<Pair>,
    undecided: Vec<Pair>,
    degrees: Vec<u32>,
}

impl Copies {
    fn of(application: &Application, encoder: &mut wgpu::CommandEncoder, recorded: &Recorded) -> Self {
        Self {
            outcome: application.copy(encoder, &recorded.outcome),
            pairs: application.copy(encoder, &recorded.pairs),
            undecided: application.copy(encoder, &recorded.undecided),
            degrees: application.copy(encoder, &recorded.degrees),
        }
    }

    fn read(&self, application: &Application) -> Frame {
        let outcome: Outcome = application.read(&self.outcome)[0];
        let first = |buffer, count: u32| {
            let mut pairs = application.read::<Pair>(buffer);
            pairs.truncate(count as usize);
            pairs.sort();
            pairs
        };
        Frame {
            pairs: first(&self.pairs, outcome.pairs),
            undecided: first(&self.undecided, outcome.undecided),
            degrees: application.read(&self.degrees),
            outcome,
        }
    }
}

/// Records one frame, runs it, and reads everything.
fn run(application: &Application, checker: &mut GpuChecker, boxes: &[Obb]) -> Frame {
    let mut encoder = application.encoder();
    let buffer = application.boxes(boxes);
    let recorded = checker
        .record(&mut encoder, FrameQuery::boxes(&buffer, boxes.len() as u32))
        .expect("a recorded frame");
    let copies = Copies::of(application, &mut encoder, &recorded);
    application.queue.submit([encoder.finish()]);
    copies.read(application)
}

/// The pairs of a frame, with those of the undecided ones that collide.
fn decided(frame: &Frame, boxes: &[Obb]) -> Vec<Pair> {
    let collides = |pair: &&Pair| boxes[pair.a as usize].contact(&boxes[pair.b as usize]).collides();
    let mut pairs = frame.pairs.clone();
    pairs.extend(frame.undecided.iter().filter(collides));
    pairs.sort();
    pairs
}

#[test]
fn frames_have_margins() {
    let application = Application::new();
    let config = Config {
        margin: 0.4,
        ..Config::default()
    };
    let mut checker = application.checker(config.clone());
    checker.reserve(ROOM).expect("room");
    let boxes = Scene::Crowd.generate(3_000, 5);
    let expected = cpu(config).check(&boxes).expect("valid boxes");
    let frame = run(&application, &mut checker, &boxes);
    assert_eq!(frame.outcome.fits, 1);
    let within = |pair: &&Pair| boxes[pair.a as usize].distance(&boxes[pair.b as usize]) <= f64::from(0.4f32);
    let mut pairs = frame.pairs.clone();
    pairs.extend(frame.undecided.iter().filter(within));
    pairs.sort();
    assert!(expected.near_pairs > Some(1_000), "{:?}", expected.near_pairs);
    expect_pairs("a frame with a margin", expected.pairs().expect("asked for"), &pairs);
}

#[test]
fn e7_frames_match_checks() {
    let application = Application::new();
    let mut left_to_the_host = 0;
    for output in OUTPUTS {
        let mut checker = application.checker(Config {
            output,
            ..Config::default()
        });
        checker.reserve(ROOM).expect("room");
        for scene in Scene::ALL {
            let boxes = scene.generate(3000, 5);
            let frame = run(&application, &mut checker, &boxes);
            let expected = cpu_pairs(&boxes);
            let what = format!("{scene}, {output:?}");
            assert_eq!(frame.outcome.fits, 1, "{what}: {:?}", frame.outcome);
            let is_all = frame.undecided.is_empty();
            assert_eq!(frame.outcome.complete == 1, is_all, "{what}: {:?}", frame.outcome);
            left_to_the_host += usize::from(!is_all);
            let left = decided(
                &Frame {
                    pairs: Vec::new(),
                    undecided: frame.undecided.clone(),
                    degrees: Vec::new(),
                    outcome: frame.outcome,
                },
                &boxes,
            );
            let total = frame.outcome.pairs_needed as usize + left.len();
            assert_eq!(total, expected.len(), "{what}: {:?}", frame.outcome);
            let mut degrees = obbligato::report::degrees(boxes.len(), &expected);
            left.iter()
                .flat_map(|pair| [pair.a, pair.b])
                .for_each(|id| degrees[id as usize] -= 1);
            match output {
                Output::Pairs => expect_pairs(&what, &expected, &decided(&frame, &boxes)),
                Output::Degrees => assert!(frame.degrees[..boxes.len()] == degrees, "{what}"),
                Output::Count => assert_eq!(frame.outcome.pairs, 0, "{what}"),
            }
        }
    }
    // Bricks and other scenes have boxes that touch, which no shader decides.
    assert!(
        left_to_the_host > 1,
        "{left_to_the_host} frames leave pairs to the host"
    );
}

/// Of random boxes, shaders decide all pairs in f64, and all but a few in f32.
#[test]
fn e7_frames_of_random_boxes_are_complete() {
    let application = Application::new();
    let mut checker = application.checker(Config::default());
    let has_f64 = application.device.features().contains(wgpu::Features::SHADER_F64);
    for scene in [Scene::Uniform, Scene::Dense] {
        let boxes = scene.generate(1000, 1);
        let frame = run(&application, &mut checker, &boxes);
        let undecided = frame.outcome.undecided;
        assert_eq!(frame.outcome.fits, 1, "{scene}");
        assert_eq!(frame.outcome.complete == 1, undecided == 0, "{scene}");
        assert!(
            undecided <= if has_f64 { 0 } else { 5 },
            "{scene}: {undecided} undecided"
        );
        expect_pairs(scene.name(), &colliding_pairs(&boxes), &decided(&frame, &boxes));
    }
}

#[test]
fn settings_change_no_results() {
    let application = Application::new();
    let boxes = Scene::Mixed.generate(4000, 6);
    let expected = cpu_pairs(&boxes);
    let few = GpuConfig {
        max_workgroups_per_dimension: Some(3),
        ..GpuConfig::default()
    };
    let plain = GpuConfig {
        subgroups: false,
        shader_f64: false,
        shader_checks: true,
        ..GpuConfig::default()
    };
    for gpu in [few, plain] {
        let mut checker = application.checker(Config {
            gpu,
            ..Config::default()
        });
        let frame = run(&application, &mut checker, &boxes);
        expect_pairs("mixed", &expected, &decided(&frame, &boxes));
    }
    for precision in [Precision::Fast, Precision::Conservative] {
        let mut checker = application.checker(Config {
            precision,
            ..Config::default()
        });
        let frame = run(&application, &mut checker, &boxes);
        let outcome = frame.outcome;
        assert_eq!((outcome.undecided, outcome.fits, outcome.complete), (0, 1, 1));
        let report = checker.checker().check(&boxes).expect("a report");
        expect_pairs("no exactness", report.pairs().expect("asked for"), &frame.pairs);
    }
}

#[test]
fn overflow_is_reported_and_then_fits() {
    let application = Application::new();
    for (scene, room) in [(Scene::Dense, 10), (Scene::Bricks, 1), (Scene::Coincident, 0)] {
        let boxes = scene.generate(1200, 7);
        let expected = cpu_pairs(&boxes);
        let mut checker = application.checker(Config {
            gpu: GpuConfig {
                initial_candidates: room,
                initial_pairs: room,
                ..GpuConfig::default()
            },
            ..Config::default()
        });
        let mut frame = run(&application, &mut checker, &boxes);
        assert_eq!(frame.outcome.fits, 0, "{scene}: {:?}", frame.outcome);
        expect_part(&expected, &frame, &boxes);
        // The first pass reserves memory for the candidates, the second for the results that follow
        // from them.
        for _ in 0..2 {
            checker
                .reserve(Capacity {
                    boxes: boxes.len() as u32,
                    candidates: frame.outcome.candidates_needed,
                    pairs: frame.outcome.pairs_needed,
                    undecided: frame.outcome.undecided_needed,
                })
                .expect("room");
            frame = run(&application, &mut checker, &boxes);
            expect_part(&expected, &frame, &boxes);
        }
        assert_eq!(frame.outcome.fits, 1, "{scene}: {:?}", frame.outcome);
        expect_pairs(scene.name(), &expected, &decided(&frame, &boxes));
    }
}

/// Asserts that every pair found is correct.
#[track_caller]
fn expect_part(expected: &[Pair], frame: &Frame, boxes: &[Obb]) {
    let found = decided(frame, boxes);
    assert!(found.windows(2).all(|two| two[0] < two[1]), "each once");
    assert!(
        found.iter().all(|pair| expected.binary_search(pair).is_ok()),
        "true pairs"
    );
}

#[test]
fn frames_of_all_sizes_go_into_one_submission() {
    let application = Application::new();
    let mut checker = application.checker(Config::default());
    let scenes: Vec<Vec<Obb>> = [0, 1, 700, 3000, 2, 1500, 3000, 64, 65, 900, 33, 2048]
        .into_iter()
        .enumerate()
        .map(|(k, count)| Scene::Dense.generate(count, k as u64))
        .collect();
    checker.reserve(ROOM).expect("room");
    let mut encoder = application.encoder();
    let frames: Vec<_> = scenes
        .iter()
        .map(|boxes| {
            let buffer = application.boxes(boxes);
            let recorded = checker
                .record(&mut encoder, FrameQuery::boxes(&buffer, boxes.len() as u32))
                .expect("a recorded frame");
            Copies::of(&application, &mut encoder, &recorded)
        })
        .collect();
    application.queue.submit([encoder.finish()]);
    for (boxes, copies) in scenes.iter().zip(frames) {
        let frame = copies.read(&application);
        let what = format!("{} boxes", boxes.len());
        assert_eq!(frame.outcome.fits, 1, "{what}: {:?}", frame.outcome);
        expect_pairs(&what, &cpu_pairs(boxes), &decided(&frame, boxes));
    }
}

#[test]
fn checks_and_frames_do_not_disturb_each_other() {
    let application = Application::new();
    let mut checker = application.checker(Config::default());
    checker.reserve(ROOM).expect("room");
    for seed in 0..4 {
        let (one, other) = (Scene::Dense.generate(1500, seed), Scene::Bricks.generate(900, seed));
        let report = checker.checker().check(&one).expect("a report");
        expect_pairs("a check", &cpu_pairs(&one), report.pairs().expect("asked for"));
        let frame = run(&application, &mut checker, &other);
        expect_pairs("a frame", &cpu_pairs(&other), &decided(&frame, &other));
    }
}

#[test]
fn bad_boxes_are_counted() {
    let application = Application::new();
    let mut checker = application.checker(Config::default());
    let mut boxes = Scene::Uniform.generate(500, 9);
    boxes[17].center.x = f32::NAN;
    boxes[400].half_extents.y = -1.0;
    let frame = run(&application, &mut checker, &boxes);
    assert_eq!((frame.outcome.suspects, frame.outcome.fits), (2, 0));
}

#[test]
fn larger_frames_keep_the_buffers_of_earlier_ones() {
    let application = Application::new();
    let mut checker = application.checker(Config::default());
    let scenes = [20, 400, 3000].map(|count| Scene::Uniform.generate(count, 13));
    let mut encoder = application.encoder();
    // No capacity was reserved: each frame makes larger buffers while the previous one has not run
    // yet.
    let frames: Vec<_> = scenes
        .iter()
        .map(|boxes| {
            let buffer = application.boxes(boxes);
            let recorded = checker
                .record(&mut encoder, FrameQuery::boxes(&buffer, boxes.len() as u32))
                .expect("a recorded frame");
            Copies::of(&application, &mut encoder, &recorded)
        })
        .collect();
    application.queue.submit([encoder.finish()]);
    for (boxes, copies) in scenes.iter().zip(frames) {
        let frame = copies.read(&application);
        assert_eq!(frame.outcome.fits, 1, "{:?}", frame.outcome);
        expect_pairs("a frame", &cpu_pairs(boxes), &decided(&frame, boxes));
    }
}
