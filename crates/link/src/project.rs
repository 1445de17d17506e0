//! The units of a project and the index over all of them.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use m1nd_base::{Cancel, Limits, RepoPath};
use m1nd_lang::{FileFacts, Language};

use crate::ids::Symbols;
use crate::languages::{self, FAMILIES};
use crate::named;
use crate::names::Names;
use crate::packages::Packages;
use crate::rules::Rules;
use crate::tables::brief::Brief;
use crate::tables::defined::Defined;
use crate::tables::files::{DefRef, FileId, FileTree, Key, Word};
use crate::tables::index::{Index, Posting};
use crate::unit::Unit;

/// Where the facts of files come from that are not in memory.
pub trait FactsSource: Send + Sync {
    /// The facts of a file as it was linked last; `None` if they cannot be had any more. Called once for each file that
    /// is needed, from any thread. Must not wait for work of the thread pool that links.
    fn facts(&self, path: &RepoPath) -> Option<Arc<FileFacts>>;
}

/// The facts of a file, if they are in memory.
#[derive(Default)]
struct Slot {
    unit: OnceLock<Box<Unit>>,
    /// [`Project::moment`] of the last use.
    used: AtomicU32,
    /// The source does not have these facts: they must stay.
    is_own: bool,
}

/// All files, by number and by path, and the index over them.
pub(crate) struct Project {
    pub(crate) names: Names,
    pub(crate) symbols: Symbols,
    units: Vec<Slot>,
    /// Bytes of the units, about.
    held: AtomicUsize,
    /// Counts the times between which units may be dropped.
    moment: u32,
    pub(crate) tree: FileTree,
    /// Rules of the language of each file, and the number of its family.
    kinds: Vec<(&'static Rules, usize)>,
    index: Index,
    /// Files by the names that they define.
    pub(crate) defined: Defined,
    /// Packages by the folders of their manifests.
    pub(crate) packages: Packages,
    source: Option<Arc<dyn FactsSource>>,
    /// The source did not have the facts of a file.
    is_short: AtomicBool,
}

impl Default for Project {
    /// No files. Names that rules of languages imply are known from the start.
    fn default() -> Self {
        let names = Names::default();
        for (_, rules) in FAMILIES.iter().flat_map(|family| family.languages) {
            for name in rules.implied_types() {
                names.intern(name);
            }
        }
        Self {
            names,
            symbols: Symbols::default(),
            units: Vec::new(),
            held: AtomicUsize::new(0),
            moment: 1,
            tree: FileTree::default(),
            kinds: Vec::new(),
            index: Index::default(),
            defined: Defined::default(),
            packages: Packages::default(),
            source: None,
            is_short: AtomicBool::new(false),
        }
    }
}

/// A method, or a field where one may hold a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Method {
    pub(crate) of: DefRef,
    pub(crate) is_field: bool,
    pub(crate) is_abstract: bool,
}

impl Method {
    const FIELD: u32 = 1 << 31;
    const ABSTRACT: u32 = 1 << 30;

    fn row(self) -> Posting {
        let field = if self.is_field { Self::FIELD } else { 0 };
        let of_none = if self.is_abstract { Self::ABSTRACT } else { 0 };
        Posting { file: self.of.file, value: self.of.def.0 | field | of_none }
    }

    fn of_row(row: Posting) -> Self {
        let def = m1nd_lang::facts::DefId(row.value & !(Self::FIELD | Self::ABSTRACT));
        let has = |flag| row.value & flag != 0;
        Self { of: DefRef { file: row.file, def }, is_field: has(Self::FIELD), is_abstract: has(Self::ABSTRACT) }
    }
}

impl Project {
    /// A file with its facts, which are got if they were not needed before.
    pub(crate) fn unit(&self, file: FileId) -> &Unit {
        let slot = &self.units[file.0 as usize];
        // Written once in a while only, so that threads do not take the line from each other.
        if slot.used.load(Ordering::Relaxed) != self.moment {
            slot.used.store(self.moment, Ordering::Relaxed);
        }
        slot.unit.get_or_init(|| {
            let unit = Box::new(self.load(file));
            self.held.fetch_add(unit.bytes(), Ordering::Relaxed);
            unit
        })
    }

    fn load(&self, file: FileId) -> Unit {
        let path = self.path(file);
        let facts = self.source.as_ref().and_then(|source| source.facts(path)).unwrap_or_else(|| {
            self.is_short.store(true, Ordering::Relaxed);
            let none = m1nd_lang::extract(Language::Text, b"", &Limits::default(), &Cancel::new());
            Arc::new(FileFacts { language: self.language(file), ..none })
        });
        Unit::new(path.clone(), facts, &self.names, &self.symbols)
    }

    /// Returns whether facts of a file could not be had: what was linked since is of no use.
    pub(crate) fn is_short(&self) -> bool {
        self.is_short.load(Ordering::Relaxed)
    }

