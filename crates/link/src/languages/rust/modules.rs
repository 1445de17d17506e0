//! Module trees: the file of each `mod m;`, and the crate and parent module of each file.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use m1nd_lang::Language;
use m1nd_lang::facts::PathRoot;
use rustc_hash::{FxHashMap, FxHasher};

use super::super::Manifests;
use super::super::groups::Groups;
use super::super::paths::{join, upwards};
use super::cargo::{self, Dependency, Package, Probe, TargetKind};
use super::prelude;
use super::test_files::{Source, test_files};
use crate::rules::{ModuleTarget, Resolver};
use crate::tables::brief::Declared;
use crate::tables::files::{FileId, Files};

/// Maximum depth of modules that macros declare below each other.
const MAX_GENERATED_DEPTH: usize = 16;

/// Position of a file in its crate.
#[derive(Debug, Clone, Copy)]
struct ModulePosition {
    /// Index of its crate.
    of: usize,
    /// The file that declares it, and how many inline modules are around the declaration; `None` for a crate root.
    parent: Option<(FileId, u8)>,
    /// Some builds leave it out.
    is_conditional: bool,
    /// Its child modules are in its own folder: a crate root, a `mod.rs`, or a file named by a path attribute.
    owns_folder: bool,
}

/// A crate.
#[derive(Debug)]
struct Crate {
    root: FileId,
    /// Index of its package; `None` for a root without a manifest.
    package: Option<usize>,
    kind: TargetKind,
    /// Files that define macros at their top level, in order of their paths.
    macros: Vec<FileId>,
    /// Names that `extern crate` items of the root give to crates: known in every module.
    aliases: BTreeMap<String, String>,
}

/// The crates of a project and the files of each.
#[derive(Debug)]
pub(super) struct CrateGraph {
    crates: Vec<Crate>,
    packages: Vec<Package>,
    /// Folder of a package → its library's root.
    libraries: FxHashMap<String, FileId>,
    places: FxHashMap<FileId, ModulePosition>,
    /// Modules that no code declares, by the file whose macros may declare them (`automod::dir!`) and their names.
    generated: BTreeMap<FileId, BTreeMap<String, FileId>>,
    /// Test-only files, in order.
    test_files: Vec<FileId>,
    fingerprints: FxHashMap<FileId, u64>,
    /// Folder of a package → folders of the packages of the project that it depends on, through others as well.
    reach: BTreeMap<String, BTreeSet<String>>,
    /// Files by their packages.
    groups: Groups,
}

struct ProjectProbe<'a, 'p> {
    files: &'a Files<'p>,
    mains: BTreeMap<&'p str, Vec<&'p str>>,
}

impl Probe for ProjectProbe<'_, '_> {
    fn root_of(&self, path: &str) -> String {
        self.files.root_of(path).to_owned()
    }

    fn is_file(&self, path: &str) -> bool {
        self.files.find(path).is_some()
    }

    fn in_folder(&self, folder: &str) -> Vec<String> {
        self.files.in_folder(folder).into_iter().map(|file| self.files.path(file).to_owned()).collect()
    }

    fn with_main(&self, folder: &str) -> Vec<String> {
        self.mains.get(folder).into_iter().flatten().map(|path| (*path).to_owned()).collect()
    }
}

