use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The work was cancelled by its caller; its partial result is to be dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cancelled by the caller")]
pub struct Cancelled;

/// A flag that long work polls so that it can stop early. Clones share the flag.
///
/// Loops poll it often enough to stop within 50 ms.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that nobody has set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the work to stop. Cannot be taken back.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether somebody asked the work to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// `Err(Cancelled)` once the flag is set; made for `?` in loops.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}
