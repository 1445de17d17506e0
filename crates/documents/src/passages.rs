//! What a document says, with the lines of its file: for formats that people edit as text, whose marks and escapes
//! stand between the words.

use crate::model::{Block, BlockKind, Document};
use crate::{DocumentLimits, Format, Unreadable, parse_as};

/// A piece of the text of a document, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The text without marks.
    pub text: String,
    /// First and last line of it in the file.
    pub lines: (u32, u32),
}

/// The text of a document in passages: headings, blocks and rows of tables. Listings are split into their lines.
///
/// # Errors
/// [`Unreadable`] with the reason.
pub fn read_passages(format: Format, bytes: &[u8], limits: &DocumentLimits) -> Result<Vec<Passage>, Unreadable> {
    let document = parse_as(format, bytes, limits)?;
    let mut found = Vec::with_capacity(document.blocks.len() + document.sections.len());
    found.extend(document.sections.iter().map(|section| make_passage(&section.heading, (section.line, section.line))));
    document.blocks.iter().for_each(|block| add_block(block, &mut found));
    add_tables(&document, &mut found);
    found.sort_by_key(|passage| passage.lines);
    Ok(found)
}

fn make_passage(text: &str, lines: (u32, u32)) -> Passage {
    Passage { text: text.replace(['\n', '\r'], " "), lines }
}

fn add_block(block: &Block, found: &mut Vec<Passage>) {
    let (first, last) = (block.line, block.line_end.max(block.line));
    match block.kind {
        BlockKind::Code | BlockKind::Output => {
            let lines = block.text.lines().zip(first..);
            found.extend(lines.map(|(text, line)| make_passage(text, (line.min(last), line.min(last)))));
        }
        _ => found.push(make_passage(&block.text, (first, last))),
    }
}

fn add_tables(document: &Document, found: &mut Vec<Passage>) {
    for table in &document.tables {
        let rows = std::iter::once(&table.header).chain(&table.rows);
        found.extend(rows.map(|row| make_passage(&row.join(" | "), (table.line, table.line))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_page_stand_on_one_line_with_their_place() {
        let page =
            "<h1>Guide</h1>\n<p>Hold the <b>blimp</b>\nlever&nbsp;tight &amp; pull.</p>\n<pre>a = 1\nb = 2</pre>\n";
        let found = read_passages(Format::Html, page.as_bytes(), &DocumentLimits::default()).expect("a page");
        let found: Vec<(String, (u32, u32))> =
            found.into_iter().map(|passage| (passage.text.replace('\u{a0}', " "), passage.lines)).collect();
        assert_eq!(found[0], ("Guide".to_owned(), (1, 1)));
        assert_eq!(found[1], ("Hold the blimp lever tight & pull.".to_owned(), (2, 3)));
        assert!(found.contains(&("b = 2".to_owned(), (5, 5))), "{found:?}");
    }
}
