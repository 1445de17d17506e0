//! Constructors that a language calls where nothing names them: for copies, conversions, members and bases.

use m1nd_engine::Snapshot;
use m1nd_graph::{NodeFlags, NodeIx};
use m1nd_lang::is_implicit_constructor;

use super::{Hiding, reasons};

/// What may call a constructor without naming it.
pub(super) fn find_calls(snapshot: &Snapshot, starts: &[NodeIx], node: NodeIx, far: bool) -> Option<Hiding> {
    let graph = snapshot.graph();
    if !graph.flags(node).has(NodeFlags::CONSTRUCTOR) {
        return None;
    }
    let language = snapshot.file_of(node)?.language;
    // Only its declaration says that it is explicit; both are asked for.
    let places = if starts.contains(&node) { graph.same_symbol(node) } else { vec![node] };
    let is_called =
        places.iter().all(|&place| is_implicit_constructor(language, graph.label(place), graph.signature(place)));
    is_called.then(|| Hiding {
        place: None,
        node,
        name: graph.label(node).to_owned(),
        role: "call".to_owned(),
        reason: reasons::IMPLICIT_CALL.to_owned(),
        file: graph.path(node).to_owned(),
        line: graph.name_line(node),
        far,
    })
}
