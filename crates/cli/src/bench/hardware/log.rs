//! The files of a run, each line of which is written as soon as it is known.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use obbligato_support::excerpt::{visible, visible_json};
use serde_json::Value;

use crate::failure::Failure;
use crate::output;

/// The files of a run.
pub(super) struct Log {
    pub folder: PathBuf,
    results: File,
    summary: File,
}

impl Log {
    /// Creates the folder and the files, which must not exist.
    pub fn new(folder: &Path) -> Result<Self, Failure> {
        let wrong = |path: &Path, error: std::io::Error| {
            let path = output::shown(path);
            Failure::Input(format!("{path}: cannot be made: {error}: name a new folder"))
        };
        fs::create_dir_all(folder).map_err(|error| wrong(folder, error))?;
        let file = |name: &str| {
            let path = folder.join(name);
            File::create_new(&path).map_err(|error| wrong(&path, error))
        };
        Ok(Self {
            folder: folder.to_owned(),
            results: file("results.jsonl")?,
            summary: file("summary.txt")?,
        })
    }

    fn failure(&self, error: &std::io::Error) -> Failure {
        let folder = output::shown(&self.folder);
        Failure::Input(format!("{folder}: cannot be written: {error}: free some space"))
    }

    /// Writes readable text to the summary and to stdout.
    pub fn say(&mut self, text: &str) -> Result<(), Failure> {
        let text = visible(text);
        let written = writeln!(self.summary, "{text}").and_then(|()| self.summary.flush());
        written.map_err(|error| self.failure(&error))?;
        match output::print(&format!("{text}\n")) {
            // The files are more important than stdout.
            Err(Failure::ClosedPipe) => Ok(()),
            printed => printed,
        }
    }

    /// Writes a line of results.
    pub fn note(&mut self, line: &Value) -> Result<(), Failure> {
        let written = writeln!(self.results, "{}", visible_json(&line.to_string())).and_then(|()| self.results.flush());
        written.map_err(|error| self.failure(&error))
    }
}
