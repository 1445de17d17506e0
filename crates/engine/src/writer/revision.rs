//! The index as it would be at a commit, built in memory from the objects of the repository.

use std::sync::Arc;

use m1nd_base::{Cancel, Limits, NoProgress, RepoPath};
use m1nd_history::CommitId;
use m1nd_link::Linker;
use m1nd_store::FactsCache;

use super::{Linked, build, files, ingest};
use crate::error::EngineError;
use crate::extract;
use crate::files::FileTable;
use crate::history::{NoSnapshot, PlacedHistory};
use crate::snapshot::Snapshot;

/// A snapshot of these files: its graph and its list of files, without search index, roots and imported data.
fn snapshot(
    contents: Vec<(RepoPath, Vec<u8>)>,
    limits: &Limits,
    cache: Option<&FactsCache>,
    cancel: &Cancel,
) -> Result<Snapshot, EngineError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .build()
        .map_err(|error| EngineError::Internal(format!("threads do not start: {error}")))?;
    let extracted = extract::of_contents(contents, limits, (cache, &pool), cancel)?;
    let mut linked = Linked { linker: Linker::new(limits.clone()), files: Default::default() };
    let mut entries = Vec::with_capacity(extracted.len());
    for file in extracted {
        let (entry, file) = files::set_file(&mut linked.linker, file);
        linked.files.insert(entry.path.clone(), file);
        entries.push(entry);
    }
    let delta = ingest::link(&pool, &mut linked, cancel, &NoProgress)?;
    ingest::add_links(&mut entries, &delta);
    let (graph, _) = build::graph(&linked, delta, &[], cancel)?;
    Ok(Snapshot { graph, files: Arc::new(FileTable::new(entries)), limits: limits.clone(), ..Snapshot::empty() })
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
        if let Some(known) = revisions.known(&key) {
            return Ok(known);
        }
        let contents = place.contents()?;
        let mut files: Vec<(RepoPath, Vec<u8>)> = Vec::new();
        for file in contents.files(commit, cancel)? {
            let Ok(path) = RepoPath::new(&place.outer(&file.path)) else { continue };
            if !self.would_index(&path, &file.path) {
                continue;
            }
            let Some(content) = contents.blob(file.blob) else { continue };
            if content.len() as u64 <= self.limits.read_bytes {
                files.push((path, content.to_vec()));
            }
        }
        let cache = revisions.cache();
        let snapshot = Arc::new(snapshot(files, &self.limits, cache.as_deref(), cancel)?);
        revisions.keep(key, snapshot.clone());
        Ok(snapshot)
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