impl CrateGraph {
    pub(super) fn new(files: &Files<'_>, manifests: &Manifests) -> Self {
        let all: Vec<_> = files.all().into_iter().filter(|(_, _, brief)| brief.language == Language::Rust).collect();
        let mut mains: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (_, path, _) in &all {
            // `<folder>/<name>/main.rs`
            let above = path.strip_suffix("/main.rs").and_then(|folder| folder.rsplit_once('/'));
            if let Some((folder, _)) = above {
                mains.entry(folder).or_default().push(path);
            }
        }
        let packages = cargo::packages(manifests, &ProjectProbe { files, mains });
        let mut graph = Self {
            crates: Vec::new(),
            packages,
            libraries: FxHashMap::default(),
            places: FxHashMap::default(),
            generated: BTreeMap::new(),
            test_files: Vec::new(),
            fingerprints: FxHashMap::default(),
            reach: BTreeMap::new(),
            groups: Groups::default(),
        };
        graph.reach = cargo::reach(&graph.packages);
        let package = |folder| upwards(folder).find(|folder| graph.reach.contains_key(*folder));
        graph.groups = Groups::by_folder(files, package);
        graph.add_crates(files);
        // Roots without a manifest, as in a folder of examples.
        for (file, path, _) in &all {
            let name = path.rsplit('/').next().unwrap_or(path);
            if matches!(name, "lib.rs" | "main.rs" | "build.rs") && !graph.places.contains_key(file) {
                let kind = if name == "lib.rs" { TargetKind::Library } else { TargetKind::Other };
                graph.add_crate(files, *file, None, kind);
            }
        }
        let by_path: Vec<(FileId, &str)> = all.iter().map(|(file, path, _)| (*file, *path)).collect();
        graph.add_generated(files, &by_path);
        for (file, _, brief) in &all {
            if let (true, Some(place)) = (brief.macros, graph.places.get(file)) {
                graph.crates[place.of].macros.push(*file);
            }
        }
        let all: Vec<FileId> = all.into_iter().map(|(file, ..)| file).collect();
        graph.test_files = test_files(files, &graph.sources(files, &all));
        graph.fingerprints = graph.fingerprints(files);
        graph
    }

    /// All declarations that include these files in a build.
    fn sources(&self, files: &Files<'_>, all: &[FileId]) -> Vec<Source> {
        let roots = self.crates.iter().map(|of| {
            let test_only = of.kind == TargetKind::Test;
            Source { file: of.root, from: None, test_only }
        });
        let mut sources: Vec<Source> = roots.collect();
        for &from in all {
            for declared in &files.brief(from).declared {
                let target = self.find_declared(files, from, declared);
                let test_only = declared.test_only;
                sources.extend(target.map(|file| Source { file, from: Some(from), test_only }));
            }
            let generated = self.generated.get(&from).into_iter().flat_map(BTreeMap::values);
            sources.extend(generated.map(|&file| Source { file, from: Some(from), test_only: false }));
        }
        sources
    }

    fn add_crates(&mut self, files: &Files<'_>) {
        let mut roots = Vec::new();
        for (index, package) in self.packages.iter().enumerate() {
            for target in &package.targets {
                roots.extend(files.find(&target.root).map(|file| (target.kind, index, file)));
            }
        }
        // Libraries first: a file that a library and a program both declare counts as the library's.
        roots.sort_by_key(|(kind, ..)| *kind);
        for &(kind, index, file) in &roots {
            if kind == TargetKind::Library {
                self.libraries.insert(self.packages[index].folder.clone(), file);
            }
            let place = ModulePosition { of: 0, parent: None, is_conditional: false, owns_folder: true };
            self.places.insert(file, place);
        }
        for (kind, index, file) in roots {
            self.add_crate(files, file, Some(index), kind);
        }
    }

    /// Walks the modules of a crate from its root.
    fn add_crate(&mut self, files: &Files<'_>, root: FileId, package: Option<usize>, kind: TargetKind) {
        let of = self.crates.len();
        let aliases =
            files.brief(root).crates.iter().map(|(alias, name)| (alias.to_string(), name.to_string())).collect();
        self.crates.push(Crate { root, package, kind, macros: Vec::new(), aliases });
        self.places.insert(root, ModulePosition { of, parent: None, is_conditional: false, owns_folder: true });
        self.add_modules(files, of, root);
    }

