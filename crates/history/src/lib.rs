//! Git history of a project: which commits touched which files, when, and which files change together.
//!
//! [`read`] walks the newest commits of a repository and compares each with its parent. It opens nothing else (no
//! configuration, no hooks, no filters) and runs no program. The result is a [`History`]: per file its commits,
//! authors and changes in windows of time ([`FileHistory`]), and the files that changed together with it
//! ([`Partner`]).
//!
//! Commits are immutable, so the data read from them is kept: reading again after new commits costs only the new
//! ones. Commits that are no longer reachable (a rewritten history) are dropped. Reading with or without an older
//! history gives equal results.
//!
//! "Now" is the time of the checked-out commit: ages are relative to it, and the clock is only read for
//! [`ReadLimits::time`].
//!
//! # Limitations
//! - Only the first [`ReadLimits::commits`] commits by time are read; [`History::cut`] gives the reason why the list
//!   ended.
//! - A merge contributes no files of its own.
//! - Repositories with SHA-256 ids or with reftables are not supported; [`NoHistory`] reports that.
//! - Packs and lists of a repository that are pipes or devices are refused; loose objects are not checked before they
//!   are opened.
//! - Paths that are not UTF-8, and submodules, are left out.

mod cochange;
mod error;
mod git;
mod history;
mod lines;
mod messages;
mod moments;
mod moves;
mod read;
mod repository;
mod rules;
mod steps;
mod stored;

use repository::{locate, settings};

use git::{contents, identity, objects, renames, revision, tree_diff, walk};

pub use cochange::{Partner, TogetherPair};
pub use contents::{BlobId, CommitId, Contents, TreeFile};
pub use error::NoHistory;
pub use history::{Commit, Cut, FileHistory, History, Touch, TouchKind};
pub use identity::{has_commit, list_ancestors, oldest_commit};
pub use lines::{Hunk, LineChange, compare_lines};
pub use locate::{GitFolder, Head};
pub use messages::{Message, Messages, messages};
pub use moments::Moment;
pub use moves::{Begin, Moves};
pub use read::{ReadLimits, read};
pub use revision::NoRevision;
pub use steps::{FileChange, LineCache, RangeChange, RangeHistories, RangeHistory, Tracing};
pub use stored::{StoredError, decode, encode};
