//! Words that the cues of issues look at.

use super::Words;

/// Before a failure in the same clause, these make it no fact.
pub(crate) const HYPOTHETICAL: Words = &[
    "any", "anything", "assert", "asserts", "avoid", "avoids", "because", "before", "can", "case", "checks", "could",
    "didn't", "ensure", "ensures", "expect", "expects", "fix", "fixed", "fixes", "handle", "handles", "if", "make",
    "makes", "may", "mean", "means", "might", "must", "never", "no", "nothing", "once", "prevent", "prevents",
    "retries", "retry", "should", "since", "so", "test", "tests", "unless", "until", "verifies", "verify", "when",
    "whenever", "where", "whether", "which", "while", "without", "would",
];

/// After a verb of failing, these go on about it.
pub(crate) const GOES_ON: Words = &[
    "about", "after", "again", "and", "as", "at", "badly", "because", "before", "but", "due", "during", "every", "for",
    "from", "half", "here", "if", "in", "inside", "intermittently", "often", "on", "only", "randomly", "silently",
    "since", "sometimes", "there", "to", "twice", "under", "unless", "when", "whenever", "while", "with", "without",
];

/// Before `failed`, `broken` or `crashes`, these make it a word about a thing.
pub(crate) const ATTRIBUTIVE: Words = &[
    "a", "all", "an", "any", "are", "as", "be", "by", "causes", "count", "counts", "each", "every", "fixes", "for",
    "from", "handle", "handles", "in", "into", "its", "last", "log", "logs", "mark", "marked", "marks", "never", "no",
    "not", "number", "of", "on", "only", "or", "our", "per", "previous", "report", "reported", "reports", "retry",
    "show", "shows", "some", "the", "these", "those", "to", "with",
];

/// Things that are fixed without ever having been broken.
pub(crate) const FIXED_THINGS: Words = &[
    "address", "amount", "array", "budget", "buffer", "config", "cost", "costs", "dependencies", "dependency",
    "header", "height", "import", "imports", "income", "interval", "layout", "length", "list", "name", "names",
    "number", "order", "path", "paths", "point", "position", "positioning", "price", "prices", "promise", "promises",
    "rate", "schema", "scope", "seed", "set", "size", "sized", "sizes", "symbol", "symbols", "term", "type", "types",
    "url", "urls", "value", "values", "version", "versions", "width", "window",
];

/// What can be solved.
pub(crate) const TROUBLES: Words = &[
    "bug", "bugs", "build", "conflict", "conflicts", "crash", "crashes", "deadlock", "error", "errors", "failure",
    "failures", "flake", "flakiness", "hang", "issue", "issues", "leak", "leaks", "loop", "mismatch", "problem",
    "problems", "race", "regression", "timeout", "timeouts", "vulnerability", "warning", "warnings",
];

/// Before `fixed` in the same clause, these say that it is not.
pub(crate) const NOT_FIXED: Words = &[
    "almost", "aren't", "be", "can't", "didn't", "get", "gets", "hasn't", "haven't", "if", "isn't", "never", "not",
    "once", "partially", "should", "unless", "until", "wasn't", "when", "who", "yet",
];

/// After `fixed`, these are not what was fixed.
pub(crate) const NO_OBJECT: Words =
    &["", "and", "as", "at", "by", "for", "from", "in", "it", "now", "on", "per", "to", "today", "up", "via", "with"];

/// Who says `that` behind these tells a fact; elsewhere it tells which thing is meant: `a test that fails`.
pub(crate) const TELLS: Words = &[
    "complained", "complains", "confirmed", "found", "notice", "noticed", "reported", "reports", "saw", "see", "seen",
];

/// After `again`, these go on about the same; everything else is a thing that is done once more.
pub(crate) const AFTER_AGAIN: Words =
    &["", "after", "and", "at", "but", "in", "on", "since", "today", "under", "when", "with"];

/// Before `again` in the same clause, these say that something is done or wanted, not that it happens.
pub(crate) const NOT_RETURNED: Words = &[
    "ask", "avoid", "can", "check", "checked", "could", "if", "let", "let's", "must", "never", "no", "not", "once",
    "please", "ran", "run", "should", "so", "test", "tested", "tried", "try", "unless", "until", "use", "would",
];

/// After `still`, these say that it goes on.
pub(crate) const GOES_ON_STILL: Words = &[
    "happening", "happens", "occurs", "open", "present", "reproduces", "reproducible", "there", "unresolved",
    "unsolved",
];

/// Before `works now` in the same clause, these say that it does not, or only should.
pub(crate) const NOT_WORKING: Words = &[
    "aren't", "doesn't", "don't", "if", "isn't", "make", "must", "never", "no", "not", "should", "so", "until", "would",
];

