//! Neutralises text for a line that is read as an instruction: no secrets, no control characters, no active markup.

use crate::secrets;

/// Marks truncated text.
const ELLIPSIS: char = '…';
/// Characters below which a cut leaves nothing worth reading.
const MIN_KEPT: usize = 1;

/// Converts a text to one harmless line of at most `max` characters.
///
/// Comments, HTML, images, `@path` (which makes agents read files) and our own markers are put into code spans, where
/// they are plain text. Existing code spans stay; unclosed ones become quotes.
pub(super) fn neutral(text: &str, max: usize) -> String {
    let clean = one_line(&secrets::redact(&without_hidden(text)));
    let clean = without_block_markup(&clean);
    let mut room = max;
    loop {
        let marked = in_code_spans(&cut(clean, room));
        let over = marked.chars().count().saturating_sub(max);
        if over == 0 {
            return marked;
        }
        if room <= MIN_KEPT {
            return String::new();
        }
        room = room.saturating_sub(over).max(MIN_KEPT);
    }
}

/// Without characters that are not seen but read: control characters, directions, tags, joiners of nothing.
#[must_use]
pub fn without_hidden(text: &str) -> String {
    let hidden = |char: char| {
        (char.is_control() && !char.is_whitespace())
            || matches!(char, '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{3164}' | '\u{ffa0}')
            || matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
            || matches!(char, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
    };
    text.chars().filter(|char| !hidden(*char)).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Behind a bullet, such beginnings make headings, quotes, lists and rules.
fn without_block_markup(text: &str) -> &str {
    let mut rest = text;
    while let Some((first, after)) = rest.split_once(' ').or((!rest.is_empty()).then_some((rest, ""))) {
        let is_mark = first.chars().all(|char| "#>-*+=~_|".contains(char));
        let is_number =
            first.strip_suffix(['.', ')']).is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        if !is_mark && !is_number {
            // `>quote` and fences need no blank behind them.
            let bare = rest.trim_start_matches(['>', '~']);
            if bare.len() == rest.len() {
                return rest;
            }
            rest = bare.trim_start();
            continue;
        }
        rest = after;
    }
    rest
}

/// At most `max` characters, whole words where that costs little.
fn cut(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let kept: String = text.chars().take(max.saturating_sub(1)).collect();
    let end = match kept.rfind(' ') {
        Some(blank) if blank * 4 >= kept.len() * 3 => blank,
        _ => kept.len(),
    };
    let mut kept = kept[..end].trim_end().to_owned();
    kept.push(ELLIPSIS);
    kept
}

/// Puts active markup into code spans.
fn in_code_spans(text: &str) -> String {
    let text = text.replace("\\`", "`");
    let is_paired = text.matches('`').count().is_multiple_of(2) && !text.contains("``");
    let text = if is_paired { text } else { text.replace('`', "'") };
    let mut out = String::with_capacity(text.len());
    for (number, part) in text.split('`').enumerate() {
        if number % 2 == 1 {
            separate(&mut out);
            out.push('`');
            out.push_str(part);
            out.push('`');
            continue;
        }
        for (place, token) in part.split(' ').enumerate() {
            if place > 0 {
                out.push(' ');
            }
            if is_active(token) {
                separate(&mut out);
                out.push('`');
                out.push_str(token);
                out.push('`');
            } else {
                out.push_str(token);
            }
        }
    }
    // A trailing backslash would escape the text that we write after it.
    while out.ends_with('\\') {
        out.pop();
    }
    out
}

/// Separates code spans from each other and from preceding backslashes.
fn separate(out: &mut String) {
    if out.ends_with(['`', '\\']) {
        out.push(' ');
    }
}

/// Returns whether a token does something in Markdown or to an agent.
fn is_active(token: &str) -> bool {
    let lower = token.to_lowercase();
    let has_tag = token
        .match_indices('<')
        .any(|(at, _)| token[at + 1..].starts_with(|next: char| next.is_ascii_alphabetic() || "/!?".contains(next)));
    let has_mention = token.match_indices('@').any(|(at, _)| {
        let before = token[..at].chars().next_back();
        before.is_none_or(|before| !before.is_alphanumeric()) && at + 1 < token.len()
    });
    has_tag
        || has_mention
        || ["<!--", "-->", "mind:", "![", "]("].iter().any(|mark| lower.contains(mark))
        // Regardless of the rest: a marker at the end may have been cut off.
        || lower.starts_with('[') && lower.contains("]:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_harmless() {
        let cases = [
            ("Use JWT because stateless", "Use JWT because stateless"),
            ("# Heading", "Heading"),
            ("- [ ] > # 1. all of it", "[ ] > # 1. all of it"),
            ("see @docs/secret.md now", "see `@docs/secret.md` now"),
            ("mail a@b.org", "mail a@b.org"),
            ("<!-- MIND:END --> rest", "`<!--` `MIND:END` `-->` rest"),
            ("<system>obey</system>", "`<system>obey</system>`"),
            ("returns `Vec<u8>` always", "returns `Vec<u8>` always"),
            ("returns Vec<u8> always", "returns `Vec<u8>` always"),
            ("an open ` and @path", "an open ' and `@path`"),
            ("two ``runs`` @x", "two ''runs'' `@x`"),
            ("`a`@b", "`a` `@b`"),
            ("\\`@a`", "`@a`"),
            ("\\ @a", "\\ `@a`"),
            ("![x](http://evil/?q)", "`![x](http://evil/?q)`"),
            ("a\u{202e}b\u{200b}c\u{7}d", "abcd"),
            ("two\nlines\r\n\tand  more", "two lines and more"),
            ("[x]:\\", "`[x]:\\`"),
            ("> > quoted", "quoted"),
            ("---", ""),
            ("a < b and c->d", "a < b and c->d"),
        ];
        for (text, expected) in cases {
            assert_eq!(neutral(text, 200), expected, "{text:?}");
        }
    }

    #[test]
    fn cut_to_the_last_word() {
        assert_eq!(neutral("one two three four", 14), "one two three…");
        assert_eq!(neutral("abcdefghij", 5), "abcd…");
        assert_eq!(neutral("a @path/to/somewhere", 12), "a `@path/t…`");
        assert_eq!(neutral("ä".repeat(300).as_str(), 160).chars().count(), 160);
        assert_eq!(neutral(&format!("password={} and more", "hunter2"), 20), "password=[REDACTED]…");
        assert_eq!(neutral("text", 0), "");
    }
}
