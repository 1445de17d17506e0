//! Signals for an entry of a file against the others of it, used by the ranking within files.

use m1nd_base::NodeKind;
use m1nd_graph::{Graph, NodeIx};
use m1nd_search::Hit;

use super::signals::Measures;

/// Names of the signals, in order. Their weights are in `entry_weights.txt`, fitted to functions changed by fixes.
pub const ENTRY_SIGNALS: &[&str] =
    &["words", "title", "near_text", "near_title", "message", "label_title", "label_text", "size"];

/// Values of the signals.
pub type EntrySignals = [f64; 8];

/// Lines that everything but functions counts with: a long function does more, a long class only holds more functions.
const LINES: u32 = 20;
/// Penalty of a file's own entry, or of a document section, against a symbol in it.
const WHOLE_FILE: f64 = 0.3;
/// Penalty of a block of members against its type and the members.
const BLOCK: f64 = 0.3;
/// Penalty of parts (fields, variables, variants), whose owner is a better place to start.
const PART: f64 = 0.5;

/// An entry with its signals.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryCandidate {
    /// Its node.
    pub node: NodeIx,
    /// In the order of [`ENTRY_SIGNALS`].
    pub signals: EntrySignals,
}

pub(super) fn signals(graph: &Graph, node: NodeIx, hit: &Hit<'_>, measures: &Measures) -> EntrySignals {
    let [all, title, _, near, near_title] = measures.most.of_entry(hit.score, hit.title, hit.exact, hit.near);
    let label = graph.label(node);
    let lines = match graph.kind(node) {
        NodeKind::Function => {
            let (first, last) = graph.lines(node);
            last.saturating_sub(first) + 1
        }
        _ => LINES,
    };
    let [in_title, in_text] = measures.words.cover(label);
    [all, title, near, near_title, hit.message, in_title, in_text, f64::from(1 + lines).ln() / 10.0]
}

/// Penalty of an entry for its kind. `about_text` means that the query asks for documents.
pub(super) fn less(kind: NodeKind, about_text: bool) -> f64 {
    match kind {
        NodeKind::Section if about_text => 0.0,
        NodeKind::File | NodeKind::Section => WHOLE_FILE,
        NodeKind::Impl => BLOCK,
        NodeKind::Field | NodeKind::Variable | NodeKind::Variant | NodeKind::Constant => PART,
        _ => 0.0,
    }
}
