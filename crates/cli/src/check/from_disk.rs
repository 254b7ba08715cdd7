//! `check --memory`: a scene larger than memory, tile after tile from disk.

use std::time::Instant;

use obbligato::{Config, report::Engine};
use obbligato_files::{
    Layout, ResultFile, Table,
    out_of_core::{Checked, OutOfCore, Step, check},
};
use obbligato_support::plural::plural;
use serde_json::{Value, json};

use crate::{
    args::check::CheckArguments,
    check::outputs,
    disk, engine,
    failure::{Failure, note},
    json, output,
    progress::Progress,
    table::{facts, grouped},
};

pub fn run(arguments: &CheckArguments, config: Config, memory: u64) -> Result<(), Failure> {
    let options = OutOfCore {
        memory,
        folder: arguments.work_folder().unwrap_or_default(),
        tile_boxes: arguments.tile_boxes,
        pairs: arguments.pairs.is_some(),
    };
    let pairs = arguments.pairs.as_deref().map(|path| {
        let layout = Layout {
            unnamed: arguments.format.format(),
            ..Layout::default()
        };
        ResultFile::new(path, Table::Pairs, layout)
    });
    let pairs = pairs.transpose()?;
    let start = Instant::now();
    let mut progress = Shown::default();
    let checked = check(&arguments.file, &config, &options, &mut |step| {
        progress.show(step, &options)
    })?;
    if let Some(mut file) = pairs {
        progress.stage("writing");
        file.pairs_in_order(checked.totals.colliding_pairs, |each| checked.pairs(each))?;
        file.finish()?;
    }
    drop(progress);
    let report = Report {
        config: &config,
        precision: arguments.precision.name(),
        checked: &checked,
        milliseconds: start.elapsed().as_secs_f64() * 1e3,
    };
    if let Some(sink) = &arguments.json {
        sink.write_json(&report.json())?;
    }
    if !outputs::take_stdout(arguments) {
        output::print(&report.text())?;
    }
    Ok(checked.remove()?)
}

/// The visible progress of the work.
#[derive(Default)]
struct Shown {
    bar: Option<Progress>,
    /// The unit that the bar counts, and the progress in it.
    counts: Option<(&'static str, u64)>,
}

impl Shown {
    fn show(&mut self, step: Step, options: &OutOfCore) {
        match step {
            Step::Planned {
                boxes,
                tiles,
                disk_bytes,
            } => {
                let free = disk::free_bytes(&options.folder);
                let free = free.map_or(String::new(), |bytes| format!(", where {} are free", gigabytes(bytes)));
                note(&format!(
                    "{} {} in {} {} {} {} on disk{}{free} ({})",
                    grouped(boxes),
                    plural(boxes, "box", "boxes"),
                    grouped(tiles as u64),
                    plural(tiles as u64, "tile", "tiles"),
                    plural(boxes, "needs", "need"),
                    gigabytes(disk_bytes),
                    if options.pairs { ", and more for the pairs" } else { "" },
                    options.folder.display(),
                ));
            }
            Step::Scattered(rows, all) => self.count("boxes on disk", rows, all),
            Step::Checked(tiles, all) => self.count("tiles checked", tiles as u64, all as u64),
            _ => {}
        }
    }

    fn count(&mut self, what: &'static str, done: u64, all: u64) {
        let before = match self.counts {
            Some((same, before)) if same == what => before,
            _ => {
                let bar = Progress::bar(all);
                bar.stage(what);
                self.bar = Some(bar);
                0
            }
        };
        if let Some(bar) = &self.bar {
            bar.steps(done.saturating_sub(before));
        }
        self.counts = Some((what, done));
    }

    fn stage(&mut self, name: &'static str) {
        self.bar = Some(Progress::spinner(name));
    }
}

fn gigabytes(bytes: u64) -> String {
    match bytes {
        0..100_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// The data of the report of a check.
struct Report<'a> {
    config: &'a Config,
    precision: &'static str,
    checked: &'a Checked,
    milliseconds: f64,
}

impl Report<'_> {
    fn engine(&self) -> Engine {
        self.checked.engine.clone().unwrap_or_default()
    }

    fn text(&self) -> String {
        let Checked { totals, .. } = self.checked;
        let touching = totals
            .touching_pairs
            .map(|pairs| format!(", {} of them only touch", grouped(pairs)));
        let near = totals.near_pairs.filter(|_| self.config.margin > 0.0);
        let near = near.map(|pairs| format!(", {} of them only within {}", grouped(pairs), self.config.margin));
        let before = match self.checked.tiles_before {
            0 => String::new(),
            tiles => format!(
                ", {} of them by an earlier check that was interrupted",
                grouped(tiles as u64)
            ),
        };
        let mut lines = vec![("device", engine::describe(&self.engine()))];
        if let Some(choice) = self.checked.broad_phase {
            lines.push(("broad phase", format!("{}: {}", choice.used, choice.why)));
        }
        lines.extend([
            ("boxes", grouped(totals.boxes)),
            ("tiles", format!("{}{before}", grouped(self.checked.tiles as u64))),
            (
                "candidate pairs",
                format!(
                    "{}, those on borders once for each tile",
                    grouped(totals.candidate_pairs)
                ),
            ),
            (
                "colliding pairs",
                grouped(totals.colliding_pairs) + &touching.unwrap_or_default() + &near.unwrap_or_default(),
            ),
            ("checksum", format!("{:016x}", totals.checksum)),
            ("time", format!("{:.3} ms, with reading and writing", self.milliseconds)),
        ]);
        facts(&lines)
    }

    fn json(&self) -> Value {
        let (engine, totals) = (self.engine(), &self.checked.totals);
        // The time outside the checks was spent on writing to or reading from disk.
        let timings = &self.checked.timings;
        let timings = json::steps((self.milliseconds - timings.total).max(0.0), timings);
        json!({
            "boxes": totals.boxes,
            "candidate_pairs": totals.candidate_pairs,
            "colliding_pairs": totals.colliding_pairs,
            "touching_pairs": totals.touching_pairs,
            "near_pairs": totals.near_pairs,
            "undecided_pairs": totals.undecided_pairs,
            "undecided_after_f64": totals.undecided_after_f64,
            "checksum": json::checksum(totals.checksum),
            "tiles": self.checked.tiles,
            "tiles_before": self.checked.tiles_before,
            "margin": self.config.margin,
            "complete": true,
            "backend": engine::backend(&engine),
            "adapter": engine::adapter(&engine),
            "driver": engine::driver(&engine),
            "precision": self.precision,
            "broad_phase": json::broad_phase(self.checked.broad_phase),
            "timings_ms": timings,
        })
    }
}
