//! Indexes everything from scratch. What is read and linked does not stay in memory longer than needed: of a large
//! tree, facts are got again from the cache when linking looks at them, and links go into the graph file by file.

use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled, Progress, ProgressEvent, RepoPath, memory};
use m1nd_link::Linker;
use m1nd_vfs::Root;

use super::build::{self, WholeGraph};
use super::files::{self, Basis, Care, Scan};
use super::ingest::{Done, Stages, keeps_prefixes, report_gone, same_content, same_handles, target};
use super::restore::{Origin, is_fleeting};
use super::unlinked::UnlinkedNodes;
use super::{Linked, LinkedFile, Writer};
use crate::error::EngineError;
use crate::files::{FileEntry, FileTable};
use crate::ingest::extract::{self, Extracted};
use crate::kept::cover::Cover;
use crate::report::{RootInfo, root_folders};
use crate::state::snapshot::{Content, Snapshot};

/// Files that are passed to the linker together: enough for all threads, and few enough for facts that are dropped
/// afterwards.
const SET_AT_ONCE: usize = 64;

/// Files that were read, until they are linked.
struct Intake {
    linked: Linked,
    pool: Arc<rayon::ThreadPool>,
    /// Those that the linker does not have yet.
    waiting: Vec<Extracted>,
    entries: Vec<FileEntry>,
    /// Facts and terms can be had again from the cache.
    is_cached: bool,
    /// Some were dropped.
    has_dropped: bool,
    /// Their nodes, to be offered before they are linked.
    unlinked: Option<UnlinkedNodes>,
}

impl Intake {
    fn add(&mut self, file: Extracted) {
        self.waiting.push(file);
        if self.waiting.len() >= SET_AT_ONCE {
            self.set();
        }
    }

    /// Passes those that wait to the linker.
    fn set(&mut self) {
        let files = std::mem::take(&mut self.waiting);
        let pool = self.pool.clone();
        for (entry, file) in pool.install(|| files::set_files(&mut self.linked.linker, files)) {
            self.keep(entry, file);
        }
    }

    fn keep(&mut self, entry: FileEntry, mut file: LinkedFile) {
        if self.unlinked.as_mut().is_some_and(|nodes| !nodes.add(&self.linked.linker, &entry.path, file.is_test)) {
            self.unlinked = None;
        }
        if self.is_cached && !is_fleeting(&entry) && self.linked.linker.drop_facts(&entry.path) {
            file.terms = None;
            if !self.has_dropped {
                self.has_dropped = true;
                self.drop_terms();
            }
        }
        self.linked.files.insert(entry.path.clone(), file);
        self.entries.push(entry);
    }

    fn drop_terms(&mut self) {
        for entry in self.entries.iter().filter(|entry| !is_fleeting(entry)) {
            if let Some(file) = self.linked.files.get_mut(&entry.path) {
                file.terms = None;
            }
        }
    }
}

/// How [`Writer::full`] reads.
#[derive(Clone, Copy)]
pub(super) struct Fresh<'a> {
    /// Root and folder whose files are compared with `care`, while the others of the index are taken to be as they were
    /// if their size and time are; `None` for all.
    part: Option<(usize, Option<&'a RepoPath>)>,
    care: Care,
    /// Facts are not dropped, because some could not be had again.
    keeps_facts: bool,
}

