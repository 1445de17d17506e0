//! `package.json`: the exports of a package, and which packages of the project can import each other by name.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::super::dependencies::Dependencies;
use super::super::paths::{folder, join, upwards};
use super::json;
use super::modules::BUILD_FOLDERS;
use super::paths::{best, glob};

/// Nested conditions and lists followed in `exports`.
const MAX_TARGETS: usize = 256;

/// A package of the project.
#[derive(Debug, Clone, Default)]
pub(super) struct Package {
    pub(super) name: String,
    /// Folder from the root, `""` for the root itself.
    pub(super) folder: String,
    /// Folder of the workspace it belongs to.
    workspace: Option<String>,
    exports: Option<Value>,
    imports: Option<Map<String, Value>>,
    /// Its compiler configuration for others, as the manifest names it.
    config: Option<String>,
    /// Entry files, best first: `source`, `types`, `module`, `main`.
    entries: Vec<String>,
    /// Dependencies that are folders (`file:../x`): name and folder.
    local: Vec<(String, String)>,
    /// Dependencies: the name in code, and that of the package.
    required: BTreeMap<String, String>,
    /// Folder of the repository that it is in.
    repository: String,
}

/// All packages of the project.
#[derive(Debug, Default)]
pub(super) struct Packages {
    by_folder: BTreeMap<String, Package>,
    by_name: BTreeMap<String, Vec<String>>,
}

impl Packages {
    /// Reads the packages from `package.json` and `pnpm-workspace.yaml` files.
    pub(super) fn new<'a>(manifests: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Self {
        let mut packages = Self::default();
        let mut workspaces: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (path, text) in manifests {
            let here = folder(path);
            match path.rsplit('/').next() {
                Some("package.json") => {
                    let Ok(value) = json::parse(text) else { continue };
                    let patterns = match &value["workspaces"] {
                        Value::Object(settings) => settings.get("packages").cloned().unwrap_or_default(),
                        other => other.clone(),
                    };
                    let patterns: Vec<String> = strings(&patterns);
                    if !patterns.is_empty() {
                        workspaces.entry(here.to_owned()).or_default().extend(patterns);
                    }
                    packages.by_folder.insert(here.to_owned(), package(here, &value));
                }
                Some("pnpm-workspace.yaml") => {
                    workspaces.entry(here.to_owned()).or_default().extend(pnpm_patterns(text));
                }
                Some("lerna.json") => {
                    let Ok(value) = json::parse(text) else { continue };
                    workspaces.entry(here.to_owned()).or_default().extend(strings(&value["packages"]));
                }
                _ => {}
            }
        }
        packages.join_workspaces(&workspaces);
        for package in packages.by_folder.values().filter(|package| !package.name.is_empty()) {
            packages.by_name.entry(package.name.clone()).or_default().push(package.folder.clone());
        }
        packages
    }

    /// Which packages depend on which, by the names in their manifests.
    pub(super) fn dependencies(&self) -> Dependencies {
        let mut all = Dependencies::default();
        for package in self.by_folder.values().filter(|package| !package.name.is_empty()) {
            all.add_package(&package.folder, package.name.clone());
            all.require(&package.folder, package.required.values().cloned());
            all.require(&package.folder, package.local.iter().map(|(name, _)| name.clone()));
        }
        all.settle();
        all
    }

    fn join_workspaces(&mut self, workspaces: &BTreeMap<String, Vec<String>>) {
        for (root, patterns) in workspaces {
            for package in self.by_folder.values_mut() {
                let inside = match (root.as_str(), package.folder.strip_prefix(root.as_str())) {
                    (_, Some("")) => Some(""),
                    ("", _) => Some(package.folder.as_str()),
                    (_, Some(rest)) => rest.strip_prefix('/'),
                    (_, None) => None,
                };
                let Some(inside) = inside else { continue };
                let matches = |pattern: &String| glob(pattern.trim_start_matches('!'), inside);
                let excluded = patterns.iter().any(|pattern| pattern.starts_with('!') && matches(pattern));
                let included = patterns.iter().any(|pattern| !pattern.starts_with('!') && matches(pattern));
                if inside.is_empty() || included && !excluded {
                    package.workspace = Some(root.clone());
                }
            }
        }
    }

    /// Notes which repository each package is in.
    pub(super) fn set_repositories(&mut self, of: &dyn Fn(&str) -> String) {
        for package in self.by_folder.values_mut() {
            package.repository = of(&package.folder);
        }
    }

    /// The package of another repository that `from` means by `name`: one that its manifest, or one above it in its
    /// repository, requires. `None` if several have the name.
    pub(super) fn of_others<'s>(&'s self, from: Option<&'s Package>, name: &str) -> Option<&'s Package> {
        let from = from?;
        let above = upwards(&from.folder).filter_map(|folder| self.by_folder.get(folder));
        let mut own = above.filter(|package| package.repository == from.repository);
        let name = own.find_map(|own| own.required.get(name))?;
        let named = self.by_name.get(name)?.iter().filter_map(|folder| self.by_folder.get(folder));
        let others: Vec<&Package> = named.filter(|package| package.repository != from.repository).collect();
        // Samples and tests have packages of the same names.
        let published: Vec<&Package> = others.iter().copied().filter(|package| !package.is_private()).collect();
        match (published.as_slice(), others.as_slice()) {
            ([one], _) | ([], [one]) => Some(one),
            _ => None,
        }
    }

    /// The package a file belongs to.
    pub(super) fn around(&self, path: &str) -> Option<&Package> {
        upwards(folder(path)).find_map(|folder| self.by_folder.get(folder))
    }

    /// Paths that a configuration named `name` may have, if that starts with the name of a package of the project.
    pub(super) fn list_configs(&self, name: &str) -> Vec<String> {
        let Some((package, folders)) = upwards(name).find_map(|start| self.by_name.get_key_value(start)) else {
            return Vec::new();
        };
        let subpath = name[package.len()..].trim_matches('/');
        let folders = folders.iter().filter_map(|folder| self.by_folder.get(folder));
        folders.flat_map(|package| package.list_configs(subpath)).collect()
    }

    /// The package whose folder this is.
    pub(super) fn at(&self, folder: &str) -> Option<&Package> {
        self.by_folder.get(folder)
    }

    /// The package of the project that `from` knows by `name`: itself, one of the same workspace, or a folder that its
    /// dependencies name.
    pub(super) fn find_known<'s>(&'s self, from: Option<&'s Package>, name: &str) -> Option<&'s Package> {
        let from = from?;
        if let Some((_, folder)) = from.local.iter().find(|(known, _)| known == name) {
            return self.by_folder.get(folder);
        }
        if from.name == name {
            return Some(from);
        }
        let workspace = from.workspace.as_ref().or_else(|| {
            let above = upwards(&from.folder).skip(1);
            above.filter_map(|folder| self.by_folder.get(folder)).find_map(|package| package.workspace.as_ref())
        })?;
        let folders = self.by_name.get(name)?;
        let members = folders.iter().filter_map(|folder| self.by_folder.get(folder));
        members.into_iter().find(|package| package.workspace.as_ref() == Some(workspace))
    }
}

