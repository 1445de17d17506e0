//! The services that tools work with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use m1nd_base::{Cancel, ContentHash, RepoPath};
use m1nd_edit::{Allowances, Workspace};
use m1nd_engine::{
    DocumentProviders, Engine, EngineConfig, EngineError, Federation, FileEntry, FileMark, Language, Provided,
    Snapshot, has_repository_mark, is_run_by_git, repository_marks,
};
use m1nd_mind::{Memories, MindConfig};
use m1nd_query::retrieval::{Feedback, Ledger, LedgerRow, PrimedTask, Prior};
use m1nd_run::{Checks, Providers, Repositories, Scope};
use m1nd_sessions::{
    FederatedStore, FolderIds, Mark, ReadOnlyStore, Seen, SeenFile, SessionStore, Sessions, StoredFeedback, Visits,
};

/// The index of a project, its memories, and the state of agents. Clones share all of it.
#[derive(Debug, Clone)]
pub struct Services {
    /// The index.
    pub engine: Engine,
    /// Memories of the projects.
    pub memories: Arc<Memories>,
    /// State of agents.
    pub sessions: Arc<Sessions>,
    /// What agents saw at their last visit.
    pub(crate) visits: Arc<Visits>,
    /// The writer of project files.
    pub files: Arc<Workspace>,
    /// The commands of the project that a person allowed.
    pub checks: Checks,
    /// The programs that a person named to read documents.
    pub(crate) providers: Arc<Providers>,
    /// The services of the federation that calls are answered from, once there is one.
    switch: Weak<Switch>,
    /// Keeps the switch; `None` in the services inside of it.
    _owner: Option<Arc<Switch>>,
}

/// The services that take the place of those that a program started with.
#[derive(Debug, Default)]
struct Switch(Mutex<Switched>);

#[derive(Debug, Default)]
struct Switched {
    /// Those of the federation opened last.
    current: Option<Services>,
    /// Those that the program started with, if they are not of a federation: they go on behind it.
    alone: Option<Services>,
}

impl Switch {
    fn lock(&self) -> MutexGuard<'_, Switched> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Services {
    /// Opens the index, the memories and the sessions; see [`Engine::open`].
    ///
    /// # Errors
    /// Those of [`Engine::open`].
    pub fn open(config: EngineConfig, mind: MindConfig) -> Result<Self, EngineError> {
        let (config, providers) = with_providers(config);
        Ok(Self::with_memories(Engine::open(config)?, Arc::new(Memories::new(mind)), providers))
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
        let config = engine.config();
        let providers = Arc::new(Providers::new(&config.home, &config.roots));
        Self::with_memories(engine, Arc::new(Memories::new(mind)), providers)
    }

    fn with_memories(engine: Engine, memories: Arc<Memories>, providers: Arc<Providers>) -> Self {
        let project = sessions_store(&engine);
        let store: Arc<dyn SessionStore> =
            if engine.is_read_only() { Arc::new(ReadOnlyStore::new(project)) } else { project };
        let sessions = Arc::new(Sessions::new(store, engine.clock().clone()));
        let visits = Arc::new(Visits::new(sessions.clone(), false));
        let switch = Arc::new(Switch::default());
        let checks = Checks::new(engine.project().path());
        let files = engine.files().as_ref().clone().with_allowances(Arc::new(PersonsAllowances(checks.clone())));
        let files = Arc::new(files);
        let (weak, _owner) = (Arc::downgrade(&switch), Some(switch));
        Self { engine, memories, sessions, visits, files, checks, providers, switch: weak, _owner }
    }

    /// The services that calls are answered from: these, or those of the federation opened last.
    #[must_use]
    pub fn current(&self) -> Self {
        let switched = self.switch.upgrade().and_then(|switch| switch.lock().current.clone());
        switched.unwrap_or_else(|| self.clone())
    }

    /// Answers from the index of these repositories from now on, with the same memories and what agents hold, see
    /// [`FederatedStore`].
    ///
    /// # Errors
    /// Those of [`Engine::open`]. Calls are answered as before then.
    pub(crate) fn federate(&self, federation: Federation) -> Result<Self, EngineError> {
        let Some(switch) = self.switch.upgrade() else { return Err(EngineError::WriterStopped) };
        let mut switched = switch.lock();
        let opened = switched.current.as_ref().unwrap_or(self).clone();
        if opened.engine.federation() == Some(&federation) {
            return Ok(opened);
        }
        let config = opened.engine.config().clone().with_federation(federation);
        if opened.engine.federation().is_none() {
            switched.alone = Some(Self { _owner: None, ..opened.clone() });
        }
        if let Some(before) = switched.current.take() {
            // Its successor writes the same files.
            before.engine.close();
        } else if self.engine.federation().is_some() {
            self.engine.close();
        }
        let (config, providers) = with_providers(config);
        let own = Self::with_memories(Engine::open(config)?, self.memories.clone(), providers);
        let next = Self { switch: self.switch.clone(), _owner: None, ..own };
        let ids = folder_ids(&opened.engine, &next.engine);
        next.sessions.take_over(&opened.sessions, &|id| ids.as_ref()?.inward(id));
        switched.current = Some(next.clone());
        Ok(next)
    }

