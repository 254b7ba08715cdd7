//! The times of other programs for the same scenes, compared with the rows.

use std::path::Path;

use obbligato_files::source::read_text;
use obbligato_support::excerpt::excerpt;
use serde_json::{Value, json};

use super::row::Row;
use crate::{
    failure::Failure,
    json, output,
    table::{self, Align, Column, grouped},
};

const COLUMNS: [Column; 7] = [
    Column("scene", 10, Align::Left),
    Column("boxes", 11, Align::Right),
    Column("peer", 12, Align::Left),
    Column("peer ms", 10, Align::Right),
    Column("our ms", 10, Align::Right),
    Column("ratio", 7, Align::Right),
    Column("pairs", 24, Align::Left),
];

/// The largest relative difference between numbers of pairs, because peers round.
const SAME_PAIRS: f64 = 1e-3;

/// The results of another program.
#[derive(Clone, Debug, Default)]
pub struct Peers {
    file: String,
    all: Vec<Peer>,
}

/// A result of another program.
#[derive(Clone, Debug)]
struct Peer {
    tool: String,
    scene: Option<String>,
    boxes: u64,
    pairs: u64,
    checksum: Option<String>,
    /// Milliseconds per frame.
    time: f64,
}

impl Peers {
    /// Reads a file with a JSON object on each line.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let file = output::shown(path);
        let text = read_text(path)?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let peer = |(number, line): (usize, &str)| {
            let wrong = |what: &str| {
                let number = number + 1;
                Failure::Input(format!(
                    "{file}: line {number} {what}: each line is an object with tool, boxes, pairs and gpu_total_ms"
                ))
            };
            let value: Value = serde_json::from_str(line).map_err(|_| wrong("is not JSON"))?;
            Peer::new(&value).map_err(|what| wrong(&format!("has no {what}")))
        };
        let all = lines.map(peer).collect::<Result<_, _>>()?;
        Ok(Self { file, all })
    }

    /// Returns the peers of the same scene: with equally many boxes, nearly as many pairs, and its
    /// name if they have one.
    fn of<'a>(&'a self, row: &'a Row) -> impl Iterator<Item = &'a Peer> {
        let (boxes, pairs) = (row.measured.report.boxes as u64, row.measured.report.colliding_pairs);
        let same = move |peer: &&Peer| {
            let apart = peer.pairs.abs_diff(pairs) as f64;
            let named = peer.scene.as_ref().is_none_or(|scene| *scene == row.subject.name());
            peer.boxes == boxes && named && apart <= SAME_PAIRS * pairs as f64
        };
        self.all.iter().filter(same)
    }

    /// Returns a table of the rows that have a peer; `None` if none has.
    pub fn table<'a>(&'a self, rows: impl IntoIterator<Item = &'a Row>) -> Option<String> {
        let lines = rows
            .into_iter()
            .flat_map(|row| self.of(row).map(|peer| peer.cells(row)));
        let lines: String = lines.map(|cells| table::row(&COLUMNS, &cells)).collect();
        let head = || format!("beside {}\n{}", self.file, table::headings(&COLUMNS));
        (!lines.is_empty()).then(|| head() + &lines)
    }

    /// Returns the table, or a message that no row has a peer.
    pub fn text(&self, rows: &[Row]) -> String {
        self.table(rows)
            .unwrap_or_else(|| format!("{}: no line has the boxes and pairs of a row\n", self.file))
    }

    /// Returns the peers of a row as JSON.
    pub fn json(&self, row: &Row) -> Value {
        self.of(row).map(|peer| peer.json(row)).collect()
    }
}

impl Peer {
    /// Parses a line of JSON; the error names the missing field.
    fn new(line: &Value) -> Result<Self, &'static str> {
        let word = |key| line[key].as_str().map(str::to_owned);
        Ok(Self {
            tool: word("tool").ok_or("tool")?,
            scene: word("scene"),
            boxes: line["boxes"].as_u64().ok_or("boxes")?,
            pairs: line["pairs"].as_u64().ok_or("pairs")?,
            checksum: word("checksum"),
            time: line["gpu_total_ms"]
                .as_f64()
                .filter(|time| *time > 0.0)
                .ok_or("gpu_total_ms above 0")?,
        })
    }

    /// Returns `true` if its pairs are those of the row; `None` if it has no checksum.
    fn same_pairs(&self, row: &Row) -> Option<bool> {
        let own = format!("{:016x}", row.measured.checksum);
        self.checksum.as_ref().map(|checksum| *checksum == own)
    }

    /// Returns our milliseconds: the GPU's, or without timestamps the host's.
    fn own_time(row: &Row) -> f64 {
        let measured = &row.measured;
        measured.gpu_total.unwrap_or(measured.wall).median
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        let own = Self::own_time(row);
        let more = self.pairs as i64 - row.measured.report.colliding_pairs as i64;
        let pairs = match (self.same_pairs(row), more) {
            (Some(true), _) => "the same".to_owned(),
            (_, 0) => "as many".to_owned(),
            (_, more) => format!("{more:+}"),
        };
        vec![
            row.subject.name(),
            grouped(self.boxes),
            excerpt(&self.tool).into_owned(),
            format!("{:.3}", self.time),
            format!("{own:.3}"),
            format!("{:.2}x", self.time / own),
            pairs,
        ]
    }

    fn json(&self, row: &Row) -> Value {
        json!({
            "tool": self.tool,
            "gpu_total_ms": json::milliseconds(self.time),
            "ratio": json::number(self.time / Self::own_time(row)),
            "pairs": self.pairs,
            "same_pairs": self.same_pairs(row),
        })
    }
}
