//! `obbligato check`: the colliding pairs of a file.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    time::Instant,
};

use obbligato::Query;
use obbligato::{
    Checker, ClosestPoints, Config, Contacts, Direction, Error, Pair, Report, Stage, checksum, closest_points,
    contacts,
    files::{self, SceneFile},
    unstable::memory,
};
use serde_json::{Map, Value, json};

use super::{
    args::{CheckArguments, PrecisionName},
    engine,
    failure::Failure,
    json,
    output::{self, Sink},
    progress::Progress,
    table::{counted, grouped},
};

/// The steps whose times are always in the JSON, 0 if a step does not exist.
const STEPS: [Stage; 6] = [
    Stage::Upload,
    Stage::Bounds,
    Stage::Broad,
    Stage::Narrow,
    Stage::Exact,
    Stage::Readback,
];

/// What memory is for.
const ROWS: &str = "the rows of a table";

pub fn run(arguments: &CheckArguments) -> Result<(), Failure> {
    let config = Config {
        precision: arguments.precision.precision(),
        margin: arguments.margin,
        ..arguments.backend.config()?
    };
    check_outputs(arguments)?;

    let progress = Progress::spinner("reading");
    let start = Instant::now();
    let read = |file: &Path| files::read_scene(file, arguments.frame);
    let scenes = Scenes {
        scene: read(&arguments.file)?,
        against: arguments.against.as_deref().map(read).transpose()?,
    };
    let load = start.elapsed().as_secs_f64() * 1e3;
    progress.stage("checking");
    let mut checker = Checker::new(config)?;
    let report = match &scenes.against {
        Some(against) => checker.check(Query::between(scenes.scene.set(), against.set()))?,
        None => checker.check(scenes.scene.set())?,
    };
    engine::warn(&checker);

    progress.stage("writing");
    let answer = Answer::new(&report, &scenes, load, arguments)?;
    write_results(arguments, &scenes, &report, &answer)?;
    drop(progress);

    if let Some(sink) = &arguments.json {
        sink.write(&format!("{:#}\n", answer.json(&report)))?;
    }
    match arguments.json {
        Some(Sink::Stdout) => Ok(()),
        _ => output::print(&answer.summary(&report)),
    }
}

/// The boxes of FILE, and of FILE_B if there is one.
struct Scenes {
    scene: SceneFile,
    against: Option<SceneFile>,
}

impl Scenes {
    /// The pairs with the ids from the files.
    fn named<'a>(&self, pairs: &'a [Pair]) -> Result<Cow<'a, [Pair]>, Error> {
        Ok(match &self.against {
            Some(against) if self.scene.ids.is_some() || against.ids.is_some() => {
                self.scene.pairs_of_ids_with(against, pairs)?.into()
            }
            None if self.scene.ids.is_some() => self.scene.pairs_of_ids(pairs)?.into(),
            _ => pairs.into(),
        })
    }

    /// The rows belong to the boxes of FILE.
    fn direction(&self) -> Direction {
        match self.against {
            Some(_) => Direction::AToB,
            None => Direction::Both,
        }
    }

    /// The boxes that a pair's `b` refers to.
    fn second(&self) -> &SceneFile {
        self.against.as_ref().unwrap_or(&self.scene)
    }

    /// The contacts of pairs, with ids and order as in [`Scenes::named`].
    fn contacts(&self, pairs: &[Pair]) -> Result<(Vec<Pair>, Contacts), Error> {
        let second = self.second();
        let row = |&pair: &Pair| {
            let (a, b) = (id(&self.scene, pair.a), id(second, pair.b));
            match self.against.is_none() && b < a {
                true => (Pair { a: b, b: a }, Pair { a: pair.b, b: pair.a }),
                false => (Pair { a, b }, pair),
            }
        };
        let mut rows = memory::collect(pairs.iter().map(row), ROWS)?;
        rows.sort_unstable_by_key(|(named, _)| *named);
        let named = memory::collect(rows.iter().map(|(named, _)| *named), ROWS)?;
        let positions = memory::collect(rows.iter().map(|(_, pair)| *pair), ROWS)?;
        drop(rows);
        let contacts = contacts([&self.scene.boxes, &second.boxes], &positions)?;
        Ok((named, contacts))
    }

    /// Pairs with their distances and closest points, with ids and order as in [`Scenes::named`].
    fn distances(&self, pairs: &[Pair]) -> Result<Vec<(Pair, ClosestPoints)>, Error> {
        let second = self.second();
        let closest = closest_points([&self.scene.boxes, &second.boxes], pairs)?;
        let row = |(pair, closest): (&Pair, ClosestPoints)| {
            let (a, b) = (id(&self.scene, pair.a), id(second, pair.b));
            match self.against.is_none() && b < a {
                true => (Pair { a: b, b: a }, closest.swapped()),
                false => (Pair { a, b }, closest),
            }
        };
        let mut rows = memory::collect(pairs.iter().zip(closest).map(row), ROWS)?;
        rows.sort_unstable_by_key(|(pair, _)| *pair);
        Ok(rows)
    }

    /// How many pairs each box of FILE is in.
    fn degrees(&self, pairs: &[Pair]) -> Result<Vec<u32>, Error> {
        let mut degrees = memory::collect(self.scene.boxes.iter().map(|_| 0), "the degrees")?;
        for pair in pairs {
            degrees[pair.a as usize] += 1;
            if self.against.is_none() {
                degrees[pair.b as usize] += 1;
            }
        }
        Ok(degrees)
    }
}

