use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard};

use m1nd_store::{
    Expiry, FEEDBACK_KEPT, HandleLimits, HandleQuery, HandleWrite, NewFeedback, StoreError, StoredFeedback,
    StoredHandle, Undone,
};

use crate::SessionStore;
use crate::common::lock;

/// A store in memory, which ends with the process.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Feedback, oldest first.
    told: Vec<StoredFeedback>,
    /// Undone rows, each with the row that undid it.
    undone: HashMap<i64, i64>,
    /// Number of the newest row, including undo rows.
    newest: i64,
    handles: BTreeMap<String, StoredHandle>,
}

impl State {
    fn next_row(&mut self) -> i64 {
        self.newest += 1;
        self.newest
    }

    /// Keeps the newest `kept` rows in effect and the newest `kept` undone rows.
    fn prune(&mut self, kept: usize) {
        let (undone, standing): (Vec<i64>, Vec<i64>) =
            self.told.iter().map(|row| row.id).partition(|row| self.undone.contains_key(row));
        let beyond = [undone, standing].into_iter().flat_map(|rows| {
            let beyond = rows.len().saturating_sub(kept);
            rows.into_iter().take(beyond)
        });
        let beyond: HashSet<i64> = beyond.collect();
        if !beyond.is_empty() {
            self.told.retain(|row| !beyond.contains(&row.id));
            self.undone.retain(|row, _| !beyond.contains(row));
        }
    }

    fn clear(&mut self, expiry: &Expiry) {
        let forgotten = expiry.now_ms.saturating_sub(expiry.remembered_ms);
        self.handles.retain(|_, handle| !handle.is_expired(forgotten));
        let ends = self.handles.values().filter(|handle| handle.is_expired(expiry.now_ms));
        let mut expired: Vec<(u64, String)> =
            ends.filter_map(|row| Some((row.expires_ms()?, row.id.clone()))).collect();
        expired.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        for (number, (_, id)) in expired.iter().enumerate() {
            if number >= expiry.remembered {
                self.handles.remove(id);
            } else if let Some(handle) = self.handles.get_mut(id) {
                handle.value = String::new();
            }
        }
    }

    /// Checks that the value of a handle fits in place of the stored one with its id.
    fn room_for(&self, next: &StoredHandle, limits: &HandleLimits, now_ms: u64) -> HandleWrite {
        let live = || self.handles.values().filter(|row| row.id != next.id && !row.is_expired(now_ms));
        let size = |row: &StoredHandle| row.value.len() as u64;
        let owners: u64 = live().filter(|row| row.owner == next.owner).map(size).sum::<u64>() + size(next);
        let all: u64 = live().map(size).sum::<u64>() + size(next);
        if owners > limits.owner_bytes {
            HandleWrite::OwnerFull(owners)
        } else if all > limits.all_bytes {
            HandleWrite::Full(all)
        } else {
            HandleWrite::Done
        }
    }
}

impl MemoryStore {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl SessionStore for MemoryStore {
    fn add_feedback(&self, told: &NewFeedback) -> Result<(i64, bool), StoreError> {
        let mut state = self.state();
        let is_same = |row: &&StoredFeedback| row.told.agent == told.agent && row.told.key == told.key;
        if let Some(known) = state.told.iter().filter(|_| told.key.is_some()).find(is_same) {
            return Ok((known.id, true));
        }
        let id = state.next_row();
        state.told.push(StoredFeedback { id, told: told.clone() });
        state.prune(FEEDBACK_KEPT);
        Ok((id, false))
    }

    fn undo_feedback(&self, row: i64, _agent: &str, _at_ms: u64) -> Result<Undone, StoreError> {
        let mut state = self.state();
        if let Some(before) = state.undone.get(&row) {
            return Ok(Undone::Before(*before));
        }
        if state.told.binary_search_by_key(&row, |told| told.id).is_err() {
            return Ok(Undone::NotThere);
        }
        let by = state.next_row();
        state.undone.insert(row, by);
        Ok(Undone::Now(by))
    }

