//! Pairs per second of each test of a pair: collision, with fifteen axes and with five; distance,
//! with closest points; and contact points.
//!
//! ```text
//! RAYON_NUM_THREADS=1 cargo bench --bench pairs -- [--count N] [--margins] [--gpu]
//! ```
//!
//! Prints million pairs per second, the best of several rounds, without upload and read-back: the
//! narrow phase including the exact stage, and distances, for candidate pairs; contacts for
//! colliding ones. `crowd` is upright and takes five axes; `crowd, tilted` is the same scene
//! rotated as a whole and takes fifteen. `--gpu` adds the GPU or the software adapter: whole
//! submissions, in `f32`, with distances for pairs within a quarter of a unit, since a recorded
//! frame has only these. No scene has touching boxes: a GPU leaves such pairs undecided, and they
//! are not in a frame.
//!
//! `--margins` instead prints million candidate pairs per second of the whole narrow phase,
//! including the exact stage, of checks with and without a margin.

mod common {
    pub mod arguments;
    pub mod clock;
    pub mod submission;
}

use obbligato::glam::Quat;
use obbligato::gpu::{ClosestPointsOf, ContactsOf, FrameQuery, Recorded};
use obbligato::{
    Backend, Checker, Config, GpuChecker, Obb, Output, Pair, Query, Report,
    contact::{closest_points, contacts},
    report::Stage,
    shape::Aabb,
};
use obbligato_support::count::parse_count;
use obbligato_verify::scenes::Scene;

use common::{arguments, clock, submission::submit};

const ROUNDS: usize = 5;

/// The margin of the frames that measure distances on a GPU.
const MARGIN: f64 = 0.25;

