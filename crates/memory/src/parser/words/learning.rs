//! Words that the cues of learnings look at.

use super::Words;

/// Before such a verb, these say that nothing was found out.
pub(crate) const NEGATIONS: Words =
    &["auto", "before", "didn't", "hasn't", "haven't", "if", "machine", "never", "not", "until"];

/// After such a verb, these are not what was found out.
pub(crate) const NO_FINDING: Words = &[
    "about", "and", "at", "behavior", "behaviour", "by", "devices", "embeddings", "features", "from", "how", "in",
    "it", "lessons", "lots", "model", "models", "more", "much", "nodes", "nothing", "parameters", "peers", "plugins",
    "policies", "policy", "quite", "ranking", "representations", "services", "tests", "value", "values", "via",
    "weights",
];

/// After `learned a` and the like, these say how much was found out, or that it was something, but not what.
pub(crate) const SO_MUCH: Words = &["bit", "bunch", "couple", "few", "great", "little", "lot", "new", "ton"];

/// After `turns out`, these say how well something went, not what was found out.
pub(crate) const TASTE: Words = &["alright", "better", "fine", "good", "great", "nice", "nicely", "ok", "okay", "well"];

/// Before `turns out` in the same clause, these say that it is not known yet.
pub(crate) const NOT_YET_OUT: Words = &["how", "if", "see", "what", "whether"];

/// Before `turns out`, these start the sentence with it.
pub(crate) const BEFORE_TURNS: Words = &["as", "it", "this"];

/// After `figured out`, these say what was found out rather than what was solved.
pub(crate) const FIGURED: Words = &["how", "that", "why"];
