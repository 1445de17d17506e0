//! Tables separated by commas, semicolons or tabs: the separator that the first line has most of.

use crate::draft::Draft;
use crate::{Format, Unreadable, formats::report_malformed};

/// Cells of one row.
const MAX_CELLS: usize = 1_000;
/// Longest cell kept, in bytes.
const MAX_CELL: usize = 2_000;

/// Reads a table.
pub(super) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let first = text.lines().next().unwrap_or("");
    let count = |sign: &u8| first.bytes().filter(|byte| byte == sign).count();
    let separator = [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',');
    let mut reader =
        csv::ReaderBuilder::new().delimiter(separator).has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut rows = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| report_malformed(Format::Csv, error))?;
        if rows.len() > draft.limits.rows {
            break;
        }
        rows.push(row.iter().take(MAX_CELLS).map(|cell| crate::text::cut(cell.trim(), MAX_CELL).to_owned()).collect());
    }
    draft.table(None, rows, 1);
    Ok(())
}