/// Folders of packages that are not for others.
const PRIVATE_FOLDERS: &[&str] = &["__tests__", "examples", "example", "fixtures", "playground", "test", "tests"];

impl Package {
    fn is_private(&self) -> bool {
        self.folder.split('/').any(|part| PRIVATE_FOLDERS.contains(&part))
    }

    /// Returns whether a path lies in a folder of the package that build outputs are put into.
    pub(super) fn is_output(&self, path: &str) -> bool {
        self.is_in(path, BUILD_FOLDERS)
    }

    /// Returns whether a path lies in one of these folders of the package.
    pub(super) fn is_in(&self, path: &str, folders: &[&str]) -> bool {
        let inside = path.strip_prefix(self.folder.as_str()).map(|rest| rest.trim_start_matches('/'));
        inside.and_then(|inside| inside.split_once('/')).is_some_and(|(top, _)| folders.contains(&top))
    }

    /// Files from which `name/subpath` is built, where what is built is not there.
    pub(super) fn sources(&self, subpath: &str) -> Vec<String> {
        let names: Vec<String> = match subpath {
            "" => ["src/index", "index", "lib/index", "source/index", "src/main"].map(str::to_owned).to_vec(),
            path => vec![format!("src/{path}"), path.to_owned(), format!("lib/{path}")],
        };
        names.iter().filter_map(|name| join(&self.folder, name)).collect()
    }

