//! The only one that writes about memories: what is noted of a project, the block, the gotchas of all projects.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use m1nd_memory::edges::{Edge, EdgeDraft};
use m1nd_memory::{Record, RecordId};
use m1nd_store::{Home, SharedFolder};
use m1nd_vfs::{PathKind, VfsError};

use crate::files::anchor::{Anchor, names_of};
use crate::files::approval::{self, Approvals, Approved, Checkout, Source};
use crate::files::edges::GlobalEdges;
use crate::files::noted::{Noted, NotedFile, Seconds, Seen};
use crate::files::project::{MEMORY_FILE, no_file};
use crate::files::registry::{Registry, WAIT};
use crate::keep::kept::{Code, Kept};
use crate::keep::looking::Looking;
use crate::read::code::ProjectPrefix;
use crate::read::load::{ProjectMemory, Texts};
use crate::read::stats::ProjectStats;
use crate::{MemoryError, files::worktree, keep::block, keep::gather, keep::session_end};
use m1nd_engine::Engine;
use m1nd_engine::EngineConfig;
use m1nd_engine::Snapshot;

/// Memories whose code is looked for in one pass; the rest waits for the next.
const MAX_RESOLVED: usize = 2_000;

/// Seconds after which it is noted that comments were looked for although none is new.
const MAX_UNSCANNED: Seconds = 3_600;

/// How long others that change approvals are waited for where nobody asked for one.
const APPROVAL_WAIT: Duration = Duration::from_millis(500);

/// How much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// `MEMORY.md` and commits: milliseconds.
    Quick,
    /// The comments of all changed files, too.
    Full,
}

/// What a look at a project found.
struct Looked {
    /// `MEMORY.md` is another than the last time.
    memory_changed: bool,
    /// Where code is that says something; nothing for a quick look.
    code: Code,
    /// The memory, as it was read before its times and code were noted.
    memory: ProjectMemory,
}

/// Brings what is kept of projects up to date. Any number of processes may; changes are made under locks.
#[derive(Debug, Clone)]
pub struct Keeper {
    home: SharedFolder,
    /// The folder of the code indexes; without it code is never looked at.
    store: Option<PathBuf>,
    /// The code index of this process, which goes before one of the store.
    snapshot: Option<Arc<Snapshot>>,
    /// Where it says how far a look is.
    looking: Looking,
}

impl Keeper {
    /// `home` is the folder that all projects share, `store` that of the code indexes.
    pub fn new(home: &Path, store: Option<&Path>) -> Self {
        Self {
            home: SharedFolder::new(home.to_owned()),
            store: store.map(Path::to_owned),
            snapshot: None,
            looking: Looking::default(),
        }
    }

    /// As [`Keeper::new`], with the code index of this process.
    pub(crate) fn with_snapshot(home: &Path, snapshot: Arc<Snapshot>, looking: Looking) -> Self {
        Self { snapshot: Some(snapshot), looking, ..Self::new(home, None) }
    }

    /// The folder that all projects share.
    pub fn home(&self) -> &SharedFolder {
        &self.home
    }

    /// Stores a gotcha for all projects.
    ///
    /// # Errors
    /// See [`GlobalEdges::add`].
    pub fn add_global_edge(&self, draft: &EdgeDraft) -> Result<Edge, MemoryError> {
        GlobalEdges::add(&self.home, draft, Timestamp::now())
    }

    /// Brings everything about a project up to date: what is noted, and the blocks in files that have one.
    ///
    /// # Errors
    /// [`MemoryError`] if its memory cannot be read or nothing can be noted. Files that cannot be written are among
    /// [`Kept::problems`].
    pub fn keep(&self, project: &Path) -> Result<Kept, MemoryError> {
        let Looked { memory_changed, code, memory } = self.look(project, Depth::Full)?;
        let memory = self.read_again(&memory)?;
        let (sources, stats) = (memory.source_counts(), ProjectStats::of(&memory));
        let kept = block::refresh(&memory);
        Ok(Kept { memory_changed, unread: memory.left_out().collect(), sources, stats, code, ..kept })
    }

    /// Forgets what was read of comments and commits and what code memories were about, so that all of it is looked for
    /// again.
    ///
    /// # Errors
    /// [`MemoryError::Store`].
    pub fn forget_sources(&self, project: &Path) -> Result<(), MemoryError> {
        NotedFile::of(project).change(|noted| {
            noted.files.clear();
            noted.commits.clear();
            noted.head.clear();
            noted.scanned = 0;
            noted.looked.clear();
            for seen in noted.records.values_mut() {
                (seen.text, seen.anchors) = (0, Vec::new());
            }
        })?;
        Ok(())
    }

