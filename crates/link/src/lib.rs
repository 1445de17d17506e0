//! Resolves the facts of all files and the project's manifests to edges.
//!
//! One evaluator serves every language: it follows a reference the way the language would (scope, import, member
//! look-up through types and bases, re-exports) and reports its certainty. A language supplies [`languages`] rules:
//! how modules are found, in which order members are looked up, which names are built in. Pure: no disk, no clock.
//!
//! **Determinism.** Each file is linked with a fresh memo, in order of its references, so its links are a function of
//! the facts alone: not of the order in which files are linked, nor of the number of threads. This makes an
//! incremental result equal to a clean one.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

/// Version of the rules of linking: goes up when the same facts give other edges, or when files ask for other keys and
/// words ([`Linker::state`]). Snapshots made by another version are linked again, without parsing.
pub const LINKER_VERSION: u32 = 31;

mod contracts;
mod documents;
mod edges;
mod eval;
mod file_links;
mod frameworks;
mod ids;
mod incremental;
mod interner;
pub mod languages;
mod links;
mod named;
mod names;
mod packages;
mod plain_decorators;
mod project;
mod reason;
mod rules;
mod spots;
mod surface;
mod tables;
mod unit;
mod wrappers;

pub use edges::compiler::{CompilerFile, CompilerNode, CompilerRelation, CompilerRow, CompilerSymbol};
pub use ids::{SymbolId, node_ids};
pub use incremental::linker::{EntryPoint, Explained, LinkDelta, Linker, NodePlace};
pub use languages::is_stub;
pub use links::{Compared, Contradiction, FileLinks, LinkEdge, LinkNode, TierCounts, Unresolved};
pub use names::Name;
pub use packages::programs_of;
pub use project::FactsSource;
pub use tables::brief::{Brief, Declared};
pub use tables::files::{FileId, Files};

pub use reason::Reason;
pub use tables::askers::SharedBytes;

pub use rules::{BareMembers, Builtin, Fixtures, MemberOrder, MethodShape, ModuleTarget, Resolver, Rules};
