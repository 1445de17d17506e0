//! Script blocks of component files.

use std::borrow::Cow;

use super::{Dialect, markup};
use crate::Language;

/// The text with everything but the contents of `<script>` blocks and the code before them blanked, byte for byte, so
/// that every position is the one in the component file.
pub(super) fn mask(language: Language, text: &str) -> (Cow<'_, str>, Dialect) {
    let mut masked: Vec<u8> = text.bytes().map(|byte| if byte == b'\n' { b'\n' } else { b' ' }).collect();
    let mut dialect = Dialect::JavaScript;
    let mut at = 0;
    // The code in front of the markup is always TypeScript.
    if language == Language::Astro {
        dialect = Dialect::TypeScript;
        if let Some(code) = markup::frontmatter(text) {
            masked[code.clone()].copy_from_slice(&text.as_bytes()[code.clone()]);
            at = code.end;
        }
    }
    while let Some(start) = find(text, at, "<script") {
        let after = start + "<script".len();
        at = after;
        if !text[after..].starts_with(['>', ' ', '\t', '\r', '\n']) {
            continue;
        }
        let Some(open) = tag_end(text, after) else { break };
        let attributes = &text[after..open];
        let body = open + 1;
        let end = find(text, body, "</script").unwrap_or(text.len());
        // The blocks are parsed together, so the richest dialect of them counts.
        if attributes.contains("tsx") || attributes.contains("jsx") {
            dialect = Dialect::Tsx;
        } else if dialect == Dialect::JavaScript && (attributes.contains("\"ts\"") || attributes.contains("'ts'"))
            || attributes.contains("typescript")
        {
            dialect = Dialect::TypeScript;
        }
        if !attributes.trim_end().ends_with('/') {
            masked[body..end].copy_from_slice(&text.as_bytes()[body..end]);
            at = end;
        }
    }
    (String::from_utf8(masked).map_or(Cow::Borrowed(""), Cow::Owned), dialect)
}

/// Offset of the `>` that ends a tag; one inside quotes does not (`generic="T extends Array<string>"`).
fn tag_end(text: &str, from: usize) -> Option<usize> {
    let mut quote = None;
    for (offset, byte) in text.as_bytes()[from..].iter().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if open == *byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(*byte),
            (None, b'>') => return Some(from + offset),
            (None, _) => {}
        }
    }
    None
}

fn find(text: &str, from: usize, what: &str) -> Option<usize> {
    text[from..].find(what).map(|offset| from + offset)
}
