//! Analyses of the graph, composed of its algorithms, for the tools to print.

mod closure;
mod cross_repository;
pub mod fingerprint;
mod impact;
pub mod trace;
mod why;

pub use closure::Closure;
pub(crate) use closure::direct_closure;
pub use cross_repository::{CrossEdge, CrossEdges, CrossKind, PairCounts, cross_edges};
pub use impact::{Direction, Hiding, ImpactAnswer, ImpactClass, ImpactFile, ImpactQuery, ImpactRow, impact};
pub use why::{ClosureState, DanglingEdge, Hop, WhyAnswer, WhyClosure, WhyPath, WhyQuery, WhyStep, why};
pub(crate) use why::{hop, names_of};
