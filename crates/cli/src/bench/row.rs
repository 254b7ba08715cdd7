//! One row of the benchmark, as text and as JSON.

use obbligato::report::{Operations, Stage};
use serde_json::{Map, Value, json};

use super::{resident::Resident, subject::Subject};
use crate::{
    args::choices::PrecisionName,
    compare::Verdict,
    engine, json,
    machine::COMMIT,
    measure::{Measurement, Time},
    table::{self, Align, Column, grouped},
};

/// The common facts of all rows of a run.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The day, in UTC.
    pub date: String,
    /// The model of the processor, if known.
    pub cpu: Option<String>,
    /// Milliseconds until the checker was ready, including device and shaders.
    pub startup: f64,
    /// Bytes per second, read and written, of a copy in the device's memory; `None` if it cannot be
    /// measured.
    pub bandwidth: Option<f64>,
}

/// The columns of the table.
pub const COLUMNS: [Column; 16] = [
    Column("scene", 10, Align::Left),
    Column("boxes", 11, Align::Right),
    Column("rows/box", 8, Align::Right),
    Column("tests/box", 9, Align::Right),
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
    Column("mode", 8, Align::Left),
];

/// One scene at one size, timed.
pub struct Row {
    pub subject: Subject,
    pub precision: PrecisionName,
    pub measured: Measurement,
    /// `None` if the verification was skipped or impossible.
    pub verdict: Option<Verdict>,
    /// The broad phase's work, from a separate call that is not timed; `None` if it was not
    /// counted.
    pub operations: Option<Operations>,
    /// The conditions under which frames that stay on the GPU were timed; `None` for checks that
    /// return to the host.
    pub resident: Option<Resident>,
}

impl Row {
    /// Names the mode: calls of a check, frames that stay on the GPU, or those that keep an order.
    pub const fn mode(&self) -> &'static str {
        match &self.resident {
            None => "check",
            Some(resident) => resident.mode(),
        }
    }

    /// Returns the number of frames that were timed.
    fn frames(&self) -> usize {
        let each = self.resident.as_ref().map_or(1, |resident| resident.frames() as usize);
        self.measured.frames.len() * each
    }

    /// Returns a table of the kernels of its frames, if they are timed.
    pub fn kernels(&self) -> Option<String> {
        let report = &self.measured.report;
        let resident = self.resident.as_ref()?;
        resident.table(&self.subject.name(), report, self.operations.as_ref())
    }

    /// Returns `number` per second, in the median frame.
    fn per_second(&self, number: f64) -> Option<f64> {
        let median = self.measured.wall.median;
        (median > 0.0).then(|| number / (median / 1e3))
    }

    /// Returns the share of candidate pairs that f32 could not decide. `None` unless the precision
    /// is exact.
    fn undecided_rate(&self) -> Option<f64> {
        let report = &self.measured.report;
        let rate = report.undecided_pairs as f64 / report.candidate_pairs.max(1) as f64;
        (self.precision == PrecisionName::Exact).then_some(rate)
    }

    /// Returns the operations of one kind per box.
    fn a_box(&self, number: impl Fn(&Operations) -> u64) -> String {
        let boxes = self.measured.report.boxes.max(1) as f64;
        self.operations
            .as_ref()
            .map_or("-".into(), |done| format!("{:.2}", number(done) as f64 / boxes))
    }

    /// Returns the cells of [`COLUMNS`].
    pub fn cells(&self) -> Vec<String> {
        let Measurement { report, wall, .. } = &self.measured;
        let boxes_per_s = self.per_second(report.boxes as f64);
        vec![
            self.subject.name(),
            grouped(report.boxes as u64),
            self.a_box(|done| done.rows),
            self.a_box(|done| done.comparisons),
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
            self.frames().to_string(),
            self.verdict.as_ref().map_or("not run".into(), Verdict::words),
            self.mode().to_owned(),
        ]
    }

    /// Returns everything about the row, with its change and the times of peers.
    pub fn json(&self, setting: &Setting, change: Value, peers: Value) -> Value {
        let Measurement { report, wall, gpu, .. } = &self.measured;
        let mut row = json!({
            "scene": self.subject.name(),
            "boxes": report.boxes,
            "seed": self.subject.seed(),
            "backend": engine::backend(&report.engine),
            "adapter": engine::adapter(&report.engine),
            "driver": engine::driver(&report.engine),
            "hardware": engine::is_hardware(&report.engine),
            "cpu": setting.cpu,
            "frames": self.frames(),
            "candidate_pairs": report.candidate_pairs,
            "colliding_pairs": report.colliding_pairs,
            "touching_pairs": report.touching_pairs,
            "undecided_pairs": report.undecided_pairs,
            "undecided_after_f64": report.undecided_after_f64,
            "undecided_rate": self.undecided_rate(),
            "operations": self.operations.map(|done| json!({ "rows": done.rows, "comparisons": done.comparisons })),
            "grid": json::grid(&report.grid),
            "precision": self.precision.name(),
            "checksum": json::checksum(self.measured.checksum),
            "verified": self.verdict.as_ref().map(Verdict::json),
            "gpu_ms": object(gpu, |time| time.median),
            "gpu_min_ms": object(gpu, |time| time.minimum),
            "gpu_total_ms": self.measured.gpu_total.map(|time| json::milliseconds(time.median)),
            "gpu_total_min_ms": self.measured.gpu_total.map(|time| json::milliseconds(time.minimum)),
            "wall_ms": json::milliseconds(wall.median),
            "wall_min_ms": json::milliseconds(wall.minimum),
            "stages_ms": object(&self.measured.stages, |time| time.median),
            "stages_min_ms": object(&self.measured.stages, |time| time.minimum),
            "boxes_per_s": self.per_second(report.boxes as f64).map(|rate| rate.round() as u64),
            "pairs_per_s": self.per_second(report.colliding_pairs as f64).map(|rate| rate.round() as u64),
            "device_bytes": report.device_bytes,
            "startup_ms": json::milliseconds(setting.startup),
            "memory_gb_per_s": setting.bandwidth.map(|rate| json::number(rate / 1e9)),
            "gpu_bytes": Map::from_iter(report.traffic.iter().map(|&(stage, bytes)| (stage.to_string(), json!(bytes)))),
            "gpu_gb_per_s": rates(&report.traffic, gpu, 1e9),
            "roofline_ratio": setting.bandwidth.map_or(Map::new(), |bandwidth| rates(&report.traffic, gpu, bandwidth)),
            "change": change,
            "commit": COMMIT,
            "date": setting.date,
            "version": env!("CARGO_PKG_VERSION"),
            "mode": self.mode(),
        });
        row["broad_phase"] = json::broad_phase(report.broad_phase);
        let resident = self.resident.as_ref();
        row["submissions"] = json!(resident.map(|_| self.measured.frames.len()));
        row["device_rates"] = resident.map_or_else(|| json!({}), Resident::rates_json);
        row["kernels"] = resident.map_or(Value::Null, |resident| resident.json(report, self.operations.as_ref()));
        row["peers"] = peers;
        row
    }
}

