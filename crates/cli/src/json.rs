//! Numbers as they appear in JSON.

use obbligato::report::{BroadPhaseChoice, GridLevel, Stage, Timings};
use serde_json::{Map, Value, json};

/// The steps whose times are always in the report of a check, 0 if a step does not exist.
pub const STEPS: [Stage; 6] = [
    Stage::Upload,
    Stage::Bounds,
    Stage::Broad,
    Stage::Narrow,
    Stage::Exact,
    Stage::Readback,
];

/// Returns a time in milliseconds, to the nanosecond.
pub fn milliseconds(time: f64) -> Value {
    json!((time * 1e6).round() / 1e6)
}

/// Returns the wall times of a call's stages, that of reading the file, and the sum.
pub fn timings(load: f64, timings: &Timings) -> Value {
    let mut report = Map::from_iter([("load".to_owned(), milliseconds(load))]);
    for &(stage, _) in timings.wall.iter().chain(&timings.gpu) {
        let time = timings.step(stage).unwrap_or_default();
        report.insert(stage.name().to_owned(), milliseconds(time));
    }
    report.insert("total".to_owned(), milliseconds(timings.total + load));
    Value::Object(report)
}

/// Returns the wall times of these stages, 0 for those that did not run, that of reading the file,
/// and the sum.
pub fn steps(load: f64, timings: &Timings) -> Value {
    let mut report = Map::from_iter([("load".to_owned(), milliseconds(load))]);
    for stage in STEPS {
        let time = timings.step(stage).unwrap_or_default();
        report.insert(stage.name().to_owned(), milliseconds(time));
    }
    report.insert("total".to_owned(), milliseconds(timings.total + load));
    Value::Object(report)
}

/// Returns a measured number, to four digits.
pub fn number(value: f64) -> Value {
    json!(format!("{value:.3e}").parse::<f64>().unwrap_or(value))
}

/// Returns a checksum as 16 hex digits.
pub fn checksum(sum: u64) -> Value {
    json!(format!("{sum:016x}"))
}

/// Returns the broad phase that found the candidate pairs, and the reason for its choice.
pub fn broad_phase(choice: Option<BroadPhaseChoice>) -> Value {
    choice.map_or(
        Value::Null,
        |choice| json!({ "used": choice.used.name(), "why": choice.why }),
    )
}

/// Returns the levels of a grid, the coarsest first, with the measures behind their choice.
pub fn grid(levels: &[GridLevel]) -> Value {
    let level = |level: &GridLevel| {
        json!({
            "cell_size": level.cell_size,
            "boxes": level.boxes,
            "slots": level.slots,
            "crowding": number(level.crowding.into()),
            "expected_cost": number(level.expected_cost.into()),
        })
    };
    levels.iter().map(level).collect()
}
