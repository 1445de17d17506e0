//! `tsconfig.json` and `jsconfig.json`: `baseUrl` and `paths`, with the configurations they extend.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::paths::{folder, join};
use super::json;
use super::paths::best;

/// Configurations followed through `extends` and `references` from one file.
const MAX_CONFIGS: usize = 32;

/// Module settings of a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Config {
    /// Folder that bare modules may be found in.
    pub(super) base_url: Option<String>,
    /// Patterns and their replacements, which are paths from the root.
    paths: Option<Vec<(String, Vec<String>)>>,
}

impl Config {
    /// Possible paths of a bare module, best first.
    pub(super) fn candidates(&self, module: &str) -> Vec<String> {
        let patterns = self.paths.iter().flatten().map(|(pattern, targets)| (pattern.as_str(), targets));
        let mut found: Vec<String> = match best(patterns, module) {
            Some((targets, middle)) => targets.iter().map(|target| target.replacen('*', middle, 1)).collect(),
            None => Vec::new(),
        };
        found.extend(self.base_url.as_deref().and_then(|base| join(base, module)));
        found
    }
}

/// What configurations are made of.
struct Parsed<'a> {
    /// Configurations by their paths.
    files: BTreeMap<&'a str, Value>,
    /// Folders of the packages of the project by their names, if a configuration extends one of a package.
    packages: BTreeMap<String, &'a str>,
}

/// The configuration of every folder that has one.
pub(super) fn configs<'a>(manifests: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> BTreeMap<String, Config> {
    let last = |path: &'a str| path.rsplit('/').next().unwrap_or(path);
    let files: BTreeMap<&str, Value> = manifests
        .clone()
        .filter(|(path, _)| is_config(last(path)) || is_shared(last(path)))
        .filter_map(|(path, text)| json::parse(text).ok().map(|value| (path, value)))
        .collect();
    let mut packages = BTreeMap::new();
    if files.values().flat_map(list_extended).any(|name| !name.starts_with('.')) {
        for (path, text) in manifests.filter(|(path, _)| last(path) == "package.json") {
            let name = json::parse(text).ok().and_then(|value| value["name"].as_str().map(str::to_owned));
            packages.extend(name.map(|name| (name, folder(path))));
        }
    }
    let parsed = Parsed { files, packages };
    let mut configs = BTreeMap::new();
    for path in parsed.files.keys().filter(|path| is_config(last(path))) {
        let name = path.rsplit('/').next().unwrap_or(path);
        let main = name == "tsconfig.json" || name == "jsconfig.json" && !parsed.files.contains_key(&*sibling(path));
        if main {
            configs.insert(folder(path).to_owned(), resolve(path, &parsed));
        }
    }
    configs
}

/// Returns whether a file name is that of a compiler configuration.
pub(super) fn is_config(name: &str) -> bool {
    name == "jsconfig.json" || name.starts_with("tsconfig") && name.ends_with(".json")
}

/// Returns whether a file name is one that packages of shared configurations use, which others extend by it.
pub(super) fn is_shared(name: &str) -> bool {
    const NAMES: &[&str] =
        &["base.json", "library.json", "nextjs.json", "node.json", "react-library.json", "react.json"];
    NAMES.contains(&name)
}

