//! Pairs by the ids in a file.

use crate::texts::Texts;

/// The pairs of a CSV file, such as one that an earlier check has written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedPairs {
    /// The id of each pair's first box.
    pub a: Texts,
    /// The id of each pair's second box.
    pub b: Texts,
    /// The frame of each pair, if the file has a column `frame`.
    pub frames: Option<Vec<i64>>,
    /// The text of each pair in the column `reason`, if the file has one.
    pub reasons: Option<Texts>,
    /// The names of the other columns, which are not read.
    pub others: Vec<String>,
}
