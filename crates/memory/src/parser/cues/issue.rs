//! Cues of issues, of what solves them and of what blocks.

use super::{Hit, ISSUE_MET, ISSUE_NEGATION, ISSUE_WORD, Role, Title};
use crate::parser::sentence::{Sentence, is_clause_break};

/// Before a failure in the same clause, these make it no fact.
const HYPOTHETICAL: &[&str] = &[
    "if", "unless", "whether", "when", "whenever", "while", "until", "once", "so", "ensure", "ensures", "should",
    "would", "could", "might", "may", "must", "can", "assert", "asserts", "expect", "expects", "verify", "verifies",
    "checks", "test", "tests", "case", "prevent", "prevents", "avoid", "avoids", "no", "never", "without", "which",
    "handle", "handles", "mean", "means", "make", "makes", "before", "didn't", "fix", "fixes", "fixed", "anything",
    "nothing", "any", "retry", "retries", "where", "because", "since",
];
/// After a verb of failing, these go on about it.
const GOES_ON: &[&str] = &[
    "after",
    "again",
    "and",
    "as",
    "at",
    "because",
    "before",
    "during",
    "due",
    "every",
    "for",
    "from",
    "if",
    "in",
    "inside",
    "intermittently",
    "on",
    "only",
    "randomly",
    "silently",
    "since",
    "to",
    "under",
    "unless",
    "whenever",
    "when",
    "while",
    "with",
    "without",
    "but",
    "sometimes",
    "twice",
    "often",
    "badly",
    "half",
    "about",
    "here",
    "there",
];
/// Before `failed`, `broken` or `crashes`, these make it a word about a thing.
const ATTRIBUTIVE: &[&str] = &[
    "a", "an", "the", "of", "for", "each", "every", "any", "all", "no", "on", "with", "handle", "handles", "retry",
    "log", "logs", "count", "counts", "per", "these", "those", "previous", "last", "number", "or", "fixes", "causes",
    "shows", "show", "marks", "marked", "mark", "as", "report", "reports", "reported", "never", "not", "into", "to",
    "by", "in", "from", "our", "its", "some", "only", "are", "be",
];

/// The cue at a word, if there is one.
pub(super) fn cue(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let hit = match s.word(at) {
        "problem" | "problems" | "issue" | "issues" | "bug" | "bugs" => noun(s, at),
        "fixed" | "resolved" | "solved" => solved(s, at),
        "blocked" if matches!(s.word(at + 1), "by" | "on") => blocked(s, at),
        "waiting" if matches!(s.word(at + 1), "for" | "on") => waiting(s, at),
        "struggling" if s.word(at + 1) == "with" => met(s, at, at + 1, "issue.struggling"),
        "stuck" if s.word(at + 1) == "on" && !matches!(s.word(at + 2), "chapter" | "level" | "page" | "slide") => {
            met(s, at, at + 1, "issue.stuck")
        }
        "longer" if s.before(at) == "no" => unblocked(s, at),
        "doesn't" | "doesnt" | "won't" | "wont" | "isn't" | "isnt" | "don't" | "didn't" | "aren't" | "can't" => {
            negated(s, at, at + 1)
        }
        "not" if matches!(s.before(at), "does" | "will" | "is" | "do" | "did" | "are" | "still") => {
            negated(s, at, at + 1)
        }
        "working" if matches!(s.before(at), "stopped" | "stops") => failure(s, at - 1, "issue.stopped_working"),
        "broken" | "failing" | "failed" | "fails" | "crashes" | "hangs" | "fail" => failing(s, at),
        "works" | "work" | "working" | "green" | "passing" | "pass" | "passes"
            if matches!(s.word(at + 1), "again" | "now") =>
        {
            works_now(s, at)
        }
        "back" | "regressed" | "reappeared" | "again" | "still" => returned(s, at),
        _ => None,
    }?;
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
        let is_doubt = s.clause_has_before(
            verb,
            &[
                "if", "to", "should", "might", "may", "could", "would", "never", "not", "can", "don't", "didn't",
                "users", "whenever", "you", "without",
            ],
        );
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
        if matches!(word, "no" | "any" | "without" | "not" | "zero" | "every" | "all" | "and" | "or") {
            return None;
        }
        let plain = matches!(
            word,
            "hit"
                | "hitting"
                | "facing"
                | "found"
                | "encountered"
                | "encountering"
                | "noticed"
                | "having"
                | "seeing"
                | "discovered"
        );
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
    matches!(word, "a" | "an" | "another" | "some" | "this" | "the" | "one")
}

