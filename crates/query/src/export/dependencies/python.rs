//! `pyproject.toml`, `setup.cfg`, `requirements*.txt`, `uv.lock` and `poetry.lock`.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use super::{Ecosystem, Found, Offered, Required, Scope, Texts, folder_of, join};

/// Lock files, whose packages have the same form.
const LOCKS: &[&str] = &["uv.lock", "poetry.lock"];
/// Folders beside a manifest that hold packages to install.
const SOURCES: &[&str] = &["", "src", "lib"];
/// Top folders with packages that are not installed.
const UNINSTALLED: &[&str] = &["tests", "test", "docs", "doc", "examples", "benchmarks", "scripts", "tools"];

/// Reads `pyproject.toml`.
pub(super) fn parse_project(texts: &mut Texts<'_>, path: &str) -> Found {
    let Ok(table) = texts.text(path).parse::<Table>() else { return Found::default() };
    let project = table.get("project");
    let poetry = table.get("tool").and_then(|tool| tool.get("poetry"));
    let mut found = Found::default();
    for place in [project, poetry].into_iter().flatten() {
        if let Some(name) = place.get("name").and_then(Value::as_str) {
            let version = place.get("version").and_then(Value::as_str).map(str::to_owned);
            found.offered = offer(texts, path, name, version);
        }
    }
    // Lists of texts: of the project, its extras, and groups of requirements.
    let list = |value: Option<&Value>, scope| -> Vec<Required> {
        let rows = value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        rows.filter_map(|row| requirement(row, scope)).collect()
    };
    found.required.extend(list(project.and_then(|it| it.get("dependencies")), Scope::Normal));
    let groups = [
        (project.and_then(|it| it.get("optional-dependencies")), Scope::Optional),
        (table.get("dependency-groups"), Scope::Dev),
    ];
    for (groups, scope) in groups {
        let groups = groups.and_then(Value::as_table).into_iter().flat_map(Table::values);
        groups.for_each(|group| found.required.extend(list(Some(group), scope)));
    }
    // Tables of Poetry: `name = "^1"` or `name = { version = "^1" }`.
    let rows = poetry.and_then(|it| it.get("dependencies")).and_then(Value::as_table);
    for (name, value) in rows.into_iter().flatten().filter(|(name, _)| *name != "python") {
        let range = value.as_str().or_else(|| value.get("version")?.as_str());
        found.required.push(build_row(name, Scope::Normal, range.map(str::to_owned)));
    }
    add_versions(texts, path, found)
}

/// Reads `setup.cfg`.
pub(super) fn parse_config(texts: &mut Texts<'_>, path: &str) -> Found {
    let text = texts.text(path).to_owned();
    let (mut section, mut key, mut found) = ("", "", Found::default());
    let (mut name, mut version) = (None, None);
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(header) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            (section, key) = (header, "");
        } else if line.starts_with([' ', '\t']) && (section, key) == ("options", "install_requires") {
            found.required.extend(requirement(trimmed, Scope::Normal));
        } else if let Some((word, value)) = line.split_once('=').filter(|_| !line.starts_with([' ', '\t', '#'])) {
            key = word.trim();
            match (section, key) {
                ("metadata", "name") => name = Some(value.trim().to_owned()),
                ("metadata", "version") => version = Some(value.trim().to_owned()),
                ("options", "install_requires") => found.required.extend(requirement(value, Scope::Normal)),
                _ => {}
            }
        }
    }
    if let Some(name) = name {
        let version = version.filter(|version| !["attr:", "file:"].iter().any(|word| version.starts_with(word)));
        found.offered = offer(texts, path, &name, version);
    }
    add_versions(texts, path, found)
}

