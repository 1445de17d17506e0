//! Analyses of the graph, composed of its algorithms, for the tools to print.

mod impact;
pub mod trace;
mod why;

pub(crate) use impact::direct_closure;
pub use impact::{Closure, Direction, Hiding, ImpactAnswer, ImpactClass, ImpactFile, ImpactQuery, ImpactRow, impact};
pub use why::{ClosureState, DanglingEdge, Hop, WhyAnswer, WhyClosure, WhyPath, WhyQuery, WhyStep, why};
