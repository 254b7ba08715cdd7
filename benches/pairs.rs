//! Pairs per second of each test of a pair: collision, with fifteen axes and with five; distance,
//! with closest points; and contact points.
//!
//! ```text
//! RAYON_NUM_THREADS=1 cargo bench --bench pairs -- [--count N] [--gpu]
//! ```
//!
//! Prints million pairs per second, the best of several rounds, without upload and read-back: the
//! narrow phase including the exact stage, and distances, for candidate pairs; contacts for
//! colliding ones. `crowd` is upright and takes five axes; `crowd, tilted` is the same scene
//! rotated as a whole and takes fifteen. `--gpu` adds the GPU or the software adapter: whole
//! submissions, in `f32`, with distances for pairs within a quarter of a unit, since a recorded
//! frame has only these. No scene has touching boxes: a GPU leaves such pairs undecided, and they
//! are not in a frame.

use std::time::Instant;

use obbligato::Query;
use obbligato::glam::Quat;
use obbligato::gpu::FrameQuery;
use obbligato::gpu::{ClosestPointsOf, ContactsOf};
use obbligato::{
    Backend, Checker, Config, Obb, Pair,
    contact::{closest_points, contacts},
    report::Stage,
    shape::Aabb,
    wgpu,
};
use obbligato::{
    GpuChecker,
    gpu::{Recorded, required_features, required_limits},
};
use obbligato_verify::scenes::Scene;

const ROUNDS: usize = 5;

/// The margin of the frames that measure distances on a GPU.
const MARGIN: f64 = 0.25;

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let (mut count, mut timed, mut on_gpu) = (100_000, false, false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--count" => {
                let number = arguments.next().and_then(|number| number.parse().ok());
                count = number.ok_or("--count needs a number")?;
            }
            "--gpu" => on_gpu = true,
            // `cargo bench` passes this; `cargo test --benches`, which only checks that this runs,
            // does not.
            "--bench" => timed = true,
            "--test" => timed = false,
            other => return Err(format!("unknown argument {other}")),
        }
    }
    let (count, rounds) = if timed { (count, ROUNDS) } else { (300, 1) };
    println!(
        "{:<15} {:<4} {:>11} {:>11} {:>9} {:>9} {:>9}",
        "M pairs/s", "", "candidates", "colliding", "collide", "distance", "contacts"
    );
    for (name, boxes) in scenes(count) {
        row(&name, "CPU", &on_cpu(&boxes, rounds)?);
        if on_gpu {
            let device = Device::new()?;
            row(&name, "GPU", &device.rates(&boxes, rounds)?);
        }
    }
    Ok(())
}

/// A backend's results.
struct Rates {
    candidates: usize,
    colliding: usize,
    /// Million pairs per second.
    collide: f64,
    distance: f64,
    contacts: f64,
}

fn row(name: &str, backend: &str, rates: &Rates) {
    println!(
        "{name:<15} {backend:<4} {:>11} {:>11} {:>9.2} {:>9.2} {:>9.2}",
        rates.candidates, rates.colliding, rates.collide, rates.distance, rates.contacts
    );
}

