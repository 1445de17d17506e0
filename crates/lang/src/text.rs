//! Small helpers that every extractor needs for comments and headers.

use std::borrow::Cow;
use std::sync::LazyLock;

use m1nd_base::{Cancel, Pos, Problem, ProblemKind};
use m1nd_documents::{DocumentLimits, Format, Passage};
use tree_sitter::Node;

use crate::Language;
use crate::facts::Definition;

/// Cuts `text` to at most `max` bytes, at a character boundary.
pub fn clip(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// A header on one line: white space folded, cut to [`Definition::MAX_SIGNATURE`]. `None` if nothing is left.
pub fn signature(text: &str) -> Option<Box<str>> {
    let mut line = String::with_capacity(text.len().min(Definition::MAX_SIGNATURE));
    for word in text.split_whitespace() {
        if line.len() > Definition::MAX_SIGNATURE {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let line = clip(&line, Definition::MAX_SIGNATURE).trim_end();
    (!line.is_empty()).then(|| line.into())
}

/// A doc comment with the usual markers (`///`, `//!`, `/** */`, leading `*`, `#`, quotes) taken off each line and
/// cut to [`Definition::MAX_DOC`]. `None` if nothing is left.
pub fn doc(comment: &str) -> Option<Box<str>> {
    let body = comment.trim();
    let body = body
        .strip_prefix("/**")
        .or_else(|| body.strip_prefix("/*!"))
        .or_else(|| body.strip_prefix("/*"))
        .unwrap_or(body);
    let body = body.strip_suffix("*/").unwrap_or(body);
    let mut text = String::new();
    for line in body.lines() {
        let line = line.trim();
        let line = ["///", "//!", "//", "##", "#", "*", ";;", "---", "--"]
            .iter()
            .find_map(|marker| line.strip_prefix(marker))
            .unwrap_or(line);
        if text.len() > Definition::MAX_DOC {
            break;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line.trim_end().strip_prefix(' ').unwrap_or(line.trim_end()));
    }
    let text = clip(text.trim(), Definition::MAX_DOC).trim_end();
    (!text.is_empty()).then(|| text.into())
}

/// Number of leading bytes in which a NUL makes a file binary.
const BINARY_PROBE: usize = 8 << 10;

/// Returns whether the content of a file is not a text.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(BINARY_PROBE)].contains(&0)
}

/// A file as the text that people read.
#[derive(Debug, Clone)]
pub struct Readable<'b> {
    /// The text in UTF-8; the bytes themselves if there is nothing to decode or they are not a text.
    pub text: Cow<'b, [u8]>,
    /// Why it is not, or not surely, the whole text.
    pub problem: Option<Problem>,
}

/// The text of a file: of a packed document what it says, of UTF-16 and Latin-1 the characters. Line numbers and byte
/// ranges of facts are those of this text, so whoever shows or searches a file reads it here.
pub fn read_as_text<'b>(language: Language, bytes: &'b [u8], cancel: &Cancel) -> Readable<'b> {
    if let Some(format) = language.packed_format().filter(|_| is_packed(bytes)) {
        return unpack(format, bytes, cancel);
    }
    if is_utf16(bytes) {
        let text = decode_any(bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        return Readable { text: Cow::Owned(text.as_bytes().to_vec()), problem: None };
    }
    let is_valid = is_binary(bytes) || std::str::from_utf8(bytes).is_ok();
    if is_valid {
        return Readable { text: Cow::Borrowed(bytes), problem: None };
    }
    let is_declared = declares_latin(bytes);
    // A text with valid sequences beside invalid ones is damaged UTF-8 or a collection of encodings.
    let is_mixed = || bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii());
    if !is_declared && is_mixed() {
        return Readable { text: Cow::Borrowed(bytes), problem: None };
    }
    let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
    let problem = (!is_declared)
        .then(|| Problem::new(ProblemKind::InvalidUtf8, "read as Latin-1, since no other encoding is declared"));
    Readable { text: Cow::Owned(text.into_bytes()), problem }
}

/// What a web page or a notebook says, with the lines of its file. `None` for other languages, and if it cannot be
/// read.
pub fn read_passages(language: Language, text: &[u8], cancel: &Cancel) -> Option<Vec<Passage>> {
    let format = match language {
        Language::Html => Format::Html,
        Language::Notebook => Format::Jupyter,
        _ => return None,
    };
    let limits = DocumentLimits { cancel: cancel.clone(), ..DocumentLimits::default() };
    m1nd_documents::read_passages(format, text, &limits).ok()
}

/// Leading bytes in which the mark of a packed document stands.
const PACKED_HEAD: usize = 1 << 10;

/// Returns whether bytes are a packed document: an archive, or a program of PDF.
fn is_packed(bytes: &[u8]) -> bool {
    const PDF: &[u8] = b"%PDF-";
    bytes.starts_with(b"PK") || bytes[..bytes.len().min(PACKED_HEAD)].windows(PDF.len()).any(|part| part == PDF)
}

/// The text of a packed document, or no text and the reason. Its program is never shown.
fn unpack(format: Format, bytes: &[u8], cancel: &Cancel) -> Readable<'static> {
    let limits = DocumentLimits { cancel: cancel.clone(), ..DocumentLimits::default() };
    let (text, problem) = match m1nd_documents::read_text(format, bytes, &limits) {
        Ok(text) => (text, None),
        Err(why) => (String::new(), Some(Problem::new(ProblemKind::Binary, why.to_string()))),
    };
    Readable { text: Cow::Owned(text.into_bytes()), problem }
}

