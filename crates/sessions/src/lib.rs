//! State of agents between calls: the agents seen, their primings, their feedback about answers, what they saw at their
//! last visit, and the handles of their perspectives, investigations and locks.
//!
//! [`Sessions`] holds all of it. Agents seen and [primings](Sessions::prime) end with the process. Feedback and handles
//! are kept in a [`SessionStore`]: the database of the project, those of a federation and its repositories
//! ([`FederatedStore`]), [`MemoryStore`] if nothing may be written, or [`ReadOnlyStore`] if the project is read-only.
//!
//! This crate does not depend on the graph: nodes are ids as strings, and the effect of feedback is computed by
//! callers.
//!
//! # Limitations
//! An agent is identified by the name it gives itself, of which the first [`MAX_NAME`] characters count. Ownership
//! prevents accidental interference between agents; it does not protect against an agent that gives a false name.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod agents;
mod bug_patterns;
mod calls;
mod common;
mod connection;
mod error;
mod feedback;
mod handles;
mod id;
mod locks;
mod primings;
mod sessions;
mod stores;
mod trails;
mod visits;

use stores::{federated, memory_store, read_only_store, store};

pub use agents::{AgentSession, MAX_AGENTS, MAX_NAME};
pub use bug_patterns::{BugEdge, BugNode, BugPattern, MAX_BUG_PATTERNS};
pub use calls::{CallLog, CallRecord, CountedFile, FileSize, MAX_CALLS, ShownFile};
pub use connection::CONNECTION_BYTES;
pub use error::SessionError;
pub use federated::{FederatedStore, FolderIds};
pub use feedback::{FeedbackRows, Lesson, MAX_LESSON_NODES, MAX_QUESTION};
pub use handles::{
    Access, EXPIRED_KEPT, EXPIRED_KEPT_MS, Handle, Held, Kind, Listed, OWNER_BYTES, PROJECT_BYTES, UPDATE_TRIES,
    Unreadable,
};
pub use id::Ids;
pub use locks::{LOCK_MINUTES, Lock, LockBaseline, MAX_CHECKED_LOCKS, MAX_LOCK_BYTES, MAX_LOCKS, TouchedLock, Watch};
pub use memory_store::MemoryStore;
pub use primings::{HALF_LIFE_MS, MAX_PRIMINGS, MAX_TASK, Primed};
pub use read_only_store::ReadOnlyStore;
pub use sessions::{Sessions, TOKEN_BYTES};
pub use store::SessionStore;
pub use trails::{
    Conclusion, Evidence, Hypothesis, MAX_CHECKED_TRAILS, MAX_TRAIL_BYTES, MAX_TRAILS, TRAIL_DAYS, Trail, TrailNode,
    TrailStatus,
};
pub use visits::{MAX_VISIT_FILES, Mark, PAUSE_MS, Seen, SeenFile, Visits, WRITE_MS};

// Types of the store, for crates that depend on this crate and not on the store.
pub use m1nd_store::{
    CallTotals, Expiry, FEEDBACK_KEPT, HandleLimits, HandleQuery, HandleWrite, NewFeedback, StoreError, StoredFeedback,
    StoredHandle, Undone,
};
