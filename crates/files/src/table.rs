//! Tables from any kind of file: named columns, and rows one after the other.

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

    /// Returns the columns. Those that are looked up there before the first row are read; others
    /// may not be.
    fn header(&self) -> &Header;

    /// Reads the next row. Returns `false` at the end.
    fn next_row(&mut self) -> Result<bool>;

    /// Returns the last row read.
    fn record(&self) -> &Self::Record;

    /// Describes the place of the last row read: its line or its number.
    fn place(&self) -> String;
}

/// A row of a table.
pub(super) trait Record {
    /// Returns the number of its fields: that of the header, unless the row is invalid.
    fn len(&self) -> usize;

    /// Returns the content of a column.
    fn cell(&self, column: usize) -> Cell<'_>;
}