fn main() -> Result<(), String> {
    let (count, rounds, on_gpu, of_margins) = arguments::read(|arguments| {
        let count = arguments.value("--count", parse_count)?.unwrap_or(100_000);
        let [on_gpu, of_margins] = ["--gpu", "--margins"].map(|name| arguments.take(name).is_some());
        let (count, rounds) = if arguments.timed { (count, ROUNDS) } else { (300, 1) };
        Ok((count, rounds, on_gpu, of_margins))
    })?;
    if of_margins {
        return margins(count, rounds, on_gpu);
    }
    println!(
        "{:<15} {:<4} {:>11} {:>11} {:>9} {:>9} {:>9}",
        "M pairs/s", "", "candidates", "colliding", "collide", "distance", "contacts"
    );
    let device = on_gpu
        .then(|| GpuChecker::open(Config::default()))
        .transpose()
        .map_err(text)?;
    for (name, boxes) in scenes(count) {
        row(&name, "CPU", &with_cpu(&boxes, rounds)?);
        if let Some(device) = &device {
            row(&name, "GPU", &with_gpu(device, &boxes, rounds)?);
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

/// Million items per second, given the time of each round in seconds.
fn rate(items: usize, rounds: usize, mut seconds: impl FnMut() -> Result<f64, String>) -> Result<f64, String> {
    let mut least = f64::INFINITY;
    for _ in 0..rounds {
        least = least.min(seconds()?);
    }
    Ok(items as f64 / least.max(1e-9) / 1e6)
}

/// Seconds of the narrow phase and the exact stage of a check.
fn narrow_phase<'a>(checker: &mut Checker, query: impl Into<Query<'a>>) -> Result<(f64, Report), String> {
    let report = checker.check(query).map_err(text)?;
    let steps = [Stage::Narrow, Stage::Exact].map(|step| report.timings.step(step).unwrap_or(0.0));
    Ok(((steps[0] + steps[1]) / 1e3, report))
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
    let candidates = checker.check(Query::from(&bounds)).map_err(text)?;
    let colliding = checker.check(boxes).map_err(text)?;
    Ok([candidates, colliding].map(|report| report.into_pairs().expect("asked for")))
}

fn with_cpu(boxes: &[Obb], rounds: usize) -> Result<Rates, String> {
    let [candidates, colliding] = pairs_of(boxes)?;
    let mut checker = checker(Backend::Cpu)?;
    let sets = [boxes, boxes];
    let collide = || Ok(narrow_phase(&mut checker, Query::pairs(boxes, &candidates))?.0);
    let distance = || Ok(clock::least(1, || closest_points(sets, &candidates)).0);
    let contacts = || Ok(clock::least(1, || contacts(sets, &colliding)).0);
    Ok(Rates {
        collide: rate(candidates.len(), rounds, collide)?,
        distance: rate(candidates.len(), rounds, distance)?,
        contacts: rate(colliding.len(), rounds, contacts)?,
        candidates: candidates.len(),
        colliding: colliding.len(),
    })
}

/// Runs a frame of the boxes with capacity for `pairs` pairs. Returns it with the checker that
/// holds its results.
fn frame(device: &GpuChecker, boxes: &[Obb], margin: f64, pairs: usize) -> Result<(GpuChecker, Recorded), String> {
    let mut config = Config {
        margin,
        ..Config::default()
    };
    config.gpu.initial_candidates = 4 * pairs;
    config.gpu.initial_pairs = pairs;
    let mut checker = GpuChecker::new(device.device(), device.queue(), config).map_err(text)?;
    let buffer = checker.upload(boxes).map_err(text)?;
    let (_, recorded) = submit(&mut checker, FrameQuery::boxes(&buffer, boxes.len() as u32))?;
    Ok((checker, recorded))
}

fn with_gpu(device: &GpuChecker, boxes: &[Obb], rounds: usize) -> Result<Rates, String> {
    let [candidates, colliding] = pairs_of(boxes)?;
    let mut whole = checker(Backend::Gpu)?;
    let collide = rate(candidates.len(), rounds, || {
        Ok(narrow_phase(&mut whole, Query::pairs(boxes, &candidates))?.0)
    })?;
    drop(whole);
    let (mut checker, recorded) = frame(device, boxes, 0.0, colliding.len())?;
    let most_points = 5 * colliding.len() as u32;
    let contacts = rate(colliding.len(), rounds, || {
        Ok(submit(&mut checker, ContactsOf::new(&recorded, most_points))?.0)
    })?;
    drop(checker);
    let near = near_pairs(boxes)?;
    let (mut checker, recorded) = frame(device, boxes, MARGIN, near)?;
    let distance = rate(near, rounds, || Ok(submit(&mut checker, ClosestPointsOf(&recorded))?.0))?;
    Ok(Rates {
        candidates: candidates.len(),
        colliding: colliding.len(),
        collide,
        distance,
        contacts,
    })
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

/// Prints the rates of checks with and without a margin.
fn margins(count: usize, rounds: usize, on_gpu: bool) -> Result<(), String> {
    println!(
        "{:<10} {:>7} {:>11} {:>11} {:>11} {:>9}",
        "scene", "margin", "candidates", "undecided", "pairs", "M/s"
    );
    let backends = if on_gpu {
        &[Backend::Cpu, Backend::Gpu][..]
    } else {
        &[Backend::Cpu]
    };
    for scene in [Scene::Uniform, Scene::Crowd, Scene::Bricks, Scene::Sticks] {
        let boxes = scene.generate(count, 1);
        for &backend in backends {
            for margin in [0.0, 0.1, 1.0] {
                margin_row(scene, &boxes, backend, margin, rounds)?;
            }
        }
    }
    Ok(())
}

fn margin_row(scene: Scene, boxes: &[Obb], backend: Backend, margin: f64, rounds: usize) -> Result<(), String> {
    let config = Config {
        backend,
        margin,
        output: Output::Count,
        ..Config::default()
    };
    let mut checker = Checker::new(config).map_err(text)?;
    let (mut least, mut last) = (f64::INFINITY, Report::default());
    for _ in 0..rounds {
        let (time, report) = narrow_phase(&mut checker, boxes)?;
        (least, last) = (least.min(time), report);
    }
    println!(
        "{:<10} {margin:>7} {:>11} {:>11} {:>11} {:>9.1}   {backend:?}",
        scene.name(),
        last.candidate_pairs,
        last.undecided_pairs,
        last.colliding_pairs,
        last.candidate_pairs as f64 / least.max(1e-12) / 1e6,
    );
    Ok(())
}
