//! Reads the newest commits of a repository.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gix_hash::ObjectId;
use m1nd_base::Cancel;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::history::{Commit, Cut, History, Id, MAX_TOGETHER, Record, Touch, TouchKind};
use crate::lines::is_reformatted;
use crate::objects::{CommitData, Objects};
use crate::rules::{self, IGNORED_REVISIONS};
use crate::tree_diff::{Difference, Differences, differences};
use crate::walk::{Reached, Told, Walk};
use crate::{GitFolder, Head, NoHistory, renames};

/// Commits compared between two checks of the clock.
const CHUNK: usize = 128;

/// Size in bytes above which a file is not examined for whether a formatter changed it.
const MAX_FORMATTED: u64 = 256 << 10;
/// Size in bytes above which the list of ignored revisions is not read.
const MAX_IGNORED: u64 = 1 << 20;

/// Bounds of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Maximum number of commits.
    pub commits: usize,
    /// Time limit: when it is reached, the commits compared so far are the result, and the next reading continues.
    pub time: Duration,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { commits: 20_000, time: Duration::from_secs(20) }
    }
}

/// A commit of the list before it is compared.
struct Listed {
    id: ObjectId,
    parents: Vec<ObjectId>,
    /// Its parents are available.
    is_whole: bool,
    source: Source,
}

enum Source {
    /// Index of the commit in the known history.
    Known(usize),
    New(Box<CommitData>),
}

/// The list of commits.
struct Listing {
    commits: Vec<Listed>,
    cut: Option<Cut>,
}

/// A changed file, with paths as text.
struct TouchedFile {
    path: String,
    from: Option<String>,
    kind: TouchKind,
    before: Option<ObjectId>,
    after: Option<ObjectId>,
}

/// Changes of a commit.
struct Touched {
    rows: Vec<TouchedFile>,
    is_known: bool,
    is_format: bool,
}

/// Reads the history of the checked-out commit. Reuses commits in `known` that are still reachable; the result is the
/// same as without.
///
/// # Errors
/// [`NoHistory`].
pub fn read(
    git: &GitFolder,
    head: &Head,
    known: Option<&History>,
    limits: &ReadLimits,
    cancel: &Cancel,
) -> Result<History, NoHistory> {
    let deadline = Instant::now() + limits.time;
    let objects = Objects::open(git.objects())?;
    let listing = list(&objects, head, known, (limits.commits, deadline), cancel)?;
    let mut cut = listing.cut;
    let mut commits = listing.commits;
    let ignored = list_ignored(&objects, head);
    let shared = Mutex::new(objects);
    let mut touched: Vec<Option<Touched>> = Vec::with_capacity(commits.len());
    while touched.len() < commits.len() {
        cancel.check().map_err(|_| NoHistory::Cancelled)?;
        // One chunk is always compared, so that every reading makes progress.
        if !touched.is_empty() && Instant::now() >= deadline {
            cut = Some(Cut::Time);
            commits.truncate(touched.len());
            break;
        }
        let chunk = &commits[touched.len()..(touched.len() + CHUNK).min(commits.len())];
        let clone = || shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let rows: Vec<_> = chunk.par_iter().map_init(clone, |objects, listed| compare(objects, listed)).collect();
        touched.extend(rows);
    }
    let mut record = assemble(head, limits, cut, commits, touched, known);
    record
        .commits
        .iter_mut()
        .for_each(|commit| commit.is_format = commit.reads_as_format || ignored.contains(&commit.id));
    Ok(History::new(record))
}

/// The commits that the checked-out commit names as reformattings.
fn list_ignored(objects: &Objects, head: &Head) -> FxHashSet<Id> {
    let text = objects.commit(&head.id).and_then(|commit| {
        let entry = objects.folder(&commit.tree)?.into_iter().find(|entry| entry.name == IGNORED_REVISIONS.as_bytes());
        let id = entry.filter(|entry| !entry.is_folder)?.id;
        objects.size(&id).filter(|size| *size <= MAX_IGNORED)?;
        objects.content(&id)
    });
    let text = text.unwrap_or_default();
    let ids = rules::ignored_revisions(&text).filter_map(|name| ObjectId::from_hex(name).ok());
    ids.map(|id| id_of(&id)).collect()
}

