//! Keeps documents current from the events of the watchers, which are those of the code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use m1nd_base::{Cancel, ContentHash, NoProgress, RepoPath};
use m1nd_documents::{Format, detect};
use m1nd_vfs::{Changes, Root, VfsError};
use rustc_hash::{FxHashMap, FxHashSet};

use super::documents::{Parsed, SourceFile, check_namespace, parse_document};
use super::{Writer, build, walk_options};
use crate::auto_ingest::{
    AutoIngest, AutoIngestEvent, AutoIngestRequest, AutoIngestTick, DocumentChange, DocumentOutcome, Entry,
    EventSource, Manifest, SETTING, Settings, Waiting, is_editor_noise,
};
use crate::config::{Adapter, IngestRequest, Mode};
use crate::documents::adapt;
use crate::error::EngineError;
use crate::ingest::json_graph::Imported;
use crate::report::WatchState;
use crate::state::snapshot::Snapshot;

/// A path to look at.
struct Job {
    /// Handle of its root; `None` if the root is gone.
    root: Option<Root>,
    inner: RepoPath,
    /// Path in the index.
    source: String,
    /// A walk or a watcher named it, not only the list of documents that were read: it is not ignored.
    is_listed: bool,
}

/// What a look at a path found.
enum Found {
    /// Its nodes, and what was read.
    Read(Box<(Imported, Entry)>),
    /// It has the content that is in the graph.
    Same,
    /// It is gone, or no document of a wanted kind any more: its nodes go.
    Gone(Option<String>),
    /// Not a document of a wanted kind.
    Ignored(String),
    Failed(String),
}

/// Changes of one batch.
#[derive(Default)]
struct Batch {
    sets: BTreeMap<String, Imported>,
    removed: FxHashSet<String>,
}

impl Writer {
    /// Starts keeping documents current. What ran before goes on if this fails.
    pub(super) fn start_auto_ingest(
        &mut self,
        request: &AutoIngestRequest,
        cancel: &Cancel,
    ) -> Result<AutoIngestTick, EngineError> {
        self.may_write()?;
        self.check_owner(&request.agent)?;
        check(request)?;
        let mut roots: Vec<PathBuf> = Vec::new();
        // Everything that can fail comes before anything is changed.
        for root in &request.roots {
            let path = self.absolute(root)?;
            m1nd_vfs::check_not_version_control(&path)?;
            self.index_root(&path, cancel)?;
            if !roots.contains(&path) {
                roots.push(path);
            }
        }
        let settings = Settings::of(request, roots);
        let mut manifest = match self.documents.auto_ingest.as_ref() {
            Some(running) => running.manifest.clone(),
            None => self.stored_manifest(),
        };
        // What the manifest says belongs to one namespace and to the roots that are still watched.
        if manifest.namespace != settings.namespace {
            manifest = Manifest::new(settings.namespace.clone());
        }
        let current = self.shared.current();
        let scopes = &settings.roots;
        manifest.entries.retain(|source, _| absolute_of(&current, source).is_some_and(|path| is_in(scopes, &path)));
        let mut next = AutoIngest::new(settings, manifest, false);
        let tick = self.catch_panic(|writer| writer.read_waiting(&mut next, Waiting::All, cancel))?;
        // From here on the new settings apply, also after a restart.
        self.documents.auto_ingest = Some(next);
        self.store_settings();
        self.watch();
        self.note_auto_ingest();
        Ok(tick)
    }

    /// Reads what waits now. `is_whole` says that the watchers have passed on everything.
    pub(super) fn tick_auto_ingest(&mut self, is_whole: bool, cancel: &Cancel) -> Result<AutoIngestTick, EngineError> {
        self.may_write()?;
        let Some(auto) = &mut self.documents.auto_ingest else { return Err(EngineError::NotStarted) };
        if !is_whole {
            auto.queue.rescan(Instant::now());
        }
        self.follow_documents(cancel)
    }

