//! Excel workbooks: a table for each worksheet, with the values that are stored in its cells.

use super::Archive;
use super::docx::{properties, targets};
use crate::draft::Draft;
use crate::xml::{Element, Tree};
use crate::{Format, Unreadable};

/// Columns of a worksheet.
const MAX_COLUMNS: usize = 1_000;

/// Reads a workbook.
pub(super) fn read(bytes: &[u8], draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let mut archive = Archive::open(bytes, Format::Xlsx, draft.limits)?;
    properties(archive.tree("docProps/core.xml")?.as_ref(), draft);
    let shared = archive.tree("xl/sharedStrings.xml")?;
    let shared: Vec<String> =
        shared.as_ref().and_then(Tree::root).into_iter().flat_map(|root| root.list_named("si")).map(string).collect();
    let links = archive.tree("xl/_rels/workbook.xml.rels")?;
    let targets = targets(links.as_ref());
    let book = archive.require_part("xl/workbook.xml")?;
    let sheets = book.root().and_then(|root| root.at(&["sheets"]));
    let sheets: Vec<(String, String)> = sheets
        .into_iter()
        .flat_map(|sheets| sheets.list_named("sheet"))
        .filter_map(|sheet| Some((sheet.attribute("name").to_owned(), targets.get(sheet.last("id"))?.clone())))
        .collect();
    for (name, target) in sheets {
        let part = match target.strip_prefix('/') {
            Some(whole) => whole.to_owned(),
            None => format!("xl/{target}"),
        };
        draft.heading(1, &name, 0);
        if let Some(tree) = archive.tree(&part)?
            && let Some(data) = tree.root().and_then(|root| root.at(&["sheetData"]))
        {
            let rows: Vec<Vec<String>> =
                data.list_named("row").take(draft.limits.rows + 1).map(|row| cells(row, &shared)).collect();
            let rows = rows.into_iter().filter(|row| row.iter().any(|cell| !cell.is_empty())).collect();
            draft.table(Some(&name), rows, 0);
        }
    }
    Ok(())
}

/// A shared string without its readings.
fn string(element: Element<'_>) -> String {
    element.text_without(&["rPh", "phoneticPr"])
}

fn cells(row: Element<'_>, shared: &[String]) -> Vec<String> {
    let mut cells: Vec<String> = Vec::new();
    for cell in row.list_named("c") {
        let at = column(cell.attribute("r")).unwrap_or(cells.len());
        if at >= MAX_COLUMNS {
            break;
        }
        if cells.len() <= at {
            cells.resize(at + 1, String::new());
        }
        let value = cell.text_at(&["v"]);
        cells[at] = match cell.attribute("t") {
            "s" => value.parse::<usize>().ok().and_then(|index| shared.get(index)).cloned().unwrap_or_default(),
            "inlineStr" => cell.at(&["is"]).map(string).unwrap_or_default(),
            "b" => if value == "1" { "TRUE" } else { "FALSE" }.to_owned(),
            _ => value,
        };
    }
    cells
}

/// The column of a cell such as `AB12`, counted from 0.
fn column(place: &str) -> Option<usize> {
    let letters = place.bytes().take_while(u8::is_ascii_uppercase);
    let number = letters.take(4).fold(0usize, |sum, letter| sum * 26 + usize::from(letter - b'A') + 1);
    number.checked_sub(1)
}
