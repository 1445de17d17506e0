//! Types shared by all crates: identifiers, positions, limits, cancellation, progress, paths, time, and redaction of
//! secrets.
//!
//! This crate depends on no other crate of the workspace and does no I/O.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod cancel;
mod count;
mod derived;
mod hash;
mod limits;
mod location;
pub mod memory;
pub mod needles;
pub mod node_id;
mod problem;
mod relation;
pub mod secrets;
mod system;
mod text;
mod time;
mod tracked;

pub use location::uri;
use location::{path, pos};

use text::{hidden, line_ends};
use time::{clock, deadline, progress};

pub use cancel::{Cancel, Cancelled};
pub use clock::Clock;
pub use count::count;
pub use deadline::Deadline;
pub use derived::Derived;
pub use hash::ContentHash;
pub use hidden::{is_hidden, show_hidden};
pub use limits::Limits;
pub use line_ends::{keep_line_ends, line_end, plain_ends, replace_line_ends};
pub use path::{PathError, RepoPath, is_within};
pub use pos::Pos;
pub use problem::{Problem, ProblemKind};
pub use progress::{NoProgress, Progress, ProgressEvent};
pub use relation::{EdgeTier, NodeKind, Relation};
pub use system::{System, SystemFile};
pub use tracked::{Tracked, TrackedKind};