    /// Stops keeping documents current; what was read stays in the graph. Returns the number of documents.
    pub(super) fn stop_auto_ingest(&mut self, agent: &str) -> Result<usize, EngineError> {
        self.may_write()?;
        if self.documents.auto_ingest.is_none() {
            self.resume_auto_ingest();
        }
        self.check_owner(agent)?;
        let Some(mut auto) = self.documents.auto_ingest.take() else { return Err(EngineError::NotStarted) };
        auto.settings.running = false;
        let entries = auto.manifest.entries.len();
        self.store_manifest(&auto.manifest);
        self.documents.auto_ingest = Some(auto);
        self.store_settings();
        let stopped = self.documents.auto_ingest.take();
        self.documents.manifest = stopped.map(|auto| auto.manifest);
        if !self.shared.config.watch {
            self.watchers.clear();
            self.shared.state().watch = WatchState::Off;
        }
        self.note_auto_ingest();
        Ok(entries)
    }

    /// Takes up what ran when the process before ended.
    pub(super) fn resume_auto_ingest(&mut self) {
        if self.lock.is_none() || self.documents.auto_ingest.is_some() {
            return;
        }
        let Some(settings) = stored_settings(&self.shared.project).filter(|settings| settings.running) else { return };
        let manifest = self.stored_manifest();
        let mut auto = AutoIngest::new(settings, manifest, true);
        auto.queue.rescan(Instant::now());
        self.documents.auto_ingest = Some(auto);
        self.note_auto_ingest();
    }

    /// Notes what watchers report.
    pub(super) fn note_documents(&mut self, root: &Path, changes: &Changes) {
        let Some(auto) = &mut self.documents.auto_ingest else { return };
        let now = Instant::now();
        match changes {
            Changes::Rescan => {
                auto.counters.events_seen += 1;
                auto.queue.rescan(now);
            }
            Changes::Paths(paths) => {
                for path in paths {
                    let name = path.as_str();
                    let is_wanted = Format::may_be(name) && !is_editor_noise(name);
                    if is_wanted && is_in(&auto.settings.roots, &root.join(name)) {
                        auto.counters.events_seen += 1;
                        auto.queue.add(root.to_owned(), path.clone(), now);
                    }
                }
            }
        }
        self.note_auto_ingest();
    }

    /// When what waits is to be read.
    pub(super) fn documents_due(&self) -> Option<Instant> {
        self.documents.auto_ingest.as_ref().and_then(|auto| auto.queue.due())
    }

    /// Reads what waits. After a failure all of it is looked at again with the next change.
    pub(super) fn follow_documents(&mut self, cancel: &Cancel) -> Result<AutoIngestTick, EngineError> {
        let Some(mut auto) = self.documents.auto_ingest.take() else { return Err(EngineError::NotStarted) };
        let waiting = auto.queue.take();
        let result = self.catch_panic(|writer| writer.read_waiting(&mut auto, waiting, cancel));
        if let Err(error) = &result {
            auto.counters.errors += 1;
            auto.counters.last_error = Some(error.to_string());
            auto.queue.rescan(Instant::now());
        }
        self.documents.auto_ingest = Some(auto);
        self.note_auto_ingest();
        result
    }

    /// Publishes the state for readers.
    fn note_auto_ingest(&self) {
        let status = self.documents.auto_ingest.as_ref().map(|auto| auto.status(EventSource::Notify, None));
        self.shared.state().auto_ingest = status;
    }

    fn may_write(&mut self) -> Result<(), EngineError> {
        if self.shared.config.read_only {
            return Err(EngineError::ReadOnly);
        }
        if self.lock.is_none() {
            self.take_over();
        }
        if self.lock.is_some() { Ok(()) } else { Err(EngineError::WriterElsewhere) }
    }

    fn check_owner(&self, agent: &str) -> Result<(), EngineError> {
        match &self.documents.auto_ingest {
            Some(running) if !running.resumed && running.settings.owner != agent => Err(EngineError::NotOwner {
                what: "auto ingest",
                owner: running.settings.owner.clone(),
                agent: agent.to_owned(),
            }),
            _ => Ok(()),
        }
    }

    /// Has a root of the index around a path.
    fn index_root(&mut self, path: &Path, cancel: &Cancel) -> Result<(), EngineError> {
        let current = self.shared.current();
        if current.roots.iter().any(|info| path.starts_with(&info.path)) {
            return Ok(());
        }
        let around = self.shared.allowed.iter().filter(|allowed| path.starts_with(allowed));
        let root = around.max_by_key(|allowed| allowed.as_os_str().len()).cloned();
        let root = root.ok_or_else(|| EngineError::PathNotFound(path.to_owned()))?;
        let request = IngestRequest { mode: Mode::Merge, incremental: true, ..IngestRequest::code(root) };
        self.catch_panic(|writer| writer.ingest(&request, cancel, &NoProgress)).map(|_| ())
    }

