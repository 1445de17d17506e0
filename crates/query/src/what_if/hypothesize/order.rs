//! Whether one function is called before another wherever that is called.

use m1nd_base::{Cancel, Cancelled, Pos};
use m1nd_engine::Snapshot;
use m1nd_graph::NodeIx;
use rustc_hash::FxHashMap;

use super::verdict::{self, Evidence, EvidenceKind};
use super::{MAX_EVIDENCE, Tested};
use crate::references::callers;

/// Confidence when all functions call both in this order: the place of a call does not prove that it runs.
const IN_ORDER: f64 = 0.75;

/// Compares the first call of each in every function that calls the second.
pub(super) fn always_before(
    snapshot: &Snapshot,
    first: NodeIx,
    second: NodeIx,
    cancel: &Cancel,
) -> Result<Tested, Cancelled> {
    let earliest = |node| -> Result<(FxHashMap<NodeIx, Pos>, bool), Cancelled> {
        let found = callers(snapshot, node, cancel)?;
        let mut places: FxHashMap<NodeIx, Pos> = FxHashMap::default();
        for row in found.rows {
            let place = places.entry(row.from).or_insert(row.pos);
            *place = row.pos.min(*place);
        }
        Ok((places, found.closure.state == crate::closure::ClosureState::Closed))
    };
    let ((before, _), (after, all_known)) = (earliest(first)?, earliest(second)?);
    if after.is_empty() {
        return Ok(verdict::leave_undecided("no call of the second is known"));
    }
    let graph = snapshot.graph();
    let mut callers: Vec<(NodeIx, Pos)> = after.into_iter().collect();
    callers.sort_by_key(|(caller, pos)| (graph.path(*caller).to_owned(), *pos));
    let is_against = |(caller, pos): &(NodeIx, Pos)| before.get(caller).is_none_or(|first| first >= pos);
    let (against, with): (Vec<_>, Vec<_>) = callers.into_iter().partition(is_against);
    let row = |(caller, pos): &(NodeIx, Pos)| {
        let place = format!("{}:{}", graph.path(*caller), pos.line);
        let (label, name) = (graph.label(*caller), graph.label(second));
        let text = match before.get(caller) {
            Some(first) if first < pos => format!("{label} calls it in line {}, before {name} at {place}", first.line),
            Some(first) => format!("{label} calls it in line {}, after {name} at {place}", first.line),
            None => format!("{label} calls {name} at {place}, but never the first"),
        };
        Evidence::about(EvidenceKind::CausalChain, text, vec![*caller, second])
    };
    let supporting: Vec<Evidence> = with.iter().take(MAX_EVIDENCE).map(row).collect();
    let contradicting: Vec<Evidence> = against.iter().take(MAX_EVIDENCE).map(row).collect();
    // A caller of the second may itself be called only after the first, so a missing call excludes nothing by itself.
    let reversed = against.iter().any(|(caller, _)| before.contains_key(caller));
    let (confidence, why) = match (with.len(), against.len()) {
        (_, 1..) if reversed => (0.05, "a function calls them in the other order".to_owned()),
        (_, missing @ 1..) => (0.3, format!("{missing} callers of the second do not call the first themselves")),
        (_, 0) if all_known => {
            (IN_ORDER, "all callers of the second call the first above it; branches are not checked".to_owned())
        }
        _ => (0.6, "all known callers of the second call the first above it, but there may be more callers".to_owned()),
    };
    let tested = verdict::leave_undecided("");
    Ok(Tested { supporting, contradicting, confidence, why, ..tested }.with_verdict())
}
