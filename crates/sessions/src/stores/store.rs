use std::fmt::Debug;

use m1nd_store::{
    CallTotals, Expiry, HandleLimits, HandleQuery, HandleWrite, NewFeedback, StoreError, StoredFeedback, StoredHandle,
    Undone,
};

/// Storage of agent state between calls, and usually beyond the process. Several processes may use one store
/// concurrently, so each method is atomic and enforces its limits against other writers.
///
/// A store holds rows and reads no clock; their meaning, access rules and values belong to the caller. Every
/// implementation passes the tests in `tests/contract.rs`.
pub trait SessionStore: Debug + Send + Sync {
    /// Adds feedback durably. Returns its row, and whether it existed before: the same key of the same agent is stored
    /// once. Row numbers only grow. The newest [`FEEDBACK_KEPT`](m1nd_store::FEEDBACK_KEPT) rows in effect are kept,
    /// and as many undone ones.
    ///
    /// # Errors
    /// Those of the store.
    fn add_feedback(&self, told: &NewFeedback) -> Result<(i64, bool), StoreError>;

    /// Adds figures to those of all sessions of this user, and returns the sums; `None` if the store keeps none.
    ///
    /// # Errors
    /// Those of the store.
    fn add_totals(&self, _more: &CallTotals) -> Result<Option<CallTotals>, StoreError> {
        Ok(None)
    }

    /// Undoes a row of feedback durably, by adding a row.
    ///
    /// # Errors
    /// Those of the store.
    fn undo_feedback(&self, row: i64, agent: &str, at_ms: u64) -> Result<Undone, StoreError>;

    /// Returns the newest `limit` rows that were not undone, oldest first.
    ///
    /// # Errors
    /// Those of the store.
    fn feedback(&self, limit: usize) -> Result<Vec<StoredFeedback>, StoreError>;

    /// Returns the number of the newest row, 0 if there is none. While it does not change, neither does
    /// [`SessionStore::feedback`].
    ///
    /// # Errors
    /// Those of the store.
    fn newest_feedback(&self) -> Result<i64, StoreError>;

    /// Removes expired handles according to [`Expiry`], then adds a handle durably, unless that exceeds a limit.
    ///
    /// # Errors
    /// Those of the store.
    fn add_handle(
        &self,
        handle: &StoredHandle,
        limits: &HandleLimits,
        expiry: &Expiry,
    ) -> Result<HandleWrite, StoreError>;

    /// Returns a handle by its id, including a remembered expired one, whose value may be empty.
    ///
    /// # Errors
    /// Those of the store.
    fn handle(&self, id: &str) -> Result<Option<StoredHandle>, StoreError>;

    /// Returns handles that have not expired, last changed first, then by id.
    ///
    /// # Errors
    /// Those of the store.
    fn handles(&self, query: &HandleQuery<'_>) -> Result<Vec<StoredHandle>, StoreError>;

    /// Replaces value, time of change and lifetime of the handle with the id of `next` durably, if its version directly
    /// precedes that of `next`. Rejected if the value grows beyond a limit on bytes.
    ///
    /// # Errors
    /// Those of the store.
    fn set_handle(&self, next: &StoredHandle, limits: &HandleLimits, now_ms: u64) -> Result<HandleWrite, StoreError>;

    /// Removes a handle durably. Returns whether it existed.
    ///
    /// # Errors
    /// Those of the store.
    fn remove_handle(&self, id: &str) -> Result<bool, StoreError>;
}
