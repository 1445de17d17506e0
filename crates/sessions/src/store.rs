use std::fmt::Debug;

use m1nd_store::{Expiry, HandleLimits, HandleWrite, NewFeedback, StoreError, StoredFeedback, StoredHandle, Undone};

/// Where what agents hold outlives a call, and usually the process. Several processes may use one store at once, so
/// each method is one step: it happens as a whole or not at all, and its limits hold whoever else writes.
///
/// A store keeps rows and looks at no clock; what they mean, who may see them and what is in a value is decided above.
/// Every implementation passes the same tests, `tests/contract.rs`.
pub trait SessionStore: Debug + Send + Sync {
    /// Adds what was told, durably; its row, and whether it was there before: the same key of the same agent is stored
    /// once. Row numbers only grow. The newest [`FEEDBACK_KEPT`](m1nd_store::FEEDBACK_KEPT) rows that stand are kept,
    /// and as many that were taken back.
    ///
    /// # Errors
    /// Those of the store.
    fn add_feedback(&self, told: &NewFeedback) -> Result<(i64, bool), StoreError>;

    /// Takes back what was told in a row, durably, by a row of its own.
    ///
    /// # Errors
    /// Those of the store.
    fn undo_feedback(&self, row: i64, agent: &str, at_ms: u64) -> Result<Undone, StoreError>;

    /// What was told and not taken back, the newest `limit`, oldest first.
    ///
    /// # Errors
    /// Those of the store.
    fn feedback(&self, limit: usize) -> Result<Vec<StoredFeedback>, StoreError>;

    /// Number of the newest row, 0 if there is none: while it is the same, so is what [`SessionStore::feedback`] gives.
    ///
    /// # Errors
    /// Those of the store.
    fn newest_feedback(&self) -> Result<i64, StoreError>;

    /// Clears expired handles as [`Expiry`] says, then adds one, durably, unless it goes over a limit.
    ///
    /// # Errors
    /// Those of the store.
    fn add_handle(
        &self,
        handle: &StoredHandle,
        limits: &HandleLimits,
        expiry: &Expiry,
    ) -> Result<HandleWrite, StoreError>;

    /// A handle by its id, also an expired one that was not yet forgotten; its value may then be empty.
    ///
    /// # Errors
    /// Those of the store.
    fn handle(&self, id: &str) -> Result<Option<StoredHandle>, StoreError>;

    /// Handles of a kind that have not expired, of one owner or of all, the last changed first, at most `limit`; of
    /// those changed at once, by id.
    ///
    /// # Errors
    /// Those of the store.
    fn handles(
        &self,
        kind: &str,
        owner: Option<&str>,
        now_ms: u64,
        limit: usize,
    ) -> Result<Vec<StoredHandle>, StoreError>;

    /// Replaces value, time of change and lifetime of the handle with the id of `next`, durably, if its version is the
    /// one before that of `next`. It is refused if it grows over a limit on bytes.
    ///
    /// # Errors
    /// Those of the store.
    fn set_handle(&self, next: &StoredHandle, limits: &HandleLimits, now_ms: u64) -> Result<HandleWrite, StoreError>;

    /// Removes a handle, durably; whether it was there.
    ///
    /// # Errors
    /// Those of the store.
    fn remove_handle(&self, id: &str) -> Result<bool, StoreError>;
}
