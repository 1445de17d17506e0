//! Small helpers of several files here.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Whatever a panic interrupted, each value is whole between two statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first characters of a text.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
