//! Headings of reStructuredText: a line underlined, or under- and overlined, with a run of one character. The level
//! of a character follows from the order of first occurrence.

use super::{Heading, Line, is_run, lines, plain};

/// Longest line that is a heading, in characters.
const MAX_TITLE: usize = 200;
/// Characters by which a line may be shorter than the title that it underlines.
const SHORTER: usize = 2;

/// The headings of a text, in order.
pub(super) fn headings(text: &str) -> Vec<Heading> {
    let all: Vec<Line<'_>> = lines(text).collect();
    let mut styles: Vec<(char, bool)> = Vec::new();
    let mut found = Vec::new();
    let mut next = 0;
    for at in 1..all.len() {
        if at < next {
            continue;
        }
        let Some((sign, over)) = heading_at(&all, at) else { continue };
        let Some(text) = plain(&all[at - 1].text.replace('`', "")) else { continue };
        let level = styles.iter().position(|style| *style == (sign, over)).unwrap_or_else(|| {
            styles.push((sign, over));
            styles.len() - 1
        });
        let start = if over { all[at - 2].start } else { all[at - 1].start };
        let level = u8::try_from(level + 1).unwrap_or(u8::MAX);
        found.push(Heading { level, text, start, end: all[at].end, line: all[at - 1].number });
        next = at + 2;
    }
    found
}

/// Returns whether line `at` underlines the one before it: the sign, and whether that is overlined, too.
fn heading_at(all: &[Line<'_>], at: usize) -> Option<(char, bool)> {
    let under = all[at].text.trim_end();
    let sign = is_run(under)?;
    let title = all[at - 1].text.trim_end();
    let length = title.chars().count();
    let above = at.checked_sub(2).map_or("", |above| all[above].text.trim_end());
    let over = above == under;
    let fits = length > 0 && length <= MAX_TITLE && is_run(title.trim()).is_none();
    // An indented line is a title only below a line of its own; a short line may underline a title that is a bit
    // longer.
    let is_title = if over { true } else { !title.starts_with(char::is_whitespace) && above.trim().is_empty() };
    (fits && is_title && under.len() + SHORTER >= length).then_some((sign, over))
}
