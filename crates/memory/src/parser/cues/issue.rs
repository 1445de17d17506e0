//! Cues of issues, of what solves them and of what blocks.

use super::{Cue, Hit, ISSUE_MET, ISSUE_NEGATION, ISSUE_WORD, Role, Title};
use crate::parser::sentence::{Sentence, is_clause_break};
use crate::parser::words::issue;

/// The words that may say something of an issue.
const CUES: &[Cue] = &[
    Cue::new(&["problem", "problems", "issue", "issues", "bug", "bugs"], noun),
    Cue::new(&["fixed", "resolved", "solved"], match_solved),
    Cue::new(&["blocked"], match_blocked).then(&["by", "on"]),
    Cue::new(&["waiting"], waiting).then(&["for", "on"]),
    Cue::new(&["struggling"], |s, at| match_met(s, at, "issue.struggling")).then(&["with"]),
    Cue::new(&["stuck"], |s, at| match_met(s, at, "issue.stuck")).then(&["on"]),
    Cue::new(&["longer"], match_unblocked).after(&["no"]),
    Cue::new(issue::NEGATED, match_negated),
    Cue::new(&["not"], match_negated).after(issue::BEFORE_NOT),
    Cue::new(&["working"], |s, at| failure(s, at - 1, "issue.stopped_working")).after(&["stopped", "stops"]),
    Cue::new(&["broken", "failing", "failed", "fails", "crashes", "hangs", "fail"], failing),
    Cue::new(issue::WORKS, works_now).then(&["again", "now"]),
    Cue::new(&["back", "regressed", "reappeared", "again", "still"], match_returned),
];

/// The cue at a word, if there is one.
pub(super) fn cue(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let hit = Cue::at(CUES, s, at)?;
    let again = hit.role == Role::Plain
        && (at.saturating_sub(2)..at + 4).any(|index| matches!(s.word(index), "again" | "still"));
    Some(if again { Hit { role: Role::Again, ..hit } } else { hit })
}

/// `hit an issue with auth`, `bug in the parser: …`, `there is a problem when …`.
fn noun(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let follows = s.word(at + 1);
    let title = match follows {
        _ if s.is_labelled(at) => Title::After(at),
        "with" | "where" | "that" => Title::After(at + 1),
        "" => return None,
        _ => Title::From(at),
    };
    if let Some(verb) = meeting_verb(s, at) {
        let is_doubt = s.clause_has_before(verb, issue::NOT_MET);
        return (!is_doubt).then(|| Hit::issue("issue.met", ISSUE_MET, title));
    }
    let starts = s.starts_clause(at) && (at == 0 || s.after(at - 1).contains(':'));
    let singular = matches!(s.word(at), "problem" | "issue" | "bug");
    (starts && singular && matches!(follows, "with" | "in" | "when" | "where"))
        .then(|| Hit::issue("issue.noun", ISSUE_MET, title))
}

/// The verb by which somebody met the noun at `at`: `hit a weird bug`, `there is a problem`.
fn meeting_verb(s: &Sentence<'_>, at: usize) -> Option<usize> {
    const ADJECTIVES: usize = 3;
    let mut index = at;
    for _ in 0..=ADJECTIVES {
        index = index.checked_sub(1)?;
        let word = s.word(index);
        if issue::NOT_ONE.contains(&word) {
            return None;
        }
        let plain = issue::MEETING.contains(&word);
        let into = word == "into" && matches!(s.before(index), "ran" | "run" | "running");
        let there = matches!(word, "is" | "was" | "are") && s.before(index) == "there" || word == "there's";
        let have = matches!(word, "have" | "had" | "has" | "got")
            && (matches!(s.before(index), "we" | "i" | "still" | "we've") || s.starts_clause(index));
        if plain || into || there || have {
            return Some(index);
        }
        if is_determiner(word) && index + 1 < at + 1 && !matches!(word, "the") {
            continue;
        }
        if s.after(index).trim() != "" {
            return None;
        }
    }
    None
}

fn is_determiner(word: &str) -> bool {
    issue::DETERMINERS.contains(&word)
}

/// `struggling with X`, `stuck on X`.
fn match_met(s: &Sentence<'_>, at: usize, rule: &'static str) -> Option<Hit> {
    let last = at + 1;
    let is_doubt = s.clause_has_before(at, issue::NOT_STRUGGLING);
    (!is_doubt && last + 1 < s.words.len()).then(|| Hit::issue(rule, ISSUE_MET, Title::After(last)))
}

