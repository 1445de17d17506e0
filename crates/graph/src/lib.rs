//! The immutable symbol graph and its algorithms. Knows no language and opens no file except its own snapshot.
//!
//! Nodes are sorted by id, and edges by source, target, relation and tier, so the same content gives the same bytes
//! regardless of file order and number of threads.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod algorithms;
mod base;
mod build;
mod declarations;
mod dispatch_cache;
mod dump;
mod graph;
mod layout;
mod map;
mod overlay;
mod snapshot_file;
mod types;

use algorithms::{articulation, dispatch};
pub use algorithms::{loss, paths, rank, reach, spread, support, weights};

pub use articulation::Articulation;
pub use build::{BuildReport, GraphBuilder};
pub use dispatch::{Dispatch, Dispatched};
pub use dispatch_cache::Replacements;
pub use graph::Graph;
pub use overlay::Change;
pub use snapshot_file::{Container, FORMAT_VERSION, Tag, write_container};
pub use types::{
    EdgeInput, EdgeRef, NodeFlags, NodeInput, NodeIx, Part, Sites, SnapshotError, UnresolvedInput, UnresolvedRef,
};
