//! Traits of nodes by their connections, for comparing nodes of one role.

use m1nd_base::{EdgeTier, NodeKind, Pos, Relation};
use m1nd_graph::{EdgeRef, Graph, NodeFlags, NodeIx};
use rustc_hash::FxHashMap;

use crate::calls::is_test;

/// Nodes inside a node whose connections count as its own.
pub(super) const MEMBERS: usize = 300;
/// Maximum edges of each node that are examined.
const EDGES: usize = 500;
/// Maximum bases of a type that are examined, including indirect ones.
pub(super) const MAX_BASES: usize = 64;

/// A trait of a node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trait {
    /// It has an edge of this relation to a node.
    Uses(Relation, NodeIx),
    /// A node has an edge of this relation to it.
    UsedBy(Relation, NodeIx),
    /// Something in it has this kind and name.
    Defines(u8, String),
    /// A test uses it.
    Tested,
    /// It has a doc comment.
    Documented,
}

impl Trait {
    /// The node that it is about.
    pub fn node(&self) -> Option<NodeIx> {
        match self {
            Self::Uses(_, node) | Self::UsedBy(_, node) => Some(*node),
            Self::Defines(..) | Self::Tested | Self::Documented => None,
        }
    }

    /// Weight of its absence.
    pub(super) fn weight(&self) -> f64 {
        match self {
            Self::Uses(Relation::Decorates | Relation::Inherits | Relation::Implements, _) => 1.0,
            Self::UsedBy(Relation::Registers, _) => 1.0,
            Self::Uses(Relation::Calls, _) | Self::Defines(..) => 0.9,
            Self::Tested => 0.8,
            Self::UsedBy(..) => 0.7,
            Self::Uses(..) | Self::Documented => 0.6,
        }
    }
}

/// How a node has a trait.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Having {
    /// By an edge that is certain.
    pub(super) sure: bool,
    /// Its place.
    pub(super) at: Option<(NodeIx, Pos)>,
}

/// Determines traits of nodes.
pub(super) struct Traits<'g> {
    graph: &'g Graph,
    symbols: f64,
    users: FxHashMap<NodeIx, usize>,
}

impl<'g> Traits<'g> {
    pub(super) fn new(graph: &'g Graph) -> Self {
        Self { graph, symbols: graph.node_count() as f64, users: FxHashMap::default() }
    }

    /// The distinct traits of a node, in order.
    pub(super) fn of(&self, node: NodeIx) -> Vec<(Trait, Having)> {
        let graph = self.graph;
        let is_file = graph.kind(node) == NodeKind::File;
        let own = graph.with_members(node, MEMBERS);
        let mut found: FxHashMap<Trait, Having> = FxHashMap::default();
        let mut note = |one: Trait, tier: EdgeTier, at: Option<(NodeIx, Pos)>| {
            let sure = tier != EdgeTier::Possible;
            let known = found.entry(one).or_insert(Having { sure, at });
            if sure && !known.sure {
                *known = Having { sure, at };
            }
        };
        for &one in &own {
            // Imports and calls of a file depend on its topic; uses of it do not.
            let out = graph.out_edges(one).take(EDGES).filter(|edge| !is_file && self.is_telling(edge));
            let out = out.filter(|edge| !own.contains(&edge.to) && !is_said_by_class(graph, &own, edge.to));
            for edge in out {
                note(Trait::Uses(edge.relation, edge.to), edge.tier, first_site(&edge));
            }
            let into = graph.in_edges(one).filter(|edge| edge.relation.is_structure()).take(EDGES);
            for edge in into.filter(|edge| !own.contains(&edge.from)) {
                if is_test(graph, edge.from) {
                    note(Trait::Tested, edge.tier, first_site(&edge));
                } else if one == node || is_file {
                    let user = if is_file { graph.file(edge.from) } else { Some(edge.from) };
                    let relation = if is_file { Relation::Imports } else { edge.relation };
                    if let Some(user) = user.filter(|user| *user != node) {
                        note(Trait::UsedBy(relation, user), edge.tier, first_site(&edge));
                    }
                }
            }
        }
        for (edge, sure, at) in bases_beyond(graph, node) {
            note(Trait::Uses(edge.relation, edge.to), if sure { EdgeTier::Certain } else { EdgeTier::Possible }, at);
        }
        for edge in graph.out_edges(node).take(EDGES).filter(|edge| edge.relation == Relation::Contains) {
            use NodeKind::{Class, Constant, Enum, Function, Interface, Struct, Trait as TraitKind};
            let kind = graph.kind(edge.to);
            if matches!(kind, Class | Constant | Enum | Function | Interface | Struct | TraitKind) {
                let line = graph.name_line(edge.to);
                let at = (line > 0).then_some((edge.to, Pos { line, col: 1 }));
                note(Trait::Defines(kind as u8, graph.label(edge.to).to_owned()), EdgeTier::Certain, at);
            }
        }
        if !graph.doc(node).is_empty() {
            found.insert(Trait::Documented, Having { sure: true, at: None });
        }
        let mut found: Vec<(Trait, Having)> = found.into_iter().filter(|(one, _)| self.can_have(node, one)).collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found
    }