impl<'a> Fresh<'a> {
    pub(super) fn new(part: Option<(usize, Option<&'a RepoPath>)>, care: Care) -> Self {
        Self { part, care, keeps_facts: false }
    }
}

impl Writer {
    /// Reads and links everything.
    pub(super) fn full(
        &mut self,
        roots: Vec<RootInfo>,
        fresh: Fresh<'_>,
        cancel: &Cancel,
        progress: &dyn Progress,
        stages: &mut Stages,
    ) -> Result<Done, EngineError> {
        (self.linked, self.saved.container) = (None, None);
        let current = self.shared.current();
        let same_roots = current.roots.as_ref() == roots.as_slice();
        let handles = self.open_roots(&roots);
        let scan = self.scan_roots(&current, (&roots, &handles), fresh, cancel, progress)?;
        stages.end_stage("reading");
        let mut intake = self.intake(&roots, fresh.keeps_facts)?;
        let gathered = files::gather(scan, self, &handles, &mut |file| intake.add(file), (cancel, progress))?;
        intake.set();
        stages.end_stage("parsing");
        let mut done = Done::of(&gathered);
        let skipped = Arc::new(current.skipped.after(&gathered.looked, &gathered.skipped));
        let Intake { mut linked, mut entries, has_dropped, unlinked, .. } = intake;
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        let cover = self.set_compiler_index(&mut linked, &entries, cancel)?;
        let (roots, mut files): (Arc<[RootInfo]>, Arc<FileTable>) =
            (roots.into(), Arc::new(FileTable::new(entries.clone())));
        let origin =
            |files: &Arc<FileTable>| Origin { files: files.clone(), roots: roots.clone(), handles: handles.clone() };
        if has_dropped {
            self.set_source(&mut linked, origin(&files));
        }
        if let Some(nodes) = unlinked {
            let (files, roots, handles) = (files.clone(), roots.clone(), handles.clone());
            let content = Content { files, roots, handles, skipped: skipped.clone(), ..current.content() };
            self.offer_unlinked(nodes, &linked.linker, content, cancel)?;
        }
        // If the index is as the disk, only the linker has to be made ready for later changes.
        let is_known = fresh.care.trusts_time
            && same_roots
            && !current.outdated
            && same_content(&current.files, &files)
            && cover == current.compiler;
        let imported = current.imported.clone();
        let mut graph = (!is_known).then(|| WholeGraph::new(&imported));
        let pool = self.pool()?;
        done.linked = match build::link_whole(&pool, &mut linked, (&mut entries, graph.as_mut()), cancel, progress) {
            // They were dropped, and cannot be had again.
            Err(_) if linked.linker.is_short() && has_dropped => {
                let fresh = Fresh { keeps_facts: true, ..fresh };
                return self.full(roots.to_vec(), fresh, cancel, progress, stages);
            }
            outcome => outcome?,
        };
        stages.end_stage("linking");
        let Some(graph) = graph else {
            self.linked = Some(linked);
            self.unload(None);
            if skipped != current.skipped || !same_handles(&handles, &current.handles) {
                self.republish(&current, Content { skipped, handles, ..current.content() });
            }
            return Ok(done);
        };
        progress.report(ProgressEvent { stage: "building", done: 0, total: Some(2) });
        files = Arc::new(FileTable::new(entries));
        if has_dropped {
            self.unload_facts(&mut linked, origin(&files));
            // What follows takes large pieces, for which the small ones that were freed are of no use.
            memory::release();
        }
        let (graph, _) = graph.finish(&linked.linker, cancel)?;
        cancel.check()?;
        // The cache has the facts of all files now.
        self.shared.project.remove_adopted_facts();
        stages.end_stage("building");
        progress.report(ProgressEvent { stage: "building", done: 1, total: Some(2) });
        let search = build::search(&linked, &graph, &pool, cancel)?.ok_or_else(report_gone)?;
        stages.end_stage("indexing");
        let generation = self.next_generation();
        let content = Content {
            graph,
            files,
            skipped,
            roots,
            handles,
            imported,
            search,
            compiler: cover,
            outdated: false,
            heads: current.heads.clone(),
        };
        self.publish(&current, generation, content)?;
        self.saved.base = None;
        self.linked = Some(linked);
        memory::release();
        Ok(done)
    }

    fn intake(&mut self, roots: &[RootInfo], keeps_facts: bool) -> Result<Intake, EngineError> {
        self.open_cache();
        let mut linked = Linked::new(Linker::new(self.shared.config.limits.clone()));
        linked.linker.set_roots(root_folders(roots));
        linked.linker.set_facts_in_memory(self.shared.config.facts_in_memory);
        Ok(Intake {
            linked,
            pool: self.pool()?,
            waiting: Vec::new(),
            entries: Vec::new(),
            is_cached: self.cache.is_some() && !keeps_facts,
            has_dropped: false,
            unlinked: self.gather_unlinked(),
        })
    }

    /// Passes the compiler indexes of these files to the linker; returns their coverage.
    fn set_compiler_index(
        &mut self,
        linked: &mut Linked,
        entries: &[FileEntry],
        cancel: &Cancel,
    ) -> Result<Arc<Cover>, Cancelled> {
        let (compiler, cover) = self.compiler_index();
        for entry in entries {
            cancel.check()?;
            linked.linker.set_compiler_index(&entry.path, compiler.of_file(&entry.path, entry.hash));
        }
        Ok(cover)
    }

    /// Looks through all roots, see [`Self::full`].
    fn scan_roots(
        &self,
        current: &Snapshot,
        (roots, handles): (&[RootInfo], &Arc<[Option<Root>]>),
        Fresh { part: fresh, care, .. }: Fresh<'_>,
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Result<Scan, EngineError> {
        // Under other roots the same path may be another file.
        let kept = FileTable::default();
        let same_paths = current.roots.as_ref() == roots || keeps_prefixes(&current.roots, roots);
        let old = if same_paths { &*current.files } else { &kept };
        let mut scan = Scan::default();
        for number in 0..roots.len() {
            let Ok(target) = target(roots, handles, number, None, false) else {
                // It stays a root of the index, and its files come back with it.
                scan.skipped.extend(files::scan_of_gone(roots, &roots[number], old).skipped);
                continue;
            };
            let named = fresh.is_none_or(|(root, scope)| root == number && scope.is_none());
            let care = Care { trusts_time: care.trusts_time || !named, wants_all: true };
            let basis = Basis { files: old, ..self.basis(current) };
            let part = files::scan(&target, basis, care, cancel, progress)?;
            scan.jobs.extend(part.jobs);
            scan.removed.extend(part.removed);
            scan.skipped.extend(part.skipped);
        }
        if let Some((root, Some(scope))) = fresh {
            let inside = |job: &&mut extract::Job| job.root == root && job.inner.is_within(scope.as_str());
            scan.jobs.iter_mut().filter(inside).for_each(|job| job.unchanged &= care.trusts_time);
        }
        Ok(scan)
    }
}
