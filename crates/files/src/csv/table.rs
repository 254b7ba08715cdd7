//! Reads a CSV table: RFC 4180, and also lines that end in LF or CR alone, and semicolons instead
//! of commas.

use std::io::{self, Cursor, Read};
use std::path::Path;

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder, Terminator};

use crate::csv::blanks;
use crate::csv::quotes::Quotes;
use crate::csv::separator::Separator;
use crate::error::{Error, Result};
use crate::problem::{problem, unreadable};
use crate::table::cell::Cell;
use crate::table::header::Header;
use crate::table::{Record, Table};
use obbligato_support::{excerpt::excerpt, memory};

/// The number of bytes to request at each read from the system.
const BUFFER_BYTES: usize = 1 << 20;

/// The number of bytes to read first to find the header row.
const HEAD_BYTES: usize = 1 << 13;

/// The longest row, in bytes, give or take a buffer or two. A file that is not a table may be one
/// endless row.
const MOST_ROW_BYTES: usize = 16 << 20;

/// Label for out-of-memory errors.
const WHAT: &str = "the rows of a CSV file";

/// A header row, and rows that are read one by one.
pub(crate) struct CsvTable<'a, R: Read> {
    reader: Reader<Rows<Text<R>>>,
    path: &'a Path,
    header: Header,
    record: ByteRecord,
}

/// A text with valid quotes and without lone CRs, followed by one more LF.
type Text<R> = io::Chain<Quotes<io::Chain<Cursor<Vec<u8>>, R>>, &'static [u8]>;

impl<'a, R: Read> CsvTable<'a, R> {
    /// Reads the header row. `example` is a header row for the error of an empty file.
    pub fn open(mut input: R, path: &'a Path, example: &str) -> Result<Self> {
        let (head, separator) = read_head(&mut input, path)?;
        // Rows end in LF only (a lone CR has become one, a CR before it is trimmed from the last
        // field), and the input gets one more LF at its end. Whenever the reader returns, the row's
        // own line is therefore the last that it has counted.
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(separator.byte())
            .terminator(Terminator::Any(b'\n'))
            .buffer_capacity(BUFFER_BYTES)
            .from_reader(Rows {
                input: Quotes::new(Cursor::new(head).chain(input), separator).chain(&b"\n"[..]),
                unfinished: 0,
            });
        let mut table = Self {
            reader,
            path,
            header: Header::new(Vec::new()),
            record: ByteRecord::new(),
        };
        if !table.next_row()? {
            return Err(problem(
                path,
                format!("is empty: start with a header row such as {example}"),
            ));
        }
        let name = |field: &[u8]| {
            let field = blanks::shown(field);
            std::str::from_utf8(field.trim_ascii()).map(str::to_owned).map_err(|_| {
                let field = String::from_utf8_lossy(&field);
                problem(
                    path,
                    format!(
                        "is not UTF-8 text ({:?} in its header): save it as UTF-8",
                        excerpt(&field)
                    ),
                )
            })
        };
        table.header = Header::new(table.record.iter().map(name).collect::<Result<_>>()?);
        Ok(table)
    }

    /// Returns the line, from 1, on which the last row read begins. Quoted fields may span lines.
    fn line(&self) -> u64 {
        let inside = self.record.as_slice().iter().filter(|&&byte| byte == b'\n').count();
        self.reader.position().line().saturating_sub(inside as u64 + 1)
    }
}

impl<R: Read> Table for CsvTable<'_, R> {
    type Record = ByteRecord;

    fn header(&self) -> &Header {
        &self.header
    }

    /// Reads the next row that is not blank.
    fn next_row(&mut self) -> Result<bool> {
        loop {
            self.reader.get_mut().unfinished = 0;
            let line = self.reader.position().line();
            let read = self
                .reader
                .read_byte_record(&mut self.record)
                .map_err(|error| match error.into_kind() {
                    ErrorKind::Io(error) => failed(self.path, &error, line),
                    other => unreadable(self.path, &io::Error::other(format!("{other:?}"))),
                })?;
            if !read || self.record.len() > 1 || !self.record[0].trim_ascii().is_empty() {
                return Ok(read);
            }
        }
    }

    fn record(&self) -> &ByteRecord {
        &self.record
    }

    fn place(&self) -> String {
        format!("line {}", self.line())
    }
}

impl Record for ByteRecord {
    fn len(&self) -> usize {
        self.len()
    }

    fn cell(&self, column: usize) -> Cell<'_> {
        Cell::Text(blanks::trimmed(&self[column]))
    }
}

/// Reads the beginning of a text, at least up to the end of its header row.
fn read_head(input: &mut impl Read, path: &Path) -> Result<(Vec<u8>, Separator)> {
    let mut head = Vec::new();
    loop {
        // Doubles each time because the beginning is scanned again.
        let bytes = head.len().max(HEAD_BYTES);
        memory::reserve(&mut head, bytes, WHAT)?;
        let more = input.by_ref().take(bytes as u64).read_to_end(&mut head);
        let more = more.map_err(|error| failed(path, &error, 1))?;
        let (separator, complete) = Separator::of_head(&head);
        if complete || more == 0 || head.len() > MOST_ROW_BYTES {
            return Ok((head, separator));
        }
    }
}

fn failed(path: &Path, error: &io::Error, line: u64) -> Error {
    match error.kind() {
        io::ErrorKind::FileTooLarge => problem(path, format!("line {line} begins a row that {error}")),
        io::ErrorKind::InvalidData => problem(path, error.to_string()),
        _ => unreadable(path, error),
    }
}

/// A reader that limits the length of a row.
struct Rows<R> {
    input: R,
    /// Bytes read since the last row.
    unfinished: usize,
}

impl<R: Read> Read for Rows<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.unfinished > MOST_ROW_BYTES {
            let words = format!(
                "is longer than {} MiB: a row is a line, unless a quote continues",
                MOST_ROW_BYTES >> 20
            );
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, words));
        }
        let read = self.input.read(buffer)?;
        self.unfinished += read;
        Ok(read)
    }
}
