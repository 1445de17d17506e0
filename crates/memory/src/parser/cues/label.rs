//! Labels, pins and the quick form.

use super::{DECISION, DECISION_LABEL, Hit, ISSUE_WORD, LABEL, LEARNING, LEARNING_WORD, Role, Title};
use crate::parser::sentence::Sentence;
use crate::parser::words::label;
use crate::parser::words::meaning::{self, Meaning};

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

/// A label or a `word:` form at the start of a sentence. `strong` makes a plain label count as a bold one.
pub(super) fn label(sentence: &Sentence<'_>, at: usize, strong: bool) -> Option<Hit> {
    let mut index = at;
    while label::MODIFIERS.contains(&sentence.word(index)) {
        index += 1;
    }
    let word = sentence.words.get(index)?;
    let is_bold = sentence.line.is_bold(word.start);
    if let Some(last) = end_of_remark(sentence, index) {
        return of_meaning(sentence, (index, last), at, is_bold || strong);
    }
    // `**Decided** to use it` has no colon, but is bold.
    if !(sentence.is_labelled(index) || is_bold && closes_label(sentence, index)) {
        return None;
    }
    of_meaning(sentence, (index, index), at, is_bold || strong)
}

/// The last word of what stands between a label and its colon: `Decided (Sam): …`, `Decision #7: …`, `Decision made:
/// …`.
fn end_of_remark(sentence: &Sentence<'_>, index: usize) -> Option<usize> {
    const MAX_WORDS: usize = 5;
    let next = sentence.word(index + 1);
    let is_number = !next.is_empty() && next.bytes().all(|byte| byte.is_ascii_digit());
    if sentence.word(index) == "decision" && (next == "made" || is_number) && sentence.is_labelled(index + 1) {
        return Some(index + 1);
    }
    let opens = sentence.after(index).trim_start() == "(";
    (index + 1..=index + MAX_WORDS)
        .find(|last| sentence.after(*last).starts_with(')'))
        .filter(|last| opens && sentence.after(*last).starts_with("):"))
}

/// What a label is, by its word and the last word that belongs to it.
fn of_meaning(sentence: &Sentence<'_>, (index, last): (usize, usize), at: usize, is_strong: bool) -> Option<Hit> {
    let word = sentence.words.get(index)?;
    let bold = is_strong && index == at;
    let title = Title::After(last);
    let pick = |label: f32, plain: f32| if bold { label } else { plain };
    let learning = |rule: (&'static str, &'static str), plain: f32| {
        Some(Hit::learning(if bold { rule.0 } else { rule.1 }, pick(LABEL, plain), title))
    };
    let issue = |rule: (&'static str, &'static str)| {
        Hit::issue(if bold { rule.0 } else { rule.1 }, pick(LABEL, ISSUE_WORD), title)
    };
    match meaning::meaning(&word.text)? {
        Meaning::Decision => {
            let rule = if bold { "decision.label" } else { "decision.word" };
            // `**Decided** to use it`, `**Decided:** to use it`: the title is what was decided.
            let is_open = !sentence.after(last).contains(':');
            let skipped = match sentence.word(last + 1) {
                "to" => true,
                "on" | "that" => is_open,
                _ => false,
            };
            let title = if skipped { Title::After(last + 1) } else { title };
            let hit = Hit::decision(rule, title);
            Some(Hit { score: pick(DECISION + DECISION_LABEL, DECISION), ..hit })
        }
        Meaning::Issue => Some(issue(("issue.label", "issue.word"))),
        Meaning::Fix => {
            let dashed = !sentence.after(last).contains([':', '：']) && !bold;
            (!dashed || index == at).then(|| issue(("issue.fixed_label", "issue.fixed_word")).fix())
        }
        Meaning::Blocked => Some(issue(("issue.blocked_label", "issue.blocked_word")).with_blocked()),
        Meaning::Unblocked => Some(issue(("issue.unblocked_label", "issue.unblocked_word")).fix()),
        Meaning::Learning if bold || sentence.after(last).contains([':', '：']) => {
            learning(("learning.label", "learning.word"), LEARNING)
        }
        Meaning::Learning => None,
        Meaning::Til => learning(("learning.til_label", "learning.til"), LEARNING_WORD),
        Meaning::Warning if is_strong && !sentence.line.is_bold(word.start) => None,
        Meaning::Gotcha | Meaning::Warning => learning(("learning.gotcha_label", "learning.gotcha"), LEARNING_WORD),
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
    let is_cue = label::BARE.contains(&sentence.word(at));
    is_cue && at + 1 == sentence.words.len()
}

/// A pinned or quick text without a cue.
pub(super) fn without_cue(sentence: &Sentence<'_>, at: usize, pinned: bool) -> Hit {
    // Elsewhere `til` in small letters means `until`.
    if sentence.word(at) == "til" && !pinned {
        let last = if sentence.word(at + 1) == "that" { at + 1 } else { at };
        return Hit::learning("learning.til", LEARNING_WORD, Title::After(last));
    }
    let decides = label::PINNED_DECISIONS.contains(&sentence.word(at));
    let title = Title::After(at - 1);
    let mut hit = if pinned && decides {
        Hit::decision("decision.pin", title)
    } else {
        Hit::learning(if pinned { "learning.pin" } else { NO_CUE }, LEARNING, title)
    };
    hit.role = Role::Plain;
    hit
}
