//! Log prefixes of lines: time, level, name of the writer (`2024-05-01T10:00:00Z `, `2016/09/01 07:21:55 [DEBUG]
//! plugin: app: `, `web_1  | `, `Jan  2 03:04:05 host app[12]: `).
//!
//! A trace that was logged line by line has such a prefix on each line. A single line is ambiguous: only what
//! neighbours share is removed.

use std::borrow::Cow;

use crate::pattern::pattern;
use crate::text;

pattern!(
    TIME,
    concat!(
        r"^(?:",
        // `2024-05-01T10:00:00.123Z`, `[2024-05-01 10:00:00 +0000]`; container runtimes add the stream.
        r"\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?\]?(?: std(?:out|err) [FP])?",
        // `01-02 03:04:05.678  1234  1235 E`
        r"|\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} +\d{1,9} +\d{1,9} [VDIWEF]",
        // `F, [2026-01-02T03:04:05.678901 #12]`
        r"|[DIWEFA], \[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9} #\d{1,9}\]",
        r"|\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?",
        r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d",
        r"|\[\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d(?: [\w/+:-]+)?\]",
        r"|\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?: [AP]M)?",
        // `E0102 03:04:05.678901       1`
        r"|[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6} +\d{1,9}",
        r"|\[ *\d{1,9}\.\d{6}\]",
        r")"
    )
);
pattern!(
    /// Writer of the line: a container, a pod, a task, a tag.
    NAME,
    r"^(?:[\w.-]+ *\||\[[\w./@:-]+\]|npm (?:ERR!|error)|[VDIWEF]/[\w.$-]+(?:\( *\d+\))?:|[@\w/-]+:[A-Za-z][\w-]*:)"
);
pattern!(
    /// Parts that only count before a time: job and step of a build, a priority.
    BEFORE_TIME,
    r"^(?:[^\t]+\t[^\t]+\t\x{FEFF}?|<\d{1,3}>1 )"
);
pattern!(
    /// Host and process, if the time before them is missing.
    PROCESS,
    r"^[\w.-]+ [\w./@-]+\[\d{1,9}\]: "
);
/// Separators that end a part of a prefix.
const ENDS: [&str; 4] = [": ", "] ", "| ", " - "];
/// Words that are a part of a prefix by themselves.
const LEVELS: [&str; 12] =
    ["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERR", "ERROR", "SEVERE", "CRITICAL", "FATAL", "PANIC"];
const MARK: &str = "##[error]";
/// Maximum length of a label after time or name, in bytes.
const MAX_LABEL: usize = 240;
/// Number of consecutive lines that must share a part to make it a prefix for sure: two may coincide.
const RUN: usize = 3;
/// Maximum lines of others between two lines of one writer.
const MAX_BETWEEN: usize = 8;

/// A line of a log.
#[derive(Clone, Copy)]
struct Stamped<'l> {
    /// Name of the writer; empty if the line starts with a time.
    name: &'l str,
    /// Bytes of the line before `rest`.
    length: usize,
    /// The part after time or name.
    rest: &'l str,
}

