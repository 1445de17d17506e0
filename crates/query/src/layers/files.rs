//! The dependencies between the files of a project, and the modules that the files form.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{Cancel, Cancelled, EdgeTier, NodeKind, Relation};
use m1nd_engine::Snapshot;
use m1nd_graph::{EdgeRef, Graph, NodeFlags, NodeIx};
use rustc_hash::FxHashMap;

use super::order::{Arc, Order};
use crate::components::depends;
use crate::product::is_product;

/// Places of one dependency that are kept.
const MAX_SITES: usize = 3;
/// Packages from which on they are the modules; with fewer, their folders are.
const LEAST_PACKAGES: usize = 3;
/// Modules that can be ordered; above, folders are cut to fewer names.
const MAX_MODULES: usize = 600;
/// Files whose folder is a package.
const MANIFESTS: [&str; 10] = [
    "Cargo.toml", "package.json", "pyproject.toml", "setup.py", "setup.cfg", "go.mod", "pom.xml", "build.gradle",
    "build.gradle.kts", "composer.json",
];
/// Names, without their end, of files that speak for their folder.
const FACADES: [&str; 4] = ["__init__", "mod", "lib", "index"];

/// What the modules of a project are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Grain {
    /// The packages: folders with a manifest.
    Packages,
    /// Folders and files at the top of the packages.
    Folders,
}

impl Grain {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Packages => "packages",
            Self::Folders => "folders",
        }
    }
}

/// A file that depends on another, by certain edges.
#[derive(Debug, Clone, PartialEq)]
pub struct FileArc {
    /// Places of the two files in [`Files::nodes`].
    pub from: usize,
    /// The file it depends on.
    pub to: usize,
    /// Number of edges.
    pub edges: u32,
    /// Source and target of the edge whose relation says most, and that relation.
    pub source: NodeIx,
    /// Its target.
    pub target: NodeIx,
    /// Its relation.
    pub relation: Relation,
    /// Lines of the file `from`, at most three, in order.
    pub lines: Vec<u32>,
}

/// The product files of a snapshot and the dependencies between them. Tests are apart: they may use everything.
#[derive(Debug, Default)]
pub struct Files {
    /// The files by path, without tests.
    pub nodes: Vec<NodeIx>,
    /// The dependencies, by the places of their files.
    pub arcs: Vec<FileArc>,
    /// The files of tests.
    pub tests: Vec<NodeIx>,
    places: FxHashMap<NodeIx, usize>,
    /// Folders with a manifest.
    packages: BTreeSet<String>,
}

/// How much a relation says about a dependency, the most first.
fn strength(relation: Relation) -> u8 {
    match relation {
        Relation::Imports | Relation::Reexports => 0,
        Relation::Inherits | Relation::Implements => 1,
        Relation::Calls => 2,
        _ => 3,
    }
}

impl Files {
    /// Collects them. Meant to be kept in [`Snapshot::derived_values`], see [`files`].
    ///
    /// # Errors
    /// [`Cancelled`].
    fn of(snapshot: &Snapshot, cancel: &Cancel) -> Result<Self, Cancelled> {
        let graph = snapshot.graph();
        let code = graph.nodes().filter(|&node| graph.kind(node) == NodeKind::File);
        let (mut tests, mut nodes) = (Vec::new(), Vec::new());
        for node in code {
            match graph.flags(node).has(NodeFlags::TEST) {
                true => tests.push(node),
                false if is_product(graph.path(node)) => nodes.push(node),
                false => {}
            }
        }
        nodes.sort_by(|a, b| graph.path(*a).cmp(graph.path(*b)));
        tests.sort_by(|a, b| graph.path(*a).cmp(graph.path(*b)));
        let places: FxHashMap<NodeIx, usize> = nodes.iter().enumerate().map(|(at, node)| (*node, at)).collect();
        cancel.check()?;
        let arcs = arcs(graph, &places, cancel)?;
        let packages = package_folders(snapshot);
        Ok(Self { nodes, arcs, tests, places, packages })
    }

    /// The place of a file in [`Files::nodes`]; `None` if it is no code of the product.
    pub fn place(&self, file: NodeIx) -> Option<usize> {
        self.places.get(&file).copied()
    }

    /// Returns whether the packages of some paths are enough to be the modules.
    pub(crate) fn has_packages<'p>(&self, paths: impl Iterator<Item = &'p str>) -> bool {
        paths.map(|path| self.package(path)).collect::<BTreeSet<_>>().len() >= LEAST_PACKAGES
    }

    /// The folder of the package of a path; the top if no folder above it has a manifest.
    pub(crate) fn package<'p>(&self, path: &'p str) -> &'p str {
        let mut folder = path;
        while let Some((above, _)) = folder.rsplit_once('/') {
            if self.packages.contains(above) {
                return above;
            }
            folder = above;
        }
        ""
    }
}

