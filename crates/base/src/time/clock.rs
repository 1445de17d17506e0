use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// A source of the current time. Code that depends on time takes a clock, so that tests can control it.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> u64 + Send + Sync>);

impl Clock {
    /// Creates a clock that reads milliseconds since 1970 from `now`. It may go back, like a system clock that is
    /// adjusted.
    pub fn new(now: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The system clock. A time before 1970 counts as 0.
    #[must_use]
    pub fn system() -> Self {
        Self::new(system_ms)
    }

    /// The current time, in milliseconds since 1970.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        (self.0)()
    }
}

#[allow(clippy::disallowed_methods, reason = "the one place from which the time comes; all others are given a clock")]
fn system_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

impl Default for Clock {
    fn default() -> Self {
        Self::system()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn a_clock_of_a_test_tells_what_it_is_told_to_and_clones_agree() {
        let now = Arc::new(AtomicU64::new(7));
        let given = now.clone();
        let clock = Clock::new(move || given.load(Ordering::Relaxed));
        let clone = clock.clone();
        assert_eq!((clock.now_ms(), clone.now_ms()), (7, 7));
        now.store(3, Ordering::Relaxed);
        assert_eq!((clock.now_ms(), clone.now_ms()), (3, 3));
        // 2020.
        assert!(Clock::default().now_ms() > 1_577_836_800_000);
    }
}
