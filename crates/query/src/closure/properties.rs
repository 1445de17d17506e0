//! Properties that a type answers for a base that declares them: `var size: Int { get }` of a protocol, `val size: Int`
//! of an interface. Who reads that of the base may read this one, and no edge says so.

use m1nd_base::{NodeKind, Relation};
use m1nd_engine::Snapshot;
use m1nd_graph::{EdgeRef, NodeIx};
use m1nd_lang::Language;

use super::{Hiding, reasons};
use crate::bases::bases;

/// Maximum number of places listed for one node.
const MAX_PLACES: usize = 20;

/// The places that read a property of a base which this function or field may answer.
pub(super) fn find_reads(snapshot: &Snapshot, starts: &[NodeIx], node: NodeIx, far: bool) -> Vec<Hiding> {
    let graph = snapshot.graph();
    let is_field = graph.kind(node) == NodeKind::Field;
    let answers = graph.kind(node) == NodeKind::Function
        || is_field && snapshot.file_of(node).is_some_and(|file| !hides_fields(file.language));
    let owner = graph.parent(node).filter(|_| answers);
    let Some(owner) = owner.filter(|&owner| is_type(graph.kind(owner)) || graph.kind(owner) == NodeKind::Impl) else {
        return Vec::new();
    };
    let label = graph.label(node);
    // A function that answers a function replaces it, which is an edge.
    let is_property = |other: &NodeIx| match graph.kind(*other) {
        NodeKind::Field => true,
        NodeKind::Function => is_field,
        _ => false,
    };
    let fields: Vec<NodeIx> = graph.find_labelled(label).into_iter().filter(is_property).collect();
    if fields.is_empty() {
        return Vec::new();
    }
    // A block that extends a type has the bases of the type, and those that it adds itself.
    let mut owners = vec![owner];
    if graph.kind(owner) == NodeKind::Impl {
        let types = graph.find_labelled(graph.label(owner)).into_iter().filter(|&other| is_type(graph.kind(other)));
        owners.extend(types);
    }
    let above: Vec<NodeIx> = owners.into_iter().flat_map(|owner| bases(graph, owner).0).collect();
    let declared = fields.into_iter().filter(|&field| graph.parent(field).is_some_and(|base| above.contains(&base)));
    let is_use =
        |edge: &EdgeRef<'_>| !matches!(edge.relation, Relation::Contains | Relation::Documents | Relation::Overrides);
    let reads = declared.flat_map(|field| graph.in_edges(field).filter(is_use).collect::<Vec<_>>());
    let row = |edge: EdgeRef<'_>| Hiding {
        place: None,
        node: edge.from,
        name: label.to_owned(),
        role: "read".to_owned(),
        reason: reasons::PROPERTY_OF_BASE.to_owned(),
        file: graph.path(edge.from).to_owned(),
        line: edge.sites.get(0).map_or(graph.name_line(edge.from), |pos| pos.line),
        far,
    };
    reads.filter(|edge| !starts.contains(&edge.from)).take(MAX_PLACES).map(row).collect()
}

/// Returns whether a field of a type hides one of its name in a base, where the type of the receiver says which is
/// meant.
const fn hides_fields(language: Language) -> bool {
    matches!(language, Language::C | Language::Cpp | Language::Go | Language::Java | Language::Rust)
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
