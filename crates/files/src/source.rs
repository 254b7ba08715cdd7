//! Opens inputs: as a stream, as a file on disk, or as a short text.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::error::Result;
use crate::problem::{problem, unreadable};

/// The number of bytes to request at each read of a compressed file.
const BUFFER_BYTES: usize = 1 << 16;

/// The path that stands for stdin.
pub(super) const STDIN: &str = "-";

/// The largest size in bytes of a text that is read at once, such as a file of results.
const MOST_TEXT: u64 = 64 << 20;

/// Opens an input that is read from beginning to end: a file, a pipe or a device. A folder is an
/// error.
pub(super) fn open(path: &Path) -> Result<File> {
    let failed = |error| unreadable(path, &error);
    let file = File::open(path).map_err(failed)?;
    match file.metadata().map_err(failed)?.is_dir() {
        true => Err(problem(path, "cannot be read, as it is a folder: name a file")),
        false => Ok(file),
    }
}

/// Opens a regular file, which has a length and can be read from any position. Anything else is an
/// error and is not even opened, because opening a pipe may block for ever.
pub(super) fn open_regular(path: &Path) -> Result<File> {
    let failed = |error| unreadable(path, &error);
    let found = fs::metadata(path).map_err(failed)?;
    if found.is_dir() {
        return Err(problem(path, "cannot be read, as it is a folder: name a file"));
    }
    if !found.is_file() {
        return Err(problem(
            path,
            "cannot be read, as it is a pipe or a device: name a file on disk",
        ));
    }
    File::open(path).map_err(failed)
}

/// Reads a UTF-8 text of at most 64 MiB from a regular file. All its lines end in LF, whether they
/// end in LF, CR LF or CR in the file.
pub fn read_text(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    let read = open_regular(path)?.take(MOST_TEXT + 1).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > MOST_TEXT {
        let most = MOST_TEXT >> 20;
        return Err(problem(
            path,
            format!("is longer than {most} MiB: name a file of results"),
        ));
    }
    let text = String::from_utf8(bytes).map_err(|_| problem(path, "is not UTF-8 text: save it as UTF-8"))?;
    Ok(match text.contains('\r') {
        true => text.replace("\r\n", "\n").replace('\r', "\n"),
        false => text,
    })
}

/// Decompresses a gzip file while it is read.
pub(super) fn gunzip(file: impl Read) -> impl Read {
    Gunzip(MultiGzDecoder::new(BufReader::with_capacity(BUFFER_BYTES, file)))
}

/// A decoder whose errors say what to do about damage.
struct Gunzip<R>(R);

impl<R: Read> Read for Gunzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        self.0.read(buffer).map_err(|error| match error.kind() {
            InvalidData | InvalidInput | UnexpectedEof => io::Error::new(
                InvalidData,
                format!("is not a complete gzip file ({error}): compress it again"),
            ),
            _ => error,
        })
    }
}
