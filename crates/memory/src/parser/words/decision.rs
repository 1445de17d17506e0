//! Words that the cues of decisions look at.

use super::Words;

/// Before `decided`, these say that nothing is decided.
pub(crate) const UNDECIDED: Words = &[
    "as", "be", "before", "being", "can't", "cannot", "could", "didn't", "don't", "get", "gets", "hadn't", "hasn't",
    "haven't", "how", "if", "may", "might", "must", "need", "needs", "never", "nobody", "not", "nothing", "once",
    "should", "till", "undecided", "unless", "until", "what", "when", "where", "whether", "who", "would", "yet",
];

/// Who may decide, without being `we`.
pub(crate) const DECIDERS: Words = &[
    "been", "board", "customer", "design", "everyone", "group", "is", "it's", "legal", "maintainers", "management",
    "meeting", "ops", "people", "product", "security", "team", "they", "was", "were",
];

/// After `decided to`, these put it off or bring people together: nothing is chosen.
pub(crate) const NO_MATTER: Words = &[
    "celebrate", "discuss", "eat", "evaluate", "explore", "investigate", "look", "meet", "reconsider", "revisit",
    "talk", "think",
];

/// After `going with` or `went with`, these are no choice.
pub(crate) const NO_CHOICE: Words = &[
    "everyone", "everything", "her", "him", "his", "it", "me", "my", "no", "that", "them", "us", "what", "which",
    "whom", "you",
];

/// What shows that one thing was taken and another was not.
pub(crate) const CONTRAST: Words = &["because", "instead", "not", "over", "rather", "since"];

/// After `over`, these are an amount, a time or a medium.
pub(crate) const NO_ALTERNATIVES: Words = &[
    "air", "all", "and", "bluetooth", "budget", "christmas", "course", "day", "days", "each", "entire", "every",
    "friday", "here", "holidays", "http", "http/2", "https", "internet", "ip", "it", "last", "limit", "lunch", "many",
    "monday", "month", "months", "network", "next", "night", "past", "phone", "quic", "quota", "same", "serial",
    "several", "socket", "ssh", "stdio", "summer", "tcp", "there", "threshold", "time", "tls", "to", "top", "tor",
    "udp", "usb", "vpn", "websocket", "websockets", "week", "weekend", "weeks", "whole", "wifi", "wire", "years",
];

/// Between `decided` and what was decided.
pub(crate) const BEFORE_MATTER: Words =
    &["finally", "on", "that", "to", "today", "unanimously", "upon", "we", "we'll", "yesterday"];

/// After `decided not to`, these give something up; other verbs only leave it be.
pub(crate) const ADOPTING: Words = &["add", "adopt", "have", "use"];

/// Shortly before `decided`, these make it passive, and a fact.
pub(crate) const IMPERSONAL: Words = &["it", "it's", "that's"];

/// Before a passive `decided` in the same clause, these say that nothing is decided.
pub(crate) const NOT_DECIDED: Words = &["be", "if", "never", "not", "once", "should", "until", "when", "whether"];

/// After `picked`, these make it another verb.
pub(crate) const PICKED_PARTICLES: Words = &["apart", "by", "off", "out", "up"];

/// Who chose; with these the sentence needs no contrast.
pub(crate) const CHOOSERS: Words = &["i", "team", "we"];

/// Before `going with` in the same clause, these say that it is only thought of.
pub(crate) const NOT_GOING: Words = &["about", "before", "consider", "considering", "if", "maybe", "might", "not"];

/// Before `using`, these make it an order or a plan.
pub(crate) const STARTING: Words = &["keep", "start", "started"];

/// After `using`, these say that something else could have been used.
pub(crate) const USED_OVER: Words = &["because", "instead", "over", "rather"];

/// After `use` at the start, these make it an everyday thing: `use the side door instead of the lift`.
pub(crate) const EVERYDAY: Words = &["it", "my", "that", "the", "this", "your"];

/// Between `over` and the noun.
pub(crate) const BEFORE_NOUN: Words = &["a", "an", "our", "that", "the", "this"];

/// After `no longer`, these verbs say that something was given up.
pub(crate) const NO_LONGER: Words = &["ship", "shipping", "support", "supporting", "use", "using"];

/// Verbs of giving something up.
pub(crate) const GIVING_UP: Words =
    &["abandoned", "backed", "ditched", "dropped", "removed", "reverted", "rolled", "scrapped"];

/// Between `we` and a participle.
pub(crate) const ARE: Words = &["am", "are", "were"];

/// Verbs of ending the use of something: where a decision had taken just that, they take it back.
pub(crate) const ENDING: Words =
    &["abandoned", "ditched", "dropped", "rejected", "removed", "replaced", "reverted", "scrapped"];
