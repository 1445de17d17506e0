//! What the macros of a project do where code uses them.

use std::collections::{BTreeMap, BTreeSet};

use super::super::KnownCalls;
use super::declared::split_words;

/// How deep macros in macros are followed.
const MAX_DEPTH: usize = 6;
/// Words of a macro that leave the code around it.
const LEAVING: &[&str] = &["return", "goto", "break", "continue", "alloca", "va_start", "co_return", "co_await"];

/// The definitions of a macro, and of those that it uses.
pub(super) struct Expansion {
    bodies: Vec<String>,
}

impl Expansion {
    /// Finds what a name expands to; `None` if it is not a macro of the project.
    pub(super) fn find(name: &str, calls: &dyn KnownCalls) -> Option<Self> {
        let mut bodies = calls.macros_named(name);
        if bodies.is_empty() {
            return None;
        }
        let (mut seen, mut from) = (BTreeSet::from([name.to_owned()]), 0);
        for _ in 0..MAX_DEPTH {
            let words: Vec<String> = bodies[from..]
                .iter()
                .flat_map(|body| split_words(body).map(str::to_owned).collect::<Vec<_>>())
                .collect();
            from = bodies.len();
            for word in words {
                if seen.insert(word.clone()) {
                    bodies.extend(calls.macros_named(&word));
                }
            }
            if from == bodies.len() {
                break;
            }
        }
        Some(Self { bodies })
    }

    /// The words of all bodies, without the parameters of each.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.bodies.iter().flat_map(|body| {
            let (list, rest) = split_parameters(body);
            split_words(rest).filter(move |word| !split_words(list).any(|parameter| parameter == *word))
        })
    }

    /// A word with which it leaves the code around it.
    pub(super) fn find_leaving(&self) -> Option<&str> {
        self.words().find(|word| LEAVING.contains(word))
    }

    /// Returns whether it may give what it is given another value, or take its address.
    pub(super) fn may_change(&self) -> bool {
        self.bodies.iter().any(|body| {
            let (list, text) = split_parameters(body);
            split_words(list).any(|parameter| changes(text, parameter))
        })
    }

    /// Returns whether it may give another value to a word that it names, or take its address.
    pub(super) fn may_change_word(&self, word: &str) -> bool {
        self.bodies.iter().any(|body| changes(split_parameters(body).1, word))
    }

    /// Returns whether it looks at the text of its arguments, or at their size.
    pub(super) fn is_textual(&self) -> bool {
        self.bodies.iter().any(|body| body.contains("##")) || self.words().any(|word| word == "sizeof")
    }
}

/// Words of declarations that say nothing about types.
const STORAGE: &[&str] = &["static", "extern", "inline", "__inline", "__inline__", "register"];

/// The text with blanks for macros that stand for nothing, or for words that a parser can do without: `FAR`, `local`.
pub(super) fn blank_empty(text: &str, calls: &dyn KnownCalls) -> String {
    let (mut known, mut blanked) = (BTreeMap::new(), String::with_capacity(text.len()));
    let mut is_directive = false;
    for line in text.split_inclusive('\n') {
        let continues = is_directive && blanked.trim_end_matches(['\r', '\n']).ends_with('\\');
        is_directive = continues || line.trim_start().starts_with('#');
        if is_directive {
            blanked.push_str(line);
            continue;
        }
        let mut from = 0;
        for word in split_words(line) {
            let at = word.as_ptr() as usize - line.as_ptr() as usize;
            let is_empty = *known.entry(word).or_insert_with(|| {
                let bodies = calls.macros_named(word);
                bodies
                    .iter()
                    .any(|body| split_words(body).all(|word| STORAGE.contains(&word)) && !body.starts_with('('))
            });
            if is_empty {
                blanked.push_str(&line[from..at]);
                blanked.extend(std::iter::repeat_n(' ', word.len()));
                from = at + word.len();
            }
        }
        blanked.push_str(&line[from..]);
    }
    blanked
}

/// The list of parameters of a macro, and its body.
fn split_parameters(body: &str) -> (&str, &str) {
    match body.starts_with('(') {
        true => body.split_once(')').unwrap_or((body, "")),
        false => ("", body),
    }
}

/// Returns whether a text writes a word: `w = 1`, `(w)++`, `&w`.
fn changes(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let (before, behind) = (&text[..at], &text[at + word.len()..]);
        if before.ends_with(is_part) || behind.starts_with(is_part) {
            return false;
        }
        let before = before.trim_end_matches([' ', '(']);
        let behind = behind.trim_start_matches([' ', ')']);
        let operator = behind.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>']);
        let is_assigned = operator.starts_with('=') && !operator.starts_with("==") && !behind.starts_with(['<', '>'])
            || behind.starts_with("<<=")
            || behind.starts_with(">>=");
        let is_address = before.ends_with('&') && !before.ends_with("&&") && {
            let left = before.trim_end_matches('&').trim_end();
            !left.ends_with(|c: char| is_part(c) || c == ')' || c == ']')
        };
        is_assigned
            || is_address
            || behind.starts_with("++")
            || behind.starts_with("--")
            || before.ends_with("++")
            || before.ends_with("--")
    })
}
