//! A Parquet file as a table.

use std::path::{Path, PathBuf};

use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;

use crate::error::Result;
use crate::parquet::column::Column;
use crate::parquet::pages::PageFile;
use crate::parquet::{guarded, open, unreadable};
use crate::problem::problem;
use crate::table::cell::Cell;
use crate::table::header::Header;
use crate::table::{Record, Table};
use obbligato_support::excerpt::excerpt;

/// The number of rows that are decoded at once.
const BATCH: usize = 8192;

/// A Parquet file of which the wanted columns are read row by row.
pub(crate) struct ParquetTable {
    path: PathBuf,
    file: PageFile,
    metadata: ParquetMetaData,
    header: Header,
    /// The wanted columns of the current row group.
    readers: Vec<(usize, ColumnReader)>,
    /// The next row group, and the number of rows of the current one that are still to be decoded.
    group: usize,
    undecoded: usize,
    rows: Rows,
    /// The number of the next row, from 0.
    next: u64,
}

/// The decoded rows, and the index of the current one.
pub(crate) struct Rows {
    /// The values of each wanted column of the file.
    columns: Vec<Option<Column>>,
    row: usize,
    count: usize,
}

impl ParquetTable {
    pub fn open(path: &Path) -> Result<Self> {
        let (file, metadata) = open(path)?;
        let schema = metadata.file_metadata().schema_descr();
        let names = schema.columns().iter().map(|column| column.path().string());
        let header = Header::new(names.collect());
        let columns = (0..header.len()).map(|_| None).collect();
        Ok(Self {
            path: path.to_owned(),
            file,
            metadata,
            header,
            readers: Vec::new(),
            group: 0,
            undecoded: 0,
            rows: Rows {
                columns,
                row: 0,
                count: 0,
            },
            next: 0,
        })
    }

    /// Begins the next row group that has rows. Returns `false` if there is none.
    fn begin_group(&mut self) -> Result<bool> {
        let failed = |error: ParquetError| unreadable(&self.path, &error);
        while self.undecoded == 0 && self.group < self.metadata.num_row_groups() {
            let group = self.metadata.row_group(self.group);
            self.group += 1;
            let rows = group.num_rows();
            self.undecoded = usize::try_from(rows).map_err(|_| {
                problem(
                    &self.path,
                    format!("is damaged: a row group has {rows} rows: write it again"),
                )
            })?;
            self.readers.clear();
            for column in self.header.wanted() {
                let reader = self.file.column(group, column).map_err(failed)?;
                self.readers.push((column, reader));
            }
        }
        Ok(self.undecoded > 0)
    }

    /// Decodes more rows. Returns `false` if there are none.
    fn decode(&mut self) -> Result<bool> {
        if !self.begin_group()? {
            return Ok(false);
        }
        let count = self.undecoded.min(BATCH);
        for (number, reader) in &mut self.readers {
            let column = match &mut self.rows.columns[*number] {
                Some(column) => column,
                place => {
                    let schema = self.metadata.file_metadata().schema_descr();
                    let column = Column::new(&schema.column(*number)).map_err(|kind| {
                        let name = excerpt(self.header.name(*number));
                        problem(
                            &self.path,
                            format!("holds {kind} in column {name}: write plain numbers or texts"),
                        )
                    })?;
                    place.insert(column)
                }
            };
            let read = column.read(reader, count);
            read.map_err(|error| unreadable(&self.path, &error))?;
        }
        self.undecoded -= count;
        self.rows.count = count;
        self.rows.row = 0;
        Ok(true)
    }
}

impl Table for ParquetTable {
    type Record = Rows;

    fn header(&self) -> &Header {
        &self.header
    }

    fn next_row(&mut self) -> Result<bool> {
        self.rows.row += 1;
        let there = self.rows.row < self.rows.count || {
            let path = self.path.clone();
            guarded(&path, || self.decode())?
        };
        self.next += u64::from(there);
        Ok(there)
    }

    fn record(&self) -> &Rows {
        &self.rows
    }

    fn place(&self) -> String {
        format!("row {}", self.next.saturating_sub(1))
    }
}

impl Record for Rows {
    fn len(&self) -> usize {
        self.columns.len()
    }

    #[inline]
    fn cell(&self, column: usize) -> Cell<'_> {
        match &self.columns[column] {
            Some(column) => column.cell(self.row),
            None => Cell::Nothing,
        }
    }
}
