//! The cost of distances: two boxes at a time in `f64`, and as the narrow phase of checks with a
//! margin.
//!
//! ```text
//! RAYON_NUM_THREADS=1 cargo bench --bench distance -- [--count N] [--gpu]
//! ```
//!
//! The first table has nanoseconds per pair, the second candidate pairs per second of the whole
//! narrow phase, including the exact stage, of checks with and without a margin. Times are the
//! minimum of several rounds. `--gpu` adds the GPU or the software adapter.

use std::hint::black_box;
use std::time::Instant;

use obbligato::{Backend, Checker, Config, Obb, Output, report::Stage};
use obbligato_verify::adversarial::{self, Family};
use obbligato_verify::scenes::Scene;

const ROUNDS: usize = 5;

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let (mut count, mut timed, mut backends) = (None, false, vec![Backend::Cpu]);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--count" => {
                let number = arguments.next().and_then(|number| number.parse().ok());
                count = Some(number.ok_or("--count needs a number")?);
            }
            "--gpu" => backends.push(Backend::Gpu),
            // `cargo bench` passes this; `cargo test --benches`, which only checks that this runs,
            // does not.
            "--bench" => timed = true,
            "--test" => timed = false,
            other => return Err(format!("unknown argument {other}")),
        }
    }
    let (count, rounds) = match timed {
        true => (count.unwrap_or(100_000), ROUNDS),
        false => (500, 1),
    };
    println!("{:<16} {:>9} {:>9} {:>9}", "ns/pair", "contact", "distance", "points");
    for family in [
        Family::Random,
        Family::NearContact,
        Family::NearlyParallel,
        Family::Aligned,
        Family::FarAway,
    ] {
        pairs_of(family, rounds);
    }
    println!(
        "\n{:<10} {:>7} {:>11} {:>11} {:>11} {:>9}",
        "scene", "margin", "candidates", "undecided", "pairs", "M/s"
    );
    for scene in [Scene::Uniform, Scene::Crowd, Scene::Bricks, Scene::Sticks] {
        let boxes = scene.generate(count, 1);
        for backend in &backends {
            for margin in [0.0, 0.1, 1.0] {
                check(scene, &boxes, *backend, margin, rounds)?;
            }
        }
    }
    Ok(())
}

fn pairs_of(family: Family, rounds: usize) {
    let all = (0..).map(|index| (adversarial::family(index), adversarial::pair(index, 1)));
    let pairs: Vec<(Obb, Obb)> = all
        .filter(|&(of, _)| of == family)
        .map(|(_, pair)| pair)
        .take(2_000)
        .collect();
    let time = |measured: &dyn Fn(&Obb, &Obb)| {
        let round = |_| {
            let start = Instant::now();
            pairs.iter().for_each(|(a, b)| measured(a, b));
            start.elapsed().as_secs_f64() * 1e9 / pairs.len() as f64
        };
        (0..10 * rounds).map(round).fold(f64::INFINITY, f64::min)
    };
    let contact = time(&|a, b| {
        black_box(a.contact(b));
    });
    let distance = time(&|a, b| {
        black_box(a.distance(b));
    });
    let points = time(&|a, b| {
        black_box(a.closest_points(b));
    });
    println!(
        "{:<16} {contact:9.1} {distance:9.1} {points:9.1}",
        format!("{family:?}")
    );
}

fn check(scene: Scene, boxes: &[Obb], backend: Backend, margin: f64, rounds: usize) -> Result<(), String> {
    let config = Config {
        backend,
        margin,
        output: Output::Count,
        ..Config::default()
    };
    let mut checker = Checker::new(config).map_err(|error| error.to_string())?;
    let mut least = f64::INFINITY;
    let mut last = Default::default();
    for _ in 0..rounds {
        let report = checker.check(boxes).map_err(|error| error.to_string())?;
        let step = |stage| report.timings.step(stage).unwrap_or(0.0);
        least = least.min(step(Stage::Narrow) + step(Stage::Exact));
        last = report;
    }
    println!(
        "{:<10} {margin:>7} {:>11} {:>11} {:>11} {:>9.1}   {backend:?}",
        scene.name(),
        last.candidate_pairs,
        last.undecided_pairs,
        last.colliding_pairs,
        last.candidate_pairs as f64 / least.max(1e-9) / 1e3,
    );
    Ok(())
}
