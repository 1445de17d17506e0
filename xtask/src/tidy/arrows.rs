//! Dependencies between crates: checks the table of this file against `cargo metadata`, and the figure of
//! ARCHITECTURE.md against the table.

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
    ("layout", &[]),
    ("sessions", &["store", "base"]),
    ("edit", &["vfs", "store", "base"]),
    ("run", &["vfs", "store", "base"]),
    ("engine", &["graph", "link", "search", "history", "model", "documents", "lang", "edit", "vfs", "store", "base"]),
    ("query", &["engine", "graph", "layout", "search", "history", "trace", "model", "documents", "lang", "base"]),
    ("mind", &["engine", "memory", "history", "model", "lang", "vfs", "store", "base"]),
    ("tools", &["query", "layout", "mind", "sessions", "edit", "run", "engine", "base"]),
    ("server", &["tools", "mind", "engine", "base"]),
    ("http", &["server", "tools", "query", "mind", "engine", "store", "base"]),
    ("share", &["store", "base"]),
    ("team", &["memory", "search", "history", "store", "base"]),
    ("fleet", &["share", "team", "base"]),
    ("cli", &["http", "server", "tools", "query", "layout", "mind", "run", "engine", "base"]),
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

/// What the figure of a page says otherwise than the table: its arrows are permitted, and along them every permitted
/// arrow can be walked.
pub(super) fn check_figure(page: &str) -> Vec<String> {
    let Some(figure) = page.split("```mermaid").nth(1).and_then(|rest| rest.split("```").next()) else {
        return vec!["ARCHITECTURE.md: has no figure of the arrows between crates".to_owned()];
    };
    let mut complaints = Vec::new();
    let drawn = read_arrows(figure);
    let permitted = |from: &str| ARROWS.iter().find(|(left, _)| *left == from).map_or(&[][..], |(_, right)| *right);
    for (from, to) in &drawn {
        if !permitted(from).contains(to) {
            complaints.push(format!("ARCHITECTURE.md: draws {from} --> {to}, which is not permitted"));
        }
    }
    for (from, right) in ARROWS.iter().filter(|(from, _)| *from != TESTKIT) {
        let missing = right.iter().filter(|to| !is_reachable(&drawn, from, to));
        complaints.extend(missing.map(|to| format!("ARCHITECTURE.md: no arrows lead from {from} to {to}")));
    }
    complaints
}

/// The arrows of lines such as `a & b --> c --> d`.
fn read_arrows(figure: &str) -> Vec<(&str, &str)> {
    let mut arrows = Vec::new();
    for line in figure.lines() {
        let stations: Vec<Vec<&str>> =
            line.split("-->").map(|names| names.split('&').map(str::trim).collect()).collect();
        for pair in stations.windows(2) {
            arrows.extend(pair[0].iter().flat_map(|from| pair[1].iter().map(move |to| (*from, *to))));
        }
    }
    arrows
}

fn is_reachable(arrows: &[(&str, &str)], from: &str, to: &str) -> bool {
    let mut reached = vec![from];
    let mut at = 0;
    while at < reached.len() {
        let crate_name = reached[at];
        for (_, next) in arrows.iter().filter(|(left, _)| *left == crate_name) {
            if !reached.contains(next) {
                reached.push(next);
            }
        }
        at += 1;
    }
    reached.contains(&to)
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
    fn the_figure_says_what_the_table_says() {
        let page = std::fs::read_to_string(crate::repository().join("ARCHITECTURE.md")).expect("a page");
        assert_eq!(check_figure(&page), Vec::<String>::new());
        // An arrow too few, and one that is not permitted.
        assert!(!check_figure(&page.replace("  memory --> search\n", "")).is_empty());
        assert_eq!(check_figure(&page.replace("  sessions --> store\n", "  sessions --> store & graph\n")).len(), 1);
        assert_eq!(check_figure("no figure").len(), 1);
        assert_eq!(read_arrows("a & b --> c --> d"), [("a", "c"), ("b", "c"), ("c", "d")]);
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
