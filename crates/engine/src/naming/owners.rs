//! Whether a node is the owner that a qualified name means.

use m1nd_base::{NodeKind, node_id};
use m1nd_graph::{Graph, NodeIx};

/// Returns whether `wanted` names the owner: its label, the type of an `impl` block, or the module of a file.
pub(crate) fn owner_matches(graph: &Graph, owner: NodeIx, wanted: &str) -> bool {
    let label = graph.label(owner);
    match graph.kind(owner) {
        // `Pool::acquire` means a method of any impl of Pool: `impl Pool<T>`, `impl Drop for Pool`.
        NodeKind::Impl => {
            let subject = label.rsplit(" for ").next().unwrap_or(label);
            let subject = subject.split('<').next().unwrap_or(subject).trim();
            label == wanted || node_id::last_name(subject) == wanted
        }
        // `pool.acquire` means a function of module `pool`.
        NodeKind::File => {
            let stem = graph.path(owner).rsplit('/').next().unwrap_or_default();
            stem == wanted || stem.split('.').next() == Some(wanted) || graph.path(owner) == wanted
        }
        _ => label == wanted,
    }
}
