//! The packages of the project: a package is all files that declare it, in any source root and module.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use m1nd_lang::Language;
use rustc_hash::FxHasher;

use super::source_sets;
use crate::rules::ModuleTarget;
use crate::tables::brief::Brief;
use crate::tables::files::{FileId, Files};

/// The packages of a project.
#[derive(Debug, Default)]
pub(super) struct Packages {
    /// Folders with files of a package.
    folders: BTreeMap<String, BTreeSet<String>>,
    /// Types at the top of files that are named differently, and all that is at the top of files of Kotlin.
    aside: BTreeMap<(String, String), Vec<FileId>>,
    /// Packages that files of other languages of the family declare.
    others: BTreeSet<String>,
    /// First names of packages, and every longer beginning of them.
    above: BTreeSet<String>,
    fingerprint: u64,
}

/// The package that a file declares; empty if none.
pub(super) fn package_of(brief: &Brief) -> &str {
    brief.package.as_deref().unwrap_or_default()
}

/// Name of the type that a file is named after.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".java").unwrap_or(name)
}

impl Packages {
    /// The packages that the files declare.
    pub(super) fn new(files: &Files<'_>) -> Self {
        let mut packages = Self::default();
        let mut hasher = FxHasher::default();
        for (file, path, brief) in files.all() {
            if brief.language == Language::Scala {
                packages.add_scala(file, brief);
                (path, package_of(brief), &brief.types, &brief.globals).hash(&mut hasher);
            }
            if !matches!(brief.language, Language::Java | Language::Kotlin) {
                continue;
            }
            let package = package_of(brief);
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            if !packages.folders.get(package).is_some_and(|known| known.contains(folder)) {
                packages.folders.entry(package.to_owned()).or_default().insert(folder.to_owned());
                (package, folder).hash(&mut hasher);
            }
            for name in brief.types.iter().filter(|name| ***name != *stem(path)) {
                (package, name, path).hash(&mut hasher);
                packages.aside.entry((package.to_owned(), name.to_string())).or_default().push(file);
            }
        }
        for package in packages.folders.keys().chain(&packages.others) {
            let ends = package.match_indices('.').map(|(end, _)| end).chain([package.len()]);
            packages.above.extend(ends.map(|end| package[..end].to_owned()));
        }
        packages.fingerprint = hasher.finish();
        packages
    }

    /// Packages of a file of Scala, and its types, which Java finds by their names.
    fn add_scala(&mut self, file: FileId, brief: &Brief) {
        let package = package_of(brief);
        let join = |inner: &str| if package.is_empty() { inner.to_owned() } else { format!("{package}.{inner}") };
        if !package.is_empty() {
            self.others.insert(package.to_owned());
        }
        self.others.extend(brief.globals.iter().map(|inner| join(inner)));
        for name in &brief.types {
            self.aside.entry((package.to_owned(), name.to_string())).or_default().push(file);
        }
    }

    /// Returns whether files of the project declare a package.
    pub(super) fn declares(&self, package: &str) -> bool {
        self.folders.contains_key(package) || self.others.contains(package)
    }

    pub(super) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Returns whether a dotted name is the beginning of a package of the project.
    pub(super) fn is_above(&self, name: &str) -> bool {
        !name.is_empty() && self.above.contains(name)
    }

    /// What a package has under a name, seen from a file: of several that which is nearest to it.
    pub(super) fn find(&self, files: &Files<'_>, from: FileId, package: &str, name: &str) -> Option<ModuleTarget> {
        let mut found: Vec<FileId> = Vec::new();
        let folders = self.folders.get(package);
        for folder in folders.into_iter().flatten() {
            let path = if folder.is_empty() { format!("{name}.java") } else { format!("{folder}/{name}.java") };
            found.extend(files.find(&path).filter(|&file| package_of(files.heading(file)) == package));
        }
        found.extend(self.aside.get(&(package.to_owned(), name.to_owned())).into_iter().flatten());
        if found.is_empty() {
            return Self::find_facade(files, folders?, package, name);
        }
        source_sets::keep_visible(files, from, &mut found);
        Some(ModuleTarget::Member(found, vec![name.to_owned()]))
    }

    /// The class that Java sees for the functions of a file of Kotlin: `FooKt` for `Foo.kt`.
    fn find_facade(files: &Files<'_>, folders: &BTreeSet<String>, package: &str, name: &str) -> Option<ModuleTarget> {
        let stem = name.strip_suffix("Kt")?;
        let paths = folders.iter().map(|folder| match folder.as_str() {
            "" => format!("{stem}.kt"),
            folder => format!("{folder}/{stem}.kt"),
        });
        let file =
            paths.filter_map(|path| files.find(&path)).find(|&file| package_of(files.heading(file)) == package)?;
        Some(ModuleTarget::File(file))
    }

    /// Target of a dotted name: a package, a type, a nested type.
    pub(super) fn find_named(&self, files: &Files<'_>, from: FileId, name: &str) -> ModuleTarget {
        if self.is_above(name) || name.is_empty() {
            return ModuleTarget::Folder(name.to_owned());
        }
        let mut of_project = false;
        for (end, _) in name.match_indices('.').collect::<Vec<_>>().into_iter().rev() {
            let (package, rest) = (&name[..end], &name[end + 1..]);
            if !self.declares(package) {
                continue;
            }
            let mut rest = rest.split('.');
            let first = rest.next().unwrap_or_default();
            if let Some(ModuleTarget::Member(found, mut names)) = self.find(files, from, package, first) {
                names.extend(rest.map(str::to_owned));
                return ModuleTarget::Member(found, names);
            }
            // `a.b.c.D` with only `a` in the project may be of another one.
            of_project |= first.starts_with(char::is_uppercase);
        }
        if of_project {
            return ModuleTarget::NotFound;
        }
        if !name.contains('.')
            && let Some(target) = self.find(files, from, "", name)
        {
            return target;
        }
        ModuleTarget::External(outside(name))
    }

    /// Member of a package.
    pub(super) fn member(&self, files: &Files<'_>, from: FileId, package: &str, name: &str) -> ModuleTarget {
        if let Some(target) = self.find(files, from, package, name) {
            return target;
        }
        let longer = format!("{package}.{name}");
        if self.is_above(&longer) {
            return ModuleTarget::Folder(longer);
        }
        if self.declares(package) {
            return ModuleTarget::NotFound;
        }
        match name.starts_with(char::is_lowercase) {
            true => ModuleTarget::Folder(longer),
            false => ModuleTarget::External(package.to_owned()),
        }
    }
}

/// The package part of an external name: everything before the first type.
fn outside(name: &str) -> String {
    let mut end = name.len();
    let mut start = 0;
    for part in name.split('.') {
        if part.starts_with(char::is_uppercase) {
            end = start;
            break;
        }
        start += part.len() + 1;
    }
    name[..end].trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_names_outside() {
        assert_eq!(outside("java.util.List"), "java.util");
        assert_eq!(outside("java.util.Map.Entry"), "java.util");
        assert_eq!(outside("a.b"), "a.b");
        assert_eq!(outside("Top"), "");
    }
}
