//! One column of a Parquet file, decoded in batches of rows.

use parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::ColumnDescriptor;

use crate::table::cell::Cell;

/// The stand-in for a text that is not UTF-8. It is not UTF-8 either.
const NO_TEXT: &[u8] = &[0xFF];

/// The values of a column in some rows; arbitrary in rows without a value.
pub(super) enum Values {
    Flags(Vec<bool>),
    Wholes32(Vec<i32>),
    Wholes64(Vec<i64>),
    Singles(Vec<f32>),
    Doubles(Vec<f64>),
    Texts(Vec<ByteArray>),
}

/// Some rows of a column.
pub(super) struct Column {
    values: Values,
    /// `true` if integers are unsigned.
    unsigned: bool,
    /// 1 for each row with a value; empty if every row must have one.
    levels: Vec<i16>,
    /// `true` if some row has no value.
    gaps: bool,
}

impl Column {
    /// Returns the column, empty, if its values are flags, numbers or texts; otherwise a
    /// description of what they are.
    pub fn new(descriptor: &ColumnDescriptor) -> std::result::Result<Self, &'static str> {
        if descriptor.max_rep_level() > 0 {
            return Err("lists");
        }
        if descriptor.path().parts().len() > 1 {
            return Err("parts of structures");
        }
        let converted = descriptor.converted_type();
        let logical = descriptor.logical_type_ref();
        if matches!(logical, Some(LogicalType::Decimal { .. })) || converted == ConvertedType::DECIMAL {
            return Err("decimals");
        }
        let values = match descriptor.physical_type() {
            PhysicalType::BOOLEAN => Values::Flags(Vec::new()),
            PhysicalType::INT32 => Values::Wholes32(Vec::new()),
            PhysicalType::INT64 => Values::Wholes64(Vec::new()),
            PhysicalType::FLOAT => Values::Singles(Vec::new()),
            PhysicalType::DOUBLE => Values::Doubles(Vec::new()),
            PhysicalType::BYTE_ARRAY => Values::Texts(Vec::new()),
            PhysicalType::INT96 => return Err("times"),
            PhysicalType::FIXED_LEN_BYTE_ARRAY => return Err("bytes of fixed length"),
        };
        let unsigned = [
            ConvertedType::UINT_8,
            ConvertedType::UINT_16,
            ConvertedType::UINT_32,
            ConvertedType::UINT_64,
        ];
        Ok(Self {
            values,
            unsigned: unsigned.contains(&converted),
            levels: Vec::new(),
            gaps: false,
        })
    }

    /// Reads the next `rows` rows, unless the file is damaged.
    pub fn read(&mut self, reader: &mut ColumnReader, rows: usize) -> Result<()> {
        let levels = &mut self.levels;
        self.gaps = match (reader, &mut self.values) {
            (ColumnReader::BoolColumnReader(reader), Values::Flags(values)) => read(reader, rows, levels, values),
            (ColumnReader::Int32ColumnReader(reader), Values::Wholes32(values)) => read(reader, rows, levels, values),
            (ColumnReader::Int64ColumnReader(reader), Values::Wholes64(values)) => read(reader, rows, levels, values),
            (ColumnReader::FloatColumnReader(reader), Values::Singles(values)) => read(reader, rows, levels, values),
            (ColumnReader::DoubleColumnReader(reader), Values::Doubles(values)) => read(reader, rows, levels, values),
            (ColumnReader::ByteArrayColumnReader(reader), Values::Texts(values)) => read(reader, rows, levels, values),
            _ => Err(ParquetError::General(
                "a row group has other types than the file".into(),
            )),
        }?;
        Ok(())
    }

    /// Returns the cell in a row of the batch.
    #[inline]
    pub fn cell(&self, row: usize) -> Cell<'_> {
        if self.gaps && self.levels[row] == 0 {
            return Cell::Nothing;
        }
        match &self.values {
            Values::Flags(values) => Cell::Flag(values[row]),
            Values::Wholes32(values) if self.unsigned => Cell::Whole((values[row] as u32).into()),
            Values::Wholes32(values) => Cell::Whole(values[row].into()),
            Values::Wholes64(values) if self.unsigned => Cell::Whole((values[row] as u64).into()),
            Values::Wholes64(values) => Cell::Whole(values[row].into()),
            Values::Singles(values) => Cell::Single(values[row]),
            Values::Doubles(values) => Cell::Double(values[row]),
            Values::Texts(values) => Cell::Text(values[row].as_utf8().map_or(NO_TEXT, str::as_bytes)),
        }
    }

    /// Returns the values if they are `f32` and every row has one.
    pub fn singles(&self) -> Option<&[f32]> {
        match &self.values {
            Values::Singles(values) if !self.gaps => Some(values),
            _ => None,
        }
    }
}

/// Reads the values of some rows, each to its place. Returns `true` if some rows have none.
fn read<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    levels: &mut Vec<i16>,
    values: &mut Vec<T::T>,
) -> Result<bool> {
    levels.clear();
    values.clear();
    let (records, there, _) = reader.read_records(rows, Some(levels), None, values)?;
    if records != rows {
        return Err(ParquetError::EOF(format!(
            "a column has {records} rows where {rows} should be"
        )));
    }
    if there == rows {
        return Ok(false);
    }
    // The values are stored contiguously: from the last one backwards, each moves to its row.
    values.resize_with(rows, T::T::default);
    let mut from = there;
    for row in (0..rows).rev() {
        if levels[row] > 0 && from > 0 {
            from -= 1;
            values.swap(row, from);
        }
    }
    Ok(true)
}
