//! Gotchas: known pitfalls of platforms and of the project, shown before somebody runs into them.
//!
//! A gotcha lists its triggers: keywords of the context, keywords of the intent, patterns of code. Each match is
//! evidence of a known weight, combined like independent probabilities.

mod built_in;
mod draft;
mod existing;
mod keywords;
mod matcher;
mod patterns;
mod project;
mod tags;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Severity;

/// Prefix of the ids of a project's own gotchas, followed by the id of the memory.
pub const PROJECT_PREFIX: &str = "proj_";

pub use built_in::{BUILT_IN_PREFIX, BuiltIn, built_in};
pub use draft::{EdgeDraft, EdgeError, MAX_PATTERN_CHARS, MAX_PATTERNS, MAX_TEXT_CHARS};
pub use existing::{Existing, existing};
pub use matcher::{EdgeMatcher, EdgeQuery, EdgeSource, EdgeWarning, Stack};
pub use tags::canonical_tag;

/// Triggers of a gotcha.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detection {
    /// Keywords of the project and its current work: `vercel`, `edge`.
    #[serde(default)]
    pub context: Vec<Box<str>>,
    /// Keywords of the planned work: `crypto`, `random`.
    #[serde(default)]
    pub intent: Vec<Box<str>>,
    /// Regular expressions over code; case does not matter, `^` and `$` are ends of lines.
    #[serde(default)]
    pub code: Vec<Box<str>>,
}

/// A gotcha of a platform or language, for all projects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// `edge_` and ten characters; `builtin_…` for those that come with the program.
    pub id: Box<str>,
    /// The problem, in one line.
    pub title: Box<str>,
    /// Cause and circumstances.
    pub description: Box<str>,
    /// The way around.
    pub workaround: Box<str>,
    /// Its triggers.
    pub detection: Detection,
    /// Stack tags that a project must have for it to apply.
    #[serde(default)]
    pub stack_tags: Vec<Box<str>>,
    /// Severity.
    #[serde(default = "unsaid_severity")]
    pub severity: Severity,
    /// When it was added.
    pub created_at: Timestamp,
    /// How often it was added again.
    #[serde(default)]
    pub verified_count: u32,
}

/// Default severity of a global gotcha.
const fn unsaid_severity() -> Severity {
    Severity::Warning
}

#[cfg(test)]
mod tests;
