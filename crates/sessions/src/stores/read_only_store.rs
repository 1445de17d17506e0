use std::sync::Arc;

use m1nd_store::{
    Expiry, HandleLimits, HandleQuery, HandleWrite, NewFeedback, StoreError, StoredFeedback, StoredHandle, Undone,
};

use crate::{MemoryStore, SessionStore};

/// A read-only view of a store. Feedback and stored handles can be read, not changed. New handles are kept in memory,
/// so that agents with read access can use tools that need handles.
#[derive(Debug)]
pub struct ReadOnlyStore {
    stored: Arc<dyn SessionStore>,
    own: MemoryStore,
}

impl ReadOnlyStore {
    /// Creates a read-only view of `stored`.
    #[must_use]
    pub fn new(stored: Arc<dyn SessionStore>) -> Self {
        Self { stored, own: MemoryStore::default() }
    }
}

impl SessionStore for ReadOnlyStore {
    fn add_feedback(&self, _told: &NewFeedback) -> Result<(i64, bool), StoreError> {
        Err(StoreError::ReadOnly)
    }

    fn undo_feedback(&self, _row: i64, _agent: &str, _at_ms: u64) -> Result<Undone, StoreError> {
        Err(StoreError::ReadOnly)
    }

    fn feedback(&self, limit: usize) -> Result<Vec<StoredFeedback>, StoreError> {
        self.stored.feedback(limit)
    }

    fn newest_feedback(&self) -> Result<i64, StoreError> {
        self.stored.newest_feedback()
    }

    fn add_handle(
        &self,
        handle: &StoredHandle,
        limits: &HandleLimits,
        expiry: &Expiry,
    ) -> Result<HandleWrite, StoreError> {
        self.own.add_handle(handle, limits, expiry)
    }

    fn handle(&self, id: &str) -> Result<Option<StoredHandle>, StoreError> {
        match self.own.handle(id)? {
            Some(own) => Ok(Some(own)),
            None => self.stored.handle(id),
        }
    }

    fn handles(&self, query: &HandleQuery<'_>) -> Result<Vec<StoredHandle>, StoreError> {
        let mut all = self.own.handles(query)?;
        all.extend(self.stored.handles(query)?);
        all.sort_by(StoredHandle::last_changed_first);
        all.truncate(query.limit);
        Ok(all)
    }

    fn set_handle(&self, next: &StoredHandle, limits: &HandleLimits, now_ms: u64) -> Result<HandleWrite, StoreError> {
        match self.own.set_handle(next, limits, now_ms)? {
            HandleWrite::NotThere if self.stored.handle(&next.id)?.is_some() => Err(StoreError::ReadOnly),
            done => Ok(done),
        }
    }

    fn remove_handle(&self, id: &str) -> Result<bool, StoreError> {
        match self.own.remove_handle(id)? {
            false if self.stored.handle(id)?.is_some() => Err(StoreError::ReadOnly),
            removed => Ok(removed),
        }
    }
}
