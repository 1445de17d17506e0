//! Resolves a text to the nodes that it may name.

use std::path::Path;

use m1nd_base::{NodeKind, RepoPath, node_id};
use m1nd_graph::{Graph, NodeFlags, NodeIx};
use m1nd_lang::facts::DefKind;

use crate::naming::owners::owner_matches;
use crate::naming::places::PathLines;
use crate::naming::qualified;
use crate::state::snapshot::Snapshot;

impl Snapshot {
    /// The nodes that a text may mean, best first; one if it is clear: the node with this id, else the file with this
    /// path, else those whose qualified name ends in it (`Pool.acquire`, `Pool::acquire`, `a.py::acquire`), else
    /// files whose path ends in it, else the innermost symbol at a [`PathLines`] (`src/a.py:120`), else those named
    /// with their modules or packages (`com.google.gson.Gson`, `requests.sessions.Session.get`).
    pub fn nodes_named(&self, text: &str) -> Vec<NodeIx> {
        let graph = self.graph();
        let inner = self.without_repository(text);
        let text = inner.as_deref().unwrap_or(text);
        if let Some(node) = graph.find(text).or_else(|| self.by_path(text)) {
            return vec![node];
        }
        let query = QualifiedName::parse(text);
        let mut found = query.as_ref().map(|query| query.candidates(graph)).unwrap_or_default();
        if found.is_empty() {
            found = self.files_ending_in(text);
        }
        if let Some(place) = PathLines::parse(text).filter(|_| found.is_empty()) {
            found = self.nodes_at(&place);
        }
        if found.is_empty() {
            found = qualified::nodes(self, text);
        }
        // A declaration and its definition are one symbol, shown by the definition.
        found.iter_mut().for_each(|node| *node = graph.definition_of(*node));
        found.sort_by(|&a, &b| {
            let key = |node| (precedence(graph, node), (graph.pagerank(node) * 1e9) as u32);
            key(b).cmp(&key(a)).then_with(|| graph.id(a).cmp(graph.id(b)))
        });
        found.dedup();
        // Members of external packages only count if nothing in the project has the name; and code comes before text.
        for is_less in [|kind: NodeKind| kind.is_outside(), |kind: NodeKind| kind == NodeKind::Section] {
            if found.iter().any(|&node| !is_less(graph.kind(node))) {
                found.retain(|&node| !is_less(graph.kind(node)));
            }
        }
        drop_constructors(graph, &mut found);
        drop_definitions(graph, &mut found);
        // The name of a type is also the name of its impl blocks: the type is meant.
        let is_block = |node: &NodeIx| {
            matches!(graph.kind(*node), NodeKind::Impl | NodeKind::Config) || graph.kind(*node).is_outside()
        };
        let mut things = found.iter().filter(|node| !is_block(node));
        if let (Some(&thing), None) = (things.next(), things.next()) {
            return vec![thing];
        }
        found
    }

    fn by_path(&self, text: &str) -> Option<NodeIx> {
        let path = node_id::strip_prefix_of_file(text);
        let normal = RepoPath::new(path).ok();
        let inside = normal.and_then(|path| self.graph().find_file(path.as_str()));
        inside.or_else(|| {
            // An absolute path below a root.
            let path = Path::new(path);
            self.roots().iter().find_map(|root| {
                let inner = path.strip_prefix(&root.path).ok()?.to_str()?;
                self.graph().find_file(root.outer(&RepoPath::new(inner).ok()?).as_str())
            })
        })
    }

    /// The path of the folder that a text names, with `/` at the end; `None` if no indexed file is below it.
    pub fn folder_named(&self, text: &str) -> Option<String> {
        let inner = self.without_repository(text);
        let text = node_id::typed_path(inner.as_deref().unwrap_or(text).trim());
        let path = format!("{}/", RepoPath::new(text.trim_end_matches('/')).ok()?);
        self.files().iter().any(|file| file.path.as_str().starts_with(&path)).then_some(path)
    }

