//! Names that macros of C and C++ put together: `handle_##name`, and `CAT(handle_, name)`.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::{MAX_PATTERNS, MIN_TEXT, is_word, word_end};

/// Longest definition of a macro that is looked through, in bytes.
const MAX_MACRO: usize = 16_000;
/// Maximum number of words that one name is put together from.
const MAX_PARTS: usize = 16;
/// Maximum number of arguments of a use that are looked at.
const MAX_ARGUMENTS: usize = 16;
/// Longest list of arguments that is looked through, in bytes.
const MAX_LIST: usize = 400;
/// Parts of the names of macros that only join their arguments, wherever these are defined.
const JOINING: &[&str] = &["cat", "concat", "glue", "join", "paste", "tokcat"];

/// The names that the macros of a file make.
#[derive(Default)]
pub(super) struct Pastes {
    patterns: Vec<(usize, String)>,
    /// Macros that join nothing but parameters: their uses say what is joined.
    joining: FxHashSet<Vec<u8>>,
    /// Where the last name begins that was read.
    last: Option<usize>,
}

impl Pastes {
    /// Reads the name around `##`: its words, where parameters of the macro are holes.
    pub(super) fn add_text(&mut self, bytes: &[u8], at: usize) {
        let Some(start) = start_of_directive(bytes, at) else { return };
        let Some((name, parameters)) = head(&bytes[start..at]) else { return };
        let chain = chain_around(bytes, start, at);
        let first = chain.first().map(|word| word.start);
        if chain.len() < 2 || self.last == first || self.patterns.len() >= MAX_PATTERNS {
            return;
        }
        self.last = first;
        let is_hole = |word: &&Range<usize>| {
            let text = &bytes[word.start..word.end];
            text.starts_with(b"__VA_") || parameters.contains(&text)
        };
        let text = |words: &[Range<usize>]| -> String {
            words.iter().map(|word| String::from_utf8_lossy(&bytes[word.start..word.end])).collect()
        };
        let holes = (chain.iter().position(|word| is_hole(&word)), chain.iter().rposition(|word| is_hole(&word)));
        let pattern = match holes {
            (Some(first), Some(last)) => format!("{}*{}", text(&chain[..first]), text(&chain[last + 1..])),
            // Nothing but text makes one name.
            _ => format!("{}*", text(&chain)),
        };
        if pattern.len() > MIN_TEXT {
            self.patterns.push((chain[0].start, pattern));
        } else {
            self.joining.insert(name.to_vec());
        }
    }

