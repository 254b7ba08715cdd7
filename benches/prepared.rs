//! Movers against boxes at rest prepared once, on the CPU backend.
//!
//! ```text
//! cargo bench --bench prepared -- [--scene NAME] [RESTING:MOVERS]...
//! ```
//!
//! Prints the time to prepare the scene, and the time per check and per mover: the median and the
//! longest of many calls, each with different movers. For one thread, set `RAYON_NUM_THREADS=1`.
mod common {
    pub mod arguments;
}

use std::time::Instant;

use obbligato::Query;
use obbligato::{Backend, Checker, Config};
use obbligato_verify::scenes::Scene;

use common::arguments;

const SEED: u64 = 1;
/// The most sets of movers in a case. Together they are a tenth of the boxes at rest, or one set.
const MOST_SETS: usize = 1000;
/// The fewest calls in a case.
const LEAST_CALLS: usize = 5;

fn main() -> Result<(), String> {
    let (scene, cases) = arguments::read(|arguments| {
        let scene = arguments.value("--scene", str::parse)?.unwrap_or(Scene::Uniform);
        let cases = arguments.words.drain(..).map(|case| sizes(&case));
        let mut cases: Vec<_> = cases.collect::<Result<_, _>>()?;
        if cases.is_empty() {
            cases = match arguments.timed {
                true => vec![(10_000_000, 1), (1_000_000, 10_000), (1_000_000, 1_000_000)],
                false => vec![(1000, 1), (1000, 1000)],
            };
        }
        Ok((scene, cases))
    })?;
    println!(
        "{scene}\n{:>10} {:>9} {:>11} {:>12} {:>12} {:>11} {:>9}",
        "resting", "movers", "prepare ms", "check us", "longest us", "ns/mover", "pairs"
    );
    cases.into_iter().try_for_each(|(resting, movers)| {
        measure(scene, resting, movers).map_err(|problem| format!("{resting}:{movers}: {problem}"))
    })
}

/// Parses the sizes in `RESTING:MOVERS`.
fn sizes(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once(':').and_then(|(resting, movers)| {
        let movers = movers.parse().ok().filter(|&movers| movers > 0)?;
        Some((resting.parse().ok()?, movers))
    });
    parts.ok_or_else(|| format!("{text} is not RESTING:MOVERS, as in 1000000:10000"))
}

fn measure(scene: Scene, resting: usize, movers: usize) -> obbligato::Result<()> {
    let sets = (resting / 10 / movers).clamp(1, MOST_SETS);
    let calls = sets.max(LEAST_CALLS);
    // Both come from one scene, so that they fill the same world.
    let boxes = scene.generate(resting + movers * sets, SEED);
    let (at_rest, moving) = boxes.split_at(resting);
    let mut checker = Checker::new(Config {
        backend: Backend::Cpu,
        ..Config::default()
    })?;
    let start = Instant::now();
    let prepared = checker.prepare(at_rest)?;
    let prepare = start.elapsed();

    let mut pairs = 0;
    let mut times = Vec::with_capacity(calls);
    for movers in moving.chunks(movers).cycle().take(calls) {
        let start = Instant::now();
        pairs += checker.check(Query::against(&prepared, movers))?.colliding_pairs;
        times.push(start.elapsed());
    }
    times.sort();
    let median = times[calls / 2];
    println!(
        "{resting:>10} {movers:>9} {:>11.0} {:>12.1} {:>12.1} {:>11.0} {:>9.1}",
        prepare.as_secs_f64() * 1e3,
        median.as_secs_f64() * 1e6,
        times[calls - 1].as_secs_f64() * 1e6,
        median.as_secs_f64() * 1e9 / movers as f64,
        pairs as f64 / calls as f64,
    );
    Ok(())
}
