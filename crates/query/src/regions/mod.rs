//! Regions of the graph that agents lock: which nodes they are, how they were, and what changed in them.

mod baseline;
mod region;

pub use baseline::{Baseline, EdgeChange, EdgeKey, Hashes, MAX_EDGES, RegionDiff, Sides, compare};
pub use region::{MAX_NODES, Region, Scope, TooLarge, region};
