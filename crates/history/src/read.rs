//! Reads the newest commits of a repository.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gix_hash::ObjectId;
use m1nd_base::Cancel;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::history::{Commit, Cut, History, Id, Record, Touch, TouchKind};
use crate::objects::{CommitData, Objects};
use crate::tree_diff::{Difference, Differences, differences};
use crate::walk::{Reached, Told, Walk};
use crate::{GitFolder, Head, NoHistory, renames};

/// Commits compared between two checks of the clock.
const CHUNK: usize = 128;

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
        Self { commits: 5_000, time: Duration::from_secs(20) }
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

/// Changes of a commit, with paths as text.
struct Touched {
    rows: Vec<(String, Option<String>, TouchKind)>,
    is_known: bool,
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
    let listing = list(&objects, head, known, limits, cancel)?;
    let mut cut = listing.cut;
    let mut commits = listing.commits;
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
    Ok(History::new(assemble(head, limits, cut, commits, touched, known)))
}

/// The newest commits, newest first.
fn list(
    objects: &Objects,
    head: &Head,
    known: Option<&History>,
    limits: &ReadLimits,
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
    let mut commits = Vec::new();
    while walk.has_more() {
        if commits.len() >= limits.commits {
            walk.cut = Some(Cut::Commits);
            break;
        }
        if commits.len() % CHUNK == 0 {
            cancel.check().map_err(|_| NoHistory::Cancelled)?;
        }
        let Some(Reached { id, told, is_whole }) = walk.next() else { break };
        // The known data may date from when its parents were available.
        let anew = if is_whole { None } else { objects.commit(&id) };
        let source = anew.map_or(told.what, |data| Source::New(Box::new(data)));
        commits.push(Listed { id, parents: told.parents, is_whole, source });
    }
    Ok(Listing { commits, cut: walk.cut })
}

/// Changes of a new commit; `None` for a known one.
fn compare(objects: &Objects, listed: &Listed) -> Option<Touched> {
    let Source::New(data) = &listed.source else { return None };
    let nothing = |is_known| Some(Touched { rows: Vec::new(), is_known });
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
            Some(Touched { rows: touches(rows, &moves), is_known: true })
        }
        Differences::Cut(rows) => Some(Touched { rows: touches(rows, &[]), is_known: true }),
    }
}

fn touches(rows: Vec<Difference>, moves: &[renames::Move]) -> Vec<(String, Option<String>, TouchKind)> {
    let from: FxHashMap<usize, usize> = moves.iter().map(|&(from, to)| (to, from)).collect();
    let gone: FxHashSet<usize> = moves.iter().map(|&(from, _)| from).collect();
    let names: Vec<String> = rows.iter().map(|row| row.path.clone()).collect();
    let kept = rows.into_iter().enumerate().filter(|(index, _)| !gone.contains(index));
    let touch = |(index, row): (usize, Difference)| match (from.get(&index), row.before, row.after) {
        (Some(&from), _, _) => (row.path, Some(names[from].clone()), TouchKind::Renamed),
        (None, None, _) => (row.path, None, TouchKind::Added),
        (None, Some(_), None) => (row.path, None, TouchKind::Removed),
        (None, Some(_), Some(_)) => (row.path, None, TouchKind::Modified),
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
                let touch = |(path, from, kind): (String, Option<String>, TouchKind)| {
                    let path = paths.number(&path);
                    Touch { path, from: from.map(|from| paths.number(&from)), kind }
                };
                Commit {
                    id: id_of(&listed.id),
                    parents: listed.parents.iter().map(id_of).collect(),
                    time: data.time,
                    author: data.author,
                    subject: data.subject.into(),
                    touches: touched.rows.into_iter().map(touch).collect(),
                    is_known: touched.is_known,
                }
            }
            _ => continue,
        };
        commits.push(commit);
    }
    let shallow = head.shallow.iter().map(id_of).collect();
    let limit = u32::try_from(limits.commits).unwrap_or(u32::MAX);
    Record { head: id_of(&head.id), shallow, cut, limit, paths: paths.texts, commits }
}

fn id_of(id: &ObjectId) -> Id {
    let mut bytes = Id::default();
    bytes.copy_from_slice(id.as_slice());
    bytes
}
