//! The ledger of a federation: its own rows, and copies of those of its repositories under keys that say where they are
//! from.

use std::collections::BTreeSet;

use m1nd_store::{FEEDBACK_KEPT, NewFeedback, ProjectDir, StoreError, StoredFeedback, Undone};

use super::{FederatedStore, Part};

/// Beginning of the keys of copies.
const COPY: &str = "copy of";
/// Setting with the newest row of a repository that was copied.
const COPIED: &str = "copied_feedback:";

impl FederatedStore {
    /// Copies what was told in the repositories since the last time; once for each opening.
    pub(super) fn ledger(&self) {
        self.ledger.get_or_init(|| {
            if self.reads_only {
                return;
            }
            for (part, store) in self.list_opened() {
                // What cannot be copied now is copied next time; the federation goes on with what it has.
                let _ = self.copy_rows(part, store);
            }
        });
    }

    fn copy_rows(&self, part: &Part, store: &ProjectDir) -> Result<(), StoreError> {
        let setting = format!("{COPIED}{}", name_of(store));
        let known: i64 = self.own.setting(&setting)?.and_then(|text| text.parse().ok()).unwrap_or(0);
        let newest = store.newest_feedback()?;
        if newest == known {
            return Ok(());
        }
        let rows = store.feedback(FEEDBACK_KEPT)?;
        for row in rows.iter().filter(|row| row.id > known) {
            self.own.add_feedback(&copy(part, store, row.id, &row.told))?;
        }
        self.drop_undone(store, &rows)?;
        self.own.set_setting(&setting, Some(&newest.to_string()))
    }

    /// Takes back copies of rows that were taken back since.
    fn drop_undone(&self, store: &ProjectDir, rows: &[StoredFeedback]) -> Result<(), StoreError> {
        let there: BTreeSet<i64> = rows.iter().map(|row| row.id).collect();
        // Older rows are not known to be taken back: there may have been too many to keep.
        let oldest = if rows.len() < FEEDBACK_KEPT { 0 } else { rows[0].id };
        for own in self.own.feedback(FEEDBACK_KEPT)? {
            let origin = own.told.key.as_deref().and_then(|key| origin_in(key, store));
            if origin.is_some_and(|row| row > oldest && !there.contains(&row)) {
                self.own.undo_feedback(own.id, &own.told.agent, own.told.at_ms)?;
            }
        }
        Ok(())
    }

    /// Adds feedback: where the nodes are, and here.
    pub(super) fn tell(&self, told: &NewFeedback) -> Result<(i64, bool), StoreError> {
        let part = self.part_of(&told.nodes).and_then(|part| Some((part, self.make(part)?)));
        let Some((part, store)) = part else { return self.own.add_feedback(told) };
        let nodes = told.nodes.iter().map(|id| part.ids.outward(id).unwrap_or_else(|| id.clone())).collect();
        let there = NewFeedback { nodes, ..told.clone() };
        let (row, _) = store.add_feedback(&there)?;
        self.own.add_feedback(&copy(part, store, row, &there))
    }

    /// Undoes a row here, and the one that it is a copy of.
    pub(super) fn take_back(&self, row: i64, agent: &str, at_ms: u64) -> Result<Undone, StoreError> {
        let own = self.own.feedback(FEEDBACK_KEPT)?.into_iter().find(|own| own.id == row);
        if let Some(key) = own.and_then(|own| own.told.key) {
            for (_, store) in self.list_opened() {
                if let Some(origin) = origin_in(&key, store) {
                    store.undo_feedback(origin, agent, at_ms)?;
                }
            }
        }
        self.own.undo_feedback(row, agent, at_ms)
    }
}

/// The name of a state that is the same in every process.
fn name_of(store: &ProjectDir) -> String {
    store.path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A row of a part as a row of the federation.
fn copy(part: &Part, store: &ProjectDir, row: i64, told: &NewFeedback) -> NewFeedback {
    let nodes = told.nodes.iter().map(|id| part.ids.inward(id).unwrap_or_else(|| id.clone())).collect();
    NewFeedback { key: Some(format!("{COPY} {row} of {}", name_of(store))), nodes, ..told.clone() }
}

/// The row of a store that a row with this key is a copy of.
fn origin_in(key: &str, store: &ProjectDir) -> Option<i64> {
    let (row, of) = key.strip_prefix(COPY)?.trim_start().split_once(" of ")?;
    (of == name_of(store)).then(|| row.parse().ok()).flatten()
}
