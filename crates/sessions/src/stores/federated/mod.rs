//! The state of a federation together with the states of its repositories, so that nothing is lost when a federation
//! is opened or left.
//!
//! What is about one repository is kept in the state of that repository, where those who work on it alone find it, and
//! is shown with the ids of the federation. What is about several is kept in the state of the federation. The ledger of
//! feedback has numbers that only grow, which several ledgers together cannot have: rows of the repositories are copied
//! into that of the federation, once each.

mod ids;
mod ledger;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use m1nd_store::{
    CallTotals, Expiry, HandleLimits, HandleQuery, HandleWrite, Home, NewFeedback, ProjectDir, StoreError,
    StoredFeedback, StoredHandle, Undone,
};

use crate::SessionStore;
pub use ids::FolderIds;
use ids::ids_in;

/// Kinds that describe the index as a whole, so that those of another one say nothing.
const OF_THE_INDEX: &[&str] = &["visit", "visit_files"];

/// The state of a federation, see the module.
pub struct FederatedStore {
    own: Arc<ProjectDir>,
    home: PathBuf,
    reads_only: bool,
    /// The folder of the federation, and its repositories.
    parts: Vec<Part>,
    ledger: OnceLock<()>,
}

/// The state of a folder.
struct Part {
    /// Its folder.
    path: PathBuf,
    ids: FolderIds,
    /// `None` if it has none that can be opened.
    store: OnceLock<Option<Arc<ProjectDir>>>,
}

impl fmt::Debug for FederatedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FederatedStore").field("parts", &self.parts.len()).finish_non_exhaustive()
    }
}

/// A part of a federation, its state, and a handle that is kept there.
type HeldBy<'p> = (&'p Part, &'p Arc<ProjectDir>, StoredHandle);

impl FederatedStore {
    /// The state `own` of a federation that belongs to the folder `workspace`, with that of its repositories below
    /// `home`. Opens nothing yet.
    #[must_use]
    pub fn new(
        own: Arc<ProjectDir>,
        home: &Path,
        workspace: &Path,
        members: &[(String, PathBuf)],
        reads_only: bool,
    ) -> Self {
        let workspace = Home::canonical(workspace);
        let others = members.iter().map(|(_, path)| path).filter(|path| **path != workspace);
        let folders: Vec<PathBuf> = [&workspace].into_iter().chain(others).cloned().collect();
        let part = |path: PathBuf| Part { ids: FolderIds::new(&path, members), path, store: OnceLock::new() };
        let parts = folders.into_iter().map(part).collect();
        Self { own, home: home.to_owned(), reads_only, parts, ledger: OnceLock::new() }
    }

    /// The state of a part, if it exists.
    fn open<'p>(&self, part: &'p Part) -> Option<&'p Arc<ProjectDir>> {
        if part.store.get().is_none() && !Home::has_project(&self.home, &part.path) {
            return None;
        }
        self.make(part)
    }

    /// The state of a part, created if it does not exist and may be written.
    fn make<'p>(&self, part: &'p Part) -> Option<&'p Arc<ProjectDir>> {
        let open = || {
            let opened = match self.reads_only {
                true => Home::to_read(&self.home).project_to_read(&part.path),
                false => Home::open(&self.home).and_then(|home| home.project(&part.path)),
            };
            opened.ok().map(Arc::new)
        };
        part.store.get_or_init(open).as_ref()
    }

    /// The parts whose state exists, with it.
    fn list_opened(&self) -> impl Iterator<Item = (&Part, &Arc<ProjectDir>)> {
        self.parts.iter().filter_map(|part| Some((part, self.open(part)?)))
    }

    /// The part that keeps what is about these nodes: the folder of the federation if somebody works on it alone, or
    /// the one repository that has all of them. `None` for the federation itself.
    fn part_of(&self, nodes: &[String]) -> Option<&Part> {
        let has_all = |part: &&Part| nodes.iter().all(|id| part.ids.has(id));
        let workspace = self.parts.first().filter(|part| self.open(part).is_some());
        workspace.filter(has_all).or_else(|| self.parts.iter().skip(1).filter(|_| !nodes.is_empty()).find(has_all))
    }

    /// The part that holds a handle, with its row as it is there.
    fn held_by(&self, id: &str) -> Result<Option<HeldBy<'_>>, StoreError> {
        for (part, store) in self.list_opened() {
            if let Some(stored) = store.handle(id)?.filter(|stored| !is_of_the_index(&stored.kind)) {
                return Ok(Some((part, store, stored)));
            }
        }
        Ok(None)
    }
}

