//! Changes of times since an earlier benchmark.

use std::path::Path;

use obbligato_files::source::read_text;
use obbligato_support::excerpt::excerpt;
use serde_json::{Value, json};

use super::row::Row;
use crate::{
    engine,
    failure::{Failure, note},
    json, output,
    table::{self, Align, Column, grouped},
};

const COLUMNS: [Column; 7] = [
    Column("scene", 10, Align::Left),
    Column("boxes", 11, Align::Right),
    Column("old ms", 10, Align::Right),
    Column("new ms", 10, Align::Right),
    Column("ratio", 7, Align::Right),
    Column("noise", 6, Align::Right),
    Column("", 12, Align::Left),
];

/// The rows of an earlier benchmark.
pub struct Older {
    file: String,
    rows: Vec<Earlier>,
}

/// A row of an earlier benchmark.
struct Earlier {
    scene: String,
    boxes: u64,
    backend: String,
    adapter: String,
    seed: Option<u64>,
    precision: Option<String>,
    mode: Option<String>,
    checksum: Option<String>,
    median: f64,
    minimum: f64,
}

impl Older {
    /// Reads the output of `--json`.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let file = output::shown(path);
        let wrong = |what: &str| Failure::Input(format!("{file}: {what}: name what `obbligato bench --json` wrote"));
        let text = read_text(path)?;
        let all: Value = serde_json::from_str(&text).map_err(|error| wrong(&format!("is not JSON: {error}")))?;
        let all = all.as_array().ok_or_else(|| wrong("is not a list of rows"))?;
        let row = |(number, row): (usize, &Value)| {
            Earlier::new(row).map_err(|what| wrong(&format!("row {number} has no {what}")))
        };
        let rows = all.iter().enumerate().map(row).collect::<Result<_, _>>()?;
        Ok(Self { file, rows })
    }
}

impl Earlier {
    /// Parses a row of JSON; the error names the missing field.
    fn new(row: &Value) -> Result<Self, &'static str> {
        let word = |key| row[key].as_str().map(str::to_owned);
        let time = |key| row[key].as_f64().filter(|time| *time > 0.0);
        let median = time("wall_ms").ok_or("wall_ms above 0")?;
        Ok(Self {
            scene: word("scene").ok_or("scene")?,
            boxes: row["boxes"].as_u64().ok_or("boxes")?,
            backend: word("backend").ok_or("backend")?,
            adapter: word("adapter").ok_or("adapter")?,
            seed: row["seed"].as_u64(),
            precision: word("precision"),
            mode: word("mode"),
            checksum: word("checksum"),
            median,
            minimum: time("wall_min_ms").unwrap_or(median),
        })
    }

    /// Returns `true` if the row is about the same boxes, on the same device. Missing fields count
    /// as equal.
    fn matches(&self, row: &Row) -> bool {
        let report = &row.measured.report;
        let same_seed = self.seed.is_none() || self.seed == row.subject.seed();
        let same_precision = self
            .precision
            .as_deref()
            .is_none_or(|name| name == row.precision.name());
        // Earlier programs timed only checks.
        let same_mode = self.mode.as_deref().unwrap_or("check") == row.mode();
        same_mode
            && self.scene == row.subject.name()
            && self.boxes == report.boxes as u64
            && self.backend == engine::backend(&report.engine)
            && self.adapter == engine::adapter(&report.engine)
            && same_seed
            && same_precision
    }

    /// Describes the row in one line.
    fn describe(&self) -> String {
        let [scene, adapter] = [&self.scene, &self.adapter].map(|text| excerpt(text));
        format!("{scene} {} ({}, {adapter})", grouped(self.boxes), self.backend)
    }
}

/// The change of one row.
struct Change {
    old: f64,
    new: f64,
    /// The larger relative distance of the two medians above their minima.
    noise: f64,
    /// `true` if the row finds the same pairs as before.
    same_pairs: bool,
}

impl Change {
    fn between(old: &Earlier, row: &Row) -> Self {
        let new = row.measured.wall;
        let spread = |median: f64, minimum: f64| (median / minimum - 1.0).max(0.0);
        let checksum = format!("{:016x}", row.measured.checksum);
        Self {
            old: old.median,
            new: new.median,
            noise: spread(old.median, old.minimum).max(spread(new.median, new.minimum)),
            same_pairs: old.checksum.as_ref().is_none_or(|old| *old == checksum),
        }
    }

