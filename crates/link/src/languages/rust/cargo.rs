//! Cargo manifests: packages, their targets, and which crates each target can name.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use super::super::Manifests;
use super::super::paths::join;

/// Kind of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum TargetKind {
    /// The library.
    Library,
    /// A program, or an example or benchmark.
    Other,
    /// A test.
    Test,
    /// The build script.
    BuildScript,
}

/// A crate of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) kind: TargetKind,
    /// Path of its root file.
    pub(super) root: String,
}

/// Target of a crate name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Dependency {
    /// The library of the package in this folder.
    Folder(String),
    /// A package outside the project.
    External(String),
}

/// One package.
#[derive(Debug, Clone)]
pub(super) struct Package {
    /// Folder of its manifest, `""` for the root.
    pub(super) folder: String,
    /// Name its library is known by in code.
    pub(super) library_name: String,
    pub(super) targets: Vec<Target>,
    /// Dependencies by crate name in code.
    pub(super) dependencies: BTreeMap<String, Dependency>,
}

/// Answers which files there are, so that this module stays free of the project.
pub(super) trait Probe {
    /// Returns whether there is a file.
    fn is_file(&self, path: &str) -> bool;
    /// Paths of the files directly in a folder.
    fn in_folder(&self, folder: &str) -> Vec<String>;
    /// The repository that a path is in.
    fn root_of(&self, path: &str) -> String;
    /// Names of the folders directly in a folder that hold a `main.rs`.
    fn with_main(&self, folder: &str) -> Vec<String>;
}

/// Dependencies of a workspace that its members inherit, by the folder of its manifest.
type Inherited<'a> = BTreeMap<&'a str, &'a Table>;

/// Every package that the manifests describe, in order of their folders. Manifests that cannot be read are left out.
pub(super) fn packages(manifests: &Manifests, probe: &dyn Probe) -> Vec<Package> {
    let tables: BTreeMap<&str, Table> = manifests
        .iter()
        .filter(|(path, _)| path.rsplit('/').next() == Some("Cargo.toml"))
        .filter_map(|(path, text)| {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            Some((folder, text.parse::<Table>().ok()?))
        })
        .collect();
    let inherited: Inherited<'_> = tables
        .iter()
        .filter_map(|(folder, table)| {
            let workspace = table.get("workspace")?.as_table()?;
            Some((*folder, workspace.get("dependencies")?.as_table()?))
        })
        .collect();
    let mut packages: Vec<Package> =
        tables.iter().filter_map(|(folder, table)| package(folder, table, &inherited, &tables, probe)).collect();
    // A dependency by version on a package that is in the project is that package: workspaces patch it so.
    let mut known: BTreeMap<&str, Vec<(String, &str)>> = BTreeMap::new();
    for (folder, table) in &tables {
        if let Some(name) = package_name(table) {
            known.entry(name).or_default().push((probe.root_of(folder), folder));
        }
    }
    for package in &mut packages {
        let own = probe.root_of(&package.folder);
        for dependency in package.dependencies.values_mut() {
            if let Dependency::External(name) = dependency
                && let Some(folder) = known.get(name.as_str()).and_then(|folders| find_meant(folders, &own))
                && *folder != package.folder
            {
                *dependency = Dependency::Folder(folder.to_owned());
            }
        }
    }
    packages
}

/// The packages of the project that each package depends on, through others as well, by their folders.
pub(super) fn reach(packages: &[Package]) -> BTreeMap<String, BTreeSet<String>> {
    let direct: BTreeMap<&str, Vec<&str>> = packages
        .iter()
        .map(|package| {
            let folders = package.dependencies.values().filter_map(|dependency| match dependency {
                Dependency::Folder(folder) => Some(folder.as_str()),
                Dependency::External(_) => None,
            });
            (package.folder.as_str(), folders.collect())
        })
        .collect();
    let closure = |folder: &str| {
        let mut found = BTreeSet::new();
        let mut next = direct.get(folder).cloned().unwrap_or_default();
        while let Some(folder) = next.pop() {
            if found.insert(folder.to_owned()) {
                next.extend(direct.get(folder).into_iter().flatten());
            }
        }
        found
    };
    direct.keys().map(|folder| ((*folder).to_owned(), closure(folder))).collect()
}

