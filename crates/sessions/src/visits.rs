//! Visits: what an agent last saw of a project, kept over restarts.
//!
//! A visit is a series of calls without a pause of more than [`PAUSE_MS`], in one serving process. The state at its
//! last call is stored, so that the next visit can be told what changed since. Callers describe states; this module
//! decides when a visit begins and when something is written.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::common::{lock, shorten_text};
use crate::{Access, Handle, Held, Kind, MAX_AGENTS, MAX_NAME, SessionError, Sessions};

/// Pause between two calls that ends a visit, in milliseconds.
pub const PAUSE_MS: u64 = 30 * 60 * 1_000;
/// Minimum time between two writes for one agent, in milliseconds.
pub const WRITE_MS: u64 = 60 * 1_000;
/// Time after which the time of the last call is written, even if nothing changed, in milliseconds.
const REFRESH_MS: u64 = 5 * 60 * 1_000;
/// Time after which visits and their files are forgotten.
const LIFETIME: Duration = Duration::from_secs(60 * 24 * 60 * 60);
/// Maximum files of a state that are listed; of larger projects only the commit is kept.
pub const MAX_VISIT_FILES: usize = 50_000;

/// A state of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Time of the last call that saw it, in milliseconds since 1970.
    pub at_ms: u64,
    /// Generation of the index.
    pub generation: u64,
    /// Checked-out commit of the first root, in hexadecimal.
    pub head: Option<String>,
    /// Number of nodes of the graph.
    pub nodes: u64,
    /// Number of edges of the graph.
    pub edges: u64,
    /// Newest row of the feedback ledger.
    pub feedback: i64,
    /// Handle of the list of files; `None` if there were too many.
    tree: Option<String>,
}

/// A file of a state: its path, its language, the hash of its content in hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenFile(pub String, pub String, pub String);

/// What an agent sees now, without the time.
pub struct Seen {
    /// Generation of the index.
    pub generation: u64,
    /// Checked-out commit of the first root, in hexadecimal.
    pub head: Option<String>,
    /// Number of nodes of the graph.
    pub nodes: u64,
    /// Number of edges of the graph.
    pub edges: u64,
    /// Lists the files; called only to write them.
    pub files: Box<dyn Fn() -> Vec<SeenFile> + Send>,
}

impl fmt::Debug for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seen").field("generation", &self.generation).field("head", &self.head).finish_non_exhaustive()
    }
}

/// The stored visits of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Visit {
    /// The end of the visit before.
    before: Option<Mark>,
    /// The last call.
    now: Mark,
}

impl Held for Visit {
    const KIND: Kind = Kind {
        name: "visit",
        prefix: "visit",
        access: Access::Owner,
        lifetime: Some(LIFETIME),
        max_per_owner: 1,
        max_bytes: 4 << 10,
    };
}

/// The files of a mark.
#[derive(Debug, Serialize, Deserialize)]
struct Tree(Vec<SeenFile>);

impl Held for Tree {
    const KIND: Kind = Kind {
        name: "visit_files",
        prefix: "files",
        access: Access::Owner,
        lifetime: Some(LIFETIME),
        // The visit before, this one, its next state, and some that a process left when it was killed.
        max_per_owner: 8,
        max_bytes: 10 << 20,
    };
}

/// An agent that called in this process.
#[derive(Debug, Default)]
struct Agent {
    stored: Option<Handle<Visit>>,
    /// The end of the visit before this one.
    baseline: Option<Mark>,
    last_ms: u64,
    /// Time of the last write in this process.
    written_ms: Option<u64>,
    /// The state at the last call, if it is not written.
    pending: Option<(u64, Seen)>,
}

/// The visits of agents. What is not yet written is written when this is dropped.
pub struct Visits {
    sessions: Arc<Sessions>,
    agents: Mutex<BTreeMap<String, Agent>>,
    /// Each process answers once, so its start begins no visit.
    answers_once: bool,
}