/// The id of the box at a position.
fn id(scene: &SceneFile, position: u32) -> u32 {
    match &scene.ids {
        Some(ids) => ids[position as usize],
        None => position,
    }
}

/// A report with the ids from the files.
struct Answer<'a> {
    scenes: &'a Scenes,
    pairs: Cow<'a, [Pair]>,
    degrees: Vec<u32>,
    load: f64,
    precision: PrecisionName,
    margin: f32,
}

impl<'a> Answer<'a> {
    fn new(report: &'a Report, scenes: &'a Scenes, load: f64, arguments: &CheckArguments) -> Result<Self, Error> {
        Ok(Self {
            scenes,
            pairs: scenes.named(report.pairs()?)?,
            degrees: scenes.degrees(report.pairs()?)?,
            load,
            precision: arguments.precision,
            margin: arguments.margin,
        })
    }

    /// The report for people.
    fn summary(&self, report: &Report) -> String {
        let free = self.degrees.iter().filter(|&&degree| degree == 0).count();
        let against = self.scenes.against.as_ref();
        let against = against.map(|scene| format!(", against {}", grouped(scene.boxes.len() as u64)));
        let lines = [
            ("device", engine::describe(&report.engine)),
            (
                "boxes",
                format!(
                    "{}, {} of them free{}",
                    grouped(self.degrees.len() as u64),
                    grouped(free as u64),
                    against.unwrap_or_default()
                ),
            ),
            ("candidate pairs", grouped(report.candidate_pairs)),
            ("colliding pairs", self.colliding(report)),
            ("precision", self.how_decided(report)),
            ("checksum", format!("{:016x}", checksum(&self.pairs))),
            (
                "time",
                format!(
                    "{:.3} ms, and {:.3} ms to read the file",
                    report.timings.total, self.load
                ),
            ),
        ];
        lines
            .iter()
            .map(|(name, value)| format!("{name:<16} {value}\n"))
            .collect()
    }

    fn colliding(&self, report: &Report) -> String {
        let touching = report.touching_pairs.map(grouped);
        let touching = touching.map(|number| format!(", {number} of them only touch"));
        let near = report.near_pairs.filter(|_| self.margin > 0.0).map(grouped);
        let near = near.map(|number| format!(", {number} of them only within {}", self.margin));
        grouped(report.colliding_pairs) + &touching.unwrap_or_default() + &near.unwrap_or_default()
    }

    /// The precision, and the arithmetic it needed.
    fn how_decided(&self, report: &Report) -> String {
        match self.precision {
            PrecisionName::Exact => format!(
                "exact: f32 left {} undecided, f64 {}",
                counted(report.undecided_pairs, "pair", "pairs"),
                grouped(report.undecided_after_f64)
            ),
            other => other.name().into(),
        }
    }

