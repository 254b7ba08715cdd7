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
//!
//! Without scenes, also a fiftieth as many upright capsules on a floor, alone and among walls of a
//! hundredth of their number.

use std::time::Instant;

use obbligato::glam::{Quat, Vec3};
use obbligato::{Backend, Bodies, Capsule, Checker, Config, Obb, Query, Report, shape::OwnedBodies};
use obbligato_support::count::parse_count;
use obbligato_support::split_mix::SplitMix;
use obbligato_verify::scenes::{BodyScene, Scene};

const SEED: u64 = 1;

/// The scenes without arguments.
const ALL: [BodyScene; 5] = [
    BodyScene::Boxes(Scene::Uniform),
    BodyScene::Spheres,
    BodyScene::Capsules,
    BodyScene::MixedKinds,
    BodyScene::Lattice,
];

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
    let is_all = scenes.is_empty();
    if is_all {
        scenes = ALL.to_vec();
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
    match is_all {
        true => floor(count / 50, repeats),
        false => Ok(()),
    }
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

/// Upright capsules on a floor, alone and among walls.
fn floor(count: usize, repeats: usize) -> Result<(), String> {
    let edge = 1.5 * (count as f64).sqrt() as f32;
    let mut random = SplitMix(1);
    let mut within = |least: f32, most: f32| least + (most - least) * random.unit() as f32;
    let mut place = || Vec3::new(within(0.0, edge), within(0.0, edge), 0.0);
    let capsule = |_| Capsule::new(place(), 0.6, Quat::IDENTITY, 0.3);
    let capsules: Vec<Capsule> = (0..count).map(capsule).collect();
    let centers: Vec<Vec3> = (0..count.div_ceil(100)).map(|_| place()).collect();
    let wall = |center| {
        let turn = Quat::from_rotation_z(within(0.0, std::f32::consts::TAU));
        Obb::new(center, Vec3::new(within(2.0, 10.0), 0.1, 1.5), turn)
    };
    let walls: Vec<Obb> = centers.into_iter().map(wall).collect();
    let alone = Bodies::from(&capsules);
    let among = Bodies { boxes: &walls, ..alone };
    let config = Config {
        backend: Backend::Cpu,
        ..Config::default()
    };
    for (name, query) in [
        ("alone", Query::from(alone)),
        ("among walls", Query::from(among)),
        ("with walls only", Query::between(alone, &walls)),
    ] {
        let mut checker = Checker::new(config.clone()).map_err(|problem| problem.to_string())?;
        let mut best: Option<Report> = None;
        for _ in 0..=10 * repeats {
            let report = checker.check(query).map_err(|problem| problem.to_string())?;
            if best
                .as_ref()
                .is_none_or(|best| report.timings.total < best.timings.total)
            {
                best = Some(report);
            }
        }
        if let Some(report) = best {
            println!(
                "{count} capsules on a floor, {} walls: {name:<16} {}",
                walls.len(),
                described(&report)
            );
        }
    }
    Ok(())
}

fn described(report: &Report) -> String {
    let steps = report.timings.wall.iter();
    let steps: Vec<String> = steps
        .map(|(stage, time)| format!("{} {time:.2}", stage.name()))
        .collect();
    format!(
        "{:>8.2}  {:>9} candidates {:>8} pairs {:>8} undecided, {} after f64   {}",
        report.timings.total,
        report.candidate_pairs,
        report.colliding_pairs,
        report.undecided_pairs,
        report.undecided_after_f64,
        steps.join(", ")
    )
}

fn print(row: &Row, boxes: Option<f64>) {
    let Some((time, report)) = &row.best else { return };
    let ratio = boxes.map_or(String::new(), |boxes| format!("{:.2} of boxes", time / boxes));
    println!(
        "  {:<12} {time:>8.1}  {ratio:<14} {}",
        row.scene.name(),
        described(report)
    );
}