    /// Calls with the code index that holds the project, if there is one. Neither makes nor changes one.
    pub fn with_index<T>(&self, project: &Path, work: impl FnOnce(Option<&Snapshot>) -> T) -> T {
        if let Some(snapshot) = &self.snapshot {
            return work(Some(&**snapshot).filter(|snapshot| !snapshot.is_empty()));
        }
        let engine = self.store.as_deref().and_then(|store| {
            let root = project.ancestors().find(|root| Home::holds(store, root))?;
            let mut config = EngineConfig::new(store.to_owned(), vec![root.to_owned()]);
            (config.read_only, config.verify) = (true, false);
            Engine::open(config).ok()
        });
        match engine {
            Some(engine) => {
                let snapshot = engine.snapshot();
                work(Some(&snapshot).filter(|snapshot| !snapshot.is_empty()).map(|snapshot| &**snapshot))
            }
            None => work(None),
        }
    }

    /// Notes what is new in a project. `true` if `MEMORY.md` is another than the last time.
    ///
    /// # Errors
    /// [`MemoryError::Files`] or [`MemoryError::Store`].
    pub fn refresh(&self, project: &Path, depth: Depth) -> Result<bool, MemoryError> {
        Ok(self.look(project, depth)?.memory_changed)
    }

    /// As a quick [`Keeper::refresh`], with the memory as it is then.
    pub(crate) fn refresh_and_read(&self, project: &Path) -> Result<(bool, ProjectMemory), MemoryError> {
        let looked = self.look(project, Depth::Quick)?;
        Ok((looked.memory_changed, self.read_again(&looked.memory)?))
    }

    /// A memory as its files are now. What they have in common with what was read before is not read again.
    fn read_again(&self, before: &ProjectMemory) -> Result<ProjectMemory, MemoryError> {
        Ok(ProjectMemory::of(&before.path, Texts::read(&before.path, &self.home)?, Some(before)))
    }

    fn look(&self, project: &Path, depth: Depth) -> Result<Looked, MemoryError> {
        // Nothing is made beside a memory that is gone.
        let there = project.join(MEMORY_FILE);
        if PathKind::at(&there) != PathKind::File {
            let missing = || VfsError::NotFound { path: there.to_string_lossy().into_owned() }.into();
            return Err(no_file(project).unwrap_or_else(missing));
        }
        let file = NotedFile::of(project);
        let before = file.read();
        let now = Timestamp::now();
        // Until all of it is noted: whoever asks meanwhile must not take "nothing yet" for "nothing".
        let look = (depth == Depth::Full).then(|| self.looking.begin(project));
        let messages = gather::commits(project, &before.head);
        let found =
            look.as_ref().and_then(|look| gather::look(project, &before, now, &|done, total| look.is_at(done, total)));
        let found_all = found.is_some();
        let code = found
            .as_ref()
            .map(|found| Code { folders: found.folders.clone(), commented: found.files.keys().cloned().collect() });
        // Read with the new comments and commits in place.
        file.change(|noted| {
            if let Some(mut messages) = messages {
                if messages.is_partial {
                    messages.keep_known(noted);
                }
                (noted.head, noted.commits, noted.newest_commit) = (messages.head, messages.commits, messages.newest);
                noted.commit_times = messages.times;
            }
            if let Some(found) = found {
                // A time alone is no reason to write: files that changed since are read again, that is all.
                let is_new = found.files != noted.files || found.stack != noted.stack || found.looked != noted.looked;
                if is_new || now.as_second() - noted.scanned > MAX_UNSCANNED {
                    noted.scanned = now.as_second();
                }
                (noted.files, noted.stack, noted.looked) = (found.files, found.stack, found.looked);
                noted.not_looked = found.not_looked;
            }
        })?;
        let is_looked_at = look.is_some_and(|_| found_all);
        if let Err(error) = self.note_approvals(project, &before, is_looked_at) {
            tracing::warn!(%error, "what was written here is not approved by itself");
        }
        let (memory_changed, memory) = self.note_records(project, &file, now.as_second())?;
        if depth == Depth::Full {
            self.note_code(&self.read_again(&memory)?)?;
        }
        Ok(Looked { memory_changed, code: code.unwrap_or_default(), memory })
    }

