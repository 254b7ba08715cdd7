//! A file that is read line by line or byte by byte, with one piece of it in memory at a time.
//!
//! A line ends with LF, CR LF or CR.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::str::FromStr;

use glam::DVec3;

use crate::coordinates::Coordinate;
use crate::error::{Error, Result};
use crate::problem::{problem, unreadable};
use crate::source::{open, open_regular};
use obbligato_support::{excerpt::excerpt, memory};

/// The number of bytes to request at each read from the system.
const BUFFER_BYTES: usize = 1 << 20;

/// The largest number of bytes of a word to look at for a message.
const MOST_SHOWN: usize = 4096;

/// Label for out-of-memory errors.
const WHAT: &str = "a line of a mesh file";

/// The content of a file: on disk, or in memory.
enum Content<'a> {
    File(File),
    Bytes(&'a [u8]),
}

impl Read for Content<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(buffer),
            Self::Bytes(bytes) => bytes.read(buffer),
        }
    }
}

/// A file that is being read.
pub(super) struct Input<'a> {
    path: &'a Path,
    content: Content<'a>,
    /// All bytes of a file that is in memory.
    bytes: Option<&'a [u8]>,
    buffer: Vec<u8>,
    /// The range of the buffer that has been read and not yet used.
    begin: usize,
    end: usize,
    /// The number of the last line, from 1.
    line: u64,
    /// The number of bytes used.
    position: u64,
    /// `true` if the last line ended with CR alone.
    ended_in_cr: bool,
    /// `true` if an LF after a CR is content, as when binary data follows the lines.
    cr_alone: bool,
    /// The first line that padding follows, and the number of bytes of padding.
    padding: Option<(u64, u64)>,
}

impl<'a> Input<'a> {
    /// Opens a file, a pipe or a device.
    pub fn open(path: &'a Path) -> Result<Self> {
        Self::new(path, Content::File(open(path)?))
    }

    /// Reads the bytes of a file that is in memory; `path` is its name.
    pub fn of_bytes(path: &'a Path, bytes: &'a [u8]) -> Result<Self> {
        Self::new(path, Content::Bytes(bytes))
    }

    /// Opens the input again, at its beginning.
    pub fn again(&self) -> Result<Self> {
        match self.bytes {
            Some(bytes) => Self::of_bytes(self.path, bytes),
            None => Self::open(self.path),
        }
    }

    /// Opens a regular file and nothing else.
    pub fn open_regular(path: &'a Path) -> Result<Self> {
        Self::new(path, Content::File(open_regular(path)?))
    }

    fn new(path: &'a Path, content: Content<'a>) -> Result<Self> {
        Ok(Self {
            path,
            bytes: match content {
                Content::File(_) => None,
                Content::Bytes(bytes) => Some(bytes),
            },
            content,
            buffer: memory::zeroed(BUFFER_BYTES, "the buffer of a file")?,
            begin: 0,
            end: 0,
            line: 0,
            position: 0,
            ended_in_cr: false,
            cr_alone: false,
            padding: None,
        })
    }

    /// Returns the file's path.
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// Returns the length of the file unless it is a pipe or a device.
    pub fn length(&self) -> Option<u64> {
        match &self.content {
            Content::File(file) => {
                let metadata = file.metadata().ok()?;
                metadata.is_file().then_some(metadata.len())
            }
            Content::Bytes(_) => self.bytes.map(|bytes| bytes.len() as u64),
        }
    }

    /// Returns `true` if the file is in memory, so that no other file is beside it.
    pub fn is_alone(&self) -> bool {
        self.bytes.is_some()
    }

