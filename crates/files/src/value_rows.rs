//! A table in memory, whose fields are typed.

use std::path::Path;

use crate::error::Result;
use crate::options::ReadOptions;
use crate::scene::SceneFile;
use crate::scene_rows::read as scene;
use crate::table::cell::Cell;
use crate::table::header::Header;
use crate::table::{Record, Table};

/// A field of a row in memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An empty field.
    Nothing,
    /// A number in single precision.
    Single(f32),
    /// A number in double precision.
    Double(f64),
    /// An integer.
    Whole(i128),
    /// A truth value.
    Flag(bool),
    /// A text, which may be that of a number.
    Text(String),
}

/// Reads a scene as [`read_scene_with`](crate::read_scene_with) does from a table in memory, for
/// tables in formats that another library decodes. `columns` has the names of its columns, and each
/// row a value for each of them.
///
/// # Errors
/// See [`read_scene_with`](crate::read_scene_with). Errors call the table by its `name`, and count
/// its rows from 0.
pub fn read_scene_rows(
    name: &Path,
    columns: Vec<String>,
    rows: impl Iterator<Item = Vec<Value>>,
    options: &ReadOptions,
) -> Result<SceneFile> {
    let table = ValueTable {
        header: Header::new(columns),
        rows,
        row: Vec::new(),
        next: 0,
    };
    scene::read(table, name, options)
}

struct ValueTable<I> {
    header: Header,
    rows: I,
    row: Vec<Value>,
    /// The number of the next row, from 0.
    next: u64,
}

impl<I: Iterator<Item = Vec<Value>>> Table for ValueTable<I> {
    type Record = Vec<Value>;

    fn header(&self) -> &Header {
        &self.header
    }

    fn next_row(&mut self) -> Result<bool> {
        let next = self.rows.next();
        let there = next.is_some();
        self.row = next.unwrap_or_default();
        self.next += u64::from(there);
        Ok(there)
    }

    fn record(&self) -> &Vec<Value> {
        &self.row
    }

    fn place(&self) -> String {
        format!("row {}", self.next.saturating_sub(1))
    }
}

impl Record for Vec<Value> {
    fn len(&self) -> usize {
        self.len()
    }

    fn cell(&self, column: usize) -> Cell<'_> {
        match &self[column] {
            Value::Nothing => Cell::Nothing,
            Value::Single(number) => Cell::Single(*number),
            Value::Double(number) => Cell::Double(*number),
            Value::Whole(number) => Cell::Whole(*number),
            Value::Flag(flag) => Cell::Flag(*flag),
            Value::Text(text) => Cell::Text(text.as_bytes()),
        }
    }
}
