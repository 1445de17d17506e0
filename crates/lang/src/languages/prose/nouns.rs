//! The kind of thing that a text says a name is, by the noun beside it: "the `limit` option", "class `Pool`".

use crate::facts::Wanted;

/// Spans of code between a name and its noun: "`a`, `b` and `c` options".
const MAX_BETWEEN: usize = 8;
/// Bytes behind a name that are looked at.
const MAX_BEHIND: usize = 400;
/// Longest line whose nouns are read, in bytes: each name of a line is looked for from its start.
const MAX_LINE: usize = 8_000;

/// Nouns in the singular, by what they ask for.
const NOUNS: &[(Wanted, &[&str])] = &[
    (
        Wanted::Member,
        &["property", "attribute", "field", "member", "option", "setting", "hook", "getter", "setter", "accessor"],
    ),
    (Wanted::Method, &["method"]),
    (Wanted::Function, &["function", "decorator", "macro", "helper"]),
    (
        Wanted::Type,
        &[
            "class", "struct", "type", "trait", "enum", "interface", "constructor", "exception", "protocol", "mixin",
            "instance", "object",
        ],
    ),
    (
        Wanted::Nothing,
        &[
            "command", "parameter", "argument", "keyword", "header", "key", "directory", "folder", "file", "package",
            "library", "crate", "branch", "tag", "event", "environment", "database", "table", "column", "tool",
            "binary", "executable", "element", "operator", "extension", "prefix", "suffix", "cookie",
        ],
    ),
];

/// A noun beside a name, in the singular, and what it asks for.
pub(super) fn beside(lines: &[&str], line: u32, name: &str) -> Option<(Wanted, &'static str)> {
    let at = line.saturating_sub(1) as usize;
    let own = lines.get(at).filter(|line| line.len() <= MAX_LINE)?;
    let (before, behind) = around(own, name)?;
    let next = lines.get(at + 1).copied().unwrap_or("");
    let next = &next[..next.floor_char_boundary(MAX_BEHIND)];
    let mut rest = behind[..behind.floor_char_boundary(MAX_BEHIND)].to_owned();
    // A paragraph may break its line between a name and its noun.
    rest.push(' ');
    rest.push_str(next.trim_start());
    noun_behind(&rest).or_else(|| noun_before(before))
}

/// The text in front of the span of code with a name, and behind it.
fn around<'t>(line: &'t str, name: &str) -> Option<(&'t str, &'t str)> {
    let mut from = 0;
    while let Some(at) = line[from..].find(name).map(|at| from + at) {
        let end = at + name.len();
        let before = line[..at].trim_end_matches(['@', '.', '~']);
        if before.ends_with('`') {
            // What stands behind the name in the span are its arguments.
            let close = line[end..].find('`').map(|close| end + close)?;
            return Some((before.trim_end_matches('`'), line[close..].trim_start_matches('`')));
        }
        from = end;
    }
    None
}

fn noun_behind(text: &str) -> Option<(Wanted, &'static str)> {
    let mut rest = text;
    for _ in 0..MAX_BETWEEN {
        rest = without_link(rest).trim_start_matches(['*', '_', ' ']);
        let next = rest.strip_prefix([',', '/', '|']).unwrap_or(rest).trim_start();
        let next = ["or ", "and "].iter().find_map(|word| next.strip_prefix(word)).unwrap_or(next).trim_start();
        let span = next.trim_start_matches(['*', '[']);
        match span.strip_prefix('`').map(|inner| inner.trim_start_matches('`')) {
            Some(inner) if next.len() < rest.len() => {
                let close = inner.find('`')?;
                rest = inner[close..].trim_start_matches('`');
            }
            _ => break,
        }
    }
    let word: &str = rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
    noun(word)
}

/// The text without the rest of a link: `](target)`.
fn without_link(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("](").or_else(|| text.strip_prefix("][")) else { return text };
    rest.find([')', ']']).map_or(text, |end| &rest[end + 1..])
}

fn noun_before(text: &str) -> Option<(Wanted, &'static str)> {
    let bare = text.trim_end_matches(['[', '*']);
    let word = bare.strip_suffix(' ')?.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
    // In the plural, it may be the verb: "`x` types".
    noun(word).filter(|(_, noun)| noun.len() == word.len())
}

fn noun(word: &str) -> Option<(Wanted, &'static str)> {
    let lower = word.to_ascii_lowercase();
    let singular = match lower.as_str() {
        "properties" => "property",
        "directories" => "directory",
        "libraries" => "library",
        "binaries" => "binary",
        "classes" => "class",
        "prefixes" => "prefix",
        "suffixes" => "suffix",
        "class" => "class",
        other => other.strip_suffix('s').unwrap_or(other),
    };
    let rows = NOUNS.iter().flat_map(|(wanted, nouns)| nouns.iter().map(|noun| (*wanted, *noun)));
    rows.into_iter().find(|(_, noun)| *noun == singular)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_stand_behind_a_name_or_in_front_of_it() {
        for (text, name, wanted) in [
            ("the `signal` option", "signal", Some("option")),
            ("the [`signal` option](a.md#b)", "signal", Some("option")),
            ("the [`signal`](a.md#b) options", "signal", Some("option")),
            ("when `body`, `json`, or `form` options are", "body", Some("option")),
            ("class ``Pool`` is", "Pool", Some("class")),
            ("the ``close()`` method", "close", Some("method")),
            ("with the ``folder`` argument.", "folder", Some("argument")),
            ("see **`x`** properties", "x", Some("property")),
            ("option `a` is on", "a", Some("option")),
            ("options `a` is on", "a", None),
            ("`a` is an option", "a", None),
            ("`a` b `c` option", "a", None),
            ("a `b", "b", None),
            ("plain option", "plain", None),
        ] {
            assert_eq!(beside(&[text], 1, name).map(|(_, noun)| noun), wanted, "{text}");
        }
        assert_eq!(beside(&["the `a`", "method"], 1, "a").map(|(_, noun)| noun), Some("method"));
    }
}
