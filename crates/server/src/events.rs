//! What happens on a server, for those who watch it: the ends of calls, new generations of the index, progress.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::broadcast;

/// Number of past events that a watcher who comes back is sent.
pub const KEPT_EVENTS: usize = 256;
/// Number of events that a slow watcher may lag behind.
const LAG: usize = 256;

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// A call of a tool has ended.
    ToolResult,
    /// The index has a new generation.
    GraphChanged,
    /// Progress of an ingest.
    Ingest,
    /// An agent has moved in a perspective.
    Perspective,
    /// The memory of the project has changed.
    MemoryChanged,
}

impl EventKind {
    /// Every kind.
    pub const ALL: [Self; 5] =
        [Self::ToolResult, Self::GraphChanged, Self::Ingest, Self::Perspective, Self::MemoryChanged];

    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::ToolResult => "tool_result",
            Self::GraphChanged => "graph_changed",
            Self::Ingest => "ingest",
            Self::Perspective => "perspective",
            Self::MemoryChanged => "memory_changed",
        }
    }
}

/// One event.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its number; greater than that of any event before.
    pub id: u64,
    /// What it is about.
    pub kind: EventKind,
    /// The rest.
    pub data: Arc<Value>,
}

/// The events of a server.
#[derive(Debug)]
pub(crate) struct Events {
    kept: Mutex<Kept>,
    sender: broadcast::Sender<Event>,
}

#[derive(Debug, Default)]
struct Kept {
    events: VecDeque<Event>,
    last: u64,
}

impl Default for Events {
    fn default() -> Self {
        Self { kept: Mutex::default(), sender: broadcast::Sender::new(LAG) }
    }
}

impl Events {
    /// Sends an event to all watchers, and keeps it for those who come back.
    pub(crate) fn publish(&self, kind: EventKind, data: Value) {
        let mut kept = self.lock();
        kept.last += 1;
        let event = Event { id: kept.last, kind, data: Arc::new(data) };
        kept.events.push_back(event.clone());
        if kept.events.len() > KEPT_EVENTS {
            kept.events.pop_front();
        }
        // Under the lock, so that a new watcher gets each event once. Fails if nobody watches.
        let _ = self.sender.send(event);
    }

    /// Starts to watch: the kept events after `after`, if it is given, and a receiver of those to come.
    pub(crate) fn subscribe(&self, after: Option<u64>) -> (Vec<Event>, broadcast::Receiver<Event>) {
        let kept = self.lock();
        // A number from before a restart of the server says nothing: everything kept is sent.
        let after = after.map(|id| if id > kept.last { 0 } else { id });
        let missed = after.map(|id| kept.events.iter().filter(|event| event.id > id).cloned().collect());
        (missed.unwrap_or_default(), self.sender.subscribe())
    }

    /// Returns whether somebody watches.
    pub(crate) fn is_watched(&self) -> bool {
        self.sender.receiver_count() > 0
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watcher_who_comes_back_is_sent_what_it_missed_once() {
        let events = Events::default();
        let publish = |count| (0..count).for_each(|_| events.publish(EventKind::GraphChanged, Value::Null));
        let ids = |after| events.subscribe(after).0.iter().map(|event| event.id).collect::<Vec<_>>();
        assert!(!events.is_watched());
        publish(3);
        assert!(ids(None).is_empty());
        assert_eq!(ids(Some(1)), [2, 3]);
        assert!(ids(Some(3)).is_empty());
        assert_eq!(ids(Some(99)), [1, 2, 3], "of a server that was started again");
        publish(KEPT_EVENTS as u64);
        assert_eq!(ids(Some(0)).len(), KEPT_EVENTS);
        let (_, mut receiver) = events.subscribe(None);
        publish(1);
        assert_eq!(receiver.try_recv().expect("is sent").id, KEPT_EVENTS as u64 + 4);
        assert!(events.is_watched());
    }
}
