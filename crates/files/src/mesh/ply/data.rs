//! The numbers of a PLY file in sequence.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::mesh::input::{self, Input, parse, shown};
use crate::mesh::notes::{NoteKind, Notes};
use crate::mesh::ply::header::{Element, Encoding, Scalar};

const CUT_SHORT: &str = "is cut short";
const TOO_FEW: &str = "has fewer numbers than its header or its list says";

/// The rows of all elements.
pub(super) struct Data<'a> {
    input: Input<'a>,
    encoding: Encoding,
    row: Row,
    /// A line of text, and the number of its bytes that have been used.
    line: Vec<u8>,
    used: usize,
    /// The number of rows that continue on another line.
    split: u64,
}

/// The current row.
#[derive(Default)]
struct Row {
    element: &'static str,
    number: u64,
    /// The position at which it begins.
    byte: u64,
    /// `true` if it continues on another line.
    is_split: bool,
}

impl<'a> Data<'a> {
    pub fn new(input: Input<'a>, encoding: Encoding) -> Self {
        Self {
            input,
            encoding,
            row: Row::default(),
            line: Vec::new(),
            used: 0,
            split: 0,
        }
    }

    fn is_text(&self) -> bool {
        self.encoding == Encoding::Text
    }

    /// Begins a row; in a text, on a new line.
    pub fn begin(&mut self, element: &Element, number: u64) -> Result<()> {
        self.row = Row {
            element: element.name,
            number,
            byte: self.input.position(),
            is_split: false,
        };
        match self.is_text() && !self.next_line()? {
            false => Ok(()),
            true => Err(self.input.problem(format!(
                "is cut short: it has {number} of the {} rows {} that its header announces: export it again",
                element.count, element.name
            ))),
        }
    }

    /// Reads the next line that is not blank. Returns `false` if there is none.
    fn next_line(&mut self) -> Result<bool> {
        loop {
            self.line.clear();
            self.used = 0;
            if !self.input.next_line(&mut self.line)? {
                return Ok(false);
            }
            self.input.cut_padding(&mut self.line)?;
            if !self.line.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    /// Ends a row. Its line must have no more words.
    pub fn end(&mut self) -> Result<()> {
        match self.is_text() && self.next_word().is_some() {
            true => Err(self.wrong("has more numbers than its header or its list says")),
            false => Ok(()),
        }
    }

    /// Ends the file, and notes trailing content and misplaced numbers.
    pub fn finish(&mut self, notes: &mut Notes) -> Result<()> {
        if self.is_text() {
            while self.next_line()? {
                notes.add(NoteKind::TrailingLines, 1);
            }
        }
        notes.add(NoteKind::TrailingBytes, self.input.skip_rest()?);
        notes.add(NoteKind::SplitRows, self.split);
        notes.add(NoteKind::PaddingBytes, self.input.padding());
        Ok(())
    }

    /// Reads a coordinate.
    pub fn coordinate(&mut self, kind: Scalar) -> Result<f64> {
        let number = match self.is_text() {
            true => self.word()?.and_then(|word| input::coordinate(&self.line[word])),
            false => match self.number(kind)?.as_f64() {
                number if (number as f32).is_finite() => Ok(number),
                _ => Err("has a coordinate that is not finite as f32".to_owned()),
            },
        };
        number.map_err(|words| self.wrong(words))
    }

    /// Reads a count or a vertex index.
    pub fn whole(&mut self, kind: Scalar) -> Result<u64> {
        let number = match self.is_text() {
            true => self.word()?.and_then(|word| {
                let word = &self.line[word];
                parse(word).ok_or_else(|| format!("has {} instead of a whole number from 0", shown(word)))
            }),
            false => {
                let number = self.number(kind)?.as_i64();
                u64::try_from(number).map_err(|_| format!("has {number} instead of a whole number from 0"))
            }
        };
        number.map_err(|words| self.wrong(words))
    }

    /// Skips numbers.
    pub fn skip(&mut self, kind: Scalar, numbers: u64) -> Result<()> {
        if self.is_text() {
            for _ in 0..numbers {
                self.word()?.map_err(|words| self.wrong(words))?;
            }
            return Ok(());
        }
        let bytes = numbers.saturating_mul(kind.bytes() as u64);
        match self.input.skip(bytes)? {
            true => Ok(()),
            false => Err(self.wrong(CUT_SHORT)),
        }
    }

    /// Returns the range of the next word on the line.
    fn next_word(&mut self) -> Option<Range<usize>> {
        let rest = &self.line[self.used..];
        let begin = self.used + rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let rest = &self.line[begin..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.used = begin + length;
        Some(begin..self.used)
    }

    /// Returns the range of the next word of the row, on this line or, at its end, on the next.
    fn word(&mut self) -> Result<Result<Range<usize>, String>> {
        if let Some(word) = self.next_word() {
            return Ok(Ok(word));
        }
        if self.next_line()? && !std::mem::replace(&mut self.row.is_split, true) {
            self.split += 1;
        }
        Ok(self.next_word().ok_or_else(|| TOO_FEW.to_owned()))
    }

    /// Reads the next number of a binary file.
    fn number(&mut self, kind: Scalar) -> Result<Number> {
        let is_big = self.encoding == Encoding::BigEndian;
        let number = self
            .input
            .take(kind.bytes())?
            .map(|bytes| Number::of(bytes, kind, is_big));
        number.ok_or_else(|| self.wrong(CUT_SHORT))
    }

    /// Returns an error about the current row.
    pub fn wrong(&self, words: impl std::fmt::Display) -> Error {
        let Row {
            element, number, byte, ..
        } = self.row;
        match self.is_text() {
            true => self.input.problem_in(self.input.line(), words),
            false => self.problem(format!(
                "row {number}, from 0, of its elements {element} (at byte {byte}) {words}"
            )),
        }
    }

    /// Returns an error about the file.
    pub fn problem(&self, words: impl std::fmt::Display) -> Error {
        self.input.problem(format!("{words}: export it again"))
    }
}

/// A number of a binary file.
#[derive(Clone, Copy)]
enum Number {
    Whole(i64),
    Single(f32),
    Double(f64),
}

impl Number {
    /// Decodes a number from as many bytes as its type has.
    fn of(bytes: &[u8], kind: Scalar, is_big: bool) -> Self {
        let mut all = [0; 8];
        let all_bytes = &mut all[..bytes.len()];
        all_bytes.copy_from_slice(bytes);
        if is_big {
            all_bytes.reverse();
        }
        let word = u64::from_le_bytes(all);
        match kind {
            Scalar::I8 => Self::Whole(i64::from(word as i8)),
            Scalar::I16 => Self::Whole(i64::from(word as i16)),
            Scalar::I32 => Self::Whole(i64::from(word as i32)),
            Scalar::U8 | Scalar::U16 | Scalar::U32 => Self::Whole(word as i64),
            Scalar::F32 => Self::Single(f32::from_bits(word as u32)),
            Scalar::F64 => Self::Double(f64::from_bits(word)),
        }
    }

    fn as_f64(self) -> f64 {
        match self {
            // At most 32 bits, so this is exact.
            Self::Whole(number) => number as f64,
            Self::Single(number) => number.into(),
            Self::Double(number) => number,
        }
    }

    /// Returns the number of an integer type.
    fn as_i64(self) -> i64 {
        match self {
            Self::Whole(number) => number,
            Self::Single(number) => number as i64,
            Self::Double(number) => number as i64,
        }
    }
}
