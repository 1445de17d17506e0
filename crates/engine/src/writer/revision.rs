//! The index as it would be at a commit, built in memory from the objects of the repository.

use std::sync::Arc;

use m1nd_base::{Cancel, ContentHash, Limits, NoProgress, RepoPath};
use m1nd_history::CommitId;
use m1nd_link::Linker;
use m1nd_store::FactsCache;

use super::build::{self, WholeGraph};
use super::{Linked, files};
use crate::error::EngineError;
use crate::files::{FileMark, FileTable};
use crate::history::{NoHistory, NoSnapshot, PlacedHistory};
use crate::ingest::extract::{self, Extracted, KnownFile};
use crate::report::{RootInfo, root_folders};
use crate::state::snapshot::Snapshot;

fn threads() -> Result<rayon::ThreadPool, EngineError> {
    let pool = rayon::ThreadPoolBuilder::new().build();
    pool.map_err(|error| EngineError::Internal(format!("threads do not start: {error}")))
}

/// A snapshot of these files: its graph and its list of files, without search index, roots and imported data.
fn snapshot(
    contents: Vec<(RepoPath, Vec<u8>)>,
    roots: &[RootInfo],
    limits: &Limits,
    cache: Option<&FactsCache>,
    cancel: &Cancel,
) -> Result<Snapshot, EngineError> {
    let pool = threads()?;
    let extracted = extract::of_contents(contents, limits, (cache, &pool), cancel)?;
    linked_snapshot(extracted, roots, limits, &pool, cancel)
}

/// A snapshot of these facts.
fn linked_snapshot(
    extracted: Vec<Extracted>,
    roots: &[RootInfo],
    limits: &Limits,
    pool: &rayon::ThreadPool,
    cancel: &Cancel,
) -> Result<Snapshot, EngineError> {
    let mut linked = Linked::new(Linker::new(limits.clone()));
    linked.linker.set_roots(root_folders(roots));
    let mut entries = Vec::with_capacity(extracted.len());
    for (entry, file) in pool.install(|| files::set_files(&mut linked.linker, extracted)) {
        linked.files.insert(entry.path.clone(), file);
        entries.push(entry);
    }
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let mut graph = WholeGraph::new(&[]);
    build::link_whole(pool, &mut linked, (&mut entries, Some(&mut graph)), cancel, &NoProgress)?;
    let (graph, _) = graph.finish(&linked.linker, cancel)?;
    Ok(Snapshot { graph, files: Arc::new(FileTable::new(entries)), limits: limits.clone(), ..Snapshot::empty() })
}

/// The same for the same files.
fn key_of(files: &[FileMark]) -> String {
    let mut bytes = Vec::new();
    for file in files {
        bytes.extend_from_slice(file.hash.as_bytes());
        bytes.extend_from_slice(file.path.as_bytes());
        bytes.push(0);
    }
    format!("files {}", ContentHash::of(&bytes))
}

impl Snapshot {
    /// The index as it would be at a commit of a root: its graph and list of files under the paths of this index,
    /// without search index. Files that this index leaves out are left out, as far as their paths and the files on
    /// disk tell. The last four are kept in memory, the facts of files in the cache.
    ///
    /// # Errors
    /// [`NoSnapshot`].
    pub fn at_commit(
        &self,
        place: &PlacedHistory<'_>,
        commit: CommitId,
        cancel: &Cancel,
    ) -> Result<Arc<Snapshot>, NoSnapshot> {
        let revisions = &self.histories.revisions;
        let key = format!("{} {} {}", self.generation, place.outer(""), commit.name());
        if let Some(known) = revisions.find_known(&key) {
            return Ok(known);
        }
        let contents = place.contents()?;
        let mut files: Vec<(RepoPath, Vec<u8>)> = Vec::new();
        for file in contents.files(commit, cancel)? {
            let Ok(path) = RepoPath::new(&place.outer(&file.path)) else { continue };
            if !self.would_index(&path, &file.path) {
                continue;
            }
            let Some(content) = contents.blob(file.blob) else {
                // A file that is left out would count as one that was not there.
                if contents.is_missing(file.blob) {
                    let (path, commit) = (&file.path, commit.name());
                    let reason = format!("the content of `{path}` at commit {commit} is missing");
                    return Err(NoHistory::Unreadable(reason).into());
                }
                continue;
            };
            if content.len() as u64 <= self.limits.read_bytes {
                files.push((path, content.to_vec()));
            }
        }
        let cache = revisions.cache();
        let snapshot = Arc::new(snapshot(files, &self.roots, &self.limits, cache.as_deref(), cancel)?);
        revisions.keep(key, snapshot.clone());
        Ok(snapshot)
    }

    /// The index as it was when these were its files: its graph and list of files, without search index, and the paths
    /// of files whose content of that time is neither cached, on disk, nor in `committed` (the same paths at a commit).
    /// They are without symbols.
    ///
    /// # Errors
    /// [`EngineError::Cancelled`].
    pub fn at_files(
        &self,
        files: &[FileMark],
        committed: &(dyn Fn(&str) -> Option<Vec<u8>> + Sync),
        cancel: &Cancel,
    ) -> Result<(Arc<Snapshot>, Vec<RepoPath>), EngineError> {
        let revisions = &self.histories.revisions;
        let key = key_of(files);
        if let Some(known) = revisions.find_known::<(Arc<Snapshot>, Vec<RepoPath>)>(&key) {
            return Ok((known.0.clone(), known.1.clone()));
        }
        let known = files.iter().filter_map(|file| {
            let path = RepoPath::new(&file.path).ok()?;
            let inner = self.roots.iter().rev().find_map(|root| root.inner(&path)).unwrap_or_else(|| path.clone());
            Some(KnownFile { path, inner, hash: file.hash, language: file.language })
        });
        let content = |file: &KnownFile| {
            let is_it = |bytes: &Vec<u8>| ContentHash::of(bytes) == file.hash;
            let on_disk = || self.read_bytes(&file.path).ok().filter(is_it);
            on_disk().or_else(|| committed(file.path.as_str()).filter(is_it))
        };
        let (pool, cache) = (threads()?, revisions.cache());
        let (extracted, missing) =
            extract::of_hashes(known.collect(), &content, &self.limits, (cache.as_deref(), &pool), cancel)?;
        let snapshot = Arc::new(linked_snapshot(extracted, &self.roots, &self.limits, &pool, cancel)?);
        revisions.keep(key, Arc::new((snapshot.clone(), missing.clone())));
        Ok((snapshot, missing))
    }

    /// Returns whether a file of this path would be indexed: one that is on disk is or is not, others are judged by
    /// their names.
    fn would_index(&self, path: &RepoPath, inner: &str) -> bool {
        if self.files.get(path).is_some() {
            return true;
        }
        !m1nd_vfs::is_skipped_by_name(inner) && self.read_bytes(path).is_err_and(|error| error.is_not_found())
    }
}
