//! Everything that outlives the process: databases, snapshot files, locks. The only crate that uses SQL.
//!
//! Two classes of data, kept in different files:
//! - **precious** (`project.db`: settings, roots, feedback of agents and what they hold): written with full
//!   synchronisation. If it is damaged, the process that writes the project puts it aside as `*.corrupt-<time>`, where
//!   nothing removes it, and says so; others go on without it and leave it alone. If it is newer than this program,
//!   nobody touches it.
//! - **derived** (snapshots, the facts cache): can be made again from the project. If it is damaged it is set aside
//!   as `*.corrupt-<time>` and started again.
//!
//! ```text
//! <home>/projects/<slug>-<hash>/project.db    precious
//!                               snapshots/snapshot-<generation>.m1nd, snapshots/current
//!                               compiler-index.m1nd   imported from outside: kept until replaced
//!                               derived/      small derived files, such as the history
//!                               lock          held by the process that writes
//! <home>/cache/facts/facts.db                 facts of files by content, shared by all projects
//! ```
//! Folders (0700) and files (0600) are accessible to their owner only.
//!
//! # Limitations
//! Locks work between processes of one machine; a network file system may not support them. A disk that reports
//! synchronisation before it is done can lose files with the power.

mod checksum;
mod database;
mod error;
mod facts;
mod feedback;
mod files;
mod formats;
mod handles;
mod home;
mod project;
mod settings;
mod shared;
mod snapshots;
mod system;
mod totals;

#[cfg(unix)]
use files::private;
use files::{derived, durable, log_file, user_file};

pub use derived::DerivedFiles;
pub use durable::{durable_write, quarantine, rotate};
pub use error::StoreError;
pub use facts::FactsCache;
pub use feedback::{FEEDBACK_KEPT, NewFeedback, StoredFeedback, Undone};
pub use formats::DatabaseFormat;
pub use handles::{Expiry, HandleLimits, HandleQuery, HandleWrite, StoredHandle};
pub use home::Home;
pub use log_file::LogFile;
#[cfg(unix)]
pub use private::{check_private_folder, close_to_others, connect_private, listen_private};
pub use project::{ProjectDir, WriterLock};
pub use shared::{HeldLock, SharedFolder};
pub use system::RealSystem;
pub use totals::CallTotals;
pub use user_file::{Replaced, append_to_user_file, create_user_file, inside, replace_growing_file, replace_user_file};
