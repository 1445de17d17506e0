//! Turns of phrase that documents, comments, errors and texts of tools do without, each with what to write instead.

use super::allowed::Finding;
use super::paths::without_tests;
use super::{Source, area};

/// Key of this rule in the list of allowed findings.
pub(super) const RULE: &str = "wording";

/// Words of a sentence that is found, in any case, and the better form. `*` in front stands for a form of "to be".
const PHRASES: &[(&str, &str)] = &[
    ("* no", "write `is not a` (`there is no` is fine)"),
    ("* another", "write what differs: `has changed`, `differs`"),
    ("so many", "write `this many` or `at most`"),
    ("any more", "write `no longer`"),
    ("any longer", "write `no longer`"),
];
/// What `*` stands for.
const TO_BE: &[&str] = &["is", "are", "was", "were"];
/// Words in front of `is no` that make it a plain sentence: `there is no row`.
const FINE_BEFORE: &[&str] = &["there", "here"];
/// Words behind `is no` that make it a plain sentence: `is no longer`.
const FINE_BEHIND: &[&str] = &["longer", "more", "less", "fewer", "later", "earlier", "one"];

pub(super) fn find(source: &Source) -> Vec<Finding> {
    if !is_read(source) {
        return Vec::new();
    }
    let text = if source.is_rust() { without_tests(&source.text) } else { source.text.clone() };
    let words = list_words(&text);
    let mut findings = Vec::new();
    for at in 0..words.len() {
        for (phrase, advice) in PHRASES {
            if let Some(found) = read_phrase(phrase, &words[at..]).filter(|_| !is_fine(phrase, &words, at)) {
                findings.push(Finding {
                    place: format!("{}:{}", source.path, words[at].line),
                    what: format!("`{found}`: {advice}"),
                    key: (RULE, area(&source.path), (*phrase).to_owned()),
                });
            }
        }
    }
    findings
}

/// Whether people read the sentences of a file: code and documents, but for tests, data and this list of phrases.
fn is_read(source: &Source) -> bool {
    let is_kind = source.is_rust() || source.is_document();
    is_kind && !source.is_test() && !source.is_data() && !source.path.ends_with("tidy/wording.rs")
}

struct Word<'t> {
    text: &'t str,
    line: usize,
    /// Whether a mark that ends a clause stands behind it.
    ends_clause: bool,
}

/// The words of a text, over the ends of lines: marks of comments and of continued literals are not words.
fn list_words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for part in line.split_whitespace() {
            let word = part.trim_matches(|c: char| !c.is_alphanumeric());
            if !word.is_empty() {
                let ends_clause = !part.ends_with(char::is_alphanumeric);
                words.push(Word { text: word, line: number + 1, ends_clause });
            }
        }
    }
    words
}

/// The phrase as it is written, if the words begin with it.
fn read_phrase(phrase: &str, words: &[Word<'_>]) -> Option<String> {
    let mut found = Vec::new();
    for (at, wanted) in phrase.split(' ').enumerate() {
        let word = words.get(at)?;
        let fits = match wanted {
            "*" => TO_BE.iter().any(|form| word.text.eq_ignore_ascii_case(form)),
            _ => word.text.eq_ignore_ascii_case(wanted),
        };
        // A phrase does not go on behind a comma.
        let is_whole = at == 0 || !words[at - 1].ends_clause;
        if !fits || !is_whole {
            return None;
        }
        found.push(word.text);
    }
    Some(found.join(" "))
}

/// Whether the words around make a plain sentence of `is no`.
fn is_fine(phrase: &str, words: &[Word<'_>], at: usize) -> bool {
    let is_one_of = |at: Option<usize>, list: &[&str]| {
        at.and_then(|at| words.get(at)).is_some_and(|word| list.iter().any(|fine| word.text.eq_ignore_ascii_case(fine)))
    };
    let stands_alone = words.get(at + 1).is_some_and(|word| word.ends_clause);
    phrase == "* no"
        && (stands_alone || is_one_of(at.checked_sub(1), FINE_BEFORE) || is_one_of(Some(at + 2), FINE_BEHIND))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_over_lines_and_in_texts() {
        let rows = [
            ("/// What is no\n/// path.", 1),
            ("// There is no path, and it is no longer read.", 0),
            ("error(\"these are no \\\n    files\")", 1),
            ("The default is `no`.", 0),
            ("It is another than before.", 1),
            ("At most so many rows; also many.", 1),
            ("Not there any more. Are there any moreover?", 1),
            ("nobody reads it any longer", 1),
        ];
        for (text, expected) in rows {
            let source = |path: &str| Source { path: path.to_owned(), text: text.to_owned() };
            for path in ["crates/x/src/a.rs", "docs/a.md"] {
                assert_eq!(find(&source(path)).len(), expected, "{path}: {text}");
            }
            assert!(find(&source("crates/x/tests/a.rs")).is_empty(), "tests may say {text}");
        }
    }
}
