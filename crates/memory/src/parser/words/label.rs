//! Words around labels.

use super::Words;

/// Words that may stand between the start of a sentence and the noun of a `word:` form.
pub(crate) const MODIFIERS: Words = &[
    "a", "also", "an", "and", "another", "big", "biggest", "current", "first", "key", "known", "main", "new", "one",
    "only", "open", "other", "our", "remaining", "root", "second", "still", "the", "third",
];

/// Cues that say nothing when they stand alone.
pub(crate) const BARE: Words =
    &["blocked", "bug", "decided", "fixed", "gotcha", "issue", "learned", "problem", "resolved", "solved", "til"];

/// First words of a pinned text that make it a decision.
pub(crate) const PINNED_DECISIONS: Words = &["always", "choose", "never", "use"];

/// Labels of what to do about a gotcha.
pub(crate) const WORKAROUND: Words = &["fix", "instead", "solution", "way around", "workaround"];

/// What may stand behind `next` in a label of plans.
pub(crate) const NEXT_ENDINGS: Words = &["step", "steps", "up"];
