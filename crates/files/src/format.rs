//! The kinds of files.

use std::path::Path;

use crate::error::Result;
use crate::output;
use crate::problem::problem;

/// The endings of scenes, for error messages.
#[cfg(feature = "parquet")]
pub(super) const SCENES: &str = ".csv, .csv.gz, .npy or .parquet";
#[cfg(not(feature = "parquet"))]
pub(super) const SCENES: &str = ".csv, .csv.gz or .npy";

/// The endings of scenes that are read from the middle, likewise.
#[cfg(feature = "parquet")]
pub(super) const BOXES: &str = ".npy or .parquet";
#[cfg(not(feature = "parquet"))]
pub(super) const BOXES: &str = ".npy";

/// The endings of tables, likewise.
#[cfg(feature = "parquet")]
pub(super) const TABLES: &str = ".csv, .csv.gz or .parquet";
#[cfg(not(feature = "parquet"))]
pub(super) const TABLES: &str = ".csv or .csv.gz";

/// The endings of what is written as rows of numbers, likewise.
#[cfg(feature = "parquet")]
pub(super) const ENDINGS: &str = ".csv, .npy or .parquet";
#[cfg(not(feature = "parquet"))]
pub(super) const ENDINGS: &str = ".csv or .npy";

/// The kinds of files that are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Text: a header row, and a row for each entry.
    #[default]
    Csv,
    /// An array of NumPy's.
    Npy,
    /// Apache Parquet, with the columns of the CSV.
    #[cfg(feature = "parquet")]
    Parquet,
}

impl Format {
    /// What people call it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Npy => "NPY",
            #[cfg(feature = "parquet")]
            Self::Parquet => "Parquet",
        }
    }

    /// The format that a path's ending names; else `unnamed` for what is no regular file, as stdout (`-`) and pipes.
    /// `endings` are those that would do, for the error.
    pub(super) fn of_output(path: &Path, unnamed: Self, endings: &str) -> Result<Self> {
        match ending(path).as_str() {
            "csv" => Ok(Self::Csv),
            "npy" => Ok(Self::Npy),
            #[cfg(feature = "parquet")]
            "parquet" => Ok(Self::Parquet),
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
    #[cfg(feature = "parquet")]
    Parquet,
}

impl InputFormat {
    /// The format that a path's ending names. `endings` are those that would do, for the error.
    pub fn of(path: &Path, endings: &str) -> Result<Self> {
        match ending(path).as_str() {
            "csv" => Ok(Self::Csv),
            "npy" => Ok(Self::Npy),
            #[cfg(feature = "parquet")]
            "parquet" => Ok(Self::Parquet),
            "gz" if ending(Path::new(path.file_stem().unwrap_or_default())) == "csv" => Ok(Self::CsvGz),
            _ => Err(problem(path, format!("has an unknown extension: name it {endings}"))),
        }
    }
}

/// A path's extension in lower case; empty if it has none, or none that is text.
pub(super) fn ending(path: &Path) -> String {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    ending.into_string().unwrap_or_default()
}