    fn store_settings(&self) {
        let Some(auto) = &self.documents.auto_ingest else { return };
        let stored = serde_json::to_string(&auto.settings).map_err(|error| error.to_string());
        let stored = stored
            .and_then(|text| self.shared.project.set_setting(SETTING, Some(&text)).map_err(|error| error.to_string()));
        if let Err(why) = stored {
            self.shared.notice(format!("that documents are kept current could not be stored: {why}"));
        }
    }

    fn store_manifest(&self, manifest: &Manifest) {
        if let Err(why) = manifest.store(&self.shared.project.derived_files()) {
            self.shared.notice(format!("the list of documents could not be stored: {why}"));
        }
    }

    /// The list of documents that were read, as far as the index has them: that on disk may be older after a crash.
    fn stored_manifest(&mut self) -> Manifest {
        if let Some(known) = self.documents.manifest.take() {
            return known;
        }
        let stored = Manifest::load(&self.shared.project.derived_files());
        if stored.generation <= self.saved.loaded_generation { stored } else { Manifest::new(stored.namespace) }
    }

    /// Looks at what waits and publishes all changes at once.
    fn read_waiting(
        &mut self,
        auto: &mut AutoIngest,
        waiting: Waiting,
        cancel: &Cancel,
    ) -> Result<AutoIngestTick, EngineError> {
        let is_rescan = waiting == Waiting::All;
        let current = self.shared.current();
        let handles = self.shared.open_roots(&current.roots, &current.handles);
        let jobs = self.jobs(auto, &current, &handles, waiting, cancel)?;
        // The manifest may be older than the snapshot: an entry whose data is no longer there does not count as read.
        let present: FxHashSet<&str> = current.imported.iter().map(|set| &*set.source).collect();
        let mut tick = AutoIngestTick { changed_paths: jobs.len(), ..AutoIngestTick::default() };
        let mut batch = Batch::default();
        let mut entries: FxHashMap<String, Option<Entry>> = FxHashMap::default();
        let mut events: Vec<AutoIngestEvent> = Vec::new();
        for job in jobs {
            cancel.check()?;
            let source = job.source.clone();
            let known = auto.manifest.entries.get(&source).filter(|_| present.contains(&*source));
            let found = self.look_at(&auto.settings, &current, job, known, cancel);
            let timestamp_ms = self.shared.config.clock.now_ms();
            let event = |kind, status, format: Option<&str>, detail| AutoIngestEvent {
                path: source.clone(),
                kind,
                status,
                format: format.and_then(format_of),
                detail,
                timestamp_ms,
            };
            // Collected first and published as one generation, so that readers never see half of a change.
            match found {
                Found::Read(read) => {
                    let (set, entry) = *read;
                    tick.ingested_paths += 1;
                    events.push(event(DocumentChange::Upsert, DocumentOutcome::Ingested, Some(&entry.format), None));
                    batch.sets.insert(source.clone(), set);
                    entries.insert(source, Some(entry));
                }
                Found::Gone(why) if present.contains(&*source) && auto.manifest.entries.contains_key(&source) => {
                    tick.removed_paths += 1;
                    events.push(event(DocumentChange::Delete, DocumentOutcome::Removed, None, why));
                    batch.removed.insert(source.clone());
                    entries.insert(source, None);
                }
                Found::Gone(_) => {
                    tick.skipped_paths += 1;
                    entries.insert(source, None);
                }
                Found::Same | Found::Ignored(_) => {
                    tick.skipped_paths += 1;
                    let (status, why) = match found {
                        Found::Ignored(why) => (DocumentOutcome::Ignored, why),
                        _ => (DocumentOutcome::Skipped, "the content is as it was read".to_owned()),
                    };
                    // A rescan looks at everything; events about what stays as it is would hide the others.
                    if !is_rescan {
                        events.push(event(DocumentChange::Upsert, status, None, Some(why)));
                    }
                }
                Found::Failed(why) => {
                    tick.errored_paths += 1;
                    events.push(event(DocumentChange::Upsert, DocumentOutcome::Error, None, Some(why)));
                }
            }
        }
        // The manifest follows the snapshot. Written first, it would claim documents that are not in the graph after a
        // crash.
        self.publish_batch(&current, batch, cancel)?;
        for (source, entry) in entries {
            match entry {
                Some(entry) => _ = auto.manifest.entries.insert(source, entry),
                None => _ = auto.manifest.entries.remove(&source),
            }
        }
        auto.manifest.namespace.clone_from(&auto.settings.namespace);
        if tick.ingested_paths + tick.removed_paths > 0 {
            auto.manifest.generation = self.shared.current().generation;
            self.store_manifest(&auto.manifest);
        }
        auto.counters.skipped += (tick.skipped_paths as u64).saturating_sub(
            events
                .iter()
                .filter(|event| matches!(event.status, DocumentOutcome::Skipped | DocumentOutcome::Ignored))
                .count() as u64,
        );
        events.into_iter().for_each(|event| auto.note(event));
        tick.last_tick_ms = self.shared.config.clock.now_ms();
        auto.counters.last_tick_ms = Some(tick.last_tick_ms);
        tick.queue_depth = auto.queue.len();
        tick.recent_events = auto.recent_events();
        Ok(tick)
    }

