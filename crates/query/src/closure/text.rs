//! Words that no fact explains: the net under all that the graph knows. A list of constructs is never complete, but a
//! use has to name what it uses, in code, in a string or in another file.

use m1nd_graph::{Graph, NodeFlags, NodeIx};

use super::{Hiding, names_of, open};

/// Maximum number of places listed for one node.
const MAX_PLACES: usize = 50;

/// The places where a name of a node stands and no fact explains it. What stands inside of the node itself, or of
/// another of `starts`, is no use of it from elsewhere. A constructor is called by the name of its class.
pub(super) fn unexplained(graph: &Graph, starts: &[NodeIx], node: NodeIx, far: bool) -> Vec<Hiding> {
    let class = graph.parent(node).filter(|_| graph.flags(node).has(NodeFlags::CONSTRUCTOR));
    let names = [Some(node), class].into_iter().flatten().flat_map(|node| names_of(graph, node));
    let rows = names.flat_map(|name| graph.texts_named(name));
    let others = rows.filter(|row| row.from != node && !starts.contains(&row.from));
    others.take(MAX_PLACES).map(|word| open::row(graph, &word, far)).collect()
}
