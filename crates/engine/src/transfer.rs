//! An index for other machines: written without what belongs to this one, and taken in from another.
//!
//! ```text
//! snapshot  a snapshot file: no path of the root, no times, no list of files that were left out
//! facts     per indexed file, by path: key 32 · length u32 · bytes, as in the facts cache
//! ```
//! Both are the same for the same files. Whoever takes them in compares every file by content at the next ingest, so a
//! snapshot of another commit costs time and never makes the index wrong.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use m1nd_base::{Cancel, ContentHash};
use m1nd_documents::DOCUMENTS_VERSION;
use m1nd_graph::FORMAT_VERSION;
use m1nd_history::{GitFolder, NoHistory, list_ancestors};
use m1nd_link::LINKER_VERSION;
use m1nd_search::INDEX_VERSION;
use m1nd_store::{FactsCache, Home, ProjectDir, StoreError};

use crate::adopted_facts::{AdoptedFacts, write_row};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::ingest::extract::{CACHE_VERSION, cache_key};
use crate::state::persist::{self, Place, Stored};
use crate::writer::GENERATION;

/// Rows of the facts cache that are in memory at once.
const ROWS_AT_ONCE: usize = 512;
/// Number of ancestors of the checked-out commit of which an index may be of use.
const MAX_ANCESTORS: usize = 512;
/// Maximum bytes of a row of the facts cache.
const MAX_ROW: u32 = 256 << 20;

/// The files of a shared index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedFiles {
    /// The snapshot file.
    pub snapshot: PathBuf,
    /// The facts of its files.
    pub facts: PathBuf,
}

/// The repository that a root is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharePlace {
    /// Its name, the same in every clone: host and path that it was cloned from. `None` if it was cloned from nowhere,
    /// or from a folder, whose path is of this machine.
    pub repository: Option<String>,
    /// The checked-out commit and its ancestors, the newest first.
    pub commits: Vec<String>,
}

/// What was written for other machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// Number of files.
    pub files: usize,
    /// Number of files whose facts are not cached.
    pub without_facts: usize,
}

/// What was taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adopted {
    /// Number of files.
    pub files: usize,
    /// Number of files whose facts came with it.
    pub facts: usize,
}

/// The stored index of a root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalIndex {
    /// The commit that was checked out at the time of indexing.
    pub commit: Option<String>,
    /// Other versions of this program made it.
    pub is_outdated: bool,
    /// Reason for which it must not be replaced: it holds more than the files of its root.
    pub holds_more: Option<&'static str>,
}

/// Versions of everything in a shared index: it can be used if they are the same.
#[must_use]
pub fn shared_versions() -> String {
    format!("f{FORMAT_VERSION}-c{CACHE_VERSION}-l{LINKER_VERSION}-s{INDEX_VERSION}-d{DOCUMENTS_VERSION}")
}

/// The repository that a root is the top of.
///
/// # Errors
/// [`NoHistory`].
pub fn find_share_place(root: &Path) -> Result<SharePlace, NoHistory> {
    let git = GitFolder::find(root)?;
    let commits = list_ancestors(&git, &git.head()?, MAX_ANCESTORS)?;
    Ok(SharePlace { repository: git.repository_name(), commits })
}

/// The stored index of a root; `None` if there is none that can be read. Creates nothing.
#[must_use]
pub fn find_local_index(home: &Path, root: &Path) -> Option<LocalIndex> {
    let stored = persist::open(&Home::find_snapshot(home, root)?).ok()?;
    Some(LocalIndex {
        commit: stored.heads.first().cloned().flatten(),
        is_outdated: stored.outdated,
        holds_more: find_more(&stored),
    })
}

/// What an index holds besides the files of one root with the default options.
fn find_more(stored: &Stored) -> Option<&'static str> {
    let [root] = stored.roots.as_slice() else { return Some("several roots") };
    let rows = [
        (!root.prefix.is_empty(), "a repository of a workspace"),
        (root.include_hidden || !root.hidden_patterns.is_empty(), "hidden files"),
        (stored.compiler.id.is_some(), "a compiler index"),
        (!stored.imported.is_empty(), "imported documents or graphs"),
    ];
    rows.into_iter().find(|(holds, _)| *holds).map(|(_, what)| what)
}

