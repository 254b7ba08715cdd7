//! Checks the quotes of a CSV file.
//!
//! The crate `csv` accepts any text: a quote that is never closed makes one field of the rest of
//! the file, and a quote that a later one closes by accident makes one field of the rows between.
//! The text is therefore checked against RFC 4180 first. The same pass [hides](blanks) the blanks
//! in quotes.

use std::io::{self, Read};

use crate::csv::blanks;
use crate::csv::separator::Separator;

/// A reader of CSV text that hides the blanks in quotes and turns each CR that ends a row alone
/// into an LF. Reading fails with [`io::ErrorKind::InvalidData`] and a message that names the line
/// if a quote is never closed or closes in the middle of a field.
pub(super) struct Quotes<R> {
    input: R,
    separator: Separator,
    place: Place,
    /// The current line, from 1.
    line: u64,
    /// The line on which the last quoted field begins.
    opened: u64,
    begun: bool,
    /// `true` if the last byte was a CR and has become an LF: an LF that follows belongs to the
    /// same line end.
    was_cr: bool,
}

/// The byte order mark, with which some texts begin.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// The part of a row to which the last byte belongs.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// The separator before a field.
    Start,
    /// A field without quotes. A quote inside it is text.
    Plain,
    Quoted,
    /// A quote inside a quoted field: it either closes the field, or is the first of two that stand
    /// for one.
    Quote,
    /// Blanks after a quoted field.
    Closed,
}

impl<R: Read> Quotes<R> {
    pub fn new(input: R, separator: Separator) -> Self {
        Self {
            input,
            separator,
            place: Place::Start,
            line: 1,
            opened: 1,
            begun: false,
            was_cr: false,
        }
    }

    /// Reads the next bytes, except for the LF of a CR LF whose CR has already been returned as an
    /// LF.
    fn next_bytes(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.input.read(buffer)?;
            if !std::mem::take(&mut self.was_cr) || !buffer[..count].starts_with(b"\n") {
                return Ok(count);
            }
            if count > 1 {
                buffer.copy_within(1..count, 0);
                return Ok(count - 1);
            }
        }
    }

    /// Turns a CR into an LF unless an LF follows it. A CR at the end of the bytes also becomes an
    /// LF.
    fn end_line(&mut self, bytes: &mut [u8], at: usize) {
        self.was_cr = at + 1 == bytes.len();
        if bytes.get(at + 1) != Some(&b'\n') {
            bytes[at] = b'\n';
        }
    }

    /// Scans the next bytes of the text and hides the blanks in quotes. Returns `false` if a quote
    /// closes in the middle of a field.
    fn follow(&mut self, bytes: &mut [u8]) -> bool {
        blanks::clear(bytes);
        if !matches!(self.place, Place::Quote | Place::Closed) && !bytes.contains(&b'"') {
            // Most files have no quotes at all.
            self.follow_plain(bytes);
            return true;
        }
        for at in 0..bytes.len() {
            if bytes[at] == b'\r' && self.place != Place::Quoted {
                self.end_line(bytes, at);
            }
            let byte = bytes[at];
            if self.place == Place::Quoted {
                blanks::hide(&mut bytes[at..=at]);
            }
            self.place = match (self.place, byte) {
                (Place::Quoted, b'"') => Place::Quote,
                (Place::Quoted, _) | (Place::Quote, b'"') => Place::Quoted,
                (Place::Start, b'"') => {
                    self.opened = self.line;
                    Place::Quoted
                }
                (_, b'\n') => Place::Start,
                (_, byte) if byte == self.separator.byte() => Place::Start,
                (Place::Quote | Place::Closed, b' ' | b'\t' | b'\r') => Place::Closed,
                (Place::Quote | Place::Closed, _) => return false,
                (Place::Start | Place::Plain, _) => Place::Plain,
            };
            self.line += u64::from(byte == b'\n');
        }
        true
    }

    /// Scans bytes that have no quotes and do not follow a quote.
    fn follow_plain(&mut self, bytes: &mut [u8]) {
        if self.place != Place::Quoted {
            let mut begin = 0;
            while let Some(length) = bytes[begin..].iter().position(|&byte| byte == b'\r') {
                self.end_line(bytes, begin + length);
                begin += length + 1;
            }
        }
        let Some(last) = bytes.last() else { return };
        self.line += bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.place = match (self.place, last) {
            (Place::Quoted, _) => Place::Quoted,
            (_, b'\n') => Place::Start,
            (_, &last) if last == self.separator.byte() => Place::Start,
            _ => Place::Plain,
        };
        if self.place == Place::Quoted {
            blanks::hide(bytes);
        }
    }
}

