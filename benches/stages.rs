//! Criterion measurements of each stage of a check, on the CPU and on the best adapter.
//!
//! ```text
//! cargo bench --bench stages -- [FILTER]
//! ```
//!
//! Stages are timed within whole checks: on the CPU by the clock, on a GPU by its timestamps
//! ("exact" by the clock, since the host computes it). Names are backend/scene/boxes/stage.
//! `RAYON_NUM_THREADS` sets the threads of the CPU backend.
//!
//! The result forms of a million pairs, backend/forms/sort and backend/forms/adjacency, are timed
//! by the clock, on a GPU from the submission until it is done. An adjacency on a GPU includes
//! sorting its pairs.

use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, Criterion, SamplingMode, criterion_group, criterion_main};
use obbligato::Query;
use obbligato::gpu::FrameQuery;
use obbligato::gpu::{AdjacencyOf, SortPairs};
use obbligato::gpu::{Capacity, Recorded, required_features, required_limits};
use obbligato::{
    Backend, Checker, Config, GpuChecker, Obb, Pair,
    report::{Adjacency, Direction, Stage, Timings, sort_pairs},
    shape::Aabb,
    wgpu,
};
use obbligato_verify::scenes::Scene;

const SCENES: [Scene; 3] = [Scene::Uniform, Scene::Mixed, Scene::Crowd];
const SEED: u64 = 1;

criterion_group!(benches, stages, forms);
criterion_main!(benches);

/// `cargo bench` passes `--bench`; `cargo test --benches`, which only checks that this runs, does
/// not.
fn timed() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

fn stages(criterion: &mut Criterion) {
    let count = if timed() { 100_000 } else { 1_000 };
    for (name, backend) in [("cpu", Backend::Cpu), ("gpu", Backend::Gpu)] {
        let config = Config {
            backend,
            ..Config::default()
        };
        match Checker::new(config) {
            Ok(mut checker) => SCENES
                .into_iter()
                .for_each(|scene| scene_stages(criterion, name, (scene, count), &mut checker)),
            Err(problem) => println!("{name} skipped: {problem}"),
        }
    }
}

/// All stages of checks of one scene.
fn scene_stages(criterion: &mut Criterion, backend: &str, (scene, count): (Scene, usize), checker: &mut Checker) {
    let boxes = scene.generate(count, SEED);
    let mut group = criterion.benchmark_group(format!("{backend}/{scene}/{count}"));
    // Each sample of a stage costs a whole check: more samples would take minutes.
    take_little_time(&mut group);
    let first = check(checker, &boxes);
    for stage in stages_of(&first) {
        group.bench_function(stage.name(), |bencher| {
            bencher.iter_custom(|checks| (0..checks).map(|_| time(&check(checker, &boxes), stage)).sum())
        });
    }
    group.finish();
}

fn check(checker: &mut Checker, boxes: &[Obb]) -> Timings {
    checker.check(boxes).expect("a scene can be checked").timings
}

/// The stages of a check: on a GPU with timestamps, its stages replace the wait for all of them.
fn stages_of(timings: &Timings) -> Vec<Stage> {
    let gpu = timings.gpu.iter().map(|&(stage, _)| stage);
    let wall = timings.wall.iter().map(|&(step, _)| step);
    gpu.chain(wall.filter(|&step| timings.gpu.is_empty() || step != Stage::Gpu))
        .collect()
}

fn time(timings: &Timings, stage: Stage) -> Duration {
    let of = |(other, time): &(Stage, f64)| (*other == stage).then_some(*time);
    let milliseconds: f64 = timings.gpu.iter().chain(&timings.wall).filter_map(of).sum();
    Duration::from_secs_f64(milliseconds / 1e3)
}

fn take_little_time(group: &mut BenchmarkGroup<WallTime>) {
    group
        .sample_size(10)
        .sampling_mode(SamplingMode::Flat)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
}

