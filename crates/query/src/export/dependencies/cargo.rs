//! `Cargo.toml` and `Cargo.lock`.

use toml::{Table, Value};

use super::{Found, Offered, Required, Scope, Texts, folders, join};

/// Tables of requirements.
const TABLES: &[(&str, Scope)] =
    &[("dependencies", Scope::Normal), ("dev-dependencies", Scope::Dev), ("build-dependencies", Scope::Build)];

/// Reads a manifest; what it inherits is that of the nearest workspace above.
pub(super) fn parse(texts: &mut Texts<'_>, path: &str) -> Found {
    let Ok(table) = texts.text(path).parse::<Table>() else { return Found::default() };
    let workspace = find_workspace(texts, path);
    let package = table.get("package").and_then(Value::as_table);
    let own_name = package.and_then(|package| package.get("name")).and_then(Value::as_str);
    let locked = texts.find_lock(path, "Cargo.lock").and_then(|text| Lock::parse(text, own_name));
    let mut found = Found::default();
    if let (Some(package), Some(name)) = (package, own_name) {
        let inherited = || workspace.as_ref()?.get("package")?.get("version")?.as_str();
        let version = package.get("version").and_then(|version| version.as_str().or_else(inherited));
        let library = table.get("lib").and_then(|library| library.get("name")).and_then(Value::as_str);
        found.offered.push(Offered {
            name: name.to_owned(),
            import_name: library.map(str::to_owned),
            version: version.map(str::to_owned),
        });
    }
    let targets = table.get("target").and_then(Value::as_table);
    let places = std::iter::once(&table).chain(targets.into_iter().flat_map(Table::values).filter_map(Value::as_table));
    for place in places {
        for (word, scope) in TABLES {
            let rows = place.get(*word).and_then(Value::as_table);
            for (key, value) in rows.into_iter().flatten() {
                found.required.push(requirement(key, value, *scope, workspace.as_ref(), locked.as_ref()));
            }
        }
    }
    found
}

fn find_workspace(texts: &Texts<'_>, path: &str) -> Option<Table> {
    folders(path).find_map(|folder| {
        let table: Table = texts.text(&join(folder, "Cargo.toml")).parse().ok()?;
        table.get("workspace")?.as_table().cloned()
    })
}

fn requirement(key: &str, value: &Value, scope: Scope, workspace: Option<&Table>, locked: Option<&Lock>) -> Required {
    let inherits = value.get("workspace").and_then(Value::as_bool) == Some(true);
    let shared = || workspace?.get("dependencies")?.get(key);
    let value = if inherits { shared().unwrap_or(value) } else { value };
    let name = value.get("package").and_then(Value::as_str).unwrap_or(key);
    let requirement = value.as_str().or_else(|| value.get("version")?.as_str());
    let is_optional = value.get("optional").and_then(Value::as_bool) == Some(true);
    Required {
        name: name.to_owned(),
        alias: (name != key).then(|| key.to_owned()),
        scope: if is_optional { Scope::Optional } else { scope },
        requirement: requirement.map(str::to_owned),
        version: locked.and_then(|lock| lock.version_of(name)),
    }
}

/// The versions of a lock file.
struct Lock {
    /// Name and version of all packages.
    packages: Vec<(String, String)>,
    /// What the own package depends on: `name`, or `name version` if the name alone is ambiguous.
    own: Vec<String>,
}

impl Lock {
    fn parse(text: &str, own_name: Option<&str>) -> Option<Self> {
        let table: Table = text.parse().ok()?;
        let rows = table.get("package")?.as_array()?;
        let word = |row: &Value, key: &str| row.get(key).and_then(Value::as_str).map(str::to_owned);
        let packages = rows.iter().filter_map(|row| Some((word(row, "name")?, word(row, "version")?))).collect();
        let own = rows.iter().find(|row| row.get("name").and_then(Value::as_str) == own_name && own_name.is_some());
        let own = own.and_then(|row| row.get("dependencies")?.as_array()).into_iter().flatten();
        Some(Self { packages, own: own.filter_map(Value::as_str).map(str::to_owned).collect() })
    }

    /// The version of a package that the own one uses; `None` if several fit.
    fn version_of(&self, name: &str) -> Option<String> {
        let exact = self.own.iter().find_map(|row| row.strip_prefix(name)?.strip_prefix(' '));
        if let Some(rest) = exact {
            return rest.split(' ').next().map(str::to_owned);
        }
        let mut versions = self.packages.iter().filter(|(own, _)| own == name).map(|(_, version)| version);
        let first = versions.next()?;
        versions.next().is_none().then(|| first.clone())
    }
}