    fn feedback(&self, limit: usize) -> Result<Vec<StoredFeedback>, StoreError> {
        let state = self.state();
        let standing = state.told.iter().rev().filter(|row| !state.undone.contains_key(&row.id));
        let mut newest: Vec<StoredFeedback> = standing.take(limit).cloned().collect();
        newest.reverse();
        Ok(newest)
    }

    fn newest_feedback(&self) -> Result<i64, StoreError> {
        Ok(self.state().newest)
    }

    fn add_handle(
        &self,
        handle: &StoredHandle,
        limits: &HandleLimits,
        expiry: &Expiry,
    ) -> Result<HandleWrite, StoreError> {
        let mut state = self.state();
        state.clear(expiry);
        let is_alike = |row: &&StoredHandle| {
            row.owner == handle.owner && row.kind == handle.kind && !row.is_expired(expiry.now_ms)
        };
        if state.handles.values().filter(is_alike).count() >= limits.per_owner {
            return Ok(HandleWrite::TooMany);
        }
        let verdict = state.room_for(handle, limits, expiry.now_ms);
        if verdict == HandleWrite::Done {
            if state.handles.contains_key(&handle.id) {
                return Ok(HandleWrite::IdTaken);
            }
            state.handles.insert(handle.id.clone(), handle.clone());
        }
        Ok(verdict)
    }

    fn handle(&self, id: &str) -> Result<Option<StoredHandle>, StoreError> {
        Ok(self.state().handles.get(id).cloned())
    }

    fn handles(&self, query: &HandleQuery<'_>) -> Result<Vec<StoredHandle>, StoreError> {
        let state = self.state();
        let is_owned = |row: &&StoredHandle| query.owner.is_none_or(|owner| row.owner == owner);
        let of_kind = state.handles.values().filter(|row| row.kind == query.kind && !row.is_expired(query.now_ms));
        let mut these: Vec<StoredHandle> = of_kind.filter(is_owned).cloned().collect();
        these.sort_by(StoredHandle::last_changed_first);
        these.truncate(query.limit);
        Ok(these)
    }

    fn set_handle(&self, next: &StoredHandle, limits: &HandleLimits, now_ms: u64) -> Result<HandleWrite, StoreError> {
        let mut state = self.state();
        let Some(known) = state.handles.get(&next.id) else { return Ok(HandleWrite::NotThere) };
        if known.version.checked_add(1) != Some(next.version) {
            return Ok(HandleWrite::Changed(known.version));
        }
        let counted = if known.is_expired(now_ms) { 0 } else { known.value.len() };
        let verdict = state.room_for(next, limits, now_ms);
        if verdict != HandleWrite::Done && next.value.len() > counted {
            return Ok(verdict);
        }
        if let Some(known) = state.handles.get_mut(&next.id) {
            known.changed_ms = next.changed_ms;
            known.lifetime_ms = next.lifetime_ms;
            known.version = next.version;
            known.value.clone_from(&next.value);
        }
        Ok(HandleWrite::Done)
    }

    fn remove_handle(&self, id: &str) -> Result<bool, StoreError> {
        Ok(self.state().handles.remove(id).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_rows_go() {
        let store = MemoryStore::default();
        let told = NewFeedback {
            at_ms: 1,
            agent: "ann".into(),
            kind: "correct".into(),
            query: "q".into(),
            strength: 0.2,
            key: None,
            nodes: Vec::new(),
        };
        let ids: Vec<i64> = (0..30).map(|_| store.add_feedback(&told).expect("writable").0).collect();
        for id in &ids[..10] {
            assert!(matches!(store.undo_feedback(*id, "bob", 2), Ok(Undone::Now(_))));
        }
        let mut state = store.state();
        state.prune(4);
        assert_eq!((state.told.len(), state.undone.len()), (8, 4));
        drop(state);
        let standing: Vec<i64> = store.feedback(99).expect("readable").iter().map(|row| row.id).collect();
        assert_eq!(standing, ids[26..], "the newest");
    }
}
