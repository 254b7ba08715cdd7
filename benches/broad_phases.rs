//! The fastest broad phase by scene and size: all of them on scenes of several sizes, and the
//! automatic choice.
//!
//! ```text
//! [RAYON_NUM_THREADS=1] cargo bench --bench broad_phases -- [SCENE]... [COUNT]... [cpu|gpu]
//! ```
//!
//! Prints milliseconds of `Checker::check`, from boxes to sorted pairs, the minimum of several
//! rounds. The rounds alternate between the broad phases, so that other load on the machine affects
//! all of them. A broad phase that takes ten times as long as another in the first round has no
//! second. "auto" is the time of the broad phase that [`BroadPhase::Auto`] chose, relative to the
//! best. All must find the same pairs. Without arguments, all scenes from 1,000 to 1,000,000 boxes
//! on the CPU.
mod common {
    pub mod clock;
}

use std::time::{Duration, Instant};

use obbligato::{Backend, BroadPhase, Checker, Config, Report};
use obbligato_support::count::parse_count;
use obbligato_verify::scenes::Scene;

use common::clock::least;

const SEED: u64 = 1;
/// The maximum number of rounds, and the time after which no more are started, except for the first
/// three.
const ROUNDS: usize = 40;
const ENOUGH: Duration = Duration::from_secs(4);
/// The factor by which a first round may be slower than the best.
const HOPELESS: f64 = 10.0;

/// The measurements to make.
struct Plan {
    scenes: Vec<Scene>,
    counts: Vec<usize>,
    backend: Backend,
}

fn main() -> Result<(), String> {
    run(&plan(std::env::args().skip(1))?)
}

fn plan(words: impl Iterator<Item = String>) -> Result<Plan, String> {
    let mut timed = false;
    let mut plan = Plan {
        scenes: Vec::new(),
        counts: Vec::new(),
        backend: Backend::Cpu,
    };
    for word in words {
        match word.as_str() {
            // `cargo bench` passes this; `cargo test --benches`, which only checks that this runs,
            // does not.
            "--bench" => timed = true,
            "--test" => timed = false,
            "cpu" => plan.backend = Backend::Cpu,
            "gpu" => plan.backend = Backend::Gpu,
            name => match Scene::ALL.into_iter().find(|scene| scene.name() == name) {
                Some(scene) => plan.scenes.push(scene),
                None => plan
                    .counts
                    .push(parse_count(name).map_err(|problem| format!("{name}: no scene and no count: {problem}"))?),
            },
        }
    }
    if plan.scenes.is_empty() {
        plan.scenes.extend(Scene::ALL);
    }
    if plan.counts.is_empty() {
        plan.counts.extend(match timed {
            true => &[1_000, 10_000, 100_000, 1_000_000][..],
            false => &[300],
        });
    }
    Ok(plan)
}

/// A broad phase, and its results so far.
struct Entrant {
    phase: BroadPhase,
    checker: Checker,
    report: Report,
    /// Milliseconds; infinite if there has been no round.
    best: f64,
}

impl Entrant {
    fn new(phase: BroadPhase, backend: Backend) -> Result<Self, String> {
        let config = Config {
            broad_phase: phase,
            backend,
            ..Config::default()
        };
        Ok(Self {
            phase,
            checker: Checker::new(config).map_err(|problem| problem.to_string())?,
            report: Report::default(),
            best: f64::INFINITY,
        })
    }

    /// Times one more round.
    fn time(&mut self, boxes: &[obbligato::Obb]) -> Result<(), String> {
        let (time, outcome) = least(1, || self.checker.check_into(boxes, &mut self.report));
        outcome.map_err(|problem| format!("{}: {problem}", self.phase))?;
        self.best = self.best.min(1e3 * time);
        Ok(())
    }
}

fn run(plan: &Plan) -> Result<(), String> {
    // Brute force would take long.
    let runs = |phase: &&BroadPhase| match phase {
        BroadPhase::Auto | BroadPhase::AllPairs => false,
        phase => plan.backend != Backend::Gpu || phase.is_on_gpu(),
    };
    let phases = BroadPhase::ALL.iter().filter(runs);
    let mut entrants = Vec::new();
    for &phase in phases.clone().chain(&[BroadPhase::Auto]) {
        entrants.push(Entrant::new(phase, plan.backend)?);
    }
    println!("{:?}, milliseconds", entrants[0].checker.engine());
    print!("{:<11} {:>10}", "scene", "boxes");
    for phase in phases {
        print!(" {:>10}", phase.name());
    }
    println!(" {:>10} {:>6}  chosen", "best", "auto");
    for scene in &plan.scenes {
        for &count in &plan.counts {
            row(&mut entrants, *scene, count)?;
        }
    }
    Ok(())
}

fn row(entrants: &mut [Entrant], scene: Scene, count: usize) -> Result<(), String> {
    let boxes = scene.generate(count, SEED);
    for entrant in entrants.iter_mut() {
        // The first call allocates memory, and the very first one compiles shaders.
        entrant.time(&boxes)?;
        entrant.best = f64::INFINITY;
        entrant.time(&boxes)?;
    }
    let first = entrants
        .iter()
        .map(|entrant| entrant.best)
        .fold(f64::INFINITY, f64::min);
    let start = Instant::now();
    for round in 0..ROUNDS {
        if round >= 3 && start.elapsed() > ENOUGH {
            break;
        }
        for entrant in entrants.iter_mut().filter(|entrant| entrant.best < HOPELESS * first) {
            entrant.time(&boxes)?;
        }
    }
    let sums: Vec<u64> = entrants
        .iter()
        .map(|entrant| entrant.report.checksum().map_err(|problem| problem.to_string()))
        .collect::<Result<_, _>>()?;
    if let Some(other) = sums.iter().position(|sum| *sum != sums[0]) {
        return Err(format!("{} differs from {}", entrants[other].phase, entrants[0].phase));
    }
    let Some((auto, named)) = entrants.split_last() else {
        return Ok(());
    };
    let (best, time) = named.iter().map(|entrant| (entrant.phase, entrant.best)).fold(
        (BroadPhase::Auto, f64::INFINITY),
        |least, other| {
            if other.1 < least.1 { other } else { least }
        },
    );
    let used = auto.report.broad_phase.map_or(BroadPhase::Auto, |choice| choice.used);
    print!("{:<11} {count:>10}", scene.name());
    for entrant in named {
        print!(" {:>10.2}", entrant.best);
    }
    println!(" {:>10} {:>6.2}  {used}", best.name(), auto.best / time);
    Ok(())
}
