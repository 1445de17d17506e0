//! The namespaces of the project: a namespace is all files that declare it, wherever they are.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use m1nd_lang::Language;
use rustc_hash::FxHasher;

use super::super::Manifests;
use super::super::paths::count_shared;
use super::projects::{Projects, project_of, read_projects};
use super::standard;
use crate::rules::ModuleTarget;
use crate::tables::files::{FileId, Files};

/// A place where a type is written.
#[derive(Debug, Clone)]
struct Place {
    file: FileId,
    /// The modules around it in the file, and its name.
    names: Vec<String>,
}

/// The namespaces of a project.
#[derive(Debug, Default)]
pub(super) struct Namespaces {
    /// Types by namespace and name, in order of their paths.
    types: BTreeMap<String, BTreeMap<String, Vec<Place>>>,
    /// Namespaces, and every beginning of them.
    above: BTreeSet<String>,
    projects: Projects,
    /// Namespaces that the files of a folder's project use in all files.
    shared: BTreeMap<String, Vec<String>>,
    fingerprint: u64,
}

/// A namespace, then those around it, from the inside out; the global one last.
fn around(namespace: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(namespace);
    std::iter::from_fn(move || {
        let here = next?;
        next = match here.rsplit_once('.') {
            Some((outer, _)) => Some(outer),
            None => (!here.is_empty()).then_some(""),
        };
        Some(here)
    })
}

fn join(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}.{name}") }
}

fn package_of<'a>(files: &Files<'a>, file: FileId) -> &'a str {
    files.heading(file).package.as_deref().unwrap_or_default()
}

impl Namespaces {
    /// The namespaces that the files declare.
    pub(super) fn new(files: &Files<'_>, manifests: &Manifests) -> Self {
        let mut all = Self { projects: read_projects(manifests), ..Self::default() };
        let mut hasher = FxHasher::default();
        all.projects.hash(&mut hasher);
        for (folder, usings) in &all.projects {
            all.shared.insert(folder.clone(), usings.clone());
        }
        for (file, path, brief) in files.all() {
            if brief.language != Language::CSharp {
                continue;
            }
            let package = brief.package.as_deref().unwrap_or_default();
            (path, package, &brief.types, &brief.modules).hash(&mut hasher);
            for written in &brief.types {
                let names: Vec<String> = written.split('/').map(str::to_owned).collect();
                let Some((name, modules)) = names.split_last() else { continue };
                let namespace = modules.iter().fold(package.to_owned(), |namespace, module| join(&namespace, module));
                let place = Place { file, names: names.clone() };
                all.types.entry(namespace).or_default().entry(name.clone()).or_default().push(place);
            }
            let project = project_of(&all.projects, path).unwrap_or_default().to_owned();
            all.shared.entry(project).or_default().extend(brief.modules.iter().map(|module| module.to_string()));
        }
        for namespace in all.types.keys() {
            all.above.extend(around(namespace).filter(|name| !name.is_empty()).map(str::to_owned));
        }
        all.fingerprint = hasher.finish();
        all
    }

    pub(super) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Returns whether a dotted name is the beginning of a namespace of the project.
    pub(super) fn is_above(&self, name: &str) -> bool {
        !name.is_empty() && self.above.contains(name)
    }

    /// Namespaces that all files built with a file use.
    pub(super) fn list_shared(&self, files: &Files<'_>, from: FileId) -> Vec<&str> {
        let project = project_of(&self.projects, files.path(from)).unwrap_or_default();
        self.shared.get(project).into_iter().flatten().map(String::as_str).collect()
    }

    /// A type of a namespace that all files use.
    pub(super) fn find_shared(&self, files: &Files<'_>, from: FileId, name: &str) -> Option<ModuleTarget> {
        self.list_shared(files, from).into_iter().find_map(|namespace| self.find(files, from, namespace, name))
    }