    /// The file with this path, else those whose path ends in it.
    pub(crate) fn files_named(&self, path: &str) -> Vec<NodeIx> {
        self.by_path(path).map_or_else(|| self.files_ending_in(path), |file| vec![file])
    }

    /// Files whose path ends in these whole components.
    fn files_ending_in(&self, text: &str) -> Vec<NodeIx> {
        let Ok(path) = RepoPath::new(node_id::strip_prefix_of_file(text)) else { return Vec::new() };
        let suffix = format!("/{path}");
        let ending = self.files().iter().filter(|file| file.path.as_str().ends_with(&suffix));
        ending.filter_map(|file| self.graph().find_file(file.path.as_str())).collect()
    }
}

/// Drops the constructors of found classes: a class answers for its constructors, which may have its name.
fn drop_constructors(graph: &Graph, found: &mut Vec<NodeIx>) {
    let all = found.clone();
    found.retain(|&node| {
        let is_constructor = graph.flags(node).has(NodeFlags::CONSTRUCTOR);
        !is_constructor
            || !graph.same_symbol(node).into_iter().filter_map(|place| graph.parent(place)).any(|it| all.contains(&it))
    });
}

/// Drops the definitions of found declarations: one that platforms or programs define in several ways stands for all.
fn drop_definitions(graph: &Graph, found: &mut Vec<NodeIx>) {
    let all = found.clone();
    found.retain(|&node| !graph.declarations(node).iter().any(|declaration| all.contains(declaration)));
}

/// How readily a name means a node: code before tests, types before functions before their parts, what stands at the
/// top of a file or module before what is nested, what is exported before what is not.
pub fn precedence(graph: &Graph, node: NodeIx) -> (bool, u8, bool, bool) {
    let kind = graph.kind(node);
    let rank = match kind {
        _ if kind.is_outside() => 0,
        NodeKind::Impl | NodeKind::Config | NodeKind::Section => 0,
        NodeKind::Variant | NodeKind::Field | NodeKind::Variable | NodeKind::Constant | NodeKind::Route => 1,
        NodeKind::Function | NodeKind::Macro | NodeKind::Object | NodeKind::Custom | NodeKind::Concept => 2,
        NodeKind::File | NodeKind::Directory | NodeKind::Package | NodeKind::PackageMember | NodeKind::Module => 3,
        NodeKind::Class
        | NodeKind::Struct
        | NodeKind::Enum
        | NodeKind::Trait
        | NodeKind::Interface
        | NodeKind::Type => 4,
    };
    // A method that stands outside of its type, as in Go, has the file for parent and its type in the id.
    let is_method = node_id::names_from_end(graph.id(node)).nth(3) == Some(DefKind::Impl.word());
    let is_top = !is_method
        && graph.parent(node).is_none_or(|parent| matches!(graph.kind(parent), NodeKind::File | NodeKind::Module));
    let flags = graph.flags(node);
    (!flags.has(NodeFlags::TEST), rank, is_top, flags.has(NodeFlags::EXPORTED))
}

