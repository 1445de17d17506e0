//! Saved investigations.

use std::collections::BTreeMap;
use std::time::Duration;

use m1nd_base::ContentHash;
use serde::{Deserialize, Serialize};

use crate::{Access, Held, Ids, Kind};

/// Maximum trails of one agent.
pub const MAX_TRAILS: usize = 200;
/// Maximum trails of all agents that one search looks at, last changed first.
pub const MAX_CHECKED_TRAILS: usize = 2_000;
/// Maximum size of one trail, in bytes.
pub const MAX_TRAIL_BYTES: u64 = 1 << 20;
/// Time from the last save or resume by its owner to the end of a trail, in days.
pub const TRAIL_DAYS: u64 = 365;

/// An investigation: what was visited, believed, concluded and left open, with the code as it was.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Trail {
    /// Its name for people.
    pub label: String,
    /// Its state.
    pub status: TrailStatus,
    /// One sentence.
    pub summary: String,
    /// Nodes that it is about, by relevance.
    pub nodes: Vec<TrailNode>,
    /// Beliefs, with what supports them.
    pub hypotheses: Vec<Hypothesis>,
    /// Conclusions.
    pub conclusions: Vec<Conclusion>,
    /// Questions not answered yet.
    pub open_questions: Vec<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Nodes that queries naming the trail favour, 0 to 1.
    pub boosts: BTreeMap<String, f64>,
    /// Generation of the index when it was saved.
    pub generation: u64,
    /// Trails that it was merged from.
    pub sources: Vec<String>,
    /// The trail that it was merged into last.
    #[serde(default)]
    pub merged_into: Option<String>,
}

/// State of a trail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrailStatus {
    /// Saved and not resumed since.
    #[default]
    Saved,
    /// Resumed by its owner.
    Active,
    /// Put aside by its owner.
    Archived,
    /// Merged into another one.
    Merged,
}

impl TrailStatus {
    /// The word on the wire.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Saved => "saved",
            Self::Active => "active",
            Self::Archived => "archived",
            Self::Merged => "merged",
        }
    }
}

/// A node of a trail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrailNode {
    /// Its id.
    pub id: String,
    /// Hashes of its text and its file when the trail was saved; `None` if it had none or could not be read.
    pub hashes: Option<(ContentHash, ContentHash)>,
    /// A remark.
    pub annotation: Option<String>,
    /// 0 to 1.
    pub relevance: f64,
}

/// A belief.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hypothesis {
    /// In words.
    pub statement: String,
    /// 0 to 1.
    pub confidence: f64,
    /// Ids of nodes that speak for it.
    pub supporting: Vec<String>,
    /// Ids of nodes that speak against it.
    pub contradicting: Vec<String>,
    /// Claims that can be tested again.
    pub evidence: Vec<Evidence>,
}

/// A claim with the result of its test when the trail was saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The claim as a sentence, or `A -> B` for a connection.
    pub text: String,
    /// Id of its subject.
    pub subject: Option<String>,
    /// Id of its object.
    pub object: Option<String>,
    /// Word for the result.
    pub outcome: String,
}

/// A conclusion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conclusion {
    /// In words.
    pub statement: String,
    /// 0 to 1.
    pub confidence: f64,
    /// Statements of the hypotheses that it follows from.
    pub from_hypotheses: Vec<String>,
    /// Ids of nodes that speak for it.
    pub supporting: Vec<String>,
}

impl Held for Trail {
    const KIND: Kind = Kind {
        name: "trail",
        prefix: "trail",
        // Handing an investigation over is what it is for.
        access: Access::OwnerChanges,
        lifetime: Some(Duration::from_secs(TRAIL_DAYS * 24 * 60 * 60)),
        max_per_owner: MAX_TRAILS,
        max_bytes: MAX_TRAIL_BYTES,
    };
    const IDS: Ids = Ids::Ulid;
}