/// Leading bytes that may declare the encoding of a text.
const CODING_HEAD: usize = 1 << 10;
/// Encodings with one byte for each character that agree with Latin-1 in nearly all letters.
const LATIN: &[&str] = &[
    "latin-1", "latin1", "latin_1", "l1", "iso-8859-1", "iso8859-1", "iso_8859-1", "iso-latin-1", "iso-8859-15",
    "iso8859-15", "latin-9", "cp1252", "windows-1252", "us-ascii", "ascii",
];

/// Returns whether a text declares an encoding of the family of Latin-1: `coding:` in a comment, `encoding=` in XML,
/// `charset` in HTML and CSS.
fn declares_latin(bytes: &[u8]) -> bool {
    static CODING: LazyLock<Option<regex::bytes::Regex>> = LazyLock::new(|| {
        let pattern = r#"(?i-u)(?:coding[ \t]*[:=]|charset[ \t]*=?)[ \t]*["']?([-_.a-z0-9]+)"#;
        regex::bytes::Regex::new(pattern).ok()
    });
    let head = &bytes[..bytes.len().min(CODING_HEAD)];
    let found = CODING.as_ref().and_then(|coding| coding.captures(head)).and_then(|found| found.get(1));
    let name = found.map(|name| String::from_utf8_lossy(name.as_bytes()).to_ascii_lowercase());
    // Editors add the ends of lines: `latin-1-unix`.
    let name = name.as_deref().map(|name| name.trim_end_matches("-unix").trim_end_matches("-dos"));
    name.is_some_and(|name| LATIN.contains(&name))
}

/// Decodes bytes as text, replacing invalid UTF-8; returns whether anything was replaced.
pub fn decode(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => (Cow::Borrowed(text), false),
        Cow::Owned(text) => (Cow::Owned(text), true),
    }
}

/// Bytes in which zeros show that a text without a mark is in UTF-16.
const UTF16_PROBE: usize = 512;
/// A text without a mark is in UTF-16 only if it has at least this many bytes.
const MIN_UTF16: usize = 16;

/// The order of the bytes of a text in UTF-16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Utf16 {
    Little,
    Big,
}

/// Returns whether the bytes are a text in UTF-16: by its mark, or because every other byte is zero.
pub fn is_utf16(bytes: &[u8]) -> bool {
    utf16(bytes).is_some()
}

fn utf16(bytes: &[u8]) -> Option<Utf16> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => return None,
        [0xff, 0xfe, ..] => return Some(Utf16::Little),
        [0xfe, 0xff, ..] => return Some(Utf16::Big),
        _ => {}
    }
    let probe = &bytes[..bytes.len().min(UTF16_PROBE)];
    let pairs = probe.chunks_exact(2).len();
    let count = |is: fn(&[u8]) -> bool| probe.chunks_exact(2).filter(|pair| is(pair)).count();
    let little = count(|pair| pair[1] == 0 && is_text_byte(pair[0]));
    let big = count(|pair| pair[0] == 0 && is_text_byte(pair[1]));
    match probe.len() >= MIN_UTF16 {
        true if little * 10 >= pairs * 9 => Some(Utf16::Little),
        true if big * 10 >= pairs * 9 => Some(Utf16::Big),
        _ => None,
    }
}

fn is_text_byte(byte: u8) -> bool {
    byte == b'\t' || byte == b'\n' || byte == b'\r' || (b' '..=b'~').contains(&byte)
}

/// Decodes bytes in UTF-8, UTF-16 or, if they are neither, Latin-1: to search a text that is not parsed.
pub fn decode_any(bytes: &[u8]) -> Cow<'_, str> {
    if let Some(order) = utf16(bytes) {
        let unit = |pair: &[u8]| match order {
            Utf16::Little => u16::from_le_bytes([pair[0], pair[1]]),
            Utf16::Big => u16::from_be_bytes([pair[0], pair[1]]),
        };
        let units = bytes.chunks_exact(2).map(unit);
        return char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

/// Caches the column of the last position, so that the next one on the same line only counts the text between.
#[derive(Debug, Default)]
pub(crate) struct ColumnCache {
    line_start: usize,
    byte: usize,
    chars: usize,
}

impl ColumnCache {
    /// Start position of a node of `text`. Queries from left to right do not rescan a long line for each node.
    pub(crate) fn pos(&mut self, text: &str, node: Node<'_>) -> Pos {
        let (point, byte) = (node.start_position(), node.start_byte());
        let column = self.chars(text, byte.saturating_sub(point.column), byte);
        Pos { line: point.row as u32 + 1, col: u16::try_from(column + 1).unwrap_or(u16::MAX) }
    }

    /// Number of characters between the start of the line and `byte`.
    fn chars(&mut self, text: &str, line_start: usize, byte: usize) -> usize {
        if self.line_start != line_start {
            *self = Self { line_start, byte: line_start, chars: 0 };
        }
        let between = |from: usize, to: usize| {
            let text = text.get(from..to).unwrap_or("");
            if text.is_ascii() { text.len() } else { text.chars().count() }
        };
        if byte >= self.byte {
            self.chars += between(self.byte, byte);
        } else if self.byte - byte <= byte - line_start {
            self.chars -= between(byte, self.byte).min(self.chars);
        } else {
            self.chars = between(line_start, byte);
        }
        self.byte = byte;
        self.chars
    }
}
