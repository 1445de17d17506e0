//! The packages that a release is built from, as `cargo metadata` lists them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use serde::Deserialize;

use crate::{Outcome, cargo, repository};

use super::targets::Target;

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    #[serde(default)]
    resolve: Option<Resolve>,
    target_directory: PathBuf,
}

/// A package.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Package {
    id: String,
    pub(super) name: String,
    pub(super) version: String,
    license: Option<String>,
    pub(super) description: Option<String>,
    pub(super) repository: Option<String>,
    pub(super) authors: Vec<String>,
    pub(super) manifest_path: PathBuf,
    /// `None` for a package of this repository.
    source: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    pkg: String,
    dep_kinds: Vec<EdgeKind>,
}

#[derive(Deserialize)]
struct EdgeKind {
    kind: Option<String>,
}

/// All packages that a release is built from.
pub(super) struct Packages {
    /// The program itself.
    pub(super) root: Package,
    /// Every other one, sorted by name and version.
    pub(super) rows: Vec<Row>,
    /// Indexes of the direct dependencies of the program.
    pub(super) direct: Vec<usize>,
}

/// A package with its place in the build.
pub(super) struct Row {
    pub(super) package: Package,
    /// Whether only build scripts need it, so that the program does not contain it.
    pub(super) is_build_only: bool,
    /// Indexes of its own dependencies.
    pub(super) uses: Vec<usize>,
    /// The SHA-256 of its file in the registry.
    pub(super) checksum: Option<String>,
}

impl Package {
    /// Whether it belongs to this repository.
    pub(super) fn is_ours(&self) -> bool {
        self.source.is_none()
    }

    /// Its licence as an SPDX expression. Old packages write `/` for `OR`.
    pub(super) fn licence(&self) -> String {
        self.license.as_deref().unwrap_or_default().replace('/', " OR ")
    }
}

impl Packages {
    /// Reads what the program of the package `root` is built from for a platform.
    ///
    /// # Errors
    /// The package does not exist, or cargo does not resolve its dependencies.
    pub(super) fn read(target: &Target, root: &str) -> Outcome<Self> {
        let metadata = read_metadata(&["--locked", "--filter-platform", target.triple])?;
        let checksums = read_checksums()?;
        // The graph, by ids.
        let nodes = metadata.resolve.ok_or("`cargo metadata` does not resolve dependencies")?.nodes;
        let nodes: HashMap<&str, &Node> = nodes.iter().map(|node| (node.id.as_str(), node)).collect();
        let mut packages: HashMap<String, Package> =
            metadata.packages.into_iter().map(|package| (package.id.clone(), package)).collect();
        let root = packages.values().find(|package| package.name == root);
        let root = root.ok_or("the program is not a package")?.clone();
        // What is reached from the program: with build scripts, and without.
        let built = reach(&root.id, &nodes, true);
        let contained = reach(&root.id, &nodes, false);
        packages.retain(|id, package| built.contains(id.as_str()) && package.name != root.name);
        let mut sorted: Vec<Package> = packages.into_values().collect();
        sorted.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
        let at: HashMap<String, usize> =
            sorted.iter().enumerate().map(|(index, package)| (package.id.clone(), index)).collect();
        let list_uses = |id: &str| -> Vec<usize> {
            let ids = nodes.get(id).into_iter().flat_map(|node| list_edges(node, true));
            ids.filter_map(|id| at.get(id).copied()).collect::<BTreeSet<_>>().into_iter().collect()
        };
        let rows = sorted.iter().map(|package| Row {
            is_build_only: !contained.contains(package.id.as_str()),
            uses: list_uses(&package.id),
            checksum: checksums.get(&(package.name.clone(), package.version.clone())).cloned(),
            package: package.clone(),
        });
        Ok(Self { rows: rows.collect(), direct: list_uses(&root.id), root })
    }
}

/// Ids of the packages that a node uses, without those of tests.
fn list_edges(node: &Node, with_build: bool) -> impl Iterator<Item = &str> {
    let is_used = move |edge: &&Edge| {
        edge.dep_kinds.iter().any(|kind| match kind.kind.as_deref() {
            None => true,
            Some("build") => with_build,
            Some(_) => false,
        })
    };
    node.deps.iter().filter(is_used).map(|edge| edge.pkg.as_str())
}

fn reach<'n>(root: &'n str, nodes: &HashMap<&'n str, &'n Node>, with_build: bool) -> BTreeSet<&'n str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        if reached.insert(id) {
            open.extend(nodes.get(id).into_iter().flat_map(|node| list_edges(node, with_build)));
        }
    }
    reached
}

fn read_metadata(arguments: &[&str]) -> Outcome<Metadata> {
    let answer = cargo(&["metadata", "--format-version", "1"]).args(arguments).output()?;
    if !answer.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&answer.stderr).trim()).into());
    }
    Ok(serde_json::from_slice(&answer.stdout)?)
}

/// Where cargo builds.
pub(super) fn read_target_folder() -> Outcome<PathBuf> {
    Ok(read_metadata(&["--no-deps"])?.target_directory)
}

/// The checksum of each package by name and version, from Cargo.lock.
fn read_checksums() -> Outcome<BTreeMap<(String, String), String>> {
    #[derive(Deserialize)]
    struct Lock {
        package: Vec<Locked>,
    }
    #[derive(Deserialize)]
    struct Locked {
        name: String,
        version: String,
        checksum: Option<String>,
    }
    let lock: Lock = toml::from_str(&std::fs::read_to_string(repository().join("Cargo.lock"))?)?;
    let rows = lock.package.into_iter().filter_map(|row| Some(((row.name, row.version), row.checksum?)));
    Ok(rows.collect())
}
