//! Gets the linker ready from what was stored, instead of linking all files again.

use std::collections::BTreeMap;
use std::sync::Arc;

use m1nd_base::{Cancel, Limits, ProblemKind, RepoPath, memory};
use m1nd_graph::Container;
use m1nd_lang::FileFacts;
use m1nd_link::{FactsSource, Linker};
use m1nd_search::FileTerms;
use m1nd_store::FactsCache;
use m1nd_vfs::Root;

use super::{Linked, Writer, files};
use crate::adopted_facts::AdoptedFacts;
use crate::error::EngineError;
use crate::extract_attempts::Attempts;
use crate::files::{FileEntry, FileTable};
use crate::ingest::extract::{self, Extracted, Job, OneFile, StoredRows};
use crate::report::{RootInfo, root_folders};
use crate::state::persist;
use crate::state::snapshot::Snapshot;

/// Lines of files whose facts stay in memory after their index was written; with more, all are dropped.
const KEPT_LINES: u64 = 300_000;

/// Facts and search terms of the files of an index, got one by one when they are needed: from the cache, or from the
/// disk as long as the content is the same.
pub(crate) struct StoredFacts {
    of: Origin,
    cache: Option<Arc<FactsCache>>,
    adopted: Arc<AdoptedFacts>,
    attempts: Attempts,
    limits: Limits,
    cancel: Cancel,
}

/// The files of an index, and the roots that they are in.
pub(super) struct Origin {
    pub(super) files: Arc<FileTable>,
    pub(super) roots: Arc<[RootInfo]>,
    pub(super) handles: Arc<[Option<Root>]>,
}

impl Origin {
    fn of(snapshot: &Snapshot) -> Self {
        let Snapshot { files, roots, handles, .. } = snapshot;
        Self { files: files.clone(), roots: roots.clone(), handles: handles.clone() }
    }
}

impl StoredFacts {
    fn get(&self, path: &RepoPath) -> Option<Extracted> {
        extract::as_indexed(&self.job(path)?, self.rows(), self.tools())
    }

    pub(super) fn terms(&self, path: &RepoPath) -> Option<Arc<FileTerms>> {
        extract::terms_as_indexed(&self.job(path)?, self.rows(), self.tools())
    }

    fn rows(&self) -> StoredRows<'_> {
        StoredRows { cache: self.cache.as_deref(), adopted: &self.adopted }
    }

    fn job(&self, path: &RepoPath) -> Option<Job> {
        files::job_as_indexed(&self.of.roots, self.of.files.get(path)?)
    }

    fn tools(&self) -> OneFile<'_> {
        let (attempts, limits, cancel) = (Some(&self.attempts), &self.limits, &self.cancel);
        OneFile { roots: &self.of.handles, attempts, limits, cancel }
    }
}

impl FactsSource for StoredFacts {
    fn facts(&self, path: &RepoPath) -> Option<Arc<FileFacts>> {
        self.get(path).map(|file| file.facts)
    }
}

/// Returns whether a file would have other facts if it were extracted again: those that a time limit cut short.
pub(super) fn is_fleeting(entry: &FileEntry) -> bool {
    entry.problems.iter().any(|problem| problem.kind == ProblemKind::ParseTimeout)
}

