use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use m1nd_base::Clock;

use crate::SessionStore;
use crate::agents::Agents;
use crate::feedback::FeedbackRows;
use crate::primings::Primings;

/// Everything that agents hold. All methods take `&self`: one is shared by all threads, in an [`Arc`].
///
/// Locks are held for a look into a map, never while the store works.
pub struct Sessions {
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) clock: Clock,
    agents: Mutex<Agents>,
    primings: Mutex<Primings>,
    feedback: Mutex<Arc<FeedbackRows>>,
}

impl Sessions {
    /// What is kept in `store`; nothing is read before it is asked for.
    #[must_use]
    pub fn new(store: Arc<dyn SessionStore>, clock: Clock) -> Self {
        Self { store, clock, agents: Mutex::default(), primings: Mutex::default(), feedback: Mutex::default() }
    }

    pub(crate) fn agents_seen(&self) -> MutexGuard<'_, Agents> {
        lock(&self.agents)
    }

    pub(crate) fn primings(&self) -> MutexGuard<'_, Primings> {
        lock(&self.primings)
    }

    /// The rows of feedback as they were read last.
    pub(crate) fn rows_read(&self) -> MutexGuard<'_, Arc<FeedbackRows>> {
        lock(&self.feedback)
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions").field("agents", &self.agents_seen().len()).finish_non_exhaustive()
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Whatever a panic interrupted, each value is whole between two statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first characters of a text.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
