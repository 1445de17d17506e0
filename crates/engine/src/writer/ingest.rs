//! Synchronises the index with the disk.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use m1nd_base::{Cancel, ProblemKind, Progress, ProgressEvent, RepoPath};
use m1nd_link::LinkDelta;
use m1nd_vfs::{Changes, FileMeta, Root};
use rayon::prelude::*;

use super::files::{self, Basis, Care, Gathered, Target};
use super::ingest_target::IngestTarget;
use super::whole::Fresh;
use super::{Event, Linked, Writer, build};
use crate::config::{Adapter, IngestRequest, Mode};
use crate::error::EngineError;
use crate::files::{FileEntry, FileTable};
use crate::ingest::extract::Extracted;
use crate::ingest::json_graph::{self, LeftOut};
use crate::readers::kept_mentions;
use crate::report::{CompilerReport, DocumentsReport, IngestReport, RootInfo, RootWork, Tiers};
use crate::state::snapshot::{Content, Snapshot, heads_of, open_root};
use crate::state::stored::{self, StoredCheck};

/// Changed files of one run past which the graph is packed at once instead of carried over the base.
const MAX_CHANGED: usize = 400;
/// Of how many files of the index one has to change for all to be linked: comparing a changed file with what it was
/// costs about as much as linking one that did not change. Only of more than [`MAX_CHANGED`], since facts are got
/// again.
const MOST: usize = 2;
/// Changed files that are compared with their old facts together, which so are in memory at the same time.
const LOADED_AT_ONCE: usize = 256;
/// Changed files over the base past which it is packed at once.
const MAX_OVERLAY: usize = 1_000;

/// Measures the stages of an ingest.
pub(super) struct Stages {
    started: Instant,
    last: Instant,
    rows: Vec<(&'static str, f64)>,
}

impl Stages {
    fn new() -> Self {
        let now = Instant::now();
        Self { started: now, last: now, rows: Vec::new() }
    }