/// Removes log prefixes.
pub(crate) fn strip(lines: &mut [Cow<'_, str>]) {
    let lengths: Vec<usize> = {
        let stamped: Vec<Option<Stamped<'_>>> = lines.iter().map(|line| parse_stamp(line)).collect();
        (0..stamped.len()).map(|at| length(&stamped, at)).collect()
    };
    for (line, length) in lines.iter_mut().zip(lengths).filter(|(_, length)| *length > 0) {
        *line = match std::mem::take(line) {
            Cow::Borrowed(line) => Cow::Borrowed(&line[length.min(line.len())..]),
            Cow::Owned(line) => Cow::Owned(line[length.min(line.len())..].to_owned()),
        };
    }
}

/// Possible contents of a line that starts with a log prefix: the line, then the line without one part after the
/// other.
pub(crate) fn list_contents(line: &str) -> impl Iterator<Item = &str> {
    let stamped = parse_stamp(line);
    let parts = stamped.map_or_else(Vec::new, |own| {
        let ends = ends(own.rest);
        std::iter::once(0).chain(ends).filter_map(|end| own.rest.get(end..)).map(str::trim_start).collect()
    });
    std::iter::once(line).chain(parts)
}

/// Returns whether a line starts with a log prefix: a time, a level or the name of a writer.
pub(crate) fn is_stamped(line: &str) -> bool {
    let word = line.trim_start_matches('[').split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or(line);
    parse_stamp(line).is_some() || PROCESS.is_match(line) || LEVELS.contains(&word)
}

fn parse_stamp(line: &str) -> Option<Stamped<'_>> {
    if let Some(time) = TIME.find(line) {
        return Some(Stamped { name: "", length: time.end(), rest: &line[time.end()..] });
    }
    if let Some(found) = BEFORE_TIME.find(line)
        && let Some(time) = TIME.find(&line[found.end()..])
    {
        let length = found.end() + time.end();
        return Some(Stamped { name: found.as_str(), length, rest: &line[length..] });
    }
    let name = NAME.find(line)?.as_str();
    let after = &line[name.len()..];
    let space = after.len() - after.trim_start_matches(' ').len();
    let time = TIME.find(&after[space..]).map(|time| name.len() + space + time.end());
    let length = time.unwrap_or(name.len());
    Some(Stamped { name, length, rest: &line[length..] })
}

