//! `tsconfig.json` and `jsconfig.json`: `baseUrl` and `paths`, with the configurations they extend.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::paths::{folder, join};
use super::json;
use super::package::Packages;
use super::paths::best;

/// Configurations followed through `extends` and `references` from one file.
const MAX_CONFIGS: usize = 32;

/// Configurations that a framework writes when it is started, which repositories leave out: the end of the path, and
/// the settings that every project gets unless it sets its own.
const GENERATED: &[(&str, &str)] = &[
    (".svelte-kit/tsconfig.json", r#"{"paths": {"$lib": ["../src/lib"], "$lib/*": ["../src/lib/*"]}}"#),
    (".nuxt/tsconfig.json", NUXT),
    (".nuxt/tsconfig.app.json", NUXT),
];
/// The sources are in `app`, or, before version 4, in the folder of the project.
const NUXT: &str =
    r#"{"paths": {"~/*": ["../app/*", "../*"], "@/*": ["../app/*", "../*"], "~~/*": ["../*"], "@@/*": ["../*"]}}"#;

/// Module settings of a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
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
    /// Texts by their paths.
    texts: BTreeMap<&'a str, &'a str>,
    /// Those that were needed, parsed.
    files: BTreeMap<String, Value>,
    packages: &'a Packages,
}

/// The configuration of every folder that has one, by its name or because another refers to one for it.
pub(super) fn configs<'a>(
    manifests: impl Iterator<Item = (&'a str, &'a str)>,
    packages: &Packages,
) -> BTreeMap<String, Config> {
    let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let mut parsed = Parsed { texts: manifests.collect(), files: BTreeMap::new(), packages };
    let named: Vec<&str> = parsed.texts.keys().copied().filter(|path| is_config(&last(path))).collect();
    let mut open: Vec<String> = named.iter().map(|&path| path.to_owned()).collect();
    while let Some(path) = open.pop() {
        open.extend(parsed.parse(&path));
    }
    let mut configs = BTreeMap::new();
    for path in named {
        let name = last(path);
        let main = name == "tsconfig.json" || name == "jsconfig.json" && !parsed.files.contains_key(&*sibling(path));
        if main && parsed.files.contains_key(path) {
            configs.insert(folder(path).to_owned(), resolve(path, &parsed));
        }
    }
    let all = parsed.files.iter();
    let referred: Vec<String> =
        all.flat_map(|(path, value)| parsed.list_referred(folder(path), value)).filter(|path| !is_main(path)).collect();
    for path in referred {
        let config = resolve(&path, &parsed);
        if config.paths.is_some() || config.base_url.is_some() {
            for folder in list_included(&path, &parsed.files[&path]) {
                configs.entry(folder).or_insert_with(|| config.clone());
            }
        }
    }
    configs
}

impl Parsed<'_> {
    /// Parses a configuration that was not yet; returns those that it names.
    fn parse(&mut self, path: &str) -> Vec<String> {
        if self.files.contains_key(path) {
            return Vec::new();
        }
        let written = self.texts.get(path).and_then(|text| json::parse(text).ok());
        let Some(value) = written.or_else(|| generate(path)) else { return Vec::new() };
        let extended = list_extended(&value).into_iter().filter_map(|name| self.find(folder(path), name));
        let named: Vec<String> = extended.chain(self.list_referred(folder(path), &value)).collect();
        self.files.insert(path.to_owned(), value);
        named
    }

    /// The configurations of the projects that one refers to.
    fn list_referred(&self, here: &str, value: &Value) -> Vec<String> {
        let references = value["references"].as_array().into_iter().flatten();
        references.filter_map(|row| self.find(here, row["path"].as_str()?)).collect()
    }

    /// A configuration named by another: with or without ending, as a folder, or in a package of the project.
    fn find(&self, here: &str, name: &str) -> Option<String> {
        let paths = match name.starts_with('.') {
            true => vec![join(here, name)?],
            false => self.packages.list_configs(name),
        };
        paths.into_iter().find_map(|path| {
            let candidates = [format!("{path}/tsconfig.json"), format!("{path}.json"), path];
            candidates.into_iter().rev().find(|path| self.texts.contains_key(&**path) || generate(path).is_some())
        })
    }
}

/// The configuration that a framework writes at a path.
fn generate(path: &str) -> Option<Value> {
    let is_at = |end: &str| path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'));
    let (_, options) = GENERATED.iter().find(|(end, _)| is_at(end))?;
    Some(serde_json::json!({ "compilerOptions": json::parse(options).ok()? }))
}

fn is_main(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("tsconfig.json" | "jsconfig.json"))
}

/// Folders of the files that a configuration includes: those before the first pattern, else its own.
fn list_included(path: &str, value: &Value) -> Vec<String> {
    let here = folder(path);
    let Some(included) = value["include"].as_array() else { return vec![here.to_owned()] };
    let fixed = included.iter().filter_map(Value::as_str).filter_map(|pattern| {
        let fixed = pattern.split('/').take_while(|part| !part.contains('*'));
        join(here, &fixed.collect::<Vec<_>>().join("/"))
    });
    fixed.take(MAX_CONFIGS).collect()
}

/// Returns whether a file name is that of a compiler configuration.
pub(super) fn is_config(name: &str) -> bool {
    name == "jsconfig.json" || name.starts_with("tsconfig") && name.ends_with(".json")
}

/// Returns whether a text may be a configuration under any name, which others extend or refer to by it.
pub(super) fn may_be_named(text: &[u8]) -> bool {
    /// Bytes of the longest such file.
    const LONGEST: usize = 64 << 10;
    const KEYS: &[&str] = &["\"compilerOptions\"", "\"extends\"", "\"references\""];
    let text = std::str::from_utf8(text).ok().filter(|text| text.len() <= LONGEST);
    text.is_some_and(|text| KEYS.iter().any(|key| text.contains(key)))
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
        let extended = list_extended(value).into_iter().filter_map(|name| parsed.find(here, name));
        open.extend(extended.map(|path| (path, top.clone())));
        referred.extend(parsed.list_referred(here, value).into_iter().rev().map(|path| (path.clone(), path)));
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

#[cfg(test)]
mod tests {
    use super::super::package::Packages;
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
        let packages = Packages::new(files.into_iter());
        let configs = configs(files.into_iter(), &packages);
        assert_eq!(configs["app"].candidates("@lib/a"), ["libs/a/src", "@lib/a"]);
        assert_eq!(configs["web"].candidates("@/x"), ["web/src/x"]);
        assert_eq!(configs["shop"].candidates("~/x"), ["shop/src/x"]);
        assert_eq!(configs["site"].candidates("~/x"), ["site/src/x", "site/~/x"]);
        assert!(!configs.contains_key("config"));
        assert!(configs["loop"].candidates("x").is_empty());
    }
}
