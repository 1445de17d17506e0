//! The lines of a text, stripped of what terminals, logs and quoting add.

use std::borrow::Cow;

use crate::text::head;
use crate::{limits, prefix};

/// The lines of a text.
pub(crate) struct Lines<'t> {
    lines: Vec<Cow<'t, str>>,
    /// A limit was exceeded.
    pub(crate) is_cut: bool,
}

/// Restores line breaks: a trace copied from JSON or a log has them written as `\n`.
pub(crate) fn with_breaks(text: &str) -> Cow<'_, str> {
    let (real, written) = (text.trim_end().matches('\n').count(), text.matches("\\n").count());
    if written >= 2 && written > 2 * real {
        return Cow::Owned(unescape_text(text));
    }
    // One record per line: only records that contain a stack are expanded.
    let is_record = |line: &str| line.trim_start().starts_with('{') && line.matches("\\n").count() >= 2;
    if written >= 2 && text.lines().any(is_record) {
        let lines = text.lines().map(|line| if is_record(line) { unescape_text(line) } else { line.to_owned() });
        return Cow::Owned(lines.collect::<Vec<_>>().join("\n"));
    }
    Cow::Borrowed(text)
}

/// Resolves escapes. In JSON, each string becomes a line, without its quotes.
fn unescape_text(text: &str) -> String {
    let trimmed = text.trim_start();
    let is_json = trimmed.starts_with(['{', '"']) || text.contains("\":\"") || text.contains("\": \"");
    let mut kept = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_json => kept.push('\n'),
            '\\' => match chars.next_if(|next| matches!(next, 'n' | 'r' | 't' | '"' | 'u') || is_json) {
                Some('n') => kept.push('\n'),
                Some('r') => {}
                Some('t') => kept.push('\t'),
                Some('u') => push_coded(&mut kept, &mut chars),
                Some(other) => kept.push(other),
                None => kept.push(c),
            },
            _ => kept.push(c),
        }
    }
    kept
}

/// Adds the character that four digits after `\u` encode; an invalid code stays unchanged.
fn push_coded(kept: &mut String, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let mut digits = String::new();
    while digits.len() < 4
        && let Some(digit) = chars.next_if(char::is_ascii_hexdigit)
    {
        digits.push(digit);
    }
    let code = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4);
    match code.and_then(char::from_u32) {
        Some(c) => kept.push(c),
        None => kept.push_str(&format!("\\u{digits}")),
    }
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let kept = head(text, limits::TEXT_BYTES);
        let mut is_cut = kept.len() < text.len();
        let (mut lines, mut quoted) = (Vec::new(), Vec::new());
        for line in kept.lines() {
            if lines.len() >= limits::LINES {
                is_cut = true;
                break;
            }
            is_cut |= line.len() > limits::LINE_BYTES;
            lines.push(clean(head(line, limits::LINE_BYTES)));
            quoted.push(depth(line));
        }
        unquote(&mut lines, &quoted);
        prefix::strip(&mut lines);
        Self { lines, is_cut }
    }

    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// A line; empty past the end.
    pub(crate) fn get(&self, at: usize) -> &str {
        self.lines.get(at).map_or("", |line| line)
    }

    /// Index of the first non-blank line from `at` on, among the next `within`.
    pub(crate) fn next_filled(&self, at: usize, within: usize) -> Option<usize> {
        (at..self.len().min(at.saturating_add(within))).find(|&line| !self.get(line).trim().is_empty())
    }
}

/// Prefix of pytest for each line of its own traces.
const INTERNAL: &str = "INTERNALERROR>";

