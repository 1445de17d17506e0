//! Headings of a text. The one place that decides what a heading is: readers of documents and the extractor of sections
//! both ask here.

use crate::formats::{asciidoc, markdown, restructured};
use crate::text::{cut, fold_text, lines};
use crate::{DocumentLimits, Format, parse_as};

/// Longest heading kept, in bytes.
const MAX_HEADING: usize = 160;
/// Bytes of a heading that are read, with its marks: links in it may be long.
const MAX_RAW_HEADING: usize = 2 << 10;

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 1 for the largest.
    pub level: u8,
    /// Its text without marks.
    pub text: String,
    /// Byte at which its first line starts.
    pub start: usize,
    /// Byte at which the text below it starts.
    pub end: usize,
    /// 1-based line of its text.
    pub line: u32,
}

/// The headings of a text, in order; none for formats without marks for them.
pub fn headings(format: Format, text: &str) -> Vec<Heading> {
    match format {
        Format::Markdown | Format::Light => markdown::headings(text),
        Format::Restructured => restructured::headings(text),
        Format::AsciiDoc => asciidoc::headings(text),
        Format::Html | Format::Jupyter => of_sections(format, text),
        _ => Vec::new(),
    }
}

/// The headings of a format that marks them inside of lines: a heading is the line where it is.
fn of_sections(format: Format, text: &str) -> Vec<Heading> {
    let limits = DocumentLimits::default();
    let Ok(document) = parse_as(format, text.as_bytes(), &limits) else { return Vec::new() };
    let starts: Vec<usize> = lines(text).map(|line| line.start).chain([text.len()]).collect();
    let mut last = 0;
    let rows = document.sections.into_iter().filter_map(|section| {
        let place = section.line.checked_sub(1)? as usize;
        let (start, end) = (*starts.get(place)?, *starts.get(place + 1)?);
        // Two headings on one line, as in a page without line breaks, cannot be told apart by lines.
        let is_later = section.line > last;
        last = last.max(section.line);
        is_later.then_some(Heading { level: section.level, text: section.heading, start, end, line: section.line })
    });
    rows.collect()
}

/// A heading on one line; `None` if it has no words.
pub(crate) fn clean(text: &str) -> Option<String> {
    let mut folded = fold_text(cut(text, MAX_RAW_HEADING));
    folded.truncate(cut(&folded, MAX_HEADING).trim_end().len());
    folded.chars().any(char::is_alphanumeric).then_some(folded)
}

/// A heading without marks of emphasis, code and links; `None` if nothing is left.
pub(crate) fn plain(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = cut(text.trim(), MAX_RAW_HEADING);
    while let Some(at) = rest.find(['*', '`', '[', '!', '<']) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let (shown, after) = match tail.as_bytes() {
            [b'!', b'[', ..] => ("", after_link(&tail[1..]).map_or(&tail[1..], |(_, after)| after)),
            [b'[', ..] => after_link(tail).unwrap_or((&tail[..1], &tail[1..])),
            [b'<', ..] => tail.find('>').map_or((&tail[..1], &tail[1..]), |end| ("", &tail[end + 1..])),
            [b'!', ..] => (&tail[..1], &tail[1..]),
            _ => ("", &tail[1..]),
        };
        out.push_str(shown);
        rest = after;
    }
    out.push_str(rest);
    clean(&out)
}

/// The text shown by a link `[text](target)`, and the rest after it.
fn after_link(text: &str) -> Option<(&str, &str)> {
    let end = text.find("](")?;
    let rest = &text[end + 2..];
    let close = rest.find(')')?;
    Some((&text[1..end], &rest[close + 1..]))
}
