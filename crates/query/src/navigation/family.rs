//! Families of routes: what connects a focus with where a route leads.

use m1nd_base::Relation;
use serde::{Deserialize, Serialize};

use crate::retrieval::Dimension;

/// What kind of evidence a route rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// It uses the focus: a change of the focus can reach it.
    CausalDownstream,
    /// The focus uses it: a change of it can reach the focus.
    CausalUpstream,
    /// Imports, inheritance, containment, or several different steps.
    StructuralNeighbor,
    /// Test code on one side.
    Test,
    /// Both read the same configuration key.
    Configuration,
    /// Text that describes code, or the described code.
    Documentation,
    /// Its file changes together with that of the focus.
    History,
    /// It has the same role: the same owner, base or shape.
    Sibling,
    /// It matches the query.
    Semantic,
}

impl Family {
    /// Every family, in the order of the docs.
    pub const ALL: [Self; 9] = [
        Self::CausalDownstream,
        Self::CausalUpstream,
        Self::StructuralNeighbor,
        Self::Test,
        Self::Configuration,
        Self::Documentation,
        Self::History,
        Self::Sibling,
        Self::Semantic,
    ];

    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::CausalDownstream => "causal_downstream",
            Self::CausalUpstream => "causal_upstream",
            Self::StructuralNeighbor => "structural_neighbor",
            Self::Test => "test",
            Self::Configuration => "configuration",
            Self::Documentation => "documentation",
            Self::History => "history",
            Self::Sibling => "sibling",
            Self::Semantic => "semantic",
        }
    }

    /// The family with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.word() == word)
    }

    /// Its meaning, with the target as subject.
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::CausalDownstream => "uses the focus: a change of the focus can reach it",
            Self::CausalUpstream => "is used by the focus: a change of it can reach the focus",
            Self::StructuralNeighbor => {
                "is tied to the focus by imports, inheritance or containment, or over several steps"
            }
            Self::Test => "is connected with the focus by test code",
            Self::Configuration => "reads the same configuration key as the focus",
            Self::Documentation => "describes the focus, or is described by it",
            Self::History => "changes in the same commits as the file of the focus",
            Self::Sibling => "has the same role as the focus: owner, base or shape",
            Self::Semantic => "matches the query",
        }
    }

    /// The dimension that its evidence belongs to.
    pub const fn dimension(self) -> Dimension {
        match self {
            Self::CausalDownstream | Self::CausalUpstream | Self::Test => Dimension::Causal,
            Self::History => Dimension::Temporal,
            Self::Semantic => Dimension::Semantic,
            Self::StructuralNeighbor | Self::Configuration | Self::Documentation | Self::Sibling => {
                Dimension::Structural
            }
        }
    }

    /// The family of an edge that is followed in a direction: `forward` is from the one that uses to the one used.
    pub(super) const fn of_edge(relation: Relation, forward: bool) -> Self {
        match relation {
            Relation::Tests => Self::Test,
            Relation::Documents => Self::Documentation,
            Relation::ReadsConfig | Relation::SetsConfig => Self::Configuration,
            Relation::Calls
            | Relation::References
            | Relation::Overrides
            | Relation::Decorates
            | Relation::Registers
            | Relation::Requests
            | Relation::Serves => {
                if forward {
                    Self::CausalUpstream
                } else {
                    Self::CausalDownstream
                }
            }
            Relation::Contains
            | Relation::Imports
            | Relation::Reexports
            | Relation::Inherits
            | Relation::Implements
            | Relation::DependsOn
            | Relation::RelatesTo
            | Relation::Cites
            | Relation::AuthoredBy
            | Relation::PublishedIn
            | Relation::AssignedTo
            | Relation::ClassifiedAs
            | Relation::Obsoletes
            | Relation::Updates
            | Relation::Declares => Self::StructuralNeighbor,
        }
    }
}
