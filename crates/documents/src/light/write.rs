use std::fmt::Write as _;

use super::{KINDS, LightDocument, LightRelation, QUALIFIERS};

/// Writes a document so that [`parse`](super::parse) yields it again. Texts must be on one line without blanks around
/// them, as [`parse`](super::parse) returns them; claims of one section must follow each other.
pub fn write(document: &LightDocument) -> String {
    let mut out = String::new();
    if !document.header.is_empty() {
        out.push_str("---\n");
        for field in &document.header {
            if field.is_list {
                let items: String = field.values.iter().map(|value| format!("- {value}\n")).collect();
                _ = write!(out, "{}:\n{items}", field.key);
            } else {
                _ = writeln!(out, "{}: {}", field.key, field.values.join(" "));
            }
        }
        out.push_str("---\n");
    }
    if let Some(node) = document.field("Node") {
        _ = write!(out, "\n# {}\n", escape_text(node));
    }
    if !document.relations.is_empty() {
        out.push('\n');
        document.relations.iter().for_each(|relation| push(&mut out, relation));
    }
    let mut section: Option<&str> = None;
    for claim in &document.claims {
        if claim.section.as_deref() != section {
            section = claim.section.as_deref();
            _ = write!(out, "\n## {}\n", escape_text(section.unwrap_or_default()));
        }
        out.push('\n');
        if !claim.text.is_empty() {
            _ = writeln!(out, "{}", prose(&claim.text));
        }
        if let Some((glyph, key, _)) = KINDS.iter().find(|(.., kind)| *kind == claim.kind) {
            _ = writeln!(out, "[{glyph} {key}: {}]", escape_text(&claim.value));
        }
        claim.relations.iter().for_each(|relation| push(&mut out, relation));
    }
    out
}

fn push(out: &mut String, relation: &LightRelation) {
    let Some((glyph, key, _)) = QUALIFIERS.iter().find(|(.., qualifier)| *qualifier == relation.qualifier) else {
        return;
    };
    _ = write!(out, "[{glyph} {key}: {}", escape_text(&relation.target));
    if let Some(line) = relation.line {
        _ = write!(out, ":{line}");
    }
    if let Some(hash) = &relation.hash {
        _ = write!(out, " blake3:{hash}");
    }
    out.push_str("]\n");
}

/// A text whose signs have no meaning.
fn escape_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '[' | ']' | '`') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A text that starts no heading, list or listing.
fn prose(text: &str) -> String {
    let text = escape_text(text);
    match text.chars().next() {
        Some('#' | '~' | '-' | '*' | '+' | '>') => format!("\\{text}"),
        _ => text,
    }
}
