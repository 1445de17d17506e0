//! State of the linker between runs: the files, the keys read while linking each one, and pending changes.

use std::sync::Arc;

use m1nd_base::{Cancel, Cancelled, EdgeTier, Limits, Problem, Progress, ProgressEvent, RepoPath};
use m1nd_lang::FileFacts;
use m1nd_lang::facts::{Pos, Role};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::edges::compiler::{self, CompilerFile};
use crate::eval::Eval;
use crate::file_links::{self, Resolution};
use crate::ids::SymbolId;
use crate::incremental::changes::Changes;
use crate::languages::{self, FAMILIES, Manifests, family};
use crate::links::{Compared, FileLinks};
use crate::names::Name;
use crate::packages::Packages;
use crate::project::Project;
use crate::reason::Reason;
use crate::rules::Resolver;
use crate::tables::askers::Askers;
use crate::tables::files::{Asked, FileId, Files};
use crate::unit::Unit;
use crate::{
    contracts, documents, edges::assemble, edges::config_reads, edges::decorations, edges::derived,
    edges::entry_points, edges::handed_over, edges::texts,
};

/// Changes made by a link run.
#[derive(Debug, Clone, Default)]
pub struct LinkDelta {
    /// Files that were linked in this run, in order of their paths.
    pub changed: Vec<Arc<FileLinks>>,
    /// Removed files.
    pub removed: Vec<RepoPath>,
    /// Scopes, bindings, imports and values looked at; see [`Limits::link_work`].
    pub work: u64,
}

/// Resolution of one reference or import of a file, for tests and measurements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// The name as written; the last component of an imported module.
    pub name: String,
    /// `None` for an import.
    pub role: Option<Role>,
    /// Position of the reference.
    pub pos: Pos,
    /// `None` if unresolved or a plain local name.
    pub tier: Option<EdgeTier>,
    /// Node ids.
    pub targets: Vec<String>,
    /// Reason for a missing target, or for a doubt about an external one; `None` with no target for a local name.
    pub reason: Option<Reason>,
}

/// A node and where its name is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodePlace<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its name; empty for a file.
    pub name: &'a str,
    /// Position of the name; line 0 for a file.
    pub pos: Pos,
}

/// Something that a file hands to a framework, for tests and measurements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryPoint {
    /// Role: `http route`, `command`, `event handler`, …
    pub what: &'static str,
    /// Node id of the enclosing definition.
    pub from: String,
    /// Node id of the function or class.
    pub to: String,
    /// Certainty.
    pub tier: EdgeTier,
    /// The decorator or callee.
    pub pos: Pos,
}

/// Files linked between two progress reports, which bounds intermediate data.
const CHUNK: usize = 256;

/// Result of linking one file.
struct Linked {
    file: FileId,
    asked: Asked,
    links: assemble::RawLinks,
    work: u64,
}

/// A file that is about to be set, and what of it is different from what is known.
struct Set {
    unit: Unit,
    changes: Changes,
    stale: Stale,
}

/// Resolvers that have to be made again.
enum Stale {
    None,
    /// Those of these families.
    Families([usize; 2]),
    All,
}

/// Links files and keeps the result up to date.
pub struct Linker {
    limits: Limits,
    /// Bytes of facts that stay in memory if they can be had again, about.
    facts_in_memory: usize,
    pub(crate) project: Project,
    pub(crate) manifests: Manifests,
    resolvers: Vec<Box<dyn Resolver>>,
    slots: FxHashMap<RepoPath, FileId>,
    pub(crate) askers: Askers,
    dirty: FxHashSet<FileId>,
    changes: Changes,
    removed: FxHashSet<RepoPath>,
    /// Families whose resolver has to be made again.
    stale: Vec<bool>,
    /// Compiler index of each file, if it still matches the content.
    pub(crate) compiler: FxHashMap<RepoPath, CompilerFile>,
}

impl std::fmt::Debug for Linker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Linker").field("files", &self.slots.len()).finish_non_exhaustive()
    }
}

impl Linker {
    /// A linker without files.
    pub fn new(limits: Limits) -> Self {
        Self::of_project(limits, Project::default(), FxHashMap::default(), Manifests::new())
    }

