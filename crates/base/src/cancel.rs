use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The work was cancelled by its caller; its partial result is to be dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cancelled by the caller")]
pub struct Cancelled;

/// A flag that long work polls so that it can stop early. Clones share the flag.
///
/// Loops poll it often enough to stop within 50 ms.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    is_set: AtomicBool,
    countdown: Option<Countdown>,
}

/// Counts polls and sets the flag at one of them.
#[derive(Debug)]
struct Countdown {
    polls: AtomicU64,
    at: u64,
}

impl Cancel {
    /// A flag that nobody has set.
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag that the `at`-th poll sets, from 1: for tests that stop work at each place where it can stop, and count
    /// how often it polls afterwards.
    pub fn at_poll(at: u64) -> Self {
        let countdown = Some(Countdown { polls: AtomicU64::new(0), at });
        Self(Arc::new(Flag { countdown, ..Flag::default() }))
    }

    /// Polls of a flag made by [`Cancel::at_poll`] so far; 0 of others, which do not count.
    pub fn polls(&self) -> u64 {
        self.0.countdown.as_ref().map_or(0, |countdown| countdown.polls.load(Ordering::Relaxed))
    }

    /// Asks the work to stop. Cannot be taken back.
    pub fn cancel(&self) {
        self.0.is_set.store(true, Ordering::Relaxed);
    }

    /// Returns whether somebody asked the work to stop.
    pub fn is_cancelled(&self) -> bool {
        if let Some(countdown) = &self.0.countdown
            && countdown.polls.fetch_add(1, Ordering::Relaxed) + 1 >= countdown.at
        {
            self.cancel();
        }
        self.0.is_set.load(Ordering::Relaxed)
    }

    /// `Err(Cancelled)` once the flag is set; made for `?` in loops.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_that_counts_is_set_at_its_poll() {
        let cancel = Cancel::at_poll(3);
        let answers: Vec<bool> = (0..5).map(|_| cancel.clone().is_cancelled()).collect();
        assert_eq!((answers, cancel.polls()), (vec![false, false, true, true, true], 5));
        let cancel = Cancel::new();
        assert!(cancel.check().is_ok());
        cancel.cancel();
        assert_eq!((cancel.check(), cancel.polls()), (Err(Cancelled), 0));
    }
}
