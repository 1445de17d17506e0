//! The files of a project by number, path and folder, and what was asked about them.

use m1nd_base::RepoPath;
use m1nd_lang::Language;
use m1nd_lang::facts::DefId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::tables::brief::Brief;

/// A file's place in the linker's table; stable while the linker lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(crate) u32);

/// A definition of a file of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct DefRef {
    pub(crate) file: FileId,
    pub(crate) def: DefId,
}

/// Something that linking a file looked at: its kind in the top bits, a hash below. If it changes, the file is linked
/// again. (Two things of one hash would only cause a needless run.) Made of texts alone, so it means the same in every
/// process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key(u64);

impl Key {
    const KIND: u32 = 60;

    fn new(kind: u64, hash: u64) -> Self {
        Self(hash >> (64 - Self::KIND) | kind << Self::KIND)
    }

    pub(crate) const fn number(self) -> u64 {
        self.0
    }

    pub(crate) const fn of_number(number: u64) -> Self {
        Self(number)
    }

    /// All that can be seen of the file at the path with this hash.
    pub(crate) fn surface(path: u64) -> Self {
        Self::new(0, path)
    }

    /// What has no name in that file, and what it has under the names that were asked for.
    pub(crate) fn for_named(path: u64) -> Self {
        Self::new(1, path)
    }

    /// The imports of that file.
    pub(crate) fn imports(path: u64) -> Self {
        Self::new(2, path)
    }

    /// Whether there is something at a path; with a final `/`, which files a folder holds.
    pub(crate) fn path(path: &str) -> Self {
        Self::new(3, text_hash(path))
    }

    /// Which blocks attach members to types of this name, and which functions do that have one of the names that were
    /// asked for.
    pub(crate) fn for_attached(name: &str) -> Self {
        Self::new(4, text_hash(name))
    }

    /// Everything that attaches members to types of this name.
    pub(crate) fn all_attached(name: &str) -> Self {
        Self::new(5, text_hash(name))
    }

    /// What calls pass to functions and classes of this name.
    pub(crate) fn passes(name: &str) -> Self {
        Self::new(6, text_hash(name))
    }

    /// Which methods of this name there are.
    pub(crate) fn methods(name: &str) -> Self {
        Self::new(7, text_hash(name))
    }

    /// Which classes that others satisfy without naming them ask for a method of this name.
    pub(crate) fn for_demanded(name: &str) -> Self {
        Self::new(13, text_hash(name))
    }

    /// Which functions are given to members of this name.
    pub(crate) fn for_given(name: &str) -> Self {
        Self::new(8, text_hash(name))
    }

    /// Which files have this name at their top, of languages with includes.
    pub(crate) fn top(name: &str) -> Self {
        Self::new(10, text_hash(name))
    }

    /// What files contribute to contracts under this word.
    pub(crate) fn contract(word: &str) -> Self {
        Self::new(9, text_hash(word))
    }

    /// Which files define a name, and how.
    pub(crate) fn for_defined(word: Word) -> Self {
        Self::new(12, u64::from(word.number()).wrapping_mul(MIX))
    }
}

/// Hash of a name that linking a file asked for, found or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Word(u32);

impl Word {
    pub(crate) const fn number(self) -> u32 {
        self.0
    }

    pub(crate) const fn of_number(number: u32) -> Self {
        Self(number)
    }

    /// Things of this name.
    pub(crate) fn of(name: &str) -> Self {
        Self::new(name, 0)
    }

    /// All members written in the classes of this name.
    pub(crate) fn members(class: &str) -> Self {
        Self::new(class, 1)
    }

    /// The namespaces of this whole name.
    pub(crate) fn namespace(path: &str) -> Self {
        Self::new(path, 2)
    }

    fn new(text: &str, kind: u64) -> Self {
        let hash = (text_hash(text) ^ kind).wrapping_mul(MIX);
        Self((hash >> 32) as u32)
    }
}

const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// FNV-1a, then mixed, because only a part of the bits is used. Written here because it must not change with the
/// version of a library.
pub(crate) fn text_hash(text: &str) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    }
    (hash ^ hash >> 29).wrapping_mul(MIX)
}

/// Everything that linking a file looked at. It is linked again if one of the keys is touched as a whole, or for one
/// of the words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    /// In order.
    pub(crate) keys: Box<[Key]>,
    /// In order. Which word was asked of which key is not recorded: that would take several times the space, and save
    /// few runs.
    pub(crate) words: Box<[Word]>,
}