/// `struggling with X`, `stuck on X`.
fn met(s: &Sentence<'_>, at: usize, last: usize, rule: &'static str) -> Option<Hit> {
    let is_doubt =
        s.clause_has_before(at, &["if", "when", "not", "no", "never", "whenever", "might", "anyone", "gets", "avoid"]);
    (!is_doubt && last + 1 < s.words.len()).then(|| Hit::issue(rule, ISSUE_MET, Title::After(last)))
}

fn blocked(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let is_doubt = s.clause_has_before(
        at,
        &[
            "not", "if", "never", "isn't", "aren't", "no", "when", "might", "unless", "until", "would", "which",
            "that", "was", "were",
        ],
    );
    let be = s.before(at);
    let said_of_work = s.is_ours(at)
        || matches!(be, "is" | "still" | "currently" | "we're" | "i'm" | "am" | "it's" | "now" | "remains")
        || (be == "are" && s.before(at - 1) == "we");
    (said_of_work && !is_doubt && at + 2 < s.words.len())
        .then(|| Hit::issue("issue.blocked", ISSUE_WORD, Title::After(at + 1)).blocked())
}

/// `no longer blocked on finance`: only matters where that is known to block.
fn unblocked(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let (state, by) = (s.word(at + 1), s.word(at + 2));
    let is_over = state == "blocked" && matches!(by, "by" | "on") || state == "waiting" && matches!(by, "for" | "on");
    let said_of_work = s.is_ours(at - 1) || matches!(s.before(at - 1), "are" | "am" | "is");
    (is_over && said_of_work && at + 3 < s.words.len())
        .then(|| Hit { role: Role::OnlyUnblocked, ..Hit::issue("issue.unblocked", ISSUE_WORD, Title::After(at + 2)) })
}

fn waiting(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let be = s.before(at);
    let ours = s.starts_clause(at) && (at == 0 || !s.after(at - 1).contains(','))
        || matches!(be, "we're" | "i'm" | "am" | "still" | "currently")
        || (be == "are" && s.before(at - 1) == "we");
    let is_doubt = s.clause_has_before(at, &["not", "no", "instead", "while", "without", "stop", "if", "when", "that"]);
    // "Waiting for the lock takes 3 s" is about code, but a note starts the same way: a verb after it tells them apart.
    let goes_on = (at + 2..s.words.len())
        .any(|index| matches!(s.word(index), "takes" | "blocks" | "costs" | "causes" | "makes" | "can" | "is"));
    (ours && !is_doubt && !goes_on && at + 2 < s.words.len())
        .then(|| Hit::issue("issue.waiting", ISSUE_WORD, Title::After(at + 1)).blocked())
}

/// Things that are fixed without ever having been broken.
const FIXED_THINGS: &[&str] = &[
    "amount",
    "array",
    "buffer",
    "cost",
    "costs",
    "header",
    "height",
    "income",
    "interval",
    "length",
    "list",
    "number",
    "order",
    "path",
    "paths",
    "point",
    "position",
    "positioning",
    "price",
    "prices",
    "rate",
    "schema",
    "set",
    "size",
    "sized",
    "sizes",
    "value",
    "values",
    "version",
    "versions",
    "width",
    "promise",
    "promises",
    "url",
    "urls",
    "dependency",
    "dependencies",
    "names",
    "name",
    "address",
    "config",
    "symbols",
    "symbol",
    "imports",
    "import",
    "types",
    "type",
    "layout",
    "term",
    "seed",
    "budget",
    "window",
    "scope",
];
/// What can be solved.
const TROUBLES: &[&str] = &[
    "problem",
    "problems",
    "issue",
    "issues",
    "bug",
    "bugs",
    "error",
    "errors",
    "failure",
    "failures",
    "leak",
    "leaks",
    "crash",
    "crashes",
    "regression",
    "race",
    "deadlock",
    "conflict",
    "conflicts",
    "flake",
    "flakiness",
    "hang",
    "timeout",
    "timeouts",
    "redirect",
    "loop",
    "warning",
    "warnings",
    "cors",
    "vulnerability",
    "mismatch",
    "build",
];

/// Before `fixed` in the same clause, these say that it is not.
const NOT_FIXED: &[&str] = &[
    "not",
    "be",
    "if",
    "never",
    "until",
    "unless",
    "once",
    "when",
    "should",
    "isn't",
    "wasn't",
    "aren't",
    "hasn't",
    "haven't",
    "can't",
    "didn't",
    "gets",
    "get",
    "almost",
    "partially",
    "yet",
    "who",
];
/// After `fixed`, these are not what was fixed.
const NO_OBJECT: &[&str] =
    &["", "by", "in", "with", "now", "at", "to", "on", "via", "today", "and", "it", "for", "up", "as", "per", "from"];

