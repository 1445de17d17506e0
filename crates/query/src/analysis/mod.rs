//! Analyses of the graph, composed of its algorithms, for the tools to print.

mod cross_repository;
pub mod fingerprint;
mod impact;
pub mod trace;
mod why;
mod why_parts;

pub use cross_repository::{CrossEdge, CrossEdges, CrossKind, PairCounts, cross_edges};
pub use impact::{Direction, ImpactAnswer, ImpactClass, ImpactFile, ImpactQuery, ImpactRow, impact};
pub(crate) use why::hop;
pub use why::{DanglingEdge, Hop, WhyAnswer, WhyClosure, WhyPath, WhyQuery, WhyStep, why};
pub use why_parts::{WhyPartsQuery, why_parts};
