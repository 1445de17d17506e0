//! Gotchas: traps of platforms and of the project, shown before somebody steps into them.
//!
//! A gotcha says what it looks at: keywords of the context, keywords of the intent, patterns of code. What fits is evidence
//! of a known weight, and evidence adds up as independent chances do.

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

/// How the id of a gotcha that a project wrote down itself begins; the rest is that of its memory.
pub const PROJECT_PREFIX: &str = "proj_";

pub use built_in::{BUILT_IN_PREFIX, BuiltIn, built_in};
pub use draft::{EdgeDraft, EdgeError, MAX_PATTERN_CHARS, MAX_PATTERNS, MAX_TEXT_CHARS};
pub use existing::{Existing, existing};
pub use matcher::{EdgeMatcher, EdgeQuery, EdgeSource, EdgeWarning, Stack};
pub use tags::canonical_tag;

/// What a gotcha looks at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detection {
    /// Keywords of what the project is and what is worked on: `vercel`, `edge`.
    #[serde(default)]
    pub context: Vec<Box<str>>,
    /// Keywords of what is about to be done: `crypto`, `random`.
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
    /// What goes wrong, in a line.
    pub title: Box<str>,
    /// Why and when.
    pub description: Box<str>,
    /// The way around.
    pub workaround: Box<str>,
    /// What it looks at.
    pub detection: Detection,
    /// What a project must be made with for it to matter.
    #[serde(default)]
    pub stack_tags: Vec<Box<str>>,
    /// How bad it is.
    #[serde(default = "unsaid_severity")]
    pub severity: Severity,
    /// When it was added.
    pub created_at: Timestamp,
    /// How often it was added again.
    #[serde(default)]
    pub verified_count: u32,
}

/// What a gotcha of all projects is that does not say.
const fn unsaid_severity() -> Severity {
    Severity::Warning
}

#[cfg(test)]
mod tests;