/// The newest commits, newest first, up to a number and until the deadline.
fn list(
    objects: &Objects,
    head: &Head,
    known: Option<&History>,
    (most, deadline): (usize, Instant),
    cancel: &Cancel,
) -> Result<Listing, NoHistory> {
    let old: FxHashMap<Id, usize> = known.map_or_else(FxHashMap::default, |known| {
        let commits = known.commits().iter().enumerate();
        commits.filter(|(_, commit)| commit.is_known).map(|(number, commit)| (commit.id, number)).collect()
    });
    let load = |id: &ObjectId| match (known, old.get(id.as_slice())) {
        (Some(known), Some(&number)) => {
            let commit = &known.commits()[number];
            let parents = commit.parents.iter().map(|parent| ObjectId::from_bytes_or_panic(parent)).collect();
            Some(Told { time: commit.time, parents, what: Source::Known(number) })
        }
        _ => objects.commit(id).map(|data| Told {
            time: data.time,
            parents: data.parents.clone(),
            what: Source::New(Box::new(data)),
        }),
    };
    let mut walk = Walk::start(head, load)?;
    let (mut commits, mut new) = (Vec::new(), 0);
    while walk.has_more() {
        if commits.len() >= most {
            walk.cut = Some(Cut::Commits);
            break;
        }
        if commits.len() % CHUNK == 0 {
            cancel.check().map_err(|_| NoHistory::Cancelled)?;
            // What is known costs nothing, and is followed by at least one chunk that is not.
            if new >= CHUNK && Instant::now() >= deadline {
                walk.cut = Some(Cut::Time);
                break;
            }
        }
        let Some(Reached { id, told, is_whole }) = walk.next() else { break };
        // The known data may date from when its parents were available.
        let anew = if is_whole { None } else { objects.commit(&id) };
        let source = anew.map_or(told.what, |data| Source::New(Box::new(data)));
        new += usize::from(matches!(source, Source::New(_)));
        commits.push(Listed { id, parents: told.parents, is_whole, source });
    }
    Ok(Listing { commits, cut: walk.cut })
}

/// Changes of a new commit; `None` for a known one.
fn compare(objects: &Objects, listed: &Listed) -> Option<Touched> {
    let Source::New(data) = &listed.source else { return None };
    let nothing = |is_known| Some(Touched { rows: Vec::new(), is_known, is_format: false });
    if listed.parents.len() > 1 {
        return nothing(true);
    }
    if !listed.is_whole {
        return nothing(false);
    }
    let before = match listed.parents.first() {
        None => None,
        Some(parent) => match objects.commit(parent) {
            Some(parent) => Some(parent.tree),
            None => return nothing(false),
        },
    };
    match differences(objects, before, data.tree) {
        Differences::Unknown => nothing(false),
        Differences::All(rows) => {
            let moves = renames::moves(objects, &rows);
            let rows = touches(rows, &moves);
            let is_format = is_format(objects, &data.subject, &rows);
            Some(Touched { rows, is_known: true, is_format })
        }
        Differences::Cut(rows) => Some(Touched { rows: touches(rows, &[]), is_known: true, is_format: false }),
    }
}

/// Returns whether a formatter made a commit: the subject suggests it, and no file has other words than before.
fn is_format(objects: &Objects, subject: &str, rows: &[TouchedFile]) -> bool {
    if rows.is_empty() || rows.len() > MAX_TOGETHER || !rules::suggests_formatting(subject) {
        return false;
    }
    rows.iter().all(|row| {
        let content = |id: Option<ObjectId>| {
            let id = id.filter(|id| objects.size(id).is_some_and(|size| size <= MAX_FORMATTED))?;
            objects.content(&id)
        };
        match (content(row.before), content(row.after)) {
            (Some(before), Some(after)) => before == after || is_reformatted(&before, &after),
            _ => false,
        }
    })
}

