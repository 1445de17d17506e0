//! The clock and the pauses of the daemon. Answers depend on neither: only when projects are read again does.

use std::time::{Duration, Instant};

#[allow(clippy::disallowed_methods, reason = "the daemon plans when it reads a project again")]
pub(super) fn now() -> Instant {
    Instant::now()
}

/// Blocks this thread. Only for threads that nobody waits for.
#[allow(clippy::disallowed_methods, reason = "the daemon tries again after a pause")]
pub(super) fn sleep(pause: Duration) {
    std::thread::sleep(pause);
}