    /// The paths to look at: those that wait, or all documents on disk and all that were read.
    fn jobs(
        &self,
        auto: &AutoIngest,
        current: &Snapshot,
        handles: &[Option<Root>],
        waiting: Waiting,
        cancel: &Cancel,
    ) -> Result<Vec<Job>, EngineError> {
        let mut jobs: BTreeMap<String, Job> = BTreeMap::new();
        let mut add = |number: usize, inner: RepoPath, is_listed: bool| {
            let source = current.roots[number].outer(&inner).to_string();
            let job = Job { root: handles[number].clone(), inner, source: source.clone(), is_listed };
            jobs.entry(source).or_insert(job);
        };
        // By source, so that a document that is both on disk and in the manifest is looked at once.
        match waiting {
            Waiting::Paths(paths) => {
                for (root, inner) in paths {
                    if let Some(number) = current.roots.iter().position(|info| info.path == root) {
                        add(number, inner, true);
                    }
                }
            }
            Waiting::All => {
                let scopes = &auto.settings.roots;
                for (number, info) in current.roots.iter().enumerate() {
                    let is_concerned = |scope: &&PathBuf| scope.starts_with(&info.path) || info.path.starts_with(scope);
                    let Some(root) = handles[number].as_ref().filter(|_| scopes.iter().any(|s| is_concerned(&s)))
                    else {
                        continue;
                    };
                    let walk = root.walk(
                        &walk_options(info, &self.shared.histories),
                        &self.shared.config.limits,
                        cancel,
                        &NoProgress,
                    )?;
                    let found = walk.files.into_iter().map(|(path, _)| path);
                    let wanted = |path: &RepoPath| {
                        let name = path.as_str();
                        Format::may_be(name) && !is_editor_noise(name) && is_in(scopes, &info.path.join(name))
                    };
                    found.filter(wanted).for_each(|path| add(number, path, true));
                }
                // Documents that were read before and are no longer on disk have to be removed.
                for source in auto.manifest.entries.keys() {
                    let Ok(path) = RepoPath::new(source) else { continue };
                    if let Some((number, inner)) = place_of(current, &path) {
                        add(number, inner, false);
                    }
                }
            }
        }
        Ok(jobs.into_values().collect())
    }