    /// Answers from the index that the program started with again; returns its services. `None` if no federation was
    /// opened since, or if the program started with one.
    pub(crate) fn end_federation(&self) -> Option<Self> {
        let switch = self.switch.upgrade()?;
        let mut switched = switch.lock();
        let alone = switched.alone.clone()?;
        let opened = switched.current.take()?;
        let ids = folder_ids(&alone.engine, &opened.engine);
        alone.sessions.take_over(&opened.sessions, &|id| ids.as_ref()?.outward(id));
        opened.engine.close();
        Some(alone)
    }

    /// Answers from the index of this folder from now on, which the client has open. `watch` says whether it is kept
    /// fresh.
    ///
    /// # Errors
    /// Those of [`Engine::open`]. Calls are answered as before then.
    pub fn move_to(&self, folder: std::path::PathBuf, watch: bool) -> Result<Self, EngineError> {
        let Some(switch) = self.switch.upgrade() else { return Err(EngineError::WriterStopped) };
        let mut config = self.engine.config().clone();
        if let Some(setting) = config.settings.iter_mut().find(|setting| setting.name == "root") {
            (setting.value, setting.source) = (folder.to_string_lossy().into_owned(), "client");
        }
        let config = EngineConfig { roots: vec![folder], roots_named: true, federation: None, watch, ..config };
        let (config, providers) = with_providers(config);
        let own = Self::with_memories(Engine::open(config)?, self.memories.clone(), providers);
        let next = Self { switch: self.switch.clone(), _owner: None, ..own };
        if let Some(before) = switch.lock().current.replace(next.clone()) {
            before.engine.close();
        }
        Ok(next)
    }

    /// Answers from these services again. Does nothing if calls were answered from another federation before.
    pub(crate) fn leave_federation(&self) {
        if self._owner.is_none() || self.engine.federation().is_some() {
            return;
        }
        if let Some(opened) = self.switch.upgrade().and_then(|switch| switch.lock().current.take()) {
            opened.engine.close();
        }
    }

    /// These services for a process that answers once: visits span processes, and are stored though the index is
    /// opened for reading.
    #[must_use]
    pub fn for_one_answer(mut self) -> Self {
        let sessions = Arc::new(Sessions::new(sessions_store(&self.engine), self.engine.clock().clone()));
        self.visits = Arc::new(Visits::new(sessions, true));
        self
    }

    /// The services of a program that was just started over the same open index: nothing of what agents did here is
    /// known to them, and memories are searched in these places.
    #[must_use]
    pub fn started_anew(&self, mind: MindConfig) -> Self {
        Self::with_memories(self.engine.clone(), Arc::new(Memories::new(mind)), self.providers.clone())
    }

    /// Notes the beginning of a call.
    pub(crate) fn begin_call(&self, agent: &str) {
        self.sessions.touch(agent);
        if let Err(error) = self.visits.begin(agent) {
            tracing::debug!(%error, "the last visit cannot be read");
        }
    }

    /// Notes what an agent saw at the end of a call.
    pub(crate) fn end_call(&self, agent: &str, snapshot: &Arc<Snapshot>) {
        let generation = snapshot.generation();
        if snapshot.is_empty() || snapshot.is_unlinked() || !self.visits.is_due(agent, generation) {
            return;
        }
        let files = snapshot.file_table();
        let row =
            |file: &FileEntry| SeenFile(file.path.to_string(), language_word(file.language), file.hash.to_string());
        let seen = Seen {
            generation,
            head: snapshot.git_head().and_then(|head| head.head),
            nodes: snapshot.graph().node_count() as u64,
            edges: snapshot.graph().edge_count() as u64,
            files: Box::new(move || files.iter().map(row).collect()),
        };
        if let Err(error) = self.visits.note(agent, seen) {
            tracing::debug!(%error, "the visit cannot be stored");
        }
    }

