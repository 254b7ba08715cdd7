//! The separator of the fields of a CSV file.

/// A comma, or a semicolon, which spreadsheets write if the comma is the decimal mark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Separator {
    Comma,
    Semicolon,
}

impl Separator {
    /// Returns the separator of a text, given its beginning, and `true` if the beginning has the
    /// whole header row. It is the semicolon if the header row has more semicolons than commas
    /// outside quotes.
    pub fn of_head(head: &[u8]) -> (Self, bool) {
        let head = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head);
        let (mut commas, mut semicolons) = (0, 0);
        let (mut quoted, mut blank, mut before) = (false, true, b'\n');
        for &byte in head {
            match byte {
                b'"' if quoted => quoted = false,
                b'"' if matches!(before, b',' | b';' | b'\n' | b'\r' | b'"') => quoted = true,
                _ if quoted => {}
                b',' => commas += 1,
                b';' => semicolons += 1,
                // Rows of only blanks are skipped.
                b'\n' | b'\r' if !blank => return (Self::more_of(commas, semicolons), true),
                _ => {}
            }
            blank &= byte.is_ascii_whitespace();
            before = byte;
        }
        (Self::more_of(commas, semicolons), false)
    }

    fn more_of(commas: usize, semicolons: usize) -> Self {
        match semicolons > commas {
            true => Self::Semicolon,
            false => Self::Comma,
        }
    }

    pub fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Comma => "comma",
            Self::Semicolon => "semicolon",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_determines_the_separator() {
        let cases = [
            ("", Separator::Comma, false),
            ("a", Separator::Comma, false),
            ("a\n1;2", Separator::Comma, true),
            ("a;b\r1,2,3", Separator::Semicolon, true),
            ("\r\ra\r\"b;\"", Separator::Comma, true),
            ("a;b", Separator::Semicolon, false),
            ("a;b\n1,2,3", Separator::Semicolon, true),
            ("a;b,c\n", Separator::Comma, true),
            ("\n \r\na;b;c,d\n", Separator::Semicolon, true),
            ("\u{feff}\"a,b,c\";\"d\"\"\n,,\"\n", Separator::Semicolon, true),
            ("a\",b;c;d\n", Separator::Semicolon, true),
            ("\"a;b\n;\"", Separator::Comma, false),
        ];
        for (head, separator, complete) in cases {
            assert_eq!(Separator::of_head(head.as_bytes()), (separator, complete), "{head:?}");
        }
    }
}
