//! Whether the rows of an answer are all that there are, in the words of answers.

use m1nd_engine::Snapshot;
use m1nd_query::analysis::{ClosureState, Hiding, ImpactAnswer};
use serde::Serialize;

use crate::framework::{ReadContext, is_zero};

#[derive(Debug, Serialize)]
struct HidingRow {
    node_id: String,
    label: String,
    name: String,
    role: String,
    reason: String,
    file_path: String,
    line: u32,
    /// It may hide an indirect dependent, not a direct one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    far: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Closure {
    /// Of the direct dependents.
    state: &'static str,
    /// Of all dependents, those through others included.
    indirect: &'static str,
    why: String,
    hiding: Vec<HidingRow>,
    total_hiding: usize,
    unseen_files: usize,
    too_weak: usize,
    #[serde(skip_serializing_if = "is_zero")]
    dispatch_not_made: usize,
}

impl Closure {
    pub(crate) fn new(snapshot: &Snapshot, found: &ImpactAnswer) -> Self {
        let row = |open: &Hiding| HidingRow {
            node_id: snapshot.graph().id(open.node).to_owned(),
            label: snapshot.graph().label(open.node).to_owned(),
            name: open.name.clone(),
            role: open.role.clone(),
            reason: open.reason.clone(),
            file_path: open.file.clone(),
            line: open.line,
            far: open.far,
        };
        Self {
            state: found.closure.word(),
            indirect: found.indirect.word(),
            why: found.why.clone(),
            hiding: found.hiding.iter().map(row).collect(),
            total_hiding: found.total_hiding,
            unseen_files: found.unseen_files,
            too_weak: found.too_weak,
            dispatch_not_made: found.not_made,
        }
    }
}

/// Blocks the closure if files changed on disk that the index does not have: they may hold more rows.
pub(super) fn block_if_stale(cx: &ReadContext<'_>, found: &mut ImpactAnswer) {
    let Some(unseen) = cx.unseen() else { return };
    found.why = match found.closure {
        ClosureState::Closed => unseen,
        _ => format!("{unseen}; {}", found.why),
    };
    found.closure = ClosureState::Blocked;
}
