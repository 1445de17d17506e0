//! What agents told of answers: the rows of a ledger, to which is only ever added.
//!
//! What they say for a question is judged by those who know the graph; here they are cut, cleared of secrets and kept.


use m1nd_base::Derived;
use m1nd_store::StoredFeedback;


/// Nodes of one lesson.
pub const MAX_LESSON_NODES: usize = 100;
/// Longest question kept, in characters.
pub const MAX_QUESTION: usize = 2_000;

/// What an agent tells of an answer. Longer texts and lists than the limits are cut.
#[derive(Debug, Clone)]
pub struct Lesson<'a> {
    /// Who.
    pub agent: &'a str,
    /// A word for what is told.
    pub kind: &'a str,
    /// What was asked, up to [`MAX_QUESTION`] characters. Secrets are taken out of it.
    pub query: &'a str,
    /// How much it counts, 0 to 1.
    pub strength: f64,
    /// The same key of the same agent is told once; up to [`MAX_NAME`] characters.
    pub key: Option<&'a str>,
    /// Ids of the nodes it is about, in order, up to [`MAX_LESSON_NODES`].
    pub nodes: &'a [&'a str],
}

/// The rows of the ledger that stood when it was read.
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

    /// What was told and not taken back, oldest first.
    #[must_use]
    pub fn rows(&self) -> &[StoredFeedback] {
        &self.rows
    }

    /// Number of the newest row, of those that do not stand, too; 0 if there is none. While it is the same, so are the rows.
    #[must_use]
    pub fn newest(&self) -> i64 {
        self.newest
    }

    /// What readers make of the rows, kept as long as these.
    #[must_use]
    pub fn derived(&self) -> &Derived {
        &self.derived
    }
}
