//! Secrets in texts: found and taken out before a text is indexed, shown or logged. What was found is never repeated:
//! a finding names its kind and place only.
//!
//! Keys whose form gives them away are found anywhere; what only its neighbourhood gives away (an assignment to
//! something called `password`, a random token beside the word `key`) must look like a value, not like a name in
//! code.

use std::borrow::Cow;
use std::ops::Range;

use self::checks::is_secret;
use self::rules::{RULES, list_due, pattern_of};

/// Replacement for a secret.
pub const REDACTED: &str = "[REDACTED]";
/// Least length of a piece of a text that is looked at alone, in bytes.
const PIECE: usize = 1_024;
/// Texts that everything over several lines has.
const OVER_LINES: &[&str] = &["PRIVATE KEY", "PuTTY-User-Key-File"];

/// A secret in a text. Deliberately without its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// 1-based line of its first character.
    pub line: u32,
    /// Description for people.
    pub kind: &'static str,
    /// Position, in bytes.
    pub range: Range<usize>,
}

/// The text in pieces of whole lines, each with the last line of the one before: most rules have nothing to look for in
/// most pieces, but something in every long text.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let (mut start, mut covered) = (0, 0);
    while covered < text.len() {
        let least = text.ceil_char_boundary((covered + PIECE).min(text.len()));
        let end = text[least..].find('\n').map_or(text.len(), |at| least + at + 1);
        pieces.push(start..end);
        start = text[covered..end].trim_end_matches('\n').rfind('\n').map_or(end, |at| covered + at + 1);
        covered = end;
    }
    pieces
}

/// Adds what a rule finds in a piece of a text.
fn matches(number: usize, text: &str, piece: Range<usize>, ranges: &mut Vec<(Range<usize>, &'static str)>) {
    let rule = &RULES[number];
    for captures in pattern_of(number).captures_iter(&text[piece.clone()]) {
        let Some(group) = captures.iter().skip(1).flatten().next().or(captures.get(0)) else { continue };
        let whole = captures.get(0).map_or("", |all| all.as_str());
        let range = piece.start + group.start()..piece.start + group.end();
        if is_secret(rule.check, text, whole, range.clone()) {
            ranges.push((range, rule.kind));
        }
    }
}

/// All secrets of a text in order; those that overlap are one.
#[must_use]
pub fn find(text: &str) -> Vec<Found> {
    let text = &*without_escapes(text);
    let mut ranges: Vec<(Range<usize>, &'static str)> = Vec::new();
    forms::find(text, |range, kind| ranges.push((range, kind)));
    for piece in pieces(text) {
        let within = &text[piece.clone()];
        for number in list_due(within).filter(|number| !RULES[*number].is_over_lines) {
            matches(number, text, piece.clone(), &mut ranges);
        }
    }
    if OVER_LINES.iter().any(|mark| text.contains(mark)) {
        let over_lines = (0..RULES.len()).filter(|number| RULES[*number].is_over_lines);
        over_lines.for_each(|number| matches(number, text, 0..text.len(), &mut ranges));
    }
    manifests::find(text, |range, kind| ranges.push((range, kind)));
    // Of two that begin together the one whose form gives it away names the kind: the sort is stable, and forms come
    // first.
    ranges.sort_by_key(|(range, _)| range.start);
    let (mut found, mut line, mut at): (Vec<Found>, u32, usize) = (Vec::new(), 1, 0);
    for (range, kind) in ranges {
        if let Some(last) = found.last_mut().filter(|last| range.start < last.range.end) {
            last.range.end = last.range.end.max(range.end);
            continue;
        }
        line += text[at..range.start].bytes().filter(|byte| *byte == b'\n').count() as u32;
        at = range.start;
        found.push(Found { line, kind, range });
    }
    found
}

/// The text with blanks in place of escapes such as `\n`, whose letter would join the word behind them. Every place
/// stays where it is.
fn without_escapes(text: &str) -> Cow<'_, str> {
    let escapes = ["\\n", "\\r", "\\t"];
    if !escapes.iter().any(|escape| text.contains(escape)) {
        return Cow::Borrowed(text);
    }
    escapes.iter().fold(Cow::Borrowed(text), |text, escape| Cow::Owned(text.replace(escape, "  ")))
}

/// The text with [`REDACTED`] in place of every secret.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let found = find(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for secret in found {
        out.push_str(&text[at..secret.range.start]);
        out.push_str(REDACTED);
        at = secret.range.end;
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

mod checks;
mod forms;
mod manifests;
mod rules;
mod values;

pub use values::Values;

#[cfg(test)]
mod tests;
