//! `obbligato bench`: named scenes, timed and verified.

mod plot;
mod row;

use std::{path::Path, time::Instant};

use obbligato::{Checker, Config, Engine, Obb, Operations, Output, scenes::Scene, unstable::output::write_text};
use serde_json::Value;

use super::{
    args::{BenchArguments, DEFAULT_SEED, PrecisionName},
    compare::{self, Verdict},
    date, engine,
    failure::Failure,
    generate, measure,
    output::{self, Sink},
    progress::Progress,
    table::{self, grouped},
};
use row::{COLUMNS, Row, Setting};

/// The default rows: they show how the time grows with the number of boxes and how it depends on the scene. Two slow
/// cores finish them in less than a minute.
const SELECTION: [(Scene, usize); 6] = [
    (Scene::Uniform, 10_000),
    (Scene::Uniform, 100_000),
    (Scene::Uniform, 1_000_000),
    (Scene::Dense, 100_000),
    (Scene::Mixed, 100_000),
    (Scene::Crowd, 100_000),
];

/// The scenes if only counts were given, and the counts if only scenes were.
const SCENES: [Scene; 4] = [Scene::Uniform, Scene::Dense, Scene::Mixed, Scene::Crowd];
const COUNTS: [usize; 2] = [10_000, 100_000];

pub fn run(arguments: &BenchArguments) -> Result<(), Failure> {
    let config = Config {
        precision: arguments.precision.precision(),
        ..arguments.backend.config()?
    };
    let files = outputs(arguments)?;

    let start = Instant::now();
    let mut checker = engine::best_checker(config.clone())?;
    let startup = start.elapsed().as_secs_f64() * 1e3;
    let setting = Setting {
        date: date::today(),
        startup,
        bandwidth: checker.memory_bandwidth()?,
    };
    let show = |text: &str| match arguments.json {
        Some(Sink::Stdout) => Ok(()),
        // Write the requested files even if nobody reads the table any more.
        _ => match output::print(text) {
            Err(Failure::ClosedPipe) if !files.is_empty() => Ok(()),
            printed => printed,
        },
    };
    show(&format!(
        "{}\n\n{}",
        head(&checker, &setting),
        table::headings(&COLUMNS)
    ))?;
    let mut rows = Vec::new();
    for (scene, count) in selection(arguments) {
        let progress = Progress::bar(u64::from(measure::most_frames(arguments.frames)));
        let row = time(&mut checker, &config, (scene, count), arguments, &progress)?;
        drop(progress);
        show(&table::row(&COLUMNS, &row.cells()))?;
        rows.push(row);
    }

    if let Some(path) = &arguments.csv {
        write_text(path, &row::csv(&rows, &setting)?)?;
    }
    if let Some(path) = &arguments.plot {
        write_text(path, &plot::svg(&rows, &device(checker.engine()))?)?;
    }
    if let Some(sink) = &arguments.json {
        let rows: Vec<_> = rows.iter().map(|row| row.json(&setting)).collect();
        sink.write(&format!("{:#}\n", Value::from(rows)))?;
    }
    judge(&rows)
}

/// The files to write, after checking that they can be written.
fn outputs(arguments: &BenchArguments) -> Result<Vec<&Path>, Failure> {
    let json = arguments.json.as_ref().and_then(Sink::path);
    let files: Vec<_> = [json, arguments.csv.as_deref(), arguments.plot.as_deref()]
        .into_iter()
        .flatten()
        .collect();
    output::check_paths(&files, &[])?;
    match &arguments.plot {
        Some(path)
            if path
                .extension()
                .is_none_or(|ending| !ending.eq_ignore_ascii_case("svg")) =>
        {
            Err(Failure::Input(format!(
                "{}: plots are SVG: use a file name that ends in .svg",
                output::shown(path)
            )))
        }
        _ => Ok(files),
    }
}

/// Where the rows are measured, why there, and how long start-up took.
fn head(checker: &Checker, setting: &Setting) -> String {
    let mut text = format!(
        "{}; {}; start-up {:.1} ms",
        device(checker.engine()),
        checker.choice(),
        setting.startup
    );
    if let Some(rate) = setting.bandwidth {
        text += &format!("; memory {:.1} GB/s", rate / 1e9);
    }
    text
}

/// The device, and a note if its times say nothing about hardware.
fn device(engine: &Engine) -> String {
    let device = engine::describe(engine);
    match engine::is_hardware(engine) {
        true => device,
        false => format!("{device}, unmeasured on hardware"),
    }
}

/// What to time.
fn selection(arguments: &BenchArguments) -> Vec<(Scene, usize)> {
    let (scenes, counts) = match (&arguments.scenes[..], &arguments.counts[..]) {
        ([], []) => return SELECTION.to_vec(),
        ([], counts) => (&SCENES[..], counts),
        (scenes, []) => (scenes, &COUNTS[..]),
        (scenes, counts) => (scenes, counts),
    };
    let row = |&scene| counts.iter().map(move |&count| (scene, count));
    scenes.iter().flat_map(row).collect()
}

fn time(
    checker: &mut Checker,
    config: &Config,
    (scene, count): (Scene, usize),
    arguments: &BenchArguments,
    progress: &Progress,
) -> Result<Row, Failure> {
    let name = format!("{} {}", scene.name(), grouped(count as u64));
    progress.stage(name.clone());
    let boxes = generate::scene(scene, count, DEFAULT_SEED)?;
    let measured = measure::measure(checker, &boxes, arguments.frames, progress)?;
    progress.stage(format!("verifying {name}"));
    let verdict = match arguments.precision {
        _ if arguments.no_verify => None,
        _ if !measured.steady => Some(Verdict::Differs("its frames differ from each other".into())),
        // Fast promises nothing about pairs that nearly touch, so there is nothing to verify.
        PrecisionName::Fast => None,
        PrecisionName::Exact => Some(compare::quick(&boxes, &measured.report)?),
        PrecisionName::Conservative => Some(compare::quick_superset(&boxes, &measured.report)?),
    };
    Ok(Row {
        scene,
        precision: arguments.precision,
        operations: operations(config, &boxes)?,
        measured,
        verdict,
    })
}

/// Counts the broad phase's work on these boxes, in a separate call that is not timed.
fn operations(config: &Config, boxes: &[Obb]) -> Result<Option<Operations>, Failure> {
    let mut counting = Checker::new(Config {
        output: Output::Count,
        count_operations: true,
        ..config.clone()
    })?;
    Ok(counting.check(boxes)?.operations)
}

/// Fails with the first row that differs.
fn judge(rows: &[Row]) -> Result<(), Failure> {
    for row in rows {
        if let Some(Verdict::Differs(how)) = &row.verdict {
            let (scene, count) = (row.scene.name(), row.measured.report.boxes);
            return Err(Failure::Difference(format!(
                "{scene} {count}: {how}; run `obbligato verify --scene {scene} --count {count}` for details"
            )));
        }
    }
    Ok(())
}