fn match_blocked(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let is_doubt = s.clause_has_before(at, issue::NOT_BLOCKED);
    let be = s.before(at);
    let said_of_work = s.is_ours(at) || issue::IS_BLOCKED.contains(&be) || (be == "are" && s.before(at - 1) == "we");
    (said_of_work && !is_doubt && at + 2 < s.words.len())
        .then(|| Hit::issue("issue.blocked", ISSUE_WORD, Title::After(at + 1)).with_blocked())
}

/// `no longer blocked on finance`: only matters where that is known to block.
fn match_unblocked(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let (state, by) = (s.word(at + 1), s.word(at + 2));
    let is_over = state == "blocked" && matches!(by, "by" | "on") || state == "waiting" && matches!(by, "for" | "on");
    let said_of_work = s.is_ours(at - 1) || matches!(s.before(at - 1), "are" | "am" | "is");
    (is_over && said_of_work && at + 3 < s.words.len())
        .then(|| Hit { role: Role::OnlyUnblocked, ..Hit::issue("issue.unblocked", ISSUE_WORD, Title::After(at + 2)) })
}

fn waiting(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let be = s.before(at);
    let ours = s.starts_clause(at) && (at == 0 || !s.after(at - 1).contains(','))
        || issue::IS_WAITING.contains(&be)
        || (be == "are" && s.before(at - 1) == "we");
    let is_doubt = s.clause_has_before(at, issue::NOT_WAITING);
    // "Waiting for the lock takes 3 s" is about code, but a note starts the same way: a verb after it tells them apart.
    let goes_on = (at + 2..s.words.len()).any(|index| issue::WAITING_DOES.contains(&s.word(index)));
    (ours && !is_doubt && !goes_on && at + 2 < s.words.len())
        .then(|| Hit::issue("issue.waiting", ISSUE_WORD, Title::After(at + 1)).with_blocked())
}

/// `fixed the login loop`, `the CORS problem is fixed now`.
fn match_solved(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    if s.clause_has_before(at, issue::NOT_FIXED) {
        return None;
    }
    let mut object = at + 1;
    while issue::BEFORE_OBJECT.contains(&s.word(object)) {
        object += 1;
    }
    let is_trouble = |index: usize| issue::TROUBLES.contains(&s.word(index));
    if s.is_ours(at) && !issue::NO_OBJECT.contains(&s.word(at + 1)) && object < s.words.len() {
        let is_thing =
            (object..(object + 3).min(s.words.len())).any(|index| issue::FIXED_THINGS.contains(&s.word(index)));
        let is_told = !is_thing || (object..s.words.len()).any(is_trouble);
        return is_told.then(|| Hit::issue("issue.fixed", ISSUE_MET, Title::From(object)).fix());
    }
    let passive = issue::WAS_FIXED.contains(&s.before(at));
    let mut end = at.checked_sub(1).filter(|_| passive)?;
    while end > 0 && issue::BEFORE_FIXED.contains(&s.word(end - 1)) {
        end -= 1;
    }
    (0..end).any(is_trouble).then(|| Hit::issue("issue.is_fixed", ISSUE_MET, Title::Before(end)).fix())
}

/// `X does not work`.
fn match_negated(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let mut verb = at + 1;
    while issue::HOW_WELL.contains(&s.word(verb)) {
        verb += 1;
    }
    let works = issue::WORKING.contains(&s.word(verb));
    let subject = if s.word(at) == "not" { at.checked_sub(1)? } else { at };
    // `Don't work on main` is an order.
    if !works || subject == 0 || s.starts_clause(subject) || issue::NOT_A_THING.contains(&s.before(subject)) {
        return None;
    }
    // `It doesn't work that way` tells how it does.
    if s.has(verb, &["work", "that"]) {
        return None;
    }
    failure(s, subject, "issue.negation")
}

