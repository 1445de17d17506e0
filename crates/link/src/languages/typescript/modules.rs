//! Resolves the text of an import to a file of the project or the name of a package.

use super::super::dependencies::Dependencies;
use super::super::paths::{folder, join, upwards};
use super::config::Config;
use super::globals;
use super::package::{Package, Packages};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// Endings tried on a module written without one, in this order.
const ENDINGS: &[&str] = &[
    ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte", ".astro", ".json",
    ".d.mts", ".d.cts",
];

/// Extensions of compiled files and of their possible sources.
const SOURCES: &[(&str, &[&str])] = &[
    (".js", &[".ts", ".tsx", ".d.ts"]),
    (".jsx", &[".tsx", ".d.ts"]),
    (".mjs", &[".mts", ".d.mts", ".ts"]),
    (".cjs", &[".cts", ".d.cts", ".ts"]),
];

/// Modules that SvelteKit makes, and its package.
const KIT_MODULES: &[&str] = &["$app", "$env", "$service-worker"];
const KIT: &str = "@sveltejs/kit";

/// Build output folders that correspond to `src`.
pub(super) const BUILD_FOLDERS: &[&str] =
    &["dist", "lib", "build", "out", "output", "es", "esm", "cjs", "types", "typings", "umd"];

/// Target of a module specifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// Path of a file of the project.
    File(String),
    /// Name of a package outside.
    External(String),
    /// Neither.
    Nothing,
}

/// Configurations and packages of a project.
#[derive(Debug, Default)]
pub(super) struct Modules {
    configs: BTreeMap<String, Config>,
    packages: Packages,
}

/// The file that imports.
#[derive(Debug, Clone, Copy)]
pub(super) struct Importer<'a> {
    pub(super) path: &'a str,
    /// Sources take precedence over compiled files of the same name.
    pub(super) is_typescript: bool,
    /// Uses `require` rather than `import`.
    pub(super) requires: bool,
}

