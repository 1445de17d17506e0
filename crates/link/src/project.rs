//! The files of a project and the indexes over all of them.

use std::cell::RefCell;
use std::collections::BTreeMap;

use m1nd_lang::facts::DefId;
use m1nd_lang::{FileFacts, Language};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

use crate::ids::Symbols;
use crate::names::{Name, Names};
use crate::unit::Unit;

/// A file's place in the linker's table; stable while the linker lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(crate) u32);

/// A definition of a file of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct DefRef {
    pub(crate) file: FileId,
    pub(crate) def: DefId,
}

/// Something read while linking a file: its kind in the top bits, a number or hash below. If it changes, the file is
/// linked again. (A hash collision of two paths only causes a superfluous run.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key(u64);

impl Key {
    const KIND: u32 = 62;

    /// The surface of another file.
    pub(crate) fn surface(file: FileId) -> Self {
        Self(u64::from(file.0))
    }

    /// Returns whether there is something at a path; with a final `/`, which files a folder holds.
    pub(crate) fn path(path: &str) -> Self {
        let mut hasher = FxHasher::default();
        path.hash(&mut hasher);
        Self(hasher.finish() >> 2 | 1 << Self::KIND)
    }

    /// The definitions that attach members to types of this name.
    pub(crate) fn attached(name: Name) -> Self {
        Self(u64::from(name.0) | 2 << Self::KIND)
    }

    /// The arguments that calls pass to functions and classes of this name.
    pub(crate) fn passes(name: Name) -> Self {
        Self(u64::from(name.0) | 1 << 40 | 2 << Self::KIND)
    }

    /// The set of methods of this name.
    pub(crate) fn methods(name: Name) -> Self {
        Self(u64::from(name.0) | 3 << Self::KIND)
    }
}

/// All files, by number and by path, and the project-wide indexes.
#[derive(Debug, Default)]
pub(crate) struct Project {
    pub(crate) names: Names,
    pub(crate) symbols: Symbols,
    pub(crate) units: Vec<Option<Unit>>,
    by_path: FxHashMap<Box<str>, FileId>,
    /// Folder → names of the files directly in it, in order.
    folders: FxHashMap<Box<str>, BTreeMap<Box<str>, FileId>>,
    /// Folder → number of files at any depth.
    populated: FxHashMap<Box<str>, u32>,
    pub(crate) attached: FxHashMap<Name, Vec<DefRef>>,
    pub(crate) methods: FxHashMap<Name, Vec<DefRef>>,
    /// Files that give functions to members of this name.
    pub(crate) given: FxHashMap<Name, Vec<FileId>>,
    /// Files that pass arguments to callees of this name.
    pub(crate) passes: FxHashMap<Name, Vec<FileId>>,
}

impl Project {
    pub(crate) fn unit(&self, file: FileId) -> &Unit {
        self.units[file.0 as usize].as_ref().expect("a file number is only handed out for files that are there")
    }

