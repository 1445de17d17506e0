//! What logs put before each line: the time, the level, the name of who wrote it (`2024-05-01T10:00:00Z `,
//! `2016/09/01 07:21:55 [DEBUG] plugin: app: `, `web_1  | `).
//!
//! A trace that went line by line through a log has such a prefix on each of its lines. One line alone tells nothing: only what
//! neighbours share is taken off.

use std::borrow::Cow;

use crate::formats::pattern;

pattern!(
    STAMP,
    r"^(?:[\w.-]{1,80} *\| )?\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?"
);
pattern!(
    /// The name of a container.
    NAME,
    r"^[\w.-]{1,80} *\|"
);
/// What ends a part of a prefix.
const ENDS: [&str; 3] = [": ", "] ", "| "];

/// A line of a log.
#[derive(Clone, Copy)]
struct Stamped<'l> {
    /// What names the writer of the line; empty where the time stands first.
    name: &'l str,
    /// Bytes of the line before `rest`.
    length: usize,
    /// What comes after time or name.
    rest: &'l str,
}

/// Takes the prefixes of logs off.
pub(crate) fn strip(lines: &mut [Cow<'_, str>]) {
    let lengths: Vec<usize> = {
        let stamped: Vec<Option<Stamped<'_>>> = lines.iter().map(|line| stamped(line)).collect();
        (0..stamped.len()).map(|at| length(&stamped, at)).collect()
    };
    for (line, length) in lines.iter_mut().zip(lengths).filter(|(_, length)| *length > 0) {
        *line = match std::mem::take(line) {
            Cow::Borrowed(line) => Cow::Borrowed(&line[length.min(line.len())..]),
            Cow::Owned(line) => Cow::Owned(line[length.min(line.len())..].to_owned()),
        };
    }
}

fn stamped(line: &str) -> Option<Stamped<'_>> {
    let name = if line.contains('|') { NAME.find(line).map_or("", |found| found.as_str()) } else { "" };
    let may_be_time = line.starts_with('[') || line.starts_with(|first: char| first.is_ascii_digit());
    let time = if may_be_time || !name.is_empty() { STAMP.find(line) } else { None };
    let length = time.map(|found| found.end()).or(Some(name.len()).filter(|length| *length > 0))?;
    Some(Stamped { name, length, rest: &line[length..] })
}

/// Bytes of the prefix of a line: time or name, what its neighbours have in common after that, and a space.
fn length(stamped: &[Option<Stamped<'_>>], at: usize) -> usize {
    let Some(own) = stamped[at] else { return 0 };
    let of = |at: Option<usize>| at.and_then(|at| *stamped.get(at)?).filter(|other| other.name == own.name);
    let (before, after) = (of(at.checked_sub(1)), of(at.checked_add(1)));
    if before.is_none() && after.is_none() {
        return 0;
    }
    // White space at the end of a line was cut off before.
    let whole = format!("{} ", own.rest);
    let mut shared = whole.len();
    for other in before.into_iter().chain(after) {
        shared = shared.min(common(own.rest, other.rest));
    }
    let label = ENDS.iter().filter_map(|end| Some(whole[..shared].rfind(end)? + end.len())).max();
    let label = label.unwrap_or_else(|| usize::from(own.rest.starts_with(' ')));
    (own.length + label).min(own.length + own.rest.len())
}

/// Bytes that two texts have in common, both taken with a space at their end; at the end of a character.
fn common(one: &str, other: &str) -> usize {
    let (one, other) = (one.chars().chain([' ']), other.chars().chain([' ']));
    one.zip(other).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut lines: Vec<Cow<'_, str>> = text.lines().map(|line| Cow::Borrowed(line.trim_end())).collect();
        strip(&mut lines);
        assert_eq!(lines, expected);
    }

    #[test]
    fn prefixes_that_neighbours_share() {
        check("2024-05-01T10:00:00.1234567Z a: b\n2024-05-01T10:00:01.1Z   c\n", &["a: b", "  c"]);
        check(
            "2016/09/01 07:21:55 [DEBUG] plugin: app: panic: x\n2016/09/01 07:21:55 [DEBUG] plugin: app:\n\
             2016/09/01 07:21:56 [DEBUG] plugin: app: \t/a.go:5\n",
            &["panic: x", "", "\t/a.go:5"],
        );
        check("web_1  | a\nweb_1  |   b\ndb_1   | c\n", &["a", "  b", "db_1   | c"]);
        check("web-1  | 2024-05-01 10:00:00 a\nweb-1  | 2024-05-01 10:00:00 b\n", &["a", "b"]);
        check("[2024-05-01 10:00:00] a é\n[2024-05-01 10:00:00] a ü\n", &["a é", "a ü"]);
    }

    #[test]
    fn a_line_alone_keeps_what_it_has() {
        check("2024-05-01 10:00:00 ERROR failed\nTraceback\n", &["2024-05-01 10:00:00 ERROR failed", "Traceback"]);
        check("a | b\nc | d\n", &["a | b", "c | d"]);
        check("", &[]);
    }
}