impl Modules {
    pub(super) fn new<'a>(manifests: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Self {
        let packages = Packages::new(manifests.clone());
        Self { configs: super::config::configs(manifests, &packages), packages }
    }

    /// Hashes what the configurations say together.
    pub(super) fn hash_configs(&self, hasher: &mut impl Hasher) {
        self.configs.hash(hasher);
    }

    /// Which packages depend on which.
    pub(super) fn dependencies(&self) -> Dependencies {
        self.packages.dependencies()
    }

    /// Lets packages of several repositories import each other; `of` tells the repository of a folder.
    #[must_use]
    pub(super) fn of_repositories(mut self, of: &dyn Fn(&str) -> String) -> Self {
        self.packages.set_repositories(of);
        self
    }

    /// Resolves a module as written. `exists` returns whether there is a file at a path.
    pub(super) fn find(&self, from: Importer<'_>, module: &str, exists: &dyn Fn(&str) -> bool) -> Found {
        // Bundlers take settings behind `?`.
        let module = module.split('?').next().unwrap_or(module);
        if module.is_empty() {
            return Found::Nothing;
        }
        let here = folder(from.path);
        if is_relative(module) {
            let only_folder =
                module.ends_with('/') || module.ends_with("/.") || module.ends_with("..") || module == ".";
            let path = join(here, module);
            let found = path.and_then(|path| self.at(from, &path, only_folder, exists));
            return found.map_or(Found::Nothing, Found::File);
        }
        if let Some(absolute) = module.strip_prefix('/') {
            return self.at(from, absolute, false, exists).map_or(Found::Nothing, Found::File);
        }
        if let Some((scheme, rest)) = module.split_once(':')
            && scheme != "node"
        {
            let host = rest.trim_start_matches('/').split('/').next().unwrap_or(rest);
            let name = if scheme == "npm" || scheme == "jsr" { package_name(rest) } else { host };
            return Found::External(if name.is_empty() { module.to_owned() } else { name.to_owned() });
        }
        self.bare(from, module, exists)
    }

    /// A module that is no path: mapped by a configuration, or a package.
    fn bare(&self, from: Importer<'_>, module: &str, exists: &dyn Fn(&str) -> bool) -> Found {
        let own = self.packages.around(from.path);
        if module.starts_with('#') {
            return self.own_import(from, own, module, exists);
        }
        if module.starts_with("node:") {
            return Found::External(globals::NODE.to_owned());
        }
        let config = upwards(folder(from.path)).find_map(|folder| self.configs.get(folder));
        let candidates = config.map(|config| config.candidates(module)).unwrap_or_default();
        if let Some(found) = candidates.iter().find_map(|path| self.at(from, path, false, exists)) {
            return Found::File(found);
        }
        if globals::is_node_module(module) {
            return Found::External(globals::NODE.to_owned());
        }
        let name = package_name(module);
        if KIT_MODULES.contains(&name) {
            return Found::External(KIT.to_owned());
        }
        if let Some(package) = self.packages.find_known(own, name) {
            let subpath = module[name.len()..].trim_matches('/');
            return match self.in_package(from, package, subpath, exists) {
                Some(found) => Found::File(found),
                None => Found::Nothing,
            };
        }
        if let Some(package) = self.packages.of_others(own, name) {
            let subpath = module[name.len()..].trim_matches('/');
            if let Some(found) = self.in_other(from, package, subpath, exists) {
                return Found::File(found);
            }
        }
        if is_package_name(name) { Found::External(name.to_owned()) } else { Found::Nothing }
    }

    fn own_import(
        &self,
        from: Importer<'_>,
        own: Option<&Package>,
        module: &str,
        exists: &dyn Fn(&str) -> bool,
    ) -> Found {
        for target in own.map(|own| own.own_import(module, from.requires)).unwrap_or_default() {
            match target.strip_prefix("package:") {
                Some(name) => return self.bare(from, name.trim_start_matches('#'), exists),
                None => {
                    if let Some(found) = self.find_built(from, &target, own.map_or("", |own| &own.folder), exists) {
                        return Found::File(found);
                    }
                }
            }
        }
        let config = upwards(folder(from.path)).find_map(|folder| self.configs.get(folder));
        let candidates = config.map(|config| config.candidates(module)).unwrap_or_default();
        let mapped = candidates.iter().find_map(|path| self.at(from, path, false, exists));
        mapped.map_or(Found::Nothing, Found::File)
    }

    /// A module of a package of another repository. If the file that the package names first is a build output that
    /// is not there, files beside it (`index.js`, `index.mjs`) mostly only load build outputs: its sources take
    /// precedence.
    fn in_other(
        &self,
        from: Importer<'_>,
        package: &Package,
        subpath: &str,
        exists: &dyn Fn(&str) -> bool,
    ) -> Option<String> {
        let sources = package.sources(subpath);
        let first = package.targets(subpath, from.requires).into_iter().next();
        let unbuilt = first.filter(|first| package.is_output(first) && file(from, first, exists).is_none());
        let source = unbuilt.and_then(|first| {
            let in_src = || sources.iter().filter(|path| package.is_in(path, &["src"]));
            let same_name = self.find_built(from, &first, &package.folder, exists);
            same_name.or_else(|| in_src().find_map(|path| self.at(from, path, false, exists)))
        });
        let found = source.or_else(|| self.in_package(from, package, subpath, exists));
        found.or_else(|| sources.iter().find_map(|path| self.at(from, path, false, exists)))
    }

    fn in_package(
        &self,
        from: Importer<'_>,
        package: &Package,
        subpath: &str,
        exists: &dyn Fn(&str) -> bool,
    ) -> Option<String> {
        let targets = package.targets(subpath, from.requires);
        let there = targets.iter().find_map(|target| file(from, target, exists));
        there.or_else(|| targets.iter().find_map(|target| self.find_built(from, target, &package.folder, exists)))
    }

    /// A file or folder at a path.
    fn at(&self, from: Importer<'_>, path: &str, only_folder: bool, exists: &dyn Fn(&str) -> bool) -> Option<String> {
        if !only_folder && let Some(found) = file(from, path, exists) {
            return Some(found);
        }
        if let Some(package) = self.packages.at(path) {
            // A path is no use of `exports`: only the entry files count.
            let targets = package.targets("", from.requires);
            let found = targets.iter().find_map(|target| self.find_built(from, target, path, exists));
            if found.is_some() {
                return found;
            }
        }
        let index = if path.is_empty() { "index".to_owned() } else { format!("{path}/index") };
        file(from, &index, exists)
    }

    /// A target of a package: the file itself, its folder's index, or the source it was built from.
    fn find_built(
        &self,
        from: Importer<'_>,
        target: &str,
        package: &str,
        exists: &dyn Fn(&str) -> bool,
    ) -> Option<String> {
        let direct = file(from, target, exists).or_else(|| file(from, &format!("{target}/index"), exists));
        direct.or_else(|| {
            let inside =
                if package.is_empty() { Some(target) } else { target.strip_prefix(package)?.strip_prefix('/') };
            sources(inside?).into_iter().find_map(|source| {
                let path = join(package, &source)?;
                file(from, &path, exists).or_else(|| file(from, &format!("{path}/index"), exists))
            })
        })
    }
}

