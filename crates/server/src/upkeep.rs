//! What a server does without being asked: it brings the index up to date, looks after the memories of the project, and
//! moves to the folder that the client has open.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use m1nd_base::NoProgress;
use m1nd_engine::{Engine, EngineError, IngestRequest, Mode, WeakEngine, is_too_wide};
use m1nd_mind::{Depth, Memories};
use m1nd_tools::Services;

use crate::SHUTDOWN;
use crate::options::ServeOptions;
use crate::running::Running;

/// Interval of checks for changed memories.
const MEMORY_PERIOD: Duration = Duration::from_secs(2);

/// The work of a server in the background.
#[derive(Debug)]
pub(crate) struct Upkeep {
    services: Services,
    index_when_empty: bool,
    refresh: bool,
    read_only: bool,
    root_from_client: bool,
    running: Arc<Running>,
    /// Number of reasons to expect an index: threads that build one, another process that does, the client's answer.
    builders: Arc<AtomicUsize>,
    /// Each is disconnected when a thread has ended.
    ends: Mutex<Vec<Receiver<()>>>,
}

impl Upkeep {
    pub(crate) fn new(services: Services, options: &ServeOptions, running: Arc<Running>) -> Self {
        let ServeOptions { index_when_empty, refresh, read_only, root_from_client, .. } = *options;
        let (builders, ends) = (Arc::default(), Mutex::default());
        Self { services, index_when_empty, refresh, read_only, root_from_client, running, builders, ends }
    }

    /// Returns whether an index is built, or may be, without a call that asks for it.
    pub(crate) fn builds(&self) -> bool {
        self.builders.load(Ordering::Acquire) > 0
    }

    /// Brings the index of every allowed root up to date in the background, so that a client need not ask for it:
    /// builds what is missing, and looks for what changed while nobody watched. Then looks after the memories of the
    /// project. Does nothing on a read-only server.
    pub(crate) fn start(&self, services: &Services) -> std::io::Result<()> {
        if self.read_only {
            return Ok(());
        }
        let requests = self.due(&services.engine);
        let (engine, memories, running) =
            (services.engine.downgrade(), services.memories.clone(), self.running.clone());
        let (builders, (alive, ends)) = (self.builders.clone(), channel());
        let builds = usize::from(!requests.is_empty());
        builders.fetch_add(builds, Ordering::AcqRel);
        std::thread::Builder::new().name("m1nd-background".into()).spawn(move || {
            let is_elsewhere = ingest_each(requests, &engine, &running);
            // What another process builds arrives by itself.
            builders.fetch_sub(if is_elsewhere { 0 } else { builds }, Ordering::AcqRel);
            keep_memories(&engine, &memories, &running);
            drop(alive);
        })?;
        self.ends.lock().unwrap_or_else(PoisonError::into_inner).push(ends);
        Ok(())
    }

    /// The client is asked for its folders: one of them may become the root.
    pub(crate) fn expect_folders(&self) {
        self.builders.fetch_add(usize::from(self.root_from_client), Ordering::AcqRel);
    }

