//! Project memory: decisions, issues, learnings and gotchas that people and agents write down in plain Markdown.
//!
//! `MEMORY.md` is the source of truth. Everything here is a function of its text (and of comments and commit messages
//! that contain memories), so it can be deleted and rebuilt. Pure: no clock, no disk; "now" and all texts are passed
//! in.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod acronyms;
pub mod block;
mod closing;
mod comments;
mod commits;
pub mod edges;
mod health;
mod markers;
mod mentions;
mod opposites;
mod overlap;
mod parser;
mod recall;
mod record;
mod relations;
mod session_file;
mod sessions;
mod stack;

pub use block::without_hidden;
pub use closing::close_issues;
pub use comments::{COMMENT_MARK, Comment, MAX_COMMENT_CHARS, comment_records, comments_by_form, is_code_file};
pub use commits::{CommitText, commit_records};
pub use health::{Health, HealthFacts, LARGE_FILE_BYTES, STALE_AFTER_DAYS, behind, memory_health};
pub use m1nd_base::secrets;
pub use markers::{Marker, MarkerKind, markers};
pub use mentions::{Mention, MentionKind, mentions};
pub use overlap::{SAME_THING, Tokens};
pub use parser::gotcha_bullets::{GotchaBullet, Severity};
pub use parser::state::ProjectState;
pub use parser::{
    HIGH_CONFIDENCE, MAX_PROBLEMS, MAX_RECORDS, MAX_TEXT_BYTES, MEDIUM_CONFIDENCE, MIN_CONFIDENCE, ParseContext,
    ParseProblem, Parsed, Stats, parse,
};
pub use recall::{MIN_RELEVANCE, Novelty, Recall, RecallHit, RecallQuery, Recalled, Rejected, RejectedSeverity};
pub use record::{Kind, Occurrence, Record, RecordId, Source, SourceKind, Status, title_words};
pub use relations::{Relation, RelationKind, relations};
pub use session_file::{Note, SESSION_RULE, SessionNotes, session_notes};
pub use sessions::{
    COMMIT_GAP_SECONDS, Capture, INACTIVITY_MINUTES, NextItem, Session, Worked, list_worked, sessions_since, stretches,
};
pub use stack::{
    Evidence, HIDDEN as STACK_HIDDEN, MAX_DEPTH as MAX_STACK_DEPTH, Manifest, UNLISTED as STACK_UNLISTED, detect_stack,
    stack_evidence,
};