    /// Returns whether a node could be expected to have a trait, so that it is counted for or against it.
    pub(super) fn can_have(&self, node: NodeIx, one: &Trait) -> bool {
        let graph = self.graph;
        let is_member = || graph.parent(node).is_some_and(|parent| graph.kind(parent) != NodeKind::File);
        match one {
            // A method that the project's own code never calls is called from outside: by its interface, by its name
            // (`__repr__`, `Len`), which a test may do as well without naming it.
            Trait::Tested if graph.kind(node) == NodeKind::Function && is_member() => {
                graph.in_edges(node).any(|edge| edge.relation == Relation::Calls && edge.tier == EdgeTier::Certain)
            }
            Trait::Documented => self.is_public(node),
            _ => true,
        }
    }

    /// Returns whether a symbol is for others to read about: exported with all its owners, and no implementation of
    /// what is documented elsewhere.
    fn is_public(&self, node: NodeIx) -> bool {
        use Relation::{Implements, Overrides};
        let graph = self.graph;
        let is_shown = |node: NodeIx| match graph.kind(node) {
            NodeKind::File | NodeKind::Directory | NodeKind::Module | NodeKind::Impl => true,
            _ => graph.flags(node).has(NodeFlags::EXPORTED) && !graph.label(node).starts_with('_'),
        };
        graph.kind(node) != NodeKind::File
            && is_shown(node)
            && graph.ancestors(node).all(is_shown)
            && !graph.out_edges(node).take(EDGES).any(|edge| matches!(edge.relation, Implements | Overrides))
    }

    /// Returns whether a node has a trait by an edge beyond those that [`Traits::of`] examines. `own` is the node
    /// with its members.
    pub(super) fn is_beyond(&self, node: NodeIx, own: &[NodeIx], one: &Trait) -> bool {
        let graph = self.graph;
        let is_file = graph.kind(node) == NodeKind::File;
        let mut into = own.iter().flat_map(|one| graph.in_edges(*one).skip(EDGES));
        match one {
            Trait::Uses(relation, other) => {
                let mut out = own.iter().flat_map(|one| graph.out_edges(*one).skip(EDGES));
                out.any(|edge| edge.relation == *relation && edge.to == *other)
            }
            Trait::UsedBy(_, other) if is_file => {
                into.any(|edge| edge.relation != Relation::Contains && graph.file(edge.from) == Some(*other))
            }
            Trait::UsedBy(relation, other) => {
                into.any(|edge| edge.relation == *relation && edge.to == node && edge.from == *other)
            }
            Trait::Tested => into.any(|edge| is_test(graph, edge.from)),
            // Members beyond the limit are accounted for by their number.
            Trait::Defines(..) | Trait::Documented => false,
        }
    }

