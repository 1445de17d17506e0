//! Which repository may import packages of which other one, by what their manifests say of distributions.

use std::collections::{BTreeMap, BTreeSet};

use super::roots::parent;
use crate::languages::Manifests;
use crate::languages::dependencies::Dependencies;
use crate::tables::files::Files;

/// Manifests that only say what is required.
const LISTS: &[&str] = &["poetry.lock", "uv.lock", "setup.py"];

/// Returns whether a file name is that of a list of requirements.
pub(super) fn is_list(name: &str) -> bool {
    LISTS.contains(&name) || name.starts_with("requirements") && name.ends_with(".txt")
}

/// The distributions of the repositories of a project; empty if all files are of one.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Distributions {
    /// Names of the distributions that a repository requires, by its folder. None if no manifest of it says so.
    required: BTreeMap<String, BTreeSet<String>>,
    /// Name of the distribution whose manifest is in a folder.
    names: BTreeMap<String, String>,
    /// Distributions inside of repositories.
    inside: Dependencies,
}

impl Distributions {
    pub(super) fn new(files: &Files<'_>, manifests: &Manifests) -> Self {
        let mut found = Self::default();
        let is_federation = files.roots().nth(1).is_some();
        for (path, text) in manifests {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let mut says_none = false;
            let (own, required) = match name {
                "pyproject.toml" => {
                    let table: toml::Table = text.parse().unwrap_or_default();
                    says_none = lists_dependencies(&table);
                    of_pyproject(&table)
                }
                "setup.cfg" => (value_of(text, "name"), named_in(text)),
                "setup.py" => (argument_of(text, "name"), list_quoted(text)),
                name if name.ends_with(".lock") => (None, list_locked(text)),
                name if is_list(name) => (None, text.lines().filter_map(distribution).collect()),
                _ => continue,
            };
            if let Some(own) = own {
                found.inside.add_package(folder, normal(&own));
                found.names.entry(folder.to_owned()).or_insert_with(|| normal(&own));
            }
            if says_none || !required.is_empty() {
                found.inside.require(folder, required.iter().cloned());
            }
            if is_federation && !required.is_empty() {
                found.required.entry(files.root_of(path).to_owned()).or_default().extend(required);
            }
        }
        found.inside.settle();
        found
    }

    /// Returns whether code of the repository `own` may import the package `first` that lies in the folder `root` of
    /// another one: its distribution is required, or no manifest says what is.
    pub(super) fn may_import(&self, own: &str, root: &str, first: &str) -> bool {
        let Some(required) = self.required.get(own) else { return true };
        let mut above = Some(root);
        while let Some(folder) = above {
            if let Some(name) = self.names.get(folder) {
                return required.contains(name) || required.contains(&normal(first));
            }
            above = (!folder.is_empty()).then(|| parent(folder));
        }
        required.contains(&normal(first))
    }
}

impl Distributions {
    /// Returns whether code of the file `own` may be meant to use what the file `other` defines, by what the manifests
    /// of their distributions and repositories require.
    pub(super) fn may_use(&self, files: &Files<'_>, own: &str, other: &str) -> bool {
        self.inside.may_use(own, other) && self.may_use_repository(files, files.root_of(own), files.root_of(other))
    }

    /// Where the distribution of a folder and its repository are: files of the same places may use the same.
    pub(super) fn places_of<'s>(&'s self, files: &Files<'s>, folder: &str) -> (Option<&'s str>, &'s str) {
        (self.inside.package_of(folder), files.root_of(folder))
    }

    /// Returns whether code of the repository `own` may be meant to use what the repository `other` defines: the
    /// latter is required, through others as well, or no manifest on the way says what is.
    fn may_use_repository(&self, files: &Files<'_>, own: &str, other: &str) -> bool {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut next = vec![own];
        while let Some(repository) = next.pop() {
            if repository == other {
                return true;
            }
            if !seen.insert(repository) {
                continue;
            }
            let Some(required) = self.required.get(repository) else { return true };
            let rows = self.names.iter().filter(|(_, name)| required.contains(*name));
            next.extend(rows.map(|(folder, _)| files.root_of(folder)));
        }
        false
    }
}

/// Names of distributions are the same whatever their case and separators.
fn normal(name: &str) -> String {
    let parts = name.trim().split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_lowercase()
}

/// The distribution that a requirement names: `Tool-Kit[extra] >= 2; python_version > "3"`.
fn distribution(requirement: &str) -> Option<String> {
    let text = requirement.trim().trim_start_matches("-e ").trim_start();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.')).unwrap_or(text.len());
    let rest = text[end..].trim_start();
    let is_requirement = rest.is_empty() || rest.starts_with(['<', '>', '=', '!', '~', ';', '[', '@', '#', '(']);
    let name = &text[..end];
    (is_requirement && name.starts_with(|c: char| c.is_ascii_alphabetic())).then(|| normal(name))
}