    /// Approves what was written on this machine since the last look; see [`approval::made_here`].
    fn note_approvals(&self, project: &Path, before: &Noted, is_full: bool) -> Result<(), MemoryError> {
        let approvals = Approvals::new(&self.home);
        let known = approvals.get(project)?.filter(|known| known.since.is_some());
        let noted = NotedFile::of(project).read();
        match known {
            Some(known) => {
                let checkout = Checkout::of(project);
                let is_inherited = known.is_linked && worktree::find_inherited(project, &self.home).is_some();
                let note = |approved: &mut Approved| {
                    match approved.is_linked {
                        true => worktree::note_written(project, approved, before, &checkout, is_inherited),
                        false if !checkout.is_replaced(approved) => worktree::note(project, approved),
                        false => {}
                    }
                    approval::made_here(approved, before, &noted, &checkout, is_full);
                };
                let mut new = known.clone();
                note(&mut new);
                if new == known {
                    return Ok(());
                }
                approvals.change(project, APPROVAL_WAIT, |approved| {
                    note(approved);
                    Ok(())
                })
            }
            // It was registered by a program that did not ask yet, and showed all of it.
            None if is_full && Registry::new(self.home.clone()).get(project)?.is_some() => {
                let checkout = Checkout::of(project);
                approvals.change(project, APPROVAL_WAIT, |approved| {
                    approval::take_over(approved, &noted, &[], &checkout, Timestamp::now());
                    worktree::note(project, approved);
                    Ok(())
                })
            }
            None => self.note_worktree(project),
        }
    }

    /// Notes a work tree of a project that was taken over, so that what is written in it counts as what is written
    /// there.
    fn note_worktree(&self, project: &Path) -> Result<(), MemoryError> {
        let approvals = Approvals::new(&self.home);
        let Some(of) = worktree::find_inherited(project, &self.home) else { return Ok(()) };
        if approvals.get(project)?.is_some_and(|approved| approved.is_declined) {
            return Ok(());
        }
        approvals.change(project, APPROVAL_WAIT, |approved| {
            approval::take_over_linked(approved, of, &Checkout::of(project), Timestamp::now());
            Ok(())
        })
    }

    /// Takes a project over: its own files of memories and, of the comments and commits that hold some now, those in
    /// `wanted` (files, or `git:` and a commit), or all. Returns what was approved by it. `without_block` notes whether
    /// its user wants no block, if that is known.
    ///
    /// # Errors
    /// [`MemoryError::Invalid`] if something wanted holds no memory; [`MemoryError::Files`], [`MemoryError::Damaged`]
    /// or [`MemoryError::Store`].
    pub fn approve(
        &self,
        project: &Path,
        wanted: &[String],
        without_block: Option<bool>,
    ) -> Result<Vec<Source>, MemoryError> {
        self.refresh(project, Depth::Full)?;
        let noted = NotedFile::of(project).read();
        let checkout = Checkout::of(project);
        Approvals::new(&self.home).change(project, WAIT, |approved| {
            let known = approval::list_sources(&noted, approved);
            if let Some(none) = wanted.iter().find(|name| known.iter().all(|source| source.file != **name)) {
                return Err(MemoryError::Invalid(format!(
                    "no memory stands in `{none}`; `mind approve --dry-run` lists where there are some"
                )));
            }
            approval::take_over(approved, &noted, wanted, &checkout, Timestamp::now());
            worktree::note(project, approved);
            approved.without_block = without_block.unwrap_or(approved.without_block);
            let now = approval::list_sources(&noted, approved);
            let new = now.into_iter().zip(known).filter(|(now, before)| now.approved && !before.approved);
            Ok(new.map(|(now, _)| now).collect())
        })
    }

    /// Takes back what [`Keeper::approve`] said, of the files and commits in `wanted` or of the whole project. What was
    /// put out of sight stays so.
    ///
    /// # Errors
    /// [`MemoryError::Damaged`] or [`MemoryError::Store`].
    pub fn disapprove(&self, project: &Path, wanted: &[String]) -> Result<(), MemoryError> {
        // Without a project of its own it would count as the one that it is a work tree of.
        let is_declined = wanted.is_empty() && worktree::find_inherited(project, &self.home).is_some();
        Approvals::new(&self.home).change(project, WAIT, |approved| {
            if wanted.is_empty() {
                (approved.is_linked, approved.is_declined) = (false, is_declined);
                approved.texts.clear();
                approved.since = None;
                approved.head.clear();
                approved.oldest.clear();
                approved.sources.clear();
                approved.without_block = false;
            }
            approved.sources.retain(|_, file| !wanted.contains(file));
            Ok(())
        })
    }

