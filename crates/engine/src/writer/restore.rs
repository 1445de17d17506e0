//! Gets the linker ready from what was stored, instead of linking all files again.

use std::collections::BTreeMap;
use std::sync::Arc;

use m1nd_base::{Cancel, Limits, ProblemKind, RepoPath};
use m1nd_lang::FileFacts;
use m1nd_link::{FactsSource, Linker};
use m1nd_search::FileTerms;
use m1nd_store::FactsCache;
use m1nd_vfs::Root;

use super::{Linked, Writer, files};
use crate::error::EngineError;
use crate::extract::{self, Extracted, OneFile};
use crate::extract_attempts::Attempts;
use crate::files::{FileEntry, FileTable};
use crate::persist;
use crate::report::{RootInfo, root_folders};
use crate::snapshot::Snapshot;

/// Lines of files whose facts stay in memory after their index was written; with more, all are dropped.
const KEPT_LINES: u64 = 300_000;

/// Facts and search terms of the files of an index, got one by one when they are needed: from the cache, or from the
/// disk as long as the content is the same.
pub(crate) struct StoredFacts {
    files: Arc<FileTable>,
    roots: Arc<[RootInfo]>,
    handles: Arc<[Option<Root>]>,
    cache: Option<Arc<FactsCache>>,
    attempts: Attempts,
    limits: Limits,
    cancel: Cancel,
}

impl StoredFacts {
    fn get(&self, path: &RepoPath) -> Option<Extracted> {
        let job = files::job_as_indexed(&self.roots, self.files.get(path)?)?;
        let (attempts, limits, cancel) = (Some(&self.attempts), &self.limits, &self.cancel);
        let one = OneFile { roots: &self.handles, attempts, limits, cancel };
        extract::as_indexed(&job, self.cache.as_deref(), one)
    }

    pub(super) fn terms(&self, path: &RepoPath) -> Option<Arc<FileTerms>> {
        self.get(path).map(|file| file.terms)
    }
}

impl FactsSource for StoredFacts {
    fn facts(&self, path: &RepoPath) -> Option<Arc<FileFacts>> {
        self.get(path).map(|file| file.facts)
    }
}

/// Returns whether a file would have other facts if it were extracted again: those that a time limit cut short.
fn is_fleeting(entry: &FileEntry) -> bool {
    entry.problems.iter().any(|problem| problem.kind == ProblemKind::ParseTimeout)
}

impl Writer {
    /// Makes the linker of the published state from what it remembered. `false` if that is not possible: something is
    /// not stored (any more), or was of other content. The facts of files stay where they are until they are needed.
    ///
    /// # Errors
    /// [`EngineError::Cancelled`].
    pub(super) fn restore(&mut self, cancel: &Cancel) -> Result<bool, EngineError> {
        let Some(container) = self.stored.take() else { return Ok(false) };
        let Some(state) = persist::linker_state(&container) else { return Ok(false) };
        let current = self.shared.current();
        let (compiler, cover) = self.compiler_index();
        if cover != current.compiler || current.files.iter().any(is_fleeting) {
            return Ok(false);
        }
        let indexes = current
            .files
            .iter()
            .filter_map(|entry| Some((entry.path.clone(), compiler.of_file(&entry.path, entry.hash)?)));
        let facts = self.stored_facts(&current);
        let limits = self.shared.config.limits.clone();
        let roots = root_folders(&current.roots);
        let pool = self.pool()?;
        let Some(linker) = pool.install(|| Linker::restore(limits, state, facts.clone(), indexes, roots)) else {
            return Ok(false);
        };
        if cancel.is_cancelled() {
            self.stored = Some(container);
            return Err(EngineError::Cancelled);
        }
        let mut paths: Vec<&RepoPath> = linker.paths().collect();
        paths.sort_unstable();
        if !paths.into_iter().eq(current.files.iter().map(|entry| &entry.path)) {
            return Ok(false);
        }
        self.linked = Some(Linked { linker, files: BTreeMap::new(), facts: Some(facts) });
        Ok(true)
    }

    fn stored_facts(&mut self, snapshot: &Snapshot) -> Arc<StoredFacts> {
        self.open_cache();
        Arc::new(StoredFacts {
            files: snapshot.files.clone(),
            roots: snapshot.roots.clone(),
            handles: snapshot.handles.clone(),
            cache: self.cache.clone(),
            attempts: Attempts::below(self.home.path()),
            limits: self.shared.config.limits.clone(),
            cancel: self.shared.stop.clone(),
        })
    }

    /// Drops the facts that the linker has in memory if they are many: the cache has them, too. The linker must know
    /// the published state and nothing else.
    pub(super) fn unload(&mut self) {
        let current = self.shared.current();
        let Some(linked) = &self.linked else { return };
        let lines = |path: &RepoPath| current.files.get(path).map_or(0, |entry| u64::from(entry.lines));
        if self.cache.is_none() || linked.linker.loaded().map(lines).sum::<u64>() <= KEPT_LINES {
            return;
        }
        let facts = self.stored_facts(&current);
        let keeps = |path: &RepoPath| current.files.get(path).is_none_or(is_fleeting);
        if let Some(linked) = &mut self.linked {
            linked.linker.unload(facts.clone(), &keeps);
            linked.files.retain(|path, _| keeps(path));
            linked.facts = Some(facts);
        }
    }
}