/// Returns whether a `pyproject.toml` is where the requirements of its distribution are listed, if there are any.
fn lists_dependencies(table: &toml::Table) -> bool {
    let Some(project) = table.get("project") else { return false };
    let dynamic = project.get("dynamic").and_then(toml::Value::as_array);
    !dynamic.is_some_and(|names| names.iter().any(|name| name.as_str() == Some("dependencies")))
}

/// The name and the requirements of a `pyproject.toml`.
fn of_pyproject(table: &toml::Table) -> (Option<String>, BTreeSet<String>) {
    let at = |path: &[&str]| {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(table.get(*first)?, |value, key| value.get(key))
    };
    let name = at(&["project", "name"]).or_else(|| at(&["tool", "poetry", "name"]));
    let mut required = BTreeSet::new();
    let mut open: Vec<&toml::Value> = [
        at(&["project", "dependencies"]),
        at(&["project", "optional-dependencies"]),
        at(&["dependency-groups"]),
        at(&["tool", "uv", "dev-dependencies"]),
    ]
    .into_iter()
    .flatten()
    .collect();
    while let Some(value) = open.pop() {
        match value {
            toml::Value::String(text) => required.extend(distribution(text)),
            toml::Value::Array(items) => open.extend(items),
            toml::Value::Table(rows) => open.extend(rows.values()),
            _ => {}
        }
    }
    let poetry = [at(&["tool", "poetry", "dependencies"]), at(&["tool", "poetry", "dev-dependencies"])];
    let groups =
        at(&["tool", "poetry", "group"]).and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::values);
    let of_poetry = poetry.into_iter().flatten().chain(groups.filter_map(|group| group.get("dependencies")));
    for rows in of_poetry.filter_map(toml::Value::as_table) {
        required.extend(rows.keys().map(|name| normal(name)));
    }
    (name.and_then(toml::Value::as_str).map(str::to_owned), required)
}

/// The value of a key at the beginning of a line.
fn value_of(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let value = line.strip_prefix(key)?.trim_start().strip_prefix('=')?.trim();
        (!value.is_empty()).then(|| value.to_owned())
    })
}

/// The text of an argument of `setup`.
fn argument_of(text: &str, name: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let value =
            line.trim_start().trim_start_matches("setup(").strip_prefix(name)?.trim_start().strip_prefix('=')?;
        let mut parts = value.trim_start().split(['"', '\'']);
        parts.next().filter(|before| before.is_empty())?;
        parts.next().map(str::to_owned)
    })
}

/// Requirements that stand on lines of their own, as in `setup.cfg`.
fn named_in(text: &str) -> BTreeSet<String> {
    text.lines().filter(|line| line.starts_with([' ', '\t'])).filter_map(distribution).collect()
}

/// Texts between quotes that may be requirements. Some are other texts; they only matter if they are named like a
/// distribution of another repository.
fn list_quoted(text: &str) -> BTreeSet<String> {
    let parts = |line: &'_ str| -> Vec<String> {
        ['"', '\''].iter().flat_map(|quote| line.split(*quote).skip(1).step_by(2)).filter_map(distribution).collect()
    };
    text.lines().flat_map(parts).collect()
}

/// The packages of a lock file.
fn list_locked(text: &str) -> BTreeSet<String> {
    let name = |line: &str| line.strip_prefix("name = \"").and_then(|rest| rest.strip_suffix('"')).map(normal);
    text.lines().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_named_in_many_ways() {
        let rows = [
            ("Tool_Kit[x]>=2; python_version > '3'", Some("tool-kit")),
            ("tool.kit @ git+https://x.y/z", Some("tool-kit")),
            ("tool-kit", Some("tool-kit")),
            ("-e ../lib", None),
            ("# tool-kit", None),
            ("two words", None),
        ];
        for (text, expected) in rows {
            assert_eq!(distribution(text).as_deref(), expected, "{text}");
        }
        let table = "[project]\nname = \"App\"\ndependencies = [\"a>1\"]\n[project.optional-dependencies]\nx = [\"b\"]\n\
                     [dependency-groups]\ndev = [\"c\"]\n[tool.poetry.group.g.dependencies]\nD_d = \"*\"\n";
        let (name, required) = of_pyproject(&table.parse().expect("a table"));
        assert_eq!(name.as_deref(), Some("App"));
        assert_eq!(required.into_iter().collect::<Vec<_>>(), ["a", "b", "c", "d-d"]);
        assert_eq!(argument_of("setup(\n    name='x',\n", "name").as_deref(), Some("x"));
        assert_eq!(
            list_quoted("install_requires=['Werk_zeug>=1', \"b\"]").into_iter().collect::<Vec<_>>(),
            ["b", "werk-zeug"]
        );
        assert_eq!(
            list_locked("[[package]]\nname = \"A.b\"\nversion = \"1\"\n").into_iter().collect::<Vec<_>>(),
            ["a-b"]
        );
        assert_eq!(named_in("[options]\ninstall_requires =\n    a>=1\n").into_iter().collect::<Vec<_>>(), ["a"]);
    }
}
