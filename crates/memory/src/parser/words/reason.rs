//! Words that lead to reasons, alternatives and the ends of titles, or show that none is given.

use super::Words;

/// First words of a sentence that a title leaves out.
pub(crate) const BEFORE_TITLE: Words = &["and", "but", "so", "the"];

/// After a comma, these tell how something was fixed.
pub(crate) const HOW: Words = &["by", "thanks", "through"];

/// After `since`, these make it a time and no reason.
pub(crate) const SINCE_TIME: Words = &[
    "about", "april", "august", "december", "early", "february", "friday", "january", "july", "june", "last", "late",
    "march", "may", "merging", "monday", "moving", "november", "october", "release", "saturday", "september", "sunday",
    "switching", "then", "this", "thursday", "today", "tuesday", "updating", "upgrading", "version", "wednesday",
    "when", "yesterday",
];

/// Between `since` and an event.
pub(crate) const SINCE_ARTICLES: Words = &["our", "that", "the"];

/// After `since the`, these make it a time and no reason.
pub(crate) const SINCE_EVENTS: Words = &[
    "beginning", "bump", "deploy", "last", "merge", "migration", "move", "refactor", "release", "rewrite", "start",
    "update", "upgrade",
];

/// Before `from`, these say that what follows was in use.
pub(crate) const SWITCHING: Words = &["away", "migrated", "migrating", "moved", "moving", "switched", "switching"];

/// Before `over`, these make a verb with it, and no comparison: `take over`.
pub(crate) const VERBS_WITH_OVER: Words = &[
    "all", "carried", "carry", "fail", "failed", "go", "hand", "handed", "is", "iterate", "iterates", "iterating",
    "just", "left", "loop", "looping", "loops", "roll", "rolled", "run", "runs", "send", "sent", "serve", "served",
    "spread", "start", "starting", "stream", "streamed", "switch", "sync", "take", "taken", "takes", "taking", "talk",
    "talks", "took", "turn", "well", "went", "wrapper",
];

/// After `, not`, these go on with a statement rather than with a thing.
pub(crate) const NO_THING: Words = &[
    "", "because", "by", "even", "for", "if", "in", "just", "much", "on", "only", "really", "so", "sure", "that", "to",
    "when", "with", "yet",
];

/// These end the name of what was not chosen.
pub(crate) const ENDS_ALTERNATIVE: Words = &[
    "after", "anymore", "as", "because", "due", "for", "if", "in", "instead", "over", "rather", "reason", "since",
    "so", "that", "to", "until", "when", "which", "while", "why",
];

/// Where the name of what was given up ends.
pub(crate) const ENDS_GIVEN_UP: Words =
    &[" for ", " in ", " because ", " since ", " to ", ", ", ": ", " (", " - ", " – ", " — "];

/// Before the name of what was given up.
pub(crate) const GIVEN_UP_VERBS: Words =
    &["away from ", "ship ", "shipping ", "support ", "supporting ", "use ", "using "];

/// First words of an item below a memory that tell something else of it than its reason.
pub(crate) const TELLS_OTHER: Words = &[
    "also", "alternative", "alternatives", "asked", "but", "considered", "discussed", "except", "looked", "not", "see",
    "then", "tried",
];

/// Labels of such an item that do give a reason.
pub(crate) const REASON_LABELS: Words =
    &["because", "benefit", "benefits", "pro", "pros", "rationale", "reason", "reasoning", "why"];
