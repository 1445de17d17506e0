//! What git remembers of a project: which commits touched which files, when, and which files change together.
//!
//! [`read`] walks the newest commits of a repository and compares each with its parent; nothing else is opened: no
//! configuration, no hooks, no filters, and no program is run. What comes out is a [`History`]: per file its commits,
//! authors and changes in windows of time ([`FileHistory`]), and the files that changed together with it ([`Partner`]).
//!
//! A commit never changes, so what was read of it is kept: reading again after new commits costs what is new. Commits
//! that are no longer reachable (a rewritten history) are dropped. Reading with or without an older history gives equal
//! results.
//!
//! The newest commit that is checked out is "now": ages are counted from it, and no clock is asked but for
//! [`ReadLimits::time`].
//!
//! # Limitations
//! - The first [`ReadLimits::commits`] commits by time; [`History::cut`] says what ended the list.
//! - A merge contributes no files of its own.
//! - Repositories with SHA-256 names or with reference tables are not read; [`NoHistory`] says so.
//! - Packs and lists of a repository that are pipes or devices are refused; single objects are not looked at before they
//!   are opened.
//! - Paths that are not UTF-8, and submodules, are left out.

mod cochange;
mod error;
mod history;
mod identity;
mod locate;
mod messages;
mod moves;
mod objects;
mod read;
mod renames;
mod stored;
mod tree_diff;
mod walk;

pub use cochange::{Partner, TogetherPair};
pub use error::NoHistory;
pub use history::{Commit, Cut, FileHistory, History, Touch, TouchKind};
pub use identity::{has_commit, oldest_commit};
pub use locate::{GitFolder, Head};
pub use messages::{Message, Messages, messages};
pub use moves::{Begin, Moves};
pub use read::{ReadLimits, read};
pub use stored::{StoredError, decode, encode};
