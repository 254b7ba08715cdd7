//! Scenes whose arrays take more than one binding: cut at critical places, they are checked whole
//! and lose nothing.

use obbligato::Query;
use obbligato::gpu::FrameQuery;
use obbligato::gpu::{Capacity, Outcome};
use obbligato::{Checker, Config, GpuConfig, Obb, Output, Pair, Report, report::Stage, shape::Aabb, wgpu};
use obbligato_verify::reference::overlapping_bounds;
use obbligato_verify::scenes::Scene;

use crate::support::gpu::{OUTPUTS, check, cpu, cpu_pairs, expect_output, expect_pairs, expect_same, gpu, gpu_checker};

/// The size of a binding, and the number of records that fit.
const BYTES: u64 = 1 << 16;
const BOXES: usize = 1344;
const BOUNDS: usize = 2048;
/// The grid's slots, which are in one binding only, suffice for this many boxes.
const MOST: usize = 3840;

/// Just below, at and above each boundary.
const COUNTS: [usize; 12] = [
    BOXES - 1,
    BOXES,
    BOXES + 1,
    BOUNDS - 1,
    BOUNDS,
    BOUNDS + 1,
    BOUNDS + 2,
    2 * BOXES - 1,
    2 * BOXES,
    2 * BOXES + 1,
    MOST - 1,
    MOST,
];

fn settings() -> GpuConfig {
    GpuConfig {
        max_buffer_bytes: Some(BYTES),
        ..GpuConfig::default()
    }
}

