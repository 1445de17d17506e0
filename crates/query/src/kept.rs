//! A bounded cache of values that follow from a snapshot: the oldest goes first.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

/// Values by key, and the keys in the order in which they came.
struct Entries<T> {
    values: FxHashMap<String, Arc<T>>,
    order: std::collections::VecDeque<String>,
}

/// At most `MOST` values.
pub(crate) struct Kept<T, const MOST: usize>(Mutex<Entries<T>>);

impl<T, const MOST: usize> Default for Kept<T, MOST> {
    fn default() -> Self {
        Self(Mutex::new(Entries { values: FxHashMap::default(), order: std::collections::VecDeque::new() }))
    }
}

impl<T, const MOST: usize> Kept<T, MOST> {
    /// The value of a key, computed if it is not kept. The lock is not held meanwhile.
    pub(crate) fn get_or<E>(&self, key: String, compute: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        let entries = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = entries().values.get(&key) {
            return Ok(Arc::clone(known));
        }
        let value = Arc::new(compute()?);
        let mut entries = entries();
        if entries.values.insert(key.clone(), Arc::clone(&value)).is_none() {
            entries.order.push_back(key);
        }
        if entries.order.len() > MOST
            && let Some(oldest) = entries.order.pop_front()
        {
            entries.values.remove(&oldest);
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_values_are_kept() {
        let kept: Kept<u32, 2> = Kept::default();
        let get = |key: &str, value: u32| *kept.get_or(key.to_owned(), || Ok::<_, ()>(value)).expect("a value");
        assert_eq!([get("a", 1), get("b", 2), get("a", 9), get("c", 3)], [1, 2, 1, 3]);
        assert_eq!([get("b", 9), get("a", 4)], [2, 4]);
        assert_eq!(kept.get_or("x".to_owned(), || Err::<u32, _>("no")).expect_err("not kept"), "no");
    }
}
