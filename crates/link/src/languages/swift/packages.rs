//! Modules: the targets of `Package.swift`, else folders of sources.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use m1nd_lang::Language;
use rustc_hash::{FxHashMap, FxHasher};

use super::super::Manifests;
use super::super::paths::{count_shared, folder, join, upwards};
use crate::rules::ModuleTarget;
use crate::tables::files::{FileId, Files};

/// Folders that hold a folder for each target.
const SOURCE_FOLDERS: &[&str] = &["Sources", "Source", "src", "srcs", "Tests", "Plugins"];
/// Functions of a manifest that declare a target.
const TARGETS: &[&str] = &[".target(", ".executableTarget(", ".testTarget(", ".macro(", ".plugin("];
/// Maximum bytes of the declaration of one target.
const MAX_TARGET: usize = 20_000;
/// Maximum number of targets of one manifest.
const MAX_TARGETS: usize = 2_000;

pub(super) fn is_manifest(name: &str) -> bool {
    name == "Package.swift" || name.starts_with("Package@swift") && name.ends_with(".swift")
}

/// A target of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Declared {
    name: String,
    path: Option<String>,
    /// Names in its declaration, among them those of what it depends on.
    names: BTreeSet<String>,
}

/// A module of the project.
#[derive(Debug)]
struct Module {
    name: String,
    /// Folder that its name is looked up near of.
    home: String,
    files: Vec<FileId>,
    /// Modules that it says it depends on; `None` if it says nothing.
    uses: Option<BTreeSet<String>>,
    /// Modules that its files hand on to those that import it.
    exported: BTreeSet<String>,
}

/// All modules of a project.
#[derive(Debug, Default)]
pub(super) struct Modules {
    all: Vec<Module>,
    of_files: FxHashMap<FileId, usize>,
    by_name: BTreeMap<String, Vec<usize>>,
    pub(super) fingerprint: u64,
}

/// A string literal at the start of a text.
fn literal(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix('"')?.split('"').next()
}

/// The value of an argument of a declaration that is a string.
fn argument<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.split(name).skip(1).find_map(|rest| literal(rest.trim_start().strip_prefix(':')?))
}

/// The text up to the bracket that closes what is open at its start.
fn inside(text: &str) -> &str {
    let mut depth = 1usize;
    let mut is_text = false;
    for (place, c) in text.char_indices().take(MAX_TARGET) {
        match c {
            '"' => is_text = !is_text,
            '(' if !is_text => depth += 1,
            ')' if !is_text => {
                depth -= 1;
                if depth == 0 {
                    return &text[..place];
                }
            }
            _ => {}
        }
    }
    ""
}

/// The targets that a manifest declares.
fn read_targets(text: &str) -> Vec<Declared> {
    let mut all: Vec<Declared> = Vec::new();
    for start in TARGETS {
        for (place, _) in text.match_indices(start).take(MAX_TARGETS) {
            let body = inside(&text[place + start.len()..]);
            let Some(name) = argument(body, "name") else { continue };
            let names: BTreeSet<String> = body.split('"').skip(1).step_by(2).map(str::to_owned).collect();
            let is_dependency = body.trim_start().starts_with("name") && !body.contains(',');
            // `.target(name: "A")` among the dependencies of another.
            if is_dependency && all.iter().any(|known| known.name == name) {
                continue;
            }
            all.push(Declared { name: name.to_owned(), path: argument(body, "path").map(str::to_owned), names });
        }
    }
    all
}

/// The targets of all manifests, by their folder.
fn read_packages(manifests: &Manifests) -> BTreeMap<String, Vec<Declared>> {
    let mut packages: BTreeMap<String, Vec<Declared>> = BTreeMap::new();
    for (path, text) in manifests {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if is_manifest(name) {
            packages.entry(folder.to_owned()).or_default().extend(read_targets(text));
        }
    }
    packages
}

/// What a path has below a folder.
fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}

/// The module that a file belongs to: the folder of its package, its name, what it depends on.
fn place_of(path: &str, packages: &BTreeMap<String, Vec<Declared>>) -> (String, String, Option<BTreeSet<String>>) {
    let name = path.rsplit('/').next().unwrap_or(path);
    if is_manifest(name) {
        return (path.to_owned(), name.to_owned(), None);
    }
    let package = upwards(folder(path)).find_map(|folder| packages.get_key_value(folder));
    let Some((home, targets)) = package else {
        let first = path.split_once('/').map_or("", |(first, _)| first);
        return (String::new(), first.to_owned(), None);
    };
    let within = |target: &&Declared, written: &str| {
        let whole = join(home, written)?;
        below(path, &whole).filter(|_| !target.name.is_empty()).map(|_| whole.len())
    };
    let by_path = targets.iter().filter_map(|target| Some((within(&target, target.path.as_deref()?)?, target)));
    if let Some((_, target)) = by_path.max_by_key(|(len, _)| *len) {
        return (home.clone(), target.name.clone(), Some(target.names.clone()));
    }
    let mut parts = below(path, home).unwrap_or(path).split('/');
    let first = parts.next().unwrap_or_default();
    let second = parts.next().filter(|second| !second.ends_with(".swift"));
    // Folders of targets may stand in folders of their own.
    let middle: Vec<&str> = path.split('/').collect();
    let known = targets
        .iter()
        .filter(|target| target.path.is_none() && middle.contains(&target.name.as_str()))
        .max_by_key(|target| target.name.len());
    match (SOURCE_FOLDERS.contains(&first), second, known) {
        (true, Some(second), _) if targets.iter().any(|target| target.name == second) => {
            let target = targets.iter().find(|target| target.name == second);
            (home.clone(), second.to_owned(), target.map(|target| target.names.clone()))
        }
        (_, _, Some(target)) => (home.clone(), target.name.clone(), Some(target.names.clone())),
        (true, Some(second), None) => (home.clone(), second.to_owned(), None),
        (true, None, None) => match targets.iter().find(|target| target.path.is_none()) {
            Some(target) => (home.clone(), target.name.clone(), Some(target.names.clone())),
            None => (home.clone(), first.to_owned(), None),
        },
        _ => (home.clone(), first.to_owned(), None),
    }
}

