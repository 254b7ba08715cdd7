//! Tables as they are read, whatever kind of file they come from: named columns, and rows one after the other.

pub(super) mod cell;
pub(super) mod header;
pub(super) mod parse;

use crate::error::Result;
use crate::table::cell::Cell;
use crate::table::header::Header;

/// A table that is read row by row.
pub(super) trait Table {
    /// A row.
    type Record: Record;

    /// The columns. Those that are looked up there before the first row are read; others may not be.
    fn header(&self) -> &Header;

    /// Reads the next row. Returns false at the end.
    fn next_row(&mut self) -> Result<bool>;

    /// The last row read.
    fn record(&self) -> &Self::Record;

    /// What a person calls the last row read: its line or its number.
    fn place(&self) -> String;
}

/// A row of a table.
pub(super) trait Record {
    /// How many fields it has: as many as the header, unless it is bad.
    fn len(&self) -> usize;

    /// What stands in a column.
    fn cell(&self, column: usize) -> Cell<'_>;
}
