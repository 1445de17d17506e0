//! Stored bug patterns.

use serde::{Deserialize, Serialize};

use crate::{Access, Held, Kind};

/// Maximum bug patterns of a project.
pub const MAX_BUG_PATTERNS: usize = 500;
/// Maximum size of one, in bytes.
const MAX_BYTES: u64 = 32 << 10;

/// A bug pattern that agents stored for a project.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BugPattern {
    /// Its name for people.
    pub name: String,
    /// What is wrong where it matches.
    pub description: String,
    /// `info`, `warning` or `critical`.
    pub severity: String,
    /// Whether scans look for it.
    pub enabled: bool,
    /// Code with metavariables, if it is one of code.
    pub code: Option<String>,
    /// Language of the code; every one in which it is code if `None`.
    pub language: Option<String>,
    /// Nodes of a pattern over the graph.
    #[serde(default)]
    pub nodes: Vec<BugNode>,
    /// Edges that must be there.
    #[serde(default)]
    pub edges: Vec<BugEdge>,
    /// Edges that must not be there.
    #[serde(default)]
    pub negative_edges: Vec<BugEdge>,
    /// The fix commit that it was learned from.
    #[serde(default)]
    pub commit: Option<String>,
    /// How much it says, 0 to 1.
    pub specificity: f64,
    /// Matches when it was stored.
    pub initial_matches: usize,
}

/// A node of a pattern over the graph.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BugNode {
    /// Its name in the pattern.
    pub role: String,
    /// Its type.
    pub node_type: Option<String>,
    /// Properties that it must have.
    #[serde(default)]
    pub required_tags: Vec<String>,
    /// Text for its label.
    pub label_contains: Option<String>,
}

/// An edge of a pattern over the graph, between two of its nodes by index.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BugEdge {
    /// Index of the source.
    pub source_idx: usize,
    /// Index of the target.
    pub target_idx: usize,
    /// Its relation; any if `None`.
    pub relation: Option<String>,
}

impl Held for BugPattern {
    const KIND: Kind = Kind {
        name: "bug_pattern",
        prefix: "ab",
        // They belong to the project: who finds a false one disables it.
        access: Access::Everyone,
        lifetime: None,
        max_per_owner: MAX_BUG_PATTERNS,
        max_bytes: MAX_BYTES,
    };
}
