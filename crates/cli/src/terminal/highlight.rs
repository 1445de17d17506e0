//! Colours for the text answers of tools: row numbers, names, places and tiers.
//!
//! An answer is coloured from its text alone, so it is the same text without colours. Text of a repository in it (lines
//! of code, comments) stays as it is: control characters are escaped where the answer is made.

use crate::tone::{Tone, paint};

/// What separates the parts of a row.
const GAP: &str = "  ";
/// What the words of a repository are behind, in a row.
const SAYS: &str = "— ";
/// Words about how sure an edge or an answer is.
const TIERS: &[(&str, Tone)] = &[
    ("certain", Tone::Good),
    ("closed", Tone::Good),
    ("possible", Tone::Warn),
    ("open", Tone::Warn),
    ("external", Tone::Outside),
    ("unresolved", Tone::Bad),
    ("blocked", Tone::Bad),
];

/// The answer with colours.
pub(crate) fn highlight(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        push_line(&mut out, line);
        out.push_str(end);
    }
    out
}

fn push_line(out: &mut String, line: &str) {
    let body = line.trim_start_matches(' ');
    let indent = &line[..line.len() - body.len()];
    out.push_str(indent);
    let number = body.len() - body.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = body.split_at(number);
    if !number.is_empty() && (rest.starts_with(GAP) || rest.is_empty()) {
        // A line of a file.
        out.push_str(&paint(true, Tone::Line, number));
        out.push_str(rest);
        return;
    }
    let places = body.len() - body.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',' || c == ' ').len();
    if !number.is_empty() && body[places..].starts_with(": ") {
        // Lines below the name of their file: `21, 34: code  (remark)`.
        out.push_str(&paint(true, Tone::Line, &body[..places]));
        let (code, remark) =
            body[places..].rfind("  (").map_or((&body[places..], ""), |at| body[places..].split_at(at));
        out.push_str(code);
        push_words(out, remark);
        return;
    }
    let (number, rest) = match rest.strip_prefix(". ") {
        Some(row) if !number.is_empty() => (&body[..number.len() + 2], row),
        _ => ("", body),
    };
    if !number.is_empty() {
        out.push_str(&paint(true, Tone::Dim, number));
    }
    if let Some(place) = Citation::at_start(rest).filter(|place| place.rest.starts_with(':')) {
        push_place(out, &place);
        // What follows is code, up to a remark in parentheses.
        let (code, remark) = place.rest.rfind("  (").map_or((place.rest, ""), |at| place.rest.split_at(at));
        out.push_str(code);
        push_words(out, remark);
        return;
    }
    push_parts(out, rest, !number.is_empty());
}

/// Writes the parts of a row. The first is a name if it is the head of a row or has a place behind it.
fn push_parts(out: &mut String, line: &str, is_row: bool) {
    let (known, said) = line.find(SAYS).map_or((line, ""), |at| line.split_at(at));
    for (at, part) in known.split(GAP).enumerate() {
        if at > 0 {
            out.push_str(GAP);
        }
        match Citation::at_start(part).filter(|place| place.rest.is_empty()) {
            Some(place) => push_place(out, &place),
            None if at == 0 && is_row => push_name(out, part),
            None if at == 0 && key(part).is_some() => {
                let (key, rest) = part.split_at(key(part).unwrap_or_default());
                out.push_str(&paint(true, Tone::Strong, key));
                push_words(out, rest);
            }
            None if part.starts_with(['→', '←']) => {
                let end = part.char_indices().filter(|(_, c)| *c == ' ').nth(1).map_or(part.len(), |(at, _)| at);
                let (arrow, names) = part.split_at(end);
                out.push_str(&paint(true, Tone::Dim, arrow));
                out.push_str(names);
            }
            None => push_words(out, part),
        }
    }
    out.push_str(said);
}

/// A name, and its kind in parentheses behind it.
fn push_name(out: &mut String, text: &str) {
    let (name, kind) = text.find(" (").map_or((text, ""), |at| text.split_at(at));
    // The name of a member has a point, too.
    let tone = if kind.is_empty() && Citation::looks_like_path(name) { Tone::Path } else { Tone::Strong };
    out.push_str(&paint(true, tone, name));
    if !kind.is_empty() {
        out.push_str(&paint(true, Tone::Dim, kind));
    }
}

/// Length of `key:` at the beginning of a line: a word or few, and a colon.
fn key(part: &str) -> Option<usize> {
    let at = part.find(':')?;
    let is_key = at > 0 && at < 40 && part[..at].chars().all(|c| c.is_ascii_alphanumeric() || "_ -".contains(c));
    let ends = part[at + 1..].is_empty() || part[at + 1..].starts_with(' ');
    (is_key && ends).then_some(at + 1)
}

