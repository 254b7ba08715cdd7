//! The kinds of files.

use std::path::Path;

use crate::base::error::Result;
use crate::files::output;
use crate::files::problem::problem;

/// The kinds of files that are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Text: a header row, and a row for each entry.
    #[default]
    Csv,
    /// An array of NumPy's.
    Npy,
}

impl Format {
    /// The format that a path's ending names; else `unnamed` for what is no regular file, as stdout (`-`) and pipes.
    /// `endings` are those that would do, for the error.
    pub(super) fn of_output(path: &Path, unnamed: Self, endings: &str) -> Result<Self> {
        match ending(path).as_str() {
            "csv" => Ok(Self::Csv),
            "npy" => Ok(Self::Npy),
            _ if output::is_written_through(path) => Ok(unnamed),
            "gz" => Err(problem(
                path,
                "cannot be written compressed: name it .csv, and compress it then",
            )),
            _ => Err(problem(path, format!("has an unknown extension: name it {endings}"))),
        }
    }
}

/// The kinds of files that are read.
#[derive(Clone, Copy)]
pub(super) enum InputFormat {
    Csv,
    /// CSV, compressed by gzip.
    CsvGz,
    Npy,
}

impl InputFormat {
    pub fn of(path: &Path) -> Result<Self> {
        match ending(path).as_str() {
            "csv" => Ok(Self::Csv),
            "npy" => Ok(Self::Npy),
            "gz" if ending(Path::new(path.file_stem().unwrap_or_default())) == "csv" => Ok(Self::CsvGz),
            _ => Err(problem(path, "has an unknown extension: name it .csv, .csv.gz or .npy")),
        }
    }
}

/// A path's extension in lower case; empty if it has none, or none that is text.
pub(super) fn ending(path: &Path) -> String {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    ending.into_string().unwrap_or_default()
}
