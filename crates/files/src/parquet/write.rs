//! Writes Parquet: scenes, pairs and degrees.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, Encoding, Repetition, Type as PhysicalType, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};

use crate::error;
use crate::output::Unfinished;
use crate::problem::problem;
use obbligato_support::excerpt::excerpt;
use obbligato_support::memory;

/// The number of rows in a group, which a reader may read at once.
pub(crate) const GROUP_ROWS: usize = 1 << 20;

/// The type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Single,
    Double,
    /// From 0 to 2^32 - 1.
    Word,
    /// A signed 64-bit number.
    Whole,
    Flag,
    Text,
}

/// The values of a column in some rows. `None` is a missing value.
pub(crate) enum Values {
    Singles(Vec<f32>),
    MaybeSingles(Vec<Option<f32>>),
    Doubles(Vec<f64>),
    Words(Vec<u32>),
    MaybeWords(Vec<Option<u32>>),
    Wholes(Vec<i64>),
    Flags(Vec<bool>),
    Texts(Vec<String>),
}

/// A column by its name.
pub(crate) struct Field {
    pub name: String,
    pub kind: Kind,
    /// `true` if rows may lack a value.
    pub optional: bool,
}

impl Field {
    pub fn new(name: &str, kind: Kind) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            optional: false,
        }
    }

    fn of_schema(&self) -> Result<TypePtr> {
        let (physical, converted) = match self.kind {
            Kind::Single => (PhysicalType::FLOAT, ConvertedType::NONE),
            Kind::Double => (PhysicalType::DOUBLE, ConvertedType::NONE),
            Kind::Word => (PhysicalType::INT32, ConvertedType::UINT_32),
            Kind::Whole => (PhysicalType::INT64, ConvertedType::NONE),
            Kind::Flag => (PhysicalType::BOOLEAN, ConvertedType::NONE),
            Kind::Text => (PhysicalType::BYTE_ARRAY, ConvertedType::UTF8),
        };
        let repetition = match self.optional {
            true => Repetition::OPTIONAL,
            false => Repetition::REQUIRED,
        };
        let column = Type::primitive_type_builder(&self.name, physical)
            .with_repetition(repetition)
            .with_converted_type(converted);
        Ok(Arc::new(column.build()?))
    }
}

/// A Parquet file that is being written group by group.
pub(crate) struct ParquetFile {
    writer: SerializedFileWriter<Unfinished>,
}

impl ParquetFile {
    pub fn begin(path: &Path, fields: &[Field]) -> error::Result<Self> {
        let out = Unfinished::begin(path)?;
        let begin = || {
            let columns: Vec<TypePtr> = fields.iter().map(Field::of_schema).collect::<Result<_>>()?;
            let schema = Type::group_type_builder("scene").with_fields(columns).build()?;
            // Columns with few distinct values are dictionary-encoded; other floats use byte-stream
            // splitting.
            let mut properties = WriterProperties::builder()
                .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
                .set_created_by(concat!("obbligato ", env!("CARGO_PKG_VERSION")).to_owned());
            for field in fields {
                if matches!(field.kind, Kind::Single | Kind::Double) {
                    properties =
                        properties.set_column_encoding(field.name.as_str().into(), Encoding::BYTE_STREAM_SPLIT);
                }
            }
            SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()))
        };
        let writer = begin().map_err(|error| unwritable(path, &error))?;
        Ok(Self { writer })
    }

    /// Appends a group of rows, column by column: `values` returns those of a column by its number.
    pub fn write_group(&mut self, path: &Path, values: impl Fn(usize) -> Values) -> error::Result<()> {
        let failed = |error: ParquetError| unwritable(path, &error);
        let mut group = self.writer.next_row_group().map_err(failed)?;
        let mut number = 0;
        ensure_codec()?;
        while write_column(&mut group, || values(number)).map_err(failed)? {
            number += 1;
            ensure_codec()?;
        }
        group.close().map(drop).map_err(failed)
    }

    /// Ends the file and gives it its name.
    pub fn finish(self, path: &Path) -> error::Result<()> {
        let out = self.writer.into_inner().map_err(|error| unwritable(path, &error))?;
        out.finish()?.commit()
    }
}

/// The number of bytes that zstd requests for the codec of a column, and a few more.
const CODEC: usize = 256 << 10;

/// Returns an error if there is no memory for the codec of one more column: zstd would panic.
fn ensure_codec() -> error::Result<()> {
    Ok(memory::reserve(
        &mut Vec::<u8>::new(),
        CODEC,
        "a column of a Parquet file",
    )?)
}

/// Writes the next column. Returns `false` if there is none.
fn write_column<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: impl FnOnce() -> Values,
) -> Result<bool> {
    let Some(mut column) = group.next_column()? else {
        return Ok(false);
    };
    match (column.untyped(), values()) {
        (ColumnWriter::FloatColumnWriter(writer), Values::Singles(values)) => writer.write_batch(&values, None, None),
        (ColumnWriter::FloatColumnWriter(writer), Values::MaybeSingles(values)) => {
            let there: Vec<f32> = values.iter().flatten().copied().collect();
            writer.write_batch(&there, Some(&levels(&values)), None)
        }
        (ColumnWriter::DoubleColumnWriter(writer), Values::Doubles(values)) => writer.write_batch(&values, None, None),
        (ColumnWriter::Int32ColumnWriter(writer), Values::Words(values)) => {
            writer.write_batch(bytemuck::cast_slice(&values), None, None)
        }
        (ColumnWriter::Int32ColumnWriter(writer), Values::MaybeWords(values)) => {
            let there: Vec<i32> = values.iter().flatten().map(|&word| word as i32).collect();
            writer.write_batch(&there, Some(&levels(&values)), None)
        }
        (ColumnWriter::Int64ColumnWriter(writer), Values::Wholes(values)) => writer.write_batch(&values, None, None),
        (ColumnWriter::BoolColumnWriter(writer), Values::Flags(values)) => writer.write_batch(&values, None, None),
        (ColumnWriter::ByteArrayColumnWriter(writer), Values::Texts(values)) => {
            let texts: Vec<ByteArray> = values.into_iter().map(|text| text.into_bytes().into()).collect();
            writer.write_batch(&texts, None, None)
        }
        _ => Err(ParquetError::General("a column has values of another type".into())),
    }?;
    column.close()?;
    Ok(true)
}

/// Returns 1 for each row that has a value, else 0.
fn levels<T>(values: &[Option<T>]) -> Vec<i16> {
    values.iter().map(|value| i16::from(value.is_some())).collect()
}

fn unwritable(path: &Path, error: &ParquetError) -> error::Error {
    problem(
        path,
        format!(
            "cannot be written ({}): check the folder, its permissions and the free space",
            excerpt(&error.to_string())
        ),
    )
}
