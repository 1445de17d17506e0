//! Cues of decisions.

use super::{Cue, Hit, Role, Title};
use crate::parser::sentence::Sentence;
use crate::parser::words::decision;

/// The words that may say that something was decided.
const CUES: &[Cue] = &[
    Cue::new(&["decided"], match_decided),
    Cue::new(&["chose", "picked"], chose),
    Cue::new(&["going", "gone"], going_with).then(&["with"]),
    Cue::new(&["went"], went_with).then(&["with"]),
    Cue::new(&["settled"], settled_on).then(&["on"]),
    Cue::new(&["opted", "opting"], |s, at| decide_if(ours_or_being(s, at), at, "decision.opted_for")).then(&["for"]),
    Cue::new(&["agreed"], |s, at| decide_if(s.is_ours(at), at, "decision.agreed")).then(&["to", "on", "that"]),
    Cue::new(&["sticking", "staying"], |s, at| decide_if(ours_or_being(s, at), at, "decision.sticking_with"))
        .then(&["with"]),
    Cue::new(&["switched", "switching", "moved", "migrated", "moving", "migrating"], match_switched),
    Cue::new(decision::ENDING, |s, at| match_replaced(s, at).or_else(|| done_away_with(s, at))),
    Cue::new(&["rolled", "backed"], |s, at| done_away_with(s, at + 1)).then(&["back", "out"]),
    Cue::new(&["using"], using),
    Cue::new(&["use"], used_instead),
    Cue::new(&["longer"], no_longer).after(&["no"]),
];

/// The cue at a word, if there is one.
pub(super) fn cue(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    Cue::at(CUES, s, at)
}

/// The decision that two words make it, the title behind them.
fn decide_if(holds: bool, at: usize, rule: &'static str) -> Option<Hit> {
    holds.then(|| Hit::decision(rule, Title::After(at + 1)))
}

fn went_with(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let ours = s.is_ours(at) && !s.has(at + 2, &["the", "flow"]);
    decide_if(ours && is_choice(s, at + 2), at, "decision.went_with")
}

fn settled_on(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let ours = s.is_ours(at) || decision::DECIDERS.contains(&s.before(at)) && s.before(at) != "is";
    decide_if(ours, at, "decision.settled_on")
}

fn is_choice(s: &Sentence<'_>, at: usize) -> bool {
    at < s.words.len() && !decision::NO_CHOICE.contains(&s.word(at))
}

/// Whether a participle is said of the writers: `going with`, `we're going with`, `we are going with`.
fn ours_or_being(s: &Sentence<'_>, at: usize) -> bool {
    let be = decision::ARE.contains(&s.before(at));
    if s.before(at) == "up" && matches!(s.before(at - 1), "ended" | "end" | "ending") {
        return s.is_ours(at - 2);
    }
    s.is_ours(at)
        || (be && s.is_ours(at - 1) && at >= 2)
        || (s.before(at) == "be" && s.clause_has_before(at, &["we'll", "will"]))
}

fn match_decided(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    if s.clause_has_before(at, decision::UNDECIDED) && !decided_it_is(s, at) {
        return None;
    }
    if !(s.is_ours(at) || decision::DECIDERS.contains(&s.before(at)) || is_named(s, at)) {
        return None;
    }
    let mut next = at + 1;
    while decision::BEFORE_MATTER.contains(&s.word(next)) {
        next += 1;
    }
    if s.word(next - 1) == "to" && decision::NO_MATTER.contains(&s.word(next)) {
        return None;
    }
    let hit = Hit::decision("decision.decided", Title::After(next - 1));
    if s.word(next) == "against" {
        let title = if s.word(next + 1) == "using" { Title::After(next + 1) } else { Title::After(next) };
        return Some(Hit { title, prefix: "against ", gives_up: true, ..hit });
    }
    if s.has(next, &["not", "to"]) {
        let uses = decision::ADOPTING.contains(&s.word(next + 2));
        let title = Title::After(if uses { next + 2 } else { next + 1 });
        // "I decided not to." says nothing more.
        let says_more = next + 2 + usize::from(uses) < s.words.len();
        let prefix = if uses { "not " } else { "not to " };
        return says_more.then_some(Hit { title, prefix, gives_up: uses, ..hit });
    }
    (next < s.words.len()).then_some(hit)
}

/// `it was decided`, `it's been decided`: passive, and a fact.
fn decided_it_is(s: &Sentence<'_>, at: usize) -> bool {
    let from = at.saturating_sub(3);
    let is_it = (from..at).any(|index| decision::IMPERSONAL.contains(&s.word(index)));
    is_it && !s.clause_has_before(at, decision::NOT_DECIDED)
}

/// Whether somebody with a name decided, not at the start, where every word has a capital letter.
fn is_named(s: &Sentence<'_>, at: usize) -> bool {
    let Some(word) = at.checked_sub(1).and_then(|index| s.words.get(index)) else { return false };
    let has_capital = s.line.shown[word.start..word.end].starts_with(char::is_uppercase);
    has_capital && at >= 2 && !matches!(s.before(at - 1), "the" | "a")
}