/// Returns the bytes per second, in multiples of `unit`, for each stage with known bytes and median
/// time.
fn rates(traffic: &[(Stage, u64)], gpu: &[(Stage, Time)], unit: f64) -> Map<String, Value> {
    let rate = |&(stage, bytes): &(Stage, u64)| {
        let (_, time) = gpu.iter().find(|(other, time)| *other == stage && time.median > 0.0)?;
        let rate = bytes as f64 / (time.median * 1e-3);
        Some((stage.to_string(), json::number(rate / unit)))
    };
    traffic.iter().filter_map(rate).collect()
}

fn object(times: &[(Stage, Time)], value: impl Fn(&Time) -> f64) -> Value {
    let entries = times
        .iter()
        .map(|(stage, time)| (stage.to_string(), json::milliseconds(value(time))));
    Value::Object(Map::from_iter(entries))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_need_known_bytes_and_times() {
        let traffic = [
            (Stage::Bounds, 6_000_000),
            (Stage::Sort, 1),
            (Stage::Pairs, 1_000_000),
            (Stage::F64, 5),
        ];
        let time = |median: f64| Time { median, minimum: 0.0 };
        let gpu = [
            (Stage::Bounds, time(3.0)),
            (Stage::Pairs, time(0.25)),
            (Stage::Narrow, time(1.0)),
            (Stage::F64, time(0.0)),
        ];
        let gigabytes = json!({ "bounds": 2.0, "pairs": 4.0 });
        assert_eq!(Value::from(rates(&traffic, &gpu, 1e9)), gigabytes);
        // With a memory of 8 GB/s, the bounds take four times as long as necessary.
        let roofline = json!({ "bounds": 0.25, "pairs": 0.5 });
        assert_eq!(Value::from(rates(&traffic, &gpu, 8e9)), roofline);
    }
}
