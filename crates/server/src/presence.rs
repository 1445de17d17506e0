//! Who is connected.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts a client until it is dropped.
#[derive(Debug)]
pub struct Presence(Arc<AtomicUsize>);

impl Presence {
    /// Counts one more.
    pub(crate) fn of(clients: &Arc<AtomicUsize>) -> Self {
        clients.fetch_add(1, Ordering::AcqRel);
        Self(clients.clone())
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}