impl<R: Read> Read for Quotes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.next_bytes(buffer)?;
        let mut bytes = &mut buffer[..count];
        if !std::mem::replace(&mut self.begun, true) && bytes.starts_with(MARK) {
            // The crate `csv` skips the mark in the same way: a quote after it begins a field.
            bytes = &mut bytes[MARK.len()..];
        }
        let wrong = |how: String| Err(io::Error::new(io::ErrorKind::InvalidData, how));
        if !self.follow(bytes) {
            wrong(format!(
                "line {} opens a quote that closes in the middle of a field on line {}: close it before the {}, and \
                 write a quote that is part of a field as \"\"",
                self.opened,
                self.line,
                self.separator.name()
            ))
        } else if count == 0 && !buffer.is_empty() && self.place == Place::Quoted {
            wrong(format!(
                "line {} opens a quote that is never closed: close it, or remove it",
                self.opened
            ))
        } else {
            Ok(count)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a text in pieces of `piece` bytes.
    fn read(text: &str, piece: usize) -> Result<(), String> {
        let mut quotes = Quotes::new(text.as_bytes(), Separator::Comma);
        let mut buffer = vec![0; piece];
        loop {
            match quotes.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    #[test]
    fn misplaced_quotes_are_found() {
        let good = [
            "",
            "\"\"",
            "a,b\n1,2",
            "\"a\",\"b\"\r\n\"1\" ,\"2\"\t\r\n",
            "\"a \"\"b\"\"\nc\",d\n",
            "\"\"\"\",\"\"\n\"\"",
            "5\",a\"b\"\n \"a\nb\"\n",
            "# it's \"5\",\"a\"\n",
        ];
        let bad = [
            ("\"", "line 1 opens a quote that is never closed"),
            ("a,b\n1,2\n\"3,4\n5,6\n", "line 3 opens a quote that is never closed"),
            ("a\n\"b\"\"\nc", "line 2 opens a quote that is never closed"),
            ("a,\"b\n1,2", "line 1 opens"),
            (
                "\"a\nb\",c\n\"d\ne\",\"f\n",
                "line 4 opens a quote that is never closed",
            ),
            (
                "a,b\n\"1,2\n3,\"4\"\n",
                "line 2 opens a quote that closes in the middle of a field on line 3",
            ),
            (
                "\"a\" \"b\"",
                "line 1 opens a quote that closes in the middle of a field on line 1",
            ),
            ("\"a\"b", "line 1 opens a quote that closes"),
            ("\"a\" b", "line 1 opens a quote that closes"),
        ];
        for piece in [1, 2, 3, 5, 1000] {
            for text in good {
                assert_eq!(read(text, piece), Ok(()), "{text:?} in pieces of {piece}");
            }
            for (text, words) in bad {
                let error = read(text, piece).unwrap_err();
                assert!(error.starts_with(words), "{text:?} in pieces of {piece}: {error}");
            }
        }
        assert!(read("\u{feff}\"a\nb", 1000).is_err_and(|error| error.starts_with("line 1 ")));
    }

    #[test]
    fn all_line_endings_become_lf() {
        // All texts of six of these letters, in pieces: the result is as if each CR LF and each CR
        // outside quotes were an LF.
        let letters = ["\"", ",", "\r", "\n", "a"];
        let mut output = Vec::new();
        for number in 0..letters.len().pow(6) {
            let digits = (0..6).map(|digit| letters[number / letters.len().pow(digit) % letters.len()]);
            let text: String = digits.collect();
            // With an even number of quotes before it, a character is outside quotes.
            let mut expected = String::new();
            for (number, part) in text.split('"').enumerate() {
                expected.push_str(if number > 0 { "\"" } else { "" });
                match number % 2 {
                    0 => expected.push_str(&part.replace("\r\n", "\n").replace('\r', "\n")),
                    _ => expected.push_str(part),
                }
            }
            for piece in [1, 2, 3, 1000] {
                output.clear();
                let mut quotes = Quotes::new(text.as_bytes(), Separator::Comma);
                let mut buffer = vec![0; piece];
                let outcome = loop {
                    match quotes.read(&mut buffer) {
                        Ok(0) => break Ok(()),
                        Ok(count) => output.extend_from_slice(&buffer[..count]),
                        Err(error) => break Err(error),
                    }
                };
                // A quote in the middle of a field is text, and is not counted above.
                if outcome.is_ok() && !text.contains("a\"") {
                    let ended = String::from_utf8_lossy(&blanks::shown(&output)).replace("\r\n", "\n");
                    assert_eq!(ended, expected.replace("\r\n", "\n"), "{text:?} in pieces of {piece}");
                }
            }
        }
    }

    #[test]
    fn the_csv_crate_agrees_about_quotes() {
        // All texts of seven of these letters: the crate sees a following row as a row, unless the
        // quote stays open.
        let letters = ["\"", ",", "\n", "a", " "];
        for number in 0..letters.len().pow(7) {
            let digits = (0..7).map(|digit| letters[number / letters.len().pow(digit) % letters.len()]);
            let text: String = digits.collect();
            let open = match read(&text, 1000) {
                Ok(()) => false,
                Err(error) if error.contains("never closed") => true,
                Err(_) => continue,
            };
            let mut reader = csv::ReaderBuilder::new();
            let reader = reader.has_headers(false).flexible(true);
            let text = format!("{text}\nend");
            let rows: Result<Vec<_>, _> = reader.from_reader(text.as_bytes()).into_records().collect();
            let last = rows.unwrap().pop().unwrap();
            assert_eq!(last != ["end"][..], open, "{text:?}");
        }
    }
}
