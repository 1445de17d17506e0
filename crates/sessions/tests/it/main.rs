//! What agents hold, over every store.

mod contract;
mod feedback;
mod handles;
mod visits;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use m1nd_base::Clock;
use m1nd_sessions::{MemoryStore, SessionStore};
use m1nd_store::{Home, ProjectDir};
use m1nd_testkit::TempTree;

/// A time at which tests begin, in milliseconds since 1970.
const START: u64 = 1_700_000_000_000;

fn tree() -> TempTree {
    TempTree::new("//- /project/a.py\nx = 1\n")
}

/// The store of a project in a folder; each call opens it again.
fn project(tree: &TempTree) -> ProjectDir {
    let home = Home::open(&tree.join("home")).expect("the home opens");
    home.project(&tree.join("project")).expect("the project opens")
}

/// Runs a test over every implementation.
fn over_every_store(test: impl Fn(Arc<dyn SessionStore>)) {
    let tree = tree();
    test(Arc::new(project(&tree)));
    test(Arc::new(MemoryStore::default()));
}

/// A clock, and what sets it.
fn clock() -> (Clock, Arc<AtomicU64>) {
    let now = Arc::new(AtomicU64::new(START));
    let given = now.clone();
    (Clock::new(move || given.load(Ordering::Relaxed)), now)
}
