//! Memories of a team in PostgreSQL.
//!
//! The text in a repository (`.mind/MEMORY.md`) stays the source of truth. The database keeps the memories of all
//! repositories of a team, with author, time and approval. Both are sets of memories with an identity by content
//! ([`EntryId`]), so the same memory is never stored twice, and two clones that exchange in any order end alike
//! ([`merge`]). What a clone sends goes through a queue on its disk ([`Queue`]), so an outage loses nothing.
//!
//! Everything from the database was written by others: it is data, and is shown as such.

mod connection;
mod entry;
mod error;
mod merge;
mod operation;
mod project;
mod queue;
mod remote;
mod retry;
mod schema;
mod session;
mod state;
mod text;
mod tls;

pub use connection::{ConnectOptions, Settings};
pub use entry::{Collected, Entry, EntryId, EntryKind, MAX_LINE_BYTES, MemoryText, Withheld, collect_entries};
pub use error::TeamError;
pub use merge::{Known, MergePlan, RemoteState, learn, merge};
pub use operation::{Operation, Refused};
pub use project::Project;
pub use queue::{MAX_QUEUE_BYTES, Queue};
pub use remote::{FoundBy, Level, SearchQuery, TeamRow, Waiting};
pub use retry::Patience;
pub use schema::{InitAnswer, InitRequest, SCHEMA_VERSION, init};
pub use session::{Exchange, FoundRow, MemoryRow, Mode, SearchAnswer, Session, SessionOptions, StatusAnswer};
pub use text::{Received, Rendered, append_entries};
