//! Rules that people write down as orders: `Never run X on prod`.

use super::{Hit, LEARNING, Title};
use crate::parser::sentence::Sentence;
use crate::parser::words::rule;

/// The name of the rule of these.
pub(crate) const RULE: &str = "learning.rule";
/// Fewest words of one that says what it is about: `Never run it` does not.
const MIN_WORDS: usize = 4;

/// The rule that a sentence is, from its word `at` on.
pub(super) fn rule(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let last = match (s.word(at), s.word(at + 1)) {
        ("never" | "always" | "don't", _) => at,
        ("do", "not") => at + 1,
        _ => return None,
    };
    let is_order = rule::VERBS.contains(&s.word(last + 1)) && !rule::NO_OBJECT.contains(&s.word(last + 2));
    (is_order && s.words.len() >= at + MIN_WORDS).then(|| Hit::learning(RULE, LEARNING, Title::From(at)))
}