fn is_of_the_index(kind: &str) -> bool {
    OF_THE_INDEX.contains(&kind)
}

/// The row as the federation shows it.
fn inward(part: &Part, stored: StoredHandle) -> StoredHandle {
    StoredHandle { value: part.ids.value_inward(&stored.kind, &stored.value), ..stored }
}

/// The row as the state of a part has it.
fn outward(part: &Part, stored: &StoredHandle) -> StoredHandle {
    StoredHandle { value: part.ids.value_outward(&stored.kind, &stored.value), ..stored.clone() }
}

impl SessionStore for FederatedStore {
    fn add_totals(&self, more: &CallTotals) -> Result<Option<CallTotals>, StoreError> {
        if self.reads_only { Ok(None) } else { self.own.add_totals(more) }
    }

    fn add_feedback(&self, told: &NewFeedback) -> Result<(i64, bool), StoreError> {
        self.ledger();
        self.tell(told)
    }

    fn undo_feedback(&self, row: i64, agent: &str, at_ms: u64) -> Result<Undone, StoreError> {
        self.ledger();
        self.take_back(row, agent, at_ms)
    }

    fn feedback(&self, limit: usize) -> Result<Vec<StoredFeedback>, StoreError> {
        self.ledger();
        self.own.feedback(limit)
    }

    fn newest_feedback(&self) -> Result<i64, StoreError> {
        self.ledger();
        self.own.newest_feedback()
    }

    fn add_handle(
        &self,
        handle: &StoredHandle,
        limits: &HandleLimits,
        expiry: &Expiry,
    ) -> Result<HandleWrite, StoreError> {
        let part = if is_of_the_index(&handle.kind) { None } else { self.part_of(&ids_in(&handle.value)) };
        match part.and_then(|part| Some((part, self.make(part)?))) {
            Some((part, store)) => store.add_handle(&outward(part, handle), limits, expiry),
            None => self.own.add_handle(handle, limits, expiry),
        }
    }

    fn handle(&self, id: &str) -> Result<Option<StoredHandle>, StoreError> {
        if let Some(own) = self.own.handle(id)? {
            return Ok(Some(own));
        }
        Ok(self.held_by(id)?.map(|(part, _, stored)| inward(part, stored)))
    }

    fn handles(&self, query: &HandleQuery<'_>) -> Result<Vec<StoredHandle>, StoreError> {
        let mut all = self.own.handles(query)?;
        if !is_of_the_index(query.kind) {
            for (part, store) in self.list_opened() {
                all.extend(store.handles(query)?.into_iter().map(|stored| inward(part, stored)));
            }
        }
        all.sort_by(StoredHandle::last_changed_first);
        all.truncate(query.limit);
        Ok(all)
    }

    fn set_handle(&self, next: &StoredHandle, limits: &HandleLimits, now_ms: u64) -> Result<HandleWrite, StoreError> {
        match self.own.set_handle(next, limits, now_ms)? {
            HandleWrite::NotThere => {}
            done => return Ok(done),
        }
        match self.held_by(&next.id)? {
            Some((part, store, _)) => store.set_handle(&outward(part, next), limits, now_ms),
            None => Ok(HandleWrite::NotThere),
        }
    }

    fn remove_handle(&self, id: &str) -> Result<bool, StoreError> {
        if self.own.remove_handle(id)? {
            return Ok(true);
        }
        match self.held_by(id)? {
            Some((_, store, _)) => store.remove_handle(id),
            None => Ok(false),
        }
    }
}
