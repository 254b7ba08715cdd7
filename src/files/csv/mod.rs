//! CSV files.

mod columns;
mod fields;
pub(super) mod form;
mod frames;
pub(super) mod pairs;
pub(super) mod points;
mod quotes;
pub(super) mod results;
mod rows;
pub(super) mod scene;
mod separator;
mod table;
pub(super) mod write_scene;
