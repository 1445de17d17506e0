//! References without a certain target that could reach a node.
//!
//! Such a reference hides a dependent only if it could reach the node: it has one of its names, is in a language that
//! could mean it, and is written in a way that fits.

use m1nd_base::NodeKind;
use m1nd_engine::{Language, ReadingRules, Snapshot};
use m1nd_graph::reach::Reach;
use m1nd_graph::{Graph, NodeFlags, NodeIx, UnresolvedRef};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Hiding, names_of};

/// Maximum number of open references counted that may lead to reached nodes.
const MAX_FAR: usize = 20_000;
/// The name of a module that stands for its folder, in every language that has default exports.
const INDEX: &str = "index";
/// The reason of an import whose module is not known: it can bring in anything under any name.
pub(crate) const UNKNOWN_MODULE: &str = "module_not_found";
/// The reason of a name that no scope knows.
const UNKNOWN_NAME: &str = "name_not_found";
/// The reason of a member of a value that outside code yielded.
const OUTSIDE_RECEIVER: &str = "outside_receiver";

/// The language of each file, by its node: a hub has thousands of open references, and looking up the file of
/// each by its path costs more than all the rest.
pub(crate) struct Families(FxHashMap<NodeIx, Language>);

impl Families {
    pub(crate) fn of(snapshot: &Snapshot) -> std::sync::Arc<Self> {
        let graph = snapshot.graph();
        let language = |file: &m1nd_engine::FileEntry| Some((graph.find_file(file.path.as_str())?, file.language));
        snapshot.derived_values().get_or_init(|| Self(snapshot.files().iter().filter_map(language).collect()))
    }

    pub(crate) fn family(&self, graph: &Graph, node: NodeIx) -> Option<Language> {
        self.language(graph, node).map(Language::family)
    }

    pub(super) fn language(&self, graph: &Graph, node: NodeIx) -> Option<Language> {
        self.0.get(&graph.file(node)?).copied()
    }
}

/// References without target that could reach a changed or reached node.
pub(super) fn hidden_dependents(
    (graph, families): (&Graph, &Families),
    starts: &[NodeIx],
    followed: &[NodeIx],
    reach: &Reach<'_>,
) -> Vec<Hiding> {
    let own: FxHashSet<NodeIx> = starts.iter().copied().collect();
    let known: FxHashSet<NodeIx> = reach.rows.iter().map(|row| row.node).collect();
    let mut seen: FxHashSet<(&str, Option<Language>, Place)> = FxHashSet::default();
    let mut found = Vec::new();
    let mut far_found = 0;
    let nodes = starts.iter().map(|&node| (node, false)).chain(followed.iter().map(|&node| (node, true)));
    for (node, far) in nodes {
        if far_found >= MAX_FAR {
            break;
        }
        let language = families.family(graph, node);
        let rules = families.language(graph, node).map(ReadingRules::of);
        let reads_fields = rules.is_some_and(|rules| rules.has_fields_apart);
        let place = Place::of(graph, node);
        for name in names_of(graph, node) {
            if !seen.insert((name, language, place)) {
                continue;
            }
            let references = graph.unresolved_named(name).filter(|reference| {
                let theirs = families.family(graph, reference.from);
                let is_known = own.contains(&reference.from) || (far && known.contains(&reference.from));
                // What is read there without a call is a field.
                let is_field = reads_fields && reference.role == "read" && reference.reason == OUTSIDE_RECEIVER;
                let is_reached = place.is_reached(reference, language) && !(is_field && place != Place::Other);
                !is_known && (language.is_none() || theirs == language) && is_reached
            });
            let before = found.len();
            found.extend(references.map(|reference| row(graph, &reference, far)));
            far_found += if far { found.len() - before } else { 0 };
        }
    }
    found
}

