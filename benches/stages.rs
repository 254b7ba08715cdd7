//! The time to sort a million pairs, and that of their adjacency.
//!
//! ```text
//! cargo bench --bench stages -- [--count N] [--gpu]
//! ```
//!
//! Prints milliseconds, the minimum of several rounds. The pairs are those of the bounds of N boxes
//! of `dense`, nine per box. `--gpu` adds the GPU or the software adapter: whole submissions; there
//! an adjacency includes sorting its pairs. The stages of a check are printed by `obbligato bench`.

mod common {
    pub mod arguments;
    pub mod clock;
    pub mod submission;
}

use obbligato::gpu::{AdjacencyOf, Capacity, FrameQuery, Outcome, SortPairs};
use obbligato::{
    Backend, Checker, Config, GpuChecker, Obb, Query,
    report::{Adjacency, Direction, sort_pairs},
    shape::Aabb,
};
use obbligato_support::count::parse_count;
use obbligato_verify::scenes::Scene;

use common::{arguments, clock::least, submission::submit};

const SEED: u64 = 1;
const ROUNDS: usize = 10;

fn main() -> Result<(), String> {
    let (count, rounds, on_gpu) = arguments::read(|arguments| {
        let count = arguments.value("--count", parse_count)?;
        let on_gpu = arguments.take("--gpu").is_some();
        Ok(match arguments.timed {
            true => (count.unwrap_or(111_111), ROUNDS, on_gpu),
            false => (count.unwrap_or(1_000), 1, on_gpu),
        })
    })?;
    let bounds: Vec<Aabb> = Scene::Dense.generate(count, SEED).iter().map(Obb::bounds).collect();
    println!("{:<4} {:>9} {:>9} {:>9}", "ms", "pairs", "sort", "adjacency");
    row("CPU", on_cpu(&bounds, rounds).map_err(|error| error.to_string())?);
    if on_gpu {
        row("GPU", with_gpu(&bounds, rounds)?);
    }
    Ok(())
}

/// The number of pairs, and seconds to sort them and for their adjacency.
type Times = (usize, [f64; 2]);

fn row(backend: &str, (pairs, seconds): Times) {
    let [sort, adjacency] = seconds.map(|seconds| seconds * 1e3);
    println!("{backend:<4} {pairs:>9} {sort:>9.2} {adjacency:>9.2}");
}

fn on_cpu(bounds: &[Aabb], rounds: usize) -> obbligato::Result<Times> {
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    let report = Checker::new(config)?.check(Query::from(bounds))?;
    let sorted = report.into_pairs()?;
    // Unordered, as from a grid.
    let mut unsorted = sorted.clone();
    unsorted.sort_by_key(|pair| pair.key().wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let mut sort = f64::INFINITY;
    for _ in 0..rounds {
        let mut pairs = unsorted.clone();
        let (time, sorted) = least(1, || sort_pairs(&mut pairs));
        sorted?;
        sort = sort.min(time);
    }
    let (adjacency, made) = least(rounds, || Adjacency::new(bounds.len(), &sorted, Direction::Both));
    made?;
    Ok((sorted.len(), [sort, adjacency]))
}

fn with_gpu(bounds: &[Aabb], rounds: usize) -> Result<Times, String> {
    let text = |error: obbligato::Error| error.to_string();
    let mut checker = GpuChecker::open(Config::default()).map_err(text)?;
    let boxes = bounds.len() as u32;
    let pairs = 10 * boxes;
    let capacity = Capacity {
        boxes,
        candidates: pairs,
        pairs,
        undecided: 0,
    };
    checker.reserve(capacity).map_err(text)?;
    let buffer = checker.upload(bounds).map_err(text)?;
    let (mut times, mut found) = ([f64::INFINITY; 2], 0);
    for _ in 0..rounds {
        // Sorting changes the frame, so each form has its own.
        let (_, frame) = submit(&mut checker, FrameQuery::bounds(&buffer, boxes))?;
        times[0] = times[0].min(submit(&mut checker, SortPairs(&frame))?.0);
        let (_, frame) = submit(&mut checker, FrameQuery::bounds(&buffer, boxes))?;
        times[1] = times[1].min(submit(&mut checker, AdjacencyOf::new(&frame, Direction::Both))?.0);
        let outcome: Outcome = checker.read(&frame.outcome, 1).map_err(text)?[0];
        found = outcome.pairs as usize;
    }
    Ok((found, times))
}
