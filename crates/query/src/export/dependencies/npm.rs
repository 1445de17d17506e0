//! `package.json` and `package-lock.json`. Lock files of yarn, pnpm and bun are not read.

use serde_json::Value;

use super::{Found, Offered, Required, Scope, Texts};

/// Members with requirements.
const MEMBERS: &[(&str, Scope)] = &[
    ("dependencies", Scope::Normal),
    ("devDependencies", Scope::Dev),
    ("peerDependencies", Scope::Normal),
    ("optionalDependencies", Scope::Optional),
];
/// Begins the requirement of a package under another name: `npm:name@range`.
const ALIAS: &str = "npm:";

/// Reads a manifest.
pub(super) fn parse(texts: &mut Texts<'_>, path: &str) -> Found {
    let Ok(manifest) = serde_json::from_str::<Value>(texts.text(path)) else { return Found::default() };
    // 1. The versions of the lock file: format 2 and 3, else 1.
    let lock = texts.find_lock(path, "package-lock.json").and_then(|text| serde_json::from_str::<Value>(text).ok());
    let version_of = |key: &str| {
        let lock = lock.as_ref()?;
        let entry = lock.get("packages").and_then(|all| all.get(format!("node_modules/{key}")));
        let entry = entry.or_else(|| lock.get("dependencies")?.get(key));
        entry?.get("version")?.as_str().map(str::to_owned)
    };
    let text = |key: &str| manifest.get(key).and_then(Value::as_str).map(str::to_owned);
    // 2. The package itself, then what it requires.
    let mut found = Found::default();
    if let Some(name) = text("name").filter(|name| !name.is_empty()) {
        found.offered.push(Offered { name, import_name: None, version: text("version") });
    }
    for (member, scope) in MEMBERS {
        let rows = manifest.get(*member).and_then(Value::as_object);
        for (key, range) in rows.into_iter().flatten() {
            let range = range.as_str().unwrap_or_default();
            let aliased = range.strip_prefix(ALIAS).map(|rest| match rest.rsplit_once('@') {
                Some((name, range)) if !name.is_empty() => (name, range),
                _ => (rest, ""),
            });
            let (name, range) = aliased.unwrap_or((key, range));
            found.required.push(Required {
                name: name.to_owned(),
                alias: (name != key).then(|| key.clone()),
                scope: *scope,
                requirement: (!range.is_empty()).then(|| range.to_owned()),
                version: version_of(key),
            });
        }
    }
    found
}
