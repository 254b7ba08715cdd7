//! Space that repeats: how much longer a check takes than that of the same scene in open space.
//!
//! ```text
//! [RAYON_NUM_THREADS=1] cargo bench --bench periodic -- [SCENE]... [COUNT]
//! ```
//!
//! Prints milliseconds of `Checker::check` on the CPU, from boxes to sorted pairs, the minimum of
//! several rounds that alternate between both, and their ratio. The period is the extent of the
//! centers, so the scene fills a cell. "moved" is the same scene with every box in another cell, so
//! that most pairs have an image. Without arguments, 1,000,000 boxes of `uniform` and `bricks`.
use std::time::Duration;

use obbligato::glam::DVec3;
use obbligato::{Backend, Checker, Config, Obb, Output, Period, Query};
use obbligato_support::count::parse_count;
use obbligato_verify::scenes::Scene;

const SEED: u64 = 1;
const ROUNDS: usize = 7;

fn main() -> Result<(), String> {
    let (mut scenes, mut count, mut timed) = (Vec::new(), 1_000_000, false);
    for word in std::env::args().skip(1) {
        match word.as_str() {
            "--bench" => timed = true,
            "--test" => timed = false,
            name => match Scene::ALL.into_iter().find(|scene| scene.name() == name) {
                Some(scene) => scenes.push(scene),
                None => count = parse_count(name)?,
            },
        }
    }
    if scenes.is_empty() {
        scenes = vec![Scene::Uniform, Scene::Bricks];
    }
    // `cargo test --benches` only checks that this runs.
    let (count, rounds) = if timed { (count, ROUNDS) } else { (1_000, 1) };
    println!("{count} boxes, ms: open, periodic, ratio, moved");
    for scene in scenes {
        let boxes = scene.generate(count, SEED);
        let [open, periodic, moved] = measure(&boxes, rounds).map_err(|error| error.to_string())?;
        let ratio = periodic.as_secs_f64() / open.as_secs_f64();
        let [open, periodic, moved] = [open, periodic, moved].map(|time| time.as_secs_f64() * 1e3);
        println!("{:10} {open:9.1} {periodic:9.1} {ratio:6.3} {moved:9.1}", scene.name());
    }
    Ok(())
}

/// Returns the times in open space, in space that repeats, and with every box in another cell.
fn measure(boxes: &[Obb], rounds: usize) -> obbligato::Result<[Duration; 3]> {
    let centers = || boxes.iter().map(|obb| obb.center.as_dvec3());
    let [low, high] = [centers().reduce(DVec3::min), centers().reduce(DVec3::max)].map(Option::unwrap_or_default);
    let widest = boxes.iter().map(|obb| obb.half_extents.length()).fold(0.0, f32::max);
    // A whole number, so that moved boxes are where they were, up to rounding.
    let length = (high - low).max(DVec3::splat(f64::from(3.0 * widest))).floor() + 1.0;
    let period = Period::new(length.to_array().map(Some));
    let place = |(k, obb): (usize, &Obb)| {
        let way = DVec3::new((k % 3) as f64 - 1.0, (k / 3 % 3) as f64 - 1.0, 0.0);
        Obb {
            center: (obb.center.as_dvec3() + length * way).as_vec3(),
            ..*obb
        }
    };
    let moved: Vec<Obb> = boxes.iter().enumerate().map(place).collect();
    let mut checker = Checker::new(Config {
        backend: Backend::Cpu,
        output: Output::Pairs,
        ..Config::default()
    })?;
    let mut times = [Duration::MAX; 3];
    for _ in 0..rounds {
        let queries = [
            Query::from(boxes),
            Query::from(boxes).periodic(period),
            Query::from(&moved).periodic(period),
        ];
        for (time, query) in times.iter_mut().zip(queries) {
            let start = std::time::Instant::now();
            checker.check(query)?;
            *time = start.elapsed().min(*time);
        }
    }
    Ok(times)
}
