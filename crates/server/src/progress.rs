//! Converts the engine's progress reports to MCP notifications: few, increasing, readable.

use std::sync::{Mutex, PoisonError};

use m1nd_base::{Progress, ProgressEvent};

/// The latest report of a call. Workers write it, the connection reads it periodically.
#[derive(Debug, Default)]
pub(crate) struct Latest(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    event: Option<ProgressEvent>,
    /// Units of finished stages.
    before: u64,
    /// The last value sent.
    sent: f64,
}

/// One notification.
#[derive(Debug, PartialEq)]
pub(crate) struct Notice {
    /// Greater than in the previous notice.
    pub(crate) progress: f64,
    /// Expected final value, as far as known.
    pub(crate) total: Option<f64>,
    /// Text for people.
    pub(crate) message: String,
}

/// Increment of a notice without other progress: the protocol requires every one to be greater than the last.
const STILL_ALIVE: f64 = 0.001;

impl Progress for Latest {
    fn report(&self, event: ProgressEvent) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        match &mut state.event {
            // Threads report out of order; a stage never goes back.
            Some(last) if last.stage == event.stage => {
                last.done = last.done.max(event.done);
                last.total = event.total.or(last.total);
            }
            last => {
                state.before += last.as_ref().map_or(0, |last| last.done);
                *last = Some(event);
            }
        }
    }
}

impl Latest {
    /// The notice to send now.
    pub(crate) fn notice(&self) -> Notice {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (now, total, message) = match &state.event {
            None => (0, None, "working".to_owned()),
            Some(ProgressEvent { stage, done, total: Some(total) }) => {
                (state.before + done, Some(state.before + total), format!("{stage} {done} of {total}"))
            }
            Some(ProgressEvent { stage, done: 0, total: None }) => (state.before, None, (*stage).to_owned()),
            Some(ProgressEvent { stage, done, total: None }) => (state.before + done, None, format!("{stage} {done}")),
        };
        let progress = (now as f64).max(state.sent + STILL_ALIVE);
        state.sent = progress;
        Notice { progress, total: total.map(|total| (total as f64).max(progress)), message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_always_grow_and_name_the_stage() {
        let latest = Latest::default();
        let report = |stage, done, total| latest.report(ProgressEvent { stage, done, total });
        assert_eq!(latest.notice().message, "working");
        report("opening", 0, None);
        assert_eq!(latest.notice().message, "opening");
        report("reading", 5, None);
        assert_eq!(latest.notice(), Notice { progress: 5.0, total: None, message: "reading 5".into() });
        report("reading", 10, None);
        report("reading", 8, None);
        report("parsing", 1, Some(4));
        assert_eq!(latest.notice(), Notice { progress: 11.0, total: Some(14.0), message: "parsing 1 of 4".into() });
        let mut last = 11.0;
        for _ in 0..100 {
            let next = latest.notice();
            assert!(next.progress > last && next.total >= Some(next.progress), "{next:?}");
            last = next.progress;
        }
    }
}
