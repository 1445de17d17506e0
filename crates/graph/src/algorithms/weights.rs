//! Weights of each relation, in one table for all algorithms.

use m1nd_base::{EdgeTier, Relation};

use crate::EdgeRef;

/// Weights of one relation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Cost of a step over it in a path, in thousandths: cheaper relations explain more.
    pub path_cost: u32,
    /// Probability that a change of its target reaches its source, 0 to 1. A prior of ours, not a measured rate.
    pub change: f64,
    /// Weight in PageRank from source to target.
    pub rank: f64,
    /// Its source uses its target in a way that a changed signature breaks.
    pub names_signature: bool,
    /// A source exposes the broken signature to its own dependents.
    pub passes_signature: bool,
}

const fn row(path_cost: u32, change: f64, rank: f64, names_signature: bool, passes_signature: bool) -> Weights {
    Weights { path_cost, change, rank, names_signature, passes_signature }
}

/// Weights of a relation. A step against an edge costs [`BACKWARD_COST`] more.
pub const fn of(relation: Relation) -> Weights {
    match relation {
        Relation::Contains => row(8_000, 0.0, 0.0, false, false),
        Relation::Imports => row(2_000, 0.4, 0.3, true, false),
        Relation::Reexports => row(1_500, 0.8, 0.5, true, true),
        Relation::Calls => row(1_000, 0.7, 1.0, true, false),
        Relation::References => row(1_200, 0.5, 0.6, true, false),
        Relation::Inherits => row(1_000, 0.8, 1.0, true, true),
        Relation::Implements => row(1_000, 0.8, 1.0, true, false),
        Relation::Overrides => row(1_100, 0.7, 0.6, true, false),
        Relation::Decorates => row(1_200, 0.6, 0.6, true, false),
        Relation::Tests => row(1_500, 0.6, 0.0, true, false),
        Relation::ReadsConfig | Relation::SetsConfig => row(1_500, 0.5, 0.3, false, false),
        Relation::DependsOn => row(1_500, 0.5, 0.5, false, false),
        Relation::Documents => row(3_000, 0.3, 0.0, false, false),
        Relation::Registers => row(1_300, 0.5, 0.5, true, false),
        // A change of a handler reaches those who ask for its route, by what it answers.
        Relation::Requests => row(1_200, 0.6, 0.6, false, false),
        Relation::Serves => row(1_100, 0.7, 0.6, false, false),
        Relation::RelatesTo
        | Relation::Cites
        | Relation::AuthoredBy
        | Relation::PublishedIn
        | Relation::AssignedTo
        | Relation::ClassifiedAs
        | Relation::Obsoletes
        | Relation::Updates
        | Relation::Declares => row(4_000, 0.0, 0.1, false, false),
    }
}

/// Extra cost of a step from target to source, in thousandths.
pub const BACKWARD_COST: u32 = 1_500;

/// Expected share of an edge: 1 if certain, one over the number of candidates if possible.
pub fn certainty(tier: EdgeTier, of: u16) -> f64 {
    match tier {
        EdgeTier::Certain | EdgeTier::External => 1.0,
        EdgeTier::Possible => 1.0 / f64::from(of.max(2)),
    }
}

/// Probability that a change of the edge's target reaches its source.
pub fn change(edge: &EdgeRef<'_>) -> f64 {
    of(edge.relation).change * certainty(edge.tier, edge.of)
}

/// Cost of a step over the edge, in thousandths. Uncertain edges cost up to twice as much.
pub fn path_cost(edge: &EdgeRef<'_>, forward: bool) -> u32 {
    let cost = of(edge.relation).path_cost;
    let unsure = (f64::from(cost) * (1.0 - certainty(edge.tier, edge.of))) as u32;
    cost + unsure + if forward { 0 } else { BACKWARD_COST }
}