    pub(super) fn end_stage(&mut self, stage: &'static str) {
        let now = Instant::now();
        self.rows.push((stage, millis(now - self.last)));
        self.last = now;
    }
}

fn millis(time: std::time::Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// The first files of which references are missing.
fn incomplete(snapshot: &Snapshot) -> Vec<(String, m1nd_base::Problem)> {
    let rows = snapshot.files.iter().filter_map(|file| {
        let problem = file.problems.iter().find(|problem| problem.kind.hides_references())?;
        Some((file.path.to_string(), problem.clone()))
    });
    rows.take(IngestReport::MAX_LISTED).collect()
}

/// Statistics of a run, for its report.
#[derive(Default)]
pub(super) struct Done {
    pub(super) scanned: usize,
    pub(super) parsed: usize,
    pub(super) from_cache: usize,
    pub(super) unchanged: usize,
    pub(super) removed: usize,
    pub(super) linked: usize,
    pub(super) documents: Option<DocumentsReport>,
    pub(super) bytes_read: u64,
    pub(super) skipped: Vec<(String, m1nd_base::Problem)>,
    pub(super) left_out: LeftOut,
    pub(super) compiler: Option<CompilerReport>,
    pub(super) by_root: Vec<RootWork>,
}

impl Done {
    pub(super) fn of(gathered: &Gathered) -> Self {
        Self {
            scanned: gathered.found + gathered.unchanged,
            parsed: gathered.found - gathered.from_cache,
            from_cache: gathered.from_cache,
            unchanged: gathered.unchanged,
            removed: gathered.removed.len(),
            bytes_read: gathered.bytes_read,
            skipped: gathered.skipped.clone(),
            by_root: gathered.by_root.clone(),
            ..Self::default()
        }
    }
}

/// Changes made by a link run, and the resulting changes of files.
pub(super) struct LinkChanges {
    pub(super) delta: LinkDelta,
    /// Entries of changed files, `None` for removed ones.
    pub(super) rows: std::collections::BTreeMap<RepoPath, Option<FileEntry>>,
    pub(super) edited: Vec<RepoPath>,
    pub(super) removed: Vec<RepoPath>,
}

impl Writer {
    /// Runs a caller's request.
    pub(super) fn ingest(
        &mut self,
        request: &IngestRequest,
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Result<IngestReport, EngineError> {
        if self.shared.config.read_only {
            return Err(EngineError::ReadOnly);
        }
        // Another process may have ended since, so its lock is tried again before the request is refused.
        if self.lock.is_none() {
            self.take_over();
        }
        if self.lock.is_none() {
            return Err(EngineError::WriterElsewhere);
        }
        cancel.check()?;
        let mut stages = Stages::new();
        let before = self.shared.current();
        // Dropping an import needs no path on disk.
        if request.mode == Mode::Drop {
            let done = self.drop_scip(request, cancel, progress, &mut stages)?;
            return Ok(self.report(request, &before, done, stages));
        }
        let place = self.place(request)?;
        let done = match request.adapter {
            Adapter::Json => self.ingest_json(request, &place, cancel, &mut stages)?,
            Adapter::Scip => self.ingest_scip(request, &place, cancel, progress, &mut stages)?,
            Adapter::Code => self.ingest_code(request, place, cancel, progress, &mut stages)?,
            _ => self.ingest_documents(request, &place, cancel, progress, &mut stages)?,
        };
        // Roots may have been added or removed.
        self.watch();
        Ok(self.report(request, &before, done, stages))
    }

    fn ingest_code(
        &mut self,
        request: &IngestRequest,
        place: IngestTarget,
        cancel: &Cancel,
        progress: &dyn Progress,
        stages: &mut Stages,
    ) -> Result<Done, EngineError> {
        let current = self.shared.current();
        let same_roots = current.roots.as_ref() == place.roots.as_slice();
        let is_loaded = self.linked.is_some();
        let is_ready = same_roots && self.is_ready(request.incremental, cancel)?;
        if is_ready && !is_loaded {
            stages.end_stage("restoring");
        }
        let done = if is_ready {
            let handles = self.open_roots(&place.roots);
            let target = target(&place.roots, &handles, place.root, place.scope.as_ref(), place.is_file)?;
            // Watchers of another folder at the same place know nothing of this one.
            let asks = request.incremental && same_handles(&handles, &current.handles);
            let watched = if asks { self.watched_changes(&target.info.path) } else { None };
            let (scan, others) = match watched {
                Some(paths) => {
                    let others = files::others(&target, &current.files, &paths);
                    stages.end_stage("asking watchers");
                    (files::scan_paths(&target, self.basis(&current), &paths)?, others)
                }
                None => {
                    let care = Care { trusts_time: request.incremental, wants_all: false };
                    let scan = files::scan(&target, self.basis(&current), care, cancel, progress)?;
                    stages.end_stage("reading");
                    (scan, 0)
                }
            };
            let mut changed = Vec::new();
            let mut take = |file| changed.push(file);
            let mut gathered = files::gather(scan, self, &handles, &mut take, (cancel, progress))?;
            gathered.unchanged += others;
            stages.end_stage("parsing");
            self.update((gathered, changed), handles, cancel, progress, stages)?
        } else {
            let care = Care { trusts_time: request.incremental && !current.is_empty(), wants_all: true };
            let fresh = same_roots.then_some((place.root, place.scope.as_ref()));
            self.full(place.roots.clone(), Fresh::new(fresh, care), cancel, progress, stages)?
        };
        if self.saved.is_behind && self.shared.current().graph.overlay_files() == 0 {
            self.save_now().map_err(EngineError::Store)?;
            stages.end_stage("writing");
        }
        Ok(done)
    }

    /// Returns whether the linker knows all files of the index, so that only changes have to be linked. An ingest that
    /// trusts nothing also reads through the stored index first: what is damaged must not be built upon, and is written
    /// again even if this process still maps the file that was sound.
    fn is_ready(&mut self, trusts: bool, cancel: &Cancel) -> Result<bool, EngineError> {
        if !trusts && matches!(stored::check(&self.shared, u64::MAX, cancel), StoredCheck::Damaged(_)) {
            self.saved.is_behind = true;
        }
        if self.linked.is_some() {
            return Ok(true);
        }
        let is_sound = trusts || self.saved.container.as_ref().is_some_and(|stored| stored.verify(cancel).is_ok());
        cancel.check()?;
        Ok(is_sound && self.restore(cancel)?)
    }

    /// The files of a root that changed and were not indexed yet, as its watcher knows; `None` if it cannot tell, so
    /// that the root has to be walked.
    fn watched_changes(&mut self, root: &Path) -> Option<Vec<RepoPath>> {
        if self.missed || !self.flush_root(root) {
            return None;
        }
        let mut found: BTreeSet<RepoPath> = BTreeSet::new();
        let mut is_known = true;
        let waiting: Vec<Event> = self.queue.inbox.try_iter().collect();
        for event in waiting {
            match event {
                Event::Changed { root: of, changes: Changes::Paths(paths) } if of == root => {
                    let changes = Changes::Paths(paths);
                    self.note_documents(root, &changes);
                    if let Changes::Paths(paths) = changes {
                        found.extend(paths);
                    }
                }
                event => {
                    is_known &= !matches!(&event, Event::Changed { root: of, .. } if of == root);
                    self.queue.later.push_back(event);
                }
            }
        }
        if !is_known {
            let changes = Changes::Paths(found.into_iter().collect());
            self.queue.later.push_back(Event::Changed { root: root.to_owned(), changes });
            return None;
        }
        Some(found.into_iter().collect())
    }

    /// Links changes and publishes the result, if there is any.
    fn update(
        &mut self,
        (gathered, changed): (Gathered, Vec<Extracted>),
        handles: Arc<[Option<Root>]>,
        cancel: &Cancel,
        progress: &dyn Progress,
        stages: &mut Stages,
    ) -> Result<Done, EngineError> {
        let mut done = Done::of(&gathered);
        let current = self.shared.current();
        let Some(mut linked) = self.linked.take() else {
            return Err(EngineError::Internal("the linker is not there".into()));
        };
        let touched = list_touched(&current.files, &gathered.touched);
        let skipped = Arc::new(current.skipped.after(&gathered.looked, &gathered.skipped));
        if changed.is_empty() && gathered.removed.is_empty() {
            self.linked = Some(linked);
            if !touched.is_empty() || skipped != current.skipped || !same_handles(&handles, &current.handles) {
                let mut content = current.content();
                content.handles = handles;
                content.files = Arc::new(content.files.with(touched));
                content.skipped = skipped;
                self.republish(&current, content);
            }
            return Ok(done);
        }
        let differing = changed.len() + gathered.removed.len();
        if differing > MAX_CHANGED && differing * MOST > current.files.len() && self.cache.is_some() {
            drop((linked, changed));
            // A change that left size and time as they were must not be missed now.
            let care = Care { trusts_time: false, wants_all: true };
            let whole = self.full(current.roots.to_vec(), Fresh::new(None, care), cancel, progress, stages)?;
            return Ok(Done { linked: whole.linked, ..done });
        }
        let mut rows: std::collections::BTreeMap<RepoPath, Option<FileEntry>> = touched.into_iter().collect();
        let mut edited: Vec<RepoPath> = Vec::new();
        let (compiler, _) = self.compiler_index();
        let pool = self.pool()?;
        for part in gathered.removed.chunks(LOADED_AT_ONCE) {
            pool.install(|| linked.linker.load(part.iter()));
            for path in part {
                linked.linker.remove_file(path);
                linked.files.remove(path);
                rows.insert(path.clone(), None);
            }
        }
        let mut changed = changed.into_iter().peekable();
        while changed.peek().is_some() {
            cancel.check()?;
            let part: Vec<Extracted> = changed.by_ref().take(LOADED_AT_ONCE).collect();
            for (entry, file) in pool.install(|| files::set_files(&mut linked.linker, part)) {
                linked.linker.set_compiler_index(&entry.path, compiler.of_file(&entry.path, entry.hash));
                linked.files.insert(entry.path.clone(), file);
                edited.push(entry.path.clone());
                rows.insert(entry.path.clone(), Some(entry));
            }
        }
        let delta = match link(&pool, &mut linked, cancel, progress) {
            Err(_) if linked.linker.is_short() => {
                let care = Care { trusts_time: false, wants_all: true };
                return self.full(current.roots.to_vec(), Fresh::new(None, care), cancel, progress, stages);
            }
            linked => linked?,
        };
        done.linked = delta.changed.len();
        stages.end_stage("linking");
        let content = Content { skipped, handles, ..current.content() };
        let changes = LinkChanges { delta, rows, edited, removed: gathered.removed };
        self.publish_links(linked, changes, content, cancel)?;
        stages.end_stage("building");
        Ok(done)
    }

    /// Publishes the changes of a link run.
    pub(super) fn publish_links(
        &mut self,
        mut linked: Linked,
        changes: LinkChanges,
        mut content: Content,
        cancel: &Cancel,
    ) -> Result<(), EngineError> {
        let LinkChanges { delta, mut rows, edited, removed } = changes;
        let mut to_search: std::collections::BTreeSet<RepoPath> = edited.into_iter().collect();
        let current = self.shared.current();
        // Rows of all files whose links changed, edited or not: tiers and the role of a test depend on other files.
        for links in &delta.changed {
            cancel.check()?;
            if build::note_ids(&mut linked, links, &current.graph) {
                to_search.insert(links.path.clone());
            }
            let row = rows.entry(links.path.clone()).or_insert_with(|| current.files.get(&links.path).cloned());
            if let Some(entry) = row {
                build::note_outcome(entry, links);
                let file = linked.linker.file(&links.path);
                entry.is_test = file.is_some_and(|(_, facts)| linked.is_test(links, facts));
            }
        }
        // Changed files lie over the base of graph and search index until there are many.
        content.graph = build::changed_graph(&current.graph, &linked, &delta, &current.imported);
        let pool = self.pool()?;
        let indexed = |path: RepoPath| {
            let file = build::index_file(&linked, &path, &content.graph)?;
            Some((path, Some(file)))
        };
        let indexed: Option<Vec<_>> = pool.install(|| to_search.into_par_iter().map(indexed).collect());
        let mut changes: Vec<_> = removed.iter().map(|path| (path.clone(), None)).collect();
        changes.extend(indexed.ok_or_else(report_gone)?);
        content.search = content.search.with_changes(changes);
        content.files = Arc::new(content.files.with(rows.into_iter().collect()));
        // Then both are packed, since each reader pays for the layers.
        if delta.changed.len() > MAX_CHANGED || content.graph.overlay_files() > MAX_OVERLAY {
            let (graph, search) =
                pool.install(|| rayon::join(|| content.graph.compact(cancel), || content.search.compact(cancel)));
            content.graph = graph?;
            content.search = match search? {
                Some(packed) => packed,
                None => build::search(&linked, &content.graph, &pool, cancel)?.ok_or_else(report_gone)?,
            };
        }
        cancel.check()?;
        // Nothing was visible so far; from here on readers get the new state.
        let generation = self.next_generation();
        self.publish(&current, generation, content)?;
        self.linked = Some(linked);
        Ok(())
    }

    /// Publishes the same generation with other figures beside the graph.
    pub(super) fn republish(&mut self, current: &Snapshot, content: Content) {
        let same = current.next(current.generation, current.indexed_at_ms, content);
        self.shared.publish(Arc::new(same));
        self.saved.is_behind = true;
    }

    /// Publishes the next state, unless the caller gave up before.
    pub(super) fn publish(&mut self, before: &Snapshot, generation: u64, content: Content) -> Result<(), EngineError> {
        if self.claim.as_ref().is_some_and(|claim| !claim.take()) {
            return Err(EngineError::Cancelled);
        }
        let content = Content { heads: heads_of(&content.handles).into(), ..content };
        let mut next = before.next(generation, self.shared.config.clock.now_ms(), content);
        next.mentions = kept_mentions::carry_over(&before.mentions, &next);
        self.shared.publish(Arc::new(next));
        self.saved.is_behind = true;
        Ok(())
    }

    /// Follows a watcher.
    pub(super) fn refresh(
        &mut self,
        root: &Path,
        changes: Changes,
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Result<(), EngineError> {
        let current = self.shared.current();
        let Some(number) = current.roots.iter().position(|info| info.path == root) else { return Ok(()) };
        let mut stages = Stages::new();
        if self.linked.is_none() && !self.restore(cancel)? {
            // Also the moment to get ready for later changes, even if nothing changed by now.
            return self.relink_all(cancel, progress);
        }
        let handles = self.open_roots(&current.roots);
        let at = |handles: &[Option<Root>]| handles.get(number).cloned().flatten();
        let reopened = match (at(&handles), at(&current.handles)) {
            (Some(now), Some(before)) => !now.is_same_handle(&before),
            (now, before) => now.is_some() != before.is_some(),
        };
        let scan = match (target(&current.roots, &handles, number, None, false), changes) {
            (Err(_), _) => files::scan_of_gone(&current.roots, &current.roots[number], &current.files),
            (Ok(target), Changes::Paths(paths)) if !reopened => {
                files::scan_paths(&target, self.basis(&current), &paths)?
            }
            (Ok(target), _) => {
                let care = Care { trusts_time: true, wants_all: false };
                files::scan(&target, self.basis(&current), care, cancel, progress)?
            }
        };
        let mut changed = Vec::new();
        let gathered = files::gather(scan, self, &handles, &mut |file| changed.push(file), (cancel, progress))?;
        self.update((gathered, changed), handles, cancel, progress, &mut stages)?;
        self.watch();
        Ok(())
    }

    /// Checks whether missing roots have reappeared.
    pub(super) fn look_for_roots(&mut self) {
        let current = self.shared.current();
        let back = current.roots.iter().zip(current.handles.iter());
        let back: Vec<PathBuf> = back
            .filter(|(info, handle)| handle.is_none() && open_root(info).is_ok())
            .map(|(info, _)| info.path.clone())
            .collect();
        back.iter().for_each(|root| _ = self.follow_changes(root, Changes::Rescan));
    }

    /// What files are compared with.
    pub(super) fn basis<'a>(&'a self, current: &'a Snapshot) -> Basis<'a> {
        let limits = &self.shared.config.limits;
        Basis { files: &current.files, indexed_at_ms: current.indexed_at_ms, limits, histories: &self.shared.histories }
    }

    /// Handles of these roots, reopened if another folder took the place.
    pub(super) fn open_roots(&self, roots: &[RootInfo]) -> Arc<[Option<Root>]> {
        self.shared.open_roots(roots, &self.shared.current().handles)
    }

    /// Rebuilds the linker of the current roots, and the index if it differs from the disk.
    pub(super) fn relink_all(&mut self, cancel: &Cancel, progress: &dyn Progress) -> Result<(), EngineError> {
        let care = Care { trusts_time: true, wants_all: true };
        let roots = self.shared.current().roots.to_vec();
        self.full(roots, Fresh::new(None, care), cancel, progress, &mut Stages::new()).map(|_| ())
    }

    /// Rebuilds the index of these roots.
    pub(super) fn rebuild(
        &mut self,
        roots: Vec<RootInfo>,
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Result<(), EngineError> {
        let care = Care { trusts_time: false, wants_all: true };
        self.full(roots, Fresh::new(None, care), cancel, progress, &mut Stages::new())?;
        self.save_now().map_err(EngineError::Store)
    }

    fn ingest_json(
        &mut self,
        request: &IngestRequest,
        place: &IngestTarget,
        cancel: &Cancel,
        stages: &mut Stages,
    ) -> Result<Done, EngineError> {
        if request.incremental {
            return Err(EngineError::BadRequest(
                "adapter `json` has no incremental mode; leave `incremental` out".into(),
            ));
        }
        let info = &place.roots[place.root];
        let (Some(inner), true) = (&place.scope, place.is_file) else {
            return Err(EngineError::BadRequest(
                "adapter `json` takes the path of a JSON file, not of a folder".into(),
            ));
        };
        let root = open_root(info).map_err(EngineError::BadRequest)?;
        let bytes = root.read(inner, self.shared.config.limits.read_bytes)?;
        cancel.check()?;
        let current = self.shared.current();
        let source = info.outer(inner).to_string();
        let known: &[json_graph::Imported] = if request.mode == Mode::Replace { &[] } else { &current.imported };
        let listed = IngestReport::MAX_LISTED;
        let (set, left_out) =
            json_graph::parse((&request.path, &source), &bytes, &current.graph, known, listed, cancel)?;
        stages.end_stage("parsing");
        let mut imported: Vec<json_graph::Imported> =
            known.iter().filter(|known| known.source != source).cloned().collect();
        imported.push(set);
        self.publish_imported(imported, cancel, stages)?;
        Ok(Done { scanned: 1, parsed: 1, bytes_read: bytes.len() as u64, left_out, ..Done::default() })
    }

    /// Publishes the index with other imported data.
    pub(super) fn publish_imported(
        &mut self,
        mut imported: Vec<json_graph::Imported>,
        cancel: &Cancel,
        stages: &mut Stages,
    ) -> Result<(), EngineError> {
        let current = self.shared.current();
        imported.sort_by(|a, b| a.source.cmp(&b.source));
        let mut content = current.content();
        content.graph = build::with_imported(&current.graph, &imported, cancel)?;
        content.imported = Arc::new(imported);
        cancel.check()?;
        let generation = self.next_generation();
        self.publish(&current, generation, content)?;
        stages.end_stage("building");
        self.save_now().map_err(EngineError::Store)?;
        stages.end_stage("writing");
        Ok(())
    }

    fn report(&self, request: &IngestRequest, before: &Snapshot, done: Done, stages: Stages) -> IngestReport {
        let after = self.shared.current();
        let mut problems: std::collections::BTreeMap<ProblemKind, usize> = Default::default();
        // Problems of the whole index and not of this run only: they say how complete answers are.
        let of_files = after.files.iter().flat_map(|file| &file.problems);
        for problem in of_files {
            *problems.entry(problem.kind).or_default() += 1;
        }
        for (kind, count) in after.skipped.counts() {
            *problems.entry(kind).or_default() += count;
        }
        let (nodes, edges) = (after.graph.node_count(), after.graph.edge_count());
        IngestReport {
            mode: request.mode,
            adapter: request.adapter,
            roots: after.roots.iter().map(|root| root.path.clone()).collect::<Vec<PathBuf>>(),
            files_scanned: done.scanned,
            files_parsed: done.parsed,
            files_from_cache: done.from_cache,
            files_unchanged: done.unchanged,
            files_removed: done.removed,
            files_linked: done.linked,
            bytes_read: done.bytes_read,
            files_skipped: done.skipped.len(),
            skipped: done.skipped.into_iter().take(IngestReport::MAX_LISTED).collect(),
            incomplete: incomplete(&after),
            problems: problems.into_iter().collect(),
            nodes_created: nodes.saturating_sub(before.graph.node_count()),
            edges_created: edges.saturating_sub(before.graph.edge_count()),
            node_count: nodes,
            edge_count: edges,
            tiers: after.files.iter().fold(Tiers::default(), |mut sum, file| {
                sum.add(&file.tiers);
                sum
            }),
            bad_edges: done.left_out.bad_edges,
            bad_edge_examples: done.left_out.bad_edge_examples,
            duplicate_nodes: done.left_out.duplicate_nodes,
            documents: done.documents,
            compiler: done.compiler,
            generation: after.generation,
            changed: after.generation != before.generation,
            elapsed_ms: millis(stages.started.elapsed()),
            stages: stages.rows,
            by_root: done.by_root,
        }
    }
}

/// Links and reports how far it is. On the writer's own threads: they have the stack that the linker's depth limit
/// counts on, and readers' searches do not queue behind it.
pub(super) fn link(
    pool: &rayon::ThreadPool,
    linked: &mut Linked,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<LinkDelta, EngineError> {
    progress.report(ProgressEvent { stage: "linking", done: 0, total: None });
    let delta = pool.install(|| linked.linker.link(cancel, progress))?;
    if linked.linker.is_short() { Err(report_gone()) } else { Ok(delta) }
}

/// The facts of a file were dropped from the cache, and its content on disk is another: the next run links all files.
pub(super) fn report_gone() -> EngineError {
    EngineError::Internal("facts of a file are not stored any more".into())
}

/// Returns whether both are the same open folders.
pub(super) fn same_handles(a: &[Option<Root>], b: &[Option<Root>]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|pair| match pair {
            (Some(a), Some(b)) => a.is_same_handle(b),
            (None, None) => true,
            _ => false,
        })
}

/// Returns whether both have the same files with the same content.
pub(super) fn same_content(a: &FileTable, b: &FileTable) -> bool {
    a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.path == b.path && a.hash == b.hash)
}

/// Returns whether files of the roots before have the same paths in the index afterwards.
pub(super) fn keeps_prefixes(before: &[RootInfo], after: &[RootInfo]) -> bool {
    let has_own_folders = |roots: &[RootInfo]| roots.iter().all(|root| !root.prefix.is_empty());
    if has_own_folders(before) && has_own_folders(after) {
        let old = |new: &RootInfo| before.iter().find(|old| old.prefix == new.prefix);
        return after.iter().all(|new| old(new).is_none_or(|old| old.path == new.path));
    }
    before.iter().zip(after).all(|(old, new)| old.path == new.path && old.prefix == new.prefix)
}

/// Entries whose size or time has to be updated.
fn list_touched(files: &FileTable, rows: &[(RepoPath, FileMeta)]) -> Vec<(RepoPath, Option<FileEntry>)> {
    let mut changed = Vec::new();
    for (path, meta) in rows {
        if let Some(entry) = files.get(path).filter(|entry| entry.size != meta.size || entry.mtime_ns != meta.mtime_ns)
        {
            changed.push((path.clone(), Some(FileEntry { size: meta.size, mtime_ns: meta.mtime_ns, ..entry.clone() })));
        }
    }
    changed
}

pub(super) fn target<'a>(
    roots: &'a [RootInfo],
    handles: &'a [Option<Root>],
    number: usize,
    scope: Option<&'a RepoPath>,
    is_file: bool,
) -> Result<Target<'a>, EngineError> {
    let info = roots.get(number).ok_or_else(|| EngineError::Internal("no such root".into()))?;
    let handle = handles.get(number).and_then(Option::as_ref);
    let handle = handle.ok_or_else(|| EngineError::PathNotFound(info.path.clone()))?;
    Ok(Target { root: number, info, roots, handle, scope, is_file })
}
