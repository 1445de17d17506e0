//! What agents told of answers: the rows of a ledger, to which is only ever added.
//!
//! What they say for a question is judged by those who know the graph; here they are cut, cleared of secrets and kept.

use std::sync::Arc;

use m1nd_base::{Derived, secrets};
use m1nd_store::{FEEDBACK_KEPT, NewFeedback, StoreError, StoredFeedback, Undone};

use crate::sessions::shortened;
use crate::{MAX_NAME, SessionError, Sessions};

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

impl Sessions {
    /// Adds to the ledger what an agent tells of an answer. With its number, whether the key was known and nothing added.
    ///
    /// # Errors
    /// [`SessionError::Store`].
    pub fn learn(&self, told: &Lesson<'_>) -> Result<(i64, bool), SessionError> {
        let new = NewFeedback {
            at_ms: self.clock.now_ms(),
            agent: shortened(told.agent, MAX_NAME),
            kind: told.kind.to_owned(),
            query: secrets::redact(&shortened(told.query, MAX_QUESTION)).into_owned(),
            strength: told.strength.clamp(0.0, 1.0),
            key: told.key.map(|key| shortened(key, MAX_NAME)),
            nodes: told.nodes.iter().take(MAX_LESSON_NODES).map(|&node| node.to_owned()).collect(),
        };
        Ok(self.store.add_feedback(&new)?)
    }

    /// Takes an entry of the ledger back.
    ///
    /// # Errors
    /// [`SessionError::Store`].
    pub fn unlearn(&self, agent: &str, entry: i64) -> Result<Undone, SessionError> {
        Ok(self.store.undo_feedback(entry, &shortened(agent, MAX_NAME), self.clock.now_ms())?)
    }

    /// The ledger as it is now, read again if something was added, here or in another process. If it cannot be read now, the
    /// rows that were read last, and why. Nobody waits for a reading of somebody else.
    #[must_use]
    pub fn feedback(&self) -> (Arc<FeedbackRows>, Option<String>) {
        let known = self.rows_read().clone();
        match self.read_after(&known) {
            Ok(rows) => (rows, None),
            Err(error) => (known, Some(error.to_string())),
        }
    }

    fn read_after(&self, known: &Arc<FeedbackRows>) -> Result<Arc<FeedbackRows>, StoreError> {
        // Before the rows: what is added in between is read again the next time.
        let newest = self.store.newest_feedback()?;
        if newest == known.newest {
            return Ok(known.clone());
        }
        let rows = self.store.feedback(FEEDBACK_KEPT)?;
        let read = Arc::new(FeedbackRows { rows, newest, derived: Derived::new() });
        let mut held = self.rows_read();
        if held.newest < newest {
            *held = read.clone();
        }
        Ok(read)
    }
}
