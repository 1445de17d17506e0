//! Finds the marker lines of a file, and lines that only look like them.

use std::ops::Range;

use memchr::memchr;

/// Start of the first line of a block.
pub const START: &str = "<!-- MIND:CONTEXT";
/// The last line of a block.
pub const END: &str = "<!-- MIND:END -->";
/// Columns of indentation from which a line is code.
const CODE_INDENT: usize = 4;
/// Fewest marks of a fence.
const MIN_FENCE: usize = 3;

/// Kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Start,
    End,
}

/// A marker alone on its line, outside of fenced code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MarkerLine {
    pub(super) mark: Mark,
    /// 1-based.
    pub(super) line: usize,
    /// The bytes of the line, without its end.
    pub(super) text: Range<usize>,
    /// Start of the next line.
    pub(super) next: usize,
}

/// A line of a file.
pub(super) struct Line {
    pub(super) text: Range<usize>,
    pub(super) next: usize,
}

/// The lines of a file; an end is LF, or CR and LF.
pub(super) fn lines(bytes: &[u8], from: usize) -> impl Iterator<Item = Line> {
    let mut at = from;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        let end = at + length;
        let text = if length > 0 && end < bytes.len() && bytes[end - 1] == b'\r' { at..end - 1 } else { at..end };
        let next = (end + 1).min(bytes.len());
        at = next;
        Some(Line { text, next })
    })
}

/// Start of the text, after a byte order mark.
pub(super) fn text_start(bytes: &[u8]) -> usize {
    if bytes.starts_with("\u{feff}".as_bytes()) { '\u{feff}'.len_utf8() } else { 0 }
}

/// End of front matter (YAML between two lines of `---` at the start); the start of the text if there is none. A
/// horizontal rule at the top of a file is not front matter if the section contains one of our markers.
pub(super) fn front_matter_end(bytes: &[u8]) -> usize {
    let start = text_start(bytes);
    let mut all = lines(bytes, start);
    if all.next().is_none_or(|first| trimmed_end(&bytes[first.text]) != b"---") {
        return start;
    }
    for line in all {
        let text = trimmed_end(&bytes[line.text.clone()]);
        if text == b"---" || text == b"..." {
            return line.next;
        }
        if mark_of(&bytes[line.text]).is_some() {
            return start;
        }
    }
    start
}

fn trimmed_end(text: &[u8]) -> &[u8] {
    text.trim_ascii_end()
}

/// All marker lines that count, in order.
pub(super) fn marker_lines(bytes: &[u8]) -> Vec<MarkerLine> {
    let start = front_matter_end(bytes);
    let before = bytes[..start].iter().filter(|byte| **byte == b'\n').count();
    let mut found = Vec::new();
    let mut fence: Option<Fence> = None;
    for (number, line) in lines(bytes, start).enumerate() {
        let text = &bytes[line.text.clone()];
        match (&fence, Fence::open_fence(text)) {
            (Some(open), _) if open.is_closed_by(text) => fence = None,
            (Some(_), _) => {}
            (None, Some(opened)) => fence = Some(opened),
            (None, None) => {
                if let Some(mark) = mark_of(text) {
                    let line_number = before + number + 1;
                    found.push(MarkerLine { mark, line: line_number, text: line.text, next: line.next });
                }
            }
        }
    }
    found
}

/// The marker that a line is. The opening one may have words of its own inside of the comment.
fn mark_of(text: &[u8]) -> Option<Mark> {
    let text = strip_indent(text)?.trim_ascii_end();
    if text == END.as_bytes() {
        return Some(Mark::End);
    }
    let rest = text.strip_prefix(START.as_bytes())?;
    let begins_anew = rest.first().is_some_and(|next| *next == b' ' || *next == b'-' || *next == b'\t');
    let close = b"-->";
    let closes = rest.windows(close.len()).position(|window| window == close);
    (begins_anew && closes == rest.len().checked_sub(close.len())).then_some(Mark::Start)
}

/// A line without its indentation; `None` if that makes it code.
fn strip_indent(text: &[u8]) -> Option<&[u8]> {
    let spaces = text.iter().take_while(|byte| **byte == b' ').count();
    (spaces < CODE_INDENT && text.get(spaces) != Some(&b'\t')).then(|| &text[spaces..])
}

/// The beginning of fenced code.
struct Fence {
    mark: u8,
    length: usize,
}

impl Fence {
    fn open_fence(text: &[u8]) -> Option<Self> {
        let text = strip_indent(text)?;
        let mark = *text.first().filter(|first| **first == b'`' || **first == b'~')?;
        let length = text.iter().take_while(|byte| **byte == mark).count();
        let is_inline = mark == b'`' && text[length..].contains(&b'`');
        (length >= MIN_FENCE && !is_inline).then_some(Self { mark, length })
    }

    fn is_closed_by(&self, text: &[u8]) -> bool {
        let Some(text) = strip_indent(text) else { return false };
        let length = text.iter().take_while(|byte| **byte == self.mark).count();
        length >= self.length && text[length..].trim_ascii().is_empty()
    }
}
