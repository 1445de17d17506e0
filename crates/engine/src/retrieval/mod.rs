//! Finding things in a snapshot: by meaning ([`Snapshot::seek`]), by text ([`Snapshot::grep`]), by path
//! ([`Snapshot::glob`]).

mod activate;
mod alike;
mod gaps;
mod glob;
mod grep;
pub(crate) mod indexed_files;
mod neighbours;
mod prior;
mod repeated;
mod resonate;
mod scope;
mod seek;
mod siblings;
mod traits;
mod unlinked;
mod withheld;

pub use activate::{ActivateAnswer, ActivateQuery, ActivateRow, Dimension};
pub use alike::{Alike, SympatheticPair};
pub use gaps::{GapsAnswer, Hole};
pub use glob::{GlobAnswer, GlobOrder, GlobQuery, GlobRow};
pub use grep::{GrepAnswer, GrepFault, GrepQuery, GrepRow};
pub use m1nd_search::grep::GrepOptions;
pub use prior::{FeedbackEntry, PrimedBy, PrimingPlan, Prior, Told};
pub use repeated::RepeatedUse;
pub use resonate::{ResonateAnswer, ResonateFrom, ResonateGroup, ResonateRow};
pub use seek::{
    Calibration, Connection, ENTRY_SIGNALS, EntryCandidate, EntryModel, EntrySignals, FileCandidate, FileModel,
    LeftOut, SIGNALS, SeekAnswer, SeekQuery, SeekRow, Signals,
};
pub use siblings::GroupKey;
pub use traits::Trait;
pub use unlinked::{GhostEdge, Strongest, StructuralHole};
pub use withheld::Withheld;

use m1nd_graph::NodeIx;

use crate::snapshot::Snapshot;

/// How many times more important than a node that nothing refers to a node must be to count in full.
const FULL_PRIOR: f64 = 1_000.0;
/// Share of the mean importance that every node has.
const FLOOR: f64 = 0.15;

impl Snapshot {
    /// Importance of a node in the graph, 0 to 1: the logarithm of its PageRank over that of a node that nothing refers to.
    /// Does not depend on the size of the graph.
    pub fn prior(&self, node: NodeIx) -> f64 {
        let times = f64::from(self.graph().pagerank(node)) * self.graph().node_count() as f64 / FLOOR;
        (times.max(1.0).ln() / FULL_PRIOR.ln()).clamp(0.0, 1.0)
    }
}
