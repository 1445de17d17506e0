//! Saved investigations against the present code: evidence tested again, and several of them combined.

mod merge;
mod replay;

pub use merge::{
    Belief, Bridge, ClaimKey, Conflict, Decided, MAX_BRIDGES, MIN_GAP, Merged, bridges, merge_beliefs, overlap,
    pool_confidence,
};
pub use replay::{Held, Names, Outcome, Replay, ReplayError, Replayed, hypothesis_state, is_claim, recheck};