/// The file that a path without or with ending means.
fn file(from: Importer<'_>, path: &str, exists: &dyn Fn(&str) -> bool) -> Option<String> {
    let sources = || {
        let (compiled, sources) = SOURCES.iter().find(|(compiled, _)| path.ends_with(compiled))?;
        let stem = &path[..path.len() - compiled.len()];
        sources.iter().map(|source| format!("{stem}{source}")).find(|path| exists(path))
    };
    if from.is_typescript
        && let Some(found) = sources()
    {
        return Some(found);
    }
    let has_ending = path.rsplit('/').next().is_some_and(|name| name.trim_start_matches('.').contains('.'));
    if has_ending && exists(path) {
        return Some(path.to_owned());
    }
    let ended = ENDINGS.iter().map(|ending| format!("{path}{ending}")).find(|path| exists(path));
    ended.or_else(sources).or_else(|| (!has_ending && exists(path)).then(|| path.to_owned()))
}

/// Source files that a built file may come from, without ending.
fn sources(target: &str) -> Vec<String> {
    let mut parts: Vec<&str> = target.split('/').collect();
    let Some(last) = parts.pop() else { return Vec::new() };
    let endings = [".d.ts", ".d.mts", ".d.cts", ".js", ".mjs", ".cjs", ".ts", ".jsx", ".tsx"];
    let stem = endings.iter().find_map(|ending| last.strip_suffix(ending)).unwrap_or(last);
    let stem = [".esm", ".cjs", ".umd", ".min", ".prod", ".dev"]
        .iter()
        .find_map(|tail| stem.strip_suffix(tail))
        .unwrap_or(stem);
    let built = parts.iter().take_while(|part| BUILD_FOLDERS.contains(part)).count();
    if built == 0 {
        return Vec::new();
    }
    let mut rest: Vec<&str> = parts[built..].to_vec();
    rest.push(stem);
    let rest = rest.join("/");
    vec![format!("src/{rest}"), rest]
}

fn is_relative(module: &str) -> bool {
    module == "." || module == ".." || module.starts_with("./") || module.starts_with("../")
}

/// `@scope/name` or `name` of a module inside a package.
fn package_name(module: &str) -> &str {
    let mut slashes = module.match_indices('/').map(|(at, _)| at);
    let end = if module.starts_with('@') { slashes.nth(1) } else { slashes.next() };
    &module[..end.unwrap_or(module.len())]
}

/// Returns whether a text can be the name of a package: aliases such as `@/x` and `~/x` cannot.
fn is_package_name(name: &str) -> bool {
    let name = match name.strip_prefix('@') {
        Some(scoped) => match scoped.split_once('/') {
            Some((scope, name)) if !scope.is_empty() => name,
            _ => return false,
        },
        None => name,
    };
    name.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_' || first == '-')
}

#[cfg(test)]
mod tests {
    use super::{Found, Importer, Modules};

    fn show_found(manifests: &[(&'static str, &'static str)], files: &[&str], from: &str, module: &str) -> String {
        let modules = Modules::new(manifests.iter().copied());
        let importer = Importer { path: from, is_typescript: from.ends_with(".ts"), requires: false };
        match modules.find(importer, module, &|path| files.contains(&path)) {
            Found::File(path) => path,
            Found::External(name) => format!("external {name}"),
            Found::Nothing => "nothing".to_owned(),
        }
    }

    #[test]
    fn relative_modules() {
        let files = ["a.ts", "b.js", "c/index.tsx", "d.ts", "d.js", "e.vue", "f.d.ts", "g.x.ts", "c.ts", "h/i.json"];
        let find = |module: &str| show_found(&[], &files, "m.ts", module);
        assert_eq!(find("./a"), "a.ts");
        assert_eq!(find("./a.js"), "a.ts");
        assert_eq!(find("./b.js"), "b.js");
        assert_eq!(find("./c"), "c.ts");
        assert_eq!(find("./c/"), "c/index.tsx");
        assert_eq!(find("./d.js"), "d.ts");
        assert_eq!(show_found(&[], &files, "m.js", "./d.js"), "d.js");
        assert_eq!(find("./e.vue"), "e.vue");
        assert_eq!(find("./f"), "f.d.ts");
        assert_eq!(find("./g.x"), "g.x.ts");
        assert_eq!(find("./h/i.json?raw"), "h/i.json");
        assert_eq!(find("../x"), "nothing");
        assert_eq!(show_found(&[], &files, "c/index.tsx", ".."), "nothing");
    }

