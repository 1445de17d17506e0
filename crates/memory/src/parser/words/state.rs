//! Words that say that something does not hold, is open, or is not filled in.

use super::Words;

/// In brackets at the end of a decision, these say that it does not hold.
pub(crate) const NO_MORE: Words =
    &["abandoned", "deprecated", "draft", "obsolete", "outdated", "proposed", "rejected", "reverted", "withdrawn"];

/// First words of what stands where a decision would, and says that there is none.
pub(crate) const OPEN: Words = &["deferred", "pending", "postponed", "tbd", "unclear", "undecided", "unresolved"];

/// The same, where nothing else stands there.
pub(crate) const OPEN_ALONE: Words =
    &["later", "no decision", "no decision yet", "none so far", "not yet", "open", "still open"];

/// The same, with or without `to` before it.
pub(crate) const TO_BE: Words = &["be clarified", "be confirmed", "be decided", "be determined", "be discussed"];

/// What templates put where people are to write.
pub(crate) const PLACEHOLDERS: Words =
    &["", "-", "...", "n/a", "none", "none so far", "none yet", "nothing", "nothing yet", "tbd", "todo", "…"];

/// Values that say that nothing blocks.
pub(crate) const NOTHING: Words =
    &["", "n/a", "no", "none", "none currently", "none right now", "not blocked", "nothing", "nothing right now"];