/// Length of a line's prefix: time or name, the part shared with its neighbours, and a space.
fn length(stamped: &[Option<Stamped<'_>>], at: usize) -> usize {
    let Some(own) = stamped[at] else { return 0 };
    let before = neighbours(stamped[..at].iter().rev(), own.name);
    let after = neighbours(stamped[at + 1..].iter(), own.name);
    if before.is_empty() && after.is_empty() {
        return 0;
    }
    // Trailing white space was removed before.
    let whole = format!("{} ", own.rest);
    let (mut most, mut label) = (2, usize::from(own.rest.starts_with(' ')));
    for end in ends(own.rest) {
        let part = &whole[..end];
        let shares = |rest: &&&str| rest.starts_with(part) || part.strip_suffix(' ') == Some(**rest);
        let in_row = |rows: &[&str]| rows.iter().take_while(shares).count();
        let run = (1 + in_row(&before) + in_row(&after)).min(RUN);
        if run >= most {
            (most, label) = (run, end);
        }
    }
    let label = label.min(own.rest.len());
    // Error marker of a build.
    let mark = if own.rest[label..].starts_with(MARK) { MARK.len() } else { 0 };
    own.length + label + mark
}

/// Contents of the nearest lines of the same writer, in one direction. Other writers may intervene if lines have
/// names.
fn neighbours<'l>(rows: impl Iterator<Item = &'l Option<Stamped<'l>>>, name: &str) -> Vec<&'l str> {
    let (mut found, mut between) = (Vec::new(), 0);
    for row in rows {
        match row.filter(|other| other.name == name) {
            Some(other) => found.push(other.rest),
            None => between += 1,
        }
        if found.len() + 1 >= RUN || between > if name.is_empty() { 0 } else { MAX_BETWEEN } {
            break;
        }
    }
    found
}

/// Possible ends of a prefix after time or name, assuming a trailing space; ascending.
fn ends(rest: &str) -> Vec<usize> {
    let whole = format!("{} ", text::head(rest, MAX_LABEL));
    let mut found = Vec::new();
    // Indented text belongs to the content, but levels may be aligned.
    let mut is_inside = whole.starts_with("  ") || whole.starts_with('\t');
    let mut from = 0;
    for (at, _) in whole.match_indices(' ') {
        let end = at + 1;
        let part = &whole[from..end];
        let is_level = LEVELS.iter().any(|level| part.trim().eq_ignore_ascii_case(level));
        if is_inside && !is_level {
            if part.trim().is_empty() {
                continue;
            }
            break;
        }
        let is_end = ENDS.iter().any(|mark| part.ends_with(mark)) && part.contains(char::is_alphanumeric)
            // An empty field.
            || matches!(part, "- " | "-- : ") && !found.is_empty();
        if is_level || is_end {
            found.push(end);
            from = end;
            is_inside = !is_level && whole[end..].starts_with(char::is_whitespace) && whole.len() > end + 1;
        }
    }
    found
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

    /// Every prefix, put before each line of a record, between records of other levels and writers.
    #[test]
    fn prefixes_of_what_writes_logs() {
        let said = [
            "Traceback (most recent call last):",
            "  File \"a.py\", line 1, in f",
            "    g(x)",
            "",
            "ValueError: no: x",
        ];
        for prefix in [
            "web-1  | ",
            "web-1  | 2024-05-01 10:00:00,123 ERROR app: ",
            "2026-01-02 03:04:05,678 ERROR name: ",
            "2026-01-02 03:04:05,678 - pkg.mod - ERROR - ",
            "2026-01-02 03:04:05,678 ERROR ",
            "2026-01-02T03:04:05.678Z stderr F ",
            "[2026-01-02 03:04:05 +0000] [12] [ERROR] ",
            "2026-01-02 03:04:05.678 ERROR 1 --- [           main] c.a.App   : ",
            "2026/01/02 03:04:05 [error] 12#12: ",
            "03:04:05.678 [main] ERROR app - ",
            "03:04:05 web.1  | ",
            "Jan  2 03:04:05 host app[12]: ",
            "2026-01-02T03:04:05+0100 host app[12]: ",
            "2026-01-02T03:04:05.123456+00:00 app[web.1]: ",
            "<34>1 2026-01-02T03:04:05.678Z host app 12 - - ",
            "[pod/web-1/app] ",
            "[pod/web-1/app] 2026-01-02T03:04:05.678901234Z ",
            "test\tRun tests\t2026-01-02T03:04:05.1234567Z ",
            "2026-01-02T03:04:05.1234567Z ",
            "01-02 03:04:05.678  1234  1235 E AndroidRuntime: ",
            "E/AndroidRuntime( 1234): ",
            "E0102 03:04:05.678901       1 server.go:12] ",
            "[   12.345678] ",
            "[ERROR] ",
            "E, [2026-01-02T03:04:05.678901 #12] ERROR -- : [8a1b] ",
            "[01-May-2024 10:00:00 UTC] ",
            "npm ERR! ",
            "app:test: ",
        ] {
            let text: String = said.iter().map(|line| format!("{prefix}{line}\n")).collect();
            check(&text, &said);
            let around = prefix.replace("ERROR", "INFO").replace("app", "other");
            let text = format!("{around}before: x\n{text}{around}after: y\n");
            let mut lines: Vec<Cow<'_, str>> = text.lines().map(|line| Cow::Borrowed(line.trim_end())).collect();
            strip(&mut lines);
            assert_eq!(lines[1..=said.len()], said, "{prefix}");
        }
    }

    #[test]
    fn others_may_write_in_between() {
        check("web_1 | a\ndb_1  | x\nweb_1 |   b\nweb_1 | c\n", &["a", "db_1  | x", "  b", "c"]);
    }

    #[test]
    fn a_line_alone_keeps_what_it_has() {
        check("2024-05-01 10:00:00 ERROR failed\nTraceback\n", &["2024-05-01 10:00:00 ERROR failed", "Traceback"]);
        check("a | b\nc | d\n", &["a | b", "c | d"]);
        check("", &[]);
    }

    #[test]
    fn what_a_line_alone_may_say() {
        let parts: Vec<&str> = list_contents("2024-05-01 10:00:00 ERROR app: IOError: x").skip(1).collect();
        assert_eq!(parts, ["ERROR app: IOError: x", "app: IOError: x", "IOError: x", "x"]);
        assert_eq!(list_contents("IOError: x").collect::<Vec<_>>(), ["IOError: x"]);
    }
}
