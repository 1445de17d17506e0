//! `go.mod`. The version that a module requires is the one that is built, unless a dependency requires a newer one.

use std::collections::BTreeSet;

use super::{Found, Offered, Required, Scope, Texts, folder_of};

/// Reads a manifest. Every folder with Go files is a package that others can import, except internal ones.
pub(super) fn parse(texts: &mut Texts<'_>, path: &str) -> Found {
    let (module, required) = read(texts.text(path));
    let mut found = Found { required, ..Found::default() };
    let Some(module) = module else { return found };
    let folder = folder_of(path);
    let inner = |path: &str| folder_of(path[folder.len()..].trim_start_matches('/')).to_owned();
    let is_package = |path: &&str| path.ends_with(".go") && !path.ends_with("_test.go");
    let folders: BTreeSet<String> = texts.files_below(folder).filter(is_package).map(inner).collect();
    found.offered = folders
        .into_iter()
        .filter(|inner| !inner.split('/').any(|part| matches!(part, "internal" | "testdata" | "vendor")))
        .map(|inner| Offered {
            name: module.clone(),
            import_name: Some(if inner.is_empty() { module.clone() } else { format!("{module}/{inner}") }),
            version: None,
        })
        .collect();
    found
}

/// The name of the module, and what it requires.
pub(super) fn read(text: &str) -> (Option<String>, Vec<Required>) {
    let (mut module, mut required, mut is_block) = (None, Vec::new(), false);
    for line in text.lines() {
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        let mut words = code.split_whitespace();
        let mut row = |name: Option<&str>, version: Option<&str>| {
            let (Some(name), Some(version)) = (name, version) else { return };
            required.push(Required {
                name: name.trim_matches('"').to_owned(),
                alias: None,
                scope: if comment.trim() == "indirect" { Scope::Indirect } else { Scope::Normal },
                requirement: Some(version.to_owned()),
                version: Some(version.to_owned()),
            });
        };
        match (is_block, words.next()) {
            (true, Some(")")) => is_block = false,
            (true, name) => row(name, words.next()),
            (false, Some("module")) => module = words.next().map(|name| name.trim_matches('"').to_owned()),
            (false, Some("require")) => match words.next() {
                Some("(") => is_block = true,
                name => row(name, words.next()),
            },
            _ => {}
        }
    }
    (module, required)
}
