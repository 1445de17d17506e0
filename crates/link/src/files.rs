//! The files of a project by number, path and folder, and what was asked about them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use m1nd_base::RepoPath;
use m1nd_lang::facts::DefId;
use m1nd_lang::{FileFacts, Language};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::names::Name;

/// A file's place in the linker's table; stable while the linker lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(crate) u32);

/// A definition of a file of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct DefRef {
    pub(crate) file: FileId,
    pub(crate) def: DefId,
}

/// Something that linking a file looked at: its kind in the top bits, a number or hash below. If it changes, the file
/// is linked again. (Two paths of one hash would only cause a needless run.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key(u64);

impl Key {
    const KIND: u32 = 62;

    /// The surface of another file.
    pub(crate) fn surface(file: FileId) -> Self {
        Self(u64::from(file.0))
    }

    /// Whether there is something at a path; with a final `/`, which files a folder holds.
    pub(crate) fn path(path: &str) -> Self {
        let mut hasher = FxHasher::default();
        path.hash(&mut hasher);
        Self(hasher.finish() >> 2 | 1 << Self::KIND)
    }

    /// Which definitions attach members to types of this name.
    pub(crate) fn attached(name: Name) -> Self {
        Self(u64::from(name.0) | 2 << Self::KIND)
    }

    /// What calls pass to functions and classes of this name.
    pub(crate) fn passes(name: Name) -> Self {
        Self(u64::from(name.0) | 1 << 40 | 2 << Self::KIND)
    }

    /// Which methods of this name there are.
    pub(crate) fn methods(name: Name) -> Self {
        Self(u64::from(name.0) | 3 << Self::KIND)
    }
}

/// A file of the project.
#[derive(Debug)]
struct TreeFile {
    path: RepoPath,
    facts: Arc<FileFacts>,
}

/// All files by number, path and folder.
#[derive(Debug, Default)]
pub(crate) struct FileTree {
    files: Vec<Option<TreeFile>>,
    by_path: FxHashMap<Box<str>, FileId>,
    /// Folder → names of the files directly in it, in order.
    folders: FxHashMap<Box<str>, BTreeMap<Box<str>, FileId>>,
    /// Folder → number of files at any depth.
    populated: FxHashMap<Box<str>, u32>,
}

impl FileTree {
    pub(crate) fn find(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    fn file(&self, file: FileId) -> &TreeFile {
        self.files[file.0 as usize].as_ref().expect("a file number is only handed out for files that are there")
    }

    fn files(&self) -> impl Iterator<Item = (FileId, &TreeFile)> {
        self.files.iter().enumerate().filter_map(|(index, file)| Some((FileId(index as u32), file.as_ref()?)))
    }

    /// Puts a file in, at the number its path had before or a new one. The path must not be taken.
    pub(crate) fn insert(&mut self, path: &RepoPath, facts: &Arc<FileFacts>, slot: Option<FileId>) -> FileId {
        let file = slot.unwrap_or(FileId(self.files.len() as u32));
        let row = TreeFile { path: path.clone(), facts: facts.clone() };
        let path = path.as_str();
        self.by_path.insert(path.into(), file);
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.folders.entry(folder.into()).or_default().insert(name.into(), file);
        for folder in ancestors(path) {
            *self.populated.entry(folder.into()).or_default() += 1;
        }
        match slot {
            Some(file) => self.files[file.0 as usize] = Some(row),
            None => self.files.push(Some(row)),
        }
        file
    }

    /// Takes a file out; its number stays free for the same path.
    pub(crate) fn remove(&mut self, file: FileId) {
        let Some(row) = self.files[file.0 as usize].take() else { return };
        let path = row.path.as_str();
        self.by_path.remove(path);
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if let Some(names) = self.folders.get_mut(folder) {
            names.remove(name);
        }
        for folder in ancestors(path) {
            if let Some(count) = self.populated.get_mut(folder) {
                *count -= 1;
                if *count == 0 {
                    self.populated.remove(folder);
                }
            }
        }
    }
}

/// Folders above a path, nearest first, the root (`""`) last.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(path);
    std::iter::from_fn(move || {
        let current = rest?;
        match current.rsplit_once('/') {
            Some((folder, _)) => {
                rest = Some(folder);
                Some(folder)
            }
            None => {
                rest = None;
                (!current.is_empty()).then_some("")
            }
        }
    })
}

/// The files of the project, as a [`Resolver`](crate::Resolver) may ask for them. Every question is remembered.
pub struct Files<'a> {
    tree: &'a FileTree,
    asked: RefCell<FxHashSet<Key>>,
}

impl std::fmt::Debug for Files<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Files").finish_non_exhaustive()
    }
}

impl<'a> Files<'a> {
    pub(crate) fn new(tree: &'a FileTree) -> Self {
        Self { tree, asked: RefCell::default() }
    }

    pub(crate) fn take_asked(&self) -> FxHashSet<Key> {
        self.asked.take()
    }

    /// The file at a path, if there is one.
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.asked.borrow_mut().insert(Key::path(path));
        self.tree.find(path)
    }

    /// Whether there is a folder with files (at any depth) at a path. `""` is the root.
    pub fn is_folder(&self, path: &str) -> bool {
        self.asked.borrow_mut().insert(Key::path(path));
        self.tree.populated.contains_key(path)
    }

    /// Files directly in a folder, in order of their names.
    pub fn in_folder(&self, folder: &str) -> Vec<FileId> {
        self.asked.borrow_mut().insert(Key::path(&format!("{folder}/")));
        self.tree.folders.get(folder).map(|names| names.values().copied().collect()).unwrap_or_default()
    }

    /// Path of a file.
    pub fn path(&self, file: FileId) -> &'a str {
        self.tree.file(file).path.as_str()
    }

    /// Language of a file.
    pub fn language(&self, file: FileId) -> Language {
        self.tree.file(file).facts.language
    }

    /// Notes that the answer depends on the surface of a file.
    pub fn see(&self, file: FileId) {
        self.asked.borrow_mut().insert(Key::surface(file));
    }

    /// Facts of a file. Only what is in its surface may be used: the asking file is linked again when that changes.
    pub fn facts(&self, file: FileId) -> &'a FileFacts {
        self.asked.borrow_mut().insert(Key::surface(file));
        &self.tree.file(file).facts
    }

    /// All files in order of their paths. Only for preparing a resolver, whose fingerprint must cover what it took.
    pub fn all(&self) -> Vec<(FileId, &'a str, &'a FileFacts)> {
        let mut all: Vec<_> =
            self.tree.files().map(|(file, row)| (file, row.path.as_str(), row.facts.as_ref())).collect();
        all.sort_by_key(|(_, path, _)| *path);
        all
    }
}

/// The keys that a file's coming or going touches.
pub(crate) fn path_keys(path: &str) -> Vec<Key> {
    let mut keys = vec![Key::path(path)];
    for (depth, folder) in ancestors(path).enumerate() {
        keys.push(Key::path(folder));
        if depth == 0 {
            keys.push(Key::path(&format!("{folder}/")));
        }
    }
    keys
}
