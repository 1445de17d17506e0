//! Watches the roots of the index.

use std::time::Duration;

use m1nd_vfs::{Changes, Root, Watcher};

use super::{Event, Watched, Writer, walk_options};
use crate::report::{RootInfo, WatchState};
use crate::state::snapshot::root_is_gone;

/// Pause in changes after which a watcher reports them.
const DEBOUNCE: Duration = Duration::from_millis(80);

impl Writer {
    /// Starts watching the roots of the index, if that is wanted and not done yet.
    pub(super) fn watch(&mut self) {
        if !(self.shared.config.watch || self.documents.auto_ingest.is_some()) || self.lock.is_none() {
            return;
        }
        let snapshot = self.shared.current();
        let rows = || snapshot.roots.iter().zip(snapshot.handles.iter());
        // A watcher lists the same files as the walk of the index: it is restarted with other options, or for another
        // folder of that name.
        let is_watched = |info: &RootInfo, handle: &Root, watched: &Watched| {
            watched.info == *info && watched.handle.is_same_handle(handle)
        };
        self.watchers.retain(|watched| {
            rows().any(|(info, handle)| handle.as_ref().is_some_and(|handle| is_watched(info, handle, watched)))
        });
        let mut state = WatchState::On;
        for (info, handle) in rows() {
            let Some(handle) = handle else {
                state = WatchState::Failed(root_is_gone(info));
                continue;
            };
            if self.watchers.iter().any(|watched| is_watched(info, handle, watched)) {
                continue;
            }
            let (events, root) = (self.queue.events.clone(), info.path.clone());
            let sink = move |changes: Changes| {
                let _ = events.send(Event::Changed { root: root.clone(), changes });
            };
            let limits = self.shared.config.limits.clone();
            let marks = self.shared.project.marks().ok();
            match Watcher::start(
                handle,
                walk_options(info, &self.shared.histories),
                limits,
                DEBOUNCE,
                marks,
                Box::new(sink),
            ) {
                Ok(watcher) => self.watchers.push(Watched { info: info.clone(), handle: handle.clone(), watcher }),
                Err(error) => state = WatchState::Failed(error.to_string()),
            }
        }
        self.shared.state().watch = state;
    }

    /// Adds to the status that changes may go unnoticed.
    pub(super) fn note_watch(&mut self) {
        let degraded = self.watchers.iter().find_map(|watched| watched.watcher.health().degraded);
        let missing = self.misses_root();
        let mut state = self.shared.state();
        match (degraded, &state.watch) {
            (Some(why), _) => state.watch = WatchState::Failed(why),
            (None, WatchState::Failed(_)) if !self.watchers.is_empty() && !missing => state.watch = WatchState::On,
            _ => {}
        }
    }
}