impl Visits {
    /// Visits that are stored in `sessions`. In a process that answers once, only a pause begins a visit.
    #[must_use]
    pub fn new(sessions: Arc<Sessions>, answers_once: bool) -> Self {
        Self { sessions, agents: Mutex::default(), answers_once }
    }

    /// Notes the beginning of a call and returns the end of the visit before, if one is known.
    ///
    /// # Errors
    /// Those of the store.
    pub fn begin(&self, agent: &str) -> Result<Option<Mark>, SessionError> {
        let (name, now_ms) = (shorten_text(agent, MAX_NAME), self.sessions.clock.now_ms());
        if let Some(known) = lock(&self.agents).get_mut(&name)
            && now_ms.saturating_sub(known.last_ms) <= PAUSE_MS
        {
            known.last_ms = now_ms;
            return Ok(known.baseline.clone());
        }
        // After a pause, too: the last state before it is written first.
        self.write_pending(&name)?;
        let stored = self.sessions.list::<Visit>(Some(agent), 1)?.handles.pop();
        let is_new = |visit: &Visit| !self.answers_once || now_ms.saturating_sub(visit.now.at_ms) > PAUSE_MS;
        let baseline = stored.as_ref().and_then(|held| match is_new(&held.value) {
            true => Some(held.value.now.clone()),
            false => held.value.before.clone(),
        });
        let mut agents = lock(&self.agents);
        if agents.len() >= MAX_AGENTS && !agents.contains_key(&name) {
            let oldest = agents.iter().min_by_key(|(_, agent)| agent.last_ms).map(|(name, _)| name.clone());
            oldest.and_then(|oldest| agents.remove(&oldest));
        }
        let known = Agent { stored, baseline: baseline.clone(), last_ms: now_ms, ..Agent::default() };
        agents.insert(name, known);
        Ok(baseline)
    }

    /// The end of the visit before the current one; `None` if none is known.
    #[must_use]
    pub fn baseline(&self, agent: &str) -> Option<Mark> {
        lock(&self.agents).get(&shorten_text(agent, MAX_NAME))?.baseline.clone()
    }

