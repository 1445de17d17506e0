//! Jupyter notebooks: cells of Markdown and code, and the text that code printed.

use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::markdown;
use crate::draft::Draft;
use crate::model::BlockKind;
use crate::text::LineIndex;
use crate::{Format, Unreadable, formats::report_malformed};

/// Longest output of a cell kept, in bytes.
const MAX_OUTPUT: usize = 4 << 10;

/// A cell, whose text stays where it is in the file.
#[derive(Deserialize)]
struct Cell<'t> {
    #[serde(default)]
    cell_type: String,
    #[serde(borrow, alias = "input")]
    source: Option<&'t RawValue>,
    level: Option<u8>,
    #[serde(default)]
    outputs: Vec<Value>,
}

/// The cells of a notebook. Before version 4 they were in worksheets.
#[derive(Deserialize)]
struct Notebook<'t> {
    #[serde(borrow)]
    cells: Option<Vec<Cell<'t>>>,
    #[serde(borrow)]
    worksheets: Option<Vec<Notebook<'t>>>,
    #[serde(default)]
    metadata: Value,
}

/// Reads a notebook. Lines are those of the file; of a text that is written as one string, they are counted from it.
pub(super) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let book: Notebook<'_> = serde_json::from_str(text).map_err(|error| report_malformed(Format::Jupyter, error))?;
    let sheet = book.worksheets.and_then(|sheets| sheets.into_iter().next()).and_then(|sheet| sheet.cells);
    let cells = book.cells.or(sheet).ok_or_else(|| report_malformed(Format::Jupyter, "it has no list `cells`"))?;
    let language = language(&book.metadata);
    let lines = LineIndex::new(text);
    let line_of = |part: &str| lines.line((part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize));
    for cell in cells {
        let (source, line) = cell.source.map_or((String::new(), 1), |source| read_written(source, line_of));
        let last = line + source.lines().count().max(1) as u32 - 1;
        match cell.cell_type.as_str() {
            "markdown" => markdown::read_body(&source, line - 1, draft),
            "heading" => draft.heading(cell.level.unwrap_or(1), &source, line),
            "code" => {
                draft.block(BlockKind::Code, &source, Some(language), (line, last));
                outputs(&cell.outputs, last, draft);
            }
            _ => draft.block(BlockKind::Paragraph, &source, None, (line, last)),
        }
    }
    Ok(())
}

/// The text of a cell and the line of the file at which it begins: a string, or one for each line.
fn read_written(source: &RawValue, line_of: impl Fn(&str) -> u32) -> (String, u32) {
    let parts: Vec<&RawValue> = serde_json::from_str(source.get()).unwrap_or_default();
    let line = line_of(parts.first().map_or(source.get(), |first| first.get()));
    let text = |part: &RawValue| serde_json::from_str::<String>(part.get()).unwrap_or_default();
    match parts.as_slice() {
        [] => (text(source), line),
        parts => (parts.iter().map(|part| text(part)).collect(), line),
    }
}

fn outputs(outputs: &[Value], line: u32, draft: &mut Draft<'_>) {
    for output in outputs {
        let text = output.get("text").or_else(|| output.pointer("/data/text~1plain"));
        let text = join_lines(text);
        draft.block(BlockKind::Output, crate::text::cut(&text, MAX_OUTPUT), None, (line, line));
    }
}

/// A text, or the lines of one.
fn join_lines(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

/// The literals that hold the code of a notebook, cell by cell, as ranges of the file with their quotes. `None` if
/// it is not a notebook of Python.
pub(crate) fn code(text: &str) -> Option<Vec<Vec<Range<usize>>>> {
    let book: Notebook<'_> = serde_json::from_str(text).ok()?;
    if language(&book.metadata) != "python" {
        return None;
    }
    let sheet = book.worksheets.and_then(|sheets| sheets.into_iter().next()).and_then(|sheet| sheet.cells);
    let range = |raw: &RawValue| {
        let start = (raw.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        start..start + raw.get().len()
    };
    let cells = book.cells.or(sheet)?.into_iter().filter(|cell| cell.cell_type == "code");
    let parts = cells.filter_map(|cell| cell.source).map(|source| {
        let parts: Vec<&RawValue> = serde_json::from_str(source.get()).unwrap_or_default();
        let parts = if parts.is_empty() { vec![source] } else { parts };
        parts.into_iter().map(range).filter(|range| text[range.clone()].starts_with('"')).collect()
    });
    Some(parts.collect())
}

/// A line of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotebookLine {
    /// The line of the file that it stands in, or belongs to.
    pub line: u32,
    /// It stands there, rather than marking a cell or being its output.
    pub is_in_file: bool,
    /// Its text.
    pub text: String,
}

/// The cells of a notebook as lines. A line such as `# %% [markdown]` begins each, as in scripts of cells.
pub(crate) fn list_lines(text: &str) -> Option<Vec<NotebookLine>> {
    let book: Notebook<'_> = serde_json::from_str(text).ok()?;
    let sheet = book.worksheets.and_then(|sheets| sheets.into_iter().next()).and_then(|sheet| sheet.cells);
    let index = LineIndex::new(text);
    let line_of = |part: &str| index.line((part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize));
    let mut found = Vec::new();
    let mut last = 1;
    for cell in book.cells.or(sheet)? {
        let parts: Vec<&RawValue> = cell
            .source
            .map(|source| serde_json::from_str(source.get()).unwrap_or_else(|_| vec![source]))
            .unwrap_or_default();
        last = parts.first().map_or(last, |part| line_of(part.get()));
        let kind = if cell.cell_type == "code" { String::new() } else { format!(" [{}]", cell.cell_type) };
        found.push(NotebookLine { line: last, is_in_file: false, text: format!("# %%{kind}") });
        for part in parts {
            last = line_of(part.get());
            let written = serde_json::from_str::<String>(part.get()).unwrap_or_default();
            found.extend(written.lines().map(|text| NotebookLine {
                line: last,
                is_in_file: true,
                text: text.to_owned(),
            }));
        }
        for output in &cell.outputs {
            let text = join_lines(output.get("text").or_else(|| output.pointer("/data/text~1plain")));
            let shown = crate::text::cut(&text, MAX_OUTPUT).lines();
            found.extend(shown.map(|text| NotebookLine { line: last, is_in_file: false, text: format!("# > {text}") }));
        }
    }
    Some(found)
}

/// The language of the code of a notebook.
fn language(metadata: &Value) -> &str {
    let kernel = metadata.pointer("/kernelspec/language").or_else(|| metadata.pointer("/language_info/name"));
    kernel.and_then(Value::as_str).unwrap_or("python")
}