    /// Returns whether an edge says more than which language and libraries are used.
    fn is_telling(&self, edge: &EdgeRef<'_>) -> bool {
        use Relation::{Calls, Decorates, Implements, Inherits, ReadsConfig, References};
        let kind = self.graph.kind(edge.to);
        match edge.relation {
            // A package without members says nothing about its use; its members do.
            _ if kind == NodeKind::Package => false,
            Decorates => is_its_own(self.graph, edge),
            Implements | Inherits | ReadsConfig => true,
            Calls => edge.tier != EdgeTier::External,
            References => edge.tier != EdgeTier::External && matches!(kind, NodeKind::Constant | NodeKind::Variable),
            _ => false,
        }
    }

    /// Share of the nodes outside of a group that have a trait, if `with` of its `size` members do; a guess from above.
    pub(super) fn frequency(&mut self, one: &Trait, with: usize, size: usize) -> f64 {
        let all = match one {
            Trait::Uses(_, node) => self.users(*node, true),
            Trait::UsedBy(_, node) => self.users(*node, false),
            // Names of members and tests are compared with a coin flip: only a large group differs significantly.
            Trait::Defines(..) => return 0.25,
            Trait::Tested => return 0.3,
            Trait::Documented => return 0.5,
        };
        let outside = all.saturating_sub(with) as f64;
        ((outside + 0.5) / (self.symbols - size as f64).max(1.0)).clamp(1e-6, 1.0)
    }

    /// Nodes that use a node, or that it uses.
    fn users(&mut self, node: NodeIx, by: bool) -> usize {
        if !by {
            return self.graph.out_edges(node).count();
        }
        *self.users.entry(node).or_insert_with(|| self.graph.in_edges(node).count())
    }
}

/// An edge to a base, whether all on the way to it is certain, and where the way begins.
type BaseEdge<'g> = (EdgeRef<'g>, bool, Option<(NodeIx, Pos)>);

/// The bases of the bases of a type.
fn bases_beyond(graph: &Graph, node: NodeIx) -> Vec<BaseEdge<'_>> {
    let bases = |one: NodeIx| {
        let is_base = |edge: &EdgeRef<'_>| matches!(edge.relation, Relation::Inherits | Relation::Implements);
        graph.out_edges(one).take(EDGES).filter(is_base)
    };
    let is_sure = |edge: &EdgeRef<'_>| edge.tier != EdgeTier::Possible;
    let mut open: Vec<_> = bases(node).map(|edge| (edge.to, is_sure(&edge), first_site(&edge))).collect();
    let (mut seen, mut found, mut at) = (vec![node], Vec::new(), 0);
    while let Some(&(base, sure, site)) = open.get(at).filter(|_| at < MAX_BASES) {
        at += 1;
        if seen.contains(&base) {
            continue;
        }
        seen.push(base);
        for edge in bases(base) {
            open.push((edge.to, sure && is_sure(&edge), site));
            found.push((edge, sure && is_sure(&edge), site));
        }
    }
    found
}

/// Returns whether a node is a constructor of a class that one of these calls itself: to construct is an edge to
/// both, and one fact.
pub(super) fn is_said_by_class(graph: &Graph, by: &[NodeIx], node: NodeIx) -> bool {
    let class = graph.parent(node).filter(|_| graph.flags(node).has(NodeFlags::CONSTRUCTOR));
    let calls =
        |class: NodeIx| graph.in_edges(class).any(|edge| edge.relation == Relation::Calls && by.contains(&edge.from));
    class.is_some_and(calls)
}

/// First site of an edge: the position, in the file of this node.
fn first_site(edge: &EdgeRef<'_>) -> Option<(NodeIx, Pos)> {
    Some((edge.from, edge.sites.first()?))
}

/// Returns whether a decorator edge belongs to its source node, before whose name it is written, and not to a
/// parameter or to something in it that is no node.
pub(super) fn is_its_own(graph: &Graph, edge: &EdgeRef<'_>) -> bool {
    let before_name = || edge.sites.iter().any(|site| site.line <= graph.name_line(edge.from));
    edge.relation != Relation::Decorates || (graph.kind(edge.from) != NodeKind::File && before_name())
}
