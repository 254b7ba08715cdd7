//! The fields of a CSV row as they are read, and what is said of those that do not read.

use std::str::FromStr;

use csv::ByteRecord;

use crate::base::excerpt::excerpt;

/// What a column should hold, for error messages.
pub(super) const A_NUMBER: &str = "a number";
const A_FINITE_NUMBER: &str = "a finite number, or nothing";
const A_WHOLE_NUMBER: &str = "a whole number";
pub(super) const A_WORD: &str = "a whole number from 0 to 4294967295";
pub(super) const AN_OWNER: &str = "a whole number from 0 to 4294967294, or nothing";
const A_FLAG: &str = "0 or 1";

/// The number of a frame.
pub(super) fn parse_frame(record: &ByteRecord, column: usize) -> Result<i64, String> {
    parse(record, column, "frame", A_WHOLE_NUMBER)
}

/// A field as it stands, but for blanks around it.
pub(super) fn text<'r>(record: &'r ByteRecord, column: usize, name: &str) -> Result<&'r str, String> {
    let field = record[column].trim_ascii();
    std::str::from_utf8(field).map_err(|_| {
        let text = String::from_utf8_lossy(field);
        format!(
            "has {:?} in column {}, which is not UTF-8 text",
            excerpt(&text),
            excerpt(name)
        )
    })
}

/// Parses a field as a number; `wanted` describes it for the error message.
pub(super) fn parse<T: FromStr>(record: &ByteRecord, column: usize, name: &str, wanted: &str) -> Result<T, String> {
    let field = record[column].trim_ascii();
    let parsed = std::str::from_utf8(field).ok().and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| {
        let text = String::from_utf8_lossy(field);
        let mark = match has_decimal_comma(field) {
            true => " (the decimal mark is a point)",
            false => "",
        };
        format!("has {:?} in column {name} instead of {wanted}{mark}", excerpt(&text))
    })
}

/// Whether a field is a number but for a comma where the point should be.
fn has_decimal_comma(field: &[u8]) -> bool {
    let text = String::from_utf8_lossy(field);
    text.contains(',') && text.replacen(',', ".", 1).parse::<f64>().is_ok()
}

/// Parses a field that is a number, neither NaN nor infinite, or empty, which is 0.
pub(super) fn parse_finite(record: &ByteRecord, column: usize, name: &str) -> Result<f32, String> {
    let field = record[column].trim_ascii();
    if field.is_empty() {
        return Ok(0.0);
    }
    let number: f32 = parse(record, column, name, A_FINITE_NUMBER)?;
    match number.is_finite() {
        true => Ok(number),
        false => {
            let text = String::from_utf8_lossy(field);
            Err(format!(
                "has {:?} in column {name} instead of {A_FINITE_NUMBER}",
                excerpt(&text)
            ))
        }
    }
}

/// Parses a field that is 0 or 1.
pub(super) fn parse_flag(record: &ByteRecord, column: usize, name: &str) -> Result<bool, String> {
    match parse::<u8>(record, column, name, A_FLAG)? {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(format!("has {other} in column {name} instead of {A_FLAG}")),
    }
}
