//! `obbligato neighbours`: the nearest bodies of each body.

use std::path::{Path, PathBuf};
use std::time::Instant;

use obbligato::{Checker, Set, query::NeighbourQuery, report::Neighbours};
use obbligato_files as files;
use obbligato_files::{Layout, ReadOptions, ResultFile, SceneFile, Table, output::is_stdout};

use super::{
    args::neighbours::{By, NeighboursArguments},
    engine,
    failure::Failure,
    output, period,
    progress::Progress,
    table::{self, facts, grouped},
};

pub fn run(arguments: &NeighboursArguments) -> Result<(), Failure> {
    let config = arguments.backend.config()?;
    let out = Out::new(arguments)?;
    let progress = Progress::spinner("reading");
    let options = ReadOptions {
        frame: arguments.frame,
        id_column: arguments.id_column.clone(),
        f64: arguments.f64,
        ..ReadOptions::default()
    };
    let scene = files::read_scene_with(&arguments.file, &options)?;
    progress.stage("searching");
    let mut checker = Checker::new(config)?;
    let start = Instant::now();
    let found = find(&mut checker, &scene, arguments)?;
    engine::warn(&checker);
    let time = start.elapsed().as_secs_f64() * 1e3;
    progress.stage("writing");
    out.write(&scene, &found)?;
    drop(progress);
    match is_stdout(&arguments.out) {
        true => Ok(()),
        false => output::print(&summary(&scene, &found, time)),
    }
}

fn find(checker: &mut Checker, scene: &SceneFile, arguments: &NeighboursArguments) -> Result<Neighbours, Failure> {
    let boxes64 = scene.centers.as_ref().map(|_| scene.boxes64()).transpose()?;
    let set = match &boxes64 {
        Some(boxes) => Set::from(boxes).with(scene.rules()),
        None => scene.set(),
    };
    let query = NeighbourQuery::of(set);
    let query = match (arguments.k, arguments.radius) {
        (Some(k), Some(radius)) => query.nearest_within(k, radius),
        (None, Some(radius)) => query.within(radius),
        (Some(k), None) => query.nearest(k),
        (None, None) => query,
    };
    let query = match arguments.by {
        By::Center => query,
        By::Surface => query.by_surface(),
    };
    let query = match arguments.period {
        Some(period) => query.periodic(period),
        None => query,
    };
    let keys = scene.keys()?;
    let found = match &keys {
        Some(keys) => checker.check(query.ties_by(keys)),
        None => checker.check(query),
    };
    found.map_err(|error| period::named(scene, error))
}

/// The output: a table, or two files of numbers.
enum Out {
    Table(Box<ResultFile>),
    Lists(PathBuf),
}

impl Out {
    /// Checks, before the work, that the output can be written.
    fn new(arguments: &NeighboursArguments) -> Result<Self, Failure> {
        let out = &arguments.out;
        let check = |outputs: &[&Path]| output::check_paths(outputs, &[&arguments.file], &arguments.backend.kept());
        if out.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("npy")) {
            check(&[out])?;
            let table = ResultFile::new(out, Table::Neighbours, Layout::default())?;
            return Ok(Self::Table(Box::new(table)));
        }
        let stem = out.with_extension("");
        let lists = [".offsets.npy", ".neighbours.npy"].map(|ending| output::with_ending(&stem, ending));
        check(&[&lists[0], &lists[1]])?;
        Ok(Self::Lists(stem))
    }

    fn write(self, scene: &SceneFile, found: &Neighbours) -> Result<(), Failure> {
        match self {
            Self::Lists(stem) => Ok(files::write_neighbours(&stem, scene, found)?),
            Self::Table(mut table) => {
                table.neighbours(scene, found)?;
                Ok(table.finish()?)
            }
        }
    }
}

/// Returns the result as text.
fn summary(scene: &SceneFile, found: &Neighbours, time: f64) -> String {
    let bodies = |has: fn(&(usize, bool)) -> bool| {
        let rows = (0..found.len()).map(|row| (found.row(row).len(), found.cut()[row]));
        grouped(rows.filter(has).count() as u64)
    };
    let mut lines = vec![
        (table::bodies(scene)[1], grouped(found.len() as u64)),
        ("neighbours", grouped(found.neighbours().len() as u64)),
        ("without any", bodies(|row| row.0 == 0)),
    ];
    if found.cut().contains(&true) {
        lines.push(("with more", bodies(|row| row.1)));
    }
    lines.push(("time", format!("{time:.3} ms")));
    facts(&lines)
}