    /// The type of a namespace, seen from a file: of several of the name those of its project, else those nearest.
    fn find(&self, files: &Files<'_>, from: FileId, namespace: &str, name: &str) -> Option<ModuleTarget> {
        let places = self.types.get(namespace)?.get(name)?;
        let path = files.path(from);
        let project = project_of(&self.projects, path);
        let near = |place: &&Place| {
            let other = files.path(place.file);
            let is_same = project.is_some() && project_of(&self.projects, other) == project;
            (is_same, count_shared(other, path))
        };
        let nearest = places.iter().map(|place| near(&place)).max()?;
        let mut found: Vec<&Place> = places.iter().filter(|place| near(place) == nearest).collect();
        let names = found.first()?.names.clone();
        found.retain(|place| place.names == names);
        let mut found: Vec<FileId> = found.iter().map(|place| place.file).collect();
        found.dedup();
        Some(ModuleTarget::Member(found, names))
    }

    /// All places of a type of the namespace that a file declares by its modules, in the file's project.
    pub(super) fn parts(
        &self,
        files: &Files<'_>,
        from: FileId,
        inline: &[&str],
        name: &str,
    ) -> Vec<(FileId, Vec<String>)> {
        let namespace = inline.iter().fold(package_of(files, from).to_owned(), |namespace, one| join(&namespace, one));
        let places = self.types.get(&namespace).and_then(|types| types.get(name));
        let project = project_of(&self.projects, files.path(from));
        let is_same = |place: &&Place| project_of(&self.projects, files.path(place.file)) == project;
        let same = places.into_iter().flatten().filter(is_same);
        same.map(|place| (place.file, place.names.clone())).collect()
    }

    /// A type of the namespaces around a place.
    pub(super) fn near(&self, files: &Files<'_>, from: FileId, inline: &[&str], name: &str) -> Option<ModuleTarget> {
        let namespace = inline.iter().fold(package_of(files, from).to_owned(), |namespace, one| join(&namespace, one));
        for namespace in around(&namespace) {
            if let Some(target) = self.find(files, from, namespace, name) {
                return Some(target);
            }
            let inner = join(namespace, name);
            if !namespace.is_empty() && self.is_above(&inner) {
                return Some(ModuleTarget::Folder(inner));
            }
        }
        None
    }

    /// Target of a dotted name: a namespace, a type, a nested type. A name may leave out what is around the file.
    pub(super) fn find_named(&self, files: &Files<'_>, from: FileId, name: &str) -> ModuleTarget {
        let package = package_of(files, from);
        let outer = std::iter::once("").chain(around(package).filter(|namespace| !namespace.is_empty()));
        for namespace in outer {
            if let Some(target) = self.find_whole(files, from, &join(namespace, name)) {
                return target;
            }
        }
        ModuleTarget::External(name.to_owned())
    }

    fn find_whole(&self, files: &Files<'_>, from: FileId, name: &str) -> Option<ModuleTarget> {
        if self.is_above(name) {
            return Some(ModuleTarget::Folder(name.to_owned()));
        }
        let ends = name.match_indices('.').map(|(end, _)| end).collect::<Vec<_>>();
        for end in ends.into_iter().rev() {
            let (namespace, rest) = (&name[..end], &name[end + 1..]);
            let mut rest = rest.split('.');
            let first = rest.next().unwrap_or_default();
            if let Some(ModuleTarget::Member(found, mut names)) = self.find(files, from, namespace, first) {
                names.extend(rest.map(str::to_owned));
                return Some(ModuleTarget::Member(found, names));
            }
        }
        if name.contains('.') { None } else { self.find(files, from, "", name) }
    }

    /// Member of a namespace.
    pub(super) fn member(&self, files: &Files<'_>, from: FileId, namespace: &str, name: &str) -> ModuleTarget {
        if let Some(target) = self.find(files, from, namespace, name) {
            return target;
        }
        let longer = join(namespace, name);
        if self.is_above(&longer) {
            return ModuleTarget::Folder(longer);
        }
        let root = namespace.split('.').next().unwrap_or(namespace);
        if self.types.contains_key(namespace) && !standard::ROOTS.contains(&root) {
            return ModuleTarget::NotFound;
        }
        ModuleTarget::External(namespace.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_around() {
        assert_eq!(around("A.B.C").collect::<Vec<_>>(), ["A.B.C", "A.B", "A", ""]);
        assert_eq!(around("").collect::<Vec<_>>(), [""]);
    }
}