    /// Returns the number of the last line read, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns the number of bytes read so far.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns the next bytes without consuming them: `wanted` or more, fewer only at the end of
    /// the file.
    pub fn peek(&mut self, wanted: usize) -> Result<&[u8]> {
        if self.end - self.begin < wanted {
            self.buffer.copy_within(self.begin..self.end, 0);
            self.end -= self.begin;
            self.begin = 0;
        }
        while self.end - self.begin < wanted {
            match self.content.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(more) => self.end += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(unreadable(self.path, &error)),
            }
        }
        Ok(&self.buffer[self.begin..self.end])
    }

    fn advance(&mut self, bytes: usize) {
        self.begin += bytes;
        self.position += bytes as u64;
    }

    /// Returns the next bytes, if that many are left: at most one buffer's worth.
    pub fn take(&mut self, bytes: usize) -> Result<Option<&[u8]>> {
        if self.peek(bytes)?.len() < bytes {
            return Ok(None);
        }
        self.advance(bytes);
        Ok(Some(&self.buffer[self.begin - bytes..self.begin]))
    }

    /// Skips the next bytes. Returns `false` if there are fewer.
    pub fn skip(&mut self, mut bytes: u64) -> Result<bool> {
        while bytes > 0 {
            let there = self.peek(1)?.len();
            if there == 0 {
                return Ok(false);
            }
            let used = bytes.min(there as u64);
            self.advance(used as usize);
            bytes -= used;
        }
        Ok(true)
    }

    /// Skips all that is left and returns the number of its bytes.
    pub fn skip_rest(&mut self) -> Result<u64> {
        let begin = self.position;
        self.skip(u64::MAX)?;
        Ok(self.position - begin)
    }

    /// Appends all that is left to a list.
    pub fn rest(&mut self, list: &mut Vec<u8>) -> Result<()> {
        self.at_most(u64::MAX, list)
    }

    /// Appends up to `wanted` of the next bytes to a list.
    pub fn at_most(&mut self, mut wanted: u64, list: &mut Vec<u8>) -> Result<()> {
        while wanted > 0 {
            let more = self.peek(1)?;
            let used = more.len().min(usize::try_from(wanted).unwrap_or(usize::MAX));
            if used == 0 {
                return Ok(());
            }
            memory::extend(list, &more[..used], "the bytes of a mesh file")?;
            self.advance(used);
            wanted -= used as u64;
        }
        Ok(())
    }

    /// Appends the next line, without its end, to a text. Returns `false` at the end of the file.
    pub fn next_line(&mut self, text: &mut Vec<u8>) -> Result<bool> {
        let mut begun = false;
        loop {
            let there = self.peek(1)?;
            if there.is_empty() {
                return Ok(begun);
            }
            let end = there.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let is_cr = end.is_some_and(|end| there[end] == b'\r');
            memory::extend(text, &there[..end.unwrap_or(there.len())], WHAT)?;
            let used = end.map_or(there.len(), |end| end + 1);
            self.advance(used);
            self.line += u64::from(!begun);
            begun = true;
            if end.is_some() {
                let is_pair = is_cr && !self.cr_alone && self.peek(1)?.starts_with(b"\n");
                self.advance(usize::from(is_pair));
                self.ended_in_cr = is_cr && !is_pair;
                return Ok(true);
            }
        }
    }

    /// Fixes the line ending if the last line ended with CR alone: an LF after a CR then belongs to
    /// what follows.
    pub fn keep_line_ends(&mut self) {
        self.cr_alone = self.ended_in_cr;
    }

    /// Removes padding from the end of the last line: NUL and Ctrl-Z, which some programs write at
    /// the end of a text.
    ///
    /// # Errors
    /// For a line with content after one with padding.
    pub fn cut_padding(&mut self, text: &mut Vec<u8>) -> Result<()> {
        let is_padding = |byte: &u8| matches!(byte, 0 | 0x1a);
        let content = text
            .iter()
            .rposition(|byte| !is_padding(byte) && !byte.is_ascii_whitespace());
        let end = content.map_or(0, |last| last + 1);
        if let Some((line, _)) = self.padding
            && end > 0
        {
            return Err(self.problem_in(line, "ends in NUL or Ctrl-Z, which ends a text, but more lines follow"));
        }
        let bytes = text[end..].iter().filter(|byte| is_padding(byte)).count() as u64;
        if bytes > 0 {
            self.padding.get_or_insert((self.line, 0)).1 += bytes;
            text.truncate(end);
        }
        Ok(())
    }

    /// Returns the number of bytes of padding that have been removed.
    pub fn padding(&self) -> u64 {
        self.padding.map_or(0, |(_, bytes)| bytes)
    }

    /// Returns an error about the file.
    pub fn problem(&self, words: impl Into<String>) -> Error {
        problem(self.path, words)
    }

    /// Returns an error about a line.
    pub fn problem_in(&self, line: u64, words: impl Display) -> Error {
        problem(
            self.path,
            format!("line {line} {words}: fix the line, or export the file again"),
        )
    }
}

/// Returns a text without its byte order mark, if any.
pub(super) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
}

/// Returns the words of a line, separated by blanks.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// Formats a word of a file for an error message.
pub(super) fn shown(word: &[u8]) -> String {
    let word = &word[..word.len().min(MOST_SHOWN)];
    format!("{:?}", excerpt(&String::from_utf8_lossy(word)))
}

/// Parses a coordinate.
pub(super) fn coordinate(word: &[u8]) -> Result<f64, String> {
    match parse(word) {
        Some(Coordinate(number)) if (number as f32).is_finite() => Ok(number),
        Some(_) => Err(format!("has {}, which is not finite as f32", shown(word))),
        None => Err(format!("has {} instead of a number", shown(word))),
    }
}

/// Parses three coordinates from the next words.
pub(super) fn point<'w>(words: &mut impl Iterator<Item = &'w [u8]>) -> Result<DVec3, String> {
    let mut point = DVec3::ZERO;
    for axis in 0..3 {
        let word = words
            .next()
            .ok_or_else(|| format!("has {axis} coordinates instead of three"))?;
        point[axis] = coordinate(word)?;
    }
    Ok(point)
}

/// Parses a word as a number.
pub(super) fn parse<T: FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}