/// Where a node is written, as far as it decides which references can reach it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    /// A function at the top of a file or module.
    Function,
    /// A function in a class, trait or block of methods.
    Method,
    /// A function inside of another.
    Nested,
    /// Anything else.
    Other,
}

impl Place {
    fn of(graph: &Graph, node: NodeIx) -> Self {
        let is_plain = !graph.flags(node).has(NodeFlags::CONSTRUCTOR) && !graph.flags(node).has(NodeFlags::PROPERTY);
        if graph.kind(node) != NodeKind::Function || !is_plain {
            return Self::Other;
        }
        match graph.parent(node).map(|parent| graph.kind(parent)) {
            Some(NodeKind::File | NodeKind::Module) => Self::Function,
            Some(NodeKind::Function) => Self::Nested,
            Some(
                NodeKind::Class
                | NodeKind::Struct
                | NodeKind::Enum
                | NodeKind::Trait
                | NodeKind::Interface
                | NodeKind::Impl,
            ) => Self::Method,
            _ => Self::Other,
        }
    }

    /// Returns whether a reference of the node's name could reach it by the rules of the language.
    fn is_reached(self, reference: &UnresolvedRef<'_>, language: Option<Language>) -> bool {
        use Language as L;
        if self == Self::Other {
            return true;
        }
        // Methods have no bare name there, and are not assigned to names either.
        let by_receiver = matches!(language, Some(L::Rust | L::Go | L::Python | L::JavaScript));
        // Functions are no types, and nothing is assigned to their names.
        let is_static = matches!(language, Some(L::Rust | L::Go | L::Java | L::C));
        match reference.role {
            "type" | "inherit" | "implement" | "write" if is_static => false,
            "macro" if language == Some(L::Rust) => false,
            "import" => self == Self::Function,
            "call" | "read" if reference.reason == UNKNOWN_NAME => self != Self::Method || !by_receiver,
            "call" | "read" => self != Self::Nested || !is_static,
            _ => true,
        }
    }
}

/// Imports of unknown modules that are called like the file of a node: they may bring in its default export under
/// another name. Everything else that such a module may export is used by its own name, and found by that among the
/// open references.
pub(super) fn unknown_imports(
    (graph, families): (&Graph, &Families),
    starts: &[NodeIx],
    language: Option<Language>,
) -> Vec<Hiding> {
    let is_top = |&node: &NodeIx| graph.parent(node).is_none_or(|parent| graph.kind(parent) == NodeKind::File);
    let has_default = language.is_some_and(|language| ReadingRules::of(language).has_default_exports);
    if !has_default || !starts.iter().any(is_top) {
        return Vec::new();
    }
    let mut modules: Vec<&str> =
        starts.iter().filter(|node| is_top(node)).filter_map(|&node| module_of(graph, node)).collect();
    modules.sort_unstable();
    modules.dedup();
    let references = modules.into_iter().flat_map(|module| graph.unresolved_named(module)).filter(|reference| {
        let theirs = families.family(graph, reference.from);
        let is_import = reference.role == "import" && reference.reason == UNKNOWN_MODULE;
        is_import && theirs == language && !starts.contains(&reference.from)
    });
    references.map(|reference| row(graph, &reference, false)).collect()
}

/// The name by which other modules import the file of a node: its own without endings, or that of its folder.
fn module_of(graph: &Graph, node: NodeIx) -> Option<&str> {
    let mut parts = graph.path(node).rsplit('/');
    let stem = parts.next()?.split('.').next()?;
    if stem == INDEX { parts.next() } else { Some(stem) }
}

/// The row of a reference.
pub(super) fn row(graph: &Graph, reference: &UnresolvedRef<'_>, far: bool) -> Hiding {
    Hiding {
        place: Some(reference.pos),
        node: reference.from,
        name: reference.name.to_owned(),
        role: reference.role.to_owned(),
        reason: reference.reason.to_owned(),
        file: graph.path(reference.from).to_owned(),
        line: reference.pos.line,
        far,
    }
}
