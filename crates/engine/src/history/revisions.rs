//! Snapshots of commits that are kept in memory.

use std::any::Any;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use m1nd_history::{NoHistory, NoRevision};
use m1nd_store::{FactsCache, Home};

use crate::error::EngineError;

/// Snapshots of commits that are kept in memory.
const MAX_KEPT: usize = 4;

/// A kept value. This module does not know the type of a snapshot, which knows this one.
type Kept = Arc<dyn Any + Send + Sync>;

/// Snapshots of commits, the most recently used last.
#[derive(Debug, Default)]
pub(crate) struct Revisions {
    /// The store, whose cache of facts is used; `None` where nothing may be written.
    home: Option<PathBuf>,
    cache: Mutex<Option<Arc<FactsCache>>>,
    kept: Mutex<Vec<(String, Kept)>>,
}

/// The reason why there is no snapshot of a commit.
#[derive(Debug, thiserror::Error)]
pub enum NoSnapshot {
    /// The text names no commit.
    #[error(transparent)]
    NoRevision(#[from] NoRevision),
    /// Its files cannot be read.
    #[error(transparent)]
    NoHistory(#[from] NoHistory),
    /// They cannot be indexed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Revisions {
    pub(crate) fn new(home: Option<PathBuf>) -> Self {
        Self { home, ..Self::default() }
    }

    pub(crate) fn cache(&self) -> Option<Arc<FactsCache>> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.is_none() {
            let opened = Home::open(self.home.as_ref()?).and_then(|home| home.facts_cache());
            *cache = opened.inspect_err(|error| tracing::warn!(%error, "facts are not cached")).ok().map(Arc::new);
        }
        cache.clone()
    }

    pub(crate) fn find_known<T: Send + Sync + 'static>(&self, key: &str) -> Option<Arc<T>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(known, _)| known == key)?;
        let row = kept.remove(at);
        let value = row.1.clone();
        kept.push(row);
        value.downcast().ok()
    }

    pub(crate) fn keep<T: Send + Sync + 'static>(&self, key: String, snapshot: Arc<T>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX_KEPT {
            kept.remove(0);
        }
        kept.push((key, snapshot));
    }
}
