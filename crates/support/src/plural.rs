//! Singular and plural words after numbers.

/// Returns `one` if `count` is 1, otherwise `many`.
pub fn plural<'a>(count: u64, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}
