//! Resolves an import path to the files of a folder, or to the name of an external module.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use m1nd_lang::Language;
use rustc_hash::FxHasher;

use super::super::Manifests;
use super::super::paths::join;
use super::manifest::Manifest;
use super::platforms::Platform;
use super::universe::UNIVERSE;
use crate::rules::{ModuleTarget, Resolver};
use crate::tables::files::{FileId, Files};

/// External package for names of the language.
const BUILTIN: &str = "builtin";

/// A module of the project.
#[derive(Debug, Hash)]
struct GoModule {
    /// Its module path.
    path: String,
    requires: Vec<String>,
    /// Module path → where its packages are instead.
    local: BTreeMap<String, String>,
    /// Module path → module path that replaces it.
    replaced: BTreeMap<String, String>,
}

/// The modules of a project, by the folder of their `go.mod`.
#[derive(Debug, Hash)]
pub(super) struct GoModules {
    modules: BTreeMap<String, GoModule>,
    /// Module path → folders of the modules with this path.
    by_path: BTreeMap<String, Vec<String>>,
}

/// Where a package of the project is.
enum Place {
    Folder(String),
    /// Folders of modules that a build may replace by a published version.
    Versions(Vec<String>),
}

impl GoModules {
    pub(super) fn new(files: &Files<'_>, manifests: &Manifests) -> Self {
        let mut modules = BTreeMap::new();
        let mut workspaces = Vec::new();
        for (path, text) in manifests {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            match name {
                "go.mod" => {
                    let manifest = Manifest::read(text);
                    let local = local_folders(folder, &manifest);
                    let replaced = replaced_modules(&manifest);
                    if let Some(path) = manifest.module {
                        let requires = manifest.requires;
                        modules.insert(folder.to_owned(), GoModule { path, requires, local, replaced });
                    }
                }
                "go.work" => workspaces.push((folder, Manifest::read(text))),
                _ => {}
            }
        }
        let mut by_path: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (folder, module) in &modules {
            by_path.entry(module.path.clone()).or_default().push(folder.clone());
        }
        let mut found = Self { modules, by_path };
        for (folder, workspace) in workspaces {
            found.add_workspace(folder, &workspace);
        }
        found.keep_inside(files);
        found.join_repositories(files);
        found
    }

    /// Drops folders outside of the repository that do not hold the module: paths out of it are those of another
    /// machine.
    fn keep_inside(&mut self, files: &Files<'_>) {
        let paths: BTreeMap<String, String> =
            self.modules.iter().map(|(folder, module)| (folder.clone(), module.path.clone())).collect();
        for (folder, module) in &mut self.modules {
            let own = files.root_of(folder);
            let is_module = |path: &String, target: &String| paths.get(target) == Some(path);
            module.local.retain(|path, target| files.root_of(target) == own || is_module(path, target));
        }
    }

    /// A required module that another repository has is that one, whatever the version, unless the manifest or a
    /// workspace names a folder for it.
    fn join_repositories(&mut self, files: &Files<'_>) {
        let mut by_path: BTreeMap<String, Vec<(&str, String)>> = BTreeMap::new();
        for (folder, module) in &self.modules {
            by_path.entry(module.path.clone()).or_default().push((files.root_of(folder), folder.clone()));
        }
        for (folder, module) in &mut self.modules {
            let own = files.root_of(folder);
            for required in &module.requires {
                let others: Vec<_> = by_path.get(required).into_iter().flatten().collect();
                // Copies in several repositories leave open which one is meant.
                if let [(root, folder)] = others.as_slice()
                    && *root != own
                {
                    module.local.entry(required.clone()).or_insert_with(|| folder.clone());
                }
            }
        }
    }

    /// The modules of a workspace see each other, whatever their own manifests say.
    fn add_workspace(&mut self, folder: &str, workspace: &Manifest) {
        let members: Vec<String> = workspace.uses.iter().filter_map(|used| join(folder, used)).collect();
        let mut shared = local_folders(folder, workspace);
        for member in &members {
            if let Some(module) = self.modules.get(member) {
                shared.insert(module.path.clone(), member.clone());
            }
        }
        for member in &members {
            if let Some(module) = self.modules.get_mut(member) {
                module.local.extend(shared.iter().map(|(path, folder)| (path.clone(), folder.clone())));
                module.replaced.extend(replaced_modules(workspace));
            }
        }
    }

