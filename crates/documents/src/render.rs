//! A document as one text: for formats whose files are archives or programs, this is what people read, search and cite
//! lines of. Headings are those of Markdown, so that whoever reads the text finds the sections again.

use crate::model::{Block, BlockKind, Document, Section, Table};
use crate::text::cut;
use crate::{DocumentLimits, Format, Unreadable, parse_as};

/// A line of running text ends at the first end of a sentence after this many bytes.
const FULL_LINE: usize = 240;
/// Longest line of running text, in bytes.
const MAX_LINE: usize = 1_000;
/// Maximum size of the text of one document, in bytes.
const MAX_TEXT: usize = 8 << 20;
/// Deepest level of a heading in Markdown.
const MAX_LEVEL: u8 = 6;

/// Changes whenever [`read_text`] yields another text for the same document.
pub const TEXT_VERSION: u32 = 1;

/// Reads a document and returns it as one text, with the headings of Markdown.
///
/// # Errors
/// [`Unreadable`] with the reason.
pub fn read_text(format: Format, bytes: &[u8], limits: &DocumentLimits) -> Result<String, Unreadable> {
    let document = parse_as(format, bytes, limits)?;
    let mut text = Text::default();
    text.write(&document, limits)?;
    Ok(text.text)
}

/// The text while it is written.
#[derive(Default)]
struct Text {
    text: String,
    /// Number of headings written.
    headings: usize,
    /// The page of a PDF file that the last block was on.
    page: u32,
}

impl Text {
    /// Writes headings, blocks and tables in the order of the document, then what was left out.
    fn write(&mut self, document: &Document, limits: &DocumentLimits) -> Result<(), Unreadable> {
        if let Some(title) = document.metadata.title.as_ref().filter(|_| document.sections.is_empty()) {
            self.heading(1, title);
        }
        let mut tables = document.tables.iter().peekable();
        for (number, block) in document.blocks.iter().enumerate() {
            limits.check()?;
            while let Some(table) = tables.next_if(|table| table.block as usize <= number) {
                self.table(table, &document.sections);
            }
            if document.format == Format::Pdf {
                self.turn_to(block.line);
            }
            self.block(block, &document.sections);
        }
        for table in tables {
            limits.check()?;
            self.table(table, &document.sections);
        }
        self.open_sections(&document.sections, None);
        for problem in &document.problems {
            self.paragraph(&format!("[{problem}]"));
        }
        Ok(())
    }

    /// Marks where a later page of a PDF file begins. The places of its blocks are pages.
    fn turn_to(&mut self, page: u32) {
        if page > self.page.max(1) {
            self.paragraph(&format!("[page {page}]"));
        }
        self.page = self.page.max(page);
    }

    fn is_full(&mut self) -> bool {
        if self.text.len() < MAX_TEXT {
            return false;
        }
        let note = format!("\n[the text has more than {MAX_TEXT} bytes; the rest is left out]\n");
        if !self.text.ends_with(&note) {
            self.text.push_str(&note);
        }
        true
    }

    /// Writes the headings up to a section; all of them for `None`.
    fn open_sections(&mut self, sections: &[Section], until: Option<u32>) {
        let end = until.map_or(sections.len(), |section| section as usize + 1).min(sections.len());
        while self.headings < end {
            let section = &sections[self.headings];
            self.headings += 1;
            self.heading(section.level, &section.heading);
        }
    }

    fn heading(&mut self, level: u8, text: &str) {
        if self.is_full() {
            return;
        }
        self.begin_block();
        let marks = "#".repeat(usize::from(level.clamp(1, MAX_LEVEL)));
        self.text.push_str(&format!("{marks} {}\n", text.trim_end_matches('#')));
    }