    /// The files of a mark; `None` if they were too many or are forgotten.
    ///
    /// # Errors
    /// Those of the store.
    pub fn files(&self, agent: &str, mark: &Mark) -> Result<Option<Vec<SeenFile>>, SessionError> {
        let Some(id) = &mark.tree else { return Ok(None) };
        match self.sessions.get::<Tree>(agent, id) {
            Ok(held) => Ok(Some(held.value.0)),
            Err(SessionError::Unknown { .. } | SessionError::Expired { .. } | SessionError::Unreadable { .. }) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns whether [`Visits::note`] would keep the state now: not twice in [`WRITE_MS`] if it is as it was.
    #[must_use]
    pub fn is_due(&self, agent: &str, generation: u64) -> bool {
        let now_ms = self.sessions.clock.now_ms();
        lock(&self.agents).get(&shorten_text(agent, MAX_NAME)).is_some_and(|known| {
            let is_known = match (&known.pending, &known.stored) {
                (Some((_, pending)), _) => pending.generation == generation,
                (None, Some(held)) => held.value.now.generation == generation,
                (None, None) => false,
            };
            !is_known || known.written_ms.is_none_or(|written| now_ms.saturating_sub(written) >= WRITE_MS)
        })
    }

    /// Notes what an agent saw at the end of a call. Written at most once in [`WRITE_MS`], and then at the end.
    ///
    /// # Errors
    /// Those of the store.
    pub fn note(&self, agent: &str, seen: Seen) -> Result<(), SessionError> {
        let (name, now_ms) = (shorten_text(agent, MAX_NAME), self.sessions.clock.now_ms());
        {
            let mut agents = lock(&self.agents);
            let Some(known) = agents.get_mut(&name) else { return Ok(()) };
            known.last_ms = now_ms;
            known.pending = Some((now_ms, seen));
            if known.written_ms.is_some_and(|written| now_ms.saturating_sub(written) < WRITE_MS) {
                return Ok(());
            }
        }
        self.write_pending(&name)
    }

    /// Writes the state of the last call, if it is not written.
    fn write_pending(&self, name: &str) -> Result<(), SessionError> {
        let taken = {
            let mut agents = lock(&self.agents);
            let Some(known) = agents.get_mut(name) else { return Ok(()) };
            let Some(pending) = known.pending.take() else { return Ok(()) };
            known.written_ms = Some(self.sessions.clock.now_ms());
            (pending, known.stored.clone(), known.baseline.clone())
        };
        let ((at_ms, seen), stored, baseline) = taken;
        let written = self.write(name, at_ms, &seen, stored, baseline);
        let stored = match &written {
            Ok(held) => Some(held.clone()),
            Err(_) => self.sessions.list::<Visit>(Some(name), 1)?.handles.pop(),
        };
        if let Some(known) = lock(&self.agents).get_mut(name) {
            known.stored = stored;
        }
        written.map(|_| ())
    }

    fn write(
        &self,
        agent: &str,
        at_ms: u64,
        seen: &Seen,
        stored: Option<Handle<Visit>>,
        before: Option<Mark>,
    ) -> Result<Handle<Visit>, SessionError> {
        let known = stored.as_ref().map(|held| &held.value.now);
        let same = known.filter(|now| now.generation == seen.generation && now.head == seen.head);
        if let (Some(now), Some(held)) = (same, &stored)
            && at_ms.saturating_sub(now.at_ms) < REFRESH_MS
            && held.value.before == before
        {
            return Ok(held.clone());
        }
        let tree = match known.filter(|now| now.generation == seen.generation) {
            Some(now) => now.tree.clone(),
            None => self.keep_files(agent, (seen.files)())?,
        };
        let now = Mark {
            at_ms,
            generation: seen.generation,
            head: seen.head.clone(),
            nodes: seen.nodes,
            edges: seen.edges,
            feedback: self.sessions.store.newest_feedback()?,
            tree: tree.clone(),
        };
        let old = stored.as_ref().map(|held| held.value.clone());
        let visit = Visit { before, now };
        let written = match stored {
            Some(mut held) => {
                held.value = visit;
                self.sessions.put(agent, &mut held).map(|()| held)
            }
            None => self.sessions.mint(agent, visit),
        };
        let trees = |visit: &Visit| -> Vec<String> {
            visit.before.iter().chain([&visit.now]).filter_map(|mark| mark.tree.clone()).collect()
        };
        let old = old.as_ref().map(trees).unwrap_or_default();
        let (kept, unused) = match &written {
            Ok(held) => (trees(&held.value), old),
            // Another process of the same agent wrote meanwhile: its state stays, and this one's files go.
            Err(_) => (old, tree.into_iter().collect()),
        };
        for id in unused.iter().filter(|id| !kept.contains(id)) {
            let _ = self.sessions.remove::<Tree>(agent, id);
        }
        written
    }

    /// Stores a list of files; `None` if they are too many.
    fn keep_files(&self, agent: &str, files: Vec<SeenFile>) -> Result<Option<String>, SessionError> {
        if files.len() > MAX_VISIT_FILES {
            return Ok(None);
        }
        match self.sessions.mint(agent, Tree(files)) {
            Ok(held) => Ok(Some(held.id)),
            Err(
                SessionError::TooLarge { .. }
                | SessionError::Full { .. }
                | SessionError::ConnectionFull { .. }
                | SessionError::TooMany { .. },
            ) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Drop for Visits {
    fn drop(&mut self) {
        let names: Vec<String> = lock(&self.agents).keys().cloned().collect();
        for name in names {
            // Nobody is left to hear of an error; the state written last stays.
            let _ = self.write_pending(&name);
        }
    }
}

impl fmt::Debug for Visits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visits").field("agents", &lock(&self.agents).len()).finish_non_exhaustive()
    }
}
