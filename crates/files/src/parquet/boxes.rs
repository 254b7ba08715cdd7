//! Boxes of a Parquet file, read from any row.

use std::ops::Range;
use std::path::{Path, PathBuf};

use glam::{Quat, Vec3};
use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;

use crate::box_rows::{BoxRows, EachBatch};
use crate::error::Result;
use crate::parquet::column::Column;
use crate::parquet::{guarded, open, unreadable};
use crate::problem::problem;
use crate::scene_rows::form::COLUMNS;
use crate::table::Record;
use crate::table::cell::Cell;
use crate::table::header::Header;
use crate::table::parse::{A_NUMBER, A_WORD, parse};
use obbligato::Obb;
use obbligato_support::excerpt::excerpt;

/// The number of rows that are decoded at once.
const BATCH: usize = 8192;

/// Optional columns of a scene, in this order: ids and groups.
const MORE: [&str; 3] = ["id", "memberships", "filter"];

/// The position of ids among all columns.
const ID: usize = COLUMNS.len();

/// Columns of scenes that are not read here.
const UNREAD: [&str; 6] = ["shape", "radius", "owner", "world", "static", "frame"];

/// A Parquet file of boxes.
pub(crate) struct ParquetBoxes {
    path: PathBuf,
    /// The first row of each row group, and the end of the last one.
    begins: Vec<u64>,
    /// The positions of [`COLUMNS`] in the file, then those of [`MORE`].
    columns: [Option<usize>; 13],
}

impl ParquetBoxes {
    pub fn open(path: &Path) -> Result<Self> {
        let (_, metadata) = open(path)?;
        let mut begins = vec![0];
        for group in metadata.row_groups() {
            let rows = u64::try_from(group.num_rows()).ok();
            let end = rows.and_then(|rows| rows.checked_add(*begins.last()?));
            begins.push(
                end.ok_or_else(|| problem(path, "is damaged: a row group has no number of rows: write it again"))?,
            );
        }
        let schema = metadata.file_metadata().schema_descr();
        let header = Header::new(schema.columns().iter().map(|column| column.path().string()).collect());
        let find = || {
            let mut columns = [None; 13];
            for (place, name) in columns.iter_mut().zip(COLUMNS.into_iter().chain(MORE)) {
                *place = header.column(name)?;
            }
            for name in UNREAD {
                if header.column(name)?.is_some() {
                    return Err(format!(
                        "has a column {name}, which checks from disk do not support yet: check it in memory, or leave the column out"
                    ));
                }
            }
            let missing: Vec<&str> = COLUMNS
                .into_iter()
                .zip(columns)
                .filter(|(_, column)| column.is_none())
                .map(|(name, _)| name)
                .collect();
            match missing.is_empty() {
                true => Ok(columns),
                false => Err(format!("lacks columns ({})", missing.join(", "))),
            }
        };
        Ok(Self {
            path: path.to_owned(),
            begins,
            columns: find().map_err(|words| problem(path, words))?,
        })
    }

    pub fn rows(&self) -> u64 {
        self.begins.last().copied().unwrap_or_default()
    }

    /// Returns the rows of each row group.
    pub fn row_groups(&self) -> impl Iterator<Item = Range<u64>> {
        self.begins.windows(2).map(|begin| begin[0]..begin[1])
    }

    /// Returns `true` if boxes have ids of their own.
    pub fn has_ids(&self) -> bool {
        self.columns[ID].is_some()
    }

    /// Returns `true` if boxes have groups.
    pub fn has_groups(&self) -> bool {
        self.columns[11].is_some() || self.columns[12].is_some()
    }

    /// Calls `each` with the boxes of these rows, in batches.
    pub fn read(&self, rows: Range<u64>, each: EachBatch<'_>) -> Result<()> {
        guarded(&self.path, || self.read_rows(rows, each))
    }

