//! CSV files.

pub(crate) mod blanks;
mod fields;
mod quotes;
pub(super) mod results;
mod separator;
pub(super) mod table;
pub(super) mod write_scene;
