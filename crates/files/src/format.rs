//! File formats.

use std::path::Path;

use crate::error::Result;
use crate::output;
use crate::problem::problem;

/// The file extensions of scenes, for error messages.
#[cfg(feature = "parquet")]
pub(super) const SCENES: &str = ".csv, .csv.gz, .npy or .parquet";
#[cfg(not(feature = "parquet"))]
pub(super) const SCENES: &str = IN_MEMORY;

/// The file extensions of CSV files, for error messages.
#[cfg(not(feature = "parquet"))]
const CSV: &str = ".csv or .csv.gz";

/// The file extensions of scenes that are read without a file, for error messages.
pub(super) const IN_MEMORY: &str = ".csv, .csv.gz or .npy";

/// The file extensions of scenes that can be read from any row, for error messages.
#[cfg(feature = "parquet")]
pub(super) const BOXES: &str = ".npy or .parquet";
#[cfg(not(feature = "parquet"))]
pub(super) const BOXES: &str = ".npy";

/// The file extensions of tables, for error messages.
#[cfg(feature = "parquet")]
pub(super) const TABLES: &str = ".csv, .csv.gz or .parquet";
#[cfg(not(feature = "parquet"))]
pub(super) const TABLES: &str = CSV;

/// The file extensions of numeric tables that are written, for error messages.
#[cfg(feature = "parquet")]
pub(super) const ENDINGS: &str = ".csv, .npy or .parquet";
#[cfg(not(feature = "parquet"))]
pub(super) const ENDINGS: &str = ".csv or .npy";

/// A format of files that are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Text: a header row, and a row for each entry.
    #[default]
    Csv,
    /// A NumPy array.
    Npy,
    /// Apache Parquet, with the columns of the CSV.
    #[cfg(feature = "parquet")]
    Parquet,
}

impl Format {
    /// Returns the usual name of the format.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Npy => "NPY",
            #[cfg(feature = "parquet")]
            Self::Parquet => "Parquet",
        }
    }

    /// Returns the format of a path's extension, or `unnamed` for anything but a regular file, such
    /// as stdout (`-`) and pipes. `endings` are the accepted extensions, for the error.
    pub(super) fn of_output(path: &Path, unnamed: Self, endings: &str) -> Result<Self> {
        match ending(path).as_str() {
            "csv" => Ok(Self::Csv),
            "npy" => Ok(Self::Npy),
            #[cfg(feature = "parquet")]
            "parquet" => Ok(Self::Parquet),
            _ if output::is_written_through(path) => Ok(unnamed),
            "gz" => Err(problem(
                path,
                "cannot be written compressed: name it .csv, and compress it afterwards",
            )),
            _ => Err(problem(path, format!("has an unknown extension: name it {endings}"))),
        }
    }
}

/// A format of files that are read.
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
    /// Returns the format of a path's extension. `endings` are the accepted extensions, for the
    /// error.
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

/// Returns a path's extension in lower case; empty if it has none or if it is not UTF-8.
pub(super) fn ending(path: &Path) -> String {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    ending.into_string().unwrap_or_default()
}