    /// Files that `name/subpath` may be, best first, as paths from the root. The conditions of `exports` are tried in
    /// the order that `require` or `import` asks for.
    pub(super) fn targets(&self, subpath: &str, requires: bool) -> Vec<String> {
        if let Some(exports) = &self.exports {
            let key = if subpath.is_empty() { ".".to_owned() } else { format!("./{subpath}") };
            let by_subpath = exports.as_object().filter(|map| map.keys().any(|key| key.starts_with('.')));
            let found = match by_subpath {
                Some(map) => best(map.iter().map(|(key, value)| (key.as_str(), value)), &key),
                None if subpath.is_empty() => Some((exports, "")),
                None => None,
            };
            return found.map_or_else(Vec::new, |(value, middle)| self.conditional(value, middle, requires));
        }
        let inside = |path: &str| join(&self.folder, path);
        if subpath.is_empty() {
            let mut found: Vec<String> = self.entries.iter().filter_map(|entry| inside(entry)).collect();
            found.extend(["index", "src/index"].into_iter().filter_map(inside));
            return found;
        }
        [inside(subpath), inside(&format!("src/{subpath}"))].into_iter().flatten().collect()
    }

    /// Targets of a subpath import (`#name`): files, or names of other packages.
    pub(super) fn own_import(&self, name: &str, requires: bool) -> Vec<String> {
        let patterns = self.imports.iter().flatten().map(|(key, value)| (key.as_str(), value));
        best(patterns, name).map_or_else(Vec::new, |(value, middle)| self.conditional(value, middle, requires))
    }

    fn list_configs(&self, subpath: &str) -> Vec<String> {
        let own = self.config.as_deref().filter(|_| subpath.is_empty()).and_then(|path| join(&self.folder, path));
        let exported = self.exports.as_ref().map_or_else(Vec::new, |_| self.targets(subpath, true));
        own.into_iter().chain(exported).chain(join(&self.folder, subpath)).collect()
    }

    /// The strings of a target, in the order in which their conditions are to be tried.
    fn conditional(&self, value: &Value, middle: &str, requires: bool) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![value];
        for _ in 0..MAX_TARGETS {
            let Some(value) = open.pop() else { break };
            match value {
                Value::String(target) if target.starts_with('.') => {
                    found.extend(join(&self.folder, &target.replace('*', middle)));
                }
                Value::String(target) => found.push(format!("package:{}", target.replace('*', middle))),
                Value::Array(items) => open.extend(items.iter().rev()),
                Value::Object(map) => {
                    let mut rows: Vec<(usize, &Value)> =
                        map.iter().map(|(key, value)| (condition_rank(key, requires), value)).collect();
                    rows.sort_by_key(|(rank, _)| *rank);
                    open.extend(rows.into_iter().rev().map(|(_, value)| value));
                }
                _ => {}
            }
        }
        found
    }
}

fn condition_rank(key: &str, requires: bool) -> usize {
    let order = if requires {
        ["source", "types", "require", "node", "default", "module", "import"]
    } else {
        ["source", "types", "import", "module", "node", "default", "require"]
    };
    order.iter().position(|known| *known == key).unwrap_or(order.len())
}

fn package(folder: &str, value: &Value) -> Package {
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    let mut local = Vec::new();
    let mut required = BTreeMap::new();
    for kind in ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] {
        for (name, version) in value[kind].as_object().into_iter().flatten() {
            let version = version.as_str().unwrap_or("");
            required.insert(name.clone(), parse_renamed(version).unwrap_or(name).to_owned());
            let path = ["file:", "link:", "portal:"].iter().find_map(|prefix| version.strip_prefix(prefix));
            if let Some(path) = path.and_then(|path| join(folder, path)) {
                local.push((name.clone(), path));
            }
        }
    }
    Package {
        name: text("name").unwrap_or_default(),
        folder: folder.to_owned(),
        workspace: None,
        exports: value.get("exports").filter(|exports| !exports.is_null()).cloned(),
        imports: value["imports"].as_object().cloned(),
        config: text("tsconfig"),
        entries: ["source", "types", "typings", "module", "main"].iter().filter_map(|key| text(key)).collect(),
        local,
        required,
        repository: String::new(),
    }
}

