//! `obbligato solids`: the colliding pairs of convex solids.

use std::time::Instant;

use obbligato::{Checker, Config, Pair, Report, query::SolidQuery, report::checksum, shape::Solid};
use obbligato_files as files;
use obbligato_files::{Layout, PointGroups, ResultFile, Table};
use obbligato_support::memory;
use serde_json::{Value, json};

use super::{
    args::solids::SolidsArguments,
    engine,
    failure::Failure,
    json,
    output::{self, Sink},
    points::tell_rounding,
    progress::Progress,
    table::{facts, grouped},
};

pub fn run(arguments: &SolidsArguments) -> Result<(), Failure> {
    let config = Config {
        margin: arguments.margin,
        ..arguments.search.config()?
    };
    let [mut pairs_out, mut distances_out] = begin(arguments)?;

    let progress = Progress::spinner("reading");
    let start = Instant::now();
    let groups = files::read_points(&arguments.file, arguments.id_column.as_deref())?;
    tell_rounding(&arguments.file, &groups);
    let solids = Solid::from_each(&memory::collect(groups.iter(), "the points of solids")?)?;
    let load = start.elapsed().as_secs_f64() * 1e3;
    if let Some(out) = &pairs_out {
        out.check_group_ids(&groups)?;
    }
    progress.stage("checking");
    let mut checker = Checker::new(config)?;
    let report = checker.check(SolidQuery::new(&solids))?;
    engine::warn(&checker);
    let mut pairs = memory::collect(report.pairs()?.iter().copied(), "the pairs by their ids")?;
    groups.order()?.sort(&mut pairs)?;
    progress.stage("writing");
    if let Some(out) = &mut pairs_out {
        out.pairs_of_groups(&groups, &pairs)?;
    }
    if let Some(out) = &mut distances_out {
        out.distances_of_groups(&groups, &pairs, &Solid::closest_points_of(&solids, &pairs)?)?;
    }
    let files = [pairs_out, distances_out].into_iter().flatten();
    files.into_iter().try_for_each(ResultFile::finish)?;
    let found = Found {
        sum: sum(&groups, &pairs)?,
        points: groups.points.len(),
        margin: arguments.margin,
        report,
        load,
    };
    drop(progress);

    let tables = [&arguments.pairs, &arguments.distances].into_iter().flatten();
    let on_stdout = tables
        .into_iter()
        .find(|path| Sink::new((*path).clone()) == Sink::Stdout);
    let json = arguments.json.as_ref();
    output::show_beside(on_stdout.map(|path| &**path), json, || found.json(), || found.text())
}

/// Begins the files for pairs and distances, if requested, after checking that all outputs can be
/// written.
fn begin(arguments: &SolidsArguments) -> Result<[Option<ResultFile>; 2], Failure> {
    let paths = [arguments.pairs.as_deref(), arguments.distances.as_deref()];
    let json = arguments.json.as_ref().map(Sink::target);
    let outputs: Vec<_> = paths.into_iter().flatten().chain(json).collect();
    output::check_paths(&outputs, &[&arguments.file], &arguments.search.kept())?;
    let layout = || Layout {
        unnamed: arguments.format.format(),
        ..Layout::default()
    };
    let [pairs, distances] = paths;
    let file = |path: Option<_>, table| path.map(|path| ResultFile::new(path, table, layout())).transpose();
    Ok([file(pairs, Table::Pairs)?, file(distances, Table::Distances)?])
}

/// Returns the checksum as in `check`: over ids, if these are numbers, else over their ranks.
fn sum(groups: &PointGroups, pairs: &[Pair]) -> Result<u64, Failure> {
    let keys = groups.keys()?;
    let key = |position: u32| keys.as_ref().map_or(position, |keys| keys[position as usize]);
    let sums = pairs
        .iter()
        .map(|pair| checksum(&[Pair::new(key(pair.a), key(pair.b))]));
    Ok(sums.fold(0, u64::wrapping_add))
}

/// The data of the report.
struct Found {
    report: Report,
    points: usize,
    margin: f64,
    sum: u64,
    /// Milliseconds to read the file and to make the solids.
    load: f64,
}

impl Found {
    /// Returns the report as text.
    fn text(&self) -> String {
        let report = &self.report;
        let number = |count: Option<u64>| grouped(count.unwrap_or_default());
        let near = match self.margin > 0.0 {
            true => format!(", {} of them only within {}", number(report.near_pairs), self.margin),
            false => String::new(),
        };
        let touching = number(report.touching_pairs);
        let colliding = grouped(report.colliding_pairs);
        let time = report.timings.total;
        let lines = [
            ("device", engine::describe(&report.engine)),
            (
                "solids",
                format!(
                    "{}, of {} points",
                    grouped(report.boxes as u64),
                    grouped(self.points as u64)
                ),
            ),
            ("candidate pairs", grouped(report.candidate_pairs)),
            (
                "colliding pairs",
                format!("{colliding}, {touching} of them only touch{near}"),
            ),
            ("checksum", format!("{:016x}", self.sum)),
            (
                "time",
                format!(
                    "{time:.3} ms, and {:.3} ms to read the file and make the hulls",
                    self.load
                ),
            ),
        ];
        facts(&lines)
    }

    /// Returns the report as JSON.
    fn json(&self) -> Value {
        let report = &self.report;
        json!({
            "boxes": report.boxes,
            "points": self.points,
            "candidate_pairs": report.candidate_pairs,
            "colliding_pairs": report.colliding_pairs,
            "touching_pairs": report.touching_pairs,
            "near_pairs": report.near_pairs,
            "undecided_pairs": report.undecided_pairs,
            "checksum": json::checksum(self.sum),
            "margin": self.margin,
            "complete": report.complete,
            "backend": engine::backend(&report.engine),
            "adapter": engine::adapter(&report.engine),
            "driver": engine::driver(&report.engine),
            "precision": "exact",
            "broad_phase": json::broad_phase(report.broad_phase),
            "timings_ms": json::steps(self.load, &report.timings),
        })
    }
}