/// The forms of the overlapping pairs of `dense`, nine per box.
fn forms(criterion: &mut Criterion) {
    let count = if timed() { 111_111 } else { 1_000 };
    let bounds: Vec<Aabb> = Scene::Dense.generate(count, SEED).iter().map(Obb::bounds).collect();
    cpu_forms(criterion, &bounds);
    match Device::new(&bounds) {
        Some(device) => gpu_forms(criterion, device),
        None => println!("gpu skipped: no adapter"),
    }
}

fn cpu_forms(criterion: &mut Criterion, bounds: &[Aabb]) {
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    let report = Checker::new(config).and_then(|mut checker| checker.check(Query::from(bounds)));
    let sorted = report.expect("valid bounds").into_pairs().expect("asked for");
    // Unordered, as from a grid.
    let mut unsorted = sorted.clone();
    unsorted.sort_by_key(|pair| pair.key().wrapping_mul(0x9E37_79B9_7F4A_7C15));
    println!("{} pairs", sorted.len());
    let mut group = criterion.benchmark_group("cpu/forms");
    take_little_time(&mut group);
    group.bench_function("sort", |bencher| {
        let sort = |pairs: &mut Vec<Pair>| sort_pairs(pairs).expect("memory");
        bencher.iter_batched_ref(|| unsorted.clone(), sort, BatchSize::LargeInput);
    });
    group.bench_function("adjacency", |bencher| {
        bencher.iter_with_large_drop(|| Adjacency::new(bounds.len(), &sorted, Direction::Both).expect("memory"));
    });
    group.finish();
}

/// A device with bounds on it.
struct Device {
    device: wgpu::Device,
    queue: wgpu::Queue,
    bounds: wgpu::Buffer,
    count: u32,
}

impl Device {
    fn new(bounds: &[Aabb]) -> Option<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = pollster::block_on(instance.request_adapter(&Default::default())).ok()?;
        let descriptor = wgpu::DeviceDescriptor {
            required_features: required_features(&adapter),
            required_limits: required_limits(&adapter),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).ok()?;
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("bounds"),
            size: size_of_val(bounds) as u64,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        queue.write_buffer(&buffer, 0, bytemuck::cast_slice(bounds));
        Some(Self {
            device,
            queue,
            bounds: buffer,
            count: bounds.len() as u32,
        })
    }

    /// The time that the recorded work takes.
    fn time(&self, record: impl FnOnce(&mut wgpu::CommandEncoder)) -> Duration {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        record(&mut encoder);
        let start = Instant::now();
        self.queue.submit([encoder.finish()]);
        let waited = self.device.poll(wgpu::PollType::wait_indefinitely());
        waited.expect("a working device");
        start.elapsed()
    }
}

fn gpu_forms(criterion: &mut Criterion, device: Device) {
    let mut checker = GpuChecker::new(&device.device, &device.queue, Config::default()).expect("a checker");
    let pairs = 10 * device.count;
    checker
        .reserve(Capacity {
            boxes: device.count,
            candidates: pairs,
            pairs,
            undecided: 0,
        })
        .expect("room");
    let mut group = criterion.benchmark_group("gpu/forms");
    take_little_time(&mut group);
    let mut bench = |name, form: fn(&mut GpuChecker, &mut wgpu::CommandEncoder, &Recorded)| {
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|times| {
                let once = |_| {
                    let mut recorded = None;
                    device.time(|encoder| {
                        let frame = checker.record(encoder, FrameQuery::bounds(&device.bounds, device.count));
                        recorded = Some(frame.expect("a recorded frame"));
                    });
                    device.time(|encoder| form(&mut checker, encoder, recorded.as_ref().expect("a frame")))
                };
                (0..times).map(once).sum()
            })
        });
    };
    bench("sort", |checker, encoder, recorded| {
        checker.record(encoder, SortPairs(recorded)).expect("a sort");
    });
    bench("adjacency", |checker, encoder, recorded| {
        checker
            .record(encoder, AdjacencyOf::new(recorded, Direction::Both))
            .expect("an adjacency");
    });
    group.finish();
}
