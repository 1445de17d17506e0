//! Groups of nodes of one kind that share a role.

use m1nd_base::{NodeKind, Relation};
use m1nd_graph::{Graph, NodeIx};

use super::traits::{Trait, is_its_own};
use crate::calls::is_test;
use m1nd_engine::Snapshot;

/// A smaller group has no pattern.
const LEAST: usize = 4;
/// A larger group has no common role.
const MOST: usize = 200;
/// Maximum edges of a node that are examined.
const EDGES: usize = 2_000;
/// Decorators that say how a symbol is to be understood, not what it is for: those that have one share no role.
const PLAIN: &[&str] = &[
    "Deprecated", "Override", "abstractmethod", "cache", "cached_property", "classmethod", "contextmanager",
    "dataclass", "deprecated", "final", "lru_cache", "overload", "override", "property", "staticmethod", "wraps",
];
/// Longest parameters and result that are compared, in bytes.
const MAX_TYPED: usize = 300;
/// File names that represent their folder, with their extensions.
const FRONTS: &[(&str, &[&str])] = &[
    ("__init__", &["py", "pyi"]),
    ("__main__", &["py"]),
    ("index", &["js", "jsx", "cjs", "mjs", "ts", "tsx", "cts", "mts"]),
    ("mod", &["rs"]),
    ("lib", &["rs"]),
    ("main", &["rs"]),
    ("package-info", &["java"]),
    ("module-info", &["java"]),
    ("doc", &["go"]),
];

/// Common role of a group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupKey {
    /// Members of one kind, of one type or of one file.
    MembersOf(NodeIx, u8),
    /// Files of one folder with one extension.
    FilesOf(String, String),
    /// Nodes of one kind with an edge of this relation to one node.
    With(Relation, NodeIx, u8),
    /// Nodes of one kind with one name, in the files of one folder.
    Named(String, String, u8),
    /// Functions with the same parameters and result, in the files of one folder.
    Typed(String, String),
}

impl GroupKey {
    /// Returns whether the trait defines the group.
    pub(super) fn is_trait(&self, other: &Trait) -> bool {
        match (self, other) {
            (Self::With(relation, node, _), Trait::Uses(by, target)) => relation == by && node == target,
            _ => false,
        }
    }
}

impl GroupKey {
    /// The members of the group of a node in words: `functions of Store`.
    pub fn members_text(&self, graph: &Graph, node: NodeIx) -> String {
        let kind = graph.kind(node);
        let is_method = graph.parent(node).is_some_and(|parent| graph.kind(parent) != NodeKind::File);
        let kinds = match kind {
            NodeKind::Function if is_method => "methods".to_owned(),
            _ => format!("{}{}", kind.word(), if kind == NodeKind::Class { "es" } else { "s" }),
        };
        match self {
            Self::MembersOf(parent, _) => format!("{kinds} of {}", graph.label(*parent)),
            Self::FilesOf(folder, ending) => {
                let folder = if folder.is_empty() { "the root" } else { folder };
                format!("files in {folder} ending in .{ending}")
            }
            Self::With(relation, to, _) => {
                let how = match relation {
                    Relation::Decorates => "decorated with",
                    Relation::Implements => "that implement",
                    Relation::Overrides => "that override",
                    _ => "that inherit from",
                };
                format!("{kinds} {how} {}", graph.label(*to))
            }
            Self::Named(name, folder, _) => format!("{kinds} named {name} in {folder}"),
            Self::Typed(typed, folder) => {
                let folder = if folder.is_empty() { "the root" } else { folder };
                format!("{kinds} of the form `{typed}` in {folder}")
            }
        }
    }
}

/// Nodes that share a role.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub(crate) key: GroupKey,
    /// By number; the node asked for is one of them.
    pub(crate) members: Vec<NodeIx>,
}

