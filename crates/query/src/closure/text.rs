//! Words that no fact explains: the net under all that the graph knows. A list of constructs is never complete, but a
//! use has to name what it uses, in code, in a string or in another file.

use m1nd_engine::is_code;
use m1nd_graph::{Graph, NodeFlags, NodeIx};

use super::open::{self, Families};
use super::{Hiding, names_of};

/// Maximum number of places listed for one node.
const MAX_PLACES: usize = 50;

/// The places where a name of a node stands and no fact explains it. What stands inside of the node itself, or of
/// another of `starts`, is no use of it from elsewhere. A constructor is called by the name of its class.
pub(super) fn find_words(
    (graph, families): (&Graph, &Families),
    starts: &[NodeIx],
    node: NodeIx,
    far: bool,
) -> Vec<Hiding> {
    let own = families.family(graph, node);
    let class = graph.parent(node).filter(|_| graph.flags(node).has(NodeFlags::CONSTRUCTOR));
    let names = [Some(node), class].into_iter().flatten().flat_map(|node| names_of(graph, node));
    let rows = names.flat_map(|name| graph.texts_named(name));
    let others = rows.filter(|row| {
        let theirs = families.family(graph, row.from);
        row.from != node
            && !starts.contains(&row.from)
            && (theirs == own || has_words(row.name) || theirs.is_none_or(|language| !is_code(language)))
    });
    others.take(MAX_PLACES).map(|word| open::row(graph, &word, far)).collect()
}

/// Returns whether a name is of several words. One word in a string of another language is too rarely a name of code.
fn has_words(name: &str) -> bool {
    let inner = name.trim_matches('_');
    inner.contains('_') || inner.chars().skip(1).any(char::is_uppercase) && inner.chars().any(char::is_lowercase)
}
