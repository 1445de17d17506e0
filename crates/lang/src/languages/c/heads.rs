//! Heads of classes and templates: macros between `class` and the name (`class API Worker : Base`).

use super::prepare::{TAGS, find_closing, is_loud, is_word, measure_qualified, skip_token, word_at};

/// Names of one head.
const MAX_NAMES: usize = 8;
/// How far the body of a class may be from the colon behind its name, in bytes.
const MAX_BASES: usize = 2_000;
/// Longest list of template parameters or arguments, in bytes.
const MAX_ANGLES: usize = 2_000;
/// What the grammar reads between `class` and a name, with brackets behind it.
const KNOWN: &[&str] = &["alignas", "__attribute__", "__declspec", "_Alignas"];

/// Reads `template <…>` or the head of a class, union or enum that starts here; blanks the names that must be macros.
/// Returns where the text goes on; `None` if it is something else.
pub(super) fn read(text: &str, start: usize, is_cpp: bool, blanks: &mut Vec<(usize, usize)>) -> Option<usize> {
    let word = word_at(text, start);
    let end = start + word.len();
    if word == "template" && is_cpp {
        let open = end + count_blanks(&text.as_bytes()[end..]);
        return find_closing_angle(text.as_bytes(), open);
    }
    let is_enum = word == "enum";
    (is_enum || TAGS.contains(&word)).then(|| read_class(text, end, word == "class", is_enum, is_cpp, blanks))?
}

/// Reads the head of a class from behind its first word.
fn read_class(
    text: &str,
    start: usize,
    is_class: bool,
    is_enum: bool,
    is_cpp: bool,
    blanks: &mut Vec<(usize, usize)>,
) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut names: Vec<(usize, usize)> = Vec::new();
    let mut at = start;
    while at < bytes.len() && names.len() <= MAX_NAMES {
        at += count_blanks(&bytes[at..]);
        match *bytes.get(at)? {
            b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => at = skip_token(bytes, at)?,
            b'[' if is_cpp && bytes.get(at + 1) == Some(&b'[') => {
                at += text[at..].find("]]")? + 2;
            }
            b'<' if is_cpp && !names.is_empty() => at = find_closing_angle(bytes, at)?,
            b'{' => break,
            b':' if is_cpp && opens_body(bytes, at) => break,
            // `class API Name;` only declares it.
            b';' if is_class && names.len() == 2 && is_loud(&text[names[0].0..names[0].1]) => break,
            byte if is_word(byte) && !byte.is_ascii_digit() => {
                let end = at + measure_qualified(&bytes[at..]);
                let word = &text[at..end];
                let open = end + count_blanks(&bytes[end..]);
                let is_tag_of_enum = is_enum && names.is_empty() && TAGS.contains(&word);
                if KNOWN.contains(&word) {
                    at = find_closing(bytes, open)?;
                } else if bytes.get(open) == Some(&b'(') {
                    let close = find_closing(bytes, open)?;
                    names.push((at, close));
                    at = close;
                } else {
                    if !is_tag_of_enum && (word != "final" || names.is_empty()) {
                        names.push((at, end));
                    }
                    at = end;
                }
            }
            _ => return None,
        }
    }
    // Of several names only the last is that of the class.
    let (last, macros) = names.split_last()?;
    if text[last.0..last.1].ends_with(')') {
        return None;
    }
    blanks.extend_from_slice(macros);
    Some(at)
}

/// Whether bases and a body follow the colon.
fn opens_body(bytes: &[u8], colon: usize) -> bool {
    let behind = &bytes[colon + 1..bytes.len().min(colon + MAX_BASES)];
    let is_digit = behind.trim_ascii_start().first().is_some_and(u8::is_ascii_digit);
    !is_digit && behind.iter().find(|byte| matches!(byte, b'{' | b';')) == Some(&b'{')
}

fn count_blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Offset after the `>` that closes the `<` here.
fn find_closing_angle(bytes: &[u8], open: usize) -> Option<usize> {
    if bytes.get(open) != Some(&b'<') {
        return None;
    }
    let (mut at, mut depth) = (open, 0);
    while at < bytes.len() && at - open < MAX_ANGLES {
        match bytes[at] {
            b'<' => depth += 1,
            b'>' if bytes[at - 1] == b'-' => {}
            b'>' => depth -= 1,
            b'(' => {
                at = find_closing(bytes, at)?;
                continue;
            }
            b';' | b'{' | b'}' | b'#' => return None,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}
