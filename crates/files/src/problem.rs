//! One-line descriptions of problems with files.

use std::path::Path;

use crate::error::{Error, Result};
use obbligato_support::plural::plural;

/// Returns an error about a file.
pub(crate) fn problem(path: &Path, problem: impl Into<String>) -> Error {
    Error::File {
        path: path.display().to_string(),
        problem: problem.into(),
    }
}

/// Returns an error for a file that cannot be read.
pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    problem(
        path,
        format!("cannot be read ({error}): check the path and its permissions"),
    )
}

/// The bad rows of a file: a description of the first, and their number.
#[derive(Default)]
pub(crate) struct BadRows {
    first: Option<String>,
    count: usize,
}

impl BadRows {
    /// Counts a bad row. `describe` names the row and its problem; it is called only for the first
    /// one.
    pub fn add(&mut self, describe: impl FnOnce() -> String) {
        self.count += 1;
        self.first.get_or_insert_with(describe);
    }

    /// Returns an error if there are bad rows.
    pub fn check(self, path: &Path) -> Result<()> {
        let Some(first) = self.first else {
            return Ok(());
        };
        let count = self.count as u64;
        let (rows, them) = (plural(count, "row", "rows"), plural(count, "it", "them"));
        Err(problem(
            path,
            format!("{first} ({count} bad {rows} in all): fix or remove {them}"),
        ))
    }
}
