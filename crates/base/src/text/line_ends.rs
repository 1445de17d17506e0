//! Line ends of texts: what is written into a file takes those that the file has.

use std::borrow::Cow;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Most pairs of an old and a new line that are compared, between the first and the last line that differ: with more,
/// the lines between them take the end of most lines of the file.
const MAX_PAIRS: usize = 16_000_000;

/// The line end that most lines of a text have; that of a single line is `\n`.
#[must_use]
pub fn line_end(text: &str) -> &'static str {
    let (breaks, pairs) = (text.matches('\n').count(), text.matches("\r\n").count());
    match breaks {
        0 if text.contains('\r') => "\r",
        _ if pairs * 2 > breaks => "\r\n",
        _ => "\n",
    }
}

/// The text with `\n` for each `\r\n`.
#[must_use]
pub fn plain_ends(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

/// A new text with the line ends of the old one: lines that stay keep theirs, others take that of most lines.
#[must_use]
pub fn keep_line_ends<'t>(old: &str, new: &'t str) -> Cow<'t, str> {
    replace_line_ends(old, line_end(old), new)
}

/// What takes the place of `old`, a part of a text whose lines end with `end`: lines that stay keep their line ends.
#[must_use]
pub fn replace_line_ends<'t>(old: &str, end: &str, new: &'t str) -> Cow<'t, str> {
    if end == "\r" {
        return if new.contains('\n') { Cow::Owned(new.replace('\n', end)) } else { Cow::Borrowed(new) };
    }
    let breaks = old.matches('\n').count();
    let is_one_kind = breaks == old.matches(end).count() && (end == "\r\n" || !old.contains("\r\n"));
    match (is_one_kind, end) {
        (true, "\n") => plain_ends(new),
        (true, _) => Cow::Owned(plain_ends(new).replace('\n', end)),
        (false, _) => Cow::Owned(pair_lines(old, end, &plain_ends(new))),
    }
}

/// The new text, each line with the end of the line that it is, or takes the place of.
fn pair_lines(old: &str, end: &str, new: &str) -> String {
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let left: Vec<&str> = old_lines.iter().map(|line| line.trim_end_matches(['\r', '\n'])).collect();
    let right: Vec<&str> = new.split_inclusive('\n').map(|line| line.trim_end_matches('\n')).collect();
    let most = left.len().min(right.len());
    let first = left.iter().zip(&right).take_while(|(old, new)| old == new).count();
    let last = left.iter().rev().zip(right.iter().rev()).take(most - first).take_while(|(old, new)| old == new).count();
    let (old_middle, new_middle) = (&left[first..left.len() - last], &right[first..right.len() - last]);
    let is_small = old_middle.len().saturating_mul(new_middle.len()) <= MAX_PAIRS;
    let ops = if is_small { capture_diff_slices(Algorithm::Myers, old_middle, new_middle) } else { Vec::new() };
    let in_middle = ops
        .iter()
        .filter(|op| matches!(op, DiffOp::Equal { .. } | DiffOp::Replace { .. }))
        .flat_map(|op| op.old_range().zip(op.new_range()))
        .map(|(from, to)| (from + first, to + first));
    let behind = (left.len() - last..left.len()).zip(right.len() - last..right.len());
    let mut ends: Vec<&str> = vec![end; right.len()];
    for (from, to) in (0..first).zip(0..first).chain(in_middle).chain(behind) {
        let own = old_lines[from];
        if own.ends_with('\n') {
            ends[to] = if own.ends_with("\r\n") { "\r\n" } else { "\n" };
        }
    }
    let mut text = String::with_capacity(new.len() + right.len());
    for (line, end) in new.split_inclusive('\n').zip(ends) {
        match line.strip_suffix('\n') {
            Some(content) => text.extend([content, end]),
            None => text.push_str(line),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_lines_end_as_the_file_does() {
        let rows = [
            // Old text, new text, what is written.
            ("a\nb\n", "a\nc\r\n", "a\nc\n"),
            ("a\r\nb\r\n", "a\nc\nb\n", "a\r\nc\r\nb\r\n"),
            ("a\r\nb\r\n", "a\r\nc\nb", "a\r\nc\r\nb"),
            ("a\rb\r", "a\rb\rc\n", "a\rb\rc\r"),
            ("a", "a\nb\n", "a\nb\n"),
            ("", "a\r\n", "a\n"),
            // Each line of a file with both keeps its own.
            ("a\r\nb\nc\r\n", "a\nb\nc\n", "a\r\nb\nc\r\n"),
            ("a\r\nb\nc\r\n", "a\nx\nc\ny\n", "a\r\nx\nc\r\ny\r\n"),
            ("a\nb\nc\r\nd", "b\nc\nd\ne\n", "b\nc\r\nd\ne\n"),
            ("}\r\n}\n}\n", "}\n{\n}\n}\n", "}\r\n{\n}\n}\n"),
        ];
        for (old, new, expected) in rows {
            assert_eq!(keep_line_ends(old, new), expected, "{old:?} {new:?}");
        }
    }

    #[test]
    fn a_part_takes_the_end_of_the_whole() {
        assert_eq!(replace_line_ends("", "\r\n", "a\nb"), "a\r\nb");
        assert_eq!(replace_line_ends("a\nb\r\n", "\r\n", "a\nb\nc\n"), "a\nb\r\nc\r\n");
    }
}