/// The configurations that one extends, as they are written.
fn list_extended(value: &Value) -> Vec<&str> {
    match &value["extends"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn sibling(path: &str) -> String {
    let folder = folder(path);
    if folder.is_empty() { "tsconfig.json".to_owned() } else { format!("{folder}/tsconfig.json") }
}

/// Own settings first, then those of extended configurations, then, if there are still no paths, those of referenced
/// ones.
fn resolve(path: &str, parsed: &Parsed<'_>) -> Config {
    let mut config = Config::default();
    let mut referred = Vec::new();
    // The last of several extended files takes precedence, so it is read first.
    // Each with the configuration that is extended at last, whose folder `${configDir}` is.
    let mut open = vec![(path.to_owned(), path.to_owned())];
    let mut seen: Vec<String> = Vec::new();
    while let Some((path, top)) = open.pop().or_else(|| config.paths.is_none().then(|| referred.pop()).flatten()) {
        if seen.contains(&path) || seen.len() >= MAX_CONFIGS {
            continue;
        }
        seen.push(path.clone());
        let Some(value) = parsed.files.get(&*path) else { continue };
        let here = folder(&path);
        settle(&mut config, value, here, folder(&top));
        let extended = list_extended(value).into_iter().filter_map(|name| find_config(here, name, parsed));
        open.extend(extended.map(|path| (path, top.clone())));
        let references = value["references"].as_array().into_iter().flatten();
        let references: Vec<&str> = references.filter_map(|row| row["path"].as_str()).collect();
        let references = references.into_iter().rev().filter_map(|name| find_config(here, name, parsed));
        referred.extend(references.map(|path| (path.clone(), path)));
    }
    config
}

/// Adds settings that `config` does not have yet.
fn settle(config: &mut Config, value: &Value, here: &str, top: &str) {
    let options = &value["compilerOptions"];
    let place = |root: &str, written: &str| match written.strip_prefix("${configDir}") {
        Some(behind) => join(top, &format!(".{behind}")),
        None => join(root, written),
    };
    let base = options["baseUrl"].as_str().and_then(|base| place(here, base));
    if config.paths.is_none()
        && let Some(paths) = options["paths"].as_object()
    {
        // Replacements are relative to the base folder, which may be set by the file that extends this one.
        let root = base.clone().or_else(|| config.base_url.clone()).unwrap_or_else(|| here.to_owned());
        let targets = |value: &Value| -> Vec<String> {
            let targets = value.as_array().into_iter().flatten().filter_map(Value::as_str);
            targets.filter_map(|target| place(&root, target)).collect()
        };
        config.paths = Some(paths.iter().map(|(pattern, value)| (pattern.clone(), targets(value))).collect());
    }
    config.base_url = config.base_url.take().or(base);
}

/// A configuration named by another: with or without ending, as a folder, or in a package of the project.
fn find_config(here: &str, name: &str, parsed: &Parsed<'_>) -> Option<String> {
    let path = match name.starts_with('.') {
        true => join(here, name)?,
        false => {
            let in_package = |package: &&String| {
                name.strip_prefix(package.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            let package = parsed.packages.keys().filter(in_package).max_by_key(|package| package.len())?;
            join(parsed.packages[package], &format!(".{}", &name[package.len()..]))?
        }
    };
    let candidates = [path.clone(), format!("{path}.json"), format!("{path}/tsconfig.json")];
    candidates.into_iter().find(|path| parsed.files.contains_key(&**path))
}

#[cfg(test)]
mod tests {
    use super::configs;

    #[test]
    fn extended_and_referred_settings() {
        let files = [
            ("tsconfig.base.json", r#"{"compilerOptions": {"baseUrl": ".", "paths": {"@lib/*": ["libs/*/src"],}}}"#),
            ("app/tsconfig.json", r#"{"extends": "../tsconfig.base"}"#),
            ("web/tsconfig.json", r#"{"files": [], "references": [{"path": "./tsconfig.app.json"}]}"#),
            ("web/tsconfig.app.json", r#"{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#),
            ("loop/tsconfig.json", r#"{"extends": "./tsconfig.json"}"#),
            ("config/package.json", r#"{"name": "@acme/config"}"#),
            ("config/base.json", r#"{"compilerOptions": {"paths": {"~/*": ["${configDir}/src/*"]}}}"#),
            ("shop/tsconfig.json", r#"{"extends": "@acme/config/base"}"#),
            ("site/tsconfig.json", r#"{"extends": ["@acme/config/base.json", "./tsconfig.own.json"]}"#),
            ("site/tsconfig.own.json", r#"{"compilerOptions": {"baseUrl": "${configDir}"}}"#),
        ];
        let configs = configs(files.into_iter());
        assert_eq!(configs["app"].candidates("@lib/a"), ["libs/a/src", "@lib/a"]);
        assert_eq!(configs["web"].candidates("@/x"), ["web/src/x"]);
        assert_eq!(configs["shop"].candidates("~/x"), ["shop/src/x"]);
        assert_eq!(configs["site"].candidates("~/x"), ["site/src/x", "site/~/x"]);
        assert!(!configs.contains_key("config"));
        assert!(configs["loop"].candidates("x").is_empty());
    }
}
