//! Moves in C and C++: files include the text of others, names are seen through includes.

mod builds;
mod leave;
mod moving;
mod needs;
mod sight;
mod standard;
mod unit;
mod users;
mod whole;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{Cancel, NodeKind};
use m1nd_engine::Snapshot;

use super::Move;
use crate::edits::refactor::{CannotRefactor, Refactoring};

/// Plans a move.
///
/// # Errors
/// [`CannotRefactor`].
pub(super) fn plan(snapshot: &Snapshot, request: &Move, cancel: &Cancel) -> Result<Refactoring, CannotRefactor> {
    if snapshot.graph().kind(request.node) == NodeKind::File {
        return whole::plan(snapshot, request, cancel);
    }
    moving::plan(snapshot, request, cancel)
}

/// The files that a file of C or C++ certainly includes, through others as well, without itself.
pub(in crate::edits::refactor) fn list_included(snapshot: &Snapshot, path: &str) -> BTreeSet<String> {
    sight::Sight::new(snapshot).seen_from(path, &BTreeMap::new())
}