    /// The files of a mark as the index has them; `None` if they are not known any more.
    pub(crate) fn files_of(&self, agent: &str, mark: &Mark) -> Option<Vec<FileMark>> {
        let files = self.visits.files(agent, mark).ok().flatten()?;
        let known = |SeenFile(path, language, hash): SeenFile| {
            Some(FileMark { path, hash: ContentHash::parse(&hash)?, language: language_of(language)? })
        };
        files.into_iter().map(known).collect()
    }

    /// Priming of this agent and feedback of all agents for a query.
    pub(crate) fn prior(&self, agent: &str, text: &str, snapshot: &Snapshot) -> Prior {
        let primed = self.sessions.priming(agent);
        let task = primed.as_ref().map(|primed| PrimedTask {
            task: &primed.task,
            strength: primed.strength,
            nodes: &primed.nodes,
        });
        self.prior_of(text, task, snapshot)
    }

    /// Like [`Services::prior`], with this priming.
    pub(crate) fn prior_of(&self, text: &str, task: Option<PrimedTask<'_>>, snapshot: &Snapshot) -> Prior {
        let (rows, unavailable) = self.sessions.feedback();
        let ledger = rows.derived_values().get_or_init(|| Ledger::new(rows.rows().iter().filter_map(ledger_row)));
        Prior::of(snapshot, text, self.engine.clock().now_ms(), task, &ledger, unavailable)
    }
}

/// Repositories are known again by their first commit, or the address they were cloned from.
#[derive(Debug, Clone, Copy)]
struct ByHistory;

impl Repositories for ByHistory {
    fn marks(&self, root: &Path) -> Vec<String> {
        repository_marks(root)
    }

    fn has_mark(&self, root: &Path, mark: &str) -> bool {
        has_repository_mark(root, mark)
    }
}

/// The roots that permissions of a person are about, with the repositories in them.
pub fn permission_scope(roots: Vec<PathBuf>) -> Scope {
    Scope::with(roots, Arc::new(ByHistory))
}

/// The files that a person allowed to be written although other programs run or trust them.
#[derive(Debug)]
struct PersonsAllowances(Checks);

impl Allowances for PersonsAllowances {
    fn is_allowed(&self, root: &Path, path: &RepoPath) -> bool {
        self.0.allows_path(&permission_scope(vec![root.to_owned()]), &root.join(path.as_str()))
    }

    fn is_run_by_git(&self, root: &Path, path: &RepoPath) -> bool {
        is_run_by_git(&root.join(path.as_str()))
    }
}

/// The repositories of a federation, by name.
fn folders_of(federation: &Federation) -> Vec<(String, std::path::PathBuf)> {
    federation.members().iter().map(|known| (known.name.clone(), known.path.clone())).collect()
}

/// How ids of the index of one folder are written in a federation; `None` between federations, whose ids are alike.
fn folder_ids(alone: &Engine, federated: &Engine) -> Option<FolderIds> {
    let (None, Some(federation)) = (alone.federation(), federated.federation()) else { return None };
    Some(FolderIds::new(alone.config().roots.first()?, &folders_of(federation)))
}

/// Where the state of agents is kept: in that of the project, or of the federation and its repositories.
fn sessions_store(engine: &Engine) -> Arc<dyn SessionStore> {
    let own = engine.project().clone();
    let Some(federation) = engine.federation() else { return own };
    let (home, members) = (&engine.config().home, folders_of(federation));
    Arc::new(FederatedStore::new(own, home, federation.workspace(), &members, engine.is_read_only()))
}

/// The programs that a person named to read documents, for the engine.
#[derive(Debug)]
struct Programs(Arc<Providers>);

impl DocumentProviders for Programs {
    fn convert(&self, format: &str, name: &str, bytes: &[u8], cancel: &Cancel) -> Option<Provided> {
        let (provider, outcome) = self.0.convert(format, name, bytes, cancel)?;
        Some(Provided { provider, outcome })
    }

    fn states(&self) -> BTreeMap<String, String> {
        self.0.states()
    }
}

fn with_providers(config: EngineConfig) -> (EngineConfig, Arc<Providers>) {
    let providers = Arc::new(Providers::new(&config.home, &config.roots));
    let for_engine: Arc<dyn DocumentProviders> = Arc::new(Programs(providers.clone()));
    (EngineConfig { providers: Some(for_engine), ..config }, providers)
}

/// The stored word of a language.
fn language_word(language: Language) -> String {
    serde_json::to_value(language).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

fn language_of(word: String) -> Option<Language> {
    serde_json::from_value(word.into()).ok()
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
