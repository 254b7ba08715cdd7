//! Scenes, row by row, from any kind of table.

pub(super) mod body;
pub(super) mod columns;
pub(crate) mod form;
mod frames;
pub(crate) mod plane;
pub(super) mod read;
pub(super) mod rows;
