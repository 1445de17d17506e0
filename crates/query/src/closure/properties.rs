//! Members that a type answers for a base: `var size: Int { get }` of a protocol, `level = 1` of a class, a constant of
//! a trait, a property, a method that is taken as a value. Who reads that of the base may get this one, and no edge
//! says so.

use m1nd_base::{NodeKind, Relation};
use m1nd_graph::{EdgeRef, Graph, NodeFlags, NodeIx};
use m1nd_lang::outside::OutsideCalls;
use rustc_hash::FxHashSet;

use super::{Families, Hiding, reasons};
use crate::bases::{bases, implemented_trait, implemented_type};

/// Maximum number of places listed for one node.
const MAX_PLACES: usize = 20;
/// Maximum number of methods that a method overrides.
const MAX_OVERRIDDEN: usize = 200;

/// The places that read a member of a base which this node may answer. Dispatched calls and reads of overridden methods
/// are rows already.
pub(super) fn find_reads(
    (graph, families): (&Graph, &Families),
    starts: &[NodeIx],
    node: NodeIx,
    far: bool,
) -> Vec<Hiding> {
    let is_function = graph.kind(node) == NodeKind::Function;
    let mut reads: Vec<EdgeRef<'_>> = Vec::new();
    if is_function {
        let overridden = graph.list_overridden(node, MAX_OVERRIDDEN);
        let edges = overridden.into_iter().flat_map(|base| graph.in_edges(base));
        reads.extend(edges.filter(|edge| edge.reads && edge.relation == Relation::References && !edge.dispatches));
    }
    let is_use = |edge: &EdgeRef<'_>| {
        !matches!(edge.relation, Relation::Contains | Relation::Documents | Relation::Overrides | Relation::Implements)
    };
    if is_function || families.language(graph, node).is_some_and(|language| !OutsideCalls::of(language).hides_values) {
        let declared = list_declared(graph, node);
        reads.extend(declared.into_iter().flat_map(|base| graph.in_edges(base)).filter(is_use));
    }
    if reads.is_empty() {
        return Vec::new();
    }
    // A place that also leads to the node itself is a row.
    let own: FxHashSet<_> =
        graph.in_edges(node).flat_map(|edge| edge.sites.iter().map(move |pos| (edge.from, pos))).collect();
    let rows = reads.into_iter().filter(|edge| !starts.contains(&edge.from)).flat_map(|edge| {
        let is_value = graph.kind(edge.to) == NodeKind::Function && !graph.flags(edge.to).has(NodeFlags::PROPERTY);
        let reason = if is_value { reasons::PASSED_AS_VALUE } else { reasons::PROPERTY_OF_BASE };
        edge.sites.iter().map(move |pos| (pos, Hiding::of_read(graph, &edge, pos.line, reason, far)))
    });
    rows.filter(|(pos, row)| !own.contains(&(row.node, *pos))).map(|(_, row)| row).take(MAX_PLACES).collect()
}

/// Members of bases with the name of a node, of which one of both is a value: a function that overrides a function has
/// an edge to it.
fn list_declared(graph: &Graph, node: NodeIx) -> Vec<NodeIx> {
    let is_value = is_value(graph.kind(node));
    let owner = graph.parent(node).filter(|&owner| is_type(graph.kind(owner)) || graph.kind(owner) == NodeKind::Impl);
    let Some(owner) = owner.filter(|_| is_value || graph.kind(node) == NodeKind::Function) else {
        return Vec::new();
    };
    let mut above: FxHashSet<NodeIx> = bases(graph, owner).0.into_iter().collect();
    // A block that extends a type has the bases of the type too, and the trait that it names.
    if graph.kind(owner) == NodeKind::Impl {
        let label = graph.label(owner);
        let types = graph.find_labelled(implemented_type(label)).into_iter().filter(|&of| is_type(graph.kind(of)));
        above.extend(types.flat_map(|of| bases(graph, of).0));
        let named = implemented_trait(label).map(|name| graph.find_labelled(name));
        above.extend(named.into_iter().flatten().filter(|&of| graph.kind(of) == NodeKind::Trait));
    }
    if above.is_empty() {
        return Vec::new();
    }
    let is_declared = |&base: &NodeIx| {
        let kind = graph.kind(base);
        (self::is_value(kind) || is_value && kind == NodeKind::Function)
            && graph.parent(base).is_some_and(|owner| above.contains(&owner))
    };
    graph.find_labelled(graph.label(node)).into_iter().filter(is_declared).collect()
}

/// Returns whether a member is a value, or a type that a trait leaves open.
pub(super) const fn is_value(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Field | NodeKind::Constant | NodeKind::Variable | NodeKind::Type)
}

const fn is_type(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Class
            | NodeKind::Struct
            | NodeKind::Enum
            | NodeKind::Object
            | NodeKind::Trait
            | NodeKind::Interface
            | NodeKind::Type
    )
}
