//! Distinguishes blanks in quotes, which are text, from blanks around a field, which are not.
//!
//! The crate `csv` does not report which fields were quoted. Blanks inside quotes are therefore
//! read as bytes that never occur in UTF-8, and are restored when a field is taken as text.

use std::borrow::Cow;

/// The blanks that may surround a field, and their stand-ins inside quotes. A line break needs none
/// because no field is surrounded by one.
const STAND_INS: [(u8, u8); 4] = [(b' ', 0xF8), (b'\t', 0xF9), (b'\r', 0xFA), (0x0C, 0xFB)];

/// The replacement of a byte of the file that equals a stand-in. It never occurs in UTF-8 either.
const NO_TEXT: u8 = 0xFF;

/// Replaces the blanks of a part of a quoted field.
pub(super) fn hide(quoted: &mut [u8]) {
    for byte in quoted {
        if let Some((_, stand_in)) = STAND_INS.iter().find(|(blank, _)| blank == byte) {
            *byte = *stand_in;
        }
    }
}

/// Replaces bytes of the input that equal a stand-in.
pub(super) fn clear(text: &mut [u8]) {
    // All bytes, so that the loop is vectorized: few files have any such byte.
    let highest = text.iter().copied().fold(0, u8::max);
    if highest >= STAND_INS[0].1 {
        text.iter_mut()
            .filter(|byte| is_stand_in(**byte))
            .for_each(|byte| *byte = NO_TEXT);
    }
}

fn is_stand_in(byte: u8) -> bool {
    (STAND_INS[0].1..=STAND_INS[3].1).contains(&byte)
}

/// Returns a field without the blanks around it.
pub(super) fn trimmed(mut field: &[u8]) -> &[u8] {
    let is_around = |byte: &u8| STAND_INS.iter().any(|(blank, _)| blank == byte);
    while let Some((first, rest)) = field.split_first()
        && is_around(first)
    {
        field = rest;
    }
    while let Some((last, rest)) = field.split_last()
        && is_around(last)
    {
        field = rest;
    }
    field
}

/// Returns a field as it is in the file.
pub(crate) fn shown(field: &[u8]) -> Cow<'_, [u8]> {
    if !field.iter().any(|&byte| is_stand_in(byte)) {
        return Cow::Borrowed(field);
    }
    let blank = |&byte: &u8| {
        STAND_INS
            .iter()
            .find(|(_, stand_in)| *stand_in == byte)
            .map_or(byte, |(blank, _)| *blank)
    };
    Cow::Owned(field.iter().map(blank).collect())
}
