use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};

use m1nd_base::{Clock, secrets};
use m1nd_store::{CallTotals, FEEDBACK_KEPT, NewFeedback, StoreError, Undone};

use crate::agents::{AgentSession, Agents, MAX_NAME};
use crate::calls::{CallLog, CallRecord, ShownFile};
use crate::common::{lock, shorten_text};
use crate::connection::OfConnection;
use crate::error::SessionError;
use crate::feedback::{FeedbackRows, Lesson, MAX_LESSON_NODES, MAX_QUESTION};
use crate::primings::{MAX_TASK, Primed, Priming, Primings};
use crate::store::SessionStore;

/// Calls after which the totals of all sessions are stored again.
const STORED_EVERY: u64 = 25;
/// Bytes of a token, for the estimate.
pub const TOKEN_BYTES: u64 = 4;

/// The state of agents. All methods take `&self`, so that one value is shared by all threads in an [`Arc`].
///
/// Locks are held for map access only, never during store operations.
pub struct Sessions {
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) clock: Clock,
    agents: Mutex<Agents>,
    primings: Mutex<Primings>,
    feedback: Mutex<Arc<FeedbackRows>>,
    calls: Mutex<CallLog>,
    of_connection: Mutex<OfConnection>,
    /// What was added to the stored totals.
    stored: Mutex<CallTotals>,
    started_ms: u64,
}

impl Drop for Sessions {
    fn drop(&mut self) {
        // A process that ends without it loses the figures of a few calls.
        let _ = self.store_totals();
    }
}

impl Sessions {
    /// Creates sessions over `store`, which is read on demand.
    #[must_use]
    pub fn new(store: Arc<dyn SessionStore>, clock: Clock) -> Self {
        let started_ms = clock.now_ms();
        Self {
            store,
            clock,
            agents: Mutex::default(),
            primings: Mutex::default(),
            feedback: Mutex::default(),
            calls: Mutex::default(),
            of_connection: Mutex::default(),
            stored: Mutex::default(),
            started_ms,
        }
    }

