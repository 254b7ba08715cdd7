//! The report of a run.

use serde_json::{Value, json};

use super::host::{Memory, mebibytes};
use crate::table::{self, Align, Column, facts, grouped};

/// The counts of a run.
#[derive(Debug, Default)]
pub struct Outcome {
    pub seed: u64,
    pub engines: Vec<String>,
    /// The number of the first frame.
    pub first: u64,
    /// The number of frames, and of the large ones among them.
    pub frames: u64,
    pub large: u64,
    /// The number of frames compared with the reference.
    pub checks: u64,
    pub pairs: u64,
    pub minutes: f64,
    /// The first difference.
    pub difference: Option<String>,
    pub interrupted: bool,
    pub memory: Memory,
    /// The largest estimate of a device's memory for a frame.
    pub device_bytes: u64,
}

/// The columns of what is printed during a run.
const COLUMNS: [Column; 6] = [
    Column("minutes", 9, Align::Right),
    Column("frames", 12, Align::Right),
    Column("large", 7, Align::Right),
    Column("checks", 10, Align::Right),
    Column("host memory", 14, Align::Right),
    Column("device (estimate)", 17, Align::Right),
];

impl Outcome {
    /// Returns the heading of the lines.
    pub fn heading(&self) -> String {
        format!(
            "soak: seed {}, on {}\n\n{}",
            self.seed,
            self.engines.join("; "),
            table::headings(&COLUMNS)
        )
    }

    /// Returns a line about the run so far.
    pub fn line(&self, resident: Option<u64>) -> String {
        let cells = [
            format!("{:.2}", self.minutes),
            grouped(self.frames),
            grouped(self.large),
            grouped(self.checks),
            resident.map_or("-".to_owned(), mebibytes),
            mebibytes(self.device_bytes),
        ];
        table::row(&COLUMNS, &cells)
    }

    /// Returns the summary.
    pub fn summary(&self) -> String {
        let large = format!("{}, {} of them large", grouped(self.frames), grouped(self.large));
        let frames_per_second = self.frames as f64 / (60.0 * self.minutes).max(1e-9);
        let lines = [
            ("seed", self.seed.to_string()),
            ("engines", self.engines.join("; ")),
            ("frames", large),
            ("checks", format!("{} with the reference", grouped(self.checks))),
            ("colliding pairs", grouped(self.pairs)),
            ("differences", u64::from(self.difference.is_some()).to_string()),
            (
                "time",
                format!(
                    "{:.2} minutes, {} frames/s",
                    self.minutes,
                    table::rate(frames_per_second)
                ),
            ),
            ("host memory", self.memory.words()),
            (
                "device memory",
                format!("{} at most, by estimate", mebibytes(self.device_bytes)),
            ),
        ];
        let verdict = match (&self.difference, self.interrupted) {
            (Some(difference), _) => format!("FAILED: {difference}"),
            (None, true) => "passed until it was interrupted".to_owned(),
            (None, false) => "passed".to_owned(),
        };
        format!("\n{}\n{verdict}\n", facts(&lines))
    }

    /// Returns the outcome as JSON.
    pub fn json(&self) -> Value {
        json!({
            "seed": self.seed,
            "engines": self.engines,
            "first_frame": self.first,
            "frames": self.frames,
            "large_frames": self.large,
            "checks": self.checks,
            "colliding_pairs": self.pairs,
            "differences": u64::from(self.difference.is_some()),
            "difference": self.difference,
            "minutes": self.minutes,
            "interrupted": self.interrupted,
            "host_bytes": self.memory.json(),
            "device_bytes": self.device_bytes,
            "passed": self.difference.is_none(),
        })
    }
}