impl Engine {
    /// Writes the stored index for other machines, as that of `commit`. It must be the newest one, of one root, without
    /// imported data. That its files are those of the commit is left to the caller.
    ///
    /// # Errors
    /// [`EngineError::NotShareable`], [`EngineError::Store`], [`EngineError::Cancelled`].
    pub fn export_shared(&self, to: &SharedFiles, commit: &str, cancel: &Cancel) -> Result<Exported, EngineError> {
        let refused = |why: &str| EngineError::NotShareable(why.to_owned());
        if !self.find_stored().is_some_and(|stored| stored.is_newest) {
            return Err(refused("its newest state is not stored yet; run `m1nd ingest` and try again"));
        }
        let stored = persist::open(&self.project().snapshot_path()).map_err(|error| refused(&error.to_string()))?;
        if let Some(more) = find_more(&stored) {
            return Err(refused(&format!("it holds {more}; index the repository with another `--home`, as CI does")));
        }
        if stored.outdated || persist::linker_state(&stored.container).is_none() {
            return Err(refused("another version of m1nd made it; run `m1nd ingest` first"));
        }
        match stored.container.verify(cancel) {
            Ok(true) => {}
            Ok(false) => return Err(EngineError::Cancelled),
            Err(error) => return Err(refused(&error.to_string())),
        }
        let place = Place { root: Path::new(""), generation: 0, commit: Some(commit) };
        write_file(&to.snapshot, &mut |out| persist::write_for(&stored, place, out))?;
        let home = Home::open(&self.config().home).map_err(store)?;
        let cache = home.facts_cache().map_err(store)?;
        let mut written = 0;
        write_file(&to.facts, &mut |out| {
            written = write_facts(&stored, (&cache, &AdoptedFacts::of(self.project(), CACHE_VERSION)), cancel, out)?;
            Ok(())
        })?;
        cancel.check()?;
        let files = stored.files.len();
        Ok(Exported { files, without_facts: files - written })
    }
}

/// Takes in an index from another machine as that of `root`, which replaces the one here. The next ingest brings it up
/// to date. What is here stays as it is if anything fails.
///
/// # Errors
/// [`EngineError::BadShare`] if it is damaged or of other versions, [`EngineError::WriterElsewhere`],
/// [`EngineError::Store`], [`EngineError::Cancelled`].
pub fn adopt_index(home: &Path, root: &Path, from: &SharedFiles, cancel: &Cancel) -> Result<Adopted, EngineError> {
    let bad = |why: &dyn std::fmt::Display| EngineError::BadShare(why.to_string());
    let root = std::fs::canonicalize(root).map_err(|_| EngineError::PathNotFound(root.to_owned()))?;
    // All of it is checked before anything changes.
    let stored = persist::open(&from.snapshot).map_err(|error| bad(&error))?;
    match stored.container.verify(cancel) {
        Ok(true) => {}
        Ok(false) => return Err(EngineError::Cancelled),
        Err(error) => return Err(bad(&error)),
    }
    if stored.outdated {
        return Err(bad(&"another version of m1nd made it"));
    }
    if let Some(more) = find_more(&stored) {
        return Err(bad(&format!("it holds {more}")));
    }
    let home = Home::open(home).map_err(store)?;
    let project = home.project(&root).map_err(store)?;
    let Some(_lock) = project.try_lock().map_err(store)? else { return Err(EngineError::WriterElsewhere) };
    // Facts first: a snapshot without them could not be brought up to date.
    let facts = adopt_facts(&stored, &project, &from.facts, cancel)?;
    // No state of this project had this number.
    let reserved = project.setting(GENERATION).ok().flatten().and_then(|text| text.parse().ok()).unwrap_or(0);
    let present = persist::open(&project.snapshot_path()).map_or(0, |present| present.generation);
    let commit = stored.heads.first().and_then(Option::as_deref);
    let place = Place { root: &root, generation: present.max(reserved) + 1, commit };
    project.publish_snapshot(&mut |out| persist::write_for(&stored, place, out)).map_err(store)?;
    Ok(Adopted { files: stored.files.len(), facts })
}

/// Keys of the facts of all files, by path.
fn list_keys(stored: &Stored) -> Vec<ContentHash> {
    stored.files.iter().map(|entry| cache_key(entry.hash, entry.language, &entry.path)).collect()
}

