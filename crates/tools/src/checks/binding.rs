//! What the index is of, and whether that is what the caller works on.

use std::path::{Path, PathBuf};

use m1nd_engine::{ProcessRole, Snapshot, Status};
use m1nd_mind::Memories;
use serde::Serialize;
use serde_json::{Value, json};

use crate::framework::ReadContext;
use crate::word::{Word, answer_kinds};

/// Roots listed.
const MAX_ROOTS: usize = 8;

answer_kinds! {
    /// Where the first root comes from: what is indexed, else who named the root that may be.
    pub(crate) RootSource {
        Index = "index",
        CommandLine = "command_line",
        Client = "client",
        WorkingDirectory = "working_directory",
    }
}

answer_kinds! {
    /// How a path lies to what is indexed.
    pub(crate) BindingKind {
        Wrong = "wrong_workspace_binding",
        Nested = "nested_workspace_binding",
        UnknownScope = "unknown_scope",
    }
}

answer_kinds! {
    /// How the folder of a caller lies to what is indexed.
    pub(crate) RootMatch { Mismatch = "caller_root_mismatch", }
}

/// Names the program, its store and its index.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Fingerprint {
    binary_version: &'static str,
    process_id: u32,
    runtime_root: String,
    workspace_root: Option<String>,
    workspace_root_source: Word<RootSource>,
    ingest_roots: Vec<String>,
    ingest_root_count: usize,
    graph_path_exists: bool,
    graph_generation: u64,
    /// Commit of the first root when it was indexed.
    #[serde(skip_serializing_if = "Option::is_none")]
    indexed_head: Option<String>,
    role: Word<ProcessRole>,
}

/// The binding of this process.
pub(crate) fn fingerprint(cx: &ReadContext<'_>, status: &Status) -> Fingerprint {
    let snapshot = cx.snapshot();
    let roots: Vec<String> = status.roots.iter().map(|root| text(root)).collect();
    Fingerprint {
        binary_version: env!("CARGO_PKG_VERSION"),
        process_id: std::process::id(),
        // The project's own folder is `projects/NAME` below it.
        runtime_root: text(cx.store_path().ancestors().nth(2).unwrap_or(cx.store_path())),
        workspace_root: roots.first().cloned().or_else(|| status.allowed_roots.first().map(|root| text(root))),
        workspace_root_source: Word(match cx.settings().iter().find(|setting| setting.name == "root") {
            _ if !roots.is_empty() => RootSource::Index,
            Some(setting) if setting.source == "default" => RootSource::WorkingDirectory,
            Some(setting) if setting.source == "client" => RootSource::Client,
            _ => RootSource::CommandLine,
        }),
        ingest_root_count: roots.len(),
        ingest_roots: roots.into_iter().take(MAX_ROOTS).collect(),
        graph_path_exists: cx.find_stored().is_some(),
        graph_generation: snapshot.generation(),
        indexed_head: snapshot.heads().first().cloned().flatten(),
        role: Word(status.role),
    }
}

/// Figures of the graph.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct GraphState {
    pub(crate) node_count: usize,
    pub(crate) edge_count: usize,
    file_count: usize,
    graph_generation: u64,
    indexed_at_ms: u64,
}

/// The figures of a snapshot.
pub(crate) fn graph_state(snapshot: &Snapshot) -> GraphState {
    GraphState {
        node_count: snapshot.graph().node_count(),
        edge_count: snapshot.graph().edge_count(),
        file_count: snapshot.files().len(),
        graph_generation: snapshot.generation(),
        indexed_at_ms: snapshot.indexed_at_ms(),
    }
}

/// A path in question that the index does not hold.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Mismatch {
    pub(crate) binding_kind: Word<BindingKind>,
    requested_scope: String,
    active_roots: Vec<String>,
    pub(crate) message: String,
}

/// Compares the scope of a caller with the indexed roots; `None` if it is inside one of them.
pub(crate) fn mismatch(snapshot: &Snapshot, status: &Status, scope: &str) -> Option<Mismatch> {
    let scope = scope.trim().strip_prefix("file::").unwrap_or(scope.trim());
    let roots: Vec<&PathBuf> =
        if status.roots.is_empty() { &status.allowed_roots } else { &status.roots }.iter().collect();
    if scope.is_empty() {
        return None;
    }
    let path = Path::new(scope);
    let is_inside = match path.is_absolute() {
        true => roots.iter().any(|root| path.starts_with(root)),
        // Nothing can be said of a relative path while nothing is indexed.
        false => snapshot.is_empty() || is_below(snapshot, scope),
    };
    if is_inside {
        return None;
    }
    let active: Vec<String> = roots.iter().take(MAX_ROOTS).map(|root| text(root)).collect();
    let shown: String = scope.chars().take(200).collect();
    let (binding_kind, message) = if !path.is_absolute() {
        (BindingKind::UnknownScope, format!("no indexed file is at or below `{shown}`"))
    } else if roots.iter().any(|root| root.starts_with(path)) {
        (BindingKind::Nested, format!("only a part of `{shown}` is indexed: {}", active.join(", ")))
    } else {
        (BindingKind::Wrong, format!("`{shown}` is outside of what is indexed: {}", active.join(", ")))
    };
    Some(Mismatch { binding_kind: Word(binding_kind), requested_scope: shown, active_roots: active, message })
}

fn is_below(snapshot: &Snapshot, scope: &str) -> bool {
    snapshot.scope(scope).is_ok_and(|scope| scope.is_empty() || snapshot.files().within(&scope).next().is_some())
        || snapshot.graph().find(scope).is_some()
}

/// What a caller whose repository is not the indexed one has to know.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Reception {
    #[serde(rename = "match")]
    outcome: Word<RootMatch>,
    pub(crate) caller_root: String,
    bound_roots: Vec<String>,
    pub(crate) honest: String,
    options: Vec<Value>,
    /// The client named its folder; else it is where the server was started.
    #[serde(skip)]
    pub(crate) is_declared: bool,
}

/// The repository of the caller, if it is known and no indexed or allowed root covers it.
pub(crate) fn reception(memory: &Memories, status: &Status, answers_once: bool) -> Option<Reception> {
    let roots: Vec<&PathBuf> = status.roots.iter().chain(&status.allowed_roots).collect();
    let caller = memory.caller_places();
    // On the command line, the root is named or found around the current folder.
    let places = if answers_once { Vec::new() } else { caller.folders };
    if places.is_empty() || places.iter().any(|place| roots.iter().any(|root| place.starts_with(root))) {
        return None;
    }
    let caller_root = text(&places[0]);
    let mut bound: Vec<String> = roots.iter().map(|root| text(root)).collect();
    bound.dedup();
    bound.truncate(MAX_ROOTS);
    Some(Reception {
        outcome: Word(RootMatch::Mismatch),
        honest: format!("this index does not hold `{caller_root}`, where you work; it holds {}", bound.join(", ")),
        options: vec![
            json!({"action": "ingest_your_repo", "command": ["m1nd", "ingest", &caller_root],
                "note": "then start the server with this folder: `m1nd serve --root FOLDER`"}),
            json!({"action": "continue_bound", "note": "go on only if you mean the indexed repository"}),
        ],
        caller_root,
        bound_roots: bound,
        is_declared: caller.is_declared,
    })
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
