//! The units of a project and the indexes over all of them.

use rustc_hash::FxHashMap;

use crate::files::{DefRef, FileId, FileTree};
use crate::ids::Symbols;
use crate::languages::FAMILIES;
use crate::names::{Name, Names};
use crate::unit::Unit;

/// All files, by number and by path, and the project-wide indexes.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) names: Names,
    pub(crate) symbols: Symbols,
    pub(crate) units: Vec<Option<Unit>>,
    pub(crate) tree: FileTree,
    pub(crate) attached: FxHashMap<Name, Vec<DefRef>>,
    pub(crate) methods: FxHashMap<Name, Vec<DefRef>>,
    /// Files that give functions to members of this name.
    pub(crate) given: FxHashMap<Name, Vec<FileId>>,
    /// Files that pass arguments to callees of this name.
    pub(crate) passes: FxHashMap<Name, Vec<FileId>>,
    /// Files that may contribute to contracts, by the words under which they are looked for.
    pub(crate) contracts: FxHashMap<Box<str>, Vec<FileId>>,
}

impl Default for Project {
    /// No files. Names that rules of languages imply are known from the start.
    fn default() -> Self {
        let mut names = Names::default();
        for (_, rules) in FAMILIES.iter().flat_map(|family| family.languages) {
            for name in rules.implied_types() {
                names.intern(name);
            }
        }
        Self {
            names,
            symbols: Symbols::default(),
            units: Vec::new(),
            tree: FileTree::default(),
            attached: FxHashMap::default(),
            methods: FxHashMap::default(),
            given: FxHashMap::default(),
            passes: FxHashMap::default(),
            contracts: FxHashMap::default(),
        }
    }
}

impl Project {
    pub(crate) fn unit(&self, file: FileId) -> &Unit {
        self.units[file.0 as usize].as_ref().expect("a file number is only handed out for files that are there")
    }

    pub(crate) fn find(&self, path: &str) -> Option<FileId> {
        self.tree.find(path)
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = (FileId, &Unit)> {
        self.units.iter().enumerate().filter_map(|(index, unit)| Some((FileId(index as u32), unit.as_ref()?)))
    }

    /// Puts a unit in, at the number its path had before or a new one. The path must not be taken.
    pub(crate) fn insert(&mut self, unit: Unit, slot: Option<FileId>) -> FileId {
        let file = self.tree.insert(&unit.path, &unit.facts, slot);
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
        for word in &unit.spots.words {
            insert_file(self.contracts.entry(word.as_str().into()).or_default(), file);
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
        self.tree.remove(file);
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
        for word in &unit.spots.words {
            if let Some(files) = self.contracts.get_mut(word.as_str()) {
                files.retain(|other| *other != file);
            }
        }
        Some(unit)
    }

    /// Puts files in the order of their paths.
    pub(crate) fn sort_by_path(&self, files: &mut [FileId]) {
        files.sort_by(|a, b| self.unit(*a).path.cmp(&self.unit(*b).path));
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