    /// Adds the modules that a file of a crate declares, and those below.
    fn add_modules(&mut self, files: &Files<'_>, of: usize, file: FileId) {
        let mut work = vec![file];
        while let Some(file) = work.pop() {
            for declared in &files.brief(file).declared {
                let target = self.find_declared(files, file, declared);
                let Some(child) = target.filter(|child| !self.places.contains_key(child)) else { continue };
                if files.language(child) != Language::Rust {
                    continue;
                }
                let is_mod_rs = files.path(child).ends_with("/mod.rs") || files.path(child) == "mod.rs";
                let owns_folder = is_mod_rs || !declared.written.is_empty();
                let depth = u8::try_from(declared.inline.len()).unwrap_or(u8::MAX);
                let is_conditional =
                    declared.conditional || self.places.get(&file).is_some_and(|around| around.is_conditional);
                let parent = Some((file, depth));
                self.places.insert(child, ModulePosition { of, parent, is_conditional, owns_folder });
                work.push(child);
            }
        }
    }

    /// Adds files that no `mod` declares, where a module's file would be, below files that call macros outside of
    /// functions: `automod::dir!` and its like declare a module for each file of a folder.
    fn add_generated(&mut self, files: &Files<'_>, all: &[(FileId, &str)]) {
        for _ in 0..MAX_GENERATED_DEPTH {
            let before = self.places.len();
            for &(file, path) in all {
                if self.places.contains_key(&file) {
                    continue;
                }
                let (module, is_mod_rs) = match path.strip_suffix("/mod.rs") {
                    Some(folder) => (folder, true),
                    None => (path.strip_suffix(".rs").unwrap_or(path), false),
                };
                let Some(parent) = self.generating_parent(files, module) else { continue };
                let Some(&ModulePosition { of, is_conditional, .. }) = self.places.get(&parent) else { continue };
                let name = module.rsplit('/').next().unwrap_or(module).replace('-', "_");
                self.generated.entry(parent).or_default().insert(name, file);
                let parent = Some((parent, 0));
                self.places.insert(file, ModulePosition { of, parent, is_conditional, owns_folder: is_mod_rs });
                self.add_modules(files, of, file);
            }
            if self.places.len() == before {
                break;
            }
        }
    }

    /// The file of a crate whose macros may declare the module at a path without its extension.
    fn generating_parent(&self, files: &Files<'_>, module: &str) -> Option<FileId> {
        let (folder, _) = module.rsplit_once('/').unwrap_or(("", module));
        let owners = ["mod.rs", "lib.rs", "main.rs"].iter().filter_map(|name| join(folder, name));
        let beside = (!folder.is_empty()).then(|| format!("{folder}.rs"));
        owners.chain(beside).filter_map(|path| files.find(&path)).find(|file| {
            let owns_folder = self.places.get(file).map(|place| place.owns_folder);
            let is_beside = files.path(*file).strip_suffix(".rs") == Some(folder);
            files.brief(*file).item_macros && owns_folder.is_some_and(|owns| owns != is_beside)
        })
    }

    fn find_declared(&self, files: &Files<'_>, from: FileId, declared: &Declared) -> Option<FileId> {
        let inline: Vec<&str> = declared.inline.iter().map(|module| &**module).collect();
        self.find_module(files, from, &inline, &declared.name, &declared.written)
    }

    /// The file that `mod name;` in `from` names.
    fn find_module(
        &self,
        files: &Files<'_>,
        from: FileId,
        inline: &[&str],
        name: &str,
        written: &str,
    ) -> Option<FileId> {
        let path = files.path(from);
        let (folder, file_name) = path.rsplit_once('/').unwrap_or(("", path));
        let owns_folder = match self.places.get(&from) {
            Some(place) => place.owns_folder,
            None => matches!(file_name, "mod.rs" | "lib.rs" | "main.rs"),
        };
        let mut base = folder.to_owned();
        if !owns_folder && (written.is_empty() || !inline.is_empty()) {
            base = join(&base, file_name.strip_suffix(".rs").unwrap_or(file_name))?;
        }
        for module in inline {
            base = join(&base, module)?;
        }
        if !written.is_empty() {
            return files.find(&join(&base, &written.replace('\\', "/"))?);
        }
        let beside = join(&base, &format!("{name}.rs"))?;
        files.find(&beside).or_else(|| files.find(&join(&base, &format!("{name}/mod.rs")).unwrap_or_default()))
    }