    #[test]
    fn bare_modules() {
        let find = |module: &str| show_found(&[], &[], "m.ts", module);
        assert_eq!(find("react"), "external react");
        assert_eq!(find("@a/b/c"), "external @a/b");
        assert_eq!(find("lodash/fp"), "external lodash");
        assert_eq!(find("fs/promises"), "external node");
        assert_eq!(find("node:test"), "external node");
        assert_eq!(find("@/x"), "nothing");
        assert_eq!(find("~/x"), "nothing");
        assert_eq!(find("$lib/x"), "nothing");
        assert_eq!(find("$app/state"), "external @sveltejs/kit");
        assert_eq!(find("https://deno.land/x/a.ts"), "external deno.land");
    }

    #[test]
    fn a_package_knows_itself_by_name() {
        let manifests = [(
            "packages/p/package.json",
            r#"{"name": "p", "exports": {".": {"@p/source": "./src/index.ts", "types": "./index.d.cts", "import": "./index.js"},
                    "./v3": {"@p/source": "./src/v3/index.ts", "types": "./v3/index.d.cts", "import": "./v3/index.js"}}}"#,
        )];
        let files = ["packages/p/src/index.ts", "packages/p/src/v3/index.ts"];
        for (module, target) in [("p", "packages/p/src/index.ts"), ("p/v3", "packages/p/src/v3/index.ts")] {
            assert_eq!(show_found(&manifests, &files, "packages/p/src/v3/tests/a.test.ts", module), target);
        }
    }

    #[test]
    fn sources_of_other_repositories_come_before_files_that_load_the_build_output() {
        let manifests = [
            ("app/package.json", r#"{"name": "app", "peerDependencies": {"kit": "^3", "plain": "^1", "named": "^1"}}"#),
            (
                "mono/packages/kit/package.json",
                r#"{"name": "kit", "main": "index.js", "exports": {".": {"import": {"types": "./dist/kit.d.mts",
                    "node": "./index.mjs", "default": "./dist/kit.esm.js"}, "require": "./index.js"},
                    "./server": {"types": "./server/index.d.mts", "import": "./server/index.mjs"}}}"#,
            ),
            ("plain/package.json", r#"{"name": "plain", "types": "dist/plain.d.ts", "main": "code/main.js"}"#),
            ("named/package.json", r#"{"name": "named", "types": "dist/named.d.ts", "main": "index.js"}"#),
        ];
        let files = [
            "mono/packages/kit/index.js",
            "mono/packages/kit/index.mjs",
            "mono/packages/kit/src/index.ts",
            "mono/packages/kit/server/index.d.mts",
            "plain/code/main.js",
            "plain/index.js",
            "named/index.js",
            "named/src/index.ts",
            "named/src/named.ts",
        ];
        let modules = Modules::new(manifests.iter().copied());
        let modules = modules.of_repositories(&|folder| folder.split('/').next().unwrap_or_default().to_owned());
        let found = |module: &str, files: &[&str]| {
            let importer = Importer { path: "app/src/a.ts", is_typescript: true, requires: false };
            match modules.find(importer, module, &|path| files.contains(&path)) {
                Found::File(path) => path,
                other => format!("{other:?}"),
            }
        };
        assert_eq!(found("kit", &files), "mono/packages/kit/src/index.ts");
        assert_eq!(found("kit/server", &files), "mono/packages/kit/server/index.d.mts");
        assert_eq!(found("plain", &files), "plain/code/main.js");
        assert_eq!(found("named", &files), "named/src/named.ts");
        let built =
            ["mono/packages/kit/dist/kit.d.mts", "mono/packages/kit/index.mjs", "mono/packages/kit/src/index.ts"];
        assert_eq!(found("kit", &built), "mono/packages/kit/dist/kit.d.mts");
        assert_eq!(found("kit", &built[1..2]), "mono/packages/kit/index.mjs");
    }

    #[test]
    fn packages_and_their_sources() {
        let manifests = [
            ("package.json", r#"{"workspaces": ["packages/*"]}"#),
            ("packages/a/package.json", r#"{"name": "a", "main": "dist/index.js", "types": "dist/index.d.ts"}"#),
            (
                "packages/b/package.json",
                r##"{"name": "b", "exports": {"./*": "./dist/*.js"}, "imports": {"#x": "./src/x.js"}}"##,
            ),
        ];
        let files = ["packages/a/src/index.ts", "packages/b/src/u.ts", "packages/b/src/x.ts", "packages/a/src/deep.ts"];
        let find = |module: &str| show_found(&manifests, &files, "packages/b/src/u.ts", module);
        assert_eq!(find("a"), "packages/a/src/index.ts");
        assert_eq!(find("a/deep"), "packages/a/src/deep.ts");
        assert_eq!(find("b/u"), "packages/b/src/u.ts");
        assert_eq!(find("b"), "nothing");
        assert_eq!(find("#x"), "packages/b/src/x.ts");
        assert_eq!(find("../../a"), "packages/a/src/index.ts");
    }
}