/// Reads `requirements.txt` and its like.
pub(super) fn parse_list(texts: &mut Texts<'_>, path: &str) -> Found {
    let is_dev = path.contains("dev") || path.contains("test") || path.contains("docs");
    let scope = if is_dev { Scope::Dev } else { Scope::Normal };
    let required = texts.text(path).lines().filter_map(|line| requirement(line, scope)).collect();
    add_versions(texts, path, Found { required, ..Found::default() })
}

/// A requirement as one text: `Tool-Kit[extra] >= 2; python_version > "3"`.
pub(super) fn requirement(text: &str, scope: Scope) -> Option<Required> {
    let text = text.split(" #").next().unwrap_or(text).trim();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.')).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or(rest, |(_, rest)| rest);
    let range = rest.split(';').next().unwrap_or_default().trim().trim_matches(['(', ')']).trim();
    // An address, or a path of a file of requirements.
    if range.starts_with(['@', ':', '/', '\\']) {
        return Some(build_row(name, scope, None));
    }
    let is_range = range.is_empty() || range.starts_with(['=', '<', '>', '~', '!']);
    is_range.then(|| build_row(name, scope, (!range.is_empty()).then(|| range.to_owned())))
}

fn build_row(name: &str, scope: Scope, requirement: Option<String>) -> Required {
    let exact = requirement.as_deref().and_then(|range| range.strip_prefix("=="));
    let is_exact = |version: &&str| !version.contains([',', '*', ' ', '=']);
    let version = exact.map(str::trim).filter(is_exact).map(str::to_owned);
    Required { name: name.to_owned(), alias: None, scope, requirement, version }
}

/// Adds the versions of the nearest lock file.
fn add_versions(texts: &mut Texts<'_>, path: &str, mut found: Found) -> Found {
    let parse = |texts: &mut Texts<'_>, name: &&str| texts.find_lock(path, name)?.parse::<Table>().ok();
    let Some(table) = LOCKS.iter().find_map(|name| parse(texts, name)) else { return found };
    let mut versions: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for row in table.get("package").and_then(Value::as_array).into_iter().flatten() {
        let word = |key: &str| row.get(key).and_then(Value::as_str);
        if let (Some(name), Some(version)) = (word("name"), word("version")) {
            versions.entry(Ecosystem::Pypi.import_name(name)).or_default().insert(version);
        }
    }
    for row in found.required.iter_mut().filter(|row| row.version.is_none()) {
        let all = versions.get(&Ecosystem::Pypi.import_name(&row.name));
        // Of several versions, which one is used depends on the system.
        row.version = all.filter(|all| all.len() == 1).and_then(BTreeSet::first).map(|version| (*version).to_owned());
    }
    found
}

/// The modules that a distribution installs, by their files: packages and modules at the top of its sources.
fn offer(texts: &Texts<'_>, path: &str, name: &str, version: Option<String>) -> Vec<Offered> {
    let folder = folder_of(path);
    let mut modules: BTreeSet<String> = BTreeSet::new();
    for source in SOURCES {
        let top = match (folder, *source) {
            (folder, "") => folder.to_owned(),
            (folder, source) => join(folder, source),
        };
        for file in texts.files_below(&top) {
            let inner = file[top.len()..].trim_start_matches('/');
            let parts: Vec<&str> = inner.split('/').collect();
            match parts.as_slice() {
                [package, "__init__.py"] if !UNINSTALLED.contains(package) && !SOURCES.contains(package) => {
                    modules.insert((*package).to_owned());
                }
                [module] if !source.is_empty() || Ecosystem::Pypi.import_name(name) == stem(module) => {
                    modules.extend(module.strip_suffix(".py").map(str::to_owned));
                }
                _ => {}
            }
        }
    }
    let row = |import_name| Offered { name: name.to_owned(), import_name: Some(import_name), version: version.clone() };
    if modules.is_empty() {
        vec![Offered { import_name: None, ..row(String::new()) }]
    } else {
        modules.into_iter().map(row).collect()
    }
}

fn stem(file: &str) -> &str {
    file.strip_suffix(".py").unwrap_or(file)
}
