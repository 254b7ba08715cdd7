//! Parses the fields of a row, and describes those that are invalid.

use std::borrow::Cow;

use crate::table::Record;
use crate::table::cell::{Cell, Number};
use obbligato_support::excerpt::excerpt;

/// The expected contents of columns, for error messages.
pub(crate) const A_NUMBER: &str = "a number";
const A_FINITE_NUMBER: &str = "a finite number, or nothing";
const A_WHOLE_NUMBER: &str = "a whole number";
pub(crate) const A_WORD: &str = "a whole number from 0 to 4294967295";
pub(crate) const AN_OWNER: &str = "a whole number from 0 to 4294967294, or nothing";
const A_FLAG: &str = "0 or 1";

/// Parses a frame number.
pub(crate) fn parse_frame(record: &impl Record, column: usize) -> Result<i64, String> {
    parse(record, column, "frame", A_WHOLE_NUMBER)
}

/// Returns the text of a field. Blanks around it count only in quotes.
pub(crate) fn text<'r>(record: &'r impl Record, column: usize, name: &str) -> Result<Cow<'r, str>, String> {
    let cell = record.cell(column);
    cell.text().ok_or_else(|| {
        format!(
            "has {} in column {}, which is not UTF-8 text",
            cell.in_words(),
            excerpt(name)
        )
    })
}

/// Parses a field as a number; `wanted` describes it for the error message.
pub(crate) fn parse<T: Number>(record: &impl Record, column: usize, name: &str, wanted: &str) -> Result<T, String> {
    let cell = record.cell(column);
    let parsed = match cell {
        Cell::Text(text) => std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse().ok())
            .or_else(|| cell.text()?.trim_ascii().parse().ok()),
        typed => T::of_typed(typed),
    };
    parsed.ok_or_else(|| {
        let mark = match has_decimal_comma(cell) {
            true => " (the decimal mark is a point)",
            false => "",
        };
        format!("has {} in column {name} instead of {wanted}{mark}", cell.in_words())
    })
}

/// Returns `true` if a field is a number except for a decimal comma.
fn has_decimal_comma(cell: Cell<'_>) -> bool {
    let text = cell.text().unwrap_or_default();
    text.contains(',') && text.replacen(',', ".", 1).parse::<f64>().is_ok()
}

/// Parses a field that is a finite number, or empty, which is 0.
pub(crate) fn parse_finite(record: &impl Record, column: usize, name: &str) -> Result<f32, String> {
    let cell = record.cell(column);
    if cell.is_empty() {
        return Ok(0.0);
    }
    let number: f32 = parse(record, column, name, A_FINITE_NUMBER)?;
    match number.is_finite() {
        true => Ok(number),
        false => Err(format!(
            "has {} in column {name} instead of {A_FINITE_NUMBER}",
            cell.in_words()
        )),
    }
}

/// Parses a field that is 0 or 1.
pub(crate) fn parse_flag(record: &impl Record, column: usize, name: &str) -> Result<bool, String> {
    match parse::<u8>(record, column, name, A_FLAG)? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(format!("has {other} in column {name} instead of {A_FLAG}")),
    }
}