    /// The module that a file belongs to: the nearest manifest above it.
    fn around(&self, path: &str) -> Option<(&str, &GoModule)> {
        let mut folder = folder_of(path);
        loop {
            if let Some((folder, module)) = self.modules.get_key_value(folder) {
                return Some((folder, module));
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder_of(folder);
        }
    }

    /// Where a package of the project is.
    fn place(&self, files: &Files<'_>, from: &str, path: &str) -> Option<Place> {
        let Some((home, module)) = self.around(from) else {
            // Without a manifest paths count from a source root.
            let home = files.root_of(from);
            let mut roots = ["", "src", "vendor"].iter().map(|root| concat(&concat(home, root), path));
            let folder = roots.find(|folder| has_sources(files, folder)).map(Place::Folder);
            return folder.or_else(|| Some(Place::Versions(self.versions(None, path)?.1)));
        };
        let versions = self.versions(Some(module), path);
        let own = below(path, &module.path).map(|rest| (module.path.len(), home, rest));
        let local = module.local.iter().filter_map(|(prefix, folder)| {
            let rest = below(path, prefix)?;
            Some((prefix.len(), folder.as_str(), rest))
        });
        // The longest matching module path is the module of the package.
        if let Some((len, folder, rest)) = own.into_iter().chain(local).max_by_key(|(len, ..)| *len)
            && versions.as_ref().is_none_or(|(longest, _)| *longest <= len)
        {
            return Some(Place::Folder(concat(folder, rest)));
        }
        let vendor = concat(home, "vendor");
        let vendored = concat(&vendor, path);
        if files.is_folder(&vendor) && has_sources(files, &vendored) {
            return Some(Place::Folder(vendored));
        }
        versions.map(|(_, folders)| Place::Versions(folders))
    }

    /// Length of the longest path of a module of the project that holds a package, and the package's folders there.
    /// Nothing says that a build uses these folders: they are what is published under the path, in some version.
    fn versions(&self, module: Option<&GoModule>, path: &str) -> Option<(usize, Vec<String>)> {
        let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        ends.collect::<Vec<_>>().into_iter().rev().find_map(|end| {
            let (prefix, rest) = (&path[..end], path[end..].trim_start_matches('/'));
            let meant = module.and_then(|module| module.replaced.get(prefix)).map_or(prefix, String::as_str);
            let folders = self.by_path.get(meant)?;
            Some((end, folders.iter().map(|folder| concat(folder, rest)).collect()))
        })
    }

    /// Name of the external module of a package.
    fn external(&self, from: &str, path: &str) -> String {
        let required = self.around(from).and_then(|(_, module)| {
            let fits = module.requires.iter().filter(|required| below(path, required).is_some());
            fits.max_by_key(|required| required.len())
        });
        if let Some(required) = required {
            return required.clone();
        }
        let mut parts = path.split('/');
        let is_host = parts.next().is_some_and(|host| host.contains('.'));
        // Paths of the standard library have no host; hosts have repositories of an owner.
        let end = path.match_indices('/').nth(2).map_or(path.len(), |(place, _)| place);
        if is_host { path[..end].to_owned() } else { path.to_owned() }
    }

    /// The files of a package's folder that `from` sees when it imports it.
    fn package(files: &Files<'_>, from: FileId, folder: &str) -> Vec<FileId> {
        let inside = folder_of(files.path(from)) == folder && is_test(files.path(from));
        let platform = Platform::of_file(files.path(from));
        let mut by_name: BTreeMap<&str, Vec<FileId>> = BTreeMap::new();
        for file in sources(files, folder) {
            let name = files.heading(file).package.as_deref().unwrap_or_default();
            let is_test = is_test(files.path(file)) && (!inside || name.ends_with("_test"));
            let hidden = is_test || !platform.fits(Platform::of_file(files.path(file)));
            if !hidden {
                by_name.entry(name).or_default().push(file);
            }
        }
        let last = folder.rsplit('/').next().unwrap_or(folder);
        // Programs and generators in the folder of a library are left out of its builds.
        let best = by_name.into_iter().max_by_key(|(name, files)| (*name != "main", *name == last, files.len()));
        best.map(|(_, files)| files).unwrap_or_default()
    }

    /// An import of the file whose package calls itself `name`, where its path did not say so.
    fn by_clause(&self, files: &Files<'_>, from: FileId, name: &str) -> Option<ModuleTarget> {
        let mut outside = None;
        for path in &files.imports(from).modules {
            match self.module(files, from, path, 0) {
                ModuleTarget::Files(found) if files.heading(*found.first()?).package.as_deref() == Some(name) => {
                    return Some(ModuleTarget::Files(found));
                }
                ModuleTarget::Version(found, package)
                    if files.heading(*found.first()?).package.as_deref() == Some(name) =>
                {
                    return Some(ModuleTarget::Version(found, package));
                }
                ModuleTarget::External(package)
                    if path.split(|c: char| !c.is_alphanumeric()).any(|part| part == name) =>
                {
                    outside = outside.or(Some(ModuleTarget::External(package)));
                }
                _ => {}
            }
        }
        outside
    }
}

impl Resolver for GoModules {
    fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.hash(&mut hasher);
        hasher.finish()
    }

