//! Apache Parquet: the columns of CSV files, with numbers as numbers.
//!
//! The format: <https://parquet.apache.org/docs/file-format/>.

pub(super) mod boxes;
mod column;
mod pages;
pub(super) mod plain;
pub(super) mod results;
pub(super) mod scene;
pub(super) mod table;
pub(super) mod write;

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};

use crate::error::{Error, Result};
use crate::parquet::pages::PageFile;
use crate::problem::problem;
use crate::source::open_regular;
use obbligato_support::excerpt::excerpt;
use obbligato_support::memory::OutOfMemory;

thread_local! {
    /// Set while panics of this thread are turned into errors.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Returns `true` while this thread reads a Parquet file and panics of the reader become errors: a
/// panic hook may be silent then.
pub fn catches_panics() -> bool {
    GUARDED.get()
}

/// Returns the result of `read`, with panics turned into errors. The reader asserts some of its
/// expectations of a file: if one fails, the file is damaged, and nothing of the reader is used any
/// more.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T>) -> Result<T> {
    let before = GUARDED.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(before);
    outcome.unwrap_or_else(|panic| match lacks_memory(&*panic) {
        true => Err(DECODER.into()),
        false => Err(unreadable(
            path,
            &ParquetError::General("it is damaged, in a way that the reader does not expect".into()),
        )),
    })
}

/// The memory of a decoder of zstd, about as much as the library requests.
const DECODER: OutOfMemory = OutOfMemory {
    what: "a decoder of zstd",
    needed: 160 << 10,
};

/// Returns `true` if this panic is that of zstd's library, which has no memory for a decoder.
fn lacks_memory(panic: &(dyn Any + Send)) -> bool {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.is_some_and(|text| text.contains("zstd returned null pointer"))
}

/// Opens a file.
fn open(path: &Path) -> Result<(PageFile, ParquetMetaData)> {
    let file = open_regular(path)?;
    let metadata = guarded(path, || {
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&file);
        metadata.map_err(|error| unreadable(path, &error))
    })?;
    check_places(path, &metadata)?;
    Ok((PageFile::new(file), metadata))
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
