//! The tree of a map: packages, folders, files and symbols, with their places.

use std::collections::BTreeMap;

use m1nd_base::{Cancel, Cancelled, EdgeTier, NodeKind, Relation};
use m1nd_engine::Snapshot;
use m1nd_graph::{Graph, NodeIx};
use m1nd_lang::is_test_path;
use m1nd_layout::{Circle, Link, Tree, nest};
use rustc_hash::FxHashMap;

use super::{BOUNDS, FileLine, MapKind};
use crate::layers::package_folders;
use crate::product::aside_folder;

/// Prefix of the ids of folders; the root is `folder::.`.
pub(super) const FOLDER: &str = "folder::";
/// The path of the root in ids.
const ROOT: &str = ".";
/// Rows between two looks at the flag of the caller.
const POLL: usize = 4_096;

/// What a node of the tree stands for.
#[derive(Debug, Clone)]
pub(super) enum Content {
    /// A folder, with its path.
    Folder { path: String, label: String, is_package: bool },
    /// A file or symbol.
    Node(NodeIx),
}

/// A dependency between two nodes of the tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arc {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) relation: Relation,
    pub(super) is_certain: bool,
}

/// The tree with the layout of all of it. Parents stand before their children.
#[derive(Debug, Default)]
pub(super) struct MapTree {
    pub(super) content: Vec<Content>,
    pub(super) tree: Tree,
    pub(super) children: Vec<Vec<usize>>,
    pub(super) top: Vec<usize>,
    pub(super) circles: Vec<Circle>,
    pub(super) arcs: Vec<Arc>,
    by_node: FxHashMap<NodeIx, usize>,
    by_folder: FxHashMap<String, usize>,
}

/// A folder before it is decided what stands for it.
#[derive(Debug, Default)]
struct Raw {
    path: String,
    folders: Vec<usize>,
    files: Vec<NodeIx>,
    is_package: bool,
}

impl MapTree {
    /// The tree of a snapshot, made once.
    pub(super) fn of(snapshot: &Snapshot, cancel: &Cancel) -> Result<std::sync::Arc<Self>, Cancelled> {
        snapshot.derived_values().get_or_try_init(|| Self::build(snapshot, cancel))
    }

    fn build(snapshot: &Snapshot, cancel: &Cancel) -> Result<Self, Cancelled> {
        let graph = snapshot.graph();
        let raw = list_folders(snapshot);
        let mut built = Self::default();
        built.add_folders(&raw, &root_label(snapshot));
        built.add_symbols(graph, cancel)?;
        built.weigh(snapshot);
        built.arcs = list_arcs(graph, &built.by_node, cancel)?;
        let link = |arc: &Arc| Link { from: arc.from as usize, to: arc.to as usize, weight: 1.0 };
        let links: Vec<Link> = built.arcs.iter().map(link).collect();
        cancel.check()?;
        let (middle, radius) = (BOUNDS / 2.0, BOUNDS / 2.0);
        built.circles = nest(&built.tree, &links, Circle { x: middle, y: middle, r: radius });
        (built.children, built.top) = built.tree.children();
        Ok(built)
    }

    /// The place of the node with this id, as answers show it.
    pub(super) fn find(&self, snapshot: &Snapshot, id: &str) -> Option<usize> {
        if let Some(path) = id.strip_prefix(FOLDER) {
            return self.by_folder.get(if path == ROOT { "" } else { path }).copied();
        }
        let graph = snapshot.graph();
        let node = graph.find(id).or_else(|| graph.find(&snapshot.without_repository(id)?))?;
        self.by_node.get(&node).copied()
    }

    pub(super) fn kind(&self, graph: &Graph, at: usize) -> MapKind {
        match &self.content[at] {
            Content::Folder { is_package: true, .. } => MapKind::Package,
            Content::Folder { .. } => MapKind::Folder,
            Content::Node(node) if graph.kind(*node) == NodeKind::File => MapKind::File,
            Content::Node(_) => MapKind::Symbol,
        }
    }

