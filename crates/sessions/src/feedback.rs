//! Feedback of agents about answers: the rows of an append-only ledger.
//!
//! Rows are shortened, redacted and stored here. Their effect on a query is computed by callers that know the graph.

use m1nd_base::Derived;
use m1nd_store::StoredFeedback;

/// Maximum nodes of one lesson.
pub const MAX_LESSON_NODES: usize = 100;
/// Maximum length of a stored query, in characters.
pub const MAX_QUESTION: usize = 2_000;

/// Feedback of an agent about an answer. Texts and lists beyond the limits are truncated.
#[derive(Debug, Clone)]
pub struct Lesson<'a> {
    /// The agent.
    pub agent: &'a str,
    /// The kind of feedback, as a word.
    pub kind: &'a str,
    /// The query, up to [`MAX_QUESTION`] characters. Secrets are redacted.
    pub query: &'a str,
    /// Strength, 0 to 1.
    pub strength: f64,
    /// Idempotency key: the same key of the same agent is stored once. Up to [`MAX_NAME`] characters.
    pub key: Option<&'a str>,
    /// Ids of the rated nodes, in order, up to [`MAX_LESSON_NODES`].
    pub nodes: &'a [&'a str],
}

/// The rows of the ledger that were in effect when it was read.
#[derive(Debug, Default)]
pub struct FeedbackRows {
    rows: Vec<StoredFeedback>,
    newest: i64,
    derived: Derived,
}

impl FeedbackRows {
    pub(crate) fn new(rows: Vec<StoredFeedback>, newest: i64) -> Self {
        Self { rows, newest, derived: Derived::new() }
    }

    /// Feedback that was not undone, oldest first.
    #[must_use]
    pub fn rows(&self) -> &[StoredFeedback] {
        &self.rows
    }

    /// Number of the newest row, including undone ones; 0 if there is none. While it does not change, neither do the
    /// rows.
    #[must_use]
    pub fn newest(&self) -> i64 {
        self.newest
    }

    /// Data that readers derive from the rows, cached as long as the rows.
    #[must_use]
    pub fn derived_values(&self) -> &Derived {
        &self.derived
    }
}
