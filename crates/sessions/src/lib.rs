//! What agents hold between calls: who they are, what they are about to do, what they told of answers, and the handles
//! of their perspectives, investigations and locks.
//!
//! [`Sessions`] is all of it. Agents seen and [primings](Sessions::prime) live as long as the process; feedback and
//! handles outlive it, behind a [`SessionStore`]: the database of the project, [`MemoryStore`] where nothing is to be
//! written, or [`ReadOnlyStore`] where a project is only to be read.
//!
//! Nothing here knows the graph: nodes are ids as texts, and what feedback says for a question is judged above.
//!
//! # Limitations
//! An agent is the name that a caller gives itself, of which the first [`MAX_NAME`] characters count. Owners keep
//! agents from getting in each other's way; they are no protection against one that gives a wrong name.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod agents;
mod common;
mod error;
mod feedback;
mod handles;
mod id;
mod memory_store;
mod primings;
mod project_store;
mod read_only_store;
mod sessions;
mod store;

pub use agents::{AgentSession, MAX_AGENTS, MAX_NAME};
pub use error::SessionError;
pub use feedback::{FeedbackRows, Lesson, MAX_LESSON_NODES, MAX_QUESTION};
pub use handles::{
    Access, EXPIRED_KEPT, EXPIRED_KEPT_MS, Handle, Held, Kind, Listed, OWNER_BYTES, PROJECT_BYTES, UPDATE_TRIES,
    Unreadable,
};
pub use memory_store::MemoryStore;
pub use primings::{HALF_LIFE_MS, MAX_PRIMINGS, MAX_TASK, Primed};
pub use read_only_store::ReadOnlyStore;
pub use sessions::Sessions;
pub use store::SessionStore;

// The rows of a store, for those who name this room and not the store.
pub use m1nd_store::{
    Expiry, FEEDBACK_KEPT, HandleLimits, HandleWrite, NewFeedback, StoreError, StoredFeedback, StoredHandle, Undone,
};
