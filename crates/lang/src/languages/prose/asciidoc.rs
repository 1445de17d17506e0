//! Headings of AsciiDoc: `== …`, outside of delimited blocks.

use super::{Heading, is_run, lines, plain};

/// Largest number of `=` of a heading.
const MAX_LEVEL: usize = 6;
/// Least length of a line that delimits a block.
const DELIMITER: usize = 4;

/// The headings of a text, in order.
pub(super) fn headings(text: &str) -> Vec<Heading> {
    let mut found = Vec::new();
    let mut block: Option<&str> = None;
    for line in lines(text) {
        let bare = line.text.trim_end();
        if let Some(open) = block {
            block = (bare != open).then_some(open);
            continue;
        }
        if bare.len() >= DELIMITER && matches!(is_run(bare), Some('-' | '.' | '+' | '/')) {
            block = Some(bare);
            continue;
        }
        let level = bare.bytes().take_while(|byte| *byte == b'=').count();
        if level == 0 || level > MAX_LEVEL || !bare[level..].starts_with(' ') {
            continue;
        }
        let Some(text) = plain(&bare[level..]) else { continue };
        found.push(Heading { level: level as u8, text, start: line.start, end: line.end, line: line.number });
    }
    found
}
