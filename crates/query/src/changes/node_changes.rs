//! The commits that changed a file or a symbol.

use std::collections::BTreeMap;

use m1nd_base::{Cancel, NodeKind, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_engine::history::{Commit, NoHistory, PlacedHistory, ProjectHistory};
use m1nd_graph::NodeIx;
use m1nd_history::Tracing;

/// Maximum commits whose lines are compared for one node, newest first.
pub(super) const MAX_COMPARED: usize = 400;

/// Maximum changes of files whose lines are compared for one folder.
const MAX_COMPARED_IN_FOLDER: usize = 2_000;

/// The reason why nothing can be said about the history of a node.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannotTell {
    /// It is a package, a configuration key or another thing outside of files.
    #[error("`{0}` is not part of a file, so it has no history; pass a file or a symbol")]
    NoFile(String),
    /// The root has no history.
    #[error("cannot tell: {0}")]
    NoHistory(#[from] NoHistory),
    /// No commit touched the file.
    #[error("cannot tell: no commit that was read touched `{path}`{}", cut_words(.cut))]
    NoCommits {
        /// Its path.
        path: String,
        /// Why the list of commits ends early, if it does.
        cut: Option<&'static str>,
    },
    /// The file cannot be read, so that lines of a symbol cannot be compared with those of commits.
    #[error("cannot tell: `{0}` cannot be read now, and the lines of a symbol are compared with it")]
    Unreadable(String),
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
}

fn cut_words(cut: &Option<&'static str>) -> String {
    match cut {
        Some(reason) => format!(" ({reason})"),
        None => ": it is not committed yet".to_owned(),
    }
}

/// A change of a node in a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeChange {
    /// Index of the commit in the history.
    pub commit: usize,
    /// Lines added; `None` if they were not compared (binary files, missing contents, or the limit).
    pub added: Option<u64>,
    /// Lines removed; `None` like `added`.
    pub removed: Option<u64>,
    /// A formatter made the change: the commit is one of formatting, or the words of the file are the same as before.
    pub is_format: bool,
}

/// The changes of a node.
#[derive(Debug)]
pub struct NodeChanges<'h> {
    /// The history they are from.
    pub place: PlacedHistory<'h>,
    /// The changes, newest first.
    pub changes: Vec<NodeChange>,
    /// Number of lines it has now.
    pub lines: u32,
    /// Other files it was moved from, newest first.
    pub moved_from: Vec<String>,
    /// What is left out, in words.
    pub gaps: Vec<String>,
    /// Whether a path inside the root belongs to the node: the file, or a file in the folder.
    pub(super) own: OwnFiles,
}

/// The files inside a root that a question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OwnFiles {
    /// One file.
    File(String),
    /// All files below a folder, whose path ends with `/`; empty for the whole root.
    Below(String),
}

impl OwnFiles {
    /// Returns whether a path inside the root is one of the files.
    pub(super) fn has(&self, path: &str) -> bool {
        match self {
            Self::File(own) => own == path,
            Self::Below(folder) => path.starts_with(folder.as_str()),
        }
    }
}

impl NodeChanges<'_> {
    /// The commit of a change.
    pub fn commit(&self, change: &NodeChange) -> &Commit {
        &self.place.history.commits()[change.commit]
    }
}

/// The commits that changed a file, or the lines of a symbol through renames and moves. `since` is the oldest commit
/// time of interest for a file; a symbol is always followed from now.
///
/// # Errors
/// [`CannotTell`].
pub fn node_changes<'h>(
    snapshot: &Snapshot,
    history: &'h ProjectHistory,
    node: NodeIx,
    with_lines: bool,
    cancel: &Cancel,
) -> Result<NodeChanges<'h>, CannotTell> {
    let graph = snapshot.graph();
    if graph.file(node).is_none() || graph.path(node).is_empty() {
        return Err(CannotTell::NoFile(graph.id(node).to_owned()));
    }
    let path = graph.path(node);
    let place = history.place(path)?;
    let own = OwnFiles::File(place.inner.clone());
    let cut = place.history.cut().map(m1nd_engine::history::Cut::words);
    let file = place.file().ok_or_else(|| CannotTell::NoCommits { path: path.to_owned(), cut })?;
    let (start, end) = graph.lines(node);
    let lines = (end + 1).saturating_sub(start.max(1));
    let mut gaps: Vec<String> = cut.map(|reason| format!("older changes are unknown: {reason}")).into_iter().collect();
    // Git knows the commits of a file; those of a symbol are found by following its lines back.
    if graph.kind(node) == NodeKind::File {
        let changes = file_changes(&place, with_lines, &mut gaps, cancel)?;
        return Ok(NodeChanges { place, changes, lines, moved_from: Vec::new(), gaps, own });
    }
    let text = RepoPath::new(path).ok().and_then(|path| snapshot.read_file(&path).ok());
    let text = text.ok_or_else(|| CannotTell::Unreadable(path.to_owned()))?;
    if text.stale {
        gaps.push("the file was edited since it was indexed: lines may be off".to_owned());
    }
    let contents = place.contents()?;
    let tracing = Tracing { contents: &contents, cache: place.lines(), limit: MAX_COMPARED, cancel };
    // Lines of the graph count from 1 and include the last.
    let range = start.saturating_sub(1)..end;
    let mut found =
        file.trace(text.text.as_bytes(), std::slice::from_ref(&range), tracing).map_err(|_| CannotTell::Cancelled)?;
    if found.is_cut {
        gaps.push(format!("only the newest {MAX_COMPARED} commits of its file were compared"));
    }
    if found.is_broken {
        gaps.push("the content of an older commit is missing or no text: changes before it are unknown".to_owned());
    }
    let traced = found.ranges.pop().unwrap_or_default();
    let change = |row: &m1nd_history::RangeChange| NodeChange {
        commit: row.commit,
        added: Some(row.added),
        removed: Some(row.removed),
        is_format: row.is_format || place.history.commits()[row.commit].is_format,
    };
    let changes = traced.changes.iter().map(change).collect();
    let moved_from = traced.moved_from.iter().map(|(path, _)| place.outer(path)).collect();
    Ok(NodeChanges { place, changes, lines, moved_from, gaps, own })
}

