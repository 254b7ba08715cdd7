//! A file of boxes that is read in pieces, in any order: for scenes larger than memory.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::box_rows::BoxRows;
use crate::error::{Error, Result};
use crate::format::{BOXES, InputFormat};
use crate::npy::NpyBoxes;
#[cfg(feature = "parquet")]
use crate::parquet::boxes::ParquetBoxes;
use crate::problem::{BadRows, problem};
use obbligato::unstable::limits::MAX_BOXES;

/// An NPY or Parquet file of boxes.
pub(crate) struct BoxFile {
    path: PathBuf,
    kind: Kind,
}

enum Kind {
    Npy(NpyBoxes),
    #[cfg(feature = "parquet")]
    Parquet(ParquetBoxes),
}

impl BoxFile {
    pub fn open(path: &Path) -> Result<Self> {
        let kind = match InputFormat::of(path, BOXES)? {
            InputFormat::Npy => Kind::Npy(NpyBoxes::open(path)?),
            #[cfg(feature = "parquet")]
            InputFormat::Parquet => Kind::Parquet(ParquetBoxes::open(path)?),
            InputFormat::Csv | InputFormat::CsvGz => {
                return Err(problem(
                    path,
                    "is text, which cannot be read from the middle: give the scene as .npy or .parquet",
                ));
            }
        };
        let file = Self {
            path: path.to_owned(),
            kind,
        };
        match file.rows() > MAX_BOXES as u64 {
            true => Err(Error::Engine(obbligato::Error::TooManyBoxes {
                boxes: file.rows() as usize,
                limit: MAX_BOXES,
            })),
            false => Ok(file),
        }
    }

    /// Returns the number of boxes.
    pub fn rows(&self) -> u64 {
        match &self.kind {
            Kind::Npy(file) => file.rows(),
            #[cfg(feature = "parquet")]
            Kind::Parquet(file) => file.rows(),
        }
    }

    /// Returns `true` if boxes have ids of their own.
    pub fn has_ids(&self) -> bool {
        match &self.kind {
            Kind::Npy(_) => false,
            #[cfg(feature = "parquet")]
            Kind::Parquet(file) => file.has_ids(),
        }
    }

    /// Returns `true` if boxes have groups.
    pub fn has_groups(&self) -> bool {
        match &self.kind {
            Kind::Npy(_) => false,
            #[cfg(feature = "parquet")]
            Kind::Parquet(file) => file.has_groups(),
        }
    }

    /// Calls `each` with the boxes of these rows, in batches. Invalid boxes are an error at the
    /// end. Several threads may read at the same time.
    pub fn read(&self, rows: Range<u64>, mut each: impl FnMut(&BoxRows) -> Result<()>) -> Result<()> {
        let mut bad = BadRows::default();
        let mut checked = |rows: &BoxRows| {
            for (row, obb) in (rows.first..).zip(&rows.boxes) {
                if let Some(problem) = obb.problem() {
                    bad.add(|| format!("row {row} {problem}"));
                }
            }
            each(rows)
        };
        match &self.kind {
            Kind::Npy(file) => file.read(rows, &mut checked),
            #[cfg(feature = "parquet")]
            Kind::Parquet(file) => file.read(rows, &mut checked),
        }?;
        bad.check(&self.path)
    }

    /// Calls `each` with batches of the ids of all boxes and the row of the first id of the batch.
    /// It is not called without ids.
    #[cfg_attr(
        not(feature = "parquet"),
        expect(clippy::unnecessary_wraps, reason = "other files can fail")
    )]
    pub fn read_ids(&self, each: &mut dyn FnMut(u64, &[u32]) -> Result<()>) -> Result<()> {
        match &self.kind {
            Kind::Npy(_) => {
                let _ = each;
                Ok(())
            }
            #[cfg(feature = "parquet")]
            Kind::Parquet(file) => file.read_ids(each),
        }
    }
}
