//! Helpers of this crate.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A poisoned lock is usable, since each value is consistent between statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first `most` characters of a text.
pub(crate) fn shorten_text(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