/// The node that a name means of several that have it: the one that takes [`precedence`] of all others.
pub fn most_readily_meant(graph: &Graph, found: &[NodeIx]) -> Option<NodeIx> {
    let best = found.iter().map(|&node| precedence(graph, node)).max()?;
    let mut meant = found.iter().copied().filter(|&node| precedence(graph, node) == best);
    match (meant.next(), meant.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// A name with its qualifiers: `src/a.py::Pool::acquire` is path `src/a.py`, owners `Pool`, name `acquire`.
struct QualifiedName {
    path: Option<String>,
    owners: Vec<String>,
    name: String,
}

impl QualifiedName {
    fn parse(text: &str) -> Option<Self> {
        let text = node_id::without_call(node_id::strip_prefix_of_file(text));
        let mut parts: Vec<&str> = node_id::names(text).flat_map(|part| part.split('#')).collect();
        let mut path = None;
        if parts.len() > 1 && looks_like_path(parts[0]) {
            path = Some(parts.remove(0).to_owned());
        }
        let mut names: Vec<String> = parts
            .iter()
            .flat_map(|part| if part.contains(['<', ' ', '/']) { vec![*part] } else { part.split('.').collect() })
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        let name = names.pop()?;
        Some(Self { path, owners: names, name })
    }

    fn candidates(&self, graph: &Graph) -> Vec<NodeIx> {
        let matching = |drop_words: bool| -> Vec<NodeIx> {
            let labelled = graph.find_labelled(&self.name).into_iter();
            labelled.filter(|&node| self.fits(graph, node, drop_words)).collect()
        };
        // An owner that is spelled like a kind (`type`, `field`) counts as an owner first.
        let found = matching(false);
        let found = if found.is_empty() { matching(true) } else { found };
        match self.without_path().filter(|_| found.is_empty()) {
            Some(query) => query.candidates(graph),
            None => found,
        }
    }

    /// The same name with the path taken as owners: `pool.Pool` in `pool.Pool::acquire`.
    fn without_path(&self) -> Option<Self> {
        let path = self.path.as_ref().filter(|path| !path.contains('/'))?;
        let owners = path.split('.').map(str::to_owned).chain(self.owners.iter().cloned()).collect();
        Some(Self { path: None, owners, name: self.name.clone() })
    }

    /// Returns whether owners and path of the node end in those asked for. `drop_words` leaves out words for kinds.
    fn fits(&self, graph: &Graph, node: NodeIx, drop_words: bool) -> bool {
        let path = graph.path(node);
        if let Some(wanted) = &self.path
            && !(path == wanted || path.strip_suffix(wanted.as_str()).is_some_and(|rest| rest.ends_with('/')))
        {
            return false;
        }
        let owners = || self.owners.iter().rev().filter(|owner| !drop_words || !DefKind::is_word(owner));
        if graph.kind(node) == NodeKind::PackageMember {
            return is_below(graph.id(node), owners());
        }
        // A method defined outside of its class has the owners of its declaration as well.
        Self::is_owned(graph, node, owners())
            || graph.declarations(node).into_iter().any(|declaration| Self::is_owned(graph, declaration, owners()))
    }

    /// Returns whether the definitions around a node end in these names, the last one first.
    fn is_owned<'a>(graph: &Graph, node: NodeIx, mut owners: impl Iterator<Item = &'a String>) -> bool {
        let mut around = graph.parent(node);
        // Owners nest at most as deep as ids are long; the bound only guards against a damaged snapshot.
        for _ in 0..MAX_OWNERS {
            let Some(owner) = owners.next() else { return true };
            loop {
                let Some(parent) = around else { return false };
                around = graph.parent(parent).filter(|&next| next != parent);
                if owner_matches(graph, parent, owner) {
                    break;
                }
                // An impl block between a type's method and its file may be passed over for a module's name.
                if graph.kind(parent) != NodeKind::Impl {
                    return false;
                }
            }
        }
        false
    }
}

const MAX_OWNERS: usize = 256;

/// Returns whether the way to a member of a package outside ends in these owners, the last one first. Packages may be
/// meant by the last part of their name.
fn is_below<'a>(id: &str, owners: impl Iterator<Item = &'a String>) -> bool {
    let path = node_id::outside_path(id).unwrap_or(id);
    let mut names = node_id::names_from_end(path).skip(1).map(|name| name.trim_end_matches("()"));
    owners.into_iter().all(|owner| {
        names.next().is_some_and(|name| name == owner || name.rsplit(['/', '.']).next() == Some(owner.as_str()))
    })
}

fn looks_like_path(part: &str) -> bool {
    part.contains('/') || part.rfind('.').is_some_and(|dot| dot > 0 && dot + 1 < part.len())
}
