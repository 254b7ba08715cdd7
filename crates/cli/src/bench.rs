//! `obbligato bench`: scenes, timed and verified.

mod change;
mod columns;
mod constants;
#[cfg(feature = "gpu")]
mod hardware;
#[cfg(feature = "gpu")]
mod kernels;
mod page;
mod peers;
mod plot;
#[cfg_attr(not(feature = "gpu"), path = "bench/no_gpu.rs")]
mod resident;
mod row;
mod samples;
mod subject;
mod timed;

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use obbligato::{Checker, Config, report::Engine};
use obbligato_files::output::write_text;
use obbligato_verify::scenes::{BodyScene, Scene};
use serde_json::Value;

use super::{
    args::bench::{BenchArguments, BenchOptions},
    args::values::DEFAULT_SEED,
    compare::Verdict,
    date, engine,
    failure::Failure,
    machine, measure,
    output::{self, Sink},
    progress::Progress,
    table::{self, grouped},
};
use change::{Changes, Older};
use page::{Page, Pictures};
use peers::Peers;
#[cfg(not(feature = "gpu"))]
use resident::{self as hardware, self as kernels};
use row::{COLUMNS, Row, Setting};
use subject::Subject;
use timed::{Manner, time};

/// The default rows: they show how the time grows with the number of boxes and how it depends on
/// the scene. Two slow cores finish them in less than a minute.
const SELECTION: [(BodyScene, usize); 6] = [
    (BodyScene::Boxes(Scene::Uniform), 10_000),
    (BodyScene::Boxes(Scene::Uniform), 100_000),
    (BodyScene::Boxes(Scene::Uniform), 1_000_000),
    (BodyScene::Boxes(Scene::Dense), 100_000),
    (BodyScene::Boxes(Scene::Mixed), 100_000),
    (BodyScene::Boxes(Scene::Crowd), 100_000),
];

/// The scenes if only counts were given, and the counts if only scenes were given.
const SCENES: [BodyScene; 4] = [
    BodyScene::Boxes(Scene::Uniform),
    BodyScene::Boxes(Scene::Dense),
    BodyScene::Boxes(Scene::Mixed),
    BodyScene::Boxes(Scene::Crowd),
];
const COUNTS: [usize; 2] = [10_000, 100_000];

pub fn run(arguments: &BenchArguments) -> Result<(), Failure> {
    constants::set()?;
    match &arguments.options.hardware {
        Some(folder) => hardware::run(folder, &arguments.options)?,
        None => run_rows(arguments)?,
    }
    constants::expect_used()
}

/// Times row after row.
fn run_rows(arguments: &BenchArguments) -> Result<(), Failure> {
    let options = &arguments.options;
    let config = Config {
        precision: options.precision.precision(),
        ..options.search.config()?
    };
    let files = outputs(arguments)?;
    let older = options.compare.as_deref().map(Older::read).transpose()?;
    let peers = options.peer_file.as_deref().map(Peers::read).transpose()?;

    let progress = Progress::spinner("starting");
    let start = Instant::now();
    let mut checker = engine::best_checker(config.clone())?;
    let startup = start.elapsed().as_secs_f64() * 1e3;
    let (rates, bandwidth) = rates(options, &mut checker)?;
    drop(progress);
    let setting = Setting {
        date: date::today(),
        cpu: machine::cpu(),
        startup,
        bandwidth,
    };
    let is_taken = [&options.json, &options.html].contains(&&Some(Sink::Stdout));
    let show = |text: &str| match is_taken {
        true => Ok(()),
        // Write the requested files even if the reader of the table has closed it.
        false => match output::print(text) {
            Err(Failure::ClosedPipe) if !files.is_empty() => Ok(()),
            printed => printed,
        },
    };
    let mut text = head(&checker, &setting);
    if let Some(rates) = &rates {
        text += &format!("\n{}", kernels::rates_line(rates));
    }
    let head = text;
    show(&format!("{head}\n\n{}", table::headings(&COLUMNS)))?;
    let manner = Manner::new(options, rates);
    let (rows, pictures) = time_all(&mut checker, &config, arguments, manner, &show)?;
    if let Some(peers) = &peers {
        show(&format!("\n{}", peers.text(&rows)))?;
    }
    let changes = older.map(|older| Changes::between(older, &rows, options.threshold));
    if let Some(changes) = &changes {
        show(&format!("\n{}", changes.text()))?;
        if is_taken {
            changes.note_gone();
        }
    }
    let peers = peers.unwrap_or_default();
    let measured = Measured {
        rows: &rows,
        setting: &setting,
        head: &head,
        device: &device(checker.engine()),
        pictures: &pictures.drawn,
    };
    write_files(options, &measured, (changes.as_ref(), &peers))?;
    judge(&rows)?;
    changes.and_then(|changes| changes.failure()).map_or(Ok(()), Err)
}

/// Returns the rates of the device, if they are measured, and the bandwidth of its memory.
fn rates(
    options: &BenchOptions,
    checker: &mut Checker,
) -> Result<(Option<resident::DeviceRates>, Option<f64>), Failure> {
    Ok(match options.resident {
        true => {
            let rates = resident::rates(checker)?;
            (rates, rates.as_ref().map(resident::bandwidth))
        }
        false => (None, resident::memory_bandwidth(checker)?),
    })
}

