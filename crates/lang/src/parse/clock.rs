//! The only clock that an extractor reads: without it a hostile file would block a worker forever.

use std::time::Duration;

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Wall-clock time, which also counts other programs; only used where no safe interface reports the time of a thread.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn now() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;

    #[expect(clippy::disallowed_methods, reason = "parse time")]
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

/// Measures the CPU time of the thread (on Linux and macOS), so that the facts of a file do not depend on the load of
/// the machine. Must be read on the thread that created it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ParseClock(Duration);

impl ParseClock {
    /// Starts to measure.
    pub(super) fn start() -> Self {
        Self(now())
    }

    /// Time spent since the start.
    pub(super) fn measure_spent(self) -> Duration {
        now().saturating_sub(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    fn waiting_is_not_counted() {
        let clock = ParseClock::start();
        let slept = Duration::from_millis(300);
        std::thread::sleep(slept);
        assert!(clock.measure_spent() < slept);
    }

    #[test]
    fn work_is_counted() {
        let clock = ParseClock::start();
        let mut state = 1u64;
        while clock.measure_spent() < Duration::from_millis(2) {
            state = std::hint::black_box(state.wrapping_mul(3));
        }
        assert!(clock.measure_spent() >= Duration::from_millis(2));
    }
}
