//! Apache Parquet: the columns of CSV files, with numbers as numbers.
//!
//! The format: <https://parquet.apache.org/docs/file-format/>.

pub(super) mod boxes;
mod column;
pub(super) mod plain;
pub(super) mod results;
pub(super) mod scene;
pub(super) mod table;
pub(super) mod write;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};

use crate::error::{Error, Result};
use crate::problem::problem;
use obbligato_support::excerpt::excerpt;

/// Returns the result of `read`, with panics turned into errors. The reader asserts some of its
/// expectations of a file: if one fails, the file is damaged, and nothing of the reader is used any
/// more.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
        Err(unreadable(
            path,
            &ParquetError::General("it is damaged, in a way that the reader does not expect".into()),
        ))
    })
}

/// Returns an error if row groups claim impossible positions, which the reader does not check.
fn check_places(path: &Path, metadata: &ParquetMetaData) -> Result<()> {
    for column in metadata.row_groups().iter().flat_map(RowGroupMetaData::columns) {
        let places = [
            column.dictionary_page_offset().unwrap_or(0),
            column.data_page_offset(),
            column.compressed_size(),
            column.uncompressed_size(),
            column.num_values(),
        ];
        if places.iter().any(|&place| place < 0) {
            let words = "a column is at a place below 0".to_owned();
            return Err(unreadable(path, &ParquetError::General(words)));
        }
    }
    Ok(())
}

/// Returns an error of the reader.
fn unreadable(path: &Path, error: &ParquetError) -> Error {
    problem(
        path,
        format!(
            "cannot be read as Parquet ({}): write it again, uncompressed or compressed by snappy, gzip, zstd or lz4",
            excerpt(&error.to_string())
        ),
    )
}
