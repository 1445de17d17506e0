//! Uses of macros as statements without a semicolon, in bodies of functions: `FOREACH(item, list) { … }`,
//! `vmcase(OP_ADD) { … }`, `FOREVER { … }`, `LOCK()` on a line of its own.

use super::prepare::{BUILT_IN, OTHERS, QUALIFIERS, TAGS, find_closing, is_loud, skip_token, word_at};

/// Words that stand behind parameters, or connect expressions where others have marks.
const NOT_STARTS: &[&str] = &[
    "and", "and_eq", "bitand", "bitor", "const", "final", "mutable", "noexcept", "not_eq", "or", "or_eq", "override",
    "requires", "volatile", "xor", "xor_eq",
];

/// How far back from a brace its header is read, in bytes.
const MAX_HEADER: usize = 2_000;

/// The braces around the place that is read.
#[derive(Debug, Default)]
pub(super) struct Braces {
    /// Whether each of the open braces holds statements of a function.
    open: Vec<bool>,
    /// Where the current statement starts.
    start: usize,
}

impl Braces {
    /// Passes over a brace or semicolon.
    pub(super) fn pass(&mut self, text: &str, at: usize) {
        let bytes = text.as_bytes();
        match bytes[at] {
            b'{' => {
                let header = &bytes[self.start.max(at.saturating_sub(MAX_HEADER))..at];
                let holds = if self.inside() { !is_type_header(header) } else { is_function_header(header) };
                self.open.push(holds);
            }
            // At the left edge everything ends: branches of conditionals may have opened a brace twice.
            b'}' if at == 0 || bytes[at - 1] == b'\n' => self.open.clear(),
            b'}' => {
                self.open.pop();
            }
            _ => {}
        }
        self.start = at + 1;
    }

    /// Returns whether statements are expected here.
    pub(super) fn inside(&self) -> bool {
        self.open.last() == Some(&true)
    }
}

fn words(header: &[u8]) -> impl Iterator<Item = &[u8]> {
    header.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').filter(|word| !word.is_empty())
}

/// `struct name`, `enum class name`, `union`.
fn is_type_header(header: &[u8]) -> bool {
    !header.contains(&b')') && words(header).any(|word| matches!(word, b"struct" | b"class" | b"union" | b"enum"))
}

/// Whether a brace behind this opens the body of a function: brackets with nothing behind but words that may follow
/// parameters.
fn is_function_header(header: &[u8]) -> bool {
    let Some(close) = header.iter().rposition(|&byte| byte == b')') else { return false };
    let behind = &header[close + 1..];
    if behind.trim_ascii_start().starts_with(b"->") {
        return true;
    }
    let is_known = |word: &[u8]| {
        std::str::from_utf8(word).is_ok_and(|word| NOT_STARTS.contains(&word) || word == "try" || is_loud(word))
    };
    words(behind).all(is_known) && !behind.contains(&b'=')
}

/// `WORD(arguments)` or `WORD` at the start of a statement with a block, or on the next line a word, behind it: the
/// white space in which a semicolon ends it, and where the text goes on.
pub(super) fn find_end(text: &str, start: usize, is_cpp: bool) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let word = word_at(text, start);
    let known = [BUILT_IN, QUALIFIERS, OTHERS, TAGS].iter().any(|words| words.contains(&word));
    if known || word.starts_with("__attribute") {
        return None;
    }
    let mut end = start + word.len();
    let given = end + bytes[end..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let has_arguments = bytes.get(given) == Some(&b'(');
    if has_arguments {
        end = find_closing(bytes, given)?;
    }
    let (mut at, mut blank, mut is_line) = (end, None, false);
    while at < bytes.len() {
        match bytes[at] {
            b'\n' => (is_line, at) = (true, at + 1),
            byte if byte.is_ascii_whitespace() => {
                blank = blank.or(Some(at));
                at += 1;
            }
            b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => at = skip_token(bytes, at)?,
            _ => break,
        }
    }
    let heads_block = bytes.get(at) == Some(&b'{') && (has_arguments || !is_cpp || is_loud(word) && word.len() > 2);
    let next = word_at(text, at);
    let is_next = is_line && has_arguments && !next.is_empty() && !NOT_STARTS.contains(&next);
    (heads_block || is_next).then_some((blank?, at))
}
