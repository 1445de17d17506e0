//! What two sides exchange: a pure function of the memories of a clone, of what it saw before, and of the team's.
//!
//! Each memory has a generation that only grows: 1 when it was written, one more for each removal and each return. It
//! is there if the number is odd. The larger number wins, so the order of exchanges does not matter. Text that people
//! wrote is never changed: memories that are missing are appended, and a removal by others is reported.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::EntryId;

/// What a clone knows of a memory from its last exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Its generation then.
    pub generation: u32,
    /// It stood in the text of this clone. If it no longer does, somebody removed it there, or another branch is
    /// checked out; either way it is not appended again.
    pub seen: bool,
}

/// What the team has of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteState {
    /// Its generation.
    pub generation: u32,
    /// It may be written into a clone: approved, own, or the team needs no approval.
    pub is_released: bool,
}

impl RemoteState {
    /// Returns whether the memory is there, that is, not removed.
    pub const fn is_present(self) -> bool {
        !self.generation.is_multiple_of(2)
    }
}

/// What an exchange does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergePlan {
    /// Memories of the text that the team does not have.
    pub send: Vec<EntryId>,
    /// Memories of the team to be appended to the text.
    pub append: Vec<EntryId>,
    /// Memories of the team that nobody approved yet.
    pub waiting: Vec<EntryId>,
    /// Memories of the team that stood in this text and no longer do.
    pub gone: Vec<EntryId>,
    /// Memories that the team removed and that still stand in this text.
    pub removed: Vec<EntryId>,
}

/// Compares a clone with its team. All lists are in order of identity.
pub fn merge(
    local: &BTreeSet<EntryId>,
    known: &BTreeMap<EntryId, Known>,
    remote: &BTreeMap<EntryId, RemoteState>,
) -> MergePlan {
    let mut plan = MergePlan {
        send: local.iter().filter(|id| !remote.contains_key(id)).copied().collect(),
        ..MergePlan::default()
    };
    for (id, state) in remote {
        let before = known.get(id).copied().unwrap_or_default();
        match (state.is_present(), local.contains(id)) {
            (true, true) | (false, false) => {}
            (false, true) => plan.removed.push(*id),
            // It came back after this clone saw it go.
            (true, false) if before.seen && state.generation <= before.generation => plan.gone.push(*id),
            (true, false) if state.is_released => plan.append.push(*id),
            (true, false) => plan.waiting.push(*id),
        }
    }
    plan
}

/// What a clone knows after an exchange: `local` is its text then.
pub fn learn(known: &mut BTreeMap<EntryId, Known>, local: &BTreeSet<EntryId>, remote: &BTreeMap<EntryId, RemoteState>) {
    for id in local {
        let row = known.entry(*id).or_default();
        row.seen = true;
    }
    for (id, state) in remote {
        // Of what is still to be appended nothing is noted, so that it is appended once it may be.
        let is_settled = local.contains(id) || !state.is_present();
        if let Some(row) = known.get_mut(id).filter(|_| is_settled) {
            row.generation = row.generation.max(state.generation);
        }
    }
}
