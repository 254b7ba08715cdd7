//! The report of a comparison of output files.

use serde_json::{Value, json};

use super::{
    cases::CASES,
    compare::{Difference, Group},
};
use crate::{
    json,
    table::{self, Align, Column, counted, grouped},
};

/// The outcome.
pub struct Outcome {
    pub groups: Vec<Group>,
    pub difference: Option<Difference>,
    pub seed: u64,
    pub runs: usize,
}

impl Outcome {
    /// Returns the outcome as text: a line for each engine.
    pub fn text(&self) -> String {
        let number = |heading, width| Column(heading, width, Align::Right);
        let columns = [
            Column("engine", 40, Align::Left),
            number("threads", 7),
            number("lanes", 5),
            number("runs", 7),
            number("files", 5),
            number("bytes", 12),
            Column("digest", 16, Align::Left),
        ];
        let mut text = format!(
            "determinism: {}, {} on each engine (seed {})\n\n{}",
            counted(CASES.len() as u64, "command", "commands"),
            counted(self.runs as u64, "run", "runs"),
            self.seed,
            table::headings(&columns)
        );
        let or_dash = |number: Option<usize>| number.map_or("-".to_owned(), |number| number.to_string());
        for group in &self.groups {
            let cells = [
                group.engine.name().to_owned(),
                or_dash(group.engine.threads()),
                or_dash(group.engine.lanes()),
                grouped(group.runs as u64),
                grouped(group.files as u64),
                grouped(group.bytes as u64),
                format!("{:016x}", group.digest),
            ];
            text += &table::row(&columns, &cells);
        }
        match &self.difference {
            None => {
                let runs: usize = self.groups.iter().map(|group| group.runs).sum();
                text + &format!("\npassed: the same bytes in {}\n", counted(runs as u64, "run", "runs"))
            }
            Some(difference) => text + &format!("\nFAILED: {}\n", difference.words()),
        }
    }

    /// Returns the outcome as JSON.
    pub fn json(&self) -> Value {
        let group = |group: &Group| {
            json!({
                "engine": group.engine.name(),
                "threads": group.engine.threads(),
                "lanes": group.engine.lanes(),
                "runs": group.runs,
                "files": group.files,
                "bytes": group.bytes,
                "digest": json::checksum(group.digest),
            })
        };
        let difference = |difference: &Difference| {
            json!({
                "command": difference.command(),
                "engine": difference.engine.words(),
                "first_engine": difference.first.words(),
                "run": difference.run,
                "file": difference.output,
                "what": difference.how,
            })
        };
        json!({
            "seed": self.seed,
            "runs": self.runs,
            "commands": CASES,
            "engines": self.groups.iter().map(group).collect::<Vec<_>>(),
            "difference": self.difference.as_ref().map(difference),
            "passed": self.difference.is_none(),
        })
    }
}

impl Difference {
    /// Describes it.
    pub fn words(&self) -> String {
        format!(
            "{} of `obbligato {}` is not the same on {}, run {}, as in the first run, on {}: {}",
            self.output,
            CASES[self.case],
            self.engine.words(),
            self.run,
            self.first.words(),
            self.how
        )
    }

    /// Returns the command, with the variables of the environment and the options of its engine.
    pub fn command(&self) -> String {
        let variables = self.engine.variables();
        let variables = variables.iter().map(|(name, number)| format!("{name}={number} "));
        let words = CASES[self.case];
        let mut command = format!("{}obbligato {words}", variables.collect::<String>());
        for option in self.engine.options(words) {
            command += &format!(" {option}");
        }
        command
    }
}