fn chose(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let is_up = s.word(at) == "picked" && decision::PICKED_PARTICLES.contains(&s.word(at + 1));
    if is_up || !s.is_ours(at) || s.word(at + 1) == "to" && s.word(at) == "picked" {
        return None;
    }
    let says_who = decision::CHOOSERS.contains(&s.before(at)) || s.before(at) == "finally";
    let is_choice_for = s.word(at) == "chose" && at == 0 && s.find(at + 2, &["for"]).is_some();
    let contrasts = is_choice_for || s.find(at + 2, decision::CONTRAST).is_some();
    (at + 1 < s.words.len() && (says_who || contrasts)).then(|| Hit::decision("decision.chose", Title::After(at)))
}

fn going_with(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let is_doubt = s.clause_has_before(at, decision::NOT_GOING);
    (ours_or_being(s, at) && is_choice(s, at + 2) && !is_doubt)
        .then(|| Hit::decision("decision.going_with", Title::After(at + 1)))
}

fn match_switched(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    if !ours_or_being(s, at) {
        return None;
    }
    let ends_in_to = |from: usize| s.find(from, &["to"]);
    let is_switch = s.word(at).starts_with("switch");
    let from = match s.word(at + 1) {
        "to" if is_switch => {
            return (at + 2 < s.words.len()).then(|| Hit::decision("decision.switched", Title::After(at + 1)));
        }
        "from" => at + 2,
        "away" if s.word(at + 2) == "from" => {
            return Some(Hit { gives_up: true, ..Hit::decision("decision.switched", Title::From(at + 1)) });
        }
        _ => at + 1,
    };
    let to = ends_in_to(from)?;
    // `moved the file to src` is work; `moved from REST to gRPC` is a choice. What is switched may be anything, from
    // the lights to the seats: so with that before it something must say that it was weighed, or be code.
    let is_code = || s.line.shown[s.start..s.end].contains('`') || names_software(s, to);
    let is_weighed = || s.find(to + 1, decision::CONTRAST).is_some() || is_code();
    let is_choice = s.word(at + 1) == "from" || is_switch && is_weighed();
    (is_choice && to + 1 < s.words.len()).then(|| Hit::decision("decision.switched", Title::After(to)))
}

fn match_replaced(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    if !s.is_ours(at) {
        return None;
    }
    let favour = (at + 1..s.words.len())
        .find(|index| s.word(*index) == "in" && matches!(s.word(index + 1), "favor" | "favour"))?;
    (s.word(favour + 2) == "of" && favour + 3 < s.words.len())
        .then(|| Hit::decision("decision.in_favour_of", Title::After(favour + 2)))
}

/// `reverted the advisory lock`: work like any other, but where a decision had taken just that.
fn done_away_with(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let verb = if matches!(s.word(at), "back" | "out") { at - 1 } else { at };
    (decision::GIVING_UP.contains(&s.word(verb)) && s.is_ours(verb) && at + 1 < s.words.len()).then(|| Hit {
        gives_up: true,
        role: Role::OnlyGivenUp,
        prefix: "gave up ",
        ..Hit::decision("decision.given_up", Title::After(at))
    })
}

fn using(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let starts = s.starts_clause(at) || ours_or_being(s, at) || decision::STARTING.contains(&s.before(at));
    let contrast = s.find(at + 2, decision::USED_OVER)?;
    let is_wire = s.word(contrast) == "over" && !is_alternative(s, contrast + 1);
    let new_clause = (at..contrast).any(|index| s.after(index).contains([';', ':']));
    // `using X instead` of a subject is a fact about code: "using unwrap instead of ? panics".
    (starts && !is_wire && !new_clause).then(|| Hit::decision("decision.using", Title::After(at)))
}

/// Whether a name after a word is written as one of software is: with a capital inside, a digit or a mark of code.
fn names_software(s: &Sentence<'_>, at: usize) -> bool {
    let Some(word) = s.words.get(at + 1) else { return false };
    let name = &s.line.shown[word.start..word.end];
    let has_small = name.contains(char::is_lowercase);
    let is_mixed = has_small && name.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit());
    is_mixed || name.contains(['_', '/', '.', ':', '@']) || has_small && name.starts_with(char::is_uppercase)
}

/// `use zstd instead of gzip`, as a note of its own.
fn used_instead(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    if at > 0 || s.words.len() < 2 {
        return None;
    }
    let contrast = s.find(2, &["instead", "rather"])?;
    let is_contrast = matches!(s.word(contrast + 1), "of" | "than") && contrast + 2 < s.words.len();
    let new_clause = (0..contrast).any(|index| s.after(index).contains([';', ':']));
    // An article makes it an everyday thing: `use the side door instead of the lift`.
    let is_everyday = decision::EVERYDAY.contains(&s.word(1));
    (is_contrast && !new_clause && !is_everyday).then(|| Hit::decision("decision.using", Title::After(0)))
}

/// Whether what stands after `over` can be something that was not chosen: no amount, no time, no medium.
pub(crate) fn is_alternative(s: &Sentence<'_>, at: usize) -> bool {
    let word = s.word(at);
    let noun = if decision::BEFORE_NOUN.contains(&word) { s.word(at + 1) } else { word };
    !word.is_empty() && !decision::NO_ALTERNATIVES.contains(&noun) && !word.starts_with(|c: char| c.is_ascii_digit())
}

fn no_longer(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let verb = decision::NO_LONGER.contains(&s.word(at + 1));
    let no = at - 1;
    let ours = ours_or_being(s, no);
    (verb && ours && at + 2 < s.words.len()).then(|| Hit {
        gives_up: true,
        prefix: "no longer ",
        ..Hit::decision("decision.no_longer", Title::From(at + 1))
    })
}
