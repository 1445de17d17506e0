//! Questions about time: what changed, what changes together, and how far the code is from an earlier state.
//!
//! "Now" is the time of the checked-out commit, so that the same checkout gives the same answers. A symbol has the
//! commits that changed its lines, a file those that changed any; all figures are computed from such a list, the same
//! way for both.

mod baseline;
mod differential;
mod diverge;
mod drift;
mod node_changes;
pub mod predict;
mod question;
mod timeline;
mod together;
mod work_tree;

pub use baseline::{Baseline, Committed};
pub use differential::{
    ChangedFile, CouplingDelta, EdgeRow, GraphDifference, RenamedNode, WeightChange, changed_files, differences,
};
pub use diverge::{
    Anomaly, AnomalyKind, CouplingChange, CouplingDirection, Divergence, ModifiedFile, Severity, commit_at, diverge,
};
pub use drift::{Drift, DriftedFile, FileChange, TouchingCommit, drift};
pub use node_changes::{CannotTell, NodeChange, NodeChanges, node_changes};
pub use question::{Asked, Finding, Question, findings};
pub(crate) use timeline::velocity_of;
pub use timeline::{
    CoChanged, Depth, Pattern, TimelineAnswer, TimelineChange, TimelineOf, TimelineQuery, Velocity, timeline,
};
pub use together::{Together, together};
pub use work_tree::{WorkTreeChanges, work_tree_changes};
