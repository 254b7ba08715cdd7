//! The pages of a column, checked before they are decoded. The reader makes room for what the
//! header of a page announces, and that of a damaged file announces gigabytes.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;

/// The bytes of a page header that have both of its sizes: three fields with their numbers, each of
/// up to five bytes.
const SIZES: u64 = 18;

/// The size that a page may always have, in bytes.
const SMALL: u64 = 1 << 16;

/// The file of a column.
pub(super) struct PageFile(Arc<File>);

impl PageFile {
    pub fn new(file: File) -> Self {
        Self(Arc::new(file))
    }

    /// Returns a reader of a column.
    pub fn column(&self, group: &RowGroupMetaData, column: usize) -> Result<ColumnReader> {
        let metadata = group.column(column);
        let descriptor = metadata.column_descr_ptr();
        let file = Announced {
            file: Arc::clone(&self.0),
            ratio: most_expanded(metadata.compression()),
        };
        let rows = usize::try_from(group.num_rows()).map_err(|error| ParquetError::General(error.to_string()))?;
        let pages = SerializedPageReader::new(Arc::new(file), metadata, rows, None)?;
        let least_bits = least_bits(descriptor.physical_type());
        Ok(get_column_reader(descriptor, Box::new(Checked { pages, least_bits })))
    }
}

/// Returns the most bytes that a compressed byte stands for, rounded up; `None` if the reader makes
/// no room for what a page announces.
fn most_expanded(compression: Compression) -> Option<u64> {
    match compression {
        Compression::UNCOMPRESSED => None,
        // A copy of 64 bytes takes 3.
        Compression::SNAPPY => Some(32),
        // A byte more of a length stands for 255.
        Compression::LZ4 | Compression::LZ4_RAW => Some(256),
        // A copy of 258 bytes takes 2 bits.
        Compression::GZIP(_) => Some(1040),
        // A block of 128 KiB takes 4 bytes.
        _ => Some(1 << 15),
    }
}

/// Returns the least bits that a value in a dictionary takes.
fn least_bits(kind: Type) -> u64 {
    match kind {
        Type::BOOLEAN => 1,
        Type::INT32 | Type::FLOAT => 32,
        Type::INT64 | Type::DOUBLE => 64,
        Type::INT96 => 96,
        // The length of a text.
        Type::BYTE_ARRAY => 32,
        Type::FIXED_LEN_BYTE_ARRAY => 8,
    }
}

/// A file that is read page by page.
struct Announced {
    file: Arc<File>,
    ratio: Option<u64>,
}

impl Length for Announced {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl ChunkReader for Announced {
    type T = Header;

    fn get_read(&self, start: u64) -> Result<Header> {
        let problem = match self.ratio {
            None => None,
            Some(ratio) => {
                let mut begin = Vec::new();
                self.file.get_read(start)?.take(SIZES).read_to_end(&mut begin)?;
                size_problem(&begin, ratio)
            }
        };
        let file = self.file.get_read(start)?;
        Ok(Header { file, problem })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.file.get_bytes(start, length)
    }
}

/// A reader of a page's header. It is also made where a page begins whose header has been read, and
/// then not used, so only reading returns the error.
struct Header {
    file: BufReader<File>,
    problem: Option<String>,
}

impl Read for Header {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &self.problem {
            Some(problem) => Err(io::Error::other(problem.clone())),
            None => self.file.read(buffer),
        }
    }
}

/// Returns a text if a page announces more bytes than its compressed ones can stand for.
fn size_problem(mut header: &[u8], ratio: u64) -> Option<String> {
    // The kind of the page, and its sizes without and with compression.
    let fields = [(); 3].map(|()| next_field(&mut header));
    let [Some(_), Some(plain), Some(compressed)] = fields else {
        return Some("a page has no sizes at its head".into());
    };
    let most = compressed.saturating_mul(ratio).saturating_add(SMALL);
    (plain > most).then(|| format!("a page of {compressed} bytes announces {plain}"))
}

/// Takes the next field of a header if it is a number that is not negative, in the compact protocol
/// of Thrift.
fn next_field(header: &mut &[u8]) -> Option<u64> {
    // The number of the field is one more than the last one's, and its kind is `i32`.
    const NEXT_I32: u8 = 0x15;
    let (&kind, rest) = header.split_first()?;
    let end = rest.iter().position(|byte| byte & 0x80 == 0)?;
    let digits = rest.get(..=end).filter(|_| kind == NEXT_I32 && end < 5)?;
    *header = &rest[end + 1..];
    let zigzag = digits
        .iter()
        .rev()
        .fold(0, |number, digit| number << 7 | u64::from(digit & 0x7F));
    (zigzag & 1 == 0).then_some(zigzag >> 1)
}

/// Pages whose dictionaries have been checked.
struct Checked {
    pages: SerializedPageReader<Announced>,
    least_bits: u64,
}

impl Checked {
    fn check(&self, page: Option<Page>) -> Result<Option<Page>> {
        if let Some(Page::DictionaryPage { buf, num_values, .. }) = &page {
            expect_room(buf.len(), u64::from(*num_values), self.least_bits)?;
        }
        Ok(page)
    }
}

/// Returns an error if a dictionary of some bytes cannot have this many values.
fn expect_room(bytes: usize, values: u64, least_bits: u64) -> Result<()> {
    match values * least_bits <= 8 * bytes as u64 {
        true => Ok(()),
        false => Err(ParquetError::General(format!(
            "a dictionary of {bytes} bytes announces {values} values"
        ))),
    }
}

impl Iterator for Checked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        self.check(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn supports_deferred_dictionary(&self) -> bool {
        self.pages.supports_deferred_dictionary()
    }

    fn take_deferred_dictionary(&mut self) -> Result<Option<Page>> {
        let page = self.pages.take_deferred_dictionary()?;
        self.check(page)
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_pages_are_checked() {
        // 1,024 bytes of one.
        let small = [0x15, 0, 0x15, 0x80, 0x10, 0x15, 2, 0x1C];
        assert_eq!(size_problem(&small, 32), None);
        let huge = [0x15, 0, 0x15, 0xFE, 0xFF, 0xFF, 0xFF, 0x0F, 0x15, 40, 0x1C];
        let problem = size_problem(&huge, 1 << 15);
        assert_eq!(problem.as_deref(), Some("a page of 20 bytes announces 2147483647"));
        let negative = [0x15, 0, 0x15, 1, 0x15, 40];
        let long = [0x15, 0, 0x15, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0x15, 40];
        let other = [0x15, 0, 0x25, 2, 0x15, 40];
        for header in [&huge[..6], &negative, &long, &other, &[]] {
            let problem = size_problem(header, 1);
            assert_eq!(
                problem.as_deref(),
                Some("a page has no sizes at its head"),
                "{header:?}"
            );
        }
    }

    #[test]
    fn dictionaries_have_the_bytes_of_their_values() {
        assert!(expect_room(12, 3, 32).is_ok() && expect_room(0, 0, 64).is_ok());
        assert!(expect_room(12, 4, 32).is_err() && expect_room(12, u32::MAX.into(), 1).is_err());
    }
}
