//! Words that show where sentences and entries begin and end, and who speaks.

use super::Words;

/// A full stop after these ends no sentence.
pub(crate) const ABBREVIATIONS: Words = &[
    "approx", "ca", "cf", "dr", "e.g", "eg", "eq", "fig", "i.e", "ie", "incl", "mr", "mrs", "ms", "resp", "ver", "viz",
    "vol", "vs",
];

/// These may end one, if a capital letter follows.
pub(crate) const MAYBE_LAST: Words = &["al", "etc", "inc", "jr", "ltd", "max", "min", "no", "sec", "sr", "st"];

/// Words that may stand before the first word that counts.
pub(crate) const FILLERS: Words = &[
    "actually", "afterwards", "again", "already", "also", "and", "anyway", "apparently", "basically", "but",
    "eventually", "finally", "fyi", "hence", "just", "later", "meanwhile", "note", "now", "ok", "okay", "so", "then",
    "therefore", "thus", "today", "ultimately", "update", "well", "yesterday",
];

/// Words between a subject and its verb.
pub(crate) const ADVERBS: Words = &[
    "again", "all", "already", "also", "both", "eventually", "finally", "has", "have", "hence", "jointly", "just",
    "now", "once", "only", "quickly", "recently", "simply", "so", "then", "therefore", "today", "together",
    "ultimately", "unanimously", "yesterday",
];

/// Before `we`, these make what follows no fact.
pub(crate) const HYPOTHETICAL: Words = &[
    "after", "assuming", "before", "could", "did", "do", "if", "in-case", "might", "once", "should", "suppose", "till",
    "unless", "until", "when", "whenever", "whether", "would",
];

/// First words of an entry of its own behind a semicolon.
pub(crate) const STARTS: Words = &["blocked", "decided", "discovered", "fixed", "learned", "til"];

/// The same, where a colon follows.
pub(crate) const STARTS_LABELLED: Words = &["bug", "gotcha", "issue", "next", "problem"];

/// Who writes, as the subject of a verb.
pub(crate) const WRITERS: Words = &["everyone", "i", "i'm", "i've", "team", "us", "we", "we're", "we've"];
