//! How long Rust takes for a million boxes: what `bench.py` holds Python's time against.

use std::time::Instant;

use obbligato::{Backend, Checker, Config, Report};
use obbligato_verify::scenes::Scene;

fn main() -> obbligato::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let scene: Scene = arguments
        .next()
        .map_or(Ok(Scene::Uniform), |name| name.parse())
        .expect("the name of a scene");
    let frames: usize = arguments
        .next()
        .map_or(Ok(20), |count| count.parse())
        .expect("a number of frames");
    let boxes = scene.generate(1_000_000, 1);
    let start = Instant::now();
    let mut checker = Checker::new(Config {
        backend: Backend::Cpu,
        ..Config::default()
    })?;
    let mut report = Report::default();
    checker.check_into(&boxes, &mut report)?;
    // The first time is of a new checker, which gets its memory.
    println!("{:.3}", start.elapsed().as_secs_f64() * 1e3);
    for _ in 0..frames {
        let start = Instant::now();
        checker.check_into(&boxes, &mut report)?;
        println!("{:.3}", start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(())
}
