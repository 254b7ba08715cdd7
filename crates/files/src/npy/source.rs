//! The bytes of an NPY file, which may be in memory.

use std::fs::File;
use std::io::{self, Read, Seek};

/// The bytes of a file from the next one on.
pub(crate) enum Source {
    File(File),
    /// Bytes that are read in sequence.
    Stream(Box<dyn Read + Send>),
}

impl Source {
    /// Returns the length of a regular file; anything else has none.
    pub fn length(&self) -> u64 {
        match self {
            Self::File(file) => file.metadata().map_or(0, |metadata| metadata.len()),
            Self::Stream(_) => 0,
        }
    }

    /// Returns the position of the next read, if the file can be read at any position.
    pub fn position(&mut self) -> io::Result<Option<u64>> {
        match self {
            Self::File(file) if cfg!(any(unix, windows)) && file.metadata()?.is_file() => {
                file.stream_position().map(Some)
            }
            _ => Ok(None),
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Stream(stream) => stream.read(buffer),
        }
    }
}