    /// Takes the folders that the client has open as the root, if none was named. Blocks while the index of that is
    /// opened.
    pub(crate) fn take_folders(&self, folders: Vec<PathBuf>) {
        if !self.root_from_client {
            return;
        }
        let current = self.services.current().engine.status().allowed_roots;
        #[allow(clippy::disallowed_methods, reason = "folders are compared behind their links")]
        let mut real = folders.into_iter().filter_map(|folder| std::fs::canonicalize(folder).ok());
        let folder = real.find(|folder| !is_too_wide(folder) && !current.contains(folder));
        if let Some(folder) = folder {
            let shown = folder.display().to_string();
            match self.services.move_to(folder, self.refresh && !self.read_only).map(|moved| self.start(&moved)) {
                Ok(Ok(())) => tracing::info!(root = shown, "answers from the folder that the client has open"),
                Ok(Err(error)) => tracing::warn!(root = shown, %error, "could not start indexing"),
                Err(error) => tracing::warn!(root = shown, %error, "could not open the folder of the client"),
            }
        }
        let _ = self.builders.fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| count.checked_sub(1));
    }

    /// Waits, with a limit, until the threads have ended.
    pub(crate) fn wait_for_end(&self) {
        let ends = std::mem::take(&mut *self.ends.lock().unwrap_or_else(PoisonError::into_inner));
        for end in ends {
            let _ = end.recv_timeout(SHUTDOWN);
        }
    }

    /// The ingests due at startup.
    fn due(&self, engine: &Engine) -> Vec<IngestRequest> {
        let indexed = engine.snapshot().roots().to_vec();
        let is_federated = engine.federation().is_some();
        let wanted = move |root: &PathBuf| {
            let known = indexed.iter().find(|info| info.path == *root);
            let request = IngestRequest { mode: Mode::Merge, gives_way: true, ..IngestRequest::code(root) };
            match known {
                // Reads all repositories at the first one, and trusts what is indexed of the others.
                None if is_federated => IngestRequest { incremental: true, ..request },
                None => request,
                Some(info) => IngestRequest {
                    incremental: true,
                    include_hidden: info.include_hidden,
                    hidden_patterns: info.hidden_patterns.clone(),
                    ..request
                },
            }
        };
        let is_empty = engine.snapshot().is_empty();
        let is_due = |request: &IngestRequest| match request.incremental && !is_empty {
            true => self.refresh,
            false => self.index_when_empty,
        };
        let is_too_wide = |root: &PathBuf| !engine.config().roots_named && is_too_wide(root);
        let roots = engine.status().allowed_roots;
        roots.iter().filter(|root| !is_too_wide(root)).map(wanted).filter(is_due).collect()
    }
}

/// Indexes the roots, one after the other. Returns whether another process keeps one of them up to date.
fn ingest_each(requests: Vec<IngestRequest>, engine: &WeakEngine, running: &Arc<Running>) -> bool {
    let mut is_elsewhere = false;
    for request in requests {
        // One of its own each: a client that asks for one root does not stop the others.
        let work = running.start();
        let Some(engine) = engine.upgrade() else { break };
        let root = request.path.display().to_string();
        match engine.ingest(request, &work.cancel, &NoProgress) {
            Ok(report) => tracing::info!(root, files = report.files_scanned, "indexed"),
            Err(EngineError::WriterElsewhere) => {
                is_elsewhere = true;
                tracing::info!(root, "another process keeps the index up to date");
            }
            Err(EngineError::Cancelled) => {
                tracing::debug!(root, "the client disconnected, or asked for the same itself")
            }
            Err(error) => tracing::warn!(root, %error, "could not index"),
        }
    }
    is_elsewhere
}

/// Notes what is new in the memories of the project, and what the code they name looks like, until the server ends:
/// at once, and whenever the memory or the index is another. The memory may be made while the server runs.
fn keep_memories(engine: &WeakEngine, memories: &Memories, running: &Running) {
    let mut last = None;
    loop {
        let Some(engine) = engine.upgrade() else { return };
        let project = memories.project().ok();
        let seen = project.map(|project| {
            let now = (memories.stamp(&project), engine.snapshot().generation(), project.clone());
            (now, memories.keeper(engine.snapshot()), project)
        });
        // Recording may take a while, and an engine that is held cannot end.
        drop(engine);
        if let Some((now, keeper, project)) = seen.filter(|(now, ..)| last.as_ref() != Some(now)) {
            match keeper.refresh(&project, Depth::Full) {
                Ok(changed) => tracing::debug!(changed, "checked the memories"),
                Err(error) => tracing::warn!(%error, "could not record changes in the memories"),
            }
            last = Some(now);
        }
        if running.stops_within(MEMORY_PERIOD) {
            return;
        }
    }
}