fn failing(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let (before, next) = (s.before(at), s.word(at + 1));
    let ends = at + 1 == s.words.len() || s.after(at).contains([',', ';', ':', '(']) || issue::GOES_ON.contains(&next);
    let is_being = issue::BEING.contains(&before);
    let holds = match s.word(at) {
        "broken" => {
            let parts = issue::BROKEN_PARTS.contains(&next);
            let attribute = issue::ATTRIBUTIVE.contains(&before) && before != "are";
            !parts && at > 0 && ends && (is_being || !attribute)
        }
        "failing" => at > 0 && (is_being || !issue::ATTRIBUTIVE.contains(&before)) && ends,
        "failed" => {
            at > 0
                && (is_being && before != "is" && before != "are"
                    || !issue::ATTRIBUTIVE.contains(&before) && !is_we(before))
                && ends
        }
        "fail" => at > 0 && ends && is_plural(before) && !issue::ATTRIBUTIVE.contains(&before),
        _ => at > 0 && ends && !issue::ATTRIBUTIVE.contains(&before) && !is_plural_owner(s, at),
    };
    if holds { failure(s, at, "issue.failing") } else { None }
}

fn is_we(word: &str) -> bool {
    issue::PEOPLE.contains(&word)
}

fn is_plural(word: &str) -> bool {
    word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") || word == "still"
}

/// `fixes two crashes`: a noun after a number.
fn is_plural_owner(s: &Sentence<'_>, at: usize) -> bool {
    let before = s.before(at);
    before.starts_with(|c: char| c.is_ascii_digit()) || issue::SOME.contains(&before)
}

/// The word before which a failure may be supposed: `tests` and `checks` are what fails there, not what looks for
/// failures.
fn subject_of(s: &Sentence<'_>, at: usize) -> usize {
    let mut verb = at;
    while issue::BEFORE_FAILING.contains(&s.before(verb)) {
        verb -= 1;
    }
    if issue::CHECKS.contains(&s.before(verb)) { verb - 1 } else { at }
}

/// A failure that is told as a fact. The whole sentence is its title.
fn failure(s: &Sentence<'_>, at: usize, rule: &'static str) -> Option<Hit> {
    let subject = subject_of(s, at);
    if s.clause_has_before(subject, issue::HYPOTHETICAL) || is_of_a_that(s, subject) || at == 0 {
        return None;
    }
    Some(Hit::issue(rule, ISSUE_NEGATION, Title::From(0)))
}

/// Whether a `that` stands before a word in its clause that makes it no fact.
fn is_of_a_that(s: &Sentence<'_>, at: usize) -> bool {
    s.clause_has_before(at, &["that"])
        && (0..at)
            .rev()
            .find(|index| s.word(*index) == "that")
            .is_none_or(|that| !issue::TELLS.contains(&s.before(that)))
}

/// `the date tests are green now`: solves an issue that is known; said of nothing known it is no memory.
fn works_now(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let is_being = matches!(s.before(at), "is" | "are");
    let verb = if is_being { at.checked_sub(1)? } else { at };
    let is_end = at + 2 >= s.words.len() || is_clause_break(s.after(at + 1));
    let is_told = verb > 0
        && is_end
        && !s.clause_has_before(at, issue::NOT_WORKING)
        && (is_being || s.word(at).ends_with('s') || s.word(at) != "working");
    is_told.then(|| Hit { role: Role::OnlyWorks, ..Hit::issue("issue.works_now", ISSUE_NEGATION, Title::Before(verb)) })
}

/// `the CORS problem is back`, `Safari drops cookies again`: only matters where the issue is known.
fn match_returned(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let is_doubt = || s.clause_has_before(at, issue::NOT_RETURNED);
    let verb = match (s.word(at), s.before(at)) {
        ("back", "is" | "are" | "came" | "come") => at - 1,
        ("regressed" | "reappeared", _) if at > 0 => at,
        ("again", before) if issue::WORKS.contains(&before) => return None,
        ("again", _) if at > 1 && issue::AFTER_AGAIN.contains(&s.word(at + 1)) && !is_doubt() => at,
        ("still", "is" | "are") if at > 1 && issue::GOES_ON_STILL.contains(&s.word(at + 1)) && !is_doubt() => at - 1,
        ("still", _) if at > 0 && issue::GOES_ON_STILL.contains(&s.word(at + 1)) && !is_doubt() => at,
        _ => return None,
    };
    let hit = Hit::issue("issue.returned", ISSUE_NEGATION, Title::Before(verb));
    Some(Hit { role: Role::OnlyAgain, ..hit })
}