    /// Target of a crate name in a crate.
    fn extern_crate(&self, from: usize, name: &str) -> Option<ModuleTarget> {
        let here = &self.crates[from];
        if let Some(package) = here.package.map(|index| &self.packages[index]) {
            if let Some(dependency) = package.dependencies.get(name) {
                return Some(self.dependency(dependency));
            }
            // Programs, examples and tests see the library of their package; so does the library itself in its tests.
            if package.library_name == name
                && matches!(here.kind, TargetKind::Other | TargetKind::Test)
                && let Some(root) = self.libraries.get(&package.folder)
            {
                return Some(ModuleTarget::File(*root));
            }
        }
        prelude::STANDARD_CRATES.contains(&name).then(|| ModuleTarget::External(prelude::STANDARD.into()))
    }

    fn dependency(&self, dependency: &Dependency) -> ModuleTarget {
        match dependency {
            Dependency::External(package) => ModuleTarget::External(package.clone()),
            Dependency::Folder(folder) => match self.libraries.get(folder) {
                Some(root) => ModuleTarget::File(*root),
                None => ModuleTarget::External(folder.rsplit('/').next().unwrap_or(folder).to_owned()),
            },
        }
    }

    /// What is answered for each file, as hashes: what its crate can name, and the modules around it.
    fn fingerprints(&self, files: &Files<'_>) -> FxHashMap<FileId, u64> {
        let crates: Vec<u64> = self.crates.iter().map(|of| self.crate_fingerprint(files, of)).collect();
        let mut found: FxHashMap<FileId, u64> = FxHashMap::default();
        let mut chain = Vec::new();
        for &file in self.places.keys() {
            // The modules around it first; iteratively, since they may be many.
            let mut next = Some(file).filter(|file| !found.contains_key(file));
            while let Some(file) = next {
                chain.push(file);
                let parent = self.places.get(&file).and_then(|place| place.parent);
                next = parent.map(|(parent, _)| parent).filter(|parent| !found.contains_key(parent));
            }
            while let Some(file) = chain.pop() {
                let Some(place) = self.places.get(&file) else { continue };
                let mut hasher = FxHasher::default();
                (crates[place.of], place.owns_folder, place.is_conditional).hash(&mut hasher);
                let around = place.parent.map(|(file, depth)| (files.path(file), depth, found.get(&file)));
                around.hash(&mut hasher);
                found.insert(file, hasher.finish());
            }
        }
        for (file, modules) in &self.generated {
            let mut hasher = FxHasher::default();
            modules.iter().for_each(|(name, file)| (name, files.path(*file)).hash(&mut hasher));
            *found.entry(*file).or_default() ^= hasher.finish();
        }
        // A file may be the root of several crates.
        for (of, hash) in self.crates.iter().zip(&crates) {
            let own = found.entry(of.root).or_default();
            *own = own.rotate_left(1) ^ hash;
        }
        found
    }

    fn crate_fingerprint(&self, files: &Files<'_>, of: &Crate) -> u64 {
        let mut hasher = FxHasher::default();
        (files.path(of.root), of.kind, &of.aliases).hash(&mut hasher);
        of.macros.iter().for_each(|file| files.path(*file).hash(&mut hasher));
        if let Some(package) = of.package.map(|index| &self.packages[index]) {
            let library = self.libraries.get(&package.folder);
            (&package.folder, &package.library_name, library.map(|file| files.path(*file))).hash(&mut hasher);
            for (name, dependency) in &package.dependencies {
                let library = match dependency {
                    Dependency::Folder(folder) => self.libraries.get(folder),
                    Dependency::External(_) => None,
                };
                (name, dependency, library.map(|file| files.path(*file))).hash(&mut hasher);
            }
        }
        hasher.finish()
    }
}

