//! Differences between two texts as `patch` reads them.

use std::time::Duration;

use similar::{ChangeTag, DiffOp, TextDiff};

/// Lines of unchanged text around each change.
const CONTEXT: usize = 3;
/// Time after which the diff need no longer be the shortest.
const MAX_TIME: Duration = Duration::from_millis(500);

/// Number of changed lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineCounts {
    /// Lines only in the new text.
    pub added: usize,
    /// Lines only in the old text.
    pub removed: usize,
}

/// The unified diff from one text to another, and its line counts. Without a text, the file does not exist on that
/// side. Empty if both are the same.
pub fn unified_diff(path: &str, before: Option<&str>, after: Option<&str>) -> (String, LineCounts) {
    let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
    let diff = TextDiff::configure().timeout(MAX_TIME).diff_lines(old, new);
    let mut counts = LineCounts::default();
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Insert => counts.added += 1,
            ChangeTag::Delete => counts.removed += 1,
            ChangeTag::Equal => {}
        }
    }
    let name = |side: char, text: Option<&str>| match text {
        Some(_) => quote_name(&format!("{side}/{path}")),
        None => "/dev/null".to_owned(),
    };
    let mut text = String::new();
    for ops in diff.grouped_ops(CONTEXT) {
        if text.is_empty() {
            text = format!("--- {}\n+++ {}\n", name('a', before), name('b', after));
        }
        add_hunk(&mut text, &diff, &ops);
    }
    (text, counts)
}

/// The places of the old text that a change touches, as first and last line, counted from 1. An insertion touches the
/// lines before and behind it; at the start of the text the first is 0.
pub(crate) fn changed_lines(before: Option<&str>, after: Option<&str>) -> Vec<(u32, u32)> {
    let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
    let diff = TextDiff::configure().timeout(MAX_TIME).diff_lines(old, new);
    let line = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    let changes = diff.ops().iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    let place = |op: &DiffOp| {
        let range = op.old_range();
        if range.is_empty() {
            (line(range.start), line(range.start + 1))
        } else {
            (line(range.start + 1), line(range.end))
        }
    };
    changes.map(place).collect()
}

/// Adds a header and the lines of one place.
fn add_hunk<'t>(text: &mut String, diff: &TextDiff<'t, 't, 't, str>, ops: &[DiffOp]) {
    let mut body = String::new();
    // First line and number of lines of either side.
    let (mut old, mut new) = ((None, 0usize), (None, 0usize));
    for change in ops.iter().flat_map(|op| diff.iter_changes(op)) {
        for (side, index) in [(&mut old, change.old_index()), (&mut new, change.new_index())] {
            side.0 = side.0.or(index);
            side.1 += usize::from(index.is_some());
        }
        body.push(match change.tag() {
            ChangeTag::Equal => ' ',
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        });
        body.push_str(change.value());
        if !change.value().ends_with('\n') {
            body.push_str("\n\\ No newline at end of file\n");
        }
    }
    // A side without lines names the line before.
    let range = |(first, count): (Option<usize>, usize), before: usize| match (first, count) {
        (Some(first), 1) => (first + 1).to_string(),
        (Some(first), count) => format!("{},{count}", first + 1),
        (None, _) => format!("{before},0"),
    };
    let starts = ops.first().map_or((0, 0), |op| (op.old_range().start, op.new_range().start));
    text.push_str(&format!("@@ -{} +{} @@\n{body}", range(old, starts.0), range(new, starts.1)));
}

/// A file name as git writes it: in quotes if it has characters that would end it.
fn quote_name(name: &str) -> String {
    if !name.contains(['\n', '\t', '"', '\\', '\r']) {
        return name.to_owned();
    }
    let mut out = String::from("\"");
    for c in name.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '"' | '\\' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_that_repeat() {
        let (_, counts) = unified_diff("a", Some("x\nx\nx\n"), Some("x\n"));
        assert_eq!(counts, LineCounts { added: 0, removed: 2 });
        assert_eq!(unified_diff("a", Some("x\n"), Some("x\n")).0, "");
    }

    #[test]
    fn changed_places_are_those_of_the_old_text() {
        let rows = [
            ("a\nb\nc\n", "a\nx\nc\n", vec![(2, 2)]),
            ("a\nb\nc\n", "a\nb\nx\nc\n", vec![(2, 3)]),
            ("a\nb\n", "x\na\nb\n", vec![(0, 1)]),
            ("a\nb\nc\nd\n", "b\nc\n", vec![(1, 1), (4, 4)]),
            ("a\n", "a\n", vec![]),
        ];
        for (old, new, expected) in rows {
            assert_eq!(changed_lines(Some(old), Some(new)), expected, "{old:?} {new:?}");
        }
    }

    #[test]
    fn names_missing_ends_and_missing_files() {
        let (text, _) = unified_diff("a.py", Some("x"), Some("y\n"));
        assert_eq!(text, "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n");
        assert!(unified_diff("a.py", None, Some("y\n")).0.starts_with("--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n"));
    }
}
