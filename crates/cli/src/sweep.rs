//! `obbligato sweep`: the pairs that meet while the boxes of a file move.

use std::{path::Path, time::Instant};

use obbligato::{
    Checker, Error, Pair,
    motion::{Approaches, Impact, Impacts, Step},
    query::{ApproachQuery, Sweep},
    report::checksum,
    shape::Image,
};
use obbligato_files as files;
use obbligato_files::{Layout, ReadOptions, ResultFile, SceneFile, Table, output::is_stdout};
use obbligato_support::plural::plural;
use serde_json::{Value, json};

use super::{
    args::sweep::SweepArguments,
    engine,
    failure::Failure,
    json, output, period,
    progress::Progress,
    table::{self, facts, grouped},
};

pub fn run(arguments: &SweepArguments) -> Result<(), Failure> {
    let config = arguments.search.config()?;
    let json = arguments.json.as_ref();
    let paths = [arguments.impacts.as_deref(), arguments.approach.as_deref()];
    let tables = [(paths[0], Table::Impacts), (paths[1], Table::Approaches)];
    let taken = (&*arguments.file, &*arguments.search.kept());
    let layout = Layout {
        unnamed: arguments.format.format(),
        images: arguments.period.is_some(),
        ..Layout::default()
    };
    let [mut out, mut near_out] = output::begin_tables(tables, layout, json, taken)?;
    let step = Step {
        dt: arguments.dt,
        tolerance: arguments.tolerance,
    };

    let progress = Progress::spinner("reading");
    let start = Instant::now();
    let options = ReadOptions {
        frame: arguments.frame,
        id_column: arguments.id_column.clone(),
        motions: true,
        ..ReadOptions::default()
    };
    let scene = files::read_scene_with(&arguments.file, &options)?;
    let load = start.elapsed().as_secs_f64() * 1e3;
    progress.stage("checking");
    let mut checker = Checker::new(config)?;
    let (found, images) = find(&mut checker, &scene, &step, arguments)?;
    engine::warn(&checker);
    let near = match arguments.margin {
        Some(within) => Some(find_near(&mut checker, &scene, (&step, within), arguments)?),
        None => None,
    };
    progress.stage("writing");
    if let Some(out) = &mut out {
        out.impacts(&scene, &found.impacts, &images)?;
    }
    out.map_or(Ok(()), ResultFile::finish)?;
    if let (Some(out), Some((near, images))) = (&mut near_out, &near) {
        out.approaches(&scene, &near.approaches, images)?;
    }
    near_out.map_or(Ok(()), ResultFile::finish)?;
    let near = near.map(|(near, _)| near.approaches.len());
    let sum = sum(&scene, &found.impacts)?;
    drop(progress);

    output::show_beside(
        paths.into_iter().flatten().find(|path| is_stdout(path)),
        json,
        || report(&found, near, sum, load),
        || summary(&scene, &found, near, sum, load),
    )
}

/// Returns the impacts in the order of results, and their images if space repeats.
fn find(
    checker: &mut Checker,
    scene: &SceneFile,
    step: &Step,
    arguments: &SweepArguments,
) -> Result<(Impacts, Vec<Image>), Failure> {
    let order = scene.order()?;
    let sweep = Sweep::new(scene.moving_set(&order), step);
    let named = |error| named(&arguments.file, scene, error);
    let Some(period) = arguments.period else {
        let found = match scene.in_plane {
            true => checker.check(sweep.in_plane()),
            false => checker.check(sweep),
        };
        return Ok((found.map_err(named)?, Vec::new()));
    };
    let sweep = sweep.periodic(period);
    let found = match scene.in_plane {
        true => checker.check(sweep.in_plane()),
        false => checker.check(sweep),
    };
    let found = found.map_err(named)?;
    Ok((found.found, found.images))
}

/// Returns the closest approaches in the order of results, and their images if space repeats.
fn find_near(
    checker: &mut Checker,
    scene: &SceneFile,
    (step, within): (&Step, f64),
    arguments: &SweepArguments,
) -> Result<(Approaches, Vec<Image>), Failure> {
    let order = scene.order()?;
    let query = ApproachQuery::new(scene.moving_set(&order), step, within);
    let named = |error| named(&arguments.file, scene, error);
    let Some(period) = arguments.period else {
        return Ok((checker.check(query).map_err(named)?, Vec::new()));
    };
    let found = checker.check(query.periodic(period)).map_err(named)?;
    Ok((found.found, found.images))
}

/// Returns an error that, for a motion, names the file and the box's id.
pub fn named(file: &Path, scene: &SceneFile, error: Error) -> Failure {
    match error {
        Error::InvalidMotion { index, problem, count } => Failure::Input(format!(
            "{}: the motion of box {} {problem} ({count} invalid {} in all): fix or remove {}, or take a smaller --dt",
            output::shown(file),
            scene.id_of(index),
            plural(count as u64, "motion", "motions"),
            plural(count as u64, "it", "them"),
        )),
        error => period::named(scene, error),
    }
}

/// Returns the checksum of the pairs as `check` computes it: over their ids if these are numbers,
/// otherwise over their ranks.
fn sum(scene: &SceneFile, impacts: &[Impact]) -> Result<u64, Failure> {
    let keys = scene.keys()?;
    let key = |position: u32| keys.as_ref().map_or(position, |keys| keys[position as usize]);
    let pair_sum = |impact: &Impact| checksum(&[Pair::new(key(impact.pair.a), key(impact.pair.b))]);
    Ok(impacts.iter().map(pair_sum).fold(0, u64::wrapping_add))
}

fn unresolved(found: &Impacts) -> usize {
    found.impacts.iter().filter(|impact| !impact.first.is_resolved).count()
}

/// Returns the report as text.
fn summary(scene: &SceneFile, found: &Impacts, near: Option<usize>, sum: u64, load: f64) -> String {
    let unresolved = match unresolved(found) {
        0 => String::new(),
        number => format!(", {} of them not resolved", grouped(number as u64)),
    };
    let first = found.impacts.iter().map(|impact| impact.first.time).next();
    let first = first.map_or("none".to_owned(), |time| format!("at {time} s"));
    let (all, starting) = (found.impacts.len() as u64, found.starting() as u64);
    let mut lines = vec![
        ("device", engine::describe(&found.engine)),
        (table::bodies(scene)[1], grouped(found.boxes as u64)),
        ("candidate pairs", grouped(found.candidate_pairs)),
        (
            "impacts",
            format!(
                "{}, {} of them from the start{unresolved}",
                grouped(all),
                grouped(starting)
            ),
        ),
        ("first impact", first),
        ("checksum", format!("{sum:016x}")),
        (
            "time",
            format!("{:.3} ms, and {load:.3} ms to read the file", found.timings.total),
        ),
    ];
    if let Some(near) = near {
        lines.insert(4, ("approaches", grouped(near as u64)));
    }
    facts(&lines)
}

/// Returns the report as JSON.
fn report(found: &Impacts, near: Option<usize>, sum: u64, load: f64) -> Value {
    let mut report = json!({
        "boxes": found.boxes,
        "candidate_pairs": found.candidate_pairs,
        "impacts": found.impacts.len(),
        "starting": found.starting(),
        "unresolved": unresolved(found),
        "checksum": json::checksum(sum),
        "backend": engine::backend(&found.engine),
        "adapter": engine::adapter(&found.engine),
        "driver": engine::driver(&found.engine),
        "timings_ms": json::timings(load, &found.timings),
    });
    if let Some(near) = near {
        report["approaches"] = near.into();
    }
    report
}
