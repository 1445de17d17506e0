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

/// The configuration of every folder that has one.
pub(super) fn configs<'a>(manifests: impl Iterator<Item = (&'a str, &'a str)>) -> BTreeMap<String, Config> {
    let parsed: BTreeMap<&str, Value> = manifests
        .filter(|(path, _)| is_config(path.rsplit('/').next().unwrap_or(path)))
        .filter_map(|(path, text)| json::parse(text).ok().map(|value| (path, value)))
        .collect();
    let mut configs = BTreeMap::new();
    for path in parsed.keys() {
        let name = path.rsplit('/').next().unwrap_or(path);
        let main = name == "tsconfig.json" || name == "jsconfig.json" && !parsed.contains_key(&*sibling(path));
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

fn sibling(path: &str) -> String {
    let folder = folder(path);
    if folder.is_empty() { "tsconfig.json".to_owned() } else { format!("{folder}/tsconfig.json") }
}

/// Own settings first, then those of extended configurations, then, if there are still no paths, those of referenced
/// ones.
fn resolve(path: &str, parsed: &BTreeMap<&str, Value>) -> Config {
    let mut config = Config::default();
    let mut referred = Vec::new();
    // The last of several extended files takes precedence, so it is read first.
    let mut open = vec![path.to_owned()];
    let mut seen: Vec<String> = Vec::new();
    while let Some(path) = open.pop().or_else(|| config.paths.is_none().then(|| referred.pop()).flatten()) {
        if seen.contains(&path) || seen.len() >= MAX_CONFIGS {
            continue;
        }
        seen.push(path.clone());
        let Some(value) = parsed.get(&*path) else { continue };
        let here = folder(&path);
        settle(&mut config, value, here);
        let extended = match &value["extends"] {
            Value::String(one) => vec![one.as_str()],
            Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        open.extend(extended.into_iter().filter_map(|name| find_config(here, name, parsed)));
        let references = value["references"].as_array().into_iter().flatten();
        let references: Vec<&str> = references.filter_map(|row| row["path"].as_str()).collect();
        referred.extend(references.into_iter().rev().filter_map(|name| find_config(here, name, parsed)));
    }
    config
}

/// Adds settings that `config` does not have yet.
fn settle(config: &mut Config, value: &Value, here: &str) {
    let options = &value["compilerOptions"];
    let base = options["baseUrl"].as_str().and_then(|base| join(here, base));
    if config.paths.is_none()
        && let Some(paths) = options["paths"].as_object()
    {
        // Replacements are relative to the base folder, which may be set by the file that extends this one.
        let root = base.clone().or_else(|| config.base_url.clone()).unwrap_or_else(|| here.to_owned());
        let targets = |value: &Value| -> Vec<String> {
            let targets = value.as_array().into_iter().flatten().filter_map(Value::as_str);
            targets.filter_map(|target| join(&root, target)).collect()
        };
        config.paths = Some(paths.iter().map(|(pattern, value)| (pattern.clone(), targets(value))).collect());
    }
    config.base_url = config.base_url.take().or(base);
}

/// A configuration named by another: with or without ending, or as a folder. Only relative ones are in the project.
fn find_config(here: &str, name: &str, parsed: &BTreeMap<&str, Value>) -> Option<String> {
    if !name.starts_with('.') {
        return None;
    }
    let path = join(here, name)?;
    let candidates = [path.clone(), format!("{path}.json"), format!("{path}/tsconfig.json")];
    candidates.into_iter().find(|path| parsed.contains_key(&**path))
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
        ];
        let configs = configs(files.into_iter());
        assert_eq!(configs["app"].candidates("@lib/a"), ["libs/a/src", "@lib/a"]);
        assert_eq!(configs["web"].candidates("@/x"), ["web/src/x"]);
        assert!(configs["loop"].candidates("x").is_empty());
    }
}