    /// A linker of these files and manifests, which were not linked yet.
    pub(crate) fn of_project(
        limits: Limits,
        project: Project,
        slots: FxHashMap<RepoPath, FileId>,
        manifests: Manifests,
    ) -> Self {
        Self {
            limits,
            facts_in_memory: usize::MAX,
            project,
            manifests,
            resolvers: Vec::new(),
            slots,
            askers: Askers::default(),
            dirty: FxHashSet::default(),
            changes: Changes::default(),
            removed: FxHashSet::default(),
            stale: vec![true; FAMILIES.len()],
            compiler: FxHashMap::default(),
        }
    }

    /// Sets how many bytes of facts stay in memory if they can be had again; without it, all do.
    pub fn set_facts_in_memory(&mut self, bytes: usize) {
        self.facts_in_memory = bytes;
    }

    /// Returns whether a file may be a manifest that linking reads: give its text to [`Linker::set_manifest`] if it
    /// [has settings](Self::has_settings).
    pub fn is_manifest(path: &RepoPath) -> bool {
        languages::is_manifest(path.file_name())
    }

    /// Returns whether a file that may be a manifest by its name has settings in it.
    pub fn has_settings(path: &RepoPath, text: &[u8]) -> bool {
        languages::has_settings(path.file_name(), text)
    }

