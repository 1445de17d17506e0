use std::any::{Any, TypeId};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

/// Any value that can be shared between threads.
type Value = Arc<dyn Any + Send + Sync>;

/// A cache of values that readers derive from immutable data, at most one of each type.
///
/// The owner of the data (a snapshot, the rows of a table) holds the caches of its readers without naming them: a
/// reader that needs a cache declares its own type. A value is kept until the whole cache is dropped.
///
/// No lock is held while a value is computed, so that threads do not wait for each other's computations, and a
/// computation may request other values. Concurrent threads may therefore each compute the value; all of them get that
/// of the first to finish. So the value must be a function of the data.
#[derive(Default)]
pub struct Derived {
    values: Mutex<FxHashMap<TypeId, Value>>,
}

impl Derived {
    /// Creates an empty cache.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the value of this type, if it was computed.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.values().get(&TypeId::of::<T>()).cloned().map(downcast_value)
    }

    /// Returns the value of this type, computing it if there is none.
    pub fn get_or_init<T: Send + Sync + 'static>(&self, compute: impl FnOnce() -> T) -> Arc<T> {
        if let Some(known) = self.get() {
            return known;
        }
        self.keep(compute())
    }

    /// Like [`Derived::get_or_init`], with a computation that can fail or be cancelled, in which case nothing is kept.
    ///
    /// # Errors
    /// Those of `compute`.
    pub fn get_or_try_init<T: Send + Sync + 'static, E>(
        &self,
        compute: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        if let Some(known) = self.get() {
            return Ok(known);
        }
        Ok(self.keep(compute()?))
    }

    /// Keeps a value unless another thread has kept one meanwhile. Returns the kept one.
    fn keep<T: Send + Sync + 'static>(&self, value: T) -> Arc<T> {
        // Declared first, so that a superfluous value is dropped after the lock is released.
        let value: Value = Arc::new(value);
        let kept = self.values().entry(TypeId::of::<T>()).or_insert_with(|| value.clone()).clone();
        downcast_value(kept)
    }

    fn values(&self) -> MutexGuard<'_, FxHashMap<TypeId, Value>> {
        // A poisoned lock is usable, since no panic can leave the map inconsistent.
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Derived {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Derived").field("values", &self.values().len()).finish()
    }
}

fn downcast_value<T: Send + Sync + 'static>(value: Value) -> Arc<T> {
    value.downcast().expect("values are kept under the id of their type")
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    #[derive(Debug, PartialEq)]
    struct Words(Vec<&'static str>);

    #[test]
    fn one_value_of_each_type_is_computed_once() {
        let derived = Derived::new();
        assert_eq!(derived.get::<u32>(), None);
        assert_eq!(*derived.get_or_init(|| 1_u32), 1);
        assert_eq!(*derived.get_or_init(|| 2_u32), 1, "the first stays");
        assert_eq!(*derived.get_or_init(|| Words(vec!["a"])), Words(vec!["a"]));
        assert_eq!(derived.get::<u32>().as_deref(), Some(&1));
        assert_eq!(format!("{derived:?}"), "Derived { values: 2 }");
    }

    #[test]
    fn a_computation_that_fails_keeps_nothing() {
        let derived = Derived::new();
        assert_eq!(derived.get_or_try_init::<u32, _>(|| Err("cancelled")), Err("cancelled"));
        assert_eq!(derived.get_or_try_init(|| Ok::<_, &str>(7_u32)).as_deref(), Ok(&7));
        assert_eq!(derived.get_or_try_init::<u32, _>(|| Err("never run")).as_deref(), Ok(&7));
    }

    #[test]
    fn a_computation_may_ask_for_other_values() {
        let derived = Derived::new();
        let length = derived.get_or_init(|| derived.get_or_init(|| Words(vec!["a", "b"])).0.len());
        assert_eq!(*length, 2);
    }

    #[test]
    fn threads_that_ask_at_once_get_the_same_value_and_wait_for_none() {
        const THREADS: usize = 4;
        let (derived, number, all_compute) = (Derived::new(), AtomicUsize::new(0), Barrier::new(THREADS));
        let ask = || {
            derived.get_or_init(|| {
                // No thread could pass if one computation kept out the others.
                all_compute.wait();
                number.fetch_add(1, Ordering::Relaxed)
            })
        };
        let values: Vec<Arc<usize>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(values.iter().all(|value| Arc::ptr_eq(value, &values[0])));
    }
}