/// The folder of the package that a repository means by its name: its own one, else the only one of the others.
fn find_meant<'f>(folders: &[(String, &'f str)], own: &str) -> Option<&'f str> {
    let inside = folders.iter().rev().find(|(root, _)| root == own);
    inside.or_else(|| folders.first().filter(|_| folders.len() == 1)).map(|(_, folder)| *folder)
}

fn package_name(table: &Table) -> Option<&str> {
    table.get("package").or_else(|| table.get("project"))?.as_table()?.get("name")?.as_str()
}

fn package(
    folder: &str,
    table: &Table,
    inherited: &Inherited<'_>,
    tables: &BTreeMap<&str, Table>,
    probe: &dyn Probe,
) -> Option<Package> {
    let name = package_name(table)?;
    let library = table.get("lib").and_then(Value::as_table);
    let library_name = library.and_then(|library| library.get("name")).and_then(Value::as_str).unwrap_or(name);
    let mut dependencies = BTreeMap::new();
    let mut sections = vec![table];
    let per_target = table.get("target").and_then(Value::as_table);
    sections.extend(per_target.into_iter().flat_map(Table::values).filter_map(Value::as_table));
    for section in sections {
        for kind in ["dependencies", "dev-dependencies", "dev_dependencies", "build-dependencies"] {
            let rows = section.get(kind).and_then(Value::as_table);
            for (key, value) in rows.into_iter().flatten() {
                let mut dependency = dependency(folder, key, value, inherited);
                let package = value.get("package").and_then(Value::as_str).unwrap_or(key);
                if let Dependency::Folder(target) = &dependency
                    && probe.root_of(target) != probe.root_of(folder)
                    && tables.get(target.as_str()).and_then(package_name) != Some(package)
                {
                    // Paths out of a repository are those of another machine.
                    dependency = Dependency::External(package.to_owned());
                }
                dependencies.entry(key.replace('-', "_")).or_insert(dependency);
            }
        }
    }
    Some(Package {
        folder: folder.to_owned(),
        library_name: library_name.replace('-', "_"),
        targets: targets(folder, table, probe),
        dependencies,
    })
}

/// One row of a dependency table.
fn dependency(folder: &str, key: &str, value: &Value, inherited: &Inherited<'_>) -> Dependency {
    let Some(table) = value.as_table() else { return Dependency::External(key.to_owned()) };
    if table.get("workspace").and_then(Value::as_bool) == Some(true) {
        // The nearest workspace above has the row.
        let above = inherited.iter().filter(|(root, _)| is_within(folder, root)).max_by_key(|(root, _)| root.len());
        if let Some((root, value)) = above.and_then(|(root, rows)| Some((root, rows.get(key)?))) {
            return dependency(root, key, value, &Inherited::new());
        }
    }
    if let Some(path) = table.get("path").and_then(Value::as_str)
        && let Some(target) = join(folder, path)
    {
        return Dependency::Folder(target);
    }
    let package = table.get("package").and_then(Value::as_str).unwrap_or(key);
    Dependency::External(package.to_owned())
}