/// The package that a version means under another name: `npm:@x/real@1`.
fn parse_renamed(version: &str) -> Option<&str> {
    let package = version.strip_prefix("npm:")?;
    let (scope, rest) = package.split_once('/').map_or(("", package), |(scope, rest)| (scope, rest));
    let end = package.len() - rest.len() + rest.find('@').unwrap_or(rest.len());
    (!rest.is_empty() && (scope.is_empty() || scope.starts_with('@'))).then(|| &package[..end])
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The list below `packages:` of a `pnpm-workspace.yaml`, in its usual form.
fn pnpm_patterns(text: &str) -> Vec<String> {
    let mut inside = false;
    let mut patterns = Vec::new();
    for line in text.lines() {
        let line = line.split(" #").next().unwrap_or(line);
        let trimmed = line.trim();
        if let Some(rest) = line.strip_prefix("packages:") {
            inside = true;
            let inline = rest.trim().trim_start_matches('[').trim_end_matches(']');
            patterns.extend(inline.split(',').map(bare).filter(|pattern| !pattern.is_empty()));
        } else if let Some(item) = trimmed.strip_prefix('-').filter(|_| inside) {
            patterns.push(bare(item));
        } else if !trimmed.is_empty() && !trimmed.starts_with('#') && !line.starts_with(' ') {
            inside = false;
        }
    }
    patterns
}

fn bare(item: &str) -> String {
    item.trim().trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Packages, pnpm_patterns};

    fn packages(files: &[(&'static str, &'static str)]) -> Packages {
        Packages::new(files.iter().copied())
    }

    #[test]
    fn only_packages_of_one_workspace_know_each_other() {
        let all = packages(&[
            ("package.json", r#"{"name": "root", "workspaces": ["packages/*", "!packages/old"]}"#),
            ("packages/a/package.json", r#"{"name": "@x/a"}"#),
            ("packages/b/package.json", r#"{"name": "@x/b", "dependencies": {"tool": "file:../../tool"}}"#),
            ("packages/old/package.json", r#"{"name": "@x/old"}"#),
            ("tool/package.json", r#"{"name": "tool"}"#),
        ]);
        let folder = |from: &str, name: &str| all.find_known(all.around(from), name).map(|found| found.folder.clone());
        assert_eq!(folder("packages/b/src/i.ts", "@x/a").as_deref(), Some("packages/a"));
        assert_eq!(folder("packages/b/src/i.ts", "tool").as_deref(), Some("tool"));
        assert_eq!(folder("packages/a/i.ts", "tool"), None);
        assert_eq!(folder("packages/a/i.ts", "@x/old"), None);
        assert_eq!(folder("scripts/i.ts", "@x/a").as_deref(), Some("packages/a"));
        assert_eq!(folder("tool/i.ts", "tool").as_deref(), Some("tool"));
    }

    #[test]
    fn exports_by_subpath_and_condition() {
        let all = packages(&[(
            "p/package.json",
            r#"{"name": "p", "exports": {".": {"require": "./c.cjs", "import": {"types": "./t.d.ts", "default": "./m.mjs"}},
                "./f/*": ["./src/f/*.js"], "./f/x": null}}"#,
        )]);
        let package = all.at("p").expect("there");
        assert_eq!(package.targets("", false), ["p/t.d.ts", "p/m.mjs", "p/c.cjs"]);
        assert_eq!(package.targets("", true), ["p/c.cjs", "p/t.d.ts", "p/m.mjs"]);
        assert_eq!(package.targets("f/y", false), ["p/src/f/y.js"]);
        assert!(package.targets("f/x", false).is_empty());
        assert!(package.targets("other", false).is_empty());
    }

    #[test]
    fn packages_of_other_repositories_need_a_manifest() {
        let mut all = packages(&[
            ("app/package.json", r#"{"name": "app", "dependencies": {"kit": "^1", "other": "npm:@x/real@^2"}}"#),
            ("kit/package.json", r#"{"name": "kit"}"#),
            ("kit/examples/kit/package.json", r#"{"name": "kit"}"#),
            ("real/package.json", r#"{"name": "@x/real"}"#),
            ("more/package.json", r#"{"name": "more"}"#),
        ]);
        all.set_repositories(&|folder| folder.split('/').next().unwrap_or_default().to_owned());
        let folder = |name: &str| all.of_others(all.around("app/a.ts"), name).map(|found| found.folder.clone());
        assert_eq!(folder("kit").as_deref(), Some("kit"));
        assert_eq!(folder("other").as_deref(), Some("real"));
        assert_eq!((folder("more"), folder("@x/real")), (None, None));
    }

    #[test]
    fn workspace_file_of_pnpm() {
        let text = "# all\npackages:\n  - 'packages/*' # most\n  - \"apps/**\"\n  - '!**/test/**'\ncatalog:\n  - x\n";
        assert_eq!(pnpm_patterns(text), ["packages/*", "apps/**", "!**/test/**"]);
    }
}
