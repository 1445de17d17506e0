//! Risk: which parts of a project had defects, change faster than usual, or hold up much else.
//!
//! Every figure is computed from evidence that can be listed, up to a [`Moment`](m1nd_history::Moment) of the history,
//! so that the same function serves a question about now and the measurement on earlier states.

mod beta;
mod fixes;
mod flow;
mod nodes;
mod panorama;
mod signals;
mod structure;
mod tremor;
mod trust;

pub use crate::product::is_product;
pub use fixes::{ChangedText, changed_by};
pub use flow::{FlowAnswer, FlowQuery, MAX_ENTRIES, SharedState, Way, flow};
pub use nodes::{
    NodeEvidence, TremorAnswer, TremorNode, TrustAnswer, TrustNode, TrustQuery, TrustScope, tremor_nodes, trust_nodes,
};
pub use panorama::{FileRisk, PanoramaAnswer, PanoramaQuery, Part, panorama};
pub use signals::{FileSignals, SignalsQuery, file_signals};
pub use structure::{FileReach, Structure, dependents};
pub use tremor::{Direction, Series, Tremor, TremorLevel, Tremors};
pub use trust::{Exposure, Outcome, OutcomeKind, Tier, TrustModel, Verdict};

/// Days after which evidence of defects counts half, by default.
pub const HALF_LIFE: f64 = 730.0;
/// Commits and outcomes below which nothing is told about defects, by default.
pub const LEAST: usize = 3;
