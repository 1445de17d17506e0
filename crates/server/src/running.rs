use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use m1nd_base::Cancel;

/// The running work of a connection, so that all of it can be stopped when the client disconnects.
#[derive(Debug, Default)]
pub(crate) struct Running {
    state: Mutex<State>,
    /// Signalled when everything is to stop.
    stopped: Condvar,
}

#[derive(Debug, Default)]
struct State {
    cancels: HashMap<u64, Cancel>,
    next: u64,
    ended: bool,
}

/// A unit of work; leaves the list when dropped.
#[derive(Debug)]
pub(crate) struct Work {
    running: Arc<Running>,
    key: u64,
    /// Cancel flag for the work.
    pub(crate) cancel: Cancel,
}

impl Running {
    /// Registers work that is about to start. It starts cancelled if the client has already disconnected.
    pub(crate) fn start(self: &Arc<Self>) -> Work {
        let cancel = Cancel::new();
        let mut state = self.lock();
        if state.ended {
            cancel.cancel();
        }
        let key = state.next;
        state.next += 1;
        state.cancels.insert(key, cancel.clone());
        Work { running: self.clone(), key, cancel }
    }

    /// Cancels everything, including work that starts later.
    pub(crate) fn cancel_all(&self) {
        let mut state = self.lock();
        state.ended = true;
        for cancel in state.cancels.values() {
            cancel.cancel();
        }
        drop(state);
        self.stopped.notify_all();
    }

    /// Waits for the given time, or until everything is to stop; returns whether it is.
    pub(crate) fn stops_within(&self, time: Duration) -> bool {
        let waited = self.stopped.wait_timeout_while(self.lock(), time, |state| !state.ended);
        waited.unwrap_or_else(PoisonError::into_inner).0.ended
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.running.lock().cancels.remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_running_and_later_work_is_stopped() {
        let running = Arc::new(Running::default());
        let (first, done) = (running.start(), running.start());
        let done_cancel = done.cancel.clone();
        drop(done);
        running.cancel_all();
        assert!(first.cancel.is_cancelled());
        assert!(!done_cancel.is_cancelled());
        assert!(running.start().cancel.is_cancelled());
    }

    #[test]
    fn who_waits_is_told_that_everything_stops() {
        let running = Arc::new(Running::default());
        assert!(!running.stops_within(Duration::ZERO));
        let waits = running.clone();
        let waiting = std::thread::spawn(move || waits.stops_within(Duration::from_secs(3_600)));
        running.cancel_all();
        assert!(waiting.join().expect("no panic"));
    }
}