    /// Puts a memory of a project out of sight of everybody, wherever it stands, or back into it. Its text stays where
    /// it is.
    ///
    /// # Errors
    /// [`MemoryError::Damaged`] or [`MemoryError::Store`].
    pub(crate) fn hide(&self, project: &Path, id: &str, place: Option<String>) -> Result<bool, MemoryError> {
        Approvals::new(&self.home).change(project, WAIT, |approved| {
            Ok(match place {
                Some(place) => approved.forgotten.insert(id.to_owned(), place).is_none(),
                None => approved.forgotten.remove(id).is_some(),
            })
        })
    }

    /// Notes the times of all memories, and the code that new ones name. `true` if `MEMORY.md` is another than the last
    /// time, with the memory as it was read for that.
    fn note_records(
        &self,
        project: &Path,
        file: &NotedFile,
        now: Seconds,
    ) -> Result<(bool, ProjectMemory), MemoryError> {
        let memory = ProjectMemory::of(project, Texts::read(project, &self.home)?, None);
        let (due, is_all) = due(&memory.records, &memory.noted, MAX_RESOLVED);
        let named: Vec<Named> = due.into_iter().map(Named::of).collect();
        let anchors = match named.iter().all(|named| named.names.is_empty()) {
            true => None,
            false => self.with_index(project, |snapshot| {
                let prefix = ProjectPrefix::of(snapshot?, project)?;
                let index = prefix.index(snapshot?);
                let of = |named: &Named| index.anchors(named.names.iter().map(String::as_str));
                Some(named.iter().map(of).collect::<Vec<_>>())
            }),
        };
        let mut changed = false;
        file.change(|noted| {
            changed = noted.memory != Some(memory.hash);
            note_times(noted, &memory, now);
            for (at, named) in named.iter().enumerate() {
                let found = anchors.as_ref().map(|anchors| anchors.get(at).cloned().unwrap_or_default());
                if let Some(seen) = noted.records.get_mut(&named.id) {
                    if found.is_some() && !is_all {
                        seen.sought = now;
                    }
                    named.note(seen, found);
                }
            }
            noted.memory = Some(memory.hash);
            noted.updated = if changed || noted.updated == 0 { now } else { noted.updated };
        })?;
        Ok((changed, memory))
    }

    /// Notes what became of the code that memories name, if the project is indexed.
    fn note_code(&self, memory: &ProjectMemory) -> Result<(), MemoryError> {
        let project = memory.path.as_path();
        if memory.noted.records.values().all(|seen| seen.anchors.is_empty()) {
            return Ok(());
        }
        let found = self.with_index(project, |snapshot| {
            let snapshot = snapshot?;
            let prefix = ProjectPrefix::of(snapshot, project)?;
            let anchors = memory.noted.records.values().filter(|seen| seen.retired.is_none());
            let nodes = anchors.flat_map(|seen| &seen.anchors).filter_map(|anchor| prefix.file_of(&anchor.node));
            let files: BTreeSet<String> = nodes.map(str::to_owned).collect();
            Some((memory.code_states(snapshot), files))
        });
        let Some((states, files)) = found else { return Ok(()) };
        let code = states.into_iter().map(|(at, state)| (memory.records[at].id, state)).collect();
        NotedFile::of(project).change(|noted| {
            noted.code = code;
            let touched = |file: String| {
                let at = noted.touched.get(&file).copied().unwrap_or_default();
                (file, at)
            };
            noted.touched = files.into_iter().map(touched).collect();
        })?;
        Ok(())
    }

    /// Ends the session of a project whose notes were left for longer than a session may be silent: what of them is
    /// worth to outlive it goes to the archive, and they are cleared. `true` if there was one.
    ///
    /// # Errors
    /// [`MemoryError`]; the notes stay then.
    pub fn end_session(&self, project: &Path) -> Result<bool, MemoryError> {
        session_end::end(project, &self.home, Timestamp::now())
    }

    /// The files that memories of a project name, by their paths in it, as the last look with an index found them.
    pub(crate) fn named_files(&self, project: &Path) -> Vec<String> {
        NotedFile::of(project).read().touched.into_keys().collect()
    }

    /// Notes when files that memories name were changed.
    ///
    /// # Errors
    /// [`MemoryError::Store`].
    pub(crate) fn note_touched(&self, project: &Path, touched: &BTreeMap<String, Seconds>) -> Result<(), MemoryError> {
        NotedFile::of(project).change(|noted| {
            noted.touched.extend(touched.iter().map(|(file, at)| (file.clone(), *at)));
        })?;
        Ok(())
    }