/// Writes the stored facts of all files; returns for how many there are some.
fn write_facts(
    stored: &Stored,
    (cache, adopted): (&FactsCache, &AdoptedFacts),
    cancel: &Cancel,
    out: &mut dyn Write,
) -> io::Result<usize> {
    let mut written = 0;
    for keys in list_keys(stored).chunks(ROWS_AT_ONCE) {
        cancel.check().map_err(io::Error::other)?;
        let rows = cache.get_many(keys, CACHE_VERSION).map_err(io::Error::other)?;
        for (key, row) in keys.iter().zip(rows) {
            let Some(row) = row.or_else(|| adopted.get(key)) else { continue };
            let Ok(length) = u32::try_from(row.len()) else { continue };
            if length > MAX_ROW {
                continue;
            }
            out.write_all(key.as_bytes())?;
            out.write_all(&length.to_le_bytes())?;
            out.write_all(&row)?;
            written += 1;
        }
    }
    Ok(written)
}

/// Makes the facts of the files of a snapshot those of the project; returns their number. Others are refused.
fn adopt_facts(stored: &Stored, project: &ProjectDir, path: &Path, cancel: &Cancel) -> Result<usize, EngineError> {
    let (mut count, mut refused) = (0, None);
    let written = project.set_adopted_facts(CACHE_VERSION, &mut |out| {
        let done = read_facts(stored, path, cancel, &mut |key, row| {
            count += 1;
            write_row(out, key, row)
        });
        done.map_err(|error| {
            refused = Some(error);
            io::Error::other("the facts are refused")
        })
    });
    match refused {
        Some(error) => Err(error),
        None => written.map(|()| count).map_err(store),
    }
}

/// Reads the facts of the files of a snapshot and passes each to `keep`.
///
/// # Errors
/// [`EngineError::BadShare`] if they are damaged or not of these files, [`EngineError::Store`],
/// [`EngineError::Cancelled`].
fn read_facts(
    stored: &Stored,
    path: &Path,
    cancel: &Cancel,
    keep: &mut dyn FnMut(&ContentHash, &[u8]) -> io::Result<()>,
) -> Result<(), EngineError> {
    let bad = |why: &str| EngineError::BadShare(format!("its facts are damaged: {why}"));
    let mut file = BufReader::new(File::open(path).map_err(|error| bad(&error.to_string()))?);
    let mut expected = list_keys(stored).into_iter();
    let mut row = Vec::new();
    loop {
        cancel.check()?;
        let mut head = [0; 36];
        let Some(first) = file.by_ref().bytes().next() else { return Ok(()) };
        head[0] = first.map_err(|error| bad(&error.to_string()))?;
        file.read_exact(&mut head[1..]).map_err(|_| bad("they are cut off"))?;
        let (mut key, mut length) = ([0; 32], [0; 4]);
        key.copy_from_slice(&head[..32]);
        length.copy_from_slice(&head[32..]);
        let (key, length) = (ContentHash::from_bytes(key), u32::from_le_bytes(length));
        if length > MAX_ROW {
            return Err(bad(&format!("a row of {length} bytes; expected at most {MAX_ROW}")));
        }
        // In the order of the files, each at most once.
        if !expected.any(|known| known == key) {
            return Err(bad("a row is not of a file of the snapshot"));
        }
        row.clear();
        file.by_ref().take(length.into()).read_to_end(&mut row).map_err(|error| bad(&error.to_string()))?;
        if row.len() != length as usize {
            return Err(bad("they are cut off"));
        }
        keep(&key, &row).map_err(|error| match error.kind() {
            io::ErrorKind::StorageFull => EngineError::NoSpace(format!("the facts cannot be written: {error}")),
            _ => EngineError::Store(format!("the facts cannot be written: {error}")),
        })?;
    }
}

fn write_file(path: &Path, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> Result<(), EngineError> {
    let done = File::create(path).and_then(|file| {
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        out.flush()
    });
    done.map_err(|error| EngineError::Store(format!("cannot write {}: {error}", path.display())))
}

fn store(error: StoreError) -> EngineError {
    match error.is_out_of_space() {
        true => EngineError::NoSpace(error.to_string()),
        false => EngineError::Store(error.to_string()),
    }
}
