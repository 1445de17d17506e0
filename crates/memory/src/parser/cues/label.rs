//! Labels, pins and the quick form.

use super::{DECISION, DECISION_LABEL, Hit, ISSUE_WORD, LABEL, LEARNING, LEARNING_WORD, Role, Title};
use crate::parser::sentence::Sentence;

/// The rule of a text that is a memory without any cue.
pub(crate) const NO_CUE: &str = "learning.text";

/// How many words a pin takes, and whether there is one.
pub(super) fn pin(sentence: &Sentence<'_>, is_first: bool) -> (usize, bool) {
    let Some(word) = sentence.words.first().filter(|_| is_first && sentence.is_labelled(0)) else { return (0, false) };
    let shown = &sentence.line.shown[word.start..word.end];
    let is_bold = sentence.line.is_bold(word.start);
    let is_pin = shown == "KEY" || (is_bold && word.text == "key") || word.text == "important";
    (usize::from(is_pin), is_pin)
}

/// The first word after `MEMORY:`.
pub(super) fn quick(sentence: &Sentence<'_>) -> Option<usize> {
    let shown = |index: usize| &sentence.line.shown[sentence.words[index].start..sentence.words[index].end];
    (0..sentence.words.len())
        .find(|index| {
            sentence.word(*index) == "memory"
                && shown(*index) == "MEMORY"
                && sentence.after(*index).trim_start_matches('*').starts_with(':')
        })
        .map(|index| index + 1)
}

/// Words that may stand between the start of a sentence and the noun of a `word:` form.
const MODIFIERS: &[&str] = &[
    "a",
    "also",
    "an",
    "and",
    "another",
    "big",
    "biggest",
    "current",
    "first",
    "key",
    "known",
    "main",
    "new",
    "one",
    "only",
    "open",
    "other",
    "remaining",
    "root",
    "second",
    "still",
    "the",
    "third",
    "our",
];

/// A label or a `word:` form at the start of a sentence. `strong` makes a plain label count as a bold one.
pub(super) fn label(sentence: &Sentence<'_>, at: usize, strong: bool) -> Option<Hit> {
    let mut index = at;
    while MODIFIERS.contains(&sentence.word(index)) {
        index += 1;
    }
    let word = sentence.words.get(index)?;
    let is_bold = sentence.line.is_bold(word.start);
    // `**Decided** to use it` has no colon, but is bold.
    if !(sentence.is_labelled(index) || is_bold && closes_label(sentence, index)) {
        return None;
    }
    let bold = (is_bold || strong) && index == at;
    let title = Title::After(index);
    let pick = |label: f32, plain: f32| if bold { label } else { plain };
    let learning = |rule: (&'static str, &'static str), plain: f32| {
        Some(Hit::learning(if bold { rule.0 } else { rule.1 }, pick(LABEL, plain), title))
    };
    let issue = |rule: (&'static str, &'static str)| {
        Hit::issue(if bold { rule.0 } else { rule.1 }, pick(LABEL, ISSUE_WORD), title)
    };
    match &*word.text {
        "decided" | "decision" => {
            let rule = if bold { "decision.label" } else { "decision.word" };
            // `**Decided** to use it`, `**Decided:** to use it`: the title is what was decided.
            let is_open = !sentence.after(index).contains(':');
            let skipped = match sentence.word(index + 1) {
                "to" => true,
                "on" | "that" => is_open,
                _ => false,
            };
            let title = if skipped { Title::After(index + 1) } else { title };
            let hit = Hit::decision(rule, title);
            Some(Hit { score: pick(DECISION + DECISION_LABEL, DECISION), ..hit })
        }
        "problem" | "issue" | "bug" => Some(issue(("issue.label", "issue.word"))),
        "fixed" | "resolved" | "solved" => {
            let dashed = !sentence.after(index).trim_start_matches('*').starts_with(':') && !bold;
            (!dashed || index == at).then(|| issue(("issue.fixed_label", "issue.fixed_word")).fix())
        }
        "blocked" => Some(issue(("issue.blocked_label", "issue.blocked_word")).blocked()),
        "learned" | "learning" | "learnt" | "lesson" if bold || sentence.after(index).starts_with(':') => {
            learning(("learning.label", "learning.word"), LEARNING)
        }
        "til" => learning(("learning.til_label", "learning.til"), LEARNING_WORD),
        "gotcha" => learning(("learning.gotcha_label", "learning.gotcha"), LEARNING_WORD),
        _ => None,
    }
}

/// Whether the bold text ends with this word.
fn closes_label(sentence: &Sentence<'_>, index: usize) -> bool {
    let end = sentence.words[index].end;
    index + 1 < sentence.words.len() && !sentence.line.is_bold(end) && !sentence.after(index).trim().is_empty()
        || index + 1 < sentence.words.len() && !sentence.line.is_bold(sentence.words[index + 1].start)
}

/// Whether nothing but the word of a cue is left: it says what would follow, and nothing does.
pub(super) fn is_bare_cue(sentence: &Sentence<'_>, at: usize) -> bool {
    let is_cue = matches!(
        sentence.word(at),
        "decided"
            | "problem"
            | "issue"
            | "bug"
            | "learned"
            | "til"
            | "gotcha"
            | "blocked"
            | "fixed"
            | "resolved"
            | "solved"
    );
    is_cue && at + 1 == sentence.words.len()
}

/// A pinned or quick text without a cue.
pub(super) fn without_cue(sentence: &Sentence<'_>, at: usize, pinned: bool) -> Hit {
    // Elsewhere `til` in small letters means `until`.
    if sentence.word(at) == "til" && !pinned {
        let last = if sentence.word(at + 1) == "that" { at + 1 } else { at };
        return Hit::learning("learning.til", LEARNING_WORD, Title::After(last));
    }
    let decides = matches!(sentence.word(at), "use" | "choose" | "never" | "always");
    let title = Title::After(at - 1);
    let mut hit = if pinned && decides {
        Hit::decision("decision.pin", title)
    } else {
        Hit::learning(if pinned { "learning.pin" } else { NO_CUE }, LEARNING, title)
    };
    hit.role = Role::Plain;
    hit
}
