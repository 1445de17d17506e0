//! AsciiDoc. Headings are `== …`, outside of delimited blocks.

use crate::Unreadable;
use crate::draft::Draft;
use crate::headings::{Heading, plain};
use crate::model::BlockKind;
use crate::text::{cut, is_run, lines};

/// Largest number of `=` of a heading.
const MAX_LEVEL: usize = 6;
/// Least length of a line that delimits a block.
const DELIMITER: usize = 4;
/// Longest span of code or target of a link, in bytes.
const MAX_SPAN: usize = 1_000;

/// The headings of a text, in order.
pub(crate) fn headings(text: &str) -> Vec<Heading> {
    let mut found = Vec::new();
    let mut block: Option<&str> = None;
    for line in lines(text) {
        let bare = line.text.trim_end();
        if let Some(open) = block {
            block = (bare != open).then_some(open);
            continue;
        }
        if is_verbatim(bare) {
            block = Some(bare);
            continue;
        }
        let level = bare.bytes().take_while(|byte| *byte == b'=').count();
        if level == 0 || level > MAX_LEVEL || !bare[level..].starts_with(' ') {
            continue;
        }
        let Some(text) = plain(&bare[level..]) else { continue };
        found.push(Heading { level: level as u8, text, start: line.start, end: line.end, line: line.number });
    }
    found
}

/// A line that opens or closes a block without headings in it.
fn is_verbatim(bare: &str) -> bool {
    bare.len() >= DELIMITER && matches!(is_run(bare), Some('-' | '.' | '+' | '/'))
}

/// Reads a page.
pub(crate) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let headings = headings(text);
    let mut headings = headings.into_iter().peekable();
    let mut state = State::default();
    for line in lines(text) {
        let bare = line.text.trim_end();
        if let Some((open, code, from)) = &mut state.verbatim {
            if bare != *open {
                code.push_str(line.text);
                code.push('\n');
                continue;
            }
            let (kind, text, lines) = (*open, std::mem::take(code), (*from, line.number));
            // A block of `////` is a comment.
            if !kind.starts_with('/') {
                draft.block(BlockKind::Code, &text, state.language.take().as_deref(), lines);
            }
            state.verbatim = None;
        } else if is_verbatim(bare) {
            state.flush(draft);
            state.verbatim = Some((bare, String::new(), line.number));
        } else if let Some(heading) = headings.next_if(|heading| heading.line == line.number) {
            state.flush(draft);
            draft.heading(heading.level, &heading.text, heading.line);
            inline(bare.trim_start_matches('='), line.number, draft);
        } else {
            state.line(bare, line.number, draft);
        }
    }
    state.flush(draft);
    Ok(())
}

/// What is open at a line.
#[derive(Default)]
struct State<'t> {
    /// The delimiter, text and first line of a listing.
    verbatim: Option<(&'t str, String, u32)>,
    language: Option<String>,
    kind: Option<BlockKind>,
    text: String,
    from: u32,
    to: u32,
    rows: Option<(Vec<Vec<String>>, u32)>,
}