fn scenes(count: usize) -> Vec<(String, Vec<Obb>)> {
    let mut scenes: Vec<_> = [Scene::Uniform, Scene::Dense, Scene::Mixed, Scene::Crowd]
        .into_iter()
        .map(|scene| (scene.name().to_owned(), scene.generate(count, 1)))
        .collect();
    let whole = Quat::from_rotation_x(0.5);
    let tilted = scenes[3].1.iter().map(|solid| Obb {
        center: whole * solid.center,
        rotation: (whole * solid.rotation).normalize(),
        ..*solid
    });
    let tilted = tilted.collect();
    scenes.push(("crowd, tilted".to_owned(), tilted));
    scenes
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Million items per second in the fastest round.
fn rate(items: usize, rounds: usize, mut seconds: impl FnMut() -> Result<f64, String>) -> Result<f64, String> {
    let mut least = f64::INFINITY;
    for _ in 0..rounds {
        least = least.min(seconds()?);
    }
    Ok(items as f64 / least.max(1e-9) / 1e6)
}

fn timed(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

/// Seconds of the narrow phase and the exact stage for these candidate pairs.
fn narrow_phase(checker: &mut Checker, boxes: &[Obb], candidates: &[Pair]) -> Result<f64, String> {
    let report = checker.check(Query::pairs(boxes, candidates)).map_err(text)?;
    let steps = [Stage::Narrow, Stage::Exact].map(|step| report.timings.step(step).unwrap_or(0.0));
    Ok((steps[0] + steps[1]) / 1e3)
}

fn checker(backend: Backend) -> Result<Checker, String> {
    let config = Config {
        backend,
        ..Config::default()
    };
    Checker::new(config).map_err(text)
}

/// Pairs whose bounds overlap, and pairs that collide.
fn pairs_of(boxes: &[Obb]) -> Result<[Vec<Pair>; 2], String> {
    let mut checker = checker(Backend::Cpu)?;
    let bounds: Vec<Aabb> = boxes.iter().map(Obb::bounds).collect();
    let candidates = checker
        .check(Query::from(&bounds))
        .map_err(text)?
        .into_pairs()
        .expect("asked for");
    Ok([
        candidates,
        checker.check(boxes).map_err(text)?.into_pairs().expect("asked for"),
    ])
}

fn on_cpu(boxes: &[Obb], rounds: usize) -> Result<Rates, String> {
    let [candidates, colliding] = pairs_of(boxes)?;
    let mut checker = checker(Backend::Cpu)?;
    let sets = [boxes, boxes];
    Ok(Rates {
        collide: rate(candidates.len(), rounds, || {
            narrow_phase(&mut checker, boxes, &candidates)
        })?,
        distance: rate(candidates.len(), rounds, || {
            Ok(timed(|| drop(std::hint::black_box(closest_points(sets, &candidates)))))
        })?,
        contacts: rate(colliding.len(), rounds, || {
            Ok(timed(|| drop(std::hint::black_box(contacts(sets, &colliding)))))
        })?,
        candidates: candidates.len(),
        colliding: colliding.len(),
    })
}

struct Device {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Device {
    fn new() -> Result<Self, String> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        }))
        .map_err(text)?;
        let descriptor = wgpu::DeviceDescriptor {
            required_features: required_features(&adapter),
            required_limits: required_limits(&adapter),
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).map_err(text)?;
        Ok(Self { device, queue })
    }

    /// Seconds that a submission takes.
    fn run(&self, encoder: wgpu::CommandEncoder) -> Result<f64, String> {
        let start = Instant::now();
        self.queue.submit([encoder.finish()]);
        self.device.poll(wgpu::PollType::wait_indefinitely()).map_err(text)?;
        Ok(start.elapsed().as_secs_f64())
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&Default::default())
    }

    /// Runs a frame of the boxes with capacity for `pairs` pairs. Returns it with the checker that
    /// holds its results.
    fn frame(&self, boxes: &[Obb], margin: f64, pairs: usize) -> Result<(GpuChecker, Recorded), String> {
        let mut config = Config {
            margin,
            ..Config::default()
        };
        config.gpu.initial_candidates = 4 * pairs;
        config.gpu.initial_pairs = pairs;
        let mut checker = GpuChecker::new(&self.device, &self.queue, config).map_err(text)?;
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("boxes"),
            size: size_of_val(boxes) as u64,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(boxes));
        let mut encoder = self.encoder();
        let recorded = checker
            .record(&mut encoder, FrameQuery::boxes(&buffer, boxes.len() as u32))
            .map_err(text)?;
        self.run(encoder)?;
        Ok((checker, recorded))
    }

    fn rates(&self, boxes: &[Obb], rounds: usize) -> Result<Rates, String> {
        let [candidates, colliding] = pairs_of(boxes)?;
        let mut whole = checker(Backend::Gpu)?;
        let collide = rate(candidates.len(), rounds, || {
            narrow_phase(&mut whole, boxes, &candidates)
        })?;
        drop(whole);
        let (mut checker, recorded) = self.frame(boxes, 0.0, colliding.len())?;
        let contacts = rate(colliding.len(), rounds, || {
            let mut encoder = self.encoder();
            let most_points = 5 * colliding.len() as u32;
            checker
                .record(&mut encoder, ContactsOf::new(&recorded, most_points))
                .map_err(text)?;
            self.run(encoder)
        })?;
        drop(checker);
        let near = near_pairs(boxes)?;
        let (mut checker, recorded) = self.frame(boxes, MARGIN, near)?;
        let distance = rate(near, rounds, || {
            let mut encoder = self.encoder();
            checker.record(&mut encoder, ClosestPointsOf(&recorded)).map_err(text)?;
            self.run(encoder)
        })?;
        Ok(Rates {
            candidates: candidates.len(),
            colliding: colliding.len(),
            collide,
            distance,
            contacts,
        })
    }
}

/// The number of pairs within the margin.
fn near_pairs(boxes: &[Obb]) -> Result<usize, String> {
    let config = Config {
        backend: Backend::Cpu,
        margin: MARGIN,
        ..Config::default()
    };
    let report = Checker::new(config).and_then(|mut checker| checker.check(boxes));
    Ok(report.map_err(text)?.pairs().expect("asked for").len())
}
