//! The cost of spheres, capsules and mixed kinds compared with boxes: whole checks on the CPU
//! backend.
//!
//! ```text
//! cargo bench --bench bodies -- [--count N] [--repeats K] [--threads T] [SCENE]...
//! ```
//!
//! Without scenes: boxes (`uniform`), spheres, capsules and mixed kinds with equally many pairs per
//! body, and spheres that all touch. The repeats alternate between the scenes, so that other load
//! on the machine slows all of them alike; the minimum of each counts. "of boxes" is the time
//! relative to that of the boxes. The time of mixed kinds is also compared with the sum of a third
//! of each of the pure scenes.

use std::time::Instant;

use obbligato::{Backend, Checker, Config, Report, shape::OwnedBodies};
use obbligato_support::count::parse_count;
use obbligato_verify::scenes::{BodyScene, Scene};

const SEED: u64 = 1;

/// A scene, its checker, and its fastest check.
struct Row {
    scene: BodyScene,
    bodies: OwnedBodies,
    checker: Checker,
    best: Option<(f64, Report)>,
}

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let (mut scenes, mut count, mut repeats, mut threads, mut timed) = (Vec::new(), None, None, 1, false);
    while let Some(argument) = arguments.next() {
        let mut number = || {
            let text = arguments.next().ok_or("missing number")?;
            parse_count(&text).map_err(|problem| format!("{text}: {problem}"))
        };
        match argument.as_str() {
            "--count" => count = Some(number()?),
            "--repeats" => repeats = Some(number()?.max(1)),
            "--threads" => threads = number()?.max(1),
            // `cargo bench` passes this; `cargo test --benches`, which only checks that this runs,
            // does not.
            "--bench" => timed = true,
            "--test" => timed = false,
            name => scenes.push(name.parse::<BodyScene>()?),
        }
    }
    if scenes.is_empty() {
        scenes.push(Scene::Uniform.into());
        scenes.extend([
            BodyScene::Spheres,
            BodyScene::Capsules,
            BodyScene::MixedKinds,
            BodyScene::Lattice,
        ]);
    }
    let count = count.unwrap_or(if timed { 1_000_000 } else { 2_000 });
    let repeats = repeats.unwrap_or(if timed { 7 } else { 1 });
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .map_err(|problem| problem.to_string())?;
    let row = |scene: BodyScene| {
        let config = Config {
            backend: Backend::Cpu,
            ..Config::default()
        };
        Ok(Row {
            scene,
            bodies: scene.bodies(count, SEED),
            checker: Checker::new(config).map_err(|problem| problem.to_string())?,
            best: None,
        })
    };
    let mut rows = scenes.into_iter().map(row).collect::<Result<Vec<Row>, String>>()?;
    // The first check allocates its memory.
    for _ in 0..=repeats {
        for row in &mut rows {
            let start = Instant::now();
            let report = row
                .checker
                .check(row.bodies.all())
                .map_err(|problem| problem.to_string())?;
            let time = start.elapsed().as_secs_f64() * 1e3;
            if row.best.as_ref().is_none_or(|(best, _)| time < *best) {
                row.best = Some((time, report));
            }
        }
    }
    println!("{count} bodies, threads: {threads}, milliseconds, least of {repeats}");
    print_all(&rows);
    Ok(())
}

/// Prints all rows, and the time of mixed kinds compared with that of each.
fn print_all(rows: &[Row]) {
    let time_of = |scene: BodyScene| {
        let row = rows.iter().find(|row| row.scene == scene)?;
        Some(row.best.as_ref()?.0)
    };
    for row in rows {
        print(row, time_of(Scene::Uniform.into()));
    }
    let pure = [Scene::Uniform.into(), BodyScene::Capsules, BodyScene::Spheres].map(time_of);
    if let ([Some(boxes), Some(capsules), Some(spheres)], Some(mixed)) = (pure, time_of(BodyScene::MixedKinds)) {
        let sum = (boxes + capsules + spheres) / 3.0;
        println!("mixed kinds take {:.2} of a third of each ({sum:.1})", mixed / sum);
    }
}

fn print(row: &Row, boxes: Option<f64>) {
    let Some((time, report)) = &row.best else { return };
    let ratio = boxes.map_or(String::new(), |boxes| format!("{:.2} of boxes", time / boxes));
    let steps = report.timings.wall.iter();
    let steps: Vec<String> = steps
        .map(|(stage, time)| format!("{} {time:.1}", stage.name()))
        .collect();
    println!(
        "  {:<12} {time:>8.1}  {ratio:<14} {:>9} candidates {:>8} pairs {:>8} undecided, {} after f64   {}",
        row.scene.name(),
        report.candidate_pairs,
        report.colliding_pairs,
        report.undecided_pairs,
        report.undecided_after_f64,
        steps.join(", ")
    );
}
