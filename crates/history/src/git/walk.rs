//! Walks the commits reachable from `HEAD`, newest first.

use std::collections::BinaryHeap;

use gix_hash::ObjectId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::history::Cut;
use crate::{Head, NoHistory};

/// Data about a commit.
pub(crate) struct Told<T> {
    /// Commit time in seconds since 1970.
    pub(crate) time: i64,
    pub(crate) parents: Vec<ObjectId>,
    pub(crate) what: T,
}

/// A pending commit, ordered by time.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    time: i64,
    id: ObjectId,
}

/// The commit that is next in order.
pub(crate) struct Reached<T> {
    pub(crate) id: ObjectId,
    pub(crate) told: Told<T>,
    /// Its parents are available.
    pub(crate) is_whole: bool,
}

/// A walk. Each commit is loaded once; one that cannot be loaded is skipped and reported in `cut`.
pub(crate) struct Walk<'h, T, L> {
    head: &'h Head,
    load: L,
    seen: FxHashSet<ObjectId>,
    loaded: FxHashMap<ObjectId, Told<T>>,
    heap: BinaryHeap<Waiting>,
    /// The reason why not all commits are reached.
    pub(crate) cut: Option<Cut>,
}

impl<'h, T, L: FnMut(&ObjectId) -> Option<Told<T>>> Walk<'h, T, L> {
    /// Starts at the checked-out commit.
    ///
    /// # Errors
    /// [`NoHistory::Unreadable`] if it cannot be loaded.
    pub(crate) fn start(head: &'h Head, load: L) -> Result<Self, NoHistory> {
        let (seen, loaded) = (FxHashSet::default(), FxHashMap::default());
        let mut walk = Self { head, load, seen, loaded, heap: BinaryHeap::new(), cut: None };
        match walk.visit(head.id) {
            true => Ok(walk),
            false => Err(NoHistory::Unreadable(format!("commit {} is missing or damaged", head.commit()))),
        }
    }

    /// Returns whether there are more commits.
    pub(crate) fn has_more(&self) -> bool {
        !self.heap.is_empty()
    }

    /// Returns the newest commit that was not visited yet.
    pub(crate) fn next(&mut self) -> Option<Reached<T>> {
        loop {
            let Waiting { id, .. } = self.heap.pop()?;
            let Some(told) = self.loaded.remove(&id) else { continue };
            let is_boundary = self.head.shallow.binary_search(&id).is_ok();
            let mut is_whole = !is_boundary;
            if is_boundary && !told.parents.is_empty() {
                self.cut = self.cut.or(Some(Cut::Shallow));
            } else {
                for parent in &told.parents {
                    if !self.visit(*parent) {
                        (self.cut, is_whole) = (Some(Cut::Missing), false);
                    }
                }
            }
            is_whole |= told.parents.is_empty();
            return Some(Reached { id, told, is_whole });
        }
    }

    /// Returns `false` if the commit cannot be loaded.
    fn visit(&mut self, id: ObjectId) -> bool {
        if !self.seen.insert(id) {
            return true;
        }
        let Some(told) = (self.load)(&id) else { return false };
        self.heap.push(Waiting { time: told.time, id });
        self.loaded.insert(id, told);
        true
    }
}
