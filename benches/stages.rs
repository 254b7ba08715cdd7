//! Each stage of a check by itself, on the CPU and on the best adapter, as criterion measures it.
//!
//! ```text
//! cargo bench --bench stages -- [FILTER]
//! ```
//!
//! A stage is timed within whole checks: on the CPU by the clock, on a GPU by its timestamps ("exact" by the clock, since the
//! host does it). Names read backend/scene/boxes/stage. `RAYON_NUM_THREADS` sets the threads of the CPU backend.

use std::time::Duration;

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use obbligato::{Backend, Checker, Config, Obb, Timings, scenes::Scene};

const SCENES: [Scene; 2] = [Scene::Uniform, Scene::Mixed];
const SEED: u64 = 1;

criterion_group!(benches, stages);
criterion_main!(benches);

fn stages(criterion: &mut Criterion) {
    // `cargo test --benches`, which only wants to know that this runs, does not pass `--bench`.
    let timed = std::env::args().any(|argument| argument == "--bench");
    let count = if timed { 100_000 } else { 1_000 };
    for (name, backend) in [("cpu", Backend::Cpu), ("gpu", Backend::Gpu)] {
        let config = Config {
            backend,
            ..Config::default()
        };
        match Checker::new(config) {
            Ok(mut checker) => SCENES
                .into_iter()
                .for_each(|scene| scene_stages(criterion, name, (scene, count), &mut checker)),
            Err(problem) => println!("{name} is left out: {problem}"),
        }
    }
}

/// All stages of checks of one scene.
fn scene_stages(criterion: &mut Criterion, backend: &str, (scene, count): (Scene, usize), checker: &mut Checker) {
    let boxes = scene.generate(count, SEED);
    let mut group = criterion.benchmark_group(format!("{backend}/{scene}/{count}"));
    // A stage is a part of each check that it costs: more samples would take minutes.
    group
        .sample_size(10)
        .sampling_mode(SamplingMode::Flat)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2));
    let first = check(checker, &boxes);
    for stage in names(&first) {
        group.bench_function(stage, |bencher| {
            bencher.iter_custom(|checks| (0..checks).map(|_| time(&check(checker, &boxes), stage)).sum())
        });
    }
    group.finish();
}

fn check(checker: &mut Checker, boxes: &[Obb]) -> Timings {
    checker.check(boxes).expect("a scene can be checked").timings
}

/// The stages of a check: on a GPU with timestamps its own, in place of the wait for all of them.
fn names(timings: &Timings) -> Vec<&'static str> {
    let gpu = timings.gpu.iter().map(|&(stage, _)| stage);
    let wall = timings.wall.iter().map(|&(step, _)| step);
    gpu.chain(wall.filter(|&step| timings.gpu.is_empty() || step != "gpu"))
        .collect()
}

fn time(timings: &Timings, stage: &str) -> Duration {
    let of = |(name, time): &(&str, f64)| (*name == stage).then_some(*time);
    let milliseconds: f64 = timings.gpu.iter().chain(&timings.wall).filter_map(of).sum();
    Duration::from_secs_f64(milliseconds / 1e3)
}
