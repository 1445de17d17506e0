//! The immutable symbol graph and its algorithms. Knows no language and opens no file except its own snapshot.
//!
//! Nodes are sorted by id, and edges by source, target, relation and tier, so the same content gives the same bytes
//! regardless of file order and number of threads.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod articulation;
mod base;
mod build;
pub mod container;
mod declarations;
mod dispatch;
mod dispatch_cache;
mod dump;
mod graph;
mod layout;
pub mod loss;
mod map;
mod overlay;
pub mod paths;
pub mod rank;
pub mod reach;
pub mod spread;
pub mod support;
mod types;
pub mod weights;

pub use articulation::Articulation;
pub use build::{BuildReport, GraphBuilder};
pub use container::{Container, FORMAT_VERSION, Tag, write_container};
pub use dispatch::{Dispatch, Dispatched};
pub use dispatch_cache::Replacements;
pub use graph::Graph;
pub use overlay::Change;
pub use types::{
    EdgeInput, EdgeRef, NodeFlags, NodeInput, NodeIx, Part, Sites, SnapshotError, UnresolvedInput, UnresolvedRef,
};