    fn module(&self, files: &Files<'_>, from: FileId, module: &str, _level: u16) -> ModuleTarget {
        if module == "C" {
            return ModuleTarget::External("C".to_owned());
        }
        match self.place(files, files.path(from), module) {
            Some(Place::Folder(folder)) => {
                let found = Self::package(files, from, &folder);
                if found.is_empty() { ModuleTarget::NotFound } else { ModuleTarget::Files(found) }
            }
            Some(Place::Versions(folders)) => {
                let found: Vec<_> = folders.iter().flat_map(|folder| Self::package(files, from, folder)).collect();
                let package = self.external(files.path(from), module);
                if found.is_empty() { ModuleTarget::External(package) } else { ModuleTarget::Version(found, package) }
            }
            None if module.is_empty() => ModuleTarget::NotFound,
            None => ModuleTarget::External(self.external(files.path(from), module)),
        }
    }

    fn outside(&self, files: &Files<'_>, from: FileId, name: &str) -> Option<ModuleTarget> {
        if UNIVERSE.contains(&name) {
            return Some(ModuleTarget::External(BUILTIN.to_owned()));
        }
        self.by_clause(files, from, name)
    }

    fn siblings(&self, files: &Files<'_>, from: FileId) -> Vec<FileId> {
        let Some(name) = files.heading(from).package.as_deref() else { return Vec::new() };
        let tests = is_test(files.path(from));
        let mut found = sources(files, folder_of(files.path(from)));
        let platform = Platform::of_file(files.path(from));
        found.retain(|&file| {
            files.heading(file).package.as_deref() == Some(name)
                && (tests || !is_test(files.path(file)))
                && platform.fits(Platform::of_file(files.path(file)))
        });
        found
    }

    fn is_conditional(&self, files: &Files<'_>, file: FileId) -> bool {
        Platform::of_file(files.path(file)).is_limited()
    }
}

/// Replacements by folders of the project.
fn local_folders(folder: &str, manifest: &Manifest) -> BTreeMap<String, String> {
    let local = manifest.replaces.iter().filter(|replace| replace.target.starts_with('.'));
    local.filter_map(|replace| Some((replace.module.clone(), join(folder, &replace.target)?))).collect()
}

/// Replacements by other modules.
fn replaced_modules(manifest: &Manifest) -> BTreeMap<String, String> {
    let replaced = manifest.replaces.iter().filter(|replace| !replace.target.starts_with('.'));
    replaced.map(|replace| (replace.module.clone(), replace.target.clone())).collect()
}

/// Go files directly in a folder.
fn sources(files: &Files<'_>, folder: &str) -> Vec<FileId> {
    let mut found = files.in_folder(folder);
    found.retain(|&file| files.language(file) == Language::Go);
    found
}

fn has_sources(files: &Files<'_>, folder: &str) -> bool {
    !sources(files, folder).is_empty()
}

fn is_test(path: &str) -> bool {
    path.ends_with("_test.go")
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The part of a package's path after the path of its module.
fn below<'a>(path: &'a str, module: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(module)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

fn concat(folder: &str, rest: &str) -> String {
    match (folder, rest) {
        ("", rest) => rest.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, rest) => format!("{folder}/{rest}"),
    }
}
