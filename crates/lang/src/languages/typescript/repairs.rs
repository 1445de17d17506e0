//! Rewrites syntax that the grammar does not support; every byte position stays the same.
//!
//! - A signature that starts with type parameters on a line of its own, after a member without terminator, is parsed
//!   as a comparison: a `;` replaces the white space before it.
//! - `export type * from "…"`: the word `type` is blanked.
//! - `in` and `out` before a type parameter are blanked.
//! - An `&` in markup that begins no reference to a character is blanked.
//! - Type arguments before a template string are blanked.

/// The text with everything replaced that the grammar may stumble over; `None` if there is nothing.
pub(super) fn mask(text: &[u8]) -> Option<Vec<u8>> {
    let mut masked = text.to_vec();
    let mut changed = end_members(text, &mut masked);
    changed |= blank_star_types(text, &mut masked);
    changed |= blank_variances(text, &mut masked);
    changed |= blank_ampersands(text, &mut masked);
    changed |= blank_template_types(text, &mut masked);
    changed.then_some(masked)
}

/// Ends the member before a line that starts with type parameters.
fn end_members(text: &[u8], masked: &mut [u8]) -> bool {
    let mut changed = false;
    let mut last = b';';
    let mut start = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let indent = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let code = &line[indent..];
        let begin = start + indent;
        start += line.len();
        if code.is_empty() || [&b"//"[..], b"/*", b"*"].iter().any(|comment| code.starts_with(comment)) {
            continue;
        }
        let ends = last.is_ascii_alphanumeric() || b"_$)>]}\"'`".contains(&last);
        if code[0] == b'<' && code.get(1) != Some(&b'/') && ends && begin > 0 {
            masked[begin - 1] = b';';
            changed = true;
        }
        last = last_of_code(code).unwrap_or(last);
    }
    changed
}

/// The last byte of a line that is neither white space nor part of a comment.
fn last_of_code(line: &[u8]) -> Option<u8> {
    let code = line.windows(2).position(|two| two == b"//").map_or(line, |comment| &line[..comment]);
    code.iter().rev().find(|byte| !byte.is_ascii_whitespace()).copied()
}

fn blank_star_types(text: &[u8], masked: &mut [u8]) -> bool {
    let mut changed = false;
    let mut start = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let first = [words.next(), words.next()];
        if first == [Some(&b"export"[..]), Some(b"type")]
            && words.next().is_some_and(|third| third.starts_with(b"*"))
            && let Some(at) = line.windows(4).position(|four| four == b"type")
        {
            masked[start + at..start + at + 4].fill(b' ');
            changed = true;
        }
        start += line.len();
    }
    changed
}

/// Blanks `in` and `out` behind `<` or `,` and before a name.
fn blank_variances(text: &[u8], masked: &mut [u8]) -> bool {
    let mut changed = false;
    // Whether a type parameter may begin here.
    let mut may_begin = false;
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        if is_word(byte) {
            let end = at + text[at..].iter().take_while(|&&byte| is_word(byte)).count();
            let next = text[end..].iter().find(|byte| !byte.is_ascii_whitespace());
            let is_variance = matches!(&text[at..end], b"in" | b"out") && next.is_some_and(|&byte| is_word(byte));
            if may_begin && is_variance && text.get(end).is_some_and(u8::is_ascii_whitespace) {
                masked[at..end].fill(b' ');
                changed = true;
            } else {
                may_begin = false;
            }
            at = end;
            continue;
        }
        if !byte.is_ascii_whitespace() {
            may_begin = matches!(byte, b'<' | b',');
        }
        at += 1;
    }
    changed
}

/// Blanks an `&` before a letter in a quoted attribute or in text between tags, unless it begins a reference to a
/// character (`&amp;`).
fn blank_ampersands(text: &[u8], masked: &mut [u8]) -> bool {
    let mut changed = false;
    let mut start = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let place = |at: usize| line[at + 1..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        for at in
            (0..line.len()).filter(|&at| line[at] == b'&' && line.get(at + 1).is_some_and(u8::is_ascii_alphabetic))
        {
            let is_reference = line.get(at + 1 + place(at)) == Some(&b';');
            if !is_reference && line[..at].last() != Some(&b'&') && (is_quoted(line, at) || is_text(line, at)) {
                masked[start + at] = b' ';
                changed = true;
            }
        }
        start += line.len();
    }
    changed
}

/// Returns whether a place of a line is inside of `="…"`.
fn is_quoted(line: &[u8], at: usize) -> bool {
    let quote = |byte: &u8| matches!(byte, b'"' | b'\'');
    let Some(open) = line[..at].iter().rposition(quote) else { return false };
    line[..open].last() == Some(&b'=') && line[at..].contains(&line[open])
}

/// Returns whether a place of a line is in text between tags.
fn is_text(line: &[u8], at: usize) -> bool {
    let ends = |byte: &u8| b"<>{}".contains(byte);
    let before = line[..at].iter().rev().find(|byte| ends(byte));
    let after = line[at..].iter().find(|byte| ends(byte));
    before == Some(&b'>') && after == Some(&b'<')
}

/// Maximum number of bytes of the type arguments of a template string.
const MAX_ARGUMENTS: usize = 2_000;

/// Blanks the type arguments of a tag: ``css<T>`…` ``.
fn blank_template_types(text: &[u8], masked: &mut [u8]) -> bool {
    let mut changed = false;
    for (end, _) in text.windows(2).enumerate().filter(|(_, two)| *two == b">`") {
        let mut depth = 0_u32;
        let first = end.saturating_sub(MAX_ARGUMENTS);
        for at in (first..=end).rev() {
            match text[at] {
                b'>' if at == 0 || text[at - 1] != b'=' => depth += 1,
                b'<' => depth = depth.saturating_sub(1),
                b'`' => break,
                _ => {}
            }
            if depth == 0 {
                if at > 0 && (is_word(text[at - 1]) || text[at - 1] == b')') {
                    masked[at..=end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
                    changed = true;
                }
                break;
            }
        }
    }
    changed
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[test]
    fn positions_stay() {
        let cases = [
            (
                "interface A {\n  // first\n  (a: B): C\n  <T>(a: T): C\n}",
                "interface A {\n  // first\n  (a: B): C\n ;<T>(a: T): C\n}",
            ),
            (
                "interface A {\n  <T>(a: T): C\n  // second\n\n  <U>(a: U): C\n}",
                "interface A {\n  <T>(a: T): C\n  // second\n\n ;<U>(a: U): C\n}",
            ),
            (
                "export type * from './a'\nexport type * as b from './b'",
                "export      * from './a'\nexport      * as b from './b'",
            ),
            ("interface A<in out T, out U = B> {}", "interface A<       T,     U = B> {}"),
            ("<a b=\"c?d&e=f&amp;g\">AT&T &amp; h</a>", "<a b=\"c?d e=f&amp;g\">AT T &amp; h</a>"),
            ("a.b<{ c: () => D<E> }>`f`", "a.b                   `f`"),
        ];
        for (text, expected) in cases {
            let masked = mask(text.as_bytes()).map(|masked| String::from_utf8(masked).expect("only ASCII changes"));
            assert_eq!(masked.as_deref(), Some(expected));
        }
    }

    #[test]
    fn what_the_grammar_knows_stays() {
        for text in [
            "const a = f(\n  <T>(b: T) => b)", "type A = { in: B }", "export type { A } from './a'", "f(a, out)",
            "a = b &c && d&e", "`<b>`", "a => `b`",
        ] {
            assert_eq!(mask(text.as_bytes()), None, "{text}");
        }
    }
}