/// The groups of siblings that a node belongs to.
pub(crate) fn groups_of(snapshot: &Snapshot, node: NodeIx) -> Vec<Group> {
    let graph = snapshot.graph();
    let mut groups = Vec::new();
    let kind = graph.kind(node);
    if kind == NodeKind::File {
        if is_front(graph, node) {
            return groups;
        }
        let (folder, ending) = folder_and_ending(graph.path(node));
        let paths = snapshot.files().within(folder).map(|file| file.path.as_str());
        let files =
            paths.filter(|path| folder_and_ending(path) == (folder, ending)).filter_map(|path| graph.find_file(path));
        let key = GroupKey::FilesOf(folder.to_owned(), ending.to_owned());
        let files = files.filter(|file| !is_front(graph, *file));
        add(graph, node, key, files.collect(), &mut groups);
        return groups;
    }
    if let Some(parent) = graph.parent(node) {
        let members = children(graph, parent).filter(|one| graph.kind(*one) == kind);
        add(graph, node, GroupKey::MembersOf(parent, kind as u8), members.collect(), &mut groups);
    }
    let shared = graph.out_edges(node).filter(|edge| {
        use Relation::{Decorates, Implements, Inherits, Overrides};
        // Things of all kinds come from one package; its members tell them apart.
        matches!(edge.relation, Decorates | Implements | Inherits | Overrides)
            && graph.kind(edge.to) != NodeKind::Package
            && !(edge.relation == Decorates && PLAIN.contains(&graph.label(edge.to)))
            && is_its_own(graph, edge)
    });
    let shared = shared.take(EDGES);
    let mut shared: Vec<(Relation, NodeIx)> = shared.map(|edge| (edge.relation, edge.to)).collect();
    shared.dedup();
    for (relation, to) in shared {
        let same = graph.in_edges(to).filter(|edge| edge.relation == relation && is_its_own(graph, edge)).take(EDGES);
        let members = same.map(|edge| edge.from).filter(|one| graph.kind(*one) == kind);
        add(graph, node, GroupKey::With(relation, to, kind as u8), members.collect(), &mut groups);
    }
    if graph.parent(node).is_some_and(|parent| graph.kind(parent) == NodeKind::File) {
        let (folder, _) = folder_and_ending(graph.path(node));
        let same = graph.find_labelled(graph.label(node)).into_iter().filter(|one| {
            graph.kind(*one) == kind
                && folder_and_ending(graph.path(*one)).0 == folder
                && graph.parent(*one).is_some_and(|parent| graph.kind(parent) == NodeKind::File)
        });
        let key = GroupKey::Named(graph.label(node).to_owned(), folder.to_owned(), kind as u8);
        add(graph, node, key, same.collect(), &mut groups);
        if let Some(own) = typed_signature(graph, node) {
            let files = snapshot.files().within(folder).map(|file| file.path.as_str());
            let files =
                files.filter(|path| folder_and_ending(path).0 == folder).filter_map(|path| graph.find_file(path));
            let functions = files.flat_map(|file| children(graph, file));
            let same = functions.filter(|one| typed_signature(graph, *one).as_ref() == Some(&own)).collect();
            add(graph, node, GroupKey::Typed(own.clone(), folder.to_owned()), same, &mut groups);
        }
    }
    groups
}

/// Parameters and result of a function as they are written, if they name a type: many functions without a common role
/// take a number.
fn typed_signature(graph: &Graph, node: NodeIx) -> Option<String> {
    if graph.kind(node) != NodeKind::Function {
        return None;
    }
    let signature = graph.signature(node);
    let text = signature.get(signature.find('(')?..)?.split_whitespace().collect::<Vec<_>>().join(" ");
    let names_type = text.split(|c: char| !c.is_alphanumeric()).any(|word| word.starts_with(char::is_uppercase));
    (names_type && text.contains([':', ' ']) && text.len() <= MAX_TYPED).then_some(text)
}

/// Returns whether a file represents its folder, by the rules of its language or because it only re-exports: its role
/// differs from that of its siblings.
pub(super) fn is_front(graph: &Graph, file: NodeIx) -> bool {
    let path = graph.path(file);
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    if FRONTS.iter().any(|(front, endings)| *front == stem && endings.contains(&ending)) {
        return true;
    }
    let mut edges = graph.out_edges(file).take(EDGES);
    let defines = |kind| !matches!(kind, NodeKind::Section | NodeKind::Variable | NodeKind::Constant);
    let passes_on = graph.out_edges(file).take(EDGES).any(|edge| edge.relation == Relation::Reexports);
    passes_on && !edges.any(|edge| edge.relation == Relation::Contains && defines(graph.kind(edge.to)))
}

fn add(graph: &Graph, node: NodeIx, key: GroupKey, mut members: Vec<NodeIx>, groups: &mut Vec<Group>) {
    members.retain(|one| !is_test(graph, *one));
    members.sort_unstable();
    members.dedup();
    if (LEAST..=MOST).contains(&members.len()) && members.contains(&node) {
        groups.push(Group { key, members });
    }
}

fn children(graph: &Graph, parent: NodeIx) -> impl Iterator<Item = NodeIx> + '_ {
    graph.out_edges(parent).filter(|edge| edge.relation == Relation::Contains).take(EDGES).map(|edge| edge.to)
}

fn folder_and_ending(path: &str) -> (&str, &str) {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    (folder, name.rsplit_once('.').map_or("", |(_, ending)| ending))
}