impl Writer {
    /// Makes the linker of the published state from what it remembered. `false` if that is not possible: something is
    /// not stored (any more), or was of other content. The facts of files stay where they are until they are needed.
    ///
    /// # Errors
    /// [`EngineError::Cancelled`].
    pub(super) fn restore(&mut self, cancel: &Cancel) -> Result<bool, EngineError> {
        let Some(container) = self.saved.container.take() else { return Ok(false) };
        let Some(state) = persist::linker_state(&container) else { return Ok(false) };
        let current = self.shared.current();
        // What the linker remembers holds only with the compiler indexes it was made with, and if all facts are stored.
        let (compiler, cover) = self.compiler_index();
        if cover != current.compiler || current.files.iter().any(is_fleeting) {
            return Ok(false);
        }
        let indexes = current
            .files
            .iter()
            .filter_map(|entry| Some((entry.path.clone(), compiler.of_file(&entry.path, entry.hash)?)));
        let facts = self.stored_facts(Origin::of(&current));
        let limits = self.shared.config.limits.clone();
        let roots = root_folders(&current.roots);
        let pool = self.pool()?;
        let Some(mut linker) = pool.install(|| Linker::restore(limits, state, facts.clone(), indexes, roots)) else {
            return Ok(false);
        };
        // The stored state is put back, or the next run would have to link everything.
        if cancel.is_cancelled() {
            self.saved.container = Some(container);
            return Err(EngineError::Cancelled);
        }
        // Last check: the linker must know exactly the files of the snapshot.
        let mut paths: Vec<&RepoPath> = linker.paths().collect();
        paths.sort_unstable();
        if !paths.into_iter().eq(current.files.iter().map(|entry| &entry.path)) {
            return Ok(false);
        }
        linker.set_facts_in_memory(self.shared.config.facts_in_memory);
        self.linked = Some(Linked { linker, files: BTreeMap::new(), facts: Some(facts) });
        Ok(true)
    }

    pub(super) fn stored_facts(&mut self, of: Origin) -> Arc<StoredFacts> {
        self.open_cache();
        Arc::new(StoredFacts {
            of,
            cache: self.cache.clone(),
            adopted: AdoptedFacts::of(&self.shared.project, extract::CACHE_VERSION),
            attempts: Attempts::below(self.home.path(), self.shared.config.probe.clone()),
            limits: self.shared.config.limits.clone(),
            cancel: self.shared.stop.clone(),
        })
    }

    /// Drops the facts and terms that are in memory, if they are many: the cache has them, too. The linker must know
    /// the published state and nothing else. If its texts are many as well, another takes its place, made from what was
    /// written of it.
    pub(super) fn unload(&mut self, written: Option<Container>) {
        let current = self.shared.current();
        let Some(mut linked) = self.linked.take() else { return };
        let has_many_texts = linked.linker.text_bytes() > self.shared.config.facts_in_memory / 2
            && !current.files.iter().any(is_fleeting);
        if let Some(container) = written.filter(|_| has_many_texts) {
            self.saved.container = Some(container);
            if matches!(self.restore(&Cancel::new()), Ok(true)) {
                drop(linked);
                memory::release();
                return;
            }
            self.saved.container = None;
        }
        let is_due =
            are_many(&current.files, linked.files.keys()) || are_many(&current.files, linked.linker.list_loaded());
        if is_due && self.unload_facts(&mut linked, Origin::of(&current)) {
            linked.files.retain(|path, _| current.files.get(path).is_none_or(is_fleeting));
            memory::release();
        }
        self.linked = Some(linked);
    }

    /// Says where the facts of all files can be had, apart from fleeting ones.
    pub(super) fn set_source(&mut self, linked: &mut Linked, of: Origin) {
        let facts = self.stored_facts(of);
        linked.linker.set_source(facts.clone(), &|path| facts.of.files.get(path).is_none_or(is_fleeting));
        linked.facts = Some(facts);
    }

    /// Drops the facts, not the terms. Returns whether they can be had again. All files must be linked.
    pub(super) fn unload_facts(&mut self, linked: &mut Linked, of: Origin) -> bool {
        let facts = self.stored_facts(of);
        if facts.cache.is_none() {
            return false;
        }
        linked.linker.unload(facts.clone(), &|path| facts.of.files.get(path).is_none_or(is_fleeting));
        linked.facts = Some(facts);
        true
    }
}

/// Returns whether these files have more than [`KEPT_LINES`].
pub(super) fn are_many<'a>(files: &FileTable, paths: impl Iterator<Item = &'a RepoPath>) -> bool {
    paths.map(|path| files.get(path).map_or(0, |entry| u64::from(entry.lines))).sum::<u64>() > KEPT_LINES
}
