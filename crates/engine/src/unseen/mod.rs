//! Files whose text may name code although the index does not hold them whole: those with problems, those that a
//! sparse checkout leaves out, and those that git tracks and a rule or name leaves out.
//!
//! Their words are read once and kept in a table, so that asking for a name costs a binary search. Before each
//! question the stamps of the files are compared, and files that changed are read again.

mod sources;
mod words;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use m1nd_base::{ProblemKind, RepoPath};
use m1nd_lang::Language;
use m1nd_vfs::FileMeta;
use rustc_hash::FxHashMap;

use crate::history::GitIndexes;
use crate::kept::file_words::{FileWords, Key};
use crate::state::snapshot::Snapshot;

use sources::Source;
pub use sources::is_code;

/// Maximum number of files on disk whose stamps are compared before a question.
const MAX_COMPARED: usize = 1_000;
/// Maximum number of rows of the table of words.
const MAX_ROWS: usize = 4_000_000;
/// Bytes of text that are read.
const MAX_BYTES: u64 = 96 << 20;
/// Bytes of text that are read of folders of packages, which do not know the project that they are part of.
const MAX_PACKAGE_BYTES: u64 = 16 << 20;
/// A text that is not code is not read if it is larger, in bytes: it is data.
const MAX_DATA: u64 = 1 << 20;

/// Why the index does not hold a file whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnseenReason {
    /// The file, or the folder at this path, has a problem.
    Problem(ProblemKind),
    /// Git tracks it, and a rule or its name leaves it out.
    LeftOut,
}

/// A file that the index does not hold whole.
#[derive(Debug, Clone)]
pub struct UnseenFile {
    /// Its path in the index.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// Why the index does not hold it whole.
    pub reason: UnseenReason,
    /// Its text cannot be had, so it may name anything.
    pub is_unknown: bool,
}

/// A word in a file that the index does not hold whole.
#[derive(Debug, Clone, Copy)]
pub struct UnseenPlace<'t> {
    /// The file.
    pub file: &'t UnseenFile,
    /// 1-based line; 0 for lines past the limit.
    pub line: u32,
}

/// The words of files that the index does not hold whole.
#[derive(Debug, Default)]
pub struct UnseenTexts {
    files: Vec<UnseenFile>,
    /// Hash of a word, number of the file, line; sorted.
    rows: Vec<(u64, u32, u32)>,
    /// State of the files on disk that were read.
    stamps: Vec<(RepoPath, Option<FileMeta>)>,
    /// State of the indexes of git.
    indexes: Vec<(PathBuf, Option<FileMeta>)>,
}

impl UnseenTexts {
    /// The files.
    pub fn files(&self) -> &[UnseenFile] {
        &self.files
    }

    /// Files whose text cannot be had.
    pub fn list_unknown(&self) -> impl Iterator<Item = &UnseenFile> {
        self.files.iter().filter(|file| file.is_unknown)
    }

    /// Where a name stands, by file and line.
    pub fn places<'t>(&'t self, name: &str) -> impl Iterator<Item = UnseenPlace<'t>> + use<'t> {
        let hash = words::hash(name);
        let start = self.rows.partition_point(|row| row.0 < hash);
        let rows = self.rows[start..].iter().take_while(move |row| row.0 == hash);
        rows.filter_map(|&(_, file, line)| Some(UnseenPlace { file: self.files.get(file as usize)?, line }))
    }

    /// Returns whether files and indexes are as they were.
    fn is_current(&self, snapshot: &Snapshot) -> bool {
        self.indexes.iter().all(|(work_tree, stamp)| GitIndexes::stamp(work_tree) == *stamp)
            && self.stamps.iter().take(MAX_COMPARED).all(|(path, stamp)| stamp_of(snapshot, path) == *stamp)
    }
}

fn stamp_of(snapshot: &Snapshot, path: &RepoPath) -> Option<FileMeta> {
    let (root, inner) = snapshot.locate(path)?;
    root.own_metadata(&inner).ok()
}

/// The table of a snapshot.
#[derive(Default)]
struct Slot(Mutex<Option<Arc<UnseenTexts>>>);

impl Snapshot {
    /// The files that the index does not hold whole, with their words as they are on disk now.
    pub fn read_unseen(&self) -> Arc<UnseenTexts> {
        let slot = self.derived.get_or_init(Slot::default);
        let lock = || slot.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().clone();
        if let Some(known) = known.filter(|known| known.is_current(self)) {
            return known;
        }
        let texts = Arc::new(build(self));
        *lock() = Some(texts.clone());
        texts
    }

