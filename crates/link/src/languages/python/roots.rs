//! Source roots: folders that absolute imports are tried against.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use m1nd_base::{Problem, ProblemKind};
use m1nd_lang::Language;
use rustc_hash::FxHasher;

use crate::languages::Manifests;
use crate::tables::files::Files;

/// Folders that hold packages only for sibling code.
const PRIVATE_FOLDERS: &[&str] = &[
    "test", "tests", "testing", "testdata", "test_data", "fixtures", "data", "example", "examples", "docs", "doc",
    "vendor", "vendored", "_vendor", "third_party", "benchmarks", "samples", "templates",
];

/// Package locations derived from the project's layout.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Roots {
    /// Folders named by manifests or by convention (the root, `src`), in order.
    pub(super) named: BTreeSet<String>,
    /// Folders that hold the topmost `__init__` of a package, by the package's name.
    pub(super) tops: BTreeMap<String, BTreeSet<String>>,
    /// Folders with Python files at any depth.
    pub(super) folders: BTreeSet<String>,
}

impl Roots {
    pub(super) fn new(files: &Files<'_>, manifests: &Manifests) -> Self {
        let mut roots = Self::default();
        files.roots().for_each(|root| roots.add_project(root));
        // What the files say: packages, folders of projects, and all folders above files.
        let mut packages = BTreeSet::new();
        for (_, path, facts) in files.all() {
            if facts.language != Language::Python {
                continue;
            }
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            match name {
                "__init__.py" | "__init__.pyi" => {
                    packages.insert(folder.to_owned());
                }
                "setup.py" => roots.add_project(folder),
                _ => {}
            }
            let mut folder = folder;
            while roots.folders.insert(folder.to_owned()) && !folder.is_empty() {
                folder = parent(folder);
            }
        }
        // The topmost packages by name: the folder above one is where its imports start.
        for package in &packages {
            let above = parent(package);
            if !package.is_empty() && !packages.contains(above) && !is_private(above) {
                let name = package.rsplit('/').next().unwrap_or(package);
                roots.tops.entry(name.to_owned()).or_default().insert(above.to_owned());
            }
        }
        // What the manifests say: where a build tool looks for packages.
        for (path, text) in manifests {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            match name {
                "pyproject.toml" => {
                    roots.add_project(folder);
                    if let Ok(table) = text.parse::<toml::Table>() {
                        pyproject_hints(&table).iter().for_each(|hint| roots.add_hint(folder, hint));
                    }
                }
                "setup.cfg" => {
                    roots.add_project(folder);
                    setup_cfg_hints(text).iter().for_each(|hint| roots.add_hint(folder, hint));
                }
                _ => {}
            }
        }
        roots
    }

    fn add_project(&mut self, folder: &str) {
        self.named.insert(folder.to_owned());
        self.named.insert(join(folder, "src"));
    }

    fn add_hint(&mut self, folder: &str, hint: &str) {
        let hint = hint.trim().trim_start_matches("./").trim_end_matches('/');
        let is_inside = !hint.starts_with('/') && !hint.split('/').any(|part| part == "..");
        if is_inside {
            self.named.insert(if hint == "." { folder.to_owned() } else { join(folder, hint) });
        }
    }

    /// A hash of everything in it.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// Parent folder; `""` for the root and its direct entries.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A name in a folder.
pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn is_private(folder: &str) -> bool {
    folder.split('/').any(|part| PRIVATE_FOLDERS.contains(&part))
}

/// Problem of a malformed manifest.
pub(super) fn check(name: &str, text: &str) -> Option<Problem> {
    if name != "pyproject.toml" {
        return None;
    }
    let error = text.parse::<toml::Table>().err()?;
    Some(Problem::new(ProblemKind::BadManifest, error.message().to_owned()))
}

/// Source folders that a `pyproject.toml` names.
fn pyproject_hints(table: &toml::Table) -> Vec<String> {
    let mut hints = Vec::new();
    let strings = |value: Option<&toml::Value>, hints: &mut Vec<String>| match value {
        Some(toml::Value::String(text)) => hints.push(text.clone()),
        Some(toml::Value::Array(items)) => {
            hints.extend(items.iter().filter_map(toml::Value::as_str).map(str::to_owned));
        }
        _ => {}
    };
    strings(lookup(table, &["tool", "setuptools", "package-dir", ""]), &mut hints);
    strings(lookup(table, &["tool", "setuptools", "packages", "find", "where"]), &mut hints);
    strings(lookup(table, &["tool", "pyright", "extraPaths"]), &mut hints);
    strings(lookup(table, &["tool", "pytest", "ini_options", "pythonpath"]), &mut hints);
    strings(lookup(table, &["tool", "mypy", "mypy_path"]), &mut hints);
    strings(lookup(table, &["tool", "hatch", "build", "sources"]), &mut hints);
    strings(lookup(table, &["tool", "pdm", "build", "package-dir"]), &mut hints);
    let mut packages = Vec::new();
    strings(lookup(table, &["tool", "hatch", "build", "targets", "wheel", "packages"]), &mut packages);
    hints.extend(packages.iter().map(|package| parent(package).to_owned()).filter(|folder| !folder.is_empty()));
    if let Some(toml::Value::Array(packages)) = lookup(table, &["tool", "poetry", "packages"]) {
        hints.extend(packages.iter().filter_map(|package| package.get("from")?.as_str().map(str::to_owned)));
    }
    hints
}

fn lookup<'a>(table: &'a toml::Table, path: &[&str]) -> Option<&'a toml::Value> {
    let (last, above) = path.split_last()?;
    let mut table = table;
    for key in above {
        table = table.get(*key)?.as_table()?;
    }
    table.get(*last)
}

/// Source folders that a `setup.cfg` names: `package_dir` and `where`.
fn setup_cfg_hints(text: &str) -> Vec<String> {
    let mut hints = Vec::new();
    let (mut section, mut key) = ("", "");
    for line in text.lines() {
        let is_continued = line.starts_with([' ', '\t']);
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
            key = "";
            continue;
        }
        let value = match line.split_once('=') {
            Some((name, value)) if !is_continued => {
                key = name.trim();
                value.trim()
            }
            _ => line,
        };
        match (section, key) {
            ("options", "package_dir") => {
                if let Some((package, folder)) = value.split_once('=')
                    && package.trim().is_empty()
                {
                    hints.push(folder.trim().to_owned());
                }
            }
            ("options.packages.find", "where") if !value.is_empty() => hints.push(value.to_owned()),
            _ => {}
        }
    }
    hints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_of_setup_cfg() {
        let text = "[options]\npackage_dir =\n    = lib\n[options.packages.find]\nwhere = source\nexclude = tests\n";
        assert_eq!(setup_cfg_hints(text), ["lib", "source"]);
    }

    #[test]
    fn hints_of_pyproject() {
        let text = "[tool.setuptools]\npackage-dir = {\"\" = \"a\"}\n[tool.poetry]\npackages = [{include = \"x\", from = \"b\"}]\n\
                    [tool.hatch.build.targets.wheel]\npackages = [\"c/x\", \"y\"]\n";
        assert_eq!(pyproject_hints(&text.parse().expect("a table")), ["a", "c", "b"]);
        assert!(check("pyproject.toml", "[tool").is_some() && check("pyproject.toml", text).is_none());
    }
}