/// A line without colours, quote markers of mails and tickets, and trailing white space.
fn clean(line: &str) -> Cow<'_, str> {
    let line = if line.contains('\u{1b}') { Cow::Owned(without_colours(line)) } else { Cow::Borrowed(line) };
    let strip = |line: &str| {
        let mut rest = line.trim_end();
        if let Some(inner) = rest.strip_prefix(INTERNAL) {
            return rest.len() - inner.strip_prefix(' ').unwrap_or(inner).len();
        }
        rest = rest.strip_prefix('\u{feff}').unwrap_or(rest);
        // `> > text`: quoted. A lone `>` marks the failing line in some traces, so only at the very start.
        while let Some(inner) = rest.strip_prefix("> ").filter(|_| !rest.starts_with(">  ")) {
            rest = inner;
        }
        line.len() - rest.len() - (line.len() - line.trim_end().len())
    };
    let start = strip(&line);
    match line {
        Cow::Borrowed(line) => Cow::Borrowed(line[start..].trim_end()),
        Cow::Owned(line) => Cow::Owned(line[start..].trim_end().to_owned()),
    }
}

/// Number of quote markers at the start of a line. `>>>` is an interpreter prompt.
fn depth(line: &str) -> usize {
    let marks = line.chars().take_while(|c| matches!(c, '>' | ' ')).collect::<String>();
    if marks.contains(">>") { 0 } else { marks.matches('>').count() }
}

/// Removes quote markers from indented lines if a neighbour is quoted as well: alone, the marker indicates the
/// failing line.
fn unquote(lines: &mut [Cow<'_, str>], quoted: &[usize]) {
    for at in 0..lines.len() {
        let is_like =
            |other: Option<usize>| other.and_then(|at| quoted.get(at)).is_some_and(|depth| *depth == quoted[at]);
        let has_neighbour = is_like(at.checked_sub(1)) || is_like(at.checked_add(1));
        let start = match &*lines[at] {
            ">" => 1,
            line if line.starts_with(">  ") => 2,
            _ => continue,
        };
        if quoted[at] == 0 || !has_neighbour {
            continue;
        }
        lines[at] = match std::mem::take(&mut lines[at]) {
            Cow::Borrowed(line) => Cow::Borrowed(&line[start..]),
            Cow::Owned(line) => Cow::Owned(line[start..].to_owned()),
        };
    }
}

/// Removes terminal control sequences.
fn without_colours(line: &str) -> String {
    let mut kept = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            kept.push(c);
        } else if chars.next_if_eq(&'[').is_some() {
            // Parameters, then one letter.
            while chars.next_if(|c| !('\u{40}'..='\u{7e}').contains(c)).is_some() {}
            chars.next();
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_their_surroundings() {
        let text = "\u{1b}[31mError:\u{1b}[0m x  \r\n> > quoted\n>       assert x\nplain\nINTERNALERROR>   File";
        let lines = Lines::new(text);
        let shown: Vec<&str> = (0..lines.len()).map(|line| lines.get(line)).collect();
        assert_eq!(shown, ["Error: x", "quoted", ">       assert x", "plain", "  File"]);
        assert_eq!((lines.get(99), lines.next_filled(1, 9), lines.next_filled(9, 9)), ("", Some(1), None));
    }

    #[test]
    fn written_line_breaks_count_where_there_are_no_real_ones() {
        assert_eq!(with_breaks("a\\nb\\n\\tc"), "a\nb\n\tc");
        assert_eq!(with_breaks("a\\n\nb\n"), "a\\n\nb\n");
        let record = r#"{"level":"error","exc":"A:\r\n  File \"C:\\a.py\"\nE: caf\u00e9 \ud8"}"#;
        let opened = "\nexc\n:\nA:\n  File \"C:\\a.py\"\nE: café \\ud8\n}";
        assert!(with_breaks(record).ends_with(opened), "{}", with_breaks(record));
        let among = format!("one\ntwo\nthree {{}}\n{record}\nfour\n");
        assert!(with_breaks(&among).contains(opened) && with_breaks(&among).starts_with("one\ntwo\nthree {}\n{"));
    }

    #[test]
    fn quoted_lines_that_are_set_in() {
        let text = "> A:\n>   File\n>\n>     x\n> E: y\n\n>       assert x\nE   z";
        let lines = Lines::new(text);
        let shown: Vec<&str> = (0..lines.len()).map(|line| lines.get(line)).collect();
        assert_eq!(shown, ["A:", "  File", "", "    x", "E: y", "", ">       assert x", "E   z"]);
    }
}
