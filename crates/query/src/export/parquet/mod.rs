//! Tables in the Parquet format, for Spark, DuckDB and DataFusion. Rows are written in row groups, so memory does not
//! grow with the table; equal graphs give equal bytes.
//!
//! A change of a column's name or meaning increments [`FORMAT_VERSION`]; columns may be added without raising it.

mod column;
mod tables;
mod writer;

use std::io::Write;

use m1nd_base::{Cancel, Cancelled};
use m1nd_engine::Snapshot;

pub use column::{Column, ColumnKind, Value};
pub use tables::{EXPORTS, MEMORIES, Table};
pub use writer::TableWriter;

/// Version of the tables.
pub const FORMAT_VERSION: u32 = 1;

/// Why a table could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ParquetError {
    /// The writer of the format failed, most often because the disk did.
    #[error("the table could not be written: {0}")]
    Format(#[from] ::parquet::errors::ParquetError),
    /// The caller gave up.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A row that does not fit its table: an error of the program.
    #[error("column {column} of table {table} got a value of another kind")]
    Mismatch {
        /// Name of the table.
        table: &'static str,
        /// Name of the column.
        column: &'static str,
    },
}

/// Writes a table of a snapshot and returns its number of rows.
///
/// # Errors
/// [`ParquetError`].
pub fn write_table<W: Write + Send>(
    snapshot: &Snapshot,
    table: Table,
    generator: &str,
    to: W,
    cancel: &Cancel,
) -> Result<u64, ParquetError> {
    let mut writer = TableWriter::new(table.name(), table.columns(), generator, to)?;
    tables::fill(snapshot, table, &mut writer, cancel)?;
    writer.finish()
}
