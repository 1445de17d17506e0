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
}

impl Packages {
    pub(crate) fn of(manifests: &Manifests) -> Self {
        let mut folders: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (path, text) in manifests {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            if text.len() > MAX_MANIFEST {
                continue;
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
        Self { folders }
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