    fn read_rows(&self, rows: Range<u64>, each: EachBatch<'_>) -> Result<()> {
        // Each read opens the file for itself because all users of an open file share its position.
        let (file, metadata) = open(&self.path)?;
        let failed = |error: ParquetError| unreadable(&self.path, &error);
        let mut batch = Batch::new(self, &metadata)?;
        for (number, begin) in self.begins.windows(2).enumerate() {
            let (from, to) = (rows.start.max(begin[0]), rows.end.min(begin[1]));
            if from >= to {
                continue;
            }
            let group = metadata.row_group(number);
            let mut readers: [Option<ColumnReader>; 13] = Default::default();
            for (reader, column) in readers.iter_mut().zip(self.columns) {
                let Some(column) = column else { continue };
                let reader = reader.insert(file.column(group, column).map_err(failed)?);
                skip(reader, (from - begin[0]) as usize).map_err(failed)?;
            }
            let mut next = from;
            while next < to {
                let count = (to - next).min(BATCH as u64) as usize;
                for (column, reader) in batch.columns.iter_mut().zip(&mut readers) {
                    if let (Some(column), Some(reader)) = (column, reader) {
                        column.read(reader, count).map_err(failed)?;
                    }
                }
                batch.convert(next, count).map_err(|words| problem(&self.path, words))?;
                each(&batch.rows)?;
                next += count as u64;
            }
        }
        Ok(())
    }

    /// Calls `each` with batches of the ids of all boxes, and the row of the first id of the batch.
    pub fn read_ids(&self, each: &mut dyn FnMut(u64, &[u32]) -> Result<()>) -> Result<()> {
        guarded(&self.path, || self.read_id_column(each))
    }

    fn read_id_column(&self, each: &mut dyn FnMut(u64, &[u32]) -> Result<()>) -> Result<()> {
        let Some(column) = self.columns[ID] else {
            return Ok(());
        };
        let (file, metadata) = open(&self.path)?;
        let failed = |error: ParquetError| unreadable(&self.path, &error);
        let mut batch = Batch::new(self, &metadata)?;
        for (number, begin) in self.begins.windows(2).enumerate() {
            let group = metadata.row_group(number);
            let mut reader = file.column(group, column).map_err(failed)?;
            for first in (begin[0]..begin[1]).step_by(BATCH) {
                let count = (begin[1] - first).min(BATCH as u64) as usize;
                if let Some(column) = &mut batch.columns[ID] {
                    column.read(&mut reader, count).map_err(failed)?;
                }
                batch
                    .convert_ids(first, count)
                    .map_err(|words| problem(&self.path, words))?;
                each(first, &batch.rows.ids)?;
            }
        }
        Ok(())
    }
}

/// Skips rows.
fn skip(reader: &mut ColumnReader, rows: usize) -> parquet::errors::Result<()> {
    if rows == 0 {
        return Ok(());
    }
    let skipped = match reader {
        ColumnReader::BoolColumnReader(reader) => reader.skip_records(rows),
        ColumnReader::Int32ColumnReader(reader) => reader.skip_records(rows),
        ColumnReader::Int64ColumnReader(reader) => reader.skip_records(rows),
        ColumnReader::Int96ColumnReader(reader) => reader.skip_records(rows),
        ColumnReader::FloatColumnReader(reader) => reader.skip_records(rows),
        ColumnReader::DoubleColumnReader(reader) => reader.skip_records(rows),
        ColumnReader::ByteArrayColumnReader(reader) => reader.skip_records(rows),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => reader.skip_records(rows),
    }?;
    match skipped == rows {
        true => Ok(()),
        false => Err(ParquetError::EOF(format!(
            "a column has {skipped} rows where more than {rows} should be"
        ))),
    }
}

/// Some rows, decoded and converted to boxes.
struct Batch {
    columns: [Option<Column>; 13],
    rows: BoxRows,
}

