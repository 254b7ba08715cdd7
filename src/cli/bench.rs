//! `obbligato bench`: named scenes, timed and verified.

use obbligato::{Checker, Config, scenes::Scene};
use serde_json::{Map, Value, json};

use super::{
    args::{BenchArguments, DEFAULT_SEED, PrecisionName},
    compare::{self, Verdict},
    engine,
    failure::Failure,
    generate, json,
    measure::{self, Measurement, Time},
    output::{self, Sink},
    progress::Progress,
    table::{self, Align, Column, grouped},
};

/// The rows where neither scenes nor counts were asked for: how the time grows with the boxes, and how it depends on
/// what they are like. Two slow cores are through with it in less than a minute.
const SELECTION: [(Scene, usize); 6] = [
    (Scene::Uniform, 10_000),
    (Scene::Uniform, 100_000),
    (Scene::Uniform, 1_000_000),
    (Scene::Dense, 100_000),
    (Scene::Mixed, 100_000),
    (Scene::Crowd, 100_000),
];

/// The scenes where only counts were asked for, and the counts where only scenes were.
const SCENES: [Scene; 4] = [Scene::Uniform, Scene::Dense, Scene::Mixed, Scene::Crowd];
const COUNTS: [usize; 2] = [10_000, 100_000];

const COLUMNS: [Column; 13] = [
    Column("scene", 10, Align::Left),
    Column("boxes", 11, Align::Right),
    Column("candidates", 12, Align::Right),
    Column("pairs", 12, Align::Right),
    Column("touching", 10, Align::Right),
    Column("undecided", 9, Align::Right),
    Column("checksum", 16, Align::Right),
    Column("gpu ms", 9, Align::Right),
    Column("median ms", 10, Align::Right),
    Column("min ms", 10, Align::Right),
    Column("boxes/s", 8, Align::Right),
    Column("frames", 6, Align::Right),
    Column("verified", 8, Align::Left),
];

pub fn run(arguments: &BenchArguments) -> Result<(), Failure> {
    let config = Config {
        precision: arguments.precision.precision(),
        ..arguments.backend.config()?
    };
    let files: Vec<_> = [arguments.json.as_ref().and_then(Sink::path), arguments.csv.as_deref()]
        .into_iter()
        .flatten()
        .collect();
    output::check_paths(&files, &[])?;

    let mut checker = engine::checker(config)?;
    let show = |text: &str| match arguments.json {
        Some(Sink::Stdout) => Ok(()),
        // The files were asked for too, and come even if nobody looks at the table any more.
        _ => match output::print(text) {
            Err(Failure::ClosedPipe) if !files.is_empty() => Ok(()),
            printed => printed,
        },
    };
    let device = engine::describe(checker.engine());
    show(&format!(
        "{device}; {}\n\n{}",
        checker.choice(),
        table::headings(&COLUMNS)
    ))?;
    let mut rows = Vec::new();
    for (scene, count) in selection(arguments) {
        let progress = Progress::bar(u64::from(measure::most_frames(arguments.frames)));
        let row = time(&mut checker, scene, count, arguments, &progress)?;
        drop(progress);
        show(&table::row(&COLUMNS, &row.cells()))?;
        rows.push(row);
    }

    if let Some(path) = &arguments.csv {
        output::write_whole(path, &csv(&rows)?)?;
    }
    if let Some(sink) = &arguments.json {
        let rows: Vec<_> = rows.iter().map(Row::json).collect();
        sink.write(&format!("{:#}\n", Value::from(rows)))?;
    }
    judge(&rows)
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
    scene: Scene,
    count: usize,
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
        _ if !measured.steady => Some(Verdict::Differs("its frames differ from one another".into())),
        // Nothing is promised about pairs that nearly touch, so there is nothing to hold it against.
        PrecisionName::Fast => None,
        PrecisionName::Exact => Some(compare::quick(&boxes, &measured.report)?),
        PrecisionName::Conservative => Some(compare::quick_superset(&boxes, &measured.report)),
    };
    Ok(Row {
        scene,
        precision: arguments.precision,
        measured,
        verdict,
    })
}

/// The failure that the first row with a difference is.
fn judge(rows: &[Row]) -> Result<(), Failure> {
    for row in rows {
        if let Some(Verdict::Differs(how)) = &row.verdict {
            let (scene, count) = (row.scene.name(), row.measured.report.boxes);
            return Err(Failure::Difference(format!(
                "{scene} {count}: {how}; `obbligato verify --scene {scene} --count {count}` says more"
            )));
        }
    }
    Ok(())
}

/// One scene at one size, timed.
struct Row {
    scene: Scene,
    precision: PrecisionName,
    measured: Measurement,
    /// `None` where no verification was wanted or possible.
    verdict: Option<Verdict>,
}

impl Row {
    fn verified(&self) -> Option<bool> {
        self.verdict.as_ref().map(|verdict| *verdict == Verdict::Agrees)
    }

