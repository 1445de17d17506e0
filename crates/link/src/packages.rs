//! Names of packages by the folder of their manifest, as documents write them in front of names.

use std::collections::BTreeMap;

use crate::languages::Manifests;

/// Maximum bytes of a manifest that is read.
const MAX_MANIFEST: usize = 1 << 20;

/// The packages of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Packages {
    /// Folder (`""` is the root) → names.
    folders: BTreeMap<String, Vec<String>>,
    /// Names of programs, with the folder of their manifest and what they start with.
    programs: BTreeMap<String, Program>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Program {
    folder: String,
    /// Of Python: `tool.cli:main`.
    entry: Option<String>,
}

impl Packages {
    pub(crate) fn of(manifests: &Manifests) -> Self {
        let mut folders: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut programs = BTreeMap::new();
        for (path, text) in manifests {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            if text.len() > MAX_MANIFEST {
                continue;
            }
            for (program, entry) in programs_of(name, text) {
                programs.entry(program).or_insert_with(|| Program { folder: folder.to_owned(), entry });
            }
            let found = match name {
                "Cargo.toml" => of_toml(text, &["package", "lib"]),
                "pyproject.toml" => of_toml(text, &["project", "tool.poetry"]),
                "go.mod" => of_go(text).into_iter().collect(),
                "package.json" => of_json(text).into_iter().collect(),
                _ => continue,
            };
            folders.entry(folder.to_owned()).or_default().extend(found);
        }
        folders.retain(|_, names| !names.is_empty());
        Self { folders, programs }
    }

    /// The folder of the manifest that declares a program.
    pub(super) fn folder_of(&self, program: &str) -> Option<&str> {
        self.programs.get(program).map(|program| program.folder.as_str())
    }

    /// What a program starts with: module and function of Python.
    pub(super) fn entry_of(&self, program: &str) -> Option<&str> {
        self.programs.get(program)?.entry.as_deref()
    }

    /// The folders of the packages whose name, or the end of it, is this.
    pub(super) fn list_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let fits = move |own: &String| own.rsplit('/').next() == Some(name);
        self.folders.iter().filter(move |(_, names)| names.iter().any(fits)).map(|(folder, _)| folder.as_str())
    }

    /// The names of the packages that a file is in, the innermost first.
    pub(super) fn around<'a>(&'a self, path: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let mut next = Some(path.rsplit_once('/').map_or("", |(folder, _)| folder));
        let folders = std::iter::from_fn(move || {
            let folder = next?;
            next = match folder.rsplit_once('/') {
                Some((above, _)) => Some(above),
                None => (!folder.is_empty()).then_some(""),
            };
            Some(folder)
        });
        folders
            .flat_map(|folder| self.folders.get(folder).into_iter().flatten().map(move |name| (folder, name.as_str())))
    }

    /// The folder of the package that a module belongs to, and the rest of the module's name behind the package's:
    /// `github.com/go-chi/chi/v5/middleware` → `middleware`.
    pub(super) fn of_module<'m>(&self, module: &'m str) -> Option<(&str, &'m str)> {
        let rows = self.folders.iter().flat_map(|(folder, names)| names.iter().map(move |name| (folder, name)));
        let fits = rows.filter_map(|(folder, name)| {
            let rest = strip(module, name)?;
            let rest = rest.strip_prefix(['/', '.']).or_else(|| rest.is_empty().then_some(""))?;
            Some((name.len(), folder.as_str(), rest))
        });
        fits.max_by_key(|(length, folder, _)| (*length, std::cmp::Reverse(folder.len())))
            .map(|(_, folder, rest)| (folder, rest))
    }
}

/// The programs that a manifest (`Cargo.toml`, `package.json`, `pyproject.toml`, `setup.cfg`) declares, and what they
/// start with if it says so: `tool.cli:main`.
pub fn programs_of(manifest: &str, text: &str) -> Vec<(String, Option<String>)> {
    if manifest == "package.json" {
        let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else { return Vec::new() };
        return match (&value["bin"], value["name"].as_str()) {
            (serde_json::Value::String(_), Some(name)) => {
                vec![(name.rsplit('/').next().unwrap_or(name).to_owned(), None)]
            }
            (serde_json::Value::Object(all), _) => all.keys().map(|name| (name.clone(), None)).collect(),
            _ => Vec::new(),
        };
    }
    let mut found = Vec::new();
    let mut table = "";
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            table = line.trim_matches(['[', ']']).trim();
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, value) = (key.trim().trim_matches('"'), value.trim().trim_matches(['"', '\'']));
        match (manifest, table) {
            ("Cargo.toml", "bin") if key == "name" => found.push((value.to_owned(), None)),
            ("pyproject.toml", "project.scripts" | "tool.poetry.scripts") => {
                found.push((key.to_owned(), value.contains(':').then(|| value.to_owned())));
            }
            ("setup.cfg", "options.entry_points") if value.contains(':') => {
                found.push((key.to_owned(), Some(value.to_owned())));
            }
            _ => {}
        }
    }
    found
}

/// What stands behind a package's name; `-` and `_` are the same.
fn strip<'m>(module: &'m str, name: &str) -> Option<&'m str> {
    let start = module.get(..name.len())?;
    let same = start.bytes().zip(name.bytes()).all(|(a, b)| a == b || matches!((a, b), (b'_', b'-') | (b'-', b'_')));
    same.then(|| &module[name.len()..])
}

/// The values of `name` in tables of a TOML file.
fn of_toml(text: &str, tables: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_in = false;
    for line in text.lines().map(str::trim) {
        if let Some(table) = line.strip_prefix('[') {
            is_in = tables.contains(&table.trim_end_matches(']').trim());
        } else if let Some((key, value)) = line.split_once('=').filter(|_| is_in)
            && key.trim() == "name"
        {
            let value = value.trim().trim_matches(['"', '\'']);
            if !value.is_empty() && !value.contains(['"', '{']) {
                found.push(value.to_owned());
            }
        }
    }
    found
}

fn of_go(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    Some(line.split("//").next().unwrap_or(line).trim().trim_matches('"').to_owned()).filter(|name| !name.is_empty())
}

fn of_json(text: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    value.get("name")?.as_str().map(str::to_owned).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_found_by_module_and_by_file() {
        let manifests = [
            ("go.mod", "module github.com/go-chi/chi/v5\n"),
            ("web/package.json", r#"{"name": "@acme/web"}"#),
            ("crates/core/Cargo.toml", "[package]\nname = \"acme-core\"\n[dependencies]\nname = \"x\"\n"),
        ];
        let manifests = manifests.map(|(path, text)| (path.to_owned(), text.to_owned())).into_iter().collect();
        let packages = Packages::of(&manifests);
        assert_eq!(packages.of_module("github.com/go-chi/chi/v5/middleware"), Some(("", "middleware")));
        assert_eq!(packages.of_module("@acme/web"), Some(("web", "")));
        assert_eq!(packages.of_module("@acme/website"), None);
        assert_eq!(packages.of_module("acme_core"), Some(("crates/core", "")));
        let around: Vec<_> = packages.around("crates/core/src/a.rs").collect();
        assert_eq!(around, [("crates/core", "acme-core"), ("", "github.com/go-chi/chi/v5")]);
    }
}
