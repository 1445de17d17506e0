//! Questions about time: what changed, what changes together, and how far the code is from an earlier state.
//!
//! "Now" is the time of the checked-out commit, so that the same checkout gives the same answers. A symbol has the
//! commits that changed its lines, a file those that changed any; all figures are computed from such a list, the same
//! way for both.

mod node_changes;
mod timeline;

pub use node_changes::{CannotTell, NodeChange, NodeChanges, node_changes};
pub use timeline::{CoChanged, Depth, Pattern, TimelineAnswer, TimelineChange, TimelineQuery, Velocity, timeline};