/// The commits that changed files of a folder, those that are gone as well. `files` are the indexed files in it.
///
/// # Errors
/// [`CannotTell`].
pub(super) fn folder_changes<'h>(
    snapshot: &Snapshot,
    history: &'h ProjectHistory,
    (path, files): (&str, &[NodeIx]),
    with_lines: bool,
    cancel: &Cancel,
) -> Result<NodeChanges<'h>, CannotTell> {
    let graph = snapshot.graph();
    let first = files.first().ok_or_else(|| CannotTell::NoFile(path.to_owned()))?;
    let place = history.place(graph.path(*first))?;
    let cut = place.history.cut().map(m1nd_engine::history::Cut::words);
    let mut gaps: Vec<String> = cut.map(|reason| format!("older changes are unknown: {reason}")).into_iter().collect();
    let outer = place.outer("");
    let own = OwnFiles::Below(path.strip_prefix(&outer).unwrap_or_default().to_owned());
    if !path.starts_with(&outer) {
        gaps.push(format!("only commits of `{outer}` are listed: the folder has files of several repositories"));
    }
    let contents = if with_lines { Some(place.contents()?) } else { None };
    let mut rows: BTreeMap<usize, NodeChange> = BTreeMap::new();
    let mut compared = 0;
    for file in place.history.all_files().filter(|file| own.has(file.path())) {
        cancel.check().map_err(|_| CannotTell::Cancelled)?;
        for change in file.changes() {
            compared += 1;
            let contents = contents.as_ref().filter(|_| compared <= MAX_COMPARED_IN_FOLDER);
            let lines = contents.map(|contents| place.lines().compare(contents, change.before, change.after));
            let known = lines.as_ref().filter(|lines| !lines.is_opaque);
            let is_format =
                known.is_some_and(|lines| lines.is_format) || place.history.commits()[change.commit].is_format;
            let (added, removed) = (known.map(|lines| lines.count_added()), known.map(|lines| lines.count_removed()));
            let add =
                |sum: Option<u64>, more: Option<u64>| sum.zip(more).map(|(sum, more)| sum + more).or(sum).or(more);
            rows.entry(change.commit)
                .and_modify(|row| {
                    (row.added, row.removed) = (add(row.added, added), add(row.removed, removed));
                    row.is_format &= is_format;
                })
                .or_insert(NodeChange { commit: change.commit, added, removed, is_format });
        }
    }
    if rows.is_empty() {
        return Err(CannotTell::NoCommits { path: path.to_owned(), cut });
    }
    if with_lines && compared > MAX_COMPARED_IN_FOLDER {
        gaps.push(format!("lines of {MAX_COMPARED_IN_FOLDER} of {compared} changes of its files were compared"));
    }
    let lines = files.iter().map(|file| graph.lines(*file).1).sum();
    // Newer commits have lower numbers.
    let changes = rows.into_values().collect();
    Ok(NodeChanges { place, changes, lines, moved_from: Vec::new(), gaps, own })
}

fn file_changes(
    place: &PlacedHistory<'_>,
    with_lines: bool,
    gaps: &mut Vec<String>,
    cancel: &Cancel,
) -> Result<Vec<NodeChange>, CannotTell> {
    let Some(file) = place.file() else { return Ok(Vec::new()) };
    let contents = if with_lines { Some(place.contents()?) } else { None };
    let mut changes = Vec::with_capacity(file.commit_count());
    for (number, change) in file.changes().enumerate() {
        cancel.check().map_err(|_| CannotTell::Cancelled)?;
        let compared = contents.as_ref().filter(|_| number < MAX_COMPARED);
        let lines = compared.map(|contents| place.lines().compare(contents, change.before, change.after));
        let known = lines.as_ref().filter(|lines| !lines.is_opaque);
        changes.push(NodeChange {
            commit: change.commit,
            added: known.map(|lines| lines.count_added()),
            removed: known.map(|lines| lines.count_removed()),
            is_format: known.is_some_and(|lines| lines.is_format) || place.history.commits()[change.commit].is_format,
        });
    }
    if with_lines && changes.len() > MAX_COMPARED {
        gaps.push(format!("lines were compared for the newest {MAX_COMPARED} of {} commits", changes.len()));
    }
    Ok(changes)
}
