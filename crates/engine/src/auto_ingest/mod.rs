//! Documents that are kept current from the events of the watchers: what is asked for, what waits, and what was read
//! of each document. The work is in `writer/auto_ingest.rs`.

mod manifest;
mod queue;

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::time::Duration;

use m1nd_documents::Format;
use serde::{Deserialize, Serialize};

use crate::config::Adapter;

pub(crate) use manifest::{Entry, Manifest};
pub(crate) use queue::{Queue, Waiting, is_editor_noise};

/// Events kept for the status, the newest.
const MAX_EVENTS: usize = 40;
/// Setting that holds what was asked for, so that a server takes it up again after a restart.
pub(crate) const SETTING: &str = "auto_ingest";

/// What to keep current.
#[derive(Debug, Clone)]
pub struct AutoIngestRequest {
    /// Who asks. Nobody else can stop or replace it as long as this process runs.
    pub agent: String,
    /// Folders and files below an allowed root.
    pub roots: Vec<PathBuf>,
    /// Kinds of documents: `universal`, `light`, `article`, `bibtex`, `crossref`, `rfc`, `patent`. `universal` takes
    /// the documents that no other listed kind takes.
    pub formats: Vec<Adapter>,
    /// Time without events after which changes are read.
    pub debounce: Duration,
    /// Part of the ids of documents.
    pub namespace: Option<String>,
}

impl AutoIngestRequest {
    /// The kinds of documents that can be kept current.
    pub const FORMATS: &'static [Adapter] = &[
        Adapter::Universal,
        Adapter::Light,
        Adapter::Article,
        Adapter::Bibtex,
        Adapter::Crossref,
        Adapter::Rfc,
        Adapter::Patent,
    ];
    /// Usual time without events.
    pub const DEBOUNCE: Duration = Duration::from_millis(200);
    /// Longest time without events that can be asked for.
    pub const MAX_DEBOUNCE: Duration = Duration::from_secs(60);
}

/// What was to be done with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentChange {
    /// To read it.
    Upsert,
    /// To remove its nodes.
    Delete,
}

/// What was done with a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentOutcome {
    /// Its nodes are in the graph.
    Ingested,
    /// Its nodes were removed.
    Removed,
    /// It has the content that is in the graph.
    Skipped,
    /// It is of a kind that was not asked for.
    Ignored,
    /// It cannot be read.
    Error,
}

/// Where events of documents come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EventSource {
    /// The system.
    Notify,
    /// The system, and events may be missed; `last_error` says why.
    Degraded,
    /// The process that writes the index.
    OtherProcess,
    /// Nothing is followed.
    #[default]
    None,
}

/// What happened to a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AutoIngestEvent {
    /// Path in the index.
    pub path: String,
    /// What was to be done.
    pub kind: DocumentChange,
    /// What was done.
    pub status: DocumentOutcome,
    /// Format of the document, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// Reason of an error or a skip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Milliseconds since 1970.
    pub timestamp_ms: u64,
}

/// Result of reading what waited.
#[derive(Debug, Clone, Default, Serialize)]
pub struct AutoIngestTick {
    /// Paths that were looked at.
    pub changed_paths: usize,
    /// Documents whose nodes are new in the graph.
    pub ingested_paths: usize,
    /// Documents whose nodes were removed.
    pub removed_paths: usize,
    /// Paths with the content that is in the graph, or of a kind that was not asked for.
    pub skipped_paths: usize,
    /// Documents that cannot be read.
    pub errored_paths: usize,
    /// Paths that still wait.
    pub queue_depth: usize,
    /// When it was done, in milliseconds since 1970.
    pub last_tick_ms: u64,
    /// The newest events, oldest first.
    pub recent_events: Vec<AutoIngestEvent>,
}

/// State of keeping documents current.
#[derive(Debug, Clone, Default, Serialize)]
pub struct AutoIngestStatus {
    /// Whether this process keeps documents current, or the process that writes the index.
    pub running: bool,
    /// It was running when its process ended, and a watching server takes it up again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub resumes: bool,
    /// Who started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_agent_id: Option<String>,
    /// Where events come from.
    pub backend: EventSource,
    /// The watched folders and files.
    pub roots: Vec<String>,
    /// Kinds of documents.
    pub formats: Vec<Adapter>,
    /// Time without events after which changes are read.
    pub debounce_ms: u64,
    /// Documents that were read.
    pub manifest_entries: usize,
    /// Paths that wait.
    pub queue_depth: usize,
    /// Everything has to be looked at again: more paths changed than can wait, or events were lost.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rescan_pending: bool,
    /// Events of paths that may be documents.
    pub events_seen: u64,
    /// Documents read.
    pub ingests_applied: u64,
    /// Documents removed.
    pub removals_applied: u64,
    /// Paths skipped.
    pub skipped_count: u64,
    /// Documents that could not be read.
    pub error_count: u64,
    /// When waiting changes were last read, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_tick_ms: Option<u64>,
    /// The last error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// State of each configured provider.
    pub provider_status: BTreeMap<String, String>,
    /// Documents that are in the graph by this.
    pub canonical_artifact_count: usize,
    /// Of these, the ones with sections, claims or names.
    pub semantic_document_count: usize,
    /// Their sections.
    pub semantic_section_count: usize,
    /// Their claims.
    pub semantic_claim_count: usize,
    /// Things that they name.
    pub semantic_entity_count: usize,
    /// Works that they cite.
    pub semantic_citation_count: usize,
    /// Documents that name code which was not in the index when they were read.
    pub drift_document_count: usize,
    /// Documents by what read them.
    pub provider_route_counts: BTreeMap<String, u64>,
    /// Documents that the configured provider could not read, by what read them instead.
    pub provider_fallback_counts: BTreeMap<String, u64>,
    /// The newest events, oldest first.
    pub recent_events: Vec<AutoIngestEvent>,
}

