//! Risk: which parts of a project had defects, change faster than usual, or hold up much else.
//!
//! Every figure is computed from evidence that can be listed, up to a [`Moment`](m1nd_history::Moment) of the history,
//! so that the same function serves a question about now and the measurement on earlier states.

mod beta;
mod fixes;
mod flow;
mod nodes;
mod panorama;
mod structure;
mod tremor;
mod trust;

use m1nd_base::RepoPath;
use m1nd_lang::{Language, is_test_path};

pub use fixes::{ChangedText, changed_by};
pub use flow::{FlowAnswer, FlowQuery, MAX_ENTRIES, SharedState, Way, flow};
pub use nodes::{
    NodeEvidence, TremorAnswer, TremorNode, TrustAnswer, TrustNode, TrustQuery, TrustScope, tremor_nodes, trust_nodes,
};
pub use panorama::{FileRisk, PanoramaAnswer, PanoramaQuery, Part, panorama};
pub use structure::{FileReach, Structure, dependents};
pub use tremor::{Direction, Series, Tremor, TremorLevel, Tremors};
pub use trust::{Exposure, Outcome, OutcomeKind, Tier, TrustModel, Verdict};

/// Returns whether a path is that of code of the product: of a language, and not of tests. Defects of others are not
/// counted: tests and documents change with every fix.
pub fn is_product(path: &str) -> bool {
    RepoPath::new(path).is_ok_and(|path| !Language::detect(&path, b"").is_prose() && !is_test_path(&path))
}
