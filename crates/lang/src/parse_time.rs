//! The one clock an extractor reads: without it a hostile file holds a worker for ever.

use std::time::Duration;

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Time goes on while other programs run; only used where no safe interface tells the time of one thread.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn now() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;

    #[expect(clippy::disallowed_methods, reason = "parse time")]
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

/// Measures the time that the thread itself spends on parsing (on Linux and macOS), so that what a file yields does
/// not depend on what else the machine does. To be read on the thread that made it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParseClock(Duration);

impl ParseClock {
    /// Starts to measure.
    pub(crate) fn start() -> Self {
        Self(now())
    }

    /// Time spent since the start.
    pub(crate) fn spent(self) -> Duration {
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
        assert!(clock.spent() < slept);
    }

    #[test]
    fn work_is_counted() {
        let clock = ParseClock::start();
        let mut state = 1u64;
        while clock.spent() < Duration::from_millis(2) {
            state = std::hint::black_box(state.wrapping_mul(3));
        }
        assert!(clock.spent() >= Duration::from_millis(2));
    }
}