    pub(super) fn label(&self, graph: &Graph, at: usize) -> String {
        match &self.content[at] {
            Content::Folder { label, .. } => label.clone(),
            Content::Node(node) => graph.label(*node).to_owned(),
        }
    }

    pub(super) fn id(&self, snapshot: &Snapshot, at: usize) -> String {
        match &self.content[at] {
            Content::Folder { path, .. } if path.is_empty() => format!("{FOLDER}{ROOT}"),
            Content::Folder { path, .. } => format!("{FOLDER}{path}"),
            Content::Node(node) => {
                let id = snapshot.graph().id(*node);
                snapshot.with_repositories(id).unwrap_or_else(|| id.to_owned())
            }
        }
    }

    /// The first place of a dependency.
    pub(super) fn find_place(&self, graph: &Graph, arc: &Arc) -> Option<FileLine> {
        let (Content::Node(from), Content::Node(to)) =
            (&self.content[arc.from as usize], &self.content[arc.to as usize])
        else {
            return None;
        };
        let edge = graph.out_edges(*from).find(|edge| edge.to == *to && edge.relation == arc.relation)?;
        Some(FileLine { file_path: graph.path(*from).to_owned(), line: edge.sites.first()?.line })
    }

    fn add(&mut self, parent: Option<usize>, content: Content) -> usize {
        let at = self.content.len();
        match &content {
            Content::Folder { path, .. } => drop(self.by_folder.insert(path.clone(), at)),
            Content::Node(node) => drop(self.by_node.insert(*node, at)),
        }
        self.content.push(content);
        self.tree.parents.push(parent);
        at
    }

    /// Adds folders and files: at the top the packages, else the folders of the root.
    fn add_folders(&mut self, raw: &[Raw], root_label: &str) {
        // Folders that only hold packages are replaced by them.
        let (mut top, mut open) = (Vec::new(), vec![0]);
        while let Some(at) = open.pop() {
            for &folder in raw[at].folders.iter().rev() {
                if holds_packages(raw, folder) { open.push(folder) } else { top.push(folder) }
            }
            let folder = &raw[at];
            if !folder.files.is_empty() {
                let label = if at == 0 { root_label.to_owned() } else { folder.path.clone() };
                let content = Content::Folder { path: folder.path.clone(), label, is_package: folder.is_package };
                let place = self.add(None, content);
                self.add_files(place, &folder.files);
            }
        }
        top.sort_by(|a, b| raw[*a].path.cmp(&raw[*b].path));
        let mut open: Vec<(usize, Option<usize>, String)> =
            top.into_iter().rev().map(|folder| (folder, None, String::new())).collect();
        while let Some((mut at, parent, above)) = open.pop() {
            // A folder with nothing but a folder is one with it.
            while let ([inner], []) = (&raw[at].folders[..], &raw[at].files[..]) {
                at = *inner;
            }
            let folder = &raw[at];
            let label = folder.path.strip_prefix(&above).unwrap_or(&folder.path).trim_start_matches('/').to_owned();
            let content = Content::Folder { path: folder.path.clone(), label, is_package: folder.is_package };
            let place = self.add(parent, content);
            self.add_files(place, &folder.files);
            open.extend(folder.folders.iter().rev().map(|inner| (*inner, Some(place), folder.path.clone())));
        }
    }

    fn add_files(&mut self, folder: usize, files: &[NodeIx]) {
        for file in files {
            self.add(Some(folder), Content::Node(*file));
        }
    }

    /// Adds the symbols of all files that were added.
    fn add_symbols(&mut self, graph: &Graph, cancel: &Cancel) -> Result<(), Cancelled> {
        let files: Vec<(usize, NodeIx)> = self
            .content
            .iter()
            .enumerate()
            .filter_map(|(at, content)| if let Content::Node(node) = content { Some((at, *node)) } else { None })
            .collect();
        for (count, (at, file)) in files.into_iter().enumerate() {
            if count % POLL == 0 {
                cancel.check()?;
            }
            for symbol in graph.of_file(file).into_iter().filter(|symbol| *symbol != file) {
                // The owner may be in another file, as that of a Go method.
                let owner = graph.parent(symbol).and_then(|owner| self.by_node.get(&owner).copied());
                let parent = owner.filter(|place| *place > at).unwrap_or(at);
                self.add(Some(parent), Content::Node(symbol));
            }
        }
        Ok(())
    }