impl Modules {
    pub(super) fn new(files: &Files<'_>, manifests: &Manifests) -> Self {
        let packages = read_packages(manifests);
        let mut all = Self::default();
        let mut places: BTreeMap<(String, String), usize> = BTreeMap::new();
        let mut hasher = FxHasher::default();
        for (file, path, brief) in files.all() {
            if brief.language != Language::Swift {
                continue;
            }
            let (home, name, uses) = place_of(path, &packages);
            (path, &home, &name, &uses, &brief.modules).hash(&mut hasher);
            let place = *places.entry((home.clone(), name.clone())).or_insert_with(|| {
                let module = Module { name: name.clone(), home, files: Vec::new(), uses, exported: BTreeSet::new() };
                all.all.push(module);
                all.all.len() - 1
            });
            let exported = brief.modules.iter().filter_map(|module| module.strip_prefix('+'));
            all.all[place].exported.extend(exported.map(str::to_owned));
            all.all[place].files.push(file);
            all.of_files.insert(file, place);
        }
        for (place, module) in all.all.iter().enumerate() {
            all.by_name.entry(module.name.clone()).or_default().push(place);
        }
        all.fingerprint = hasher.finish();
        all
    }

    /// The other files of the module of a file, and itself.
    pub(super) fn files_beside(&self, file: FileId) -> &[FileId] {
        self.of_files.get(&file).map_or(&[], |&place| &self.all[place].files)
    }

    fn nearest(&self, path: &str, name: &str) -> Option<usize> {
        let places = self.by_name.get(name)?;
        places.iter().copied().max_by_key(|&place| {
            let home = &self.all[place].home;
            (count_shared(home, path), std::cmp::Reverse(home.len()))
        })
    }

    /// The module of a name, seen from a path, with what it hands on.
    pub(super) fn find(&self, path: &str, name: &str) -> Option<ModuleTarget> {
        let first = self.nearest(path, name)?;
        let mut seen = vec![first];
        let mut next = 0;
        while let Some(&place) = seen.get(next) {
            next += 1;
            for exported in &self.all[place].exported {
                if let Some(other) = self.nearest(path, exported)
                    && !seen.contains(&other)
                {
                    seen.push(other);
                }
            }
        }
        let files: Vec<FileId> = seen.into_iter().flat_map(|place| self.all[place].files.clone()).collect();
        Some(ModuleTarget::Files(files))
    }

    /// Returns whether code in one file may use what another defines, as far as manifests say.
    pub(super) fn knows(&self, from: FileId, to: FileId) -> bool {
        let (Some(&from), Some(&to)) = (self.of_files.get(&from), self.of_files.get(&to)) else { return true };
        let mut seen = vec![from];
        let mut next = 0;
        while let Some(&place) = seen.get(next) {
            next += 1;
            let module = &self.all[place];
            let Some(uses) = &module.uses else { return true };
            if place == to {
                return true;
            }
            let others: Vec<usize> = uses.iter().flat_map(|name| self.by_name.get(name)).flatten().copied().collect();
            seen.extend(others.into_iter().filter(|other| !seen.contains(other)).collect::<BTreeSet<_>>());
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_a_manifest() {
        let text = r#"let package = Package(name: "P", products: [.library(name: "A", targets: ["A"])], targets: [
            .target(name: "A", dependencies: ["B", .product(name: "Log", package: "log")], path: "Source"),
            .testTarget(name: "ATests", dependencies: [.target(name: "A")]),
            .target(kind: .hidden, name: "B"),
        ])"#;
        let found: Vec<_> = read_targets(text).into_iter().map(|target| (target.name, target.path)).collect();
        let source = Some("Source".to_owned());
        assert_eq!(found, [("A".to_owned(), source), ("B".to_owned(), None), ("ATests".to_owned(), None)]);
    }

    #[test]
    fn modules_of_paths() {
        let manifest = r#".target(name: "A", path: "Source"), .target(name: "B"), .testTarget(name: "BTests")"#;
        let packages = read_packages(&[("p/Package.swift".to_owned(), manifest.to_owned())].into());
        let name = |path: &str| place_of(path, &packages).1;
        assert_eq!(name("p/Source/x/a.swift"), "A");
        assert_eq!(name("p/Sources/B/b.swift"), "B");
        assert_eq!(name("p/Tests/BTests/b.swift"), "BTests");
        assert_eq!(name("p/Sources/Other/b.swift"), "Other");
        assert_eq!(name("p/Package.swift"), "Package.swift");
        assert_eq!(name("App/Views/a.swift"), "App", "no manifest is above");
    }
}