    /// The folders of submodules that are checked out, by their paths in the index.
    pub fn submodules(&self) -> Vec<String> {
        sources::submodules(self)
    }

    /// Returns whether a sparse checkout leaves a path out.
    pub fn not_checked_out(&self) -> NotCheckedOut {
        sources::not_checked_out(self)
    }
}

/// The paths that sparse checkouts leave out.
#[derive(Debug, Default)]
pub struct NotCheckedOut {
    /// Files and folders, sorted.
    paths: Vec<String>,
}

impl NotCheckedOut {
    /// Returns whether a path of the index is left out, or in a folder that is.
    pub fn covers(&self, path: &str) -> bool {
        let is_one = |path: &str| self.paths.binary_search_by(|known| known.as_str().cmp(path)).is_ok();
        !self.paths.is_empty() && (is_one(path) || path.match_indices('/').any(|(end, _)| is_one(&path[..end])))
    }
}

fn build(snapshot: &Snapshot) -> UnseenTexts {
    let mut texts = UnseenTexts::default();
    let sources = sources::find(snapshot, &mut texts.indexes);
    let cache = &snapshot.histories.words;
    // Words of files that have not changed since the last build are taken over; the others are dropped with `before`.
    let before = std::mem::take(&mut *cache.0.lock().unwrap_or_else(PoisonError::into_inner));
    let mut kept: FxHashMap<Key, Arc<FileWords>> = FxHashMap::default();
    let mut reader = words::Reader::new(snapshot);
    let mut rows = Vec::new();
    let (mut bytes, mut package_bytes) = (0, 0);
    for source in sources {
        let number = u32::try_from(texts.files.len()).unwrap_or(u32::MAX);
        // Packages have a limit of their own, so that they cannot use up that of the project.
        let is_full = rows.len() > MAX_ROWS
            || if source.is_package { package_bytes > MAX_PACKAGE_BYTES } else { bytes > MAX_BYTES };
        if is_full && source.is_package {
            continue;
        }
        // A file beyond the limit may have any name. Only a package file can be left out.
        let found = match is_full {
            true => Found::Unknown,
            false => words_of(&mut reader, &source, &before, &mut kept, &mut texts),
        };
        let words = match found {
            Found::Words(words) => Some(words),
            Found::Unknown => None,
            Found::Nothing => continue,
        };
        if let Some(words) = &words {
            *(if source.is_package { &mut package_bytes } else { &mut bytes }) += words.bytes;
            rows.extend(words.rows.iter().map(|&(hash, line)| (hash, number, line)));
        }
        let is_unknown = words.is_none();
        let language = words.map_or(source.language, |words| words.language);
        texts.files.push(UnseenFile { path: source.path, language, reason: source.reason, is_unknown });
    }
    rows.sort_unstable();
    rows.dedup();
    texts.rows = rows;
    *cache.0.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    texts
}

/// What a file has.
enum Found {
    Words(Arc<FileWords>),
    /// It is not a text, or not there.
    Nothing,
    /// Its text cannot be had.
    Unknown,
}

fn words_of(
    reader: &mut words::Reader<'_>,
    source: &Source,
    before: &FxHashMap<Key, Arc<FileWords>>,
    kept: &mut FxHashMap<Key, Arc<FileWords>>,
    texts: &mut UnseenTexts,
) -> Found {
    let Some((key, stamp)) = reader.key(source) else { return Found::Unknown };
    if let Some((path, stamp)) = stamp {
        texts.stamps.push((path, stamp));
        if stamp.is_none() {
            return Found::Nothing;
        }
        // Large files of data would cost more than the few names in them are worth.
        if !source.is_code() && stamp.is_some_and(|stamp| stamp.size > MAX_DATA) {
            return Found::Nothing;
        }
    }
    // The key holds the stamp of the file, so equal keys mean equal words.
    if let Some(known) = before.get(&key) {
        kept.insert(key, known.clone());
        return Found::Words(known.clone());
    }
    match reader.read(source) {
        Some(Some(words)) => {
            let words = Arc::new(words);
            kept.insert(key, words.clone());
            Found::Words(words)
        }
        Some(None) => Found::Nothing,
        None => Found::Unknown,
    }
}