fn arcs(graph: &Graph, places: &FxHashMap<NodeIx, usize>, cancel: &Cancel) -> Result<Vec<FileArc>, Cancelled> {
    let mut found: FxHashMap<(usize, usize), FileArc> = FxHashMap::default();
    for (count, node) in graph.nodes().enumerate() {
        if count % 4_096 == 0 {
            cancel.check()?;
        }
        let Some(&from) = graph.file(node).and_then(|file| places.get(&file)) else { continue };
        // Tests may stand inside a file of the product.
        if graph.flags(node).has(NodeFlags::TEST) {
            continue;
        }
        for edge in graph.out_edges(node).filter(|edge| edge.tier == EdgeTier::Certain && depends(edge.relation)) {
            let to = graph.file(edge.to).and_then(|file| places.get(&file).copied());
            let Some(to) = to.filter(|to| *to != from) else { continue };
            match found.entry((from, to)) {
                std::collections::hash_map::Entry::Vacant(free) => {
                    free.insert(arc(from, to, &edge));
                }
                std::collections::hash_map::Entry::Occupied(mut known) => add(known.get_mut(), graph, &edge),
            }
        }
    }
    let mut arcs: Vec<FileArc> = found.into_values().collect();
    arcs.sort_by_key(|arc| (arc.from, arc.to));
    Ok(arcs)
}

fn arc(from: usize, to: usize, edge: &EdgeRef<'_>) -> FileArc {
    let lines = edge.sites.iter().take(MAX_SITES).map(|pos| pos.line).collect();
    FileArc { from, to, edges: 1, source: edge.from, target: edge.to, relation: edge.relation, lines }
}

fn add(arc: &mut FileArc, graph: &Graph, edge: &EdgeRef<'_>) {
    arc.edges = arc.edges.saturating_add(1);
    let key = |relation: Relation, source: NodeIx, target: NodeIx| {
        (strength(relation), graph.lines(source), graph.id(source), graph.id(target))
    };
    if key(edge.relation, edge.from, edge.to) < key(arc.relation, arc.source, arc.target) {
        (arc.source, arc.target, arc.relation) = (edge.from, edge.to, edge.relation);
    }
    arc.lines.extend(edge.sites.iter().take(MAX_SITES).map(|pos| pos.line));
    arc.lines.sort_unstable();
    arc.lines.dedup();
    arc.lines.truncate(MAX_SITES);
}

/// The folders with a manifest; "" is the root.
pub(crate) fn package_folders(snapshot: &Snapshot) -> BTreeSet<String> {
    let split = |path: &str| {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        MANIFESTS.contains(&name).then(|| folder.to_owned())
    };
    snapshot.files().iter().filter_map(|file| split(file.path.as_str())).collect()
}

/// The files of a snapshot, collected once.
///
/// # Errors
/// [`Cancelled`].
pub fn files(snapshot: &Snapshot, cancel: &Cancel) -> Result<std::sync::Arc<Files>, Cancelled> {
    snapshot.derived_values().get_or_try_init(|| Files::of(snapshot, cancel))
}

/// The modules of some files, in the order in which they use each other.
#[derive(Debug, Default)]
pub struct Modules {
    /// Their paths: of packages, folders or files. "" is the top.
    pub names: Vec<String>,
    /// For each file of [`Files::nodes`] its module; `None` if it is not asked for.
    pub of: Vec<Option<usize>>,
    /// For each pair of modules, the weight and the places of the dependencies in [`Files::arcs`].
    pub joints: BTreeMap<(usize, usize), Joint>,
    pub(super) order: Order,
}

/// The dependencies of one module on another.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Joint {
    /// Evidence: the square roots of the numbers of edges, summed over pairs of files.
    pub weight: f64,
    /// Places in [`Files::arcs`].
    pub arcs: Vec<usize>,
}

impl Modules {
    /// Groups the files that are `meant` and orders the groups.
    pub fn of(graph: &Graph, files: &Files, grain: Option<Grain>, meant: impl Fn(&str) -> bool) -> (Self, Grain) {
        let paths: Vec<Option<&str>> =
            files.nodes.iter().map(|node| Some(graph.path(*node)).filter(|path| meant(path))).collect();
        let packages: Vec<Option<&str>> = paths.iter().map(|path| path.map(|path| files.package(path))).collect();
        let count = packages.iter().flatten().collect::<BTreeSet<_>>().len();
        let grain = grain.unwrap_or(if count >= LEAST_PACKAGES { Grain::Packages } else { Grain::Folders });
        let names: Vec<Option<String>> = match grain {
            Grain::Packages => packages.iter().map(|name| name.map(str::to_owned)).collect(),
            Grain::Folders => folders(&paths, &packages),
        };
        (Self::from_names(files, &names), grain)
    }

