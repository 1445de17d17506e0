//! The lines of a text, without what terminals, logs and quoting put around them.

use std::borrow::Cow;

use crate::{limits, prefix};

/// The lines of a text.
pub(crate) struct Lines<'t> {
    lines: Vec<Cow<'t, str>>,
    /// Something was left out at a limit.
    pub(crate) is_cut: bool,
}

/// The text with real line breaks: a trace copied out of JSON or a log has them written as `\n`.
pub(crate) fn with_breaks(text: &str) -> Cow<'_, str> {
    let (real, written) = (text.matches('\n').count(), text.matches("\\n").count());
    if written >= 2 && written > 2 * real {
        Cow::Owned(text.replace("\\r\\n", "\n").replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\""))
    } else {
        Cow::Borrowed(text)
    }
}

/// At most so many bytes of a text, at the end of a character.
pub(crate) fn head(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let kept = head(text, limits::TEXT_BYTES);
        let mut is_cut = kept.len() < text.len();
        let mut lines = Vec::new();
        for line in kept.lines() {
            if lines.len() >= limits::LINES {
                is_cut = true;
                break;
            }
            is_cut |= line.len() > limits::LINE_BYTES;
            lines.push(clean(head(line, limits::LINE_BYTES)));
        }
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

    /// Number of the first line from `at` on that is not blank, among the next `within`.
    pub(crate) fn next_filled(&self, at: usize, within: usize) -> Option<usize> {
        (at..self.len().min(at.saturating_add(within))).find(|&line| !self.get(line).trim().is_empty())
    }
}

/// What pytest puts before each line of a trace of its own.
const INTERNAL: &str = "INTERNALERROR>";

/// A line without colours, quoting marks of mails and tickets, and white space at its end.
fn clean(line: &str) -> Cow<'_, str> {
    let line = if line.contains('\u{1b}') { Cow::Owned(without_colours(line)) } else { Cow::Borrowed(line) };
    let strip = |line: &str| {
        let mut rest = line.trim_end();
        if let Some(inner) = rest.strip_prefix(INTERNAL) {
            return rest.len() - inner.strip_prefix(' ').unwrap_or(inner).len();
        }
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

/// Drops the control sequences of terminals.
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
    }
}
