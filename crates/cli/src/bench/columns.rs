//! The rows as CSV, with the same columns for all measurements.

use serde_json::{Map, Value};

use crate::failure::Failure;

/// The columns before those of the stages, and after them. A dot leads into an object of the JSON.
const FIRST: [&str; 33] = [
    "scene",
    "boxes",
    "backend",
    "adapter",
    "driver",
    "hardware",
    "cpu",
    "seed",
    "frames",
    "candidate_pairs",
    "colliding_pairs",
    "touching_pairs",
    "undecided_pairs",
    "undecided_after_f64",
    "undecided_rate",
    "operations.rows",
    "operations.comparisons",
    "broad_phase.used",
    "broad_phase.why",
    "grid.levels",
    "grid.finest_cell",
    "grid.coarsest_cell",
    "precision",
    "checksum",
    "verified.boxes",
    "verified.of",
    "verified.passed",
    "wall_ms",
    "wall_min_ms",
    "gpu_total_ms",
    "gpu_total_min_ms",
    "boxes_per_s",
    "pairs_per_s",
];
const LAST: [&str; 15] = [
    "device_bytes",
    "startup_ms",
    "memory_gb_per_s",
    "commit",
    "date",
    "version",
    "mode",
    "submissions",
    "gpu_ms.other",
    "gpu_min_ms.other",
    "device_rates.copy_gb_per_s",
    "device_rates.gathers_per_s",
    "device_rates.scatters_per_s",
    "device_rates.atomics_per_s",
    "device_rates.atomics_in_one_place_per_s",
];

/// The columns of each stage that the host times, and of each that a GPU times.
const OF_STAGES: [(&str, &[&str]); 7] = [
    ("stages_ms", &WALL),
    ("stages_min_ms", &WALL),
    ("gpu_ms", &GPU),
    ("gpu_min_ms", &GPU),
    ("gpu_bytes", &GPU),
    ("gpu_gb_per_s", &GPU),
    ("roofline_ratio", &GPU),
];
const WALL: [&str; 8] = [
    "upload", "parts", "bounds", "broad", "narrow", "gpu", "readback", "exact",
];
const GPU: [&str; 6] = ["bounds", "plan", "sort", "pairs", "narrow", "f64"];

/// Returns the names of all columns.
fn columns() -> Vec<String> {
    let of_stage = |(what, stages): (&str, &'static [&str])| {
        let what = what.to_owned();
        stages.iter().map(move |stage| format!("{what}.{stage}"))
    };
    let stages = OF_STAGES.into_iter().flat_map(of_stage);
    let first = FIRST.into_iter().map(str::to_owned);
    first.chain(stages).chain(LAST.into_iter().map(str::to_owned)).collect()
}

/// Converts rows of JSON to CSV. A field is empty if something does not apply.
pub fn csv(rows: &[Value]) -> Result<String, Failure> {
    let columns = columns();
    let rows = rows.iter().map(|row| {
        let flat = flat(row);
        let field = |name: &String| flat.get(name).map_or(String::new(), plain);
        columns.iter().map(field).collect()
    });
    text(&columns, rows)
}

/// Returns a table as CSV.
pub fn text(columns: &[impl AsRef<str>], rows: impl Iterator<Item = Vec<String>>) -> Result<String, Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let written = writer
        .write_record(columns.iter().map(AsRef::as_ref))
        .and_then(|()| rows.into_iter().try_for_each(|row| writer.write_record(&row)));
    let bytes = written.ok().and_then(|()| writer.into_inner().ok());
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.ok_or_else(|| Failure::Input("cannot write the rows as CSV: use --json".into()))
}

/// Flattens nested objects into columns, `gpu_ms: {sort: 1}` into `gpu_ms.sort`, and sums up the
/// levels of the grid.
fn flat(row: &Value) -> Map<String, Value> {
    let mut columns = Map::new();
    for (name, value) in row.as_object().into_iter().flatten() {
        match value {
            Value::Object(inner) => {
                let inner = inner
                    .iter()
                    .map(|(part, value)| (format!("{name}.{part}"), value.clone()));
                columns.extend(inner);
            }
            Value::Array(levels) if name == "grid" => columns.extend(cells(levels)),
            _ => {
                columns.insert(name.clone(), value.clone());
            }
        }
    }
    columns
}

/// Returns the number of levels of a grid, and their extreme cell sizes.
fn cells(levels: &[Value]) -> [(String, Value); 3] {
    let size = |level: Option<&Value>| level.map_or(Value::Null, |level| level["cell_size"].clone());
    [
        ("grid.levels".into(), levels.len().into()),
        ("grid.finest_cell".into(), size(levels.last())),
        ("grid.coarsest_cell".into(), size(levels.first())),
    ]
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_fields_are_empty() {
        let row = json!({
            "scene": "a, b",
            "grid": [{ "cell_size": 8.0 }, { "cell_size": 0.5 }],
            "verified": null,
            "gpu_ms": { "sort": 1.5 },
            "unknown": 7,
        });
        let text = csv(&[row]).expect("it is text");
        let (columns, row) = text.trim_end().split_once('\n').expect("two lines");
        let row = row.strip_prefix("\"a, b\"").expect("the scene is first");
        let fields: Vec<&str> = row.split(',').collect();
        let field = |name: &str| {
            let at = columns.split(',').position(|column| column == name);
            fields[at.expect("the column is there")]
        };
        let names = ["grid.levels", "grid.finest_cell", "grid.coarsest_cell", "gpu_ms.sort"];
        assert_eq!(names.map(field), ["2", "0.5", "8.0", "1.5"]);
        assert_eq!(["boxes", "verified.boxes", "gpu_ms.plan"].map(field), [""; 3]);
    }
}
