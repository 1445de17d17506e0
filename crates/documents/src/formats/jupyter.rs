//! Jupyter notebooks: cells of Markdown and code, and the text that code printed.

use serde_json::Value;

use super::markdown;
use crate::draft::Draft;
use crate::model::BlockKind;
use crate::{Format, Unreadable, formats::malformed};

/// Longest output of a cell kept, in bytes.
const MAX_OUTPUT: usize = 4 << 10;

/// Reads a notebook. Lines are those of all cells together.
pub(super) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let value: Value = serde_json::from_str(text).map_err(|error| malformed(Format::Jupyter, error))?;
    // Before version 4 the cells are in worksheets.
    let sheets = value.get("worksheets").and_then(|sheets| sheets.get(0)).and_then(|sheet| sheet.get("cells"));
    let cells = value.get("cells").or(sheets).and_then(Value::as_array);
    let cells = cells.ok_or_else(|| malformed(Format::Jupyter, "it has no list `cells`"))?;
    let kernel =
        value.pointer("/metadata/kernelspec/language").or_else(|| value.pointer("/metadata/language_info/name"));
    let language = kernel.and_then(Value::as_str).unwrap_or("python");
    let mut before = 0u32;
    for cell in cells {
        let source = joined(cell.get("source").or_else(|| cell.get("input")));
        let count = source.lines().count().max(1) as u32;
        match cell.get("cell_type").and_then(Value::as_str) {
            Some("markdown") => markdown::read_body(&source, before, draft),
            Some("heading") => {
                draft.heading(cell.get("level").and_then(Value::as_u64).unwrap_or(1) as u8, &source, before + 1)
            }
            Some("code") => {
                draft.block(BlockKind::Code, &source, Some(language), (before + 1, before + count));
                outputs(cell, before + count, draft);
            }
            _ => draft.block(BlockKind::Paragraph, &source, None, (before + 1, before + count)),
        }
        before += count;
    }
    Ok(())
}

fn outputs(cell: &Value, line: u32, draft: &mut Draft<'_>) {
    for output in cell.get("outputs").and_then(Value::as_array).into_iter().flatten() {
        let text = output.get("text").or_else(|| output.pointer("/data/text~1plain"));
        let text = joined(text);
        draft.block(BlockKind::Output, crate::text::cut(&text, MAX_OUTPUT), None, (line, line));
    }
}

/// A text, or the lines of one.
fn joined(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}