/// `fixed the login loop`, `the CORS problem is fixed now`.
fn solved(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    if s.clause_has_before(at, NOT_FIXED) {
        return None;
    }
    let mut object = at + 1;
    while matches!(s.word(object), "the" | "a" | "an" | "that" | "this" | "our" | "another" | "one") {
        object += 1;
    }
    let is_trouble = |index: usize| TROUBLES.contains(&s.word(index));
    if s.is_ours(at) && !NO_OBJECT.contains(&s.word(at + 1)) && object < s.words.len() {
        let is_thing = (object..(object + 3).min(s.words.len())).any(|index| FIXED_THINGS.contains(&s.word(index)));
        let is_told = !is_thing || (object..s.words.len()).any(is_trouble);
        return is_told.then(|| Hit::issue("issue.fixed", ISSUE_MET, Title::From(object)).fix());
    }
    let passive =
        matches!(s.before(at), "is" | "was" | "are" | "were" | "been" | "got" | "now" | "finally" | "also" | "all");
    let mut end = at.checked_sub(1).filter(|_| passive)?;
    while end > 0
        && matches!(s.word(end - 1), "is" | "was" | "has" | "have" | "are" | "been" | "now" | "finally" | "also")
    {
        end -= 1;
    }
    (0..end).any(is_trouble).then(|| Hit::issue("issue.is_fixed", ISSUE_MET, Title::Before(end)).fix())
}

/// `X does not work`.
fn negated(s: &Sentence<'_>, at: usize, next: usize) -> Option<Hit> {
    let mut verb = next;
    while matches!(
        s.word(verb),
        "properly" | "correctly" | "really" | "actually" | "yet" | "even" | "always" | "reliably"
    ) {
        verb += 1;
    }
    let works = matches!(
        s.word(verb),
        "work"
            | "working"
            | "load"
            | "loading"
            | "start"
            | "starting"
            | "build"
            | "compile"
            | "respond"
            | "responding"
            | "connect"
            | "render"
    );
    let subject = if s.word(at) == "not" { at.checked_sub(1)? } else { at };
    // `Don't work on main` is an order.
    if !works
        || subject == 0
        || s.starts_clause(subject)
        || matches!(s.before(subject), "we" | "i" | "you" | "please" | "to")
    {
        return None;
    }
    if works
        && s.word(verb) == "work"
        && matches!(s.word(verb + 1), "like" | "that" | "out")
        && s.word(verb + 1) == "that"
    {
        return None;
    }
    failure(s, subject, "issue.negation")
}

fn failing(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let (before, next) = (s.before(at), s.word(at + 1));
    let ends = at + 1 == s.words.len() || s.after(at).contains([',', ';', ':', '(']) || GOES_ON.contains(&next);
    let is_being = matches!(
        before,
        "is" | "are"
            | "was"
            | "were"
            | "got"
            | "still"
            | "seems"
            | "looks"
            | "completely"
            | "currently"
            | "now"
            | "totally"
            | "been"
            | "suddenly"
            | "again"
            | "keeps"
            | "keep"
            | "started"
            | "starts"
            | "randomly"
            | "sometimes"
            | "just"
            | "also"
    );
    let holds = match s.word(at) {
        "broken" => {
            let parts = matches!(next, "down" | "into" | "up" | "out" | "link" | "links" | "by" | "windows");
            let attribute = ATTRIBUTIVE.contains(&before) && before != "are";
            !parts && at > 0 && ends && (is_being || !attribute)
        }
        "failing" => at > 0 && (is_being || !ATTRIBUTIVE.contains(&before)) && ends,
        "failed" => {
            at > 0
                && (is_being && before != "is" && before != "are" || !ATTRIBUTIVE.contains(&before) && !is_we(before))
                && ends
        }
        "fail" => at > 0 && ends && is_plural(before) && !ATTRIBUTIVE.contains(&before),
        _ => at > 0 && ends && !ATTRIBUTIVE.contains(&before) && !is_plural_owner(s, at),
    };
    if holds { failure(s, at, "issue.failing") } else { None }
}

fn is_we(word: &str) -> bool {
    matches!(word, "we" | "i" | "you" | "and")
}

fn is_plural(word: &str) -> bool {
    word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") || word == "still"
}