impl Asked {
    pub(crate) fn has_one_of(&self, words: &FxHashSet<Word>) -> bool {
        words.iter().any(|word| self.words.binary_search(word).is_ok())
    }
}

/// A file of the project.
#[derive(Debug)]
struct TreeFile {
    path: RepoPath,
    /// Hash of the path.
    hash: u64,
    brief: Brief,
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
    /// Folders that are repositories of their own; none if all files are of one.
    pub(crate) roots: Vec<String>,
}

impl FileTree {
    pub(crate) fn find(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    fn file(&self, file: FileId) -> &TreeFile {
        self.files[file.0 as usize].as_ref().expect("a file number is only handed out for files that are there")
    }

    /// Hash of the path of a file.
    pub(crate) fn hash(&self, file: FileId) -> u64 {
        self.file(file).hash
    }

    pub(crate) fn path(&self, file: FileId) -> &RepoPath {
        &self.file(file).path
    }

    pub(crate) fn brief(&self, file: FileId) -> &Brief {
        &self.file(file).brief
    }

    /// Returns whether the number is that of a file.
    pub(crate) fn has(&self, file: FileId) -> bool {
        self.files.get(file.0 as usize).is_some_and(Option::is_some)
    }

    /// The numbers of all files.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = FileId> {
        self.files().map(|(file, _)| file)
    }

    fn files(&self) -> impl Iterator<Item = (FileId, &TreeFile)> {
        self.files.iter().enumerate().filter_map(|(index, file)| Some((FileId(index as u32), file.as_ref()?)))
    }

    /// Puts a file in, at the number its path had before or a new one. The path must not be taken.
    pub(crate) fn insert(&mut self, path: &RepoPath, brief: Brief, slot: Option<FileId>) -> FileId {
        let file = slot.unwrap_or(FileId(self.files.len() as u32));
        let row = TreeFile { path: path.clone(), hash: text_hash(path.as_str()), brief };
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

    /// Folders that are the tops of repositories: `""` if all files are of one. Those that have one are linked as if
    /// that were all, and then by what manifests say of others.
    pub fn roots(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let only = self.tree.roots.is_empty().then_some("");
        only.into_iter().chain(self.tree.roots.iter().map(String::as_str))
    }

    /// The repository that a path is in, as [`Files::roots`] names it.
    pub fn root_of(&self, path: &str) -> &'a str {
        let is_inside = |rest: &str, root: &str| root.is_empty() || rest.is_empty() || rest.starts_with('/');
        let around = |root: &&str| path.strip_prefix(root).is_some_and(|rest| is_inside(rest, root));
        self.roots().filter(around).max_by_key(|root| root.len()).unwrap_or_default()
    }

    /// Path of a file.
    pub fn path(&self, file: FileId) -> &'a str {
        self.tree.file(file).path.as_str()
    }

    /// Language of a file.
    pub fn language(&self, file: FileId) -> Language {
        self.tree.brief(file).language
    }

    /// Notes that the answer depends on what a file has under the name that is looked up.
    pub fn see(&self, file: FileId) {
        self.asked.borrow_mut().insert(Key::for_named(self.tree.hash(file)));
    }

    /// A file, of which only the language and the package may be used, and whether an import is one of CommonJS: the
    /// asking file is linked again when these change.
    pub fn heading(&self, file: FileId) -> &'a Brief {
        self.see(file);
        self.tree.brief(file)
    }

    /// A file, of which only what [`Files::heading`] allows and the imports may be used.
    pub fn imports(&self, file: FileId) -> &'a Brief {
        let hash = self.tree.hash(file);
        self.asked.borrow_mut().extend([Key::for_named(hash), Key::imports(hash)]);
        self.tree.brief(file)
    }

    /// A file. Only for preparing a resolver, like [`Files::all`].
    pub fn brief(&self, file: FileId) -> &'a Brief {
        self.tree.brief(file)
    }

    /// The paths of all files, in no order. Only for preparing a resolver, like [`Files::all`].
    pub(crate) fn paths(&self) -> impl Iterator<Item = (FileId, &'a str)> + use<'a> {
        self.tree.files().map(|(file, row)| (file, row.path.as_str()))
    }

    /// All files in order of their paths. Only for preparing a resolver, whose fingerprint must cover what it took.
    pub fn all(&self) -> Vec<(FileId, &'a str, &'a Brief)> {
        let mut all: Vec<_> = self.tree.files().map(|(file, row)| (file, row.path.as_str(), &row.brief)).collect();
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