/// Settings with these limits, and without the features that an adapter need not have.
fn all_settings() -> [(&'static str, GpuConfig); 3] {
    let plain = GpuConfig {
        subgroups: false,
        shader_f64: false,
        ..settings()
    };
    let checked = GpuConfig {
        shader_checks: true,
        ..settings()
    };
    [("default", settings()), ("plain", plain), ("shader checks", checked)]
}

fn config(gpu: GpuConfig, output: Output) -> Config {
    Config {
        gpu,
        output,
        ..Config::default()
    }
}

#[track_caller]
fn expect_whole(what: &str, report: &Report) {
    let in_parts = report.timings.wall.iter().any(|(step, _)| *step == Stage::Parts);
    assert!(!in_parts, "{what}: in parts");
}

#[test]
fn whole_scenes_are_as_large_as_their_arrays_allow() {
    let checker = gpu(config(settings(), Output::Pairs));
    assert_eq!(checker.memory_estimate(MOST, 0).parts, 1);
    assert!(checker.memory_estimate(MOST + 1, 0).parts > 1);
    for boxes in [BOXES, BOXES + 1, BOUNDS + 1, MOST] {
        let estimate = checker.memory_estimate(boxes, 0);
        assert!(estimate.largest_buffer_bytes <= BYTES, "{boxes} boxes: {estimate:?}");
    }
}

#[test]
fn every_border_with_every_output() {
    let scenes = COUNTS.map(|count| {
        let boxes = Scene::Dense.generate(count, count as u64);
        (count, cpu_pairs(&boxes), boxes)
    });
    for (name, settings) in all_settings() {
        for output in OUTPUTS {
            // Larger and smaller counts in turn, because buffers are kept.
            let mut checker = gpu(config(settings.clone(), output));
            for (count, pairs, boxes) in scenes.iter().chain(scenes.iter().rev().step_by(3)) {
                let what = format!("{count} boxes, {output:?}, {name}");
                let report = check(&mut checker, &what, boxes);
                expect_whole(&what, &report);
                expect_output(&what, output, boxes, pairs, &report);
                assert!(
                    report.colliding_pairs as usize > *count,
                    "{what}: a scene with few pairs shows little"
                );
            }
        }
    }
}

#[test]
fn one_box_too_many_is_checked_in_parts() {
    let boxes = Scene::Dense.generate(MOST + 1, 1);
    let report = check(&mut gpu(config(settings(), Output::Pairs)), "parts", &boxes);
    assert!(report.timings.wall.iter().any(|(step, _)| *step == Stage::Parts));
    expect_pairs("parts", &cpu_pairs(&boxes), report.pairs().expect("asked for"));
}

#[test]
fn other_scenes_and_all_stages() {
    let all = |gpu| Config {
        list_touching: true,
        count_operations: true,
        gpu,
        ..Config::default()
    };
    // Bricks are decided in f64 or on the host, and giants have more partners than an invocation
    // keeps.
    let mut checkers = all_settings().map(|(name, settings)| (name, gpu(all(settings))));
    for scene in [Scene::Bricks, Scene::Mixed, Scene::Giants, Scene::Coincident] {
        let count = if scene == Scene::Coincident { BOUNDS + 100 } else { MOST };
        let boxes = scene.generate(count, 5);
        let expected = check(&mut cpu(all(settings())), "the CPU", &boxes);
        for (name, checker) in &mut checkers {
            let what = format!("{scene}, {name}");
            let report = check(checker, &what, &boxes);
            expect_whole(&what, &report);
            expect_same(&what, &expected, &report);
        }
    }
}

#[test]
fn margins_reach_into_other_segments() {
    let near = |gpu| Config {
        margin: 0.1,
        gpu,
        ..Config::default()
    };
    let boxes = Scene::Uniform.generate(MOST, 11);
    let expected = check(&mut cpu(near(settings())), "the CPU", &boxes);
    assert!(expected.colliding_pairs as usize > cpu_pairs(&boxes).len());
    for (name, settings) in all_settings() {
        let report = check(&mut gpu(near(settings)), name, &boxes);
        expect_whole(name, &report);
        expect_same(name, &expected, &report);
    }
}

#[test]
fn given_pairs_name_boxes_of_all_segments() {
    let boxes = Scene::Dense.generate(MOST, 6);
    let expected = cpu_pairs(&boxes);
    let others = (0..MOST as u32 - 1).map(|a| Pair::new(a, (a * 7 + 1) % MOST as u32));
    let mut pairs: Vec<Pair> = expected
        .iter()
        .copied()
        .chain(others.filter(|pair| pair.a != pair.b))
        .collect();
    pairs.sort();
    pairs.dedup();
    let mut checker = gpu(config(settings(), Output::Pairs));
    let report = checker.check(Query::pairs(&boxes, &pairs)).expect("a report");
    expect_pairs("given pairs", &expected, report.pairs().expect("asked for"));
}

#[test]
fn bounds_of_all_segments() {
    let scenes = [BOUNDS - 1, BOUNDS, BOUNDS + 1, 2 * BOXES, 2 * BOXES + 1, MOST].map(|count| {
        let boxes = Scene::Mixed.generate(count, count as u64);
        let bounds: Vec<Aabb> = boxes.iter().map(Obb::bounds).collect();
        (boxes, overlapping_bounds(&bounds), bounds)
    });
    for (name, settings) in all_settings() {
        for output in OUTPUTS {
            let mut checker = gpu(config(settings.clone(), output));
            for (boxes, pairs, bounds) in &scenes {
                let what = format!("{} bounds, {output:?}, {name}", bounds.len());
                let report = checker.check(Query::from(bounds)).expect("a report");
                expect_whole(&what, &report);
                expect_output(&what, output, boxes, pairs, &report);
            }
        }
    }
}

#[test]
fn bad_boxes_of_all_segments_are_named() {
    let mut checker = gpu(config(settings(), Output::Pairs));
    for place in [0, BOXES - 1, BOXES, 2 * BOXES - 1, 2 * BOXES, MOST - 1] {
        let mut boxes = Scene::Uniform.generate(MOST, 7);
        boxes[place].center.z = f32::NAN;
        match checker.check(&boxes) {
            Err(obbligato::Error::InvalidBox { index, count: 1, .. }) => assert_eq!(index, place),
            other => panic!("{place}: {other:?}"),
        }
    }
}

/// The pairs of boxes and movers that the CPU finds.
fn pairs_against(boxes: &[Obb], movers: &[Obb]) -> Vec<Pair> {
    let mut checker = cpu(Config::default());
    let scene = checker.prepare(boxes).expect("a scene");
    checker
        .check(Query::against(&scene, movers))
        .expect("a report")
        .into_pairs()
        .expect("asked for")
}

#[test]
fn movers_and_boxes_at_rest_have_separate_segments() {
    let all = Scene::Dense.generate(MOST, 9);
    let pairs_of_all = cpu_pairs(&all);
    for (name, settings) in all_settings() {
        for output in OUTPUTS {
            let mut checker: Checker = gpu(config(settings.clone(), output));
            for (resting, moving) in [(BOXES, BOXES), (BOXES, 1), (3, BOXES), (BOXES - 1, BOXES - 1)] {
                let what = format!("{moving} against {resting}, {output:?}, {name}");
                let boxes = Scene::Mixed.generate(resting + moving, 8);
                let (boxes, movers) = boxes.split_at(resting);
                let scene = checker.prepare(boxes).expect("a scene");
                let report = checker.check(Query::against(&scene, movers)).expect("a report");
                let expected = pairs_against(boxes, movers);
                assert_eq!(report.colliding_pairs as usize, expected.len(), "{what}");
                match output {
                    Output::Pairs => expect_pairs(&what, &expected, report.pairs().expect("asked for")),
                    Output::Degrees => {
                        let mut degrees = vec![0; movers.len()];
                        expected.iter().for_each(|pair| degrees[pair.b as usize] += 1);
                        assert!(report.degrees().expect("asked for") == degrees, "{what}");
                    }
                    Output::Count => {}
                }
                // Whole scenes in between use the other segments.
                expect_output(&what, output, &all, &pairs_of_all, &check(&mut checker, &what, &all));
            }
        }
    }
}

/// The device of the tests, and operations of an application on it.
struct Application {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Application {
    fn new() -> Self {
        let checker = gpu_checker(Config::default());
        let (device, queue) = (checker.device().clone(), checker.queue().clone());
        Self { device, queue }
    }

    fn buffer(&self, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("the application's"),
            size,
            usage: usage | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// A buffer with these records and invalid ones after them.
    fn records<T: bytemuck::Pod>(&self, records: &[T]) -> wgpu::Buffer {
        let mut bytes: Vec<u8> = bytemuck::cast_slice(records).to_vec();
        bytes.extend([0xff; 100]);
        let buffer = self.buffer(bytes.len() as u64, wgpu::BufferUsages::STORAGE);
        self.queue.write_buffer(&buffer, 0, &bytes);
        buffer
    }

    /// The contents of buffers after all recorded commands.
    fn read<T: bytemuck::Pod>(&self, mut encoder: wgpu::CommandEncoder, source: &[&wgpu::Buffer]) -> Vec<Vec<T>> {
        let copies: Vec<_> = source
            .iter()
            .map(|source| {
                let copy = self.buffer(source.size(), wgpu::BufferUsages::MAP_READ);
                encoder.copy_buffer_to_buffer(source, 0, &copy, 0, source.size());
                copy
            })
            .collect();
        self.queue.submit([encoder.finish()]);
        let read = |copy: &wgpu::Buffer| {
            copy.map_async(wgpu::MapMode::Read, .., |result| result.expect("a mapped buffer"));
            self.device.poll(wgpu::PollType::wait_indefinitely()).expect("an end");
            bytemuck::pod_collect_to_vec(&copy.get_mapped_range(..).expect("a mapped range"))
        };
        copies.iter().map(read).collect()
    }

    /// Records something, runs it, and returns its pairs, with the undecided ones decided by
    /// `collides`.
    fn pairs(
        &self,
        record: impl FnOnce(&mut wgpu::CommandEncoder) -> obbligato::Result<obbligato::gpu::Recorded>,
        collides: impl Fn(&Pair) -> bool,
    ) -> Vec<Pair> {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let recorded = record(&mut encoder).expect("a recorded frame");
        let words = self.read::<u32>(encoder, &[&recorded.outcome, &recorded.pairs, &recorded.undecided]);
        let outcome: Outcome = bytemuck::cast_slice(&words[0])[0];
        assert_eq!(outcome.fits, 1, "{outcome:?}");
        let list = |words: &[u32], count: u32| bytemuck::cast_slice::<_, Pair>(words)[..count as usize].to_vec();
        let mut pairs = list(&words[1], outcome.pairs);
        pairs.extend(list(&words[2], outcome.undecided).into_iter().filter(collides));
        pairs.sort();
        pairs
    }
}

#[test]
fn recorded_frames_read_segments_of_one_buffer() {
    let application = Application::new();
    for (name, settings) in all_settings() {
        let mut checker = gpu_checker(config(settings, Output::Pairs));
        for count in COUNTS {
            let what = format!("{count} boxes, {name}");
            let boxes = Scene::Uniform.generate(count, count as u64);
            let buffer = application.records(&boxes);
            let found = application.pairs(
                |encoder| checker.record(encoder, FrameQuery::boxes(&buffer, count as u32)),
                |pair| boxes[pair.a as usize].contact(&boxes[pair.b as usize]).collides(),
            );
            expect_pairs(&what, &cpu_pairs(&boxes), &found);

            let bounds: Vec<Aabb> = boxes.iter().map(Obb::bounds).collect();
            let buffer = application.records(&bounds);
            let found = application.pairs(
                |encoder| checker.record(encoder, FrameQuery::bounds(&buffer, count as u32)),
                |_| unreachable!("bounds leave nothing undecided"),
            );
            expect_pairs(&format!("{what}, bounds"), &overlapping_bounds(&bounds), &found);
        }
        // One frame more than are kept, in buffers with enough capacity.
        checker
            .reserve(Capacity {
                boxes: MOST as u32,
                ..Capacity::default()
            })
            .expect("room");
        let error = checker.record(
            &mut application.device.create_command_encoder(&Default::default()),
            FrameQuery::boxes(
                &application.records(&Scene::Uniform.generate(MOST + 1, 1)),
                MOST as u32 + 1,
            ),
        );
        assert!(
            matches!(error, Err(obbligato::Error::LimitExceeded { .. })),
            "{name}: {error:?}"
        );
    }
}

#[test]
fn recorded_movers_and_boxes_at_rest_have_separate_segments() {
    let application = Application::new();
    for (name, settings) in all_settings() {
        let mut checker = gpu_checker(config(settings, Output::Pairs));
        let boxes = Scene::Mixed.generate(2 * BOXES, 10);
        let (resting, movers) = boxes.split_at(BOXES);
        let scene = checker.checker().prepare(resting).expect("a scene");
        let buffer = application.records(movers);
        let found = application.pairs(
            |encoder| checker.record(encoder, FrameQuery::against(&scene, &buffer, BOXES as u32)),
            |pair| resting[pair.a as usize].contact(&movers[pair.b as usize]).collides(),
        );
        expect_pairs(name, &pairs_against(resting, movers), &found);
    }
}