fn touches(rows: Vec<Difference>, moves: &[renames::Move]) -> Vec<TouchedFile> {
    let from: FxHashMap<usize, usize> = moves.iter().map(|&(from, to)| (to, from)).collect();
    let gone: FxHashSet<usize> = moves.iter().map(|&(from, _)| from).collect();
    let sources: Vec<(String, Option<ObjectId>)> = rows.iter().map(|row| (row.path.clone(), row.before)).collect();
    let kept = rows.into_iter().enumerate().filter(|(index, _)| !gone.contains(index));
    let touch = |(index, row): (usize, Difference)| {
        let (from, before, kind) = match (from.get(&index), row.before, row.after) {
            (Some(&from), _, _) => (Some(sources[from].0.clone()), sources[from].1, TouchKind::Renamed),
            (None, None, _) => (None, None, TouchKind::Added),
            (None, before, None) => (None, before, TouchKind::Removed),
            (None, before, Some(_)) => (None, before, TouchKind::Modified),
        };
        TouchedFile { path: row.path, from, kind, before, after: row.after }
    };
    kept.map(touch).collect()
}

/// Numbers paths in the order of commits, so that the result does not depend on what was known.
#[derive(Default)]
struct Paths {
    numbers: FxHashMap<Arc<str>, u32>,
    texts: Vec<Arc<str>>,
}

impl Paths {
    fn number(&mut self, path: &str) -> u32 {
        if let Some(&number) = self.numbers.get(path) {
            return number;
        }
        let (text, number) = (Arc::<str>::from(path), self.texts.len() as u32);
        self.numbers.insert(text.clone(), number);
        self.texts.push(text);
        number
    }
}

fn assemble(
    head: &Head,
    limits: &ReadLimits,
    cut: Option<Cut>,
    listed: Vec<Listed>,
    touched: Vec<Option<Touched>>,
    known: Option<&History>,
) -> Record {
    let mut paths = Paths::default();
    let mut commits = Vec::with_capacity(listed.len());
    for (listed, touched) in listed.into_iter().zip(touched) {
        let commit = match (listed.source, touched, known) {
            (Source::Known(number), _, Some(known)) => {
                let old = &known.record;
                let mut commit = old.commits[number].clone();
                for touch in &mut commit.touches {
                    touch.path = paths.number(&old.paths[touch.path as usize]);
                    touch.from = touch.from.map(|from| paths.number(&old.paths[from as usize]));
                }
                commit
            }
            (Source::New(data), Some(touched), _) => {
                let touch = |row: TouchedFile| Touch {
                    path: paths.number(&row.path),
                    from: row.from.map(|from| paths.number(&from)),
                    kind: row.kind,
                    before: row.before.as_ref().map(id_of),
                    after: row.after.as_ref().map(id_of),
                };
                Commit {
                    id: id_of(&listed.id),
                    parents: listed.parents.iter().map(id_of).collect(),
                    time: data.time,
                    author: data.author,
                    is_bot: data.is_bot,
                    is_format: false,
                    reads_as_format: touched.is_format,
                    subject: data.subject.into(),
                    touches: touched.rows.into_iter().map(touch).collect(),
                    is_known: touched.is_known,
                }
            }
            _ => continue,
        };
        commits.push(commit);
    }
    // As in a clone without folders (`--filter=tree:0`).
    let cut = cut.or_else(|| commits.iter().any(|commit: &Commit| !commit.is_known).then_some(Cut::Folders));
    let shallow = head.shallow.iter().map(id_of).collect();
    let limit = u32::try_from(limits.commits).unwrap_or(u32::MAX);
    Record { head: id_of(&head.id), shallow, packed: head.packed, cut, limit, paths: paths.texts, commits }
}

fn id_of(id: &ObjectId) -> Id {
    let mut bytes = Id::default();
    bytes.copy_from_slice(id.as_slice());
    bytes
}