    /// What this process stored of what agents hold.
    pub(crate) fn of_connection(&self) -> MutexGuard<'_, OfConnection> {
        lock(&self.of_connection)
    }

    /// Adds a call to the log of this process, with the files that its answer shows code of, and the nodes, edges and
    /// generation of the graph.
    pub fn note_call(&self, mut call: CallRecord, files: Vec<ShownFile>, graph: (u64, u64, u64)) {
        call.at_ms = self.clock.now_ms();
        lock(&self.calls).add(call, files, graph);
        let total = lock(&self.calls).total;
        if total.saturating_sub(lock(&self.stored).queries) >= STORED_EVERY {
            // The next call tries again.
            let _ = self.store_totals();
        }
    }

    /// The figures of this process that are stored.
    fn totals(&self) -> CallTotals {
        let log = lock(&self.calls);
        let (unread, partly) = log.left_unread();
        CallTotals {
            sessions: u64::from(log.total > 0),
            queries: log.total,
            tokens_saved: unread / TOKEN_BYTES,
            file_reads_avoided: partly,
        }
    }

    /// Adds what this process did since the last time to the totals of all sessions, and returns those; `None` where
    /// nothing can be stored.
    ///
    /// # Errors
    /// [`StoreError`]; the figures are added the next time.
    pub fn store_totals(&self) -> Result<Option<CallTotals>, StoreError> {
        let now = self.totals();
        let before = *lock(&self.stored);
        let Some(all) = self.store.add_totals(&now.since(&before))? else { return Ok(None) };
        *lock(&self.stored) = now;
        Ok(Some(all))
    }

    /// The calls of this process, the milliseconds since it started, and the time in milliseconds since 1970.
    #[must_use]
    pub fn calls(&self) -> (CallLog, u64, u64) {
        let now = self.clock.now_ms();
        (lock(&self.calls).clone(), now.saturating_sub(self.started_ms), now)
    }

    /// Records a call of an agent.
    pub fn touch(&self, agent: &str) {
        self.agents_seen().touch(shorten_text(agent, MAX_NAME), self.clock.now_ms());
    }

    /// Agents that called since the process started, by name.
    #[must_use]
    pub fn agents(&self) -> Vec<AgentSession> {
        self.agents_seen().0.values().cloned().collect()
    }

    /// Primes later answers for this agent with the nodes near a task, until the priming fades or is replaced.
    /// `strength` is 0 to 1; 0 or an empty list of nodes removes the priming. Nothing is stored.
    pub fn prime(&self, agent: &str, task: &str, strength: f64, nodes: Vec<(String, f64)>) {
        let (task, strength) = (shorten_text(task, MAX_TASK), strength.clamp(0.0, 1.0));
        let priming = Priming { task, strength, at_ms: self.clock.now_ms(), nodes };
        let priming = Some(priming).filter(|priming| priming.strength > 0.0 && !priming.nodes.is_empty());
        self.primings().set(&shorten_text(agent, MAX_NAME), priming);
    }

    /// The priming of an agent with its remaining strength; `None` if it has none or it has faded.
    #[must_use]
    pub fn priming(&self, agent: &str) -> Option<Primed> {
        let now = self.clock.now_ms();
        let primings = self.primings();
        let (priming, strength) = primings.of(&shorten_text(agent, MAX_NAME), now)?;
        Some(Primed { task: priming.task.clone(), strength, nodes: priming.nodes.clone() })
    }

    /// Takes over what another value holds in memory: the agents seen, and their primings with the ids that `other_id`
    /// gives their nodes (`None` for the same id).
    pub fn take_over(&self, from: &Self, other_id: &dyn Fn(&str) -> Option<String>) {
        let agents = from.agents_seen().0.clone();
        self.agents_seen().0.extend(agents);
        let mut primings = from.primings().clone();
        primings.rename(other_id);
        *self.primings() = primings;
    }

    /// Adds feedback to the ledger. Returns its number, and whether the key was known and nothing was added.
    ///
    /// # Errors
    /// [`SessionError::Store`].
    pub fn learn(&self, told: &Lesson<'_>) -> Result<(i64, bool), SessionError> {
        let new = NewFeedback {
            at_ms: self.clock.now_ms(),
            agent: shorten_text(told.agent, MAX_NAME),
            kind: told.kind.to_owned(),
            query: secrets::redact(&shorten_text(told.query, MAX_QUESTION)).into_owned(),
            strength: told.strength.clamp(0.0, 1.0),
            key: told.key.map(|key| shorten_text(key, MAX_NAME)),
            nodes: told.nodes.iter().take(MAX_LESSON_NODES).map(|&node| node.to_owned()).collect(),
        };
        Ok(self.store.add_feedback(&new)?)
    }

    /// Undoes a row of the ledger.
    ///
    /// # Errors
    /// [`SessionError::Store`].
    pub fn unlearn(&self, agent: &str, entry: i64) -> Result<Undone, SessionError> {
        Ok(self.store.undo_feedback(entry, &shorten_text(agent, MAX_NAME), self.clock.now_ms())?)
    }

    /// Returns the current ledger, reading it again if this or another process added rows. If it cannot be read,
    /// returns the last rows and the reason. Callers do not wait for each other's reads.
    #[must_use]
    pub fn feedback(&self) -> (Arc<FeedbackRows>, Option<String>) {
        let known = self.rows_read().clone();
        match self.read_after(&known) {
            Ok(rows) => (rows, None),
            Err(error) => (known, Some(error.to_string())),
        }
    }

    fn read_after(&self, known: &Arc<FeedbackRows>) -> Result<Arc<FeedbackRows>, StoreError> {
        // Read before the rows, so that rows added in between are read the next time.
        let newest = self.store.newest_feedback()?;
        if newest == known.newest() {
            return Ok(known.clone());
        }
        let rows = self.store.feedback(FEEDBACK_KEPT)?;
        let read = Arc::new(FeedbackRows::new(rows, newest));
        let mut held = self.rows_read();
        if held.newest() < newest {
            *held = read.clone();
        }
        Ok(read)
    }

    fn agents_seen(&self) -> MutexGuard<'_, Agents> {
        lock(&self.agents)
    }

    fn primings(&self) -> MutexGuard<'_, Primings> {
        lock(&self.primings)
    }

    /// The last rows of feedback read.
    fn rows_read(&self) -> MutexGuard<'_, Arc<FeedbackRows>> {
        lock(&self.feedback)
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions").field("agents", &self.agents_seen().len()).finish_non_exhaustive()
    }
}