    fn begin_block(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    fn block(&mut self, block: &Block, sections: &[Section]) {
        if block.section.is_some() {
            self.open_sections(sections, block.section);
        }
        match block.kind {
            BlockKind::Code | BlockKind::Output => self.listing(&block.text, block.language.as_deref()),
            BlockKind::Paragraph | BlockKind::Quote | BlockKind::Item | BlockKind::Note => self.paragraph(&block.text),
        }
    }

    fn paragraph(&mut self, text: &str) {
        if self.is_full() {
            return;
        }
        self.begin_block();
        for line in split_lines(text) {
            if is_mark(line) {
                self.text.push('\\');
            }
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    fn listing(&mut self, text: &str, language: Option<&str>) {
        if self.is_full() {
            return;
        }
        self.begin_block();
        let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat((longest + 1).max(3));
        let language = language.filter(|word| !word.contains(['`', '\n'])).unwrap_or_default();
        self.text.push_str(&format!("{fence}{language}\n{}\n{fence}\n", cut(text, MAX_TEXT)));
    }

    fn table(&mut self, table: &Table, sections: &[Section]) {
        if table.section.is_some() {
            self.open_sections(sections, table.section);
        }
        if self.is_full() {
            return;
        }
        self.begin_block();
        if let Some(name) = &table.name {
            self.text.push_str(&format!("{name}:\n\n"));
        }
        for (number, row) in std::iter::once(&table.header).chain(&table.rows).enumerate() {
            if self.is_full() {
                return;
            }
            let cells: Vec<String> =
                row.iter().map(|cell| cell.replace(['\n', '\r'], " ").replace('|', "\\|")).collect();
            self.text.push_str(&format!("| {} |\n", cells.join(" | ")));
            if number == 0 {
                self.text.push_str(&format!("|{}\n", " --- |".repeat(row.len().max(1))));
            }
        }
    }
}

/// Returns whether a line of running text would be a mark of Markdown that begins a heading or a listing.
fn is_mark(line: &str) -> bool {
    let line = line.trim_start();
    let is_rule = !line.is_empty() && line.bytes().all(|byte| byte == b'-' || byte == b'=');
    line.starts_with(['#', '`', '~']) || is_rule
}

/// A paragraph as lines that end at the end of a sentence, or at a blank if a sentence is very long.
fn split_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (line, after) = rest.split_at(find_line_end(rest));
        rest = after.trim_start();
        Some(line.trim_end())
    })
}

fn find_line_end(text: &str) -> usize {
    let window = cut(text, MAX_LINE);
    let own = window.find('\n').unwrap_or(window.len());
    if own < FULL_LINE || own < window.len() {
        return own.max(1);
    }
    let from = window.ceil_char_boundary(FULL_LINE);
    let sentence = [". ", "! ", "? ", "。"].iter().filter_map(|end| Some(window[from..].find(end)? + end.len())).min();
    match sentence {
        Some(end) => from + end,
        None if window.len() == text.len() => window.len(),
        None => window.rfind(' ').filter(|at| *at > 0).unwrap_or(window.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::Draft;

    #[test]
    fn text_keeps_the_order_and_leads_back_to_the_same_headings() {
        let limits = DocumentLimits::default();
        let mut draft = Draft::new(Format::Docx, &limits);
        draft.block(BlockKind::Paragraph, "# in front", None, (0, 0));
        draft.heading(1, "Setup", 0);
        draft.block(BlockKind::Paragraph, "Connect\nthe cable.", None, (0, 0));
        draft.table(Some("Keys"), vec![vec!["a".into(), "b|c".into()], vec!["1".into(), "2".into()]], 0);
        draft.heading(2, "Empty", 0);
        draft.heading(2, "Code", 0);
        draft.block(BlockKind::Code, "x = 1\n```", Some("python"), (0, 0));
        draft.block(BlockKind::Paragraph, "---", None, (0, 0));
        draft.heading(1, "End", 0);
        let mut text = Text::default();
        text.write(&draft.finish(), &limits).expect("not cancelled");
        let expected = "\\# in front\n\n# Setup\n\nConnect the cable.\n\nKeys:\n\n| a | b\\|c |\n| --- | --- |\n| 1 | 2 |\n\
                        \n## Empty\n\n## Code\n\n````python\nx = 1\n```\n````\n\n\\---\n\n# End\n";
        assert_eq!(text.text, expected);
        let headings = crate::headings(Format::Markdown, &text.text);
        let headings: Vec<(u8, &str)> = headings.iter().map(|heading| (heading.level, heading.text.as_str())).collect();
        assert_eq!(headings, [(1, "Setup"), (2, "Empty"), (2, "Code"), (1, "End")]);
    }

    #[test]
    fn long_paragraphs_are_cut_at_sentences_and_no_word_is_lost() {
        let sentence = format!("{} end. ", "word ".repeat(30));
        for text in
            [sentence.repeat(20), "word ".repeat(2_000), "é".repeat(5_000), String::new(), "\n\n a\n\nb ".into()]
        {
            let found: Vec<&str> = split_lines(&text).collect();
            assert!(found.iter().all(|line| line.len() <= MAX_LINE), "{found:?}");
            let squeeze = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(squeeze(&found.concat()), squeeze(&text));
        }
    }

    #[test]
    fn a_cancelled_reading_ends() {
        let limits = DocumentLimits::default();
        limits.cancel.cancel();
        let mut draft = Draft::new(Format::Docx, &limits);
        draft.block(BlockKind::Paragraph, "text", None, (0, 0));
        assert!(matches!(Text::default().write(&draft.finish(), &limits), Err(Unreadable::Cancelled(_))));
    }
}