impl Resolver for CrateGraph {
    fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.reach.hash(&mut hasher);
        hasher.finish()
    }

    fn may_use(&self, files: &Files<'_>, from: FileId, to: FileId) -> bool {
        self.groups.answer(from, to, || {
            let packages = (self.package_around(files.path(from)), self.package_around(files.path(to)));
            let (Some((own, reach)), Some((other, _))) = packages else { return true };
            own == other || reach.contains(other)
        })
    }

    fn file_fingerprint(&self, file: FileId) -> u64 {
        self.fingerprints.get(&file).copied().unwrap_or_default()
    }

    fn is_conditional(&self, files: &Files<'_>, file: FileId) -> bool {
        files.see(file);
        self.places.get(&file).is_some_and(|place| place.is_conditional)
    }

    fn test_files(&self) -> &[FileId] {
        &self.test_files
    }

    fn module(&self, _files: &Files<'_>, _from: FileId, _module: &str, _level: u16) -> ModuleTarget {
        // Imports of Rust are paths.
        ModuleTarget::NotFound
    }

    fn file_module(&self, files: &Files<'_>, from: FileId, inline: &[&str], name: &str, written: &str) -> ModuleTarget {
        files.see(from);
        self.find_module(files, from, inline, name, written).map_or(ModuleTarget::NotFound, ModuleTarget::File)
    }

    fn near(&self, files: &Files<'_>, from: FileId, name: &str) -> Option<ModuleTarget> {
        files.see(from);
        let file = self.generated.get(&from)?.get(name)?;
        Some(ModuleTarget::File(*file))
    }

    fn root(&self, files: &Files<'_>, from: FileId, root: PathRoot) -> ModuleTarget {
        files.see(from);
        let Some(place) = self.places.get(&from) else { return ModuleTarget::NotFound };
        let found = match root {
            PathRoot::Crate | PathRoot::Global => Some(self.crates[place.of].root),
            PathRoot::SelfModule => Some(from),
            PathRoot::Super(levels) => self.above(from, levels),
        };
        found.map_or(ModuleTarget::NotFound, ModuleTarget::File)
    }

    fn outside(&self, files: &Files<'_>, from: FileId, name: &str) -> Option<ModuleTarget> {
        files.see(from);
        let of = self.places.get(&from).map(|place| place.of);
        let by_crate = of.and_then(|of| {
            let written = self.crates[of].aliases.get(name).map_or(name, String::as_str);
            self.extern_crate(of, written)
        });
        let orphan = of.is_none() && prelude::STANDARD_CRATES.contains(&name);
        let standard = || (orphan || prelude::knows(name)).then(|| ModuleTarget::External(prelude::STANDARD.into()));
        by_crate.or_else(standard)
    }

    fn macro_files(&self, files: &Files<'_>, from: FileId) -> Vec<FileId> {
        files.see(from);
        let Some(place) = self.places.get(&from) else { return vec![from] };
        // Macros are visible in the text after them, including modules declared there. Their order relative to each
        // `mod` is not tracked: a name that several files define stays ambiguous.
        let others = self.crates[place.of].macros.iter().copied().filter(|file| *file != from);
        std::iter::once(from).chain(others).collect()
    }

    fn exported_macro_files(&self, files: &Files<'_>, of: FileId) -> Vec<FileId> {
        files.see(of);
        let crates = self.crates.iter().filter(|one| one.root == of);
        crates.flat_map(|one| one.macros.iter().copied()).collect()
    }
}

impl CrateGraph {
    /// The package whose folder a path is in, the innermost one, with the packages that it depends on.
    fn package_around(&self, path: &str) -> Option<(&String, &BTreeSet<String>)> {
        upwards(path.rsplit_once('/').map_or("", |(folder, _)| folder))
            .find_map(|folder| self.reach.get_key_value(folder))
    }

    /// The file `levels` modules up; `None` if that is an inline module or above the root.
    fn above(&self, from: FileId, levels: u8) -> Option<FileId> {
        let mut file = from;
        let mut left = levels;
        while left > 0 {
            let (parent, depth) = self.places.get(&file)?.parent?;
            if left <= depth {
                return None;
            }
            left -= depth + 1;
            file = parent;
        }
        Some(file)
    }
}