/// Times all rows, and shows each as soon as it is measured.
fn time_all(
    checker: &mut Checker,
    config: &Config,
    arguments: &BenchArguments,
    manner: Manner,
    show: &dyn Fn(&str) -> Result<(), Failure>,
) -> Result<(Vec<Row>, Pictures), Failure> {
    let options = &arguments.options;
    let mut rows = Vec::new();
    let mut pictures = Pictures::default();
    for subject in subjects(arguments) {
        let progress = Progress::spinner(subject.loading());
        let scene = subject.load()?;
        drop(progress);
        let progress = Progress::bar(u64::from(measure::most_frames(options.frames)));
        let row = time(checker, config, (&subject, &scene), manner, &progress)?;
        if options.html.is_some() {
            progress.stage("drawing");
            pictures.add(&row, scene.bodies())?;
        }
        drop(progress);
        show(&table::row(&COLUMNS, &row.cells()))?;
        rows.push(row);
    }
    for row in &rows {
        if let Some(kernels) = row.kernels() {
            show(&format!("\n{kernels}"))?;
        }
    }
    Ok((rows, pictures))
}

/// Returns the files to write, after checking that they can be written.
fn outputs(arguments: &BenchArguments) -> Result<Vec<&Path>, Failure> {
    let options = &arguments.options;
    let reports = [&options.json, &options.html].map(|sink| sink.as_ref().map(Sink::target));
    let others = [&options.csv, &options.samples, &options.plot].map(Option::as_deref);
    let files: Vec<_> = reports.into_iter().chain(others).flatten().collect();
    let inputs = [&arguments.file, &options.compare, &options.peer_file];
    let inputs: Vec<_> = inputs.into_iter().flatten().collect();
    let inputs: Vec<&Path> = inputs.into_iter().map(PathBuf::as_path).collect();
    output::check_paths(&files, &inputs, &options.search.kept())?;
    match &options.plot {
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

/// The rows, and their common facts.
struct Measured<'a> {
    rows: &'a [Row],
    setting: &'a Setting,
    head: &'a str,
    device: &'a str,
    pictures: &'a [(String, maud::Markup)],
}

fn write_files(
    options: &BenchOptions,
    measured: &Measured<'_>,
    (changes, peers): (Option<&Changes>, &Peers),
) -> Result<(), Failure> {
    let &Measured { rows, setting, .. } = measured;
    let row = |(number, row): (usize, &Row)| {
        let change = changes.map_or(Value::Null, |all| all.json(number));
        row.json(setting, change, peers.json(row))
    };
    let json: Vec<Value> = rows.iter().enumerate().map(row).collect();
    if let Some(path) = &options.csv {
        write_text(path, &columns::csv(&json)?)?;
    }
    if let Some(path) = &options.samples {
        write_text(path, &samples::csv(rows)?)?;
    }
    if let Some(path) = &options.plot {
        write_text(path, &plot::svg(rows, measured.device)?)?;
    }
    if let Some(sink) = &options.html {
        let plot = plot::svg(rows, measured.device)?;
        let page = Page {
            head: measured.head,
            rows,
            json: &json,
            plot: &plot,
            pictures: measured.pictures,
        };
        output::write_page(Some(sink), || Ok(page.html()))?;
    }
    match &options.json {
        Some(sink) => sink.write_json(&Value::from(json)),
        None => Ok(()),
    }
}

/// Describes the device of the rows, the reason for its choice, and the start-up time.
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

/// Returns the device, with a note if its times do not represent hardware.
fn device(engine: &Engine) -> String {
    let device = engine::describe(engine);
    match engine::is_hardware(engine) {
        Some(false) => format!("{device}, unmeasured on hardware"),
        _ => device,
    }
}

/// Returns the subjects to time.
fn subjects(arguments: &BenchArguments) -> Vec<Subject> {
    if let Some(file) = &arguments.file {
        return vec![Subject::File(file.clone(), arguments.frame)];
    }
    let options = &arguments.options;
    let seed = options.seed.unwrap_or(DEFAULT_SEED);
    let (scenes, counts) = match (&options.scenes[..], &options.counts[..]) {
        ([], []) => {
            let named = |(scene, count)| Subject::Named(scene, count, seed);
            return SELECTION.into_iter().map(named).collect();
        }
        ([], counts) => (&SCENES[..], counts),
        (scenes, []) => (scenes, &COUNTS[..]),
        (scenes, counts) => (scenes, counts),
    };
    let row = |&scene| counts.iter().map(move |&count| Subject::Named(scene, count, seed));
    scenes.iter().flat_map(row).collect()
}

/// Fails with the first row that differs.
fn judge(rows: &[Row]) -> Result<(), Failure> {
    for row in rows {
        if let Some(Verdict {
            difference: Some(how), ..
        }) = &row.verdict
        {
            return Err(Failure::Difference(format!(
                "{} {}: {how}; run `{}` for details",
                row.subject.name(),
                grouped(row.measured.report.boxes as u64),
                row.subject.verify()
            )));
        }
    }
    Ok(())
}
