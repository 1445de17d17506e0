//! A project's memory: decisions, issues, learnings and gotchas that people and agents write down in plain Markdown.
//!
//! `MEMORY.md` is the source of truth; everything here is a function of its text (and of comments and commit messages that
//! carry memories), so it can be thrown away and made again. Pure: no clock, no disk; "now" and all texts are handed in.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod recall;
mod record;
pub mod secrets;

pub use recall::{MIN_RELEVANCE, Novelty, Recall, RecallHit, RecallQuery, Recalled, Rejected, RejectedSeverity};
pub use record::{Kind, Record, RecordId, Source, SourceKind, Status};