/// Before a verb of meeting in the same clause, these say that nobody did, or not who writes.
pub(crate) const NOT_MET: Words = &[
    "can", "could", "didn't", "don't", "if", "may", "might", "never", "not", "should", "to", "users", "whenever",
    "without", "would", "you",
];

/// Before the noun, these say that there is none, or that many are meant.
pub(crate) const NOT_ONE: Words = &["all", "and", "any", "every", "no", "not", "or", "without", "zero"];

/// Verbs of meeting trouble.
pub(crate) const MEETING: Words =
    &["discovered", "encountered", "encountering", "facing", "found", "having", "hit", "hitting", "noticed", "seeing"];

/// Between the verb and the noun, these go on.
pub(crate) const DETERMINERS: Words = &["a", "an", "another", "one", "some", "the", "this"];

/// Before `struggling with` and `stuck on` in the same clause, these make it no fact.
pub(crate) const NOT_STRUGGLING: Words =
    &["anyone", "avoid", "gets", "if", "might", "never", "no", "not", "when", "whenever"];

/// Before `blocked by` in the same clause, these make it no fact, or one about code.
pub(crate) const NOT_BLOCKED: Words = &[
    "aren't", "if", "isn't", "might", "never", "no", "not", "that", "unless", "until", "was", "were", "when", "which",
    "would",
];

/// Right before `blocked by`, these say it of the work.
pub(crate) const IS_BLOCKED: Words = &["am", "currently", "i'm", "is", "it's", "now", "remains", "still", "we're"];

/// Right before `waiting for`, these say it of the work.
pub(crate) const IS_WAITING: Words = &["am", "currently", "i'm", "still", "we're"];

/// Before `waiting for` in the same clause, these make it no fact, or one about code.
pub(crate) const NOT_WAITING: Words = &["if", "instead", "no", "not", "stop", "that", "when", "while", "without"];

/// Behind `waiting for`, these verbs say that a sentence is about code.
pub(crate) const WAITING_DOES: Words = &["blocks", "can", "causes", "costs", "is", "makes", "takes"];

/// Between `fixed` and what was fixed.
pub(crate) const BEFORE_OBJECT: Words = &["a", "an", "another", "one", "our", "that", "the", "this"];

/// Right before `fixed` and `solved`, these make it passive.
pub(crate) const WAS_FIXED: Words = &["all", "also", "are", "been", "finally", "got", "is", "now", "was", "were"];

/// Between what was fixed and a passive `fixed`.
pub(crate) const BEFORE_FIXED: Words = &["also", "are", "been", "finally", "has", "have", "is", "now", "was"];

/// Between `does not` and the verb, these say how well it does.
pub(crate) const HOW_WELL: Words =
    &["actually", "always", "correctly", "even", "properly", "really", "reliably", "yet"];

/// What things do that work; `does not` makes it an issue.
pub(crate) const WORKING: Words = &[
    "build", "compile", "connect", "load", "loading", "render", "respond", "responding", "start", "starting", "work",
    "working",
];

/// Before `do not work`, these make it an order, or one about people.
pub(crate) const NOT_A_THING: Words = &["i", "please", "to", "we", "you"];

/// Before `broken`, `failing` and `failed`, these say that it is so.
pub(crate) const BEING: Words = &[
    "again", "also", "are", "been", "completely", "currently", "got", "is", "just", "keep", "keeps", "looks", "now",
    "randomly", "seems", "sometimes", "started", "starts", "still", "suddenly", "totally", "was", "were",
];

/// Who fails is no issue.
pub(crate) const PEOPLE: Words = &["and", "i", "we", "you"];

/// Before `crashes`, `hangs` and `fails`, these make it a noun.
pub(crate) const SOME: Words = &["fewer", "four", "more", "three", "two"];

/// Between what fails and the word that says so.
pub(crate) const BEFORE_FAILING: Words = &["are", "is", "just", "keep", "now", "started", "still", "was", "were"];

/// What fails, though the same words elsewhere look for failures.
pub(crate) const CHECKS: Words = &["checks", "retries", "test", "tests"];

/// After `broken`, these say that something was taken apart, or by whom.
pub(crate) const BROKEN_PARTS: Words = &["by", "down", "into", "out", "up"];

/// Words that hold a negation of the verb behind them.
pub(crate) const NEGATED: Words =
    &["aren't", "can't", "didn't", "doesn't", "doesnt", "don't", "isn't", "isnt", "won't", "wont"];

/// Before `not`, these say that it negates the verb behind it.
pub(crate) const BEFORE_NOT: Words = &["are", "did", "do", "does", "is", "still", "will"];

/// What things do that are in order.
pub(crate) const WORKS: Words = &["green", "pass", "passes", "passing", "work", "working", "works"];
