//! Small helpers that every extractor needs for comments and headers.

use std::borrow::Cow;

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

/// A doc comment with the usual markers (`///`, `//!`, `/** */`, leading `*`, `#`, quotes) taken off each line and cut to
/// [`Definition::MAX_DOC`]. `None` if nothing is left.
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

/// The bytes as text, with what is not UTF-8 replaced; whether anything was.
pub fn decode(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => (Cow::Borrowed(text), false),
        Cow::Owned(text) => (Cow::Owned(text), true),
    }
}
