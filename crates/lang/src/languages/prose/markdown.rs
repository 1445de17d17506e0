//! Headings of Markdown: `# …` and lines underlined with `=` or `-`, outside of code blocks, comments and front
//! matter.

use super::{Heading, Line, is_run, lines, plain};

/// Largest number of `#` of a heading.
const MAX_LEVEL: usize = 6;
/// Signs that open a listing, at least.
const FENCE: usize = 3;
/// Spaces before a line from which it is a listing.
const CODE_INDENT: usize = 4;

/// The headings of a text, in order.
pub(super) fn headings(text: &str) -> Vec<Heading> {
    let mut found = Vec::new();
    let mut state = State::default();
    let mut before: Option<Line<'_>> = None;
    for line in lines(text) {
        let is_prose = state.passes(&line);
        if !is_prose {
            before = None;
            continue;
        }
        let heading = numbered(&line).or_else(|| before.and_then(|above| underlined(&above, &line)));
        let can_be_title = heading.is_none() && can_be_underlined(line.text);
        found.extend(heading);
        before = can_be_title.then_some(line);
    }
    found
}

/// Enclosing constructs of the current line.
#[derive(Debug, Default)]
struct State {
    /// Character and length of the open code fence.
    fence: Option<(char, usize)>,
    in_comment: bool,
    in_settings: bool,
}

impl State {
    /// Returns whether a line is text.
    fn passes(&mut self, line: &Line<'_>) -> bool {
        let bare = line.text.trim_start_matches('\u{feff}').trim_start();
        if self.in_settings || line.number == 1 && bare.trim_end() == "---" {
            self.in_settings = line.number == 1 || !matches!(bare.trim_end(), "---" | "...");
            return false;
        }
        if let Some((sign, count)) = self.fence {
            let run = bare.chars().take_while(|c| *c == sign).count();
            if run >= count && bare[run..].trim().is_empty() {
                self.fence = None;
            }
            return false;
        }
        if self.in_comment {
            self.in_comment = !bare.contains("-->");
            return false;
        }
        if let Some(sign) = bare.chars().next().filter(|c| matches!(c, '`' | '~')) {
            let run = bare.chars().take_while(|c| *c == sign).count();
            if run >= FENCE {
                self.fence = Some((sign, run));
                return false;
            }
        }
        if let Some(rest) = bare.strip_prefix("<!--") {
            self.in_comment = !rest.contains("-->");
            return false;
        }
        line.text.len() - line.text.trim_start_matches(' ').len() < CODE_INDENT && !line.text.starts_with('\t')
    }
}

fn numbered(line: &Line<'_>) -> Option<Heading> {
    let bare = line.text.trim_start_matches('\u{feff}').trim();
    let level = bare.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &bare[level..];
    if level == 0 || level > MAX_LEVEL || !rest.starts_with([' ', '\t']) {
        return None;
    }
    let text = plain(rest.trim_end_matches('#'))?;
    Some(Heading { level: level as u8, text, start: line.start, end: line.end, line: line.number })
}

fn can_be_underlined(text: &str) -> bool {
    let bare = text.trim();
    bare.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '`' | '*' | '_' | '[' | '@' | '<' | '"'))
        && !bare.starts_with("* ")
}

fn underlined(above: &Line<'_>, line: &Line<'_>) -> Option<Heading> {
    let level = match is_run(line.text.trim())? {
        '=' => 1,
        '-' => 2,
        _ => return None,
    };
    let text = plain(above.text)?;
    Some(Heading { level, text, start: above.start, end: line.end, line: above.number })
}
