//! Paths of modules in the text of Rust, without a parser: what rustfmt lays out can be read from its words.

/// A path as it is written, with its groups spelt out.
pub(super) struct Path {
    /// Names between `::`, the first one `crate`, `super`, `self` or a module.
    pub(super) names: Vec<String>,
    /// The name it has where it is brought in; `None` for a star.
    pub(super) name: Option<String>,
    /// Whether `use` brings it in.
    pub(super) is_use: bool,
}

/// The text without comments, tests and what stands in quotes.
pub(super) fn code_only(text: &str) -> String {
    without_tests(&without_texts(text))
}

/// The text without comments and what stands in quotes. Lines keep their numbers.
pub(super) fn without_texts(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            measure_quoted(rest)
        } else if let Some(hashes) = raw_hashes(rest).filter(|_| !code.ends_with(is_word)) {
            let end = format!("\"{}", "#".repeat(hashes));
            rest[hashes + 2..].find(&end).map_or(rest.len(), |at| hashes + 2 + at + end.len())
        } else if rest.starts_with("'\"'") {
            3
        } else {
            0
        };
        if skipped == 0 {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            code.push(' ');
            code.extend(rest[..skipped].matches('\n'));
            rest = &rest[skipped..];
        }
    }
    code
}

/// Bytes of the quoted text at the start.
fn measure_quoted(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Marks around the raw text that starts here, if one does.
fn raw_hashes(text: &str) -> Option<usize> {
    let marks = text.strip_prefix('r')?;
    let rest = marks.trim_start_matches('#');
    rest.starts_with('"').then(|| marks.len() - rest.len())
}

/// Without the modules that are written inside a file for its tests, which rustfmt ends with a brace at the start of a
/// line.
pub(super) fn without_tests(code: &str) -> String {
    const START: &str = "#[cfg(test)]\nmod ";
    let mut left = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find(START) {
        let is_inside = rest[at + START.len()..].split('\n').next().is_some_and(|line| line.ends_with('{'));
        let end =
            if is_inside { rest[at..].find("\n}").map_or(rest.len(), |end| at + end + 2) } else { at + START.len() };
        left.push_str(if is_inside { &rest[..at] } else { &rest[..end] });
        rest = &rest[end..];
    }
    left + rest
}

/// Names of the modules of their own files that are only built for tests.
pub(super) fn test_modules(code: &str) -> Vec<String> {
    let declared = code.split("#[cfg(test)]").skip(1).filter_map(|rest| {
        let line = rest.trim_start().lines().next()?;
        line.split_once("mod ")?.1.strip_suffix(';')
    });
    declared.map(str::to_owned).collect()
}

/// Paths that start with `crate`, `super`, `self`, or, after `use`, with a name that `is_module` knows.
pub(super) fn paths_of(code: &str, is_module: impl Fn(&str) -> bool) -> Vec<Path> {
    let mut paths = Vec::new();
    let mut words = 0;
    while let Some((start, word)) = next_word(code, words) {
        words = start + word.len();
        let is_path = code[words..].starts_with("::") && !code[..start].ends_with([':', '$']);
        let is_use = code[..start].trim_end().rsplit(|c: char| !is_word(c)).next() == Some("use");
        if is_path && (matches!(word, "crate" | "super" | "self") || is_use && is_module(word)) {
            words = spell_out(code, start, is_use, &mut paths);
        }
    }
    paths
}

/// Adds the paths that start at a word, and says where they end.
fn spell_out(code: &str, start: usize, is_use: bool, paths: &mut Vec<Path>) -> usize {
    let mut groups: Vec<usize> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut at = start;
    let push = |names: &[String], renamed: Option<&str>, paths: &mut Vec<Path>| {
        let mut names = names.to_vec();
        if names.len() > 1 && names.last().is_some_and(|last| last == "self") {
            names.pop();
        }
        let name = renamed.map(str::to_owned).or_else(|| names.last().cloned()).filter(|name| name != "*");
        paths.push(Path { names, name, is_use });
    };
    loop {
        at += code[at..].len() - code[at..].trim_start().len();
        let rest = &code[at..];
        if let Some(group) = rest.strip_prefix('{') {
            groups.push(names.len());
            at = code.len() - group.len();
            continue;
        }
        let length = if rest.starts_with('*') { 1 } else { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) };
        if length > 0 {
            names.push(rest[..length].to_owned());
            at += length;
            if code[at..].starts_with("::") {
                at += 2;
                continue;
            }
            let mut renamed = None;
            if let Some(other) = code[at..].strip_prefix(" as ") {
                let end = other.find(|c| !is_word(c)).unwrap_or(other.len());
                renamed = Some(&other[..end]);
                at += " as ".len() + end;
            }
            push(&names, renamed, paths);
        }
        // Behind a name: on in the group, or out of it.
        loop {
            let Some(&depth) = groups.last() else { return at };
            names.truncate(depth);
            at += code[at..].len() - code[at..].trim_start().len();
            match code[at..].chars().next() {
                Some(',') => {
                    at += 1;
                    break;
                }
                Some('}') => {
                    groups.pop();
                    at += 1;
                }
                _ => return at,
            }
        }
    }
}

/// The next word at or behind a place.
fn next_word(code: &str, from: usize) -> Option<(usize, &str)> {
    let start = from + code[from..].find(is_word)?;
    let length = code[start..].find(|c| !is_word(c)).unwrap_or(code.len() - start);
    Some((start, &code[start..start + length]))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_spelt_out() {
        let rows = [
            ("use crate::a::B;", "crate::a::B"),
            ("use crate::{a, b::{self, C as D},};", "crate::a crate::b crate::b::C=D"),
            ("pub(crate) use x::Y;", "x::Y"),
            ("use std::fmt;", ""),
            ("x(crate::a::b(1), super::super::c::D)", "crate::a::b super::super::c::D"),
            ("use super::*;", "super::*"),
            ("let x = Self::new(y::z());", ""),
        ];
        for (code, expected) in rows {
            let told = paths_of(code, |name| name == "x").into_iter().map(|path| {
                let last = path.names.last().cloned();
                let renamed = path.name.filter(|name| Some(name) != last.as_ref() && last.as_deref() != Some("*"));
                path.names.join("::") + &renamed.map(|name| format!("={name}")).unwrap_or_default()
            });
            assert_eq!(told.collect::<Vec<_>>().join(" "), expected, "{code}");
        }
    }

    #[test]
    fn only_code_is_left() {
        let text = "a // b\n\"c \\\" d\" e r#\"f \" g\"# h '\"' /* i */ j\n";
        assert_eq!(code_only(text).split_whitespace().collect::<Vec<_>>(), ["a", "e", "h", "j"]);
        let text = "a\n#[cfg(test)]\nmod tests {\n    b\n}\n#[cfg(test)]\nmod c;\n";
        assert_eq!(code_only(text), "a\n\n#[cfg(test)]\nmod c;\n");
        assert_eq!(test_modules(text), ["c"]);
        assert_eq!(without_texts("a /*\n*/ b\n\"\n\"c"), "a  \n b\n \nc");
    }
}