/// `fixes two crashes`: a noun after a number.
fn is_plural_owner(s: &Sentence<'_>, at: usize) -> bool {
    let before = s.before(at);
    before.starts_with(|c: char| c.is_ascii_digit())
        || matches!(before, "two" | "three" | "four" | "more" | "fewer" | "test" | "safe" | "fail")
}

/// The word before which a failure may be supposed: `tests` and `checks` are what fails there, not what looks for failures.
fn subject_of(s: &Sentence<'_>, at: usize) -> usize {
    let mut verb = at;
    while matches!(s.before(verb), "is" | "are" | "was" | "were" | "still" | "keep" | "now" | "just" | "started") {
        verb -= 1;
    }
    if matches!(s.before(verb), "test" | "tests" | "checks" | "retries") { verb - 1 } else { at }
}

/// A failure that is told as a fact. The whole sentence is its title.
fn failure(s: &Sentence<'_>, at: usize, rule: &'static str) -> Option<Hit> {
    let subject = subject_of(s, at);
    if s.clause_has_before(subject, HYPOTHETICAL) || is_of_a_that(s, subject) || at == 0 {
        return None;
    }
    Some(Hit::issue(rule, ISSUE_NEGATION, Title::From(0)))
}

/// Who says `that` behind these tells a fact; elsewhere it tells which thing is meant: `a test that fails`.
const TELLS: &[&str] = &[
    "complained",
    "complains",
    "confirmed",
    "found",
    "notice",
    "noticed",
    "reported",
    "reports",
    "saw",
    "see",
    "seen",
];

/// Whether a `that` stands before a word in its clause that makes it no fact.
fn is_of_a_that(s: &Sentence<'_>, at: usize) -> bool {
    s.clause_has_before(at, &["that"])
        && (0..at).rev().find(|index| s.word(*index) == "that").is_none_or(|that| !TELLS.contains(&s.before(that)))
}

/// After `again`, these go on about the same; everything else is a thing that is done once more.
const AFTER_AGAIN: &[&str] = &["", "after", "and", "at", "but", "in", "on", "since", "today", "under", "when", "with"];
/// Before `again` in the same clause, these say that something is done or wanted, not that it happens.
const NOT_RETURNED: &[&str] = &[
    "not", "never", "no", "if", "should", "would", "could", "must", "can", "let", "let's", "try", "tried", "run",
    "ran", "check", "checked", "test", "tested", "use", "until", "unless", "so", "avoid", "once", "please", "ask",
];
/// `the date tests are green now`: solves an issue that is known; said of nothing known it is no memory.
fn works_now(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    const NOT: &[&str] = &[
        "not", "never", "no", "if", "until", "should", "would", "must", "make", "doesn't", "don't", "isn't", "aren't",
        "so",
    ];
    let is_being = matches!(s.before(at), "is" | "are");
    let verb = if is_being { at.checked_sub(1)? } else { at };
    let is_end = at + 2 >= s.words.len() || is_clause_break(s.after(at + 1));
    let is_told = verb > 0
        && is_end
        && !s.clause_has_before(at, NOT)
        && (is_being || s.word(at).ends_with('s') || s.word(at) != "working");
    is_told.then(|| Hit { role: Role::OnlyWorks, ..Hit::issue("issue.works_now", ISSUE_NEGATION, Title::Before(verb)) })
}

/// After `still`, these say that it goes on.
const GOES_ON_STILL: &[&str] = &[
    "there",
    "open",
    "happens",
    "happening",
    "occurs",
    "present",
    "reproduces",
    "reproducible",
    "unsolved",
    "unresolved",
];

/// `the CORS problem is back`, `Safari drops cookies again`: only matters where the issue is known.
fn returned(s: &Sentence<'_>, at: usize) -> Option<Hit> {
    let is_doubt = || s.clause_has_before(at, NOT_RETURNED);
    let verb = match (s.word(at), s.before(at)) {
        ("back", "is" | "are" | "came" | "come") => at - 1,
        ("regressed" | "reappeared", _) if at > 0 => at,
        ("again", "works" | "work" | "working" | "green" | "passing" | "pass" | "passes") => return None,
        ("again", _) if at > 1 && AFTER_AGAIN.contains(&s.word(at + 1)) && !is_doubt() => at,
        ("still", "is" | "are") if at > 1 && GOES_ON_STILL.contains(&s.word(at + 1)) && !is_doubt() => at - 1,
        ("still", _) if at > 0 && GOES_ON_STILL.contains(&s.word(at + 1)) && !is_doubt() => at,
        _ => return None,
    };
    let hit = Hit::issue("issue.returned", ISSUE_NEGATION, Title::Before(verb));
    Some(Hit { role: Role::OnlyAgain, ..hit })
}