impl Batch {
    fn new(boxes: &ParquetBoxes, metadata: &ParquetMetaData) -> Result<Self> {
        let schema = metadata.file_metadata().schema_descr();
        let mut columns: [Option<Column>; 13] = Default::default();
        for (k, place) in columns.iter_mut().enumerate() {
            let Some(column) = boxes.columns[k] else { continue };
            let column = Column::new(&schema.column(column)).map_err(|kind| {
                let name = excerpt(COLUMNS.get(k).copied().unwrap_or_else(|| MORE[k - COLUMNS.len()])).into_owned();
                problem(
                    &boxes.path,
                    format!("holds {kind} in column {name}: write plain numbers"),
                )
            })?;
            *place = Some(column);
        }
        Ok(Self {
            columns,
            rows: BoxRows::default(),
        })
    }

    /// Converts the rows to boxes, or describes the problem with the first invalid one.
    fn convert(&mut self, first: u64, count: usize) -> std::result::Result<(), String> {
        self.convert_ids(first, count)?;
        let boxes = &mut self.rows.boxes;
        boxes.clear();
        let singles: Option<Vec<&[f32]>> = self.columns[..10]
            .iter()
            .map(|column| column.as_ref()?.singles())
            .collect();
        match singles.as_deref() {
            Some([cx, cy, cz, hx, hy, hz, qx, qy, qz, qw]) => boxes.extend((0..count).map(|k| {
                Obb::new(
                    Vec3::new(cx[k], cy[k], cz[k]),
                    Vec3::new(hx[k], hy[k], hz[k]),
                    Quat::from_xyzw(qx[k], qy[k], qz[k], qw[k]),
                )
            })),
            _ => {
                for row in 0..count {
                    let record = BatchRecord {
                        columns: &self.columns,
                        row,
                    };
                    let mut numbers = [0.0; 10];
                    for (k, number) in numbers.iter_mut().enumerate() {
                        *number = parse(&record, k, COLUMNS[k], A_NUMBER)
                            .map_err(|words| format!("row {} {words}", first + row as u64))?;
                    }
                    let [cx, cy, cz, hx, hy, hz, qx, qy, qz, qw] = numbers;
                    boxes.push(Obb::from_arrays([cx, cy, cz], [hx, hy, hz], [qx, qy, qz, qw]));
                }
            }
        }
        let word = |row: usize, k: usize| word(&self.columns, first, row, k);
        for (row, obb) in boxes.iter_mut().enumerate() {
            if self.columns[11].is_some() {
                obb.memberships = word(row, 11)?;
            }
            if self.columns[12].is_some() {
                obb.filter = word(row, 12)?;
            }
        }
        self.rows.first = first;
        Ok(())
    }

    /// Replaces the ids with those of the rows.
    fn convert_ids(&mut self, first: u64, count: usize) -> std::result::Result<(), String> {
        let ids = &mut self.rows.ids;
        ids.clear();
        if self.columns[ID].is_some() {
            for row in 0..count {
                ids.push(word(&self.columns, first, row, ID)?);
            }
        }
        Ok(())
    }
}

/// Returns the integer in a row of a batch that begins with the row `first`, in the column at this
/// position.
fn word(columns: &[Option<Column>; 13], first: u64, row: usize, k: usize) -> std::result::Result<u32, String> {
    parse(&BatchRecord { columns, row }, k, MORE[k - COLUMNS.len()], A_WORD)
        .map_err(|words| format!("row {} {words}", first + row as u64))
}

/// A row of a batch.
struct BatchRecord<'a> {
    columns: &'a [Option<Column>; 13],
    row: usize,
}

impl Record for BatchRecord<'_> {
    fn len(&self) -> usize {
        self.columns.len()
    }

    fn cell(&self, column: usize) -> Cell<'_> {
        match &self.columns[column] {
            Some(column) => column.cell(self.row),
            None => Cell::Nothing,
        }
    }
}
