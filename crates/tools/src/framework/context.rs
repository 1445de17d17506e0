use std::cell::Cell;
use std::sync::Arc;

use m1nd_base::{Cancel, ContentHash, Progress};
use m1nd_engine::history::ProjectHistory;
use m1nd_engine::{Engine, LocalModel, ProcessRole, Snapshot, Status, WatchState};
use m1nd_mind::Keeper;
use m1nd_query::retrieval::Prior;
use m1nd_sessions::Sessions;

use super::answer::Page;
use super::call::Call;
use super::catalog::Catalog;
use super::error::ToolError;
use super::stale::Stale;
use crate::services::Services;

/// What a caller (server, command line) gives to a call.
#[derive(Clone)]
pub struct Context<'a> {
    /// What tools work with.
    pub services: &'a Services,
    /// The tools that exist here.
    pub tools: Catalog,
    /// The state that the call answers from. Taken once: an answer never mixes two generations.
    pub snapshot: Arc<Snapshot>,
    /// Ends the call early when set.
    pub cancel: &'a Cancel,
    /// Receives the progress of long work.
    pub progress: &'a dyn Progress,
    /// Whether a call that would take as much of the history of git as is loaded reads all of it: in a process that answers
    /// once nobody reads it ahead.
    pub reads_history: bool,
}

impl<'a> Context<'a> {
    /// A context on the current snapshot.
    pub fn new(services: &'a Services, tools: Catalog, cancel: &'a Cancel, progress: &'a dyn Progress) -> Self {
        Self { services, tools, snapshot: services.engine.snapshot(), cancel, progress, reads_history: false }
    }
}

/// What a read tool is given: a snapshot, and nothing that leads to the writer.
#[derive(Clone, Copy)]
pub struct ReadContext<'a> {
    // Private, and offered only through methods that cannot write: a read tool that writes does not compile.
    services: &'a Services,
    tools: Catalog,
    snapshot: &'a Arc<Snapshot>,
    cancel: &'a Cancel,
    reads_history: bool,
    call: &'a Call,
    /// Of what was handed out that may be another at the next call: the next page has to rest on the same.
    state: &'a Cell<u64>,
}

impl<'a> ReadContext<'a> {
    pub(super) fn new(cx: &'a Context<'a>, call: &'a Call, state: &'a Cell<u64>) -> Self {
        let Context { services, tools, snapshot, cancel, reads_history, .. } = cx;
        Self { services, tools: *tools, snapshot, cancel, reads_history: *reads_history, call, state }
    }

    /// Who calls; empty where the caller did not say.
    pub fn agent(&self) -> &'a str {
        &self.call.agent
    }

    /// Largest answer of this call, in bytes as it is sent. The framework cuts lists that do not fit; a tool asks for it only
    /// where it has to choose what to leave out itself.
    pub fn budget(&self) -> usize {
        self.call.budget
    }

    /// The tools that exist here.
    pub fn tools(&self) -> Catalog {
        self.tools
    }

    /// Notes what the order of rows depends on, beside what is handed out here.
    pub(crate) fn rests_on(&self, what: &[u8]) {
        let both = [&self.state.get().to_le_bytes(), what].concat();
        self.state.set(ContentHash::of(&both).short());
    }

    /// The state to answer from.
    pub fn snapshot(&self) -> &'a Snapshot {
        self.snapshot
    }

    /// The state to answer from, or the error that every tool gives when there is no graph yet.
    pub fn indexed(&self) -> Result<&'a Snapshot, ToolError> {
        if self.snapshot.is_empty() { Err(ToolError::empty_graph()) } else { Ok(self.snapshot) }
    }

    /// Says which changes on disk the snapshot does not have; `None` if it is what is on disk. Only for tools with
    /// [`Tool::NEEDS_FRESH`](super::Tool::NEEDS_FRESH): what they say to be absent may be in these files.
    pub fn unseen(&self) -> Option<String> {
        self.call.stale.as_ref().map(Stale::why)
    }

    /// Compares the index with the disk now and says what it does not have, unless it is being watched or changed.
    pub(crate) fn look_for_unseen(&self, status: &Status) -> Option<String> {
        let follows = status.role == ProcessRole::Writer && status.watch == WatchState::On;
        if follows || status.activity.is_some() {
            return None;
        }
        let (_, found) = self.services.engine.freshness(self.cancel);
        Stale::of(&found, status.role).map(|stale| stale.why())
    }

    /// To poll in long loops.
    pub fn cancel(&self) -> &'a Cancel {
        self.cancel
    }

    /// The rows to answer with: `limit` of them from where the caller's cursor points.
    pub fn page(&self, limit: usize) -> Page {
        Page { offset: self.call.offset, limit }
    }

    /// What speaks for or against nodes beside the words of a question: what the caller primed, and the feedback of all.
    pub fn prior(&self, text: &str) -> Result<Prior, ToolError> {
        self.cancel.check()?;
        let prior = self.services.prior(self.agent(), text, self.snapshot);
        self.rests_on(&prior.state(self.snapshot.graph()).to_le_bytes());
        Ok(prior)
    }

    /// What git tells, read on to what is checked out now. Taken once: an answer never mixes two states of it.
    pub fn history(&self) -> ProjectHistory {
        let history = self.snapshot.history(self.cancel);
        self.rests_on(&history.state().to_le_bytes());
        history
    }

    /// What git tells as far as it is loaded, or all of it where nobody reads ahead; `None` while it is not.
    pub fn loaded_history(&self) -> Option<ProjectHistory> {
        let history =
            if self.reads_history { Some(self.snapshot.history(self.cancel)) } else { self.snapshot.loaded_history() };
        self.rests_on(&history.as_ref().map_or(0, ProjectHistory::state).to_le_bytes());
        history
    }

    /// The model of meaning that the user named.
    pub fn model(&self) -> Option<Arc<LocalModel>> {
        self.services.engine.model().cloned()
    }

    /// How the engine is doing.
    pub fn status(&self) -> Status {
        self.services.engine.status()
    }

    /// Memories, for reading.
    pub fn memory(&self) -> &'a m1nd_mind::Memories {
        &self.services.memories
    }

    /// Who has called, oldest first.
    pub fn agents(&self) -> Vec<m1nd_sessions::AgentSession> {
        self.services.sessions.agents()
    }
}

/// What a write tool is given: everything.
#[derive(Clone, Copy)]
pub struct WriteContext<'a> {
    services: &'a Services,
    call: &'a Call,
    cancel: &'a Cancel,
    progress: &'a dyn Progress,
}

impl<'a> WriteContext<'a> {
    pub(super) fn new(cx: &'a Context<'a>, call: &'a Call) -> Self {
        Self { services: cx.services, call, cancel: cx.cancel, progress: cx.progress }
    }

    /// The index, for reading and changing it.
    pub fn engine(&self) -> &'a Engine {
        &self.services.engine
    }

    /// What agents hold.
    pub fn sessions(&self) -> &'a Sessions {
        &self.services.sessions
    }

    /// The one that writes about memories, with the current state of the code.
    pub fn keeper(&self) -> Keeper {
        self.services.memories.keeper(self.services.engine.snapshot())
    }

    /// Who calls; empty where the caller did not say.
    pub fn agent(&self) -> &'a str {
        &self.call.agent
    }

    /// To hand to the engine.
    pub fn cancel(&self) -> &'a Cancel {
        self.cancel
    }

    /// To hand to the engine.
    pub fn progress(&self) -> &'a dyn Progress {
        self.progress
    }
}
