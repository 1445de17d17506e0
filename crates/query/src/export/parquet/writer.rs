//! Writes rows in row groups.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, Repetition, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::column::{Column, Value, Values};
use super::{FORMAT_VERSION, ParquetError};

/// Maximum rows of a row group.
const MAX_ROWS: usize = 65_536;
/// Bytes of values after which a row group is written: the bound on the memory of a writer.
const MAX_BYTES: usize = 16 << 20;
/// Level of compression: 3 is the default of zstd.
const LEVEL: i32 = 3;

/// Writes one table.
pub struct TableWriter<W: Write + Send> {
    table: &'static str,
    columns: &'static [Column],
    values: Vec<Values>,
    /// Rows and bytes that are not written yet.
    rows: usize,
    bytes: usize,
    written: u64,
    to: SerializedFileWriter<W>,
}

impl<W: Write + Send> TableWriter<W> {
    /// Starts a table. `generator` names the program and its version.
    ///
    /// # Errors
    /// [`ParquetError::Format`].
    pub fn new(table: &'static str, columns: &'static [Column], generator: &str, to: W) -> Result<Self, ParquetError> {
        let fields = columns.iter().map(|column| column.to_type()).collect::<Result<_, _>>()?;
        let schema =
            Type::group_type_builder(table).with_repetition(Repetition::REQUIRED).with_fields(fields).build()?;
        let about = |key: &str, value: String| KeyValue::new(format!("m1nd.{key}"), value);
        let properties = WriterProperties::builder()
            .set_created_by(generator.to_owned())
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_key_value_metadata(Some(vec![
                about("format_version", FORMAT_VERSION.to_string()),
                about("generator", generator.to_owned()),
                about("table", table.to_owned()),
            ]))
            .build();
        let to = SerializedFileWriter::new(to, Arc::new(schema), Arc::new(properties))?;
        let values = columns.iter().map(|column| Values::new(column.kind)).collect();
        Ok(Self { table, columns, values, rows: 0, bytes: 0, written: 0, to })
    }

    /// Adds a row: a value for each column, in order.
    ///
    /// # Errors
    /// [`ParquetError`].
    pub fn push<'v>(&mut self, row: impl IntoIterator<Item = Value<'v>>) -> Result<(), ParquetError> {
        let mut row = row.into_iter();
        for (values, column) in self.values.iter_mut().zip(self.columns) {
            let bytes = row.next().and_then(|value| values.push(value));
            let mismatch = ParquetError::Mismatch { table: self.table, column: column.name };
            self.bytes += bytes.ok_or(mismatch)?;
        }
        self.rows += 1;
        self.written += 1;
        if self.rows >= MAX_ROWS || self.bytes >= MAX_BYTES { self.flush() } else { Ok(()) }
    }

    /// Writes the rows that are held as one row group.
    fn flush(&mut self) -> Result<(), ParquetError> {
        let mut group = self.to.next_row_group()?;
        for values in &mut self.values {
            if let Some(column) = group.next_column()? {
                values.flush(column)?;
            }
        }
        group.close()?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }

    /// Writes what is left and returns the number of rows.
    ///
    /// # Errors
    /// [`ParquetError`].
    pub fn finish(mut self) -> Result<u64, ParquetError> {
        if self.rows > 0 {
            self.flush()?;
        }
        self.to.close()?;
        Ok(self.written)
    }
}
