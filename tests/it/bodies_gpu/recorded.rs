//! Frames of bodies of several kinds that stay on the GPU.

use obbligato::{Bodies, Config, Error, Pair, Query, Rules, bytemuck, wgpu};
use obbligato::{
    GpuChecker,
    gpu::{Capacity, FrameQuery, Outcome, RulesOf},
    shape::BodyCounts,
};

use crate::bodies_gpu::{check, counts_of, mixture, mixtures};
use crate::support::gpu::{cpu, expect_pairs, gpu_checker};

/// A device owned by the caller.
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

    fn upload(&self, bodies: Bodies<'_>) -> wgpu::Buffer {
        let parts: [&[u8]; 3] = [
            bytemuck::cast_slice(bodies.boxes),
            bytemuck::cast_slice(bodies.capsules),
            bytemuck::cast_slice(bodies.spheres),
        ];
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("bodies"),
            size: match (bodies.boxes.len(), bodies.capsules.len()) {
                (0, 0) => size_of_val(bodies.spheres) as u64,
                _ => parts.concat().len().next_multiple_of(48) as u64,
            },
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.queue.write_buffer(&buffer, 0, &parts.concat());
        buffer
    }

    /// Runs a frame and returns its pairs, with those of the undecided ones for which `collides`
    /// returns `true`.
    fn run(&self, checker: &mut GpuChecker, query: FrameQuery<'_>, collides: impl Fn(&Pair) -> bool) -> Vec<Pair> {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let recorded = checker.record(&mut encoder, query).expect("a recorded frame");
        self.queue.submit([encoder.finish()]);
        let [outcome]: [Outcome; 1] = checker
            .read(&recorded.outcome, 1)
            .expect("an outcome")
            .try_into()
            .expect("one");
        assert_eq!(outcome.fits, 1, "{outcome:?}");
        let mut pairs: Vec<Pair> = checker.read(&recorded.pairs, outcome.pairs).expect("pairs");
        let undecided: Vec<Pair> = checker.read(&recorded.undecided, outcome.undecided).expect("pairs");
        pairs.extend(undecided.iter().filter(|pair| collides(pair)));
        pairs.sort();
        pairs
    }
}

#[test]
fn recorded_frames_take_bodies_from_a_buffer() {
    let application = Application::new();
    let mut checker = gpu_checker(Config::default());
    let room = Capacity {
        boxes: 5000,
        candidates: 100_000,
        pairs: 50_000,
        undecided: 5000,
    };
    checker.reserve(room).expect("room");
    for (k, scene) in mixtures(3000).iter().enumerate() {
        let what = format!("mixture {k}");
        let bodies = scene.bodies();
        let (buffer, counts) = (application.upload(bodies), counts_of(&bodies));
        let collides = |pair: &Pair| bodies.at(pair.a).contact(bodies.at(pair.b)).collides();
        let expected = check(&mut cpu(Config::default()), &what, bodies)
            .into_pairs()
            .expect("pairs");
        let found = application.run(&mut checker, FrameQuery::bodies(&buffer, counts), collides);
        expect_pairs(&what, &expected, &found);

        // The bodies as two sets, split kind by kind.
        let half = |n: u32| [n / 2, n - n / 2];
        let [boxes, capsules, spheres] = [counts.boxes, counts.capsules, counts.spheres].map(half);
        let set = |k: usize| BodyCounts {
            boxes: boxes[k],
            capsules: capsules[k],
            spheres: spheres[k],
        };
        let rules = Rules::default();
        let rules = checker
            .upload_rules(RulesOf::between_bodies([(&rules, set(0)), (&rules, set(1))]))
            .expect("rules");
        let is_second = |id: u32| {
            let starts = [0, counts.boxes, counts.boxes + counts.capsules];
            let kind = starts.iter().rposition(|&start| id >= start).expect("a kind");
            id - starts[kind] >= [boxes, capsules, spheres][kind][0]
        };
        let between: Vec<Pair> = (expected.iter().copied())
            .filter(|pair| is_second(pair.a) != is_second(pair.b))
            .collect();
        let query = FrameQuery::bodies(&buffer, counts).with(&rules);
        expect_pairs(&what, &between, &application.run(&mut checker, query, collides));
        assert!(between.len() > 100 && between.len() < expected.len());

        let movers = mixture([100, 90, 80], 77);
        let movers = movers.bodies();
        let at_rest = checker.checker().prepare(bodies).expect("valid bodies");
        let moving = application.upload(movers);
        let collides = |pair: &Pair| bodies.at(pair.a).contact(movers.at(pair.b)).collides();
        let mut on_cpu = cpu(Config::default());
        let scene_on_cpu = on_cpu.prepare(bodies).expect("valid bodies");
        let expected = check(&mut on_cpu, &what, Query::against(&scene_on_cpu, movers));
        let query = FrameQuery::bodies_against(&at_rest, &moving, counts_of(&movers));
        let found = application.run(&mut checker, query, collides);
        expect_pairs(&what, expected.pairs().expect("pairs"), &found);
    }
}

#[test]
fn recorded_frames_beyond_their_buffer_are_refused() {
    let application = Application::new();
    let mut checker = gpu_checker(Config::default());
    let scene = mixture([10, 10, 10], 1);
    let (buffer, counts) = (application.upload(scene.bodies()), counts_of(&scene.bodies()));
    let mut encoder = application.device.create_command_encoder(&Default::default());
    // Too many spheres for the buffer.
    let more = BodyCounts {
        spheres: counts.spheres + 3,
        ..counts
    };
    let error = checker
        .record(&mut encoder, FrameQuery::bodies(&buffer, more))
        .map(drop);
    assert!(matches!(error, Err(Error::InvalidBuffer { .. })), "{error:?}");
}
