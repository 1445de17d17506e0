//! Cues of learnings.

use super::{Cue, Hit, LEARNING, LEARNING_TURNS_OUT, LEARNING_WORD, Title};
use crate::parser::sentence::Sentence;
use crate::parser::words::learning;

/// The words that may say that something was found out.
const CUES: &[Cue] = &[
    Cue::new(&["learned", "learnt"], |s, at| finding(s, at, at, "learning.learned")),
    Cue::new(&["discovered", "realized", "realised"], |s, at| finding(s, at, at, "learning.discovered")),
    Cue::new(&["found"], |s, at| finding(s, at, at + 1, "learning.found_out")).then(&["out"]),
    Cue::new(&["found"], |s, at| finding(s, at, at, "learning.found_out")).then(&["that"]),
    Cue::new(&["figured"], figured_out).then(&["out"]),
    Cue::new(&["turns", "turned"], turns_out).then(&["out"]),
    Cue::new(&["til"], til),
    Cue::new(&["gotcha"], gotcha),
];

/// The cue at a word, if there is one.
pub(super) fn cue(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    Cue::at(CUES, s, at)
}

fn figured_out(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let says_what = learning::FIGURED.contains(&s.word(at + 2));
    says_what.then(|| finding(s, at, at + 1, "learning.found_out"))?
}

fn til(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let word = s.words.get(at)?;
    let is_upper = &s.line.shown[word.start..word.end] == "TIL";
    (is_upper && s.starts_clause(at) && at + 1 < s.words.len())
        .then(|| Hit::learning("learning.til", LEARNING_WORD, Title::After(skip_that(s, at))))
}

fn gotcha(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let is_said = s.word(at + 1) == "is" || s.is_labelled(at) && s.starts_clause(at);
    let last = if s.word(at + 1) == "is" { at + 1 } else { at };
    (is_said && last + 1 < s.words.len())
        .then(|| Hit::learning("learning.gotcha", LEARNING_WORD, Title::After(skip_that(s, last))))
}

/// The last word of a run of `that` after `last`.
fn skip_that(s: &Sentence<'_>, last: usize) -> usize {
    if s.word(last + 1) == "that" { last + 1 } else { last }
}

fn finding(s: &Sentence<'_>, at: usize, last: usize, rule: &'static str) -> Option<Hit> {
    let hard_way = s.has(last + 1, &["the", "hard", "way"]);
    let last = if hard_way { last + 3 } else { last };
    let last = skip_that(s, last);
    let is_fact = s.is_ours(at) && !s.clause_has_before(at, learning::NEGATIONS);
    let only_how_much = s.word(last + 1) == "a" && learning::SO_MUCH.contains(&s.word(last + 2));
    (is_fact && !only_how_much && last + 1 < s.words.len() && !learning::NO_FINDING.contains(&s.word(last + 1)))
        .then(|| Hit::learning(rule, LEARNING, Title::After(last)))
}

fn turns_out(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let starts = s.starts_clause(at)
        || learning::BEFORE_TURNS.contains(&s.before(at))
            && (at < 2 || s.starts_clause(at - 1) || s.before(at - 1) == "as");
    let last = skip_that(s, at + 1);
    let is_taste = learning::TASTE.contains(&s.word(last + 1)) || s.has(at + 2, &["that", "way"]);
    let is_end = last + 1 >= s.words.len();
    let is_doubt = s.clause_has_before(at, learning::NOT_YET_OUT);
    (starts && !is_taste && !is_end && !is_doubt)
        .then(|| Hit::learning("learning.turns_out", LEARNING_TURNS_OUT, Title::After(last)))
}
