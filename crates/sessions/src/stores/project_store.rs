//! [`SessionStore`] for the database of a project.

use m1nd_store::{
    CallTotals, Expiry, HandleLimits, HandleQuery, HandleWrite, NewFeedback, ProjectDir, StoreError, StoredFeedback,
    StoredHandle, Undone,
};

use crate::SessionStore;

impl SessionStore for ProjectDir {
    fn add_totals(&self, more: &CallTotals) -> Result<Option<CallTotals>, StoreError> {
        Self::add_totals(self, more)
    }

    fn add_feedback(&self, told: &NewFeedback) -> Result<(i64, bool), StoreError> {
        self.add_feedback(told)
    }

    fn undo_feedback(&self, row: i64, agent: &str, at_ms: u64) -> Result<Undone, StoreError> {
        self.undo_feedback(row, agent, at_ms)
    }

    fn feedback(&self, limit: usize) -> Result<Vec<StoredFeedback>, StoreError> {
        self.feedback(limit)
    }

    fn newest_feedback(&self) -> Result<i64, StoreError> {
        self.newest_feedback()
    }

    fn add_handle(
        &self,
        handle: &StoredHandle,
        limits: &HandleLimits,
        expiry: &Expiry,
    ) -> Result<HandleWrite, StoreError> {
        self.add_handle(handle, limits, expiry)
    }

    fn handle(&self, id: &str) -> Result<Option<StoredHandle>, StoreError> {
        self.handle(id)
    }

    fn handles(&self, query: &HandleQuery<'_>) -> Result<Vec<StoredHandle>, StoreError> {
        self.handles(query)
    }

    fn set_handle(&self, next: &StoredHandle, limits: &HandleLimits, now_ms: u64) -> Result<HandleWrite, StoreError> {
        self.set_handle(next, limits, now_ms)
    }

    fn remove_handle(&self, id: &str) -> Result<bool, StoreError> {
        self.remove_handle(id)
    }
}
