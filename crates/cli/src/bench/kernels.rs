//! The kernels of resident frames: the time of each, and its ratio to the time that the device's
//! memory allows.

use obbligato::{
    Report,
    gpu::KernelTiming,
    report::Operations,
    unstable::gpu::{DeviceRates, SceneCounts, work_of},
};
use serde_json::{Map, Value, json};

use super::resident::{Kernels, Resident};
use crate::{
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

/// The kernels that test pairs; the device runs one of them.
const TESTS: [&str; 2] = ["obb_sat_pairs", "upright_sat_pairs"];
/// Kernels that work only in frames that make a plan.
const WITHOUT_PLAN: [&str; 2] = ["grid_probe", "count_slots"];

/// Returns the peak rates of the device's memory, on one line.
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

/// Returns the peak rates of the device's memory, as JSON.
pub fn rates_json(rates: Option<&DeviceRates>) -> Value {
    rates.map_or_else(
        || Value::from(Map::new()),
        |rates| {
            json!({
                "copy_gb_per_s": json::number(rates.copied_bytes / 1e9),
                "gathers_per_s": json::number(rates.gathers),
                "scatters_per_s": json::number(rates.scatters),
                "atomics_per_s": json::number(rates.atomics),
                "atomics_in_one_place_per_s": json::number(rates.atomics_in_one_place),
            })
        },
    )
}

/// A kernel and its best possible time.
struct Line<'a> {
    kernel: &'a KernelTiming,
    /// The number of calls per frame.
    calls: u32,
    /// Its share of a frame.
    share: f64,
    /// The limiting resource, and the milliseconds at best; `None` if not known.
    limit: Option<(&'static str, f64)>,
}

impl Resident {
    /// Returns the peak rates of the device's memory, as JSON.
    pub fn rates_json(&self) -> Value {
        rates_json(self.rates.as_ref())
    }

    /// Returns the kernels of a frame; empty if they are not timed.
    fn lines<'a>(&'a self, report: &Report, operations: Option<&Operations>) -> Vec<Line<'a>> {
        let Some(kernels) = &self.kernels else {
            return Vec::new();
        };
        let scene = SceneCounts {
            kinds: self.kinds,
            slots: report.grid.iter().map(|level| u64::from(level.slots)).sum(),
            rows: operations.map_or(0, |done| done.rows),
            comparisons: operations.map_or(0, |done| done.comparisons),
            candidates: report.candidate_pairs,
            pairs: report.colliding_pairs,
            undecided: report.undecided_pairs,
            visited: false,
        };
        // Only one of the two tests has work, so the time of the other is meaningless. So is that
        // of kernels without work while the plan is kept, as in nearly all of these frames.
        let idle = |kernel: &KernelTiming| {
            let slower = |other: &KernelTiming| TESTS.contains(&other.kernel) && other.time > kernel.time;
            let test = TESTS.contains(&kernel.kernel) && kernels.all.iter().any(slower);
            test || WITHOUT_PLAN.contains(&kernel.kernel)
        };
        let limit = |kernel: &KernelTiming| {
            let work = work_of(kernel.kernel, &scene).filter(|_| !idle(kernel))?;
            Some(work.limit(self.rates.as_ref()?)).filter(|(_, time)| *time > 0.0)
        };
        let line = |kernel: &'a KernelTiming| Line {
            calls: kernel.calls / kernels.frames.max(1),
            share: kernels.share(kernel.time),
            limit: limit(kernel),
            kernel,
        };
        kernels.all.iter().map(line).collect()
    }

    /// Returns a table of the kernels of a row, with a line for the time between them; `None` if
    /// they are not timed.
    pub fn table(&self, name: &str, report: &Report, operations: Option<&Operations>) -> Option<String> {
        let kernels = self.kernels.as_ref()?;
        let boxes = grouped(report.boxes as u64);
        let frames = counted(kernels.frames.into(), "frame", "frames");
        let mut text = format!("{name} {boxes}, resident, {frames} timed by kernel\n");
        text += &table::headings(&COLUMNS);
        for line in self.lines(report, operations) {
            text += &table::row(&COLUMNS, &line.cells());
        }
        for (name, time) in [("other", kernels.other), ("total", kernels.total)] {
            let cells = [name, "", &milliseconds(time), &percent(kernels.share(time))];
            text += &table::row(&COLUMNS, &cells.map(str::to_owned));
        }
        Some(text)
    }

    /// Returns the kernels of a row as JSON; null if they are not timed.
    pub fn json(&self, report: &Report, operations: Option<&Operations>) -> Value {
        match self.kernels {
            Some(_) => self.lines(report, operations).iter().map(Line::json).collect(),
            None => Value::Null,
        }
    }
}

impl Kernels {
    /// Returns the share of a time in that of a frame.
    fn share(&self, time: f64) -> f64 {
        time / self.total.max(f64::MIN_POSITIVE)
    }
}

impl Line<'_> {
    fn cells(&self) -> [String; 6] {
        let part = |best: f64| 100.0 * best / self.kernel.time.max(f64::MIN_POSITIVE);
        let of_limit = |(what, best)| format!("{:.0}% of the {what} limit", part(best));
        [
            self.kernel.kernel.to_owned(),
            self.calls.to_string(),
            milliseconds(self.kernel.time),
            percent(self.share),
            self.limit.map_or("-".into(), |(_, best)| milliseconds(best)),
            self.limit.map_or("-".into(), of_limit),
        ]
    }

    fn json(&self) -> Value {
        json!({
            "kernel": self.kernel.kernel,
            "stage": self.kernel.stage.name(),
            "calls": self.calls,
            "ms": json::milliseconds(self.kernel.time),
            "share": json::number(self.share),
            "limit": self.limit.map(|(what, _)| what),
            "at_best_ms": self.limit.map(|(_, best)| json::milliseconds(best)),
        })
    }
}

fn milliseconds(time: f64) -> String {
    format!("{time:.4}")
}

fn percent(part: f64) -> String {
    format!("{:.1}%", part * 100.0)
}
