//! Results of dispatch queries that are kept with a graph.

use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::NodeIx;

/// The methods that may run instead of the called one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Replacements {
    /// The methods, most central first.
    pub methods: Vec<NodeIx>,
    /// Total number of methods that the call may reach, including the called method itself if it has a body.
    pub all: usize,
    /// Overriding methods left out because the program never instantiates their classes.
    pub left_out: usize,
    /// There are more overriding methods than were considered.
    pub is_cut: bool,
}

/// What dispatch queries on a graph have computed so far.
#[derive(Debug, Default)]
pub(crate) struct DispatchCache {
    pub(crate) replacements: Cache<NodeIx, Arc<Replacements>>,
    /// The overridden methods of a method, and whether there are more than were considered.
    pub(crate) overridden: Cache<NodeIx, Arc<(Vec<NodeIx>, bool)>>,
    /// Whether the program instantiates a class itself.
    pub(crate) made: Cache<NodeIx, bool>,
}

/// Values that are computed once for each key.
#[derive(Debug)]
pub(crate) struct Cache<K, V>(Mutex<FxHashMap<K, V>>);

impl<K, V> Default for Cache<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Clone> Cache<K, V> {
    /// The value of a key. It is computed without the lock, because computing may ask for other keys.
    pub(crate) fn get(&self, key: K, compute: impl FnOnce() -> V) -> V {
        if let Some(known) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let value = compute();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, value.clone());
        value
    }
}