    /// How many of something a second the median frame does.
    fn per_second(&self, number: f64) -> Option<f64> {
        let median = self.measured.wall.median;
        (median > 0.0).then(|| number / (median / 1e3))
    }

    /// Of the candidate pairs, those that f32 could not decide. `None` where they are not asked for.
    fn undecided_rate(&self) -> Option<f64> {
        let report = &self.measured.report;
        let rate = report.undecided_pairs as f64 / report.candidate_pairs.max(1) as f64;
        (self.precision == PrecisionName::Exact).then_some(rate)
    }

    fn cells(&self) -> Vec<String> {
        let Measurement { report, wall, .. } = &self.measured;
        let boxes_per_s = self.per_second(report.boxes as f64);
        vec![
            self.scene.name().into(),
            grouped(report.boxes as u64),
            grouped(report.candidate_pairs),
            grouped(report.colliding_pairs),
            report.touching_pairs.map_or("-".into(), grouped),
            self.undecided_rate().map_or("-".into(), table::share),
            format!("{:016x}", self.measured.checksum),
            self.measured
                .gpu_total
                .map_or("-".into(), |time| format!("{:.3}", time.median)),
            format!("{:.3}", wall.median),
            format!("{:.3}", wall.minimum),
            boxes_per_s.map_or("-".into(), table::rate),
            self.measured.frames.to_string(),
            match self.verified() {
                Some(true) => "yes",
                Some(false) => "NO",
                None => "not run",
            }
            .into(),
        ]
    }

    fn json(&self) -> Value {
        let Measurement { report, wall, .. } = &self.measured;
        json!({
            "scene": self.scene.name(),
            "boxes": report.boxes,
            "backend": engine::backend(&report.engine),
            "adapter": engine::adapter(&report.engine),
            "driver": engine::driver(&report.engine),
            "frames": self.measured.frames,
            "candidate_pairs": report.candidate_pairs,
            "colliding_pairs": report.colliding_pairs,
            "touching_pairs": report.touching_pairs,
            "undecided_pairs": report.undecided_pairs,
            "undecided_after_f64": report.undecided_after_f64,
            "undecided_rate": self.undecided_rate(),
            "precision": self.precision.name(),
            "checksum": json::checksum(self.measured.checksum),
            "verified": self.verified(),
            "gpu_ms": object(&self.measured.gpu, |time| time.median),
            "gpu_min_ms": object(&self.measured.gpu, |time| time.minimum),
            "gpu_total_ms": self.measured.gpu_total.map(|time| json::milliseconds(time.median)),
            "gpu_total_min_ms": self.measured.gpu_total.map(|time| json::milliseconds(time.minimum)),
            "wall_ms": json::milliseconds(wall.median),
            "wall_min_ms": json::milliseconds(wall.minimum),
            "stages_ms": object(&self.measured.stages, |time| time.median),
            "stages_min_ms": object(&self.measured.stages, |time| time.minimum),
            "boxes_per_s": self.per_second(report.boxes as f64).map(|rate| rate.round() as u64),
            "pairs_per_s": self.per_second(report.colliding_pairs as f64).map(|rate| rate.round() as u64),
            "device_bytes": report.device_bytes,
        })
    }
}

fn object(times: &[(&'static str, Time)], value: impl Fn(&Time) -> f64) -> Value {
    let entries = times
        .iter()
        .map(|(name, time)| ((*name).to_owned(), json::milliseconds(value(time))));
    Value::Object(Map::from_iter(entries))
}

/// The rows as CSV: the columns of the JSON, with a column for every stage of any row.
fn csv(rows: &[Row]) -> Result<String, Failure> {
    let rows: Vec<_> = rows.iter().map(|row| flat(&row.json())).collect();
    let mut names: Vec<&String> = Vec::new();
    for name in rows.iter().flat_map(Map::keys) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    let written = writer.write_record(&names).and_then(|()| {
        rows.iter().try_for_each(|row| {
            let field = |name: &&String| row.get(*name).map_or(String::new(), plain);
            writer.write_record(names.iter().map(field))
        })
    });
    let text = written
        .ok()
        .and_then(|()| writer.into_inner().ok())
        .map(String::from_utf8);
    match text {
        Some(Ok(text)) => Ok(text),
        _ => Err(Failure::Input("the rows cannot be put as CSV: take --json".into())),
    }
}

/// Objects in an object become columns: `gpu_ms: {sort: 1}` is `gpu_ms.sort`.
fn flat(row: &Value) -> Map<String, Value> {
    let mut columns = Map::new();
    for (name, value) in row.as_object().into_iter().flatten() {
        match value {
            Value::Object(inner) => {
                let inner = inner
                    .iter()
                    .map(|(part, value)| (format!("{name}.{part}"), value.clone()));
                columns.extend(inner);
            }
            _ => {
                columns.insert(name.clone(), value.clone());
            }
        }
    }
    columns
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