fn is_within(folder: &str, root: &str) -> bool {
    root.is_empty() || folder.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The crates of a package: those the manifest lists, and those Cargo finds by their place.
fn targets(folder: &str, table: &Table, probe: &dyn Probe) -> Vec<Target> {
    let mut found: Vec<Target> = Vec::new();
    let mut add = |kind: TargetKind, path: Option<String>| {
        if let Some(root) = path.filter(|path| probe.is_file(path))
            && !found.iter().any(|target| target.root == root)
        {
            found.push(Target { kind, root });
        }
    };
    let written =
        |row: &Table| row.get("path").and_then(Value::as_str).and_then(|path| join(folder, &path.replace('\\', "/")));
    let library = table.get("lib").and_then(Value::as_table);
    add(TargetKind::Library, library.and_then(written).or_else(|| join(folder, "src/lib.rs")));
    let package = table.get("package").and_then(Value::as_table);
    let build = package.and_then(|package| package.get("build")).and_then(Value::as_str).unwrap_or("build.rs");
    add(TargetKind::BuildScript, join(folder, build));
    add(TargetKind::Other, join(folder, "src/main.rs"));
    for (key, place) in [("bin", "src/bin"), ("example", "examples"), ("test", "tests"), ("bench", "benches")] {
        let kind = if key == "test" { TargetKind::Test } else { TargetKind::Other };
        for row in table.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_table) {
            let name = row.get("name").and_then(Value::as_str).unwrap_or_default();
            add(kind, written(row).or_else(|| join(folder, &format!("{place}/{name}.rs"))));
        }
        let auto = package.and_then(|package| package.get(&format!("auto{key}s").replace("benchs", "benches")));
        let Some(place) = join(folder, place).filter(|_| auto.and_then(Value::as_bool) != Some(false)) else {
            continue;
        };
        for path in probe.in_folder(&place) {
            if path.ends_with(".rs") {
                add(kind, Some(path));
            }
        }
        for main in probe.with_main(&place) {
            add(kind, Some(main));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Paths(&'static [&'static str]);

    impl Probe for Paths {
        fn is_file(&self, path: &str) -> bool {
            self.0.contains(&path)
        }
        fn in_folder(&self, folder: &str) -> Vec<String> {
            let direct = |path: &&&str| path.rsplit_once('/').map_or("", |(folder, _)| folder) == folder;
            self.0.iter().filter(direct).map(|path| (*path).to_owned()).collect()
        }
        fn root_of(&self, _: &str) -> String {
            String::new()
        }
        fn with_main(&self, folder: &str) -> Vec<String> {
            let fits = |path: &&&str| {
                path.strip_prefix(folder)
                    .and_then(|rest| rest.strip_prefix('/'))
                    .is_some_and(|rest| rest.ends_with("/main.rs") && rest.matches('/').count() == 1)
            };
            self.0.iter().filter(fits).map(|path| (*path).to_owned()).collect()
        }
    }

    fn manifests(rows: &[(&str, &str)]) -> Manifests {
        rows.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn targets_are_found_as_cargo_does() {
        let files = Paths(&[
            "a/src/lib.rs", "a/src/main.rs", "a/src/bin/x.rs", "a/src/bin/y/main.rs", "a/src/bin/y/part.rs",
            "a/examples/e.rs", "a/tests/t.rs", "a/tests/common/mod.rs", "a/benches/b.rs", "a/build.rs", "a/odd.rs",
        ]);
        let text = "[package]\nname = \"my-lib\"\nautobenches = false\n[[bin]]\nname = \"odd\"\npath = \"odd.rs\"\n";
        let packages = packages(&manifests(&[("a/Cargo.toml", text)]), &files);
        assert_eq!(packages[0].library_name, "my_lib");
        let roots: Vec<&str> = packages[0].targets.iter().map(|target| target.root.as_str()).collect();
        assert_eq!(
            roots,
            [
                "a/src/lib.rs", "a/build.rs", "a/src/main.rs", "a/odd.rs", "a/src/bin/x.rs", "a/src/bin/y/main.rs",
                "a/examples/e.rs", "a/tests/t.rs",
            ]
        );
    }

    #[test]
    fn dependencies_by_path_name_and_workspace() {
        let root = "[workspace.dependencies]\nshared = { path = \"libs/shared\" }\nserde = \"1\"\n";
        let member = "[package]\nname = \"m\"\n[dependencies]\nshared = { workspace = true }\nserde.workspace = true\n\
            other-name = { package = \"real-name\", version = \"1\" }\nsibling = \"2\"\n\
            [target.'cfg(unix)'.dependencies]\nlibc = \"1\"\n[dev-dependencies]\nup = { path = \"../../up\" }\n";
        let sibling = "[package]\nname = \"sibling\"\n";
        let packages = packages(
            &manifests(&[("Cargo.toml", root), ("libs/m/Cargo.toml", member), ("libs/s/Cargo.toml", sibling)]),
            &Paths(&[]),
        );
        let m = &packages[0];
        let external = |name: &str| Dependency::External(name.to_owned());
        let folder = |path: &str| Dependency::Folder(path.to_owned());
        assert_eq!(m.dependencies["shared"], folder("libs/shared"));
        assert_eq!(m.dependencies["serde"], external("serde"));
        assert_eq!(m.dependencies["other_name"], external("real-name"));
        assert_eq!(m.dependencies["sibling"], folder("libs/s"));
        assert_eq!(m.dependencies["libc"], external("libc"));
        assert_eq!(m.dependencies["up"], folder("up"));
    }
}