    fn ratio(&self) -> f64 {
        self.new / self.old
    }

    /// Describes the judgement.
    fn words(&self, threshold: f64) -> String {
        let ratio = self.ratio();
        let speed = match ratio {
            _ if ratio > threshold => "SLOWER",
            _ if ratio.max(1.0 / ratio) <= 1.0 + self.noise => "within noise",
            _ if ratio < 1.0 => "faster",
            _ => "slower, within the threshold",
        };
        let pairs = if self.same_pairs { "" } else { "; finds other pairs" };
        format!("{speed}{pairs}")
    }
}

/// The changes of all rows.
pub struct Changes {
    file: String,
    threshold: f64,
    /// The scene and boxes of each new row, and its change if there is an old one.
    rows: Vec<(String, u64, Option<Change>)>,
    /// The old rows without a new one.
    gone: Vec<String>,
}

impl Changes {
    /// Finds the earlier row of each new one.
    pub fn between(older: Older, rows: &[Row], threshold: f64) -> Self {
        let change = |row: &Row| {
            let old = older.rows.iter().find(|old| old.matches(row));
            let change = old.map(|old| Change::between(old, row));
            (row.subject.name(), row.measured.report.boxes as u64, change)
        };
        let gone = older.rows.iter().filter(|old| !rows.iter().any(|row| old.matches(row)));
        Self {
            rows: rows.iter().map(change).collect(),
            gone: gone.map(Earlier::describe).collect(),
            file: older.file,
            threshold,
        }
    }

    /// Returns the changes as text.
    pub fn text(&self) -> String {
        let mut text = format!(
            "medians beside {}; slower beyond {}x\n\n{}",
            self.file,
            self.threshold,
            table::headings(&COLUMNS)
        );
        for (scene, boxes, change) in &self.rows {
            let mut cells = vec![scene.clone(), grouped(*boxes)];
            match change {
                Some(change) => cells.extend([
                    format!("{:.3}", change.old),
                    format!("{:.3}", change.new),
                    format!("{:.2}x", change.ratio()),
                    format!("{:.0}%", change.noise * 100.0),
                    change.words(self.threshold),
                ]),
                None => cells.extend(["-", "-", "-", "-", "not there before"].map(str::to_owned)),
            }
            text += &table::row(&COLUMNS, &cells);
        }
        for gone in &self.gone {
            text += &format!("only in {}: {gone}\n", self.file);
        }
        text
    }

    /// Returns the change of one new row as JSON; null if it has no earlier row.
    pub fn json(&self, row: usize) -> Value {
        let change = self.rows.get(row).and_then(|(.., change)| change.as_ref());
        change.map_or(Value::Null, |change| {
            json!({
                "old_wall_ms": json::milliseconds(change.old),
                "ratio": json::number(change.ratio()),
                "noise": json::number(change.noise),
                "slower": change.ratio() > self.threshold,
                "same_pairs": change.same_pairs,
            })
        })
    }

    /// Names the old rows without a new one on stderr.
    pub fn note_gone(&self) {
        for gone in &self.gone {
            note(&format!("only in {}: {gone}", self.file));
        }
    }

    /// Returns the failure, if a row is slower, or if nothing was compared.
    pub fn failure(&self) -> Option<Failure> {
        if self.rows.iter().all(|(.., change)| change.is_none()) {
            return Some(Failure::Input(format!(
                "{}: no row has scene, boxes, backend and adapter of one that was timed: name the same scenes on the same \
                 device",
                self.file
            )));
        }
        let slower = self.rows.iter().filter_map(|(scene, boxes, change)| {
            let ratio = change.as_ref()?.ratio();
            (ratio > self.threshold).then(|| format!("{scene} {} takes {ratio:.2}x", grouped(*boxes)))
        });
        let slower: Vec<String> = slower.collect();
        (!slower.is_empty()).then(|| {
            Failure::Difference(format!(
                "slower than in {} beyond {}x: {}",
                self.file,
                self.threshold,
                slower.join(", ")
            ))
        })
    }
}
