//! Rules that people write down as orders: `Never run X on prod`.

use super::{Hit, LEARNING, Title};
use crate::parser::sentence::Sentence;

/// The name of the rule of these.
pub(crate) const RULE: &str = "learning.rule";
/// What is ordered of those who work on code. Others order dinner: `Always fun to pair with Kai`, `Never mind`.
const VERBS: &[&str] = &[
    "add", "assume", "bump", "cache", "call", "change", "close", "commit", "create", "delete", "deploy", "disable",
    "edit", "enable", "expose", "import", "install", "keep", "log", "merge", "mix", "mock", "move", "mutate", "open",
    "pass", "pin", "push", "put", "rebase", "release", "rely", "remove", "rename", "restart", "return", "reuse", "run",
    "send", "set", "share", "skip", "squash", "start", "store", "touch", "trust", "upgrade", "use", "wrap", "write",
];
/// Fewest words of one that says what it is about: `Never run it` does not.
const MIN_WORDS: usize = 4;

/// The rule that a sentence is, from its word `at` on.
pub(super) fn rule(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let last = match (s.word(at), s.word(at + 1)) {
        ("never" | "always" | "don't", _) => at,
        ("do", "not") => at + 1,
        _ => return None,
    };
    let is_order = VERBS.contains(&s.word(last + 1)) && !matches!(s.word(last + 2), "it" | "this" | "that" | "them");
    (is_order && s.words.len() >= at + MIN_WORDS).then(|| Hit::learning(RULE, LEARNING, Title::From(at)))
}
