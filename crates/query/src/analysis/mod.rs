//! Answers about the graph, composed of its algorithms. What a tool prints, it finds here.

mod impact;
pub mod trace;
mod why;

pub use impact::{Direction, Hiding, ImpactAnswer, ImpactClass, ImpactFile, ImpactQuery, ImpactRow, impact};
pub use why::{ClosureState, DanglingEdge, Hop, WhyAnswer, WhyClosure, WhyPath, WhyQuery, WhyStep, why};