    /// Notes that a session of an agent was shown these, and returns those it had not been shown before.
    ///
    /// # Errors
    /// [`MemoryError::Store`].
    pub fn first_time(&self, project: &Path, session: &str, ids: &[String]) -> Result<BTreeSet<String>, MemoryError> {
        let mut new = BTreeSet::new();
        NotedFile::of(project).change(|noted| {
            let shown = noted.shown.entry(session.to_owned()).or_default();
            shown.last = Timestamp::now().as_second();
            new = ids.iter().filter(|id| shown.ids.insert((*id).clone())).cloned().collect();
        })?;
        Ok(new)
    }
}

/// A memory whose code is looked for.
struct Named {
    id: RecordId,
    /// Hash of its text.
    text: u64,
    /// What it names.
    names: Vec<String>,
}

impl Named {
    fn of(record: &Record) -> Self {
        Self { id: record.id, text: text_hash(record), names: names_of(record) }
    }

    /// Notes the code that was found; `None` says that there was no index to look in.
    fn note(&self, seen: &mut Seen, found: Option<Vec<Anchor>>) {
        match found {
            // Without an index it stays due, unless there is nothing to look for.
            None if !self.names.is_empty() => {}
            None => (seen.text, seen.anchors) = (self.text, Vec::new()),
            Some(found) => {
                // A name that means nothing yet may mean something later.
                seen.text = if found.is_empty() && !self.names.is_empty() { 0 } else { self.text };
                seen.anchors = found;
            }
        }
    }
}

impl Seen {
    /// Whether its code is still to be looked for: never done, or the text is another.
    fn is_due(&self, record: &Record) -> bool {
        self.text != text_hash(record)
    }
}

/// The memories whose code is to be looked for, at most `max`, and whether those are all. Whoever was looked for
/// longest ago comes first: names that mean nothing stay due, and must not keep others waiting forever.
fn due<'m>(records: &'m [Record], noted: &Noted, max: usize) -> (Vec<&'m Record>, bool) {
    let sought = |record: &Record| noted.records.get(&record.id).map_or(0, |seen| seen.sought);
    let is_due = |record: &Record| noted.records.get(&record.id).is_none_or(|seen| seen.is_due(record));
    let mut due: Vec<&Record> = records.iter().filter(|record| is_due(record)).collect();
    let is_all = due.len() <= max;
    if !is_all {
        due.sort_by_key(|record| sought(record));
        due.truncate(max);
    }
    (due, is_all)
}

/// First times of all memories, and since when others are no longer there.
fn note_times(noted: &mut Noted, memory: &ProjectMemory, now: Seconds) {
    if noted.updated == 0 {
        noted.began = now;
    }
    // What was there before anybody looked was written by then.
    let first = if noted.updated == 0 { memory.modified.as_second().min(now) } else { now };
    let present: BTreeSet<RecordId> = memory.records.iter().map(|record| record.id).collect();
    for id in &present {
        let seen = noted.records.entry(*id).or_insert_with(|| Seen { first, ..Seen::default() });
        seen.retired = None;
    }
    for (id, seen) in &mut noted.records {
        if !present.contains(id) && seen.retired.is_none() {
            seen.retired = Some(now);
        }
    }
}

/// A hash of what a memory says; never 0.
fn text_hash(record: &Record) -> u64 {
    let text = format!("{}\n{}", record.content, record.reasoning.as_deref().unwrap_or_default());
    m1nd_base::ContentHash::of(text.as_bytes()).short().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_nothing_do_not_keep_others_waiting() {
        let text: String = (0..5).map(|n| format!("**Decided:** `name_{n}` is {n} because of {n}\n")).collect();
        let today = jiff::civil::date(2026, 3, 2);
        let kind = m1nd_memory::SourceKind::MemoryFile;
        let context = m1nd_memory::ParseContext { project: "/p", today, kind, file: "MEMORY.md" };
        let records = m1nd_memory::parse(&text, &context).records;
        assert_eq!(records.len(), 5);
        let mut noted = Noted::default();
        let mut met = BTreeSet::new();
        for now in 1..=3 {
            let (due, is_all) = due(&records, &noted, 2);
            assert!(due.len() == 2 && !is_all);
            for record in due {
                met.insert(record.id);
                // Nothing of that name was found, so it is due again.
                noted.records.entry(record.id).or_default().sought = now;
            }
        }
        assert_eq!(met.len(), 5);
        let (all, is_all) = due(&records, &noted, 5);
        assert!(all.len() == 5 && is_all);
    }
}
