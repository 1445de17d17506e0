//! Packages of one repository that each have a manifest, and which of them depend on which.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::upwards;

/// The packages of a project, by the folders of their manifests.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Dependencies {
    /// Name of the package in a folder.
    names: BTreeMap<String, String>,
    /// Names of the packages that the package in a folder requires. None if its manifest does not say.
    required: BTreeMap<String, BTreeSet<String>>,
}

impl Dependencies {
    /// Adds the package in a folder.
    pub(super) fn add_package(&mut self, folder: &str, name: String) {
        self.names.entry(folder.to_owned()).or_insert(name);
    }

    /// Adds what is required by the package whose manifest, or list of requirements, is in a folder.
    pub(super) fn require(&mut self, folder: &str, names: impl IntoIterator<Item = String>) {
        self.required.entry(folder.to_owned()).or_default().extend(names);
    }

    /// Gives what is required in folders below a package to the package.
    pub(super) fn settle(&mut self) {
        for (folder, names) in std::mem::take(&mut self.required) {
            if let Some(package) = self.package_of(&folder).map(str::to_owned) {
                self.required.entry(package).or_default().extend(names);
            }
        }
    }

    /// The folder of the package that a file or folder belongs to.
    pub(super) fn package_of(&self, path: &str) -> Option<&str> {
        upwards(path).find_map(|folder| self.names.get_key_value(folder)).map(|(folder, _)| folder.as_str())
    }

    /// Returns whether code of the file `own` may be meant to use what the file `other` defines: they are of one
    /// package, that of `own` is around the other or requires it, through others as well, or no manifest on the way
    /// says what is required.
    pub(super) fn may_use(&self, own: &str, other: &str) -> bool {
        let (Some(own), Some(other)) = (self.package_of(own), self.package_of(other)) else { return true };
        if upwards(other).any(|folder| folder == own) {
            return true;
        }
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut next = vec![own];
        while let Some(folder) = next.pop() {
            if folder == other {
                return true;
            }
            if !seen.insert(folder) {
                continue;
            }
            let Some(required) = self.required.get(folder) else { return true };
            let packages = self.names.iter().filter(|(_, name)| required.contains(*name));
            next.extend(packages.map(|(folder, _)| folder.as_str()));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_use_what_they_require() {
        let mut packages = Dependencies::default();
        for (folder, name, required) in [
            ("app", "app", Some(vec!["lib"])),
            ("lib", "lib", Some(vec!["core"])),
            ("core", "core", Some(vec![])),
            ("core/samples", "samples", None),
            ("open", "open", None),
            ("tool", "tool", Some(vec![])),
        ] {
            packages.add_package(folder, name.to_owned());
            if let Some(required) = required {
                packages.require(folder, required.into_iter().map(str::to_owned));
            }
        }
        packages.require("core/tests", ["tool".to_owned()]);
        packages.settle();
        let rows = [
            ("app/a.py", "lib/b.py", true),
            ("app/a.py", "core/b.py", true),
            ("lib/a.py", "app/b.py", false),
            ("lib/a.py", "open/b.py", false),
            ("core/tests/a.py", "tool/b.py", true),
            ("lib/a.py", "tool/b.py", true),
            ("tool/a.py", "core/b.py", false),
            ("core/a.py", "core/samples/b.py", true),
            ("core/samples/a.py", "core/b.py", true),
            ("open/a.py", "lib/b.py", true),
            ("a.py", "lib/b.py", true),
            ("lib/a.py", "b.py", true),
        ];
        for (own, other, expected) in rows {
            assert_eq!(packages.may_use(own, other), expected, "{own} {other}");
        }
    }
}