    pub(crate) fn find(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = (FileId, &Unit)> {
        self.units.iter().enumerate().filter_map(|(index, unit)| Some((FileId(index as u32), unit.as_ref()?)))
    }

    /// Puts a unit in, at the number its path had before or a new one. The path must not be taken.
    pub(crate) fn insert(&mut self, unit: Unit, slot: Option<FileId>) -> FileId {
        let file = slot.unwrap_or(FileId(self.units.len() as u32));
        let path = unit.path.as_str();
        self.by_path.insert(path.into(), file);
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.folders.entry(folder.into()).or_default().insert(name.into(), file);
        for folder in ancestors(path) {
            *self.populated.entry(folder.into()).or_default() += 1;
        }
        for &(name, def) in &unit.attached {
            insert_sorted(self.attached.entry(name).or_default(), DefRef { file, def });
        }
        for &(name, def) in &unit.methods {
            insert_sorted(self.methods.entry(name).or_default(), DefRef { file, def });
        }
        for (name, _) in &unit.given {
            insert_file(self.given.entry(*name).or_default(), file);
        }
        for name in unit.passes.names() {
            insert_file(self.passes.entry(name).or_default(), file);
        }
        if slot.is_some() {
            self.units[file.0 as usize] = Some(unit);
        } else {
            self.units.push(Some(unit));
        }
        file
    }

    /// Takes a unit out; its number stays free for the same path.
    pub(crate) fn remove(&mut self, file: FileId) -> Option<Unit> {
        let unit = self.units[file.0 as usize].take()?;
        let path = unit.path.as_str();
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
        for (name, _) in &unit.attached {
            if let Some(rows) = self.attached.get_mut(name) {
                rows.retain(|row| row.file != file);
            }
        }
        for (name, _) in &unit.methods {
            if let Some(rows) = self.methods.get_mut(name) {
                rows.retain(|row| row.file != file);
            }
        }
        for (name, _) in &unit.given {
            if let Some(files) = self.given.get_mut(name) {
                files.retain(|other| *other != file);
            }
        }
        for name in unit.passes.names() {
            if let Some(files) = self.passes.get_mut(&name) {
                files.retain(|other| *other != file);
            }
        }
        Some(unit)
    }

    /// Order of files that does not depend on when they were added.
    pub(crate) fn by_path_order(&self, files: &mut [DefRef]) {
        files.sort_by(|a, b| (&self.unit(a.file).path, a.def).cmp(&(&self.unit(b.file).path, b.def)));
    }
}

fn insert_file(files: &mut Vec<FileId>, file: FileId) {
    if let Err(place) = files.binary_search(&file) {
        files.insert(place, file);
    }
}

fn insert_sorted(rows: &mut Vec<DefRef>, row: DefRef) {
    let place = rows.partition_point(|other| *other < row);
    rows.insert(place, row);
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
    project: &'a Project,
    asked: RefCell<FxHashSet<Key>>,
}

impl std::fmt::Debug for Files<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Files").finish_non_exhaustive()
    }
}

impl<'a> Files<'a> {
    pub(crate) fn new(project: &'a Project) -> Self {
        Self { project, asked: RefCell::default() }
    }

    pub(crate) fn take_asked(&self) -> FxHashSet<Key> {
        self.asked.take()
    }

    /// The file at a path, if there is one.
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.asked.borrow_mut().insert(Key::path(path));
        self.project.find(path)
    }

    /// Returns whether there is a folder with files (at any depth) at a path. `""` is the root.
    pub fn is_folder(&self, path: &str) -> bool {
        self.asked.borrow_mut().insert(Key::path(path));
        self.project.populated.contains_key(path)
    }

    /// Files directly in a folder, in order of their names.
    pub fn in_folder(&self, folder: &str) -> Vec<FileId> {
        self.asked.borrow_mut().insert(Key::path(&format!("{folder}/")));
        self.project.folders.get(folder).map(|names| names.values().copied().collect()).unwrap_or_default()
    }

    /// Path of a file.
    pub fn path(&self, file: FileId) -> &'a str {
        self.project.unit(file).path.as_str()
    }

    /// Language of a file.
    pub fn language(&self, file: FileId) -> Language {
        self.project.unit(file).facts.language
    }

    /// Notes that the answer depends on the surface of a file.
    pub fn see(&self, file: FileId) {
        self.asked.borrow_mut().insert(Key::surface(file));
    }

    /// Facts of a file. Only parts covered by its surface may be used, because only a change of the surface relinks
    /// the reading file.
    pub fn facts(&self, file: FileId) -> &'a FileFacts {
        self.asked.borrow_mut().insert(Key::surface(file));
        &self.project.unit(file).facts
    }

    /// All files in path order. Only for preparing a resolver, whose fingerprint must cover the data it reads.
    pub fn all(&self) -> Vec<(FileId, &'a str, &'a FileFacts)> {
        let mut all: Vec<_> =
            self.project.files().map(|(file, unit)| (file, unit.path.as_str(), unit.facts.as_ref())).collect();
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