/// Words, with the tiers among them coloured.
fn push_words(out: &mut String, text: &str) {
    let mut rest = text;
    while !rest.is_empty() {
        let start = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(rest.len());
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        match TIERS.iter().find(|(tier, _)| *tier == word) {
            Some((_, tone)) => out.push_str(&paint(true, *tone, word)),
            None => out.push_str(word),
        }
        rest = after;
    }
}

fn push_place(out: &mut String, place: &Citation<'_>) {
    out.push_str(&paint(true, Tone::Path, place.path));
    out.push(':');
    out.push_str(&paint(true, Tone::Line, place.lines));
}

/// `src/pool.py:120-140` or `src/pool.py:120:8`.
struct Citation<'a> {
    path: &'a str,
    lines: &'a str,
    rest: &'a str,
}

impl<'a> Citation<'a> {
    fn at_start(text: &'a str) -> Option<Self> {
        let mut from = 0;
        while let Some(at) = text[from..].find(':').map(|at| from + at) {
            let after = &text[at + 1..];
            let lines = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if lines > 0 && Self::looks_like_path(&text[..at]) {
                let more = Self::second_number(&after[lines..]);
                let (lines, rest) = after.split_at(lines + more);
                return Some(Self { path: &text[..at], lines, rest });
            }
            from = at + 1;
        }
        None
    }

    /// Length of `-140` or `:8`.
    fn second_number(text: &str) -> usize {
        let Some(digits) = text.strip_prefix(['-', ':']) else { return 0 };
        let length = digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if length == 0 { 0 } else { length + 1 }
    }

    /// Whether a text may be the path of a file: with a folder or an ending, without a gap between parts.
    fn looks_like_path(text: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let ending = text.rsplit_once('.').is_some_and(|(_, end)| !end.is_empty() && end.chars().all(is_word));
        !text.is_empty()
            && !text.contains(GAP)
            && !text.contains(['"', '\'', '(', '=', ':', '{'])
            && (text.contains('/') || ending)
            && !text.starts_with(' ')
    }
}

#[cfg(test)]
mod tests {
    use m1nd_testkit::Random;

    use super::*;

    /// The coloured text with the colours as words: `[path src/a.py]`.
    fn mark_colours(text: &str) -> String {
        let mut out = highlight(text);
        for (code, name) in [
            ("1", "strong"),
            ("2", "dim"),
            ("31", "bad"),
            ("32", "good"),
            ("33", "warn"),
            ("35", "path"),
            ("36", "outside"),
        ] {
            out = out.replace(&format!("\u{1b}[{code}m"), &format!("[{name} "));
        }
        out.replace("\u{1b}[0m", "]")
    }

    #[test]
    fn rows_places_names_and_tiers_are_coloured() {
        for (text, expected) in [
            (
                "1. Session.send (function)  src/s.py:752-829  dependent  0.61",
                "[dim 1. ][strong Session.send][dim  (function)]  [path src/s.py]:[good 752-829]  dependent  0.61",
            ),
            (
                "2. src/a b.py:29:8: x = send(a.py:1)  (call in f, possible: 1 of 3)",
                "[dim 2. ][path src/a b.py]:[good 29:8]: x = send(a.py:1)  (call in f, [warn possible]: 1 of 3)",
            ),
            (
                "21, 34: x = send(a.py:1)  (f, possible: names g)",
                "[good 21, 34]: x = send(a.py:1)  (f, [warn possible]: names g)",
            ),
            ("3. src/a.py  0.48  — certain words", "[dim 3. ][path src/a.py]  0.48  — certain words"),
            ("   → calls open, a.py?", "   [dim → calls] open, a.py?"),
            (" 12      certain = 1  # a/b.py:3", " [good 12]      certain = 1  # a/b.py:3"),
            ("closure: closed  — x", "[strong closure:] [good closed]  — x"),
            ("references: certain 3  external 4", "[strong references:] [good certain] 3  [outside external] 4"),
            ("   f calls? g  src/a.py:3", "   f calls? g  [path src/a.py]:[good 3]"),
            ("next: impact x — before", "[strong next:] impact x — before"),
            ("uncertain closedness", "uncertain closedness"),
            ("", ""),
        ] {
            assert_eq!(mark_colours(text), expected);
        }
    }

    #[test]
    fn without_its_colours_any_text_is_the_same() {
        let pieces =
            ["1. ", "  ", "a/b.py", ":", "12", "-", "— ", " (", "possible", "\n", "é", "→ calls ", "x", ": ", ")"];
        let mut random = Random::new(7);
        for _ in 0..2_000 {
            let text: String = (0..random.below(12)).map(|_| pieces[random.below(pieces.len())]).collect();
            let mut plain = highlight(&text);
            for code in ["0", "1", "2", "31", "32", "33", "35", "36"] {
                plain = plain.replace(&format!("\u{1b}[{code}m"), "");
            }
            assert_eq!(plain, text);
        }
    }
}
