//! Names in string literals: a string that is one name or a path of names, calls, and members.

use std::ops::Range;

use super::{Finder, WordPlace, is_word, word_end};

/// Longest string that may be one path, in bytes.
const MAX_PATH: usize = 200;

/// Endings of file names and addresses, which are no members of what stands in front of them.
const FILE_ENDINGS: &[&str] = &[
    "avi", "bmp", "bz2", "cfg", "com", "conf", "css", "csv", "db", "dll", "doc", "exe", "gif", "gz", "htm", "html",
    "ico", "ini", "io", "jar", "jpeg", "jpg", "json", "lock", "log", "md", "mp3", "mp4", "net", "org", "pdf", "pem",
    "png", "rst", "scss", "sock", "sqlite", "svg", "tar", "tgz", "tiff", "tmp", "toml", "ttf", "txt", "wasm", "wav",
    "webp", "woff", "woff2", "xls", "xlsx", "xml", "yaml", "yml", "zip",
];

/// Adds the names in a text without its quotes. `single` says what a text means that is one name and nothing else;
/// `None` if a name or path alone names no code.
pub(super) fn scan(range: Range<usize>, place: WordPlace, single: Option<WordPlace>, finder: &mut Finder<'_>) {
    let text = finder.text;
    let Some(content) = text.get(range.clone()) else { return };
    let bytes = text.as_bytes();
    if content.len() <= MAX_PATH && is_path(content) {
        match single {
            Some(_) if !content.bytes().all(is_word) => add_path(range, place, finder),
            Some(place) => finder.add(range.start, range.end, place),
            None => {}
        }
        return;
    }
    let mut at = range.start;
    while at < range.end {
        if !is_word(bytes[at]) {
            at += 1;
            continue;
        }
        let end = word_end(bytes, at).min(range.end);
        let is_name = !bytes[at].is_ascii_digit();
        if is_name && is_used(&bytes[range.clone()], at - range.start, end - range.start) {
            finder.add(at, end, place);
        }
        at = end;
    }
}

/// Returns whether a word inside of a text is written like a name in use.
fn is_used(bytes: &[u8], start: usize, end: usize) -> bool {
    let next = bytes.get(end).copied().unwrap_or(b' ');
    if next == b'(' || bytes[end..].starts_with(b"::") {
        return true;
    }
    let owner = |width: usize| start > width && (is_word(bytes[start - width - 1]) || bytes[start - width - 1] == b')');
    match bytes[..start] {
        [.., b':', b':'] => true,
        [.., b'-', b'>'] => owner(2),
        [.., b'.'] => owner(1) && !is_ending(&bytes[start..end]) && !is_address(bytes, start),
        [.., b'#'] => owner(1) && !is_address(bytes, start),
        [.., b'@'] => owner(1) && next != b'.' && next != b'-',
        [.., b':'] => owner(1) && token(bytes, start).contains(&b'.') && !is_address(bytes, start),
        _ => false,
    }
}

/// The part of the text in front of a place up to the last space or quote.
fn token(bytes: &[u8], at: usize) -> &[u8] {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`' | b'(' | b',' | b'=');
    let from = at.saturating_sub(MAX_PATH);
    let start = bytes[from..at].iter().rposition(is_end).map_or(from, |end| from + end + 1);
    &bytes[start..at]
}

/// Returns whether a place is part of the address of a page or a person.
fn is_address(bytes: &[u8], at: usize) -> bool {
    let token = token(bytes, at);
    token.contains(&b'@') || token.starts_with(b"www.") || token.windows(3).any(|part| part == b"://")
}

fn is_ending(word: &[u8]) -> bool {
    std::str::from_utf8(word).is_ok_and(|word| {
        FILE_ENDINGS.contains(&word) || crate::Language::all().any(|language| language.extensions().contains(&word))
    })
}

/// Returns whether a text is a name, or names joined like those of modules, classes and members.
pub(super) fn is_path(text: &str) -> bool {
    let bytes = text.strip_suffix("()").unwrap_or(text).as_bytes();
    let mut was_word = false;
    let mut at = 0;
    while at < bytes.len() {
        if is_word(bytes[at]) {
            let is_number = bytes[at].is_ascii_digit() && !was_word;
            at = word_end(bytes, at);
            if is_number {
                return false;
            }
            was_word = true;
            continue;
        }
        let is_joint = matches!(bytes[at], b'.' | b':' | b'#' | b'/' | b'@' | b'$' | b'\\' | b'?' | b'!');
        let is_arrow = bytes[at..].starts_with(b"->");
        if !is_joint && !is_arrow {
            return false;
        }
        at += if is_arrow { 2 } else { 1 };
        was_word = false;
    }
    bytes.iter().any(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80)
}

/// Adds the names of a path. Of a path with folders only the last part counts, and only if it is no file:
/// `src/handler.hello`.
pub(super) fn add_path(range: Range<usize>, place: WordPlace, finder: &mut Finder<'_>) {
    let bytes = finder.text.as_bytes();
    let path = &bytes[range.clone()];
    let folder = path.iter().rposition(|byte| *byte == b'/').map(|at| at + 1);
    let start = range.start + folder.unwrap_or(0);
    let last = &bytes[start..range.end];
    let joint = last.iter().position(|byte| matches!(byte, b'.' | b':' | b'#' | b'@' | b'\\'));
    let is_plain = folder.is_some() && joint.is_none_or(|at| at == 0);
    let is_file = last.rsplit(|byte| *byte == b'.').next().is_some_and(|end| end.len() < last.len() && is_ending(end));
    if is_plain || is_file || is_address(path, path.len()) && folder.is_some() {
        return;
    }
    let mut at = start;
    while at < range.end {
        if !is_word(bytes[at]) {
            at += 1;
            continue;
        }
        let end = word_end(bytes, at).min(range.end);
        finder.add(at, end, place);
        at = end;
    }
}
