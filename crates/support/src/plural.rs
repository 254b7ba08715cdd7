//! Words after numbers.

/// The word for so many: `one` for 1, else `many`.
pub fn plural<'a>(count: u64, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}
