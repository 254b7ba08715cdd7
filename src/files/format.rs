//! The kinds of files.

use std::path::Path;

use crate::base::error::Result;
use crate::files::problem::problem;

/// The kinds of files, by extension.
#[derive(Clone, Copy)]
pub(super) enum Format {
    Csv,
    Npy,
}

impl Format {
    pub fn of(path: &Path) -> Result<Self> {
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        match ending.to_str() {
            Some("csv") => Ok(Self::Csv),
            Some("npy") => Ok(Self::Npy),
            _ => Err(problem(path, "has an unknown extension: name it .csv or .npy")),
        }
    }
}
