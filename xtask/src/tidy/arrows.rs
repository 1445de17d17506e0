//! Dependencies between crates: checks the table of ARCHITECTURE.md against `cargo metadata`.

use serde::Deserialize;

use crate::{Outcome, cargo};

/// Allowed dependencies of each crate. Tests may also use `testkit`, and the crate they test.
const ARROWS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("vfs", &["base"]),
    ("store", &["base"]),
    ("documents", &["base"]),
    ("lang", &["documents", "base"]),
    ("link", &["lang", "base"]),
    ("graph", &["base"]),
    ("search", &["base"]),
    ("history", &["base"]),
    ("trace", &["base"]),
    ("memory", &["search", "base"]),
    ("model", &["base"]),
    ("sessions", &["store", "base"]),
    ("edit", &["vfs", "store", "base"]),
    ("run", &["vfs", "store", "base"]),
    ("engine", &["graph", "link", "search", "history", "model", "documents", "lang", "edit", "vfs", "store", "base"]),
    ("query", &["engine", "graph", "search", "history", "trace", "model", "documents", "lang", "base"]),
    ("mind", &["engine", "memory", "history", "model", "lang", "vfs", "store", "base"]),
    ("tools", &["query", "mind", "sessions", "edit", "run", "engine", "base"]),
    ("server", &["tools", "mind", "engine", "base"]),
    ("cli", &["server", "tools", "query", "mind", "run", "engine", "base"]),
    ("testkit", &["base"]),
];
/// Prefix of all packages except the tasks.
const PREFIX: &str = "m1nd-";
/// Only for tests.
const TESTKIT: &str = "testkit";

/// A package of the workspace.
#[derive(Debug, Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    name: String,
    /// `dev`, `build`, or `None` for a normal dependency.
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// The packages of the workspace, according to cargo.
pub(super) fn packages() -> Outcome<Vec<Package>> {
    let output = cargo(&["metadata", "--format-version", "1", "--no-deps", "--offline"]).output()?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice::<Metadata>(&output.stdout)?.packages)
}

/// The folder of a package of ours, if it is one.
pub(super) fn room(package: &str) -> Option<&str> {
    package.strip_prefix(PREFIX)
}

pub(super) fn check(packages: &[Package]) -> Vec<String> {
    let mut complaints = Vec::new();
    for package in packages {
        let Some(from) = room(&package.name) else { continue };
        let Some((_, permitted)) = ARROWS.iter().find(|(left, _)| *left == from) else {
            complaints.push(format!("crates/{from}: not in the table of arrows; add it there and to ARCHITECTURE.md"));
            continue;
        };
        for dependency in &package.dependencies {
            let Some(to) = room(&dependency.name) else { continue };
            let test_only = dependency.kind.as_deref() == Some("dev");
            let is_fine = permitted.contains(&to) || (test_only && to == TESTKIT);
            if !is_fine {
                complaints.push(format!("crates/{from}: must not depend on {to}; permitted: {}", permitted.join(", ")));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, dependencies: &[(&str, Option<&str>)]) -> Package {
        let dependency =
            |&(name, kind): &(&str, Option<&str>)| Dependency { name: name.to_owned(), kind: kind.map(str::to_owned) };
        Package { name: name.to_owned(), dependencies: dependencies.iter().map(dependency).collect() }
    }

    #[test]
    fn only_the_arrows_of_the_table() {
        let fine = package("m1nd-link", &[("m1nd-lang", None), ("serde", None), ("m1nd-testkit", Some("dev"))]);
        assert!(check(&[fine, package("xtask", &[("m1nd-lang", None)])]).is_empty());
        for (name, dependency) in [
            ("m1nd-link", ("m1nd-graph", None)),
            ("m1nd-link", ("m1nd-testkit", None)),
            ("m1nd-base", ("m1nd-store", Some("build"))),
            ("m1nd-tools", ("m1nd-graph", Some("dev"))),
        ] {
            assert_eq!(check(&[package(name, &[dependency])]).len(), 1, "{name} → {dependency:?}");
        }
        assert_eq!(check(&[package("m1nd-unknown", &[])]).len(), 1);
    }

    #[test]
    fn the_table_has_no_circle() {
        // Each row only names rows above it, except for the order of the last ones.
        let mut known: Vec<&str> = Vec::new();
        for (left, right) in ARROWS {
            assert!(right.iter().all(|room| known.contains(room)), "{left} names a room below it");
            known.push(left);
        }
    }
}