    /// Reads the arguments of a macro that joins them.
    pub(super) fn add_use(&mut self, bytes: &[u8], word: Range<usize>) {
        let name = &bytes[word.clone()];
        let open = word.end + bytes[word.end..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if bytes.get(open) != Some(&b'(') || self.patterns.len() >= MAX_PATTERNS || !self.joins(name) {
            return;
        }
        let list = &bytes[open + 1..bytes.len().min(open + MAX_LIST)];
        let Some(end) = list.iter().position(|byte| *byte == b')') else { return };
        let arguments: Vec<&[u8]> =
            list[..end].split(|byte| *byte == b',').take(MAX_ARGUMENTS).map(<[u8]>::trim_ascii).collect();
        let is_name = |text: &[u8]| !text.is_empty() && text.iter().all(|byte| is_word(*byte));
        for pair in arguments.windows(2).filter(|pair| pair.iter().all(|one| is_name(one))) {
            let joined = format!("{}{}*", String::from_utf8_lossy(pair[0]), String::from_utf8_lossy(pair[1]));
            self.patterns.push((word.start, joined));
        }
    }

    fn joins(&self, name: &[u8]) -> bool {
        let is_loud = name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
        self.joining.contains(name)
            || is_loud && {
                let lower = String::from_utf8_lossy(name).to_ascii_lowercase();
                lower.split('_').any(|part| JOINING.contains(&part.trim_end_matches(|c: char| c.is_ascii_digit())))
            }
    }

    /// The patterns, each with where its name is made.
    pub(super) fn into_patterns(self) -> Vec<(usize, String)> {
        self.patterns
    }
}

/// Where the directive around a place begins.
fn start_of_directive(bytes: &[u8], at: usize) -> Option<usize> {
    let from = at.saturating_sub(MAX_MACRO);
    let mut end = at;
    loop {
        let line = bytes[from..end].iter().rposition(|byte| *byte == b'\n').map(|place| from + place + 1);
        let start = line.unwrap_or(from);
        let code = bytes[start..at].trim_ascii_start();
        if code.starts_with(b"#") && !code.starts_with(b"##") {
            return Some(start);
        }
        let before = line?.saturating_sub(1);
        if !bytes[from..before].trim_ascii_end().ends_with(b"\\") {
            return None;
        }
        end = before;
    }
}

/// Name and parameters of a macro by the text of its definition.
fn head(text: &[u8]) -> Option<(&[u8], Vec<&[u8]>)> {
    let rest = text.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start().strip_prefix(b"define")?;
    let rest = rest.trim_ascii_start();
    let (name, rest) = rest.split_at(word_end(rest, 0));
    let Some(list) = rest.strip_prefix(b"(") else { return Some((name, Vec::new())) };
    let end = list.iter().position(|byte| *byte == b')')?;
    let parameter = |text: &'_ [u8]| text.strip_suffix(b"...").map_or(text.len(), <[u8]>::len);
    let parameters = list[..end].split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    Some((name, parameters.map(|text| text[..parameter(text)].trim_ascii()).collect()))
}

/// The words that `##` joins around a place.
fn chain_around(bytes: &[u8], start: usize, at: usize) -> Vec<Range<usize>> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let mut chain = Vec::new();
    // Backwards, from the first word to the left.
    let mut end = at;
    while chain.len() < MAX_PARTS {
        let blanks = bytes[start..end].iter().rev().take_while(|byte| is_blank(byte)).count();
        let length = bytes[start..end - blanks].iter().rev().take_while(|byte| is_word(**byte)).count();
        if length == 0 {
            break;
        }
        let word = end - blanks - length..end - blanks;
        let before = bytes[start..word.start].trim_ascii_end();
        let goes_on = before.ends_with(b"##");
        end = start + before.len().saturating_sub(2);
        chain.push(word);
        if !goes_on {
            break;
        }
    }
    chain.reverse();
    let mut next = at;
    while chain.len() < MAX_PARTS && bytes[next..].starts_with(b"##") {
        next += 2 + bytes[next + 2..].iter().take_while(|byte| is_blank(byte)).count();
        let word = next..word_end(bytes, next);
        if word.is_empty() {
            break;
        }
        next = word.end + bytes[word.end..].iter().take_while(|byte| is_blank(byte)).count();
        chain.push(word);
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::Pastes;

    fn patterns(text: &str) -> Vec<String> {
        let bytes = text.as_bytes();
        let mut pastes = Pastes::default();
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at..].starts_with(b"##") {
                pastes.add_text(bytes, at);
                at += 2;
            } else if super::is_word(bytes[at]) {
                let end = super::word_end(bytes, at);
                pastes.add_use(bytes, at..end);
                at = end;
            } else {
                at += 1;
            }
        }
        pastes.into_patterns().into_iter().map(|(_, pattern)| pattern).collect()
    }

    #[test]
    fn names_that_macros_make() {
        for (text, expected) in [
            ("#define A(n) handle_##n()", &["handle_*"][..]),
            ("#define A(n) n ## _start()", &["*_start"]),
            ("#define A(n, m) \\\n  int n##_a; \\\n  pre_ ## n ## _ ## m ## _post(n)", &["*_a", "pre_*_post"]),
            ("#define A(n, ...) f_##n(__VA_ARGS__)", &["f_*"]),
            ("#define A(a, b) a##b\nA(cat_, made)();", &["cat_made*"]),
            ("GTEST_CONCAT_TOKEN_(x_, y)", &["x_y*"]),
            ("CHECK_EQ(a, b); /* ## */", &[]),
            ("#define S(n) #n", &[]),
            ("#define A(a, ...) f(a, ##__VA_ARGS__)", &[]),
        ] {
            assert_eq!(patterns(text), expected, "{text}");
        }
    }
}