    /// Says where facts can be had from now on, apart from those of files that are to be kept.
    pub(crate) fn set_source(&mut self, source: Arc<dyn FactsSource>, keeps: &dyn Fn(&RepoPath) -> bool) {
        self.source = Some(source);
        for (place, slot) in self.units.iter_mut().enumerate() {
            let file = FileId(place as u32);
            slot.is_own = self.tree.has(file) && keeps(self.tree.path(file));
        }
    }

    /// Drops facts that the source has, too, until at most these bytes are held: first those that were not used for the
    /// longest time.
    pub(crate) fn trim(&mut self, bytes: usize) {
        self.moment = self.moment.wrapping_add(1);
        let mut held = *self.held.get_mut();
        if self.source.is_none() || held <= bytes {
            return;
        }
        let rows = self.units.iter().enumerate().filter(|(_, slot)| !slot.is_own && slot.unit.get().is_some());
        let mut rows: Vec<(u32, u32)> =
            rows.map(|(place, slot)| (slot.used.load(Ordering::Relaxed), place as u32)).collect();
        // A wrong order after four thousand million runs does no harm.
        rows.sort_unstable();
        // Goes below the bound, so that not every run has to look through all files.
        let target = bytes / 4 * 3;
        for (_, place) in rows {
            if held <= target {
                break;
            }
            let unit = self.units[place as usize].unit.take();
            held = held.saturating_sub(unit.map_or(0, |unit| unit.bytes()));
        }
        *self.held.get_mut() = held;
    }

    /// Drops the facts of a file, which the source must have before they are needed again.
    pub(crate) fn drop_unit(&mut self, file: FileId) {
        if let Some(unit) = self.units[file.0 as usize].unit.take() {
            *self.held.get_mut() -= unit.bytes();
        }
    }

    /// Bytes of the facts in memory, about.
    pub(crate) fn count_held_bytes(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// Files whose facts are in memory.
    pub(crate) fn list_loaded(&self) -> impl Iterator<Item = FileId> {
        let units = self.units.iter().enumerate().filter(|(_, slot)| slot.unit.get().is_some());
        units.map(|(place, _)| FileId(place as u32))
    }

    pub(crate) fn path(&self, file: FileId) -> &RepoPath {
        self.tree.path(file)
    }

    pub(crate) fn language(&self, file: FileId) -> Language {
        self.tree.brief(file).language
    }

    /// Number of the family of a file's language.
    pub(crate) fn family(&self, file: FileId) -> usize {
        self.kinds[file.0 as usize].1
    }

    /// Rules of the language of a file.
    pub(crate) fn rules(&self, file: FileId) -> &'static Rules {
        self.kinds[file.0 as usize].0
    }

    /// Gives a file its place among those of all languages.
    fn place(&mut self, path: &RepoPath, brief: Brief, slot: Option<FileId>) -> FileId {
        let kind = (languages::rules(brief.language), languages::family(brief.language));
        let file = self.tree.insert(path, brief, slot);
        match slot {
            Some(_) => self.kinds[file.0 as usize] = kind,
            None => self.kinds.push(kind),
        }
        file
    }

    pub(crate) fn find(&self, path: &str) -> Option<FileId> {
        self.tree.find(path)
    }

    /// Numbers that were handed out, in use or not.
    pub(crate) fn capacity(&self) -> usize {
        self.units.len()
    }

    /// Definitions whose members belong to types of this name.
    pub(crate) fn find_attached(&self, name: &str) -> impl Iterator<Item = DefRef> {
        let rows = self.index.of(Key::for_attached(name));
        rows.map(|row| DefRef { file: row.file, def: m1nd_lang::facts::DefId(row.value) })
    }

    pub(crate) fn methods(&self, name: &str) -> impl Iterator<Item = Method> {
        self.index.of(Key::methods(name)).map(Method::of_row)
    }

    /// Methods of this name that classes ask of those that satisfy them without naming them.
    pub(crate) fn find_demanded(&self, name: &str) -> impl Iterator<Item = DefRef> {
        let rows = self.index.of(Key::for_demanded(name));
        rows.map(|row| DefRef { file: row.file, def: m1nd_lang::facts::DefId(row.value) })
    }

    /// Files that give functions to members of this name, in order of their numbers.
    pub(crate) fn find_given(&self, name: &str) -> Vec<FileId> {
        self.index.of(Key::for_given(name)).map(|row| row.file).collect()
    }

    /// Files that may contribute to contracts under a word, in order of their paths.
    pub(crate) fn contracts(&self, word: &str) -> Vec<FileId> {
        let mut files: Vec<FileId> = self.index.of(Key::contract(word)).map(|row| row.file).collect();
        self.sort_by_path(&mut files);
        files
    }