    fn look_at(
        &self,
        settings: &Settings,
        current: &Snapshot,
        job: Job,
        known: Option<&Entry>,
        cancel: &Cancel,
    ) -> Found {
        let Some(root) = &job.root else { return Found::Failed("its root cannot be read".to_owned()) };
        if !job.is_listed || root.is_link(&job.inner) {
            return Found::Gone(None);
        }
        let bytes = match root.read(&job.inner, self.shared.config.limits.read_bytes) {
            Ok(bytes) => bytes,
            Err(VfsError::NotFound { .. } | VfsError::NotRegular { .. } | VfsError::OutsideRoot { .. }) => {
                return Found::Gone(None);
            }
            Err(error) => return Found::Failed(error.to_string()),
        };
        // Most events are about files that were saved without a change.
        let hash = ContentHash::of(&bytes).to_string();
        if known.is_some_and(|entry| entry.hash == hash) {
            return Found::Same;
        }
        // A file that is no longer a document loses its data; one that never was is only ignored.
        let Some(format) = detect(job.inner.as_str(), &bytes).filter(|format| settings.takes(*format)) else {
            let why = "not a document of the kinds that were asked for".to_owned();
            return if known.is_some() { Found::Gone(Some(why)) } else { Found::Ignored(why) };
        };
        let file = SourceFile { format, name: job.inner.as_str(), bytes: &bytes };
        let Parsed { document, producer, fallback } =
            match parse_document(&file, self.shared.config.providers.as_deref(), cancel) {
                Ok(parsed) => parsed,
                Err(why) => return Found::Failed(why),
            };
        let adapted = adapt(Adapter::Auto, &document, &job.source, settings.namespace.as_deref(), current);
        let count = |items: usize| u32::try_from(items).unwrap_or(u32::MAX);
        let entry = Entry {
            hash,
            format: format.word().to_owned(),
            producer: producer.to_owned(),
            fell_back: fallback.is_some(),
            sections: count(document.sections.len()),
            claims: count(document.claims.len()),
            entities: count(document.entities.len()),
            citations: count(document.citations.len()),
            missing: count(adapted.missing),
        };
        Found::Read(Box::new((adapted.set, entry)))
    }

    /// Publishes the changes of a batch as one state.
    fn publish_batch(&mut self, current: &Snapshot, batch: Batch, cancel: &Cancel) -> Result<(), EngineError> {
        if batch.sets.is_empty() && batch.removed.is_empty() {
            return Ok(());
        }
        let stays = |set: &&Imported| !batch.sets.contains_key(&set.source) && !batch.removed.contains(&set.source);
        let mut imported: Vec<Imported> = current.imported.iter().filter(stays).cloned().collect();
        imported.extend(batch.sets.into_values());
        imported.sort_by(|a, b| a.source.cmp(&b.source));
        let mut content = current.content();
        content.graph = build::with_imported(&current.graph, &imported, cancel)?;
        content.imported = std::sync::Arc::new(imported);
        cancel.check()?;
        let generation = self.next_generation();
        self.publish(current, generation, content)
    }
}

fn check(request: &AutoIngestRequest) -> Result<(), EngineError> {
    let refuse = |why: String| Err(EngineError::BadRequest(why));
    if request.roots.is_empty() {
        return refuse("`roots` is empty, expected the folders or files to keep current".to_owned());
    }
    let known = AutoIngestRequest::FORMATS;
    let words: Vec<String> = known.iter().map(|format| format!("`{}`", format.word())).collect();
    let words = words.join(", ");
    match request.formats.iter().find(|format| !known.contains(format)) {
        Some(other) => {
            return refuse(format!("format `{}` cannot be kept current; expected some of {words}", other.word()));
        }
        None if request.formats.is_empty() => return refuse(format!("`formats` is empty, expected some of {words}")),
        None => {}
    }
    if request.debounce > AutoIngestRequest::MAX_DEBOUNCE {
        let most = AutoIngestRequest::MAX_DEBOUNCE.as_millis();
        return refuse(format!("`debounce_ms` is {}, limit {most}", request.debounce.as_millis()));
    }
    check_namespace(request.namespace.as_deref())
}

/// What was asked for before, if it is stored.
pub(crate) fn stored_settings(project: &m1nd_store::ProjectDir) -> Option<Settings> {
    let text = project.setting(SETTING).ok().flatten()?;
    serde_json::from_str(&text).ok()
}

fn is_in(scopes: &[PathBuf], path: &Path) -> bool {
    scopes.iter().any(|scope| path.starts_with(scope))
}

/// Number of the root of a path of the index, and its path inside.
fn place_of(current: &Snapshot, path: &RepoPath) -> Option<(usize, RepoPath)> {
    let within = current.roots.iter().enumerate().filter_map(|(number, info)| Some((number, info, info.inner(path)?)));
    within.max_by_key(|(_, info, _)| info.prefix.len()).map(|(number, _, inner)| (number, inner))
}

fn absolute_of(current: &Snapshot, source: &str) -> Option<PathBuf> {
    let (number, inner) = place_of(current, &RepoPath::new(source).ok()?)?;
    Some(current.roots[number].path.join(inner.as_str()))
}

fn format_of(word: &str) -> Option<Format> {
    Format::all().find(|format| format.word() == word)
}
