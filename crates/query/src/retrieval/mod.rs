//! Finding things in a snapshot: by meaning ([`seek`]), by text ([`grep`]), by path
//! ([`glob`]).

mod activate;
mod alike;
mod feedback;
mod focus;
mod gaps;
mod neighbours;
mod prior;
mod repeated;
mod resonate;
mod seek;
mod siblings;
mod text_search;
mod traits;
mod unlinked;

use text_search::{excerpt, glob, grep, indexed_files, lines};

pub use activate::{ActivateAnswer, ActivateQuery, ActivateRow, Dimension, activate, activate_given};
pub(crate) use alike::alike_to;
pub use alike::{Alike, SympatheticPair};
pub use excerpt::Excerpt;
pub use feedback::{Feedback, Ledger, LedgerRow};
pub use focus::{Extent, Focus, FocusCalibration, FocusNode, FocusState, anchors, focus, spread_over_files};
pub use gaps::{Differences, GapsAnswer, Hole, gaps};
pub(crate) use glob::PathGlob;
pub use glob::{GlobAnswer, GlobOrder, GlobQuery, GlobRow, glob};
pub use grep::{GrepAnswer, GrepFault, GrepQuery, GrepRow, Unsearched, grep};
pub use lines::{LineFinder, MatchingLine};
pub use m1nd_search::grep::GrepOptions;
pub use prior::{
    FeedbackEntry, PrimedBy, PrimedTask, PrimingPlan, Prior, Told, activate_with, priming_plan, seek_with,
};
pub use repeated::RepeatedUse;
pub use resonate::{ResonateAnswer, ResonateFrom, ResonateGroup, ResonateRow, resonate};
pub use seek::{
    Calibration, Connection, ENTRY_SIGNALS, EntryCandidate, EntryModel, EntrySignals, FileCandidate, FileModel,
    LeftOut, SIGNALS, SeekAnswer, SeekQuery, SeekRow, Signals, connections, seek, seek_entries, seek_files,
    seek_files_given, seek_given, summary,
};
pub use siblings::GroupKey;
pub(crate) use siblings::groups_of;
pub use traits::Trait;
pub use unlinked::{GhostEdge, Strongest, StructuralHole, ghost_pairs};

use m1nd_graph::NodeIx;

use m1nd_engine::Snapshot;

/// Importance relative to an unreferenced node at which the prior is 1.
const FULL_PRIOR: f64 = 1_000.0;
/// Share of the mean importance that every node has.
const FLOOR: f64 = 0.15;

/// Importance of a node in the graph, 0 to 1: the logarithm of its PageRank over that of a node that nothing refers to.
/// Does not depend on the size of the graph.
pub fn importance(snapshot: &Snapshot, node: NodeIx) -> f64 {
    let times = f64::from(snapshot.graph().pagerank(node)) * snapshot.graph().node_count() as f64 / FLOOR;
    (times.max(1.0).ln() / FULL_PRIOR.ln()).clamp(0.0, 1.0)
}
