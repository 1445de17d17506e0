//! Baselines of locks as they are stored and compared.

use m1nd_base::{Cancel, Cancelled};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::regions::{Baseline, EdgeKey, MAX_EDGES, MAX_NODES, RegionDiff, Scope, compare, region};
use m1nd_sessions::{Handle, Lock, LockBaseline, Watch};
use std::collections::BTreeMap;

use crate::framework::{ErrorCode, HeldValues, ToolError};
use crate::rows::session_error;

/// Milliseconds of a minute.
pub(super) const MINUTE_MS: u64 = 60_000;

/// The word for the caller's lock that was changed last.
const LATEST: &str = "latest";

/// The lock with this id, of this agent; `latest` is the one that it changed last.
pub(super) fn get(held: HeldValues<'_>, agent: &str, id: &str) -> Result<Handle<Lock>, ToolError> {
    let id = id.trim();
    let mut newest = match id {
        LATEST => held.list::<Lock>(Some(agent), 1).map_err(session_error)?.handles,
        _ => Vec::new(),
    };
    newest.pop().map_or_else(|| held.get::<Lock>(agent, id).map_err(session_error), Ok)
}

/// The region around these nodes, as it is now.
pub(super) fn baseline(
    snapshot: &Snapshot,
    roots: &[NodeIx],
    scope: Scope,
    cancel: &Cancel,
) -> Result<LockBaseline, ToolError> {
    let region = region(snapshot, roots, scope, cancel)?.map_err(|_| {
        ToolError::new(
            ErrorCode::LimitReached,
            format!("the region has more than {MAX_NODES} nodes, which is the limit"),
        )
        .next_step("name fewer or smaller nodes, or lower `radius`")
    })?;
    let baseline = Baseline::of(snapshot, &region.nodes, cancel)?.map_err(|_| {
        ToolError::new(
            ErrorCode::LimitReached,
            format!("the region has more than {MAX_EDGES} edges, which is the limit"),
        )
        .next_step("name fewer or smaller nodes, or lower `radius`")
    })?;
    Ok(pack_baseline(baseline))
}

/// How the region of a lock is made.
pub(super) fn scope_of(lock: &Lock) -> Scope {
    match (lock.scope.as_str(), lock.radius) {
        ("path", _) => Scope::Path,
        (_, 0) => Scope::Node,
        (_, radius) => Scope::Around(radius),
    }
}

fn pack_baseline(baseline: Baseline) -> LockBaseline {
    let (nodes, hashes): (Vec<String>, Vec<_>) = baseline.nodes.into_iter().unzip();
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    for (number, id) in nodes.iter().enumerate() {
        numbers.insert(id.clone(), number as u32);
    }
    let mut outside = Vec::new();
    let mut number = |id: String| {
        *numbers.entry(id).or_insert_with_key(|id| {
            outside.push(id.clone());
            (nodes.len() + outside.len() - 1) as u32
        })
    };
    let edge = |(key, weight): (EdgeKey, f64)| (number(key.from), number(key.to), key.relation, weight);
    let edges = baseline.edges.into_iter().map(edge).collect();
    LockBaseline { nodes, hashes, outside, edges }
}

fn unpack_baseline(stored: &LockBaseline) -> Baseline {
    let name = |number: u32| {
        let inside = stored.nodes.get(number as usize);
        inside.or_else(|| stored.outside.get((number as usize).checked_sub(stored.nodes.len())?)).cloned()
    };
    let edge = |(from, to, relation, weight): &(u32, u32, String, f64)| {
        Some((EdgeKey { from: name(*from)?, to: name(*to)?, relation: relation.clone() }, *weight))
    };
    Baseline {
        nodes: stored.nodes.iter().cloned().zip(stored.hashes.iter().copied()).collect(),
        edges: stored.edges.iter().filter_map(edge).collect(),
    }
}

/// What changed in the region of a lock.
pub(super) fn difference(snapshot: &Snapshot, lock: &Lock, cancel: &Cancel) -> Result<RegionDiff, Cancelled> {
    compare(snapshot, &unpack_baseline(&lock.baseline), &lock.roots, cancel)
}

/// Number of events of the watched kind since the baseline or the strategy was set: changes of the index, or feedback
/// about nodes of the region.
pub(super) fn events(held: HeldValues<'_>, snapshot: &Snapshot, lock: &Lock) -> u64 {
    match lock.watch {
        Watch::Manual => 0,
        // A later generation is that of another index of the repository: alone, or in a federation.
        Watch::OnIngest => match snapshot.generation().checked_sub(lock.seen_generation) {
            Some(later) => later,
            None => snapshot.generation(),
        },
        Watch::OnLearn => {
            let rows = held.feedback_after(lock.seen_feedback);
            let is_about = |nodes: &[String]| nodes.iter().any(|id| lock.baseline.nodes.binary_search(id).is_ok());
            rows.iter().filter(|(_, nodes)| is_about(nodes)).count() as u64
        }
    }
}

/// Marks everything up to now as reported.
pub(super) fn see(held: HeldValues<'_>, snapshot: &Snapshot, lock: &mut Lock) {
    lock.seen_generation = snapshot.generation();
    lock.seen_feedback = held.feedback_after(0).last().map_or(0, |(row, _)| *row);
}
