//! The kernels of resident frames: how long each takes, and how near that is to what the device's memory allows.

use obbligato::{
    GridLevel, Operations, Report,
    gpu::KernelTiming,
    unstable::gpu::{DeviceRates, SceneCounts, work_of},
};
use serde_json::{Map, Value, json};

use super::{resident::Resident, row::Row};
use crate::cli::{
    json,
    table::{self, Align, Column, counted, grouped, rate},
};

const COLUMNS: [Column; 6] = [
    Column("kernel", 18, Align::Left),
    Column("calls", 6, Align::Right),
    Column("ms", 10, Align::Right),
    Column("share", 7, Align::Right),
    Column("at best", 10, Align::Right),
    Column("of its limit", 24, Align::Left),
];

/// What the device's memory does at best, on one line.
pub fn rates_line(rates: &DeviceRates) -> String {
    format!(
        "memory at best: copy {:.1} GB/s; gather {}/s, scatter {}/s of 32 bytes; atomics {}/s anywhere, {}/s in one place",
        rates.copied_bytes / 1e9,
        rate(rates.gathers),
        rate(rates.scatters),
        rate(rates.atomics),
        rate(rates.atomics_in_one_place)
    )
}

/// The same for programs.
pub fn rates_json(rates: Option<&DeviceRates>) -> Value {
    rates.map_or_else(|| Value::from(Map::new()), |rates| {
        json!({
            "copy_gb_per_s": json::number(rates.copied_bytes / 1e9),
            "gathers_per_s": json::number(rates.gathers),
            "scatters_per_s": json::number(rates.scatters),
            "atomics_per_s": json::number(rates.atomics),
            "atomics_in_one_place_per_s": json::number(rates.atomics_in_one_place),
        })
    })
}

/// A kernel beside what it could be.
struct Line<'a> {
    kernel: &'a KernelTiming,
    /// Its share of a frame.
    share: f64,
    /// What limits it, and its milliseconds at best; `None` where that is not known.
    limit: Option<(&'static str, f64)>,
}

/// The kernels of a row; empty where they are not timed.
fn lines<'a>(resident: &'a Resident, report: &Report, operations: Option<&Operations>) -> Vec<Line<'a>> {
    let Some(kernels) = &resident.kernels else {
        return Vec::new();
    };
    let scene = SceneCounts {
        boxes: report.boxes as u64,
        slots: report.grid.iter().map(|level: &GridLevel| u64::from(level.slots)).sum(),
        rows: operations.map_or(0, |done| done.rows),
        comparisons: operations.map_or(0, |done| done.comparisons),
        candidates: report.candidate_pairs,
        pairs: report.colliding_pairs,
        undecided: report.undecided_pairs,
    };
    // Of two tests of which one has work, the other one's time says nothing.
    let idle = |kernel: &KernelTiming| {
        let tests = ["obb_sat_pairs", "upright_sat_pairs"];
        let slower = |other: &KernelTiming| tests.contains(&other.kernel) && other.time > kernel.time;
        tests.contains(&kernel.kernel) && kernels.all.iter().any(slower)
    };
    let limit = |kernel: &KernelTiming| {
        let work = work_of(kernel.kernel, &scene).filter(|_| !idle(kernel))?;
        Some(work.limit(resident.rates.as_ref()?)).filter(|(_, time)| *time > 0.0)
    };
    let line = |kernel| Line {
        share: kernel_share(kernel, kernels.total),
        limit: limit(kernel),
        kernel,
    };
    kernels.all.iter().map(line).collect()
}

fn kernel_share(kernel: &KernelTiming, total: f64) -> f64 {
    kernel.time / total.max(f64::MIN_POSITIVE)
}

impl Resident {
    /// What the device's memory does at best, for programs.
    pub fn rates_json(&self) -> Value {
        rates_json(self.rates.as_ref())
    }

    /// For people: a table of the row's kernels, with a line for what is between them; `None` where they are not timed.
    pub fn table(&self, row: &Row) -> Option<String> {
        table(self, row)
    }

    /// The kernels of the row for programs; null where they are not timed.
    pub fn json(&self, row: &Row) -> Value {
        match self.kernels {
            Some(_) => kernels_json(self, row),
            None => Value::Null,
        }
    }
}

fn table(resident: &Resident, row: &Row) -> Option<String> {
    let kernels = resident.kernels.as_ref()?;
    let (name, boxes) = (row.subject.name(), grouped(row.measured.report.boxes as u64));
    let frames = counted(kernels.frames.into(), "frame", "frames");
    let mut text = format!("{name} {boxes}, resident, {frames} timed by kernel\n");
    text += &table::headings(&COLUMNS);
    let percent = |part: f64| format!("{:.1}%", part * 100.0);
    for Line { kernel, share, limit } in lines(resident, &row.measured.report, row.operations.as_ref()) {
        let calls = kernel.calls / kernels.frames.max(1);
        let of_limit = |(what, best): (&str, f64)| format!("{:.0}% of the {what} limit", 100.0 * best / kernel.time);
        text += &table::row(
            &COLUMNS,
            &[
                kernel.kernel.to_owned(),
                calls.to_string(),
                format!("{:.4}", kernel.time),
                percent(share),
                limit.map_or("-".into(), |(_, best)| format!("{best:.4}")),
                limit.map_or("-".into(), of_limit),
            ],
        );
    }
    let rest = |name: &str, time: f64| {
        let cells = [name, "", &format!("{time:.4}"), &percent(time / kernels.total.max(f64::MIN_POSITIVE))];
        table::row(&COLUMNS, &cells.map(str::to_owned))
    };
    Some(text + &rest("other", kernels.other) + &rest("total", kernels.total))
}

fn kernels_json(resident: &Resident, row: &Row) -> Value {
    let frames = resident.kernels.as_ref().map_or(1, |kernels| kernels.frames.max(1));
    let line = |line: &Line<'_>| {
        json!({
            "kernel": line.kernel.kernel,
            "stage": line.kernel.stage.name(),
            "calls": line.kernel.calls / frames,
            "ms": json::milliseconds(line.kernel.time),
            "share": json::number(line.share),
            "limit": line.limit.map(|(what, _)| what),
            "at_best_ms": line.limit.map(|(_, best)| json::milliseconds(best)),
        })
    };
    let all = lines(resident, &row.measured.report, row.operations.as_ref());
    all.iter().map(line).collect()
}