impl State<'_> {
    fn flush(&mut self, draft: &mut Draft<'_>) {
        let kind = self.kind.take().unwrap_or(BlockKind::Paragraph);
        let text = std::mem::take(&mut self.text);
        draft.block(kind, &text, None, (self.from, self.to));
    }

    fn line(&mut self, bare: &str, number: u32, draft: &mut Draft<'_>) {
        // Tables: the same mark opens and closes one.
        if bare == "|===" {
            self.flush(draft);
            match self.rows.take() {
                Some((rows, line)) => draft.table(None, even(rows), line),
                None => self.rows = Some((Vec::new(), number)),
            }
            return;
        }
        if let Some((rows, _)) = &mut self.rows {
            if let Some(cells) = bare.trim_start().strip_prefix('|') {
                rows.push(cells.split('|').map(|cell| inline(cell.trim(), number, draft)).collect());
            }
            return;
        }
        // What ends a paragraph: blank lines, comments, borders of blocks.
        if bare.is_empty() || bare.starts_with("//") || matches!(is_run(bare), Some('=' | '*' | '_')) {
            return self.flush(draft);
        }
        // Attributes are about the block that follows.
        if let Some(attributes) = bare.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            self.flush(draft);
            let mut parts = attributes.split(',');
            let style = parts.next().unwrap_or("");
            self.language = matches!(style, "source" | "source%linenums" | "")
                .then(|| parts.next().map(|word| word.trim().to_owned()))
                .flatten();
            if matches!(style, "NOTE" | "TIP" | "WARNING" | "CAUTION" | "IMPORTANT") {
                self.kind = Some(BlockKind::Note);
            }
            return;
        }
        // Settings of the document.
        if let Some((name, value)) = bare.strip_prefix(':').and_then(|rest| rest.split_once(": ")) {
            let metadata = draft.metadata();
            match name {
                "author" => metadata.authors.push(value.to_owned()),
                "revdate" => metadata.published = Some(value.to_owned()),
                name if metadata.extra.len() < 100 => metadata.extra.push((name.to_owned(), value.to_owned())),
                _ => {}
            }
            return;
        }
        self.words(bare, number, draft);
    }

    fn words(&mut self, bare: &str, number: u32, draft: &mut Draft<'_>) {
        let trimmed = bare.trim_start();
        let marks = trimmed.bytes().take_while(|byte| matches!(byte, b'*' | b'.' | b'-')).count();
        let is_item = marks > 0 && trimmed[marks..].starts_with(' ');
        let note = ["NOTE: ", "TIP: ", "WARNING: ", "CAUTION: ", "IMPORTANT: "]
            .iter()
            .find(|word| trimmed.starts_with(**word));
        if is_item || note.is_some() {
            self.flush(draft);
            self.kind = Some(if is_item { BlockKind::Item } else { BlockKind::Note });
        }
        if self.text.is_empty() {
            self.from = number;
        }
        self.to = number;
        let words = if is_item { trimmed[marks..].trim_start() } else { trimmed };
        let words = inline(words, number, draft);
        self.text.push_str(&words);
        self.text.push('\n');
    }
}

/// Rows of as many cells as the first one has: cells may stand on lines of their own.
fn even(rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let width = rows.first().map_or(0, Vec::len);
    if width <= 1 || rows.iter().all(|row| row.len() == width) {
        return rows;
    }
    let cells: Vec<String> = rows.into_iter().flatten().collect();
    cells.chunks(width).map(<[String]>::to_vec).collect()
}

/// A line of text without marks. Names and links in it go to the document.
fn inline(text: &str, line: u32, draft: &mut Draft<'_>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['`', '[', '*']) {
        let (before, tail) = rest.split_at(at);
        match tail.as_bytes()[0] {
            // Code, up to the next backtick.
            b'`' => {
                out.push_str(before);
                match cut(&tail[1..], MAX_SPAN).find('`') {
                    Some(end) => {
                        let code = tail[1..1 + end].trim_matches('+');
                        draft.code(code, line);
                        out.push_str(code);
                        rest = &tail[end + 2..];
                    }
                    None => rest = &tail[1..],
                }
            }
            // `target[text]`: the target is the word before.
            b'[' => {
                let start = before.rfind([' ', '(', '<']).map_or(0, |at| at + 1);
                let (words, target) = before.split_at(start);
                let end = cut(tail, MAX_SPAN).find(']');
                let target = target_of(target);
                match (target, end) {
                    (Some(target), Some(end)) => {
                        out.push_str(words);
                        let shown = &tail[1..end];
                        draft.link(shown, target, line);
                        out.push_str(shown);
                        rest = &tail[end + 1..];
                    }
                    _ => {
                        out.push_str(before);
                        out.push('[');
                        rest = &tail[1..];
                    }
                }
            }
            _ => {
                out.push_str(before);
                rest = &tail[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The target of a link macro.
fn target_of(text: &str) -> Option<&str> {
    for name in ["link:", "xref:", "include::", "image::", "image:"] {
        if let Some(target) = text.strip_prefix(name) {
            return Some(target);
        }
    }
    (text.starts_with("http://") || text.starts_with("https://")).then_some(text)
}
