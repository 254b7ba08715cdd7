//! Where CSV comes from: stdin, a file, or a compressed one.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::base::error::Result;
use crate::files::problem::unreadable;

/// Bytes to request at each read of a compressed file.
const BUFFER_BYTES: usize = 1 << 16;

/// The path that stands for stdin.
pub(super) const STDIN: &str = "-";

/// A file's bytes.
pub(super) fn open(path: &Path) -> Result<File> {
    File::open(path).map_err(|error| unreadable(path, &error))
}

/// The text of a file that gzip has compressed, as it is read.
pub(super) fn gunzip(file: File) -> impl Read {
    Gunzip(MultiGzDecoder::new(BufReader::with_capacity(BUFFER_BYTES, file)))
}

/// A decoder that says what to do about damage.
struct Gunzip<R>(R);

impl<R: Read> Read for Gunzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        self.0.read(buffer).map_err(|error| match error.kind() {
            InvalidData | InvalidInput | UnexpectedEof => io::Error::new(
                InvalidData,
                format!("is no complete gzip file ({error}): compress it anew"),
            ),
            _ => error,
        })
    }
}
