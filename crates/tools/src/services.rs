//! The services that tools work with.

use std::sync::Arc;

use m1nd_engine::{Engine, EngineConfig, EngineError, Snapshot};
use m1nd_mind::{Memories, MindConfig};
use m1nd_query::retrieval::{Feedback, Ledger, LedgerRow, PrimedTask, Prior};
use m1nd_sessions::{ReadOnlyStore, SessionError, SessionStore, Sessions, StoredFeedback};

/// The index of a project, its memories, and the state of agents. Clones share all of it.
#[derive(Debug, Clone)]
pub struct Services {
    /// The index.
    pub engine: Engine,
    /// Memories of the projects.
    pub memories: Arc<Memories>,
    /// State of agents.
    pub sessions: Arc<Sessions>,
}

impl Services {
    /// Opens the index, the memories and the sessions; see [`Engine::open`].
    ///
    /// # Errors
    /// Those of [`Engine::open`].
    pub fn open(config: EngineConfig, mind: MindConfig) -> Result<Self, EngineError> {
        Ok(Self::over(Engine::open(config)?, mind))
    }

    /// Like [`Services::open`], with the memories of all projects inside the store.
    ///
    /// # Errors
    /// Those of [`Engine::open`].
    pub fn self_contained(config: EngineConfig) -> Result<Self, EngineError> {
        let mind = MindConfig::beside(&config.home, config.roots.clone());
        Self::open(config, mind)
    }

    /// Creates services for an open engine.
    pub fn over(engine: Engine, mind: MindConfig) -> Self {
        let project: Arc<dyn SessionStore> = engine.project().clone();
        let store = if engine.is_read_only() { Arc::new(ReadOnlyStore::new(project)) } else { project };
        let sessions = Arc::new(Sessions::new(store, engine.clock().clone()));
        Self { engine, memories: Arc::new(Memories::new(mind)), sessions }
    }

    /// Releases the locks of a perspective and returns their ids. There are no locks yet, so there is none to release;
    /// the place where they join.
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "a store of locks is part of the services")]
    pub(crate) fn release_locks_of(&self, _agent: &str, _perspective: &str) -> Result<Vec<String>, SessionError> {
        Ok(Vec::new())
    }

    /// Priming of this agent and feedback of all agents for a query.
    pub(crate) fn prior(&self, agent: &str, text: &str, snapshot: &Snapshot) -> Prior {
        let (rows, unavailable) = self.sessions.feedback();
        let ledger = rows.derived().get_or_init(|| Ledger::new(rows.rows().iter().filter_map(ledger_row)));
        let primed = self.sessions.priming(agent);
        let task = primed.as_ref().map(|primed| PrimedTask {
            task: &primed.task,
            strength: primed.strength,
            nodes: &primed.nodes,
        });
        Prior::of(snapshot, text, self.engine.clock().now_ms(), task, &ledger, unavailable)
    }
}

/// A stored row of the ledger for comparison with queries; `None` for a kind from a newer version.
fn ledger_row(stored: &StoredFeedback) -> Option<LedgerRow<'_>> {
    Some(LedgerRow {
        id: stored.id,
        query: &stored.told.query,
        feedback: Feedback::parse(&stored.told.kind)?,
        strength: stored.told.strength,
        at_ms: stored.told.at_ms,
        nodes: &stored.told.nodes,
    })
}