    /// Sets the areas: lines, and those of all content.
    fn weigh(&mut self, snapshot: &Snapshot) {
        let graph = snapshot.graph();
        let lines = |content: &Content| match content {
            Content::Folder { .. } => 0.0,
            Content::Node(node) if graph.kind(*node) == NodeKind::File => {
                snapshot.file_of(*node).map_or(1.0, |file| f64::from(file.lines.max(1)))
            }
            Content::Node(node) => {
                let (first, last) = graph.lines(*node);
                f64::from(last.saturating_sub(first) + 1)
            }
        };
        let mut weights: Vec<f64> = self.content.iter().map(lines).collect();
        for at in (0..weights.len()).rev() {
            let above = self.tree.parents[at].filter(|above| matches!(self.content[*above], Content::Folder { .. }));
            if let Some(above) = above {
                weights[above] += weights[at];
            }
        }
        self.tree.weights = weights;
    }
}

/// Returns whether a folder is only there to hold packages. Packages of tests and examples are not of the product.
fn holds_packages(raw: &[Raw], at: usize) -> bool {
    let folder = &raw[at];
    let path = format!("{}/x", folder.path);
    let is_beside =
        aside_folder(&folder.path).is_some() || m1nd_base::RepoPath::new(&path).is_ok_and(|path| is_test_path(&path));
    !folder.is_package && !is_beside && folder.folders.iter().any(|inner| raw[*inner].is_package)
}

/// The name of the root's own files: that of the folder that is indexed.
fn root_label(snapshot: &Snapshot) -> String {
    let root = snapshot.roots().first().and_then(|root| root.path.file_name());
    root.map_or_else(|| ROOT.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The folders of all files; the root is the first.
fn list_folders(snapshot: &Snapshot) -> Vec<Raw> {
    let graph = snapshot.graph();
    let packages = package_folders(snapshot);
    let mut files: Vec<NodeIx> = graph.nodes().filter(|node| graph.kind(*node) == NodeKind::File).collect();
    files.sort_by(|a, b| graph.path(*a).cmp(graph.path(*b)));
    let mut raw = vec![Raw { is_package: packages.contains(""), ..Raw::default() }];
    let mut places: BTreeMap<String, usize> = BTreeMap::from([(String::new(), 0)]);
    for file in files {
        let path = graph.path(file);
        let mut at = 0;
        for (end, _) in path.match_indices('/') {
            let folder = &path[..end];
            at = match places.get(folder) {
                Some(known) => *known,
                None => {
                    let new = raw.len();
                    let is_package = packages.contains(folder);
                    raw.push(Raw { path: folder.to_owned(), is_package, ..Raw::default() });
                    raw[at].folders.push(new);
                    places.insert(folder.to_owned(), new);
                    new
                }
            };
        }
        raw[at].files.push(file);
    }
    raw
}

fn list_arcs(graph: &Graph, places: &FxHashMap<NodeIx, usize>, cancel: &Cancel) -> Result<Vec<Arc>, Cancelled> {
    let mut arcs = Vec::new();
    for (count, node) in graph.nodes().enumerate() {
        if count % POLL == 0 {
            cancel.check()?;
        }
        let Some(&from) = places.get(&node) else { continue };
        for edge in graph.out_edges(node).filter(|edge| edge.relation.is_structure()) {
            let Some(&to) = places.get(&edge.to).filter(|to| **to != from) else { continue };
            let is_certain = edge.tier == EdgeTier::Certain;
            arcs.push(Arc { from: from as u32, to: to as u32, relation: edge.relation, is_certain });
        }
    }
    Ok(arcs)
}
