//! Numbers as they appear in JSON.

use obbligato::GridLevel;
use serde_json::{Value, json};

/// A time in milliseconds, to the nanosecond.
pub fn milliseconds(time: f64) -> Value {
    json!((time * 1e6).round() / 1e6)
}

/// A measured number, to four digits.
pub fn number(value: f64) -> Value {
    json!(format!("{value:.3e}").parse::<f64>().unwrap_or(value))
}

/// A checksum: 16 hex digits.
pub fn checksum(sum: u64) -> Value {
    json!(format!("{sum:016x}"))
}

/// The levels of a grid, the coarsest first, with the measures behind their choice.
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
