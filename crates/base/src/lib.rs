//! Types shared by all crates: identifiers, positions, limits, cancellation, progress, paths.
//!
//! This crate depends on no other crate of the workspace and does no I/O.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod cancel;
mod count;
mod hash;
mod limits;
mod path;
mod pos;
mod problem;
mod progress;
mod relation;
mod system;

pub use cancel::{Cancel, Cancelled};
pub use count::count;
pub use hash::ContentHash;
pub use limits::Limits;
pub use path::{PathError, RepoPath};
pub use pos::Pos;
pub use problem::{Problem, ProblemKind};
pub use progress::{NoProgress, Progress, ProgressEvent};
pub use relation::{EdgeTier, NodeKind, Relation};
pub use system::{System, SystemFile};
