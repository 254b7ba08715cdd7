//! The time of a check on the CPU by instructions of each width.
//!
//! ```text
//! RAYON_NUM_THREADS=1 cargo bench --bench lanes
//! ```
//!
//! Prints milliseconds, the minimum of several rounds, with 4 lanes (SSE2 alone), 8 and 16, as far
//! as the machine has them. `crates/web/tests/speed.mjs` times the same scenes in WebAssembly.

use std::time::Instant;

use obbligato::unstable::lanes::set_most;
use obbligato::{Backend, Checker, Config, Report};
use obbligato_verify::scenes::Scene;

const ROUNDS: usize = 7;
const SCENES: [(Scene, usize); 4] = [
    (Scene::Uniform, 100_000),
    (Scene::Crowd, 100_000),
    (Scene::Dense, 100_000),
    (Scene::Uniform, 1_000_000),
];

fn main() -> obbligato::Result<()> {
    let timed = std::env::args().any(|argument| argument == "--bench");
    let (rounds, share) = if timed { (ROUNDS, 1) } else { (1, 100) };
    for (scene, count) in SCENES {
        let boxes = scene.generate(count / share, 1);
        let mut checker = Checker::new(Config {
            backend: Backend::Cpu,
            ..Config::default()
        })?;
        let mut report = Report::default();
        let mut last = 0;
        for lanes in [4, 8, 16] {
            let width = set_most(lanes);
            if width == last {
                break;
            }
            last = width;
            let mut best = f64::INFINITY;
            for _ in 0..rounds {
                let start = Instant::now();
                checker.check_into(&boxes, &mut report)?;
                best = best.min(start.elapsed().as_secs_f64() * 1e3);
            }
            println!("{scene} {} {width} lanes {best:.1}", boxes.len());
        }
        set_most(usize::MAX);
    }
    Ok(())
}