    /// Makes files with the same name a module, and orders the modules.
    pub(crate) fn from_names(files: &Files, names: &[Option<String>]) -> Self {
        let distinct: BTreeSet<&str> = names.iter().flatten().map(String::as_str).collect();
        let places: BTreeMap<&str, usize> = distinct.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        let of: Vec<Option<usize>> = names.iter().map(|name| places.get(name.as_deref()?).copied()).collect();
        let mut joints: BTreeMap<(usize, usize), Joint> = BTreeMap::new();
        for (at, arc) in files.arcs.iter().enumerate() {
            let (Some(from), Some(to)) = (of[arc.from], of[arc.to]) else { continue };
            if from != to {
                let joint = joints.entry((from, to)).or_default();
                joint.weight += f64::from(arc.edges).sqrt();
                joint.arcs.push(at);
            }
        }
        let arcs: Vec<Arc> = joints.iter().map(|(&(from, to), joint)| Arc { from, to, weight: joint.weight }).collect();
        let order = Order::of(distinct.len(), &arcs);
        let names = distinct.iter().map(|name| (*name).to_owned()).collect();
        Self { names, of, joints, order }
    }

    /// The place of a module in the order, users before what they use.
    pub fn place(&self, module: usize) -> usize {
        self.order.place[module]
    }

    /// Groups of modules that use each other, directly or not.
    pub fn circles(&self) -> &[Vec<usize>] {
        &self.order.circles
    }

    /// Weight of the dependencies of one module on another, 0 if there are none.
    pub fn weight(&self, from: usize, to: usize) -> f64 {
        self.joints.get(&(from, to)).map_or(0.0, |joint| joint.weight)
    }

    /// Returns whether two modules use each other so evenly that it cannot be told which is above.
    pub fn is_open(&self, a: usize, b: usize) -> bool {
        let (there, back) = (self.weight(a, b), self.weight(b, a));
        there.min(back) > super::OPEN_SHARE * (there + back)
    }
}

/// The module of each path: the folder or file at the top of its package's code, where that of `x.rs` is the folder
/// `x`, if there is one.
fn folders(paths: &[Option<&str>], packages: &[Option<&str>]) -> Vec<Option<String>> {
    let mut by_package: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (path, package) in paths.iter().zip(packages) {
        if let (Some(path), Some(package)) = (path, package) {
            by_package.entry(package).or_default().push(path);
        }
    }
    let tops: BTreeMap<&str, String> =
        by_package.iter().map(|(package, paths)| (*package, source_top(package, paths))).collect();
    let known: BTreeSet<&str> =
        paths.iter().flatten().filter_map(|path| path.rsplit_once('/')).map(|row| row.0).collect();
    let is_folder = |name: &str| {
        known.range(name..).next().is_some_and(|folder| {
            folder.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    let name = |(path, package): (&Option<&str>, &Option<&str>)| {
        let (path, package) = ((*path)?, (*package)?);
        let top = &tops[package];
        let Some(rest) = below(path, top) else { return Some(package.to_owned()) };
        match rest.split_once('/') {
            Some((folder, _)) => Some(join(top, folder)),
            None => {
                let stem = rest.split_once('.').map_or(rest, |(stem, _)| stem);
                let folder = join(top, stem);
                Some(if is_folder(&folder) { folder } else { path.to_owned() })
            }
        }
    };
    let found: Vec<Option<String>> = paths.iter().zip(packages).map(name).collect();
    let count = found.iter().flatten().collect::<BTreeSet<_>>().len();
    if count <= MAX_MODULES {
        return found;
    }
    packages.iter().map(|package| package.map(str::to_owned)).collect()
}

/// The rest of a path below a folder; `None` if it is elsewhere.
pub(crate) fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}

/// A name below a folder, which may be the top.
pub(crate) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The deepest folder of a package that has nearly all of its code.
fn source_top(package: &str, paths: &[&str]) -> String {
    let mut top = package.to_owned();
    loop {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut files = 0;
        for path in paths {
            let Some(rest) = below(path, &top) else { continue };
            match rest.split_once('/') {
                Some((folder, _)) => *counts.entry(folder).or_default() += 1,
                None if !is_facade(rest) => files += 1,
                None => {}
            }
        }
        let total: usize = counts.values().sum::<usize>() + files;
        // The share above which the rest is examples, build files and the like.
        let most = counts.iter().find(|(_, count)| **count * 10 >= total * 8);
        match most {
            Some((folder, _)) => top = join(&top, folder),
            None => return top,
        }
    }
}

fn is_facade(name: &str) -> bool {
    FACADES.contains(&name.split_once('.').map_or(name, |(stem, _)| stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_at_the_top_of_the_code() {
        let paths = [
            "setup.py", "src/app/__init__.py", "src/app/web/a.py", "src/app/web.py", "src/app/core/x/b.py",
            "src/app/z.py",
        ];
        let paths: Vec<Option<&str>> = paths.into_iter().map(Some).collect();
        let found = folders(&paths, &vec![Some(""); paths.len()]);
        let found: Vec<&str> = found.iter().flatten().map(String::as_str).collect();
        assert_eq!(found, ["", "src/app/__init__.py", "src/app/web", "src/app/web", "src/app/core", "src/app/z.py"]);
    }

    #[test]
    fn a_package_without_folders_has_files() {
        assert_eq!(source_top("a", &["a/src/x.rs", "a/src/y.rs", "a/src/z/w.rs"]), "a/src");
        assert_eq!(source_top("", &["x.py", "y.py"]), "");
    }
}