    /// Files that define a name, in no order.
    pub(crate) fn defining(&self, word: Word) -> Vec<FileId> {
        let mut files: Vec<FileId> = self.defined.of(word).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Puts files in the order of their paths.
    pub(crate) fn sort_by_path(&self, files: &mut [FileId]) {
        files.sort_by(|a, b| self.path(*a).cmp(self.path(*b)));
    }

    /// Files that have this name at their top, of languages with includes.
    pub(crate) fn having(&self, name: &str) -> impl Iterator<Item = FileId> {
        self.index.of(Key::top(name)).map(|row| row.file)
    }

    /// Gets ready for lookups across the project.
    pub(crate) fn settle(&mut self) {
        self.index.settle();
    }

    /// Files that pass arguments to callees of this name.
    pub(crate) fn passes(&self, name: &str) -> impl Iterator<Item = FileId> {
        self.index.of(Key::passes(name)).map(|row| row.file)
    }

    /// Puts a unit in, at the number its path had before or a new one. The path must not be taken.
    pub(crate) fn insert(&mut self, unit: Unit, slot: Option<FileId>) -> FileId {
        let file = self.place(&unit.path, Brief::of(&unit.facts), slot);
        let text = |name| self.names.text(name);
        for &(name, def) in &unit.attached {
            self.index.insert(Key::for_attached(text(name)), Posting { file, value: def.0 });
        }
        for &(name, def) in &unit.methods {
            let definition = unit.facts.definition(def);
            let is_field = definition.kind == m1nd_lang::facts::DefKind::Field;
            let owner = definition.owner.map(|owner| unit.facts.definition(owner).kind);
            let is_abstract =
                definition.flags.is_abstract || owner == Some(m1nd_lang::facts::DefKind::Interface) && is_field;
            let row = Method { of: DefRef { file, def }, is_field, is_abstract };
            self.index.insert(Key::methods(text(name)), row.row());
        }
        for (name, def) in unit.demands() {
            self.index.insert(Key::for_demanded(text(name)), Posting { file, value: def.0 });
        }
        for &(name, _) in &unit.given {
            self.index.insert(Key::for_given(text(name)), Posting { file, value: 0 });
        }
        for name in unit.passes.names() {
            self.index.insert(Key::passes(text(name)), Posting { file, value: 0 });
        }
        for name in unit.top_names().filter(|_| unit.rules.includes) {
            self.index.insert(Key::top(text(name)), Posting { file, value: 0 });
        }
        for word in &unit.spots.words {
            self.index.insert(Key::contract(word), Posting { file, value: 0 });
        }
        self.defined.insert(file, named::words(&unit).into_iter());
        *self.held.get_mut() += unit.bytes();
        let own = Slot { unit: OnceLock::from(Box::new(unit)), used: AtomicU32::new(self.moment), is_own: true };
        match slot {
            Some(_) => self.units[file.0 as usize] = own,
            None => self.units.push(own),
        }
        file
    }

    /// Takes a unit out; its number stays free for the same path.
    pub(crate) fn remove(&mut self, file: FileId) -> Option<Box<Unit>> {
        if !self.tree.has(file) {
            return None;
        }
        self.unit(file);
        let unit = self.units[file.0 as usize].unit.take()?;
        let held = self.held.get_mut();
        *held = held.saturating_sub(unit.bytes());
        self.tree.remove(file);
        self.defined.remove(file);
        let text = |name| self.names.text(name);
        let attached = unit.attached.iter().map(|(name, _)| Key::for_attached(text(*name)));
        let methods = unit.methods.iter().map(|(name, _)| Key::methods(text(*name)));
        let methods = methods.chain(unit.demands().map(|(name, _)| Key::for_demanded(text(name))));
        let given = unit.given.iter().map(|(name, _)| Key::for_given(text(*name)));
        let passes = unit.passes.names().map(|name| Key::passes(text(name)));
        let contracts = unit.spots.words.iter().map(|word| Key::contract(word));
        let tops = unit.top_names().filter(|_| unit.rules.includes).map(|name| Key::top(text(name)));
        self.index.remove(file, attached.chain(methods).chain(given).chain(passes).chain(contracts).chain(tops));
        Some(unit)
    }

    /// Appends the index as a table, in which files have these numbers.
    pub(crate) fn encode_index(&self, places: &rustc_hash::FxHashMap<FileId, u32>, out: &mut Vec<u8>) {
        self.index.encode(places, out);
        self.defined.encode(places, out);
    }

    /// A project of these files, with the index that begins at a place of `state`; returned with where it ends.
    pub(crate) fn restore(
        files: Vec<(RepoPath, Brief)>,
        (state, at): (crate::SharedBytes, usize),
        source: Arc<dyn FactsSource>,
    ) -> Option<(Self, usize)> {
        let mut project = Self { source: Some(source), ..Self::default() };
        let mut numbers = Vec::with_capacity(files.len());
        for (path, brief) in files {
            numbers.push(project.place(&path, brief, None));
        }
        project.units.resize_with(numbers.len(), Slot::default);
        let end = project.index.restore(state.clone(), at, numbers.into())?;
        let end = project.defined.restore(state, end)?;
        Some((project, end))
    }

    /// Order of files that does not depend on when they were added.
    pub(crate) fn by_path_order(&self, files: &mut [DefRef]) {
        files.sort_by(|a, b| (self.path(a.file), a.def).cmp(&(self.path(b.file), b.def)));
    }
}
