//! The memory of this process at each stage of an ingest.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use m1nd_base::{Progress, ProgressEvent};

use super::memory;

/// Interval of looks at the memory.
const LOOK: Duration = Duration::from_millis(5);

/// Notes which stage an ingest is in.
pub(super) struct Stages(Mutex<&'static str>);

impl Progress for Stages {
    fn report(&self, event: ProgressEvent) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = event.stage;
    }
}

/// Runs an ingest. Returns its outcome, and the stages in order with the most MiB that were not mapped from files.
pub(super) fn watch<T>(work: impl FnOnce(&Stages) -> T) -> (T, Vec<(&'static str, u64)>) {
    let stages = Stages(Mutex::new("start"));
    let is_over = AtomicBool::new(false);
    let look = || {
        let mut peaks: Vec<(&'static str, u64)> = Vec::new();
        while !is_over.load(Ordering::Acquire) {
            let stage = *stages.0.lock().unwrap_or_else(PoisonError::into_inner);
            let now = memory("/proc/self", "RssAnon:").unwrap_or(0) >> 10;
            match peaks.iter_mut().find(|row| row.0 == stage) {
                Some(row) => row.1 = row.1.max(now),
                None => peaks.push((stage, now)),
            }
            sleep(LOOK);
        }
        peaks
    };
    std::thread::scope(|scope| {
        let looking = scope.spawn(look);
        let outcome = work(&stages);
        is_over.store(true, Ordering::Release);
        (outcome, looking.join().unwrap_or_default())
    })
}