    /// Gets the facts of these files in parallel where they are not in memory, for [`Linker::remove_file`], which needs
    /// the old ones and would get them one by one. Unknown paths are ignored. Uses the thread pool of the caller.
    pub fn load<'a>(&self, paths: impl Iterator<Item = &'a RepoPath>) {
        let files: Vec<FileId> = paths.filter_map(|path| self.slots.get(path).copied()).collect();
        files.par_iter().filter(|file| self.project.tree.has(**file)).for_each(|file| _ = self.project.unit(*file));
    }

    /// Adds a file or replaces its facts.
    pub fn set_file(&mut self, path: &RepoPath, facts: Arc<FileFacts>) {
        let set = self.prepare_set(path, facts);
        self.set(set);
    }

    /// Adds files or replaces their facts. What each of them means is worked out in parallel, by the thread pool of the
    /// caller; the result is the same as of [`Linker::set_file`] for one after the other.
    pub fn set_files(&mut self, files: Vec<(RepoPath, Arc<FileFacts>)>) {
        let all: Vec<Set> = files.into_par_iter().map(|(path, facts)| self.prepare_set(&path, facts)).collect();
        all.into_iter().for_each(|set| self.set(set));
    }

    /// Compares a file with what is known of it, if anything.
    fn prepare_set(&self, path: &RepoPath, facts: Arc<FileFacts>) -> Set {
        let unit = Unit::new(path.clone(), facts, &self.project.names, &self.project.symbols);
        let mut changes = Changes::default();
        // Before the first run nothing has been read.
        let is_first = self.askers.is_empty();
        let old = self.slots.get(path).filter(|file| !is_first && self.project.tree.has(**file));
        let old = old.map(|file| self.project.unit(*file));
        let stale = match old {
            _ if is_first => Stale::All,
            Some(old) => {
                let is_seen = changes.between(old, &unit, &self.project.names);
                let families = || [family(old.facts.language), family(unit.facts.language)];
                if is_seen { Stale::Families(families()) } else { Stale::None }
            }
            None => {
                changes.of_whole(&unit, &self.project.names);
                Stale::All
            }
        };
        Set { unit, changes, stale }
    }

    fn set(&mut self, Set { unit, changes, stale }: Set) {
        let slot = self.slots.get(&unit.path).copied();
        slot.and_then(|file| self.project.remove(file));
        match stale {
            Stale::None => {}
            Stale::Families(families) => families.into_iter().for_each(|family| self.stale[family] = true),
            Stale::All => self.stale.fill(true),
        }
        self.changes.add(changes);
        let path = unit.path.clone();
        let file = self.project.insert(unit, slot);
        self.removed.remove(&path);
        self.slots.insert(path, file);
        self.dirty.insert(file);
    }

    /// Drops the facts of a file, unless they are few in all. Before the next run, [`Linker::set_source`] has to say
    /// where they can be had. Returns whether they were dropped.
    pub fn drop_facts(&mut self, path: &RepoPath) -> bool {
        let file = self.slots.get(path).filter(|_| self.project.count_held_bytes() > self.facts_in_memory);
        file.into_iter().for_each(|file| self.project.drop_unit(*file));
        file.is_some()
    }

    /// Takes a file out; unknown paths are ignored.
    pub fn remove_file(&mut self, path: &RepoPath) {
        let Some(&file) = self.slots.get(path) else { return };
        let Some(unit) = self.project.remove(file) else { return };
        self.stale.fill(true);
        self.changes.of_whole(&unit, &self.project.names);
        self.dirty.remove(&file);
        self.askers.forget(file);
        self.removed.insert(path.clone());
        self.manifests.remove(path.as_str());
        self.compiler.remove(path);
    }

    /// Sets the compiler index of a file's current content, or `None` if there is none or it is of other content. Its
    /// targets replace ours, reference by reference.
    pub fn set_compiler_index(&mut self, path: &RepoPath, index: Option<CompilerFile>) {
        let is_same = match (self.compiler.get(path), &index) {
            (Some(a), Some(b)) => a.is_same(b),
            (None, None) => true,
            _ => false,
        };
        if is_same {
            return;
        }
        match index {
            Some(index) => self.compiler.insert(path.clone(), index),
            None => self.compiler.remove(path),
        };
        self.dirty.extend(self.slots.get(path));
    }

    /// The nodes of a file with the places of their names, in order of definitions; the file comes first. Empty if
    /// there is no such file.
    pub fn nodes(&self, path: &RepoPath) -> Vec<NodePlace<'_>> {
        let Some(unit) = self.project.find(path.as_str()).map(|file| self.project.unit(file)) else {
            return Vec::new();
        };
        let file = NodePlace { id: self.text(unit.file_symbol), name: "", pos: Pos::default() };
        let definitions = unit.facts.definitions.iter().zip(&unit.symbols);
        let definitions = definitions.filter_map(|(row, symbol)| {
            Some(NodePlace { id: self.text((*symbol)?), name: unit.facts.name(row.name), pos: row.pos })
        });
        std::iter::once(file).chain(definitions).collect()
    }

    /// Says which folders are repositories of their own; `""` is the one around all others.
    pub fn set_roots(&mut self, roots: Vec<String>) {
        if self.project.tree.roots != roots {
            self.project.tree.roots = roots;
            self.stale.fill(true);
        }
    }

    /// Adds or replaces the text of a manifest. A problem if it cannot be understood; its settings are then not used.
    pub fn set_manifest(&mut self, path: &RepoPath, text: &str) -> Option<Problem> {
        if !Self::has_settings(path, text.as_bytes()) && !self.manifests.contains_key(path.as_str()) {
            return None;
        }
        let mut problem = None;
        for (index, family) in FAMILIES.iter().enumerate() {
            if (family.is_manifest)(path.file_name()) {
                self.stale[index] = true;
                problem = problem.or_else(|| (family.check_manifest)(path.as_str(), text));
            }
        }
        self.manifests.insert(path.as_str().to_owned(), text.to_owned());
        problem
    }

    /// Text of a node id.
    pub fn text(&self, id: SymbolId) -> &str {
        self.project.symbols.text(id)
    }

    /// Text of a name.
    pub fn name(&self, name: Name) -> &str {
        self.project.names.text(name)
    }

    /// Links everything that changed since the last call, and everything that depends on it. A cancelled run changes
    /// nothing: the next one repeats the work.
    pub fn link(&mut self, cancel: &Cancel, progress: &dyn Progress) -> Result<LinkDelta, Cancelled> {
        let mut changed = Vec::new();
        let mut take = |_: &Self, links: FileLinks| changed.push(Arc::new(links));
        let mut delta = self.link_each(&mut take, cancel, progress)?;
        delta.changed = changed;
        Ok(delta)
    }

    /// Like [`Linker::link`], but passes on the links of each file, in order of paths, instead of collecting them. The
    /// facts of the file are in memory then.
    pub fn link_each(
        &mut self,
        take: &mut (dyn FnMut(&Self, FileLinks) + Send),
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Result<LinkDelta, Cancelled> {
        self.project.settle();
        self.renew_resolvers();
        self.project.defined.settle();
        let mut work = self.dirty.clone();
        for key in self.changes.keys() {
            work.extend(self.askers.of(*key));
        }
        for (key, words) in self.changes.words() {
            work.extend(self.askers.of(*key).filter(|asker| self.askers.has_asked(*asker, words)));
        }
        let mut work: Vec<FileId> = work.into_iter().filter(|file| self.project.tree.has(*file)).collect();
        work.sort_by(|a, b| self.project.path(*a).cmp(self.project.path(*b)));
        let mut delta = LinkDelta::default();
        let mut asked = Vec::with_capacity(work.len());
        for (part, files) in work.chunks(CHUNK).enumerate() {
            for linked in self.resolve(files, part * CHUNK, work.len(), cancel, progress)? {
                asked.push((linked.file, linked.asked));
                delta.work += linked.work;
                let mut links = assemble::name_rest(&self.project, linked.links);
                links.is_test = self.is_declared_test(linked.file);
                take(self, links);
            }
            self.project.trim(self.facts_in_memory);
        }
        self.askers.remember(asked);
        delta.removed = self.removed.drain().collect();
        delta.removed.sort();
        self.dirty.clear();
        self.changes.clear();
        Ok(delta)
    }

    fn resolve(
        &self,
        files: &[FileId],
        before: usize,
        total: usize,
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Result<Vec<Linked>, Cancelled> {
        let linked: Result<Vec<Linked>, Cancelled> = files
            .par_iter()
            .map(|&file| {
                cancel.check()?;
                // Each file has an evaluator of its own, so that the result does not depend on threads.
                let mut eval = Eval::new(&self.project, &self.resolvers, &self.limits);
                let mut resolutions = file_links::resolutions(&mut eval, file, &self.limits);
                let compared = self.overlay(&mut eval, file, &mut resolutions);
                let mut edges = derived::overrides(&mut eval, file);
                // What is found by evaluation, in the order in which it builds on the others.
                let registrations = entry_points::registrations(&mut eval, file, &resolutions);
                let handed = handed_over::handed_over(&mut eval, file, &resolutions);
                let reads = config_reads::config_reads(&mut eval, file);
                let contracts = contracts::contracts(&mut eval, file, &registrations, &reads);
                edges.extend(registrations.into_iter().map(|row| row.edge));
                edges.extend(decorations::list_kept(&mut eval, file));
                edges.extend(handed);
                edges.extend(contracts.edges);
                edges.extend(derived::fixtures(&mut eval, file));
                edges.extend(reads);
                edges.extend(documents::documents(&mut eval, file));
                // An index of a compiler knows relations that the text does not show.
                let index = self.compiler.get(self.project.path(file));
                let said = index.map_or_else(Vec::new, |index| compiler::relations(&mut eval, file, index));
                let texts = texts::texts(&mut eval, file);
                // What the evaluation rests on: asked files, problems, work.
                let generated = std::mem::take(&mut eval.generated);
                let (problems, work) = (eval.problems(file), eval.work());
                let asked = eval.into_asked();
                let derived = (edges, said);
                let links = assemble::assemble(
                    &self.project,
                    file,
                    resolutions,
                    derived,
                    texts,
                    compared,
                    (&generated, &contracts.routes),
                    problems,
                );
                Ok(Linked { file, asked, links, work })
            })
            .collect();
        let done = (before + files.len()) as u64;
        progress.report(ProgressEvent { stage: "linking", done, total: Some(total as u64) });
        linked
    }

    /// Applies a file's compiler index to its references.
    fn overlay<'a>(&self, eval: &mut Eval<'a>, file: FileId, all: &mut Vec<Resolution<'a>>) -> Option<Box<Compared>> {
        let index = self.compiler.get(self.project.path(file))?;
        Some(Box::new(compiler::apply(eval, file, index, all)))
    }

    /// Resolution of each reference and import of a file, in order of position. The file must have been linked.
    pub fn explain(&self, path: &RepoPath) -> Vec<Explained> {
        let Some(&file) = self.slots.get(path) else { return Vec::new() };
        let mut eval = Eval::new(&self.project, &self.resolvers, &self.limits);
        let mut resolutions = file_links::resolutions(&mut eval, file, &self.limits);
        self.overlay(&mut eval, file, &mut resolutions);
        let rows = resolutions.into_iter().filter(|resolution| !resolution.name.is_empty());
        rows.map(|resolution| Explained {
            name: resolution.name.into(),
            role: resolution.role,
            pos: resolution.pos,
            tier: resolution.tier,
            targets: resolution
                .targets
                .into_iter()
                .map(|target| target.text(&self.project.symbols).into_owned())
                .collect(),
            reason: resolution.reason,
        })
        .collect()
    }

    /// Words of a file that may name a definition although no reference explains them, in order of position. The file
    /// must have been linked.
    pub fn texts(&self, path: &RepoPath) -> Vec<Explained> {
        let Some(&file) = self.slots.get(path) else { return Vec::new() };
        let mut eval = Eval::new(&self.project, &self.resolvers, &self.limits);
        eval.begin_file(file);
        let rows = texts::texts(&mut eval, file).into_iter().map(|row| Explained {
            name: self.name(row.name).to_owned(),
            role: None,
            pos: row.pos,
            tier: None,
            targets: Vec::new(),
            reason: Some(row.reason),
        });
        rows.collect()
    }

    /// Registrations of a file, in order of position. The file must have been linked.
    pub fn entry_points(&self, path: &RepoPath) -> Vec<EntryPoint> {
        let Some(&file) = self.slots.get(path) else { return Vec::new() };
        let mut eval = Eval::new(&self.project, &self.resolvers, &self.limits);
        let resolutions = file_links::resolutions(&mut eval, file, &self.limits);
        let rows = entry_points::registrations(&mut eval, file, &resolutions);
        rows.into_iter()
            .map(|row| EntryPoint {
                what: row.what.words(),
                from: self.text(row.edge.from).to_owned(),
                to: row.edge.to.text(&self.project.symbols).into_owned(),
                tier: row.edge.tier,
                pos: row.edge.pos,
            })
            .collect()
    }

    /// Returns whether the project declares a file for tests only.
    fn is_declared_test(&self, file: FileId) -> bool {
        let resolver = &self.resolvers[self.project.family(file)];
        resolver.test_files().binary_search(&file).is_ok()
    }

    /// Rebuilds the resolvers whose inputs changed; if a resolver changed as a whole, all its files are due.
    pub(crate) fn renew_resolvers(&mut self) {
        self.renew_packages();
        let files = Files::new(&self.project.tree);
        let first = self.resolvers.is_empty();
        let mut due = Vec::new();
        for (index, row) in FAMILIES.iter().enumerate() {
            if !self.stale[index] {
                continue;
            }
            let resolver = (row.resolver)(&files, &self.manifests);
            if first {
                self.resolvers.push(resolver);
                continue;
            }
            let before = self.resolvers[index].fingerprint();
            if before != resolver.fingerprint() {
                due.push(index);
            }
            let old = &self.resolvers[index];
            let (before, after) = (old.test_files(), resolver.test_files());
            let mut moved: Vec<FileId> = differing(before, after).chain(differing(after, before)).copied().collect();
            let own = self.project.tree.numbers().filter(|file| self.project.family(*file) == index);
            let is_moved = |file: FileId| old.file_fingerprint(file) != resolver.file_fingerprint(file);
            moved.extend(own.filter(|file| is_moved(*file)));
            for file in moved {
                self.dirty.insert(file);
                // The keys of one that is gone are touched already.
                if self.project.tree.has(file) {
                    self.changes.whole_file(self.project.tree.hash(file));
                }
            }
            self.resolvers[index] = resolver;
        }
        self.stale.fill(false);
        due.into_iter().for_each(|family| self.make_family_due(family));
    }

    /// Reads the names of packages again; documents write them in front of names.
    fn renew_packages(&mut self) {
        if !self.stale.contains(&true) {
            return;
        }
        let packages = Packages::of(&self.manifests);
        // Before the first run nothing has asked for them.
        if packages != self.project.packages && !self.resolvers.is_empty() {
            let tree = &self.project.tree;
            self.dirty.extend(tree.numbers().filter(|file| tree.brief(*file).language.is_prose()));
        }
        self.project.packages = packages;
    }

    fn make_family_due(&mut self, index: usize) {
        let due = self.project.tree.numbers().filter(|file| self.project.family(*file) == index);
        self.dirty.extend(due);
    }
}

/// Elements of the first list that are missing in the second; both are sorted.
fn differing<'f>(files: &'f [FileId], others: &'f [FileId]) -> impl Iterator<Item = &'f FileId> {
    files.iter().filter(|file| others.binary_search(file).is_err())
}
