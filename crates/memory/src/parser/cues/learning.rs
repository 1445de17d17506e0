//! Cues of learnings.

use super::{Hit, LEARNING, LEARNING_TURNS_OUT, LEARNING_WORD, Title};
use crate::parser::sentence::Sentence;

/// Before such a verb, these say that nothing was found out.
const NEGATIONS: &[&str] = &["not", "never", "haven't", "hasn't", "didn't", "until", "if", "before", "machine", "auto"];
/// After such a verb, these are not what was found out.
const NO_FINDING: &[&str] = &[
    "about",
    "by",
    "from",
    "helplessness",
    "weights",
    "parameters",
    "embeddings",
    "behavior",
    "behaviour",
    "via",
    "in",
    "gains",
    "value",
    "values",
    "services",
    "peers",
    "devices",
    "nodes",
    "plugins",
    "tests",
    "at",
    "routes",
    "and",
    "lessons",
    "model",
    "models",
    "policy",
    "policies",
    "features",
    "representations",
    "ranking",
    "sparse",
    "it",
    "how",
    "lots",
    "more",
    "much",
    "nothing",
    "quite",
];
/// After `learned a` and the like, these say how much was found out, or that it was something, but not what.
const SO_MUCH: &[&str] = &["bit", "bunch", "couple", "few", "great", "little", "lot", "new", "ton"];

/// The cue at a word, if there is one.
pub(super) fn cue(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    match s.word(at) {
        // Verbs of finding out, when they are said of the writers.
        word @ ("learned" | "learnt" | "discovered" | "realized" | "realised") => {
            let rule = if word.starts_with("learn") { "learning.learned" } else { "learning.discovered" };
            finding(s, at, at, rule)
        }
        "found" if s.word(at + 1) == "out" => finding(s, at, at + 1, "learning.found_out"),
        "found" if s.word(at + 1) == "that" => finding(s, at, at, "learning.found_out"),
        "figured" if s.word(at + 1) == "out" && matches!(s.word(at + 2), "that" | "why" | "how") => {
            finding(s, at, at + 1, "learning.found_out")
        }
        "turns" | "turned" if s.word(at + 1) == "out" => turns_out(s, at),
        "til" => {
            let word = s.words.get(at)?;
            let is_upper = &s.line.shown[word.start..word.end] == "TIL";
            (is_upper && s.starts_clause(at) && at + 1 < s.words.len())
                .then(|| Hit::learning("learning.til", LEARNING_WORD, Title::After(skip_that(s, at))))
        }
        "gotcha" => {
            let is_said = s.word(at + 1) == "is" || s.is_labelled(at) && s.starts_clause(at);
            let last = if s.word(at + 1) == "is" { at + 1 } else { at };
            (is_said && last + 1 < s.words.len())
                .then(|| Hit::learning("learning.gotcha", LEARNING_WORD, Title::After(skip_that(s, last))))
        }
        _ => None,
    }
}

/// The last word of a run of `that` after `last`.
fn skip_that(s: &Sentence<'_>, last: usize) -> usize {
    if s.word(last + 1) == "that" { last + 1 } else { last }
}

fn finding(s: &Sentence<'_>, at: usize, last: usize, rule: &'static str) -> Option<Hit> {
    let hard_way = s.has(last + 1, &["the", "hard", "way"]);
    let last = if hard_way { last + 3 } else { last };
    let last = skip_that(s, last);
    let is_fact = s.is_ours(at) && !s.clause_has_before(at, NEGATIONS);
    let only_how_much = s.word(last + 1) == "a" && SO_MUCH.contains(&s.word(last + 2));
    (is_fact && !only_how_much && last + 1 < s.words.len() && !NO_FINDING.contains(&s.word(last + 1)))
        .then(|| Hit::learning(rule, LEARNING, Title::After(last)))
}

fn turns_out(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let starts = s.starts_clause(at)
        || matches!(s.before(at), "it" | "as" | "this")
            && (at < 2 || s.starts_clause(at - 1) || s.before(at - 1) == "as");
    let last = skip_that(s, at + 1);
    let is_taste = matches!(
        s.word(last + 1),
        "fine" | "well" | "ok" | "okay" | "great" | "good" | "nice" | "nicely" | "better" | "alright"
    ) || s.has(at + 2, &["that", "way"]);
    let is_end = last + 1 >= s.words.len();
    let is_doubt = s.clause_has_before(at, &["if", "how", "see", "whether", "what"]);
    (starts && !is_taste && !is_end && !is_doubt)
        .then(|| Hit::learning("learning.turns_out", LEARNING_TURNS_OUT, Title::After(last)))
}
