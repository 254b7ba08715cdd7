//! The content of one field of a row: a text, or a typed value.

use std::borrow::Cow;
use std::str::FromStr;

use crate::csv::blanks;
use obbligato_support::excerpt::excerpt;

/// The content of one field of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cell<'a> {
    /// A text, possibly of a number. Blanks around it were in quotes, and may be [hidden](blanks).
    Text(&'a [u8]),
    Nothing,
    Single(f32),
    Double(f64),
    Whole(i128),
    Flag(bool),
}

impl<'a> Cell<'a> {
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => blanks::shown(text).trim_ascii().is_empty(),
            other => matches!(other, Self::Nothing),
        }
    }

    /// Returns it as text if it is UTF-8 text, a number or a flag.
    pub fn text(self) -> Option<Cow<'a, str>> {
        Some(match self {
            Self::Text(text) => match blanks::shown(text) {
                Cow::Borrowed(text) => Cow::Borrowed(std::str::from_utf8(text).ok()?),
                Cow::Owned(text) => Cow::Owned(String::from_utf8(text).ok()?),
            },
            Self::Nothing => Cow::Borrowed(""),
            Self::Single(number) => Cow::Owned(number.to_string()),
            Self::Double(number) => Cow::Owned(number.to_string()),
            Self::Whole(number) => Cow::Owned(number.to_string()),
            Self::Flag(flag) => Cow::Borrowed(if flag { "true" } else { "false" }),
        })
    }

    /// Returns `true` if it is this word.
    pub fn is_word(self, wanted: &str) -> bool {
        matches!(self, Self::Text(text) if blanks::shown(text).trim_ascii() == wanted.as_bytes())
    }

    /// Returns its beginning as text, for an error message.
    pub fn excerpt(self) -> String {
        match self {
            Self::Text(text) => excerpt(&String::from_utf8_lossy(&blanks::shown(text))).to_string(),
            other => other.text().unwrap_or_default().into_owned(),
        }
    }

    /// Describes it for an error message.
    pub fn in_words(self) -> String {
        match self {
            Self::Text(text) => format!("{:?}", excerpt(&String::from_utf8_lossy(&blanks::shown(text)))),
            Self::Nothing => "nothing".to_owned(),
            other => other.text().unwrap_or_default().into_owned(),
        }
    }
}

/// A number type of a field.
pub(crate) trait Number: FromStr + Copy {
    /// Converts a typed field, if it is a number of this kind: a float is rounded once, an integer
    /// must be in range.
    fn of_typed(cell: Cell<'_>) -> Option<Self>;
}

impl Number for f32 {
    fn of_typed(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Single(number) => Some(number),
            Cell::Double(number) => Some(number as f32),
            Cell::Whole(number) => Some(number as f32),
            _ => None,
        }
    }
}

impl Number for f64 {
    fn of_typed(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Single(number) => Some(number.into()),
            Cell::Double(number) => Some(number),
            Cell::Whole(number) => Some(number as f64),
            _ => None,
        }
    }
}

macro_rules! wholes {
    ($($whole:ty),*) => {$(
        impl Number for $whole {
            fn of_typed(cell: Cell<'_>) -> Option<Self> {
                match cell {
                    Cell::Whole(number) => number.try_into().ok(),
                    Cell::Flag(flag) => Some(flag.into()),
                    _ => None,
                }
            }
        }
    )*};
}

wholes!(u8, u32, i64);