    /// The report for programs.
    fn json(&self, report: &Report) -> Value {
        let against = self.scenes.against.as_ref().map(|scene| scene.boxes.len());
        json!({
            "boxes": self.degrees.len(),
            "against_boxes": against,
            "candidate_pairs": report.candidate_pairs,
            "colliding_pairs": report.colliding_pairs,
            "touching_pairs": report.touching_pairs,
            "near_pairs": report.near_pairs,
            "margin": self.margin,
            "undecided_pairs": report.undecided_pairs,
            "undecided_after_f64": report.undecided_after_f64,
            "checksum": json::checksum(checksum(&self.pairs)),
            "complete": report.complete,
            "backend": engine::backend(&report.engine),
            "adapter": engine::adapter(&report.engine),
            "driver": engine::driver(&report.engine),
            "precision": self.precision.name(),
            "grid": json::grid(&report.grid),
            "timings_ms": self.timings(report),
        })
    }

    /// Wall times in milliseconds. The total includes reading the file.
    fn timings(&self, report: &Report) -> Value {
        let mut times = Map::new();
        times.insert("load".into(), json::milliseconds(self.load));
        for step in STEPS {
            times.insert(
                step.name().into(),
                json::milliseconds(report.timings.step(step).unwrap_or(0.0)),
            );
        }
        times.insert("total".into(), json::milliseconds(self.load + report.timings.total));
        Value::Object(times)
    }
}

/// The files that `--rows OUT` writes.
fn row_files(out: &Path) -> [PathBuf; 2] {
    [".offsets.npy", ".neighbours.npy"].map(|ending| output::with_ending(out, ending))
}

fn check_outputs(arguments: &CheckArguments) -> Result<(), Failure> {
    let rows = arguments.rows.as_deref().map(row_files);
    let json = arguments.json.as_ref().and_then(Sink::path);
    let tables = [arguments.pairs.as_deref(), arguments.marks.as_deref()];
    let tables: Vec<&Path> = tables.into_iter().flatten().collect();
    let distances = arguments.distances.as_deref();
    let contacts = arguments.contacts.as_deref();
    let rows = rows.iter().flatten().map(PathBuf::as_path);
    let outputs: Vec<&Path> = tables
        .iter()
        .copied()
        .chain(rows)
        .chain(json)
        .chain(distances)
        .chain(contacts)
        .collect();
    let inputs: Vec<&Path> = [Some(&arguments.file), arguments.against.as_ref()]
        .into_iter()
        .flatten()
        .map(PathBuf::as_path)
        .collect();
    output::check_paths(&outputs, &inputs)?;
    let stdin = inputs.iter().filter(|path| **path == Path::new("-"));
    if stdin.count() > 1 {
        return Err(Failure::Input(
            "stdin can be read only once: name a file for FILE or for --against".into(),
        ));
    }
    for path in tables {
        files::check_output_path(path)?;
    }
    distances.map_or(Ok(()), files::check_distances_path)?;
    contacts.map_or(Ok(()), files::check_contacts_path)?;
    Ok(())
}

fn write_results(
    arguments: &CheckArguments,
    scenes: &Scenes,
    report: &Report,
    answer: &Answer<'_>,
) -> Result<(), Failure> {
    if let Some(out) = &arguments.pairs {
        files::write_pairs(out, &answer.pairs)?;
    }
    if let Some(out) = &arguments.distances {
        files::write_distances(out, &scenes.distances(report.pairs()?)?)?;
    }
    if let Some(out) = &arguments.contacts {
        let (pairs, contacts) = scenes.contacts(report.pairs()?)?;
        files::write_contacts(out, &pairs, &contacts)?;
    }
    if let Some(out) = &arguments.marks {
        files::write_degrees(out, scenes.scene.ids.as_deref(), &answer.degrees)?;
    }
    if let Some(out) = &arguments.rows {
        files::write_rows(out, &report.adjacency(scenes.direction())?)?;
    }
    Ok(())
}
