//! Edits of a text that may be inside of each other: an argument of a rewritten call may be a rewritten call.

use m1nd_lang::signatures::ByteRange;

/// A part of a new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// New text.
    Text(String),
    /// Bytes of the old text, with the edits inside of them.
    Keep(ByteRange),
}

/// What takes the place of some bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) range: ByteRange,
    pub(super) pieces: Vec<Piece>,
}

impl Edit {
    pub(super) fn text(range: ByteRange, text: impl Into<String>) -> Self {
        Self { range, pieces: vec![Piece::Text(text.into())] }
    }
}

/// An item of a list in its new order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// Its place in the old list.
    pub(super) from: Option<usize>,
    pub(super) pieces: Vec<Piece>,
}

/// Rewrites a list in brackets: items keep the separators that they had, and new ones get those of their neighbours.
pub(super) fn rewrite_list(text: &str, range: ByteRange, old: &[ByteRange], items: Vec<Item>) -> Edit {
    let (first, last) = (text.get(range.0..range.0 + 1), text.get(range.1.saturating_sub(1)..range.1));
    let has_brackets = range.0 < range.1 && old.first().is_none_or(|item| item.0 > range.0);
    let (open, close) = if has_brackets { (first.unwrap_or("("), last.unwrap_or(")")) } else { ("(", ")") };
    let gap = |index: usize| old.get(index).zip(old.get(index + 1)).map(|(a, b)| (a.1, b.0));
    let is_plain = |range: &ByteRange| text[range.0..range.1].trim() == ",";
    let common = (0..old.len()).filter_map(gap).find(is_plain).map_or_else(
        || {
            // One item on a line of its own gives the style.
            let lead = old.first().filter(|_| has_brackets).map_or("", |item| &text[range.0 + 1..item.0]);
            if lead.contains('\n') && lead.trim().is_empty() { format!(",{lead}") } else { ", ".to_owned() }
        },
        |range| text[range.0..range.1].to_owned(),
    );
    let mut pieces = Vec::new();
    match old.first().filter(|_| has_brackets && !items.is_empty()) {
        Some(item) => pieces.push(Piece::Keep((range.0, item.0))),
        None => pieces.push(Piece::Text(open.to_owned())),
    }
    let mut before: Option<Option<usize>> = None;
    for item in &items {
        if let Some(before) = before {
            let kept = match (before, item.from) {
                (Some(a), Some(b)) if a < b => gap(b - 1),
                _ => None,
            };
            pieces.push(kept.map_or_else(|| Piece::Text(common.clone()), Piece::Keep));
        }
        pieces.extend(item.pieces.iter().cloned());
        before = Some(item.from);
    }
    match old.last().filter(|_| has_brackets && !items.is_empty()) {
        Some(item) => pieces.push(Piece::Keep((item.1, range.1))),
        None => pieces.push(Piece::Text(close.to_owned())),
    }
    Edit { range, pieces }
}

/// The text with all edits; `None` if two of them overlap and neither is inside of the other.
pub(super) fn render(text: &str, mut edits: Vec<Edit>) -> Option<String> {
    edits.sort_by_key(|edit| (edit.range.1 - edit.range.0, edit.range.0));
    edits.dedup();
    // From the innermost outwards: what is done is what the next ones around it keep.
    let mut done: Vec<(ByteRange, String)> = Vec::new();
    for edit in edits {
        let mut new = String::new();
        for piece in &edit.pieces {
            match piece {
                Piece::Text(part) => new.push_str(part),
                Piece::Keep(range) => new.push_str(&replace_parts(text, *range, &done)?),
            }
        }
        let (start, end) = edit.range;
        if done.iter().any(|(range, _)| *range == edit.range && start < end) {
            return None;
        }
        done.retain(|(range, _)| !(start <= range.0 && range.1 <= end && start < end));
        done.push((edit.range, new));
    }
    replace_parts(text, (0, text.len()), &done)
}

fn replace_parts(text: &str, (start, end): ByteRange, done: &[(ByteRange, String)]) -> Option<String> {
    let mut inside: Vec<&(ByteRange, String)> =
        done.iter().filter(|(range, _)| start <= range.0 && range.1 <= end).collect();
    inside.sort_by_key(|(range, _)| *range);
    let (mut new, mut at) = (String::new(), start);
    for (range, part) in inside {
        new.push_str(text.get(at..range.0)?);
        new.push_str(part);
        at = range.1;
    }
    new.push_str(text.get(at..end)?);
    Some(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str, order: &[&str]) -> String {
        let mut old = Vec::new();
        let mut at = 1;
        for part in text[1..text.len() - 1].split(',').filter(|part| !part.trim().is_empty()) {
            let start = at + (part.len() - part.trim_start().len());
            old.push((start, start + part.trim().len()));
            at += part.len() + 1;
        }
        let item = |word: &&str| {
            let from = old.iter().position(|range| &text[range.0..range.1] == *word);
            let piece = from.map_or_else(|| Piece::Text((*word).to_owned()), |index| Piece::Keep(old[index]));
            Item { from, pieces: vec![piece] }
        };
        let edit = rewrite_list(text, (0, text.len()), &old, order.iter().map(item).collect());
        render(text, vec![edit]).expect("no overlap")
    }

    #[test]
    fn lists_keep_their_style() {
        let rows: &[(&str, &[&str], &str)] = &[
            ("()", &["a"], "(a)"),
            ("(a)", &[], "()"),
            ("(a, b, c)", &["a", "c"], "(a, c)"),
            ("(a,b)", &["b", "x", "a"], "(b,x,a)"),
            ("(\n  a,\n  b,\n)", &["a", "b", "x"], "(\n  a,\n  b,\n  x,\n)"),
            ("(\n  a,\n)", &["x", "a"], "(\n  x,\n  a,\n)"),
            ("{a}", &["a", "x"], "{a, x}"),
        ];
        for (text, order, expected) in rows {
            assert_eq!(list(text, order), *expected, "{text} {order:?}");
        }
    }

    #[test]
    fn edits_inside_of_each_other() {
        let text = "f(f(1, 2), 3)";
        let swap = |range: ByteRange, a: ByteRange, b: ByteRange| {
            let item = |from, range| Item { from: Some(from), pieces: vec![Piece::Keep(range)] };
            rewrite_list(text, range, &[a, b], vec![item(1, b), item(0, a)])
        };
        let edits = vec![swap((1, 13), (2, 9), (11, 12)), swap((3, 9), (4, 5), (7, 8))];
        assert_eq!(render(text, edits).as_deref(), Some("f(3, f(2, 1))"));
        assert_eq!(render(text, vec![Edit::text((0, 4), "x"), Edit::text((0, 4), "y")]), None);
    }
}
