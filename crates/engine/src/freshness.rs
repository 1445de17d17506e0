//! Checks whether the current snapshot is what is on disk.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use m1nd_base::{Cancel, Deadline};

use crate::report::Freshness;
use crate::state::shared::Shared;
use crate::state::snapshot::Snapshot;
use crate::writer::{Proven, compare};

/// The checks of an engine: one at a time. Callers that wait for the next one share its result.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Checks started so far.
    started: u64,
    is_running: bool,
    /// The last finished check: its number, the snapshot it compared, its result.
    last: Option<(u64, Weak<Snapshot>, Freshness)>,
    proven: Proven,
}

impl Checks {
    /// Compares the current snapshot with the disk. The result is of a check that began after this call, so it knows
    /// of everything written before. Takes `budget` at most, then the result is incomplete.
    pub(crate) fn check(&self, shared: &Shared, budget: Duration, cancel: &Cancel) -> (Arc<Snapshot>, Freshness) {
        let (deadline, ends) = (Deadline::after(budget), Instant::now() + budget);
        let mut state = self.lock();
        let wanted = state.started + 1;
        loop {
            if let Some((number, snapshot, found)) = &state.last
                && *number >= wanted
                && let Some(snapshot) = snapshot.upgrade()
            {
                return (snapshot, found.clone());
            }
            if !state.is_running {
                return self.run(state, shared, deadline, cancel);
            }
            let left = ends.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return (shared.current(), Freshness::new_unknown());
            }
            state = self.ended.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn run(
        &self,
        mut state: MutexGuard<'_, State>,
        shared: &Shared,
        deadline: Deadline,
        cancel: &Cancel,
    ) -> (Arc<Snapshot>, Freshness) {
        state.started += 1;
        state.is_running = true;
        let (number, mut proven) = (state.started, std::mem::take(&mut state.proven));
        drop(state);
        let running = Running(self);
        let snapshot = shared.current();
        let found = compare(shared, &snapshot, &mut proven, deadline, cancel);
        proven.retain(|path, _| snapshot.files.get(path).is_some());
        let mut state = self.lock();
        state.proven = proven;
        // A caller that gave up, or had less time, says nothing about what others would find.
        state.last = found.complete.then(|| (number, Arc::downgrade(&snapshot), found.clone()));
        drop(state);
        drop(running);
        (snapshot, found)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets the next check start, also after a panic.
struct Running<'a>(&'a Checks);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.lock().is_running = false;
        self.0.ended.notify_all();
    }
}
