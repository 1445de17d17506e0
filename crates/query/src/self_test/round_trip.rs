//! Looks up a known node in every way that a question would.

use m1nd_base::{Cancel, Cancelled, NodeKind, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;

use crate::retrieval::{Prior, SeekQuery, seek_with};

/// Rows among which a search for its own name must find a node.
const FIRST_ROWS: usize = 10;
/// Files looked through for a node that has a name of its own.
const MOST_FILES: usize = 16;

/// The result of looking up one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundTrip {
    /// The node; `None` if no file has a symbol with a name of its own.
    pub node: Option<NodeIx>,
    /// Ways in which it was not found, in words; empty if every way leads to it.
    pub failed: Vec<String>,
    /// Number of ways that were tried.
    pub tried: usize,
}

/// Looks up a symbol of one of these files, but none of `differing`: by its id, by its name, by a search, along an
/// edge from both ends, and in the text of its file.
///
/// # Errors
/// [`Cancelled`].
pub fn round_trip(
    snapshot: &Snapshot,
    files: &[String],
    differing: &[String],
    cancel: &Cancel,
) -> Result<RoundTrip, Cancelled> {
    let mut files = files.iter().filter(|file| !differing.contains(file)).take(MOST_FILES);
    let Some(node) = files.find_map(|file| known_node(snapshot, file)) else {
        return Ok(RoundTrip { node: None, failed: Vec::new(), tried: 0 });
    };
    let graph = snapshot.graph();
    let (id, label) = (graph.id(node), graph.label(node));
    let mut trip = RoundTrip { node: Some(node), failed: Vec::new(), tried: 0 };
    let mut check = |is_found: bool, how: &str| {
        trip.tried += 1;
        if !is_found {
            trip.failed.push(how.to_owned());
        }
    };
    check(graph.find(id) == Some(node), "by its id");
    let named = snapshot.nodes_named(label);
    check(graph.same_symbol(node).iter().any(|place| named.contains(place)), "by its name");
    check(is_in_text(snapshot, node), "in the text of its file");
    if let Some(edge) = graph.out_edges(node).next() {
        check(graph.in_edges(edge.to).any(|back| back.from == node), "back along its edge");
    }
    let query = SeekQuery { text: label.to_owned(), ..SeekQuery::default() };
    let found = seek_with(snapshot, &query, &Prior::default(), None, cancel)?;
    check(found.rows.iter().take(FIRST_ROWS).any(|row| row.node == node), "by a search for its name");
    Ok(trip)
}

/// The first function or class of a file whose name is only its own.
fn known_node(snapshot: &Snapshot, file: &str) -> Option<NodeIx> {
    let graph = snapshot.graph();
    let is_named = |node: &NodeIx| {
        matches!(graph.kind(*node), NodeKind::Function | NodeKind::Class | NodeKind::Struct)
            && graph.label(*node).chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && graph.find_labelled(graph.label(*node)).len() == 1
    };
    graph.of_file(graph.find_file(file)?).into_iter().find(is_named)
}

/// Returns whether the line of its name holds its name.
fn is_in_text(snapshot: &Snapshot, node: NodeIx) -> bool {
    let graph = snapshot.graph();
    let Ok(path) = RepoPath::new(graph.path(node)) else { return false };
    let Ok(source) = snapshot.read_file(&path) else { return false };
    let (first, last) = graph.lines(node);
    let mut lines = source.text.lines().skip((first as usize).saturating_sub(1)).take((last - first) as usize + 1);
    lines.any(|line| line.contains(graph.label(node)))
}