/// What is asked for, as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) running: bool,
    pub(crate) owner: String,
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) formats: Vec<String>,
    pub(crate) debounce_ms: u64,
    pub(crate) namespace: Option<String>,
}

impl Settings {
    pub(crate) fn of(request: &AutoIngestRequest, roots: Vec<PathBuf>) -> Self {
        Self {
            running: true,
            owner: request.agent.clone(),
            roots,
            formats: request.formats.iter().map(|format| format.word().to_owned()).collect(),
            debounce_ms: u64::try_from(request.debounce.as_millis()).unwrap_or(u64::MAX),
            namespace: request.namespace.clone(),
        }
    }

    fn adapters(&self) -> Vec<Adapter> {
        self.formats.iter().filter_map(|word| word.parse().ok()).collect()
    }

    /// Whether documents of this format are wanted.
    pub(crate) fn takes(&self, format: Format) -> bool {
        self.adapters().iter().any(|adapter| adapter.takes(format))
    }
}

/// Counters since the start.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counters {
    pub(crate) events_seen: u64,
    pub(crate) ingested: u64,
    pub(crate) removed: u64,
    pub(crate) skipped: u64,
    pub(crate) errors: u64,
    pub(crate) last_tick_ms: Option<u64>,
    pub(crate) last_error: Option<String>,
}

/// Documents that are kept current.
#[derive(Debug)]
pub(crate) struct AutoIngest {
    pub(crate) settings: Settings,
    /// It was taken up after a restart, so that its owner may be gone: anybody may stop it.
    pub(crate) resumed: bool,
    pub(crate) manifest: Manifest,
    pub(crate) queue: Queue,
    pub(crate) counters: Counters,
    events: VecDeque<AutoIngestEvent>,
}

impl AutoIngest {
    pub(crate) fn new(settings: Settings, manifest: Manifest, resumed: bool) -> Self {
        let queue = Queue::new(Duration::from_millis(settings.debounce_ms));
        Self { settings, resumed, manifest, queue, counters: Counters::default(), events: VecDeque::new() }
    }

    /// Notes what happened to a document.
    pub(crate) fn note(&mut self, event: AutoIngestEvent) {
        match event.status {
            DocumentOutcome::Ingested => self.counters.ingested += 1,
            DocumentOutcome::Removed => self.counters.removed += 1,
            DocumentOutcome::Error => {
                self.counters.errors += 1;
                self.counters.last_error = event.detail.as_ref().map(|why| format!("{}: {why}", event.path));
            }
            DocumentOutcome::Skipped | DocumentOutcome::Ignored => self.counters.skipped += 1,
        }
        if self.events.len() >= MAX_EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(event);
    }

    pub(crate) fn recent_events(&self) -> Vec<AutoIngestEvent> {
        self.events.iter().cloned().collect()
    }

    /// Its state, for readers.
    pub(crate) fn status(&self, backend: EventSource, degraded: Option<String>) -> AutoIngestStatus {
        let counters = &self.counters;
        let own = status_of(Some(&self.settings), &self.manifest);
        AutoIngestStatus {
            running: true,
            resumes: false,
            backend,
            queue_depth: self.queue.len(),
            rescan_pending: self.queue.needs_rescan(),
            events_seen: counters.events_seen,
            ingests_applied: counters.ingested,
            removals_applied: counters.removed,
            skipped_count: counters.skipped,
            error_count: counters.errors,
            last_tick_ms: counters.last_tick_ms,
            last_error: degraded.or_else(|| counters.last_error.clone()),
            recent_events: self.recent_events(),
            ..own
        }
    }
}

/// The part of the status that survives the process.
pub(crate) fn status_of(settings: Option<&Settings>, manifest: &Manifest) -> AutoIngestStatus {
    let sum = |value: fn(&Entry) -> u32| manifest.entries.values().map(|entry| value(entry) as usize).sum();
    let count = |fits: fn(&Entry) -> bool| manifest.entries.values().filter(|entry| fits(entry)).count();
    let mut routes: BTreeMap<String, u64> = BTreeMap::new();
    let mut fallbacks: BTreeMap<String, u64> = BTreeMap::new();
    for entry in manifest.entries.values() {
        *routes.entry(entry.producer.clone()).or_default() += 1;
        if entry.fell_back {
            *fallbacks.entry(entry.producer.clone()).or_default() += 1;
        }
    }
    AutoIngestStatus {
        owner_agent_id: settings.map(|settings| settings.owner.clone()),
        backend: EventSource::None,
        roots: settings
            .map(|s| s.roots.iter().map(|root| root.to_string_lossy().into_owned()).collect())
            .unwrap_or_default(),
        formats: settings.map(Settings::adapters).unwrap_or_default(),
        debounce_ms: settings.map_or(0, |settings| settings.debounce_ms),
        manifest_entries: manifest.entries.len(),
        canonical_artifact_count: manifest.entries.len(),
        semantic_document_count: count(|e| e.sections + e.claims + e.entities > 0),
        semantic_section_count: sum(|e| e.sections),
        semantic_claim_count: sum(|e| e.claims),
        semantic_entity_count: sum(|e| e.entities),
        semantic_citation_count: sum(|e| e.citations),
        drift_document_count: count(|e| e.missing > 0),
        provider_route_counts: routes,
        provider_fallback_counts: fallbacks,
        ..AutoIngestStatus::default()
    }
}
