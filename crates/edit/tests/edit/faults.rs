//! Every step of a commit fails in turn, once or for good: the files are as before, or as planned.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use m1nd_base::{System, SystemFile};
use m1nd_edit::{EditError, Gate, Step};
use m1nd_store::RealSystem;

use crate::world::{Tree, World, commit};

/// Counts the steps of both the project and the journal, those that only read as well, and fails one.
#[derive(Debug, Clone)]
pub(crate) struct Faults(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    count: usize,
    fail: Option<usize>,
    dies: bool,
}

impl Faults {
    pub(crate) fn new(fail: Option<usize>, dies: bool) -> Self {
        Self(Arc::new(Mutex::new(State { count: 0, fail, dies })))
    }

    pub(crate) fn count(&self) -> usize {
        self.0.lock().expect("unpoisoned").count
    }

    fn step(&self) -> io::Result<()> {
        let mut state = self.0.lock().expect("unpoisoned");
        let number = state.count;
        state.count += 1;
        let fails = state.fail.is_some_and(|fail| if state.dies { number >= fail } else { number == fail });
        if fails { Err(io::Error::other("injected")) } else { Ok(()) }
    }
}

impl Gate for Faults {
    fn pass(&self, _: Step) -> io::Result<()> {
        self.step()
    }

    fn waits(&self) -> bool {
        false
    }
}

struct File(Faults, Box<dyn SystemFile>);

impl io::Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.step()?;
        self.1.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.1.flush()
    }
}

impl SystemFile for File {
    fn sync(&mut self) -> io::Result<()> {
        self.0.step()
    }
}

impl System for Faults {
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn SystemFile>> {
        self.step()?;
        Ok(Box::new(File(self.clone(), RealSystem.create_new(path)?)))
    }

    fn read(&self, path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
        self.step()?;
        RealSystem.read(path, max_bytes)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step()?;
        RealSystem.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        RealSystem.remove(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.step()?;
        RealSystem.create_folder(path)
    }

    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()> {
        self.step()?;
        RealSystem.set_mode(path, mode)
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        self.step()
    }

    fn list(&self, path: &Path) -> io::Result<Vec<String>> {
        self.step()?;
        RealSystem.list(path)
    }

    fn unix_seconds(&self) -> u64 {
        0
    }
}

#[test]
fn every_step_fails_once_or_for_good() {
    let free = Faults::new(None, false);
    let world = World::new();
    let old = world.tree();
    commit(&world.open_gated(&free), world.batch()).expect("commits");
    let new = world.tree();
    let steps = free.count();
    assert!(steps > 60 && new != old, "{steps} steps");
    for step in 0..steps {
        for dies in [false, true] {
            let world = World::new();
            let old = world.tree();
            let what = format!("step {step}, dies: {dies}");
            let error = commit(&world.open_gated(&Faults::new(Some(step), dies)), world.batch()).expect_err(&what);
            // The next start.
            world.open_gated(&free).recover().expect(&what);
            let now = world.tree();
            if matches!(error, EditError::NotDurable { .. }) {
                assert_eq!(now, new, "{what}");
            } else if dies {
                assert!(now == old || now == new, "{what}: {error}\n{:?}", differences(&old, &now));
            } else {
                assert!(now == old, "{what}: {error}\n{:?}", differences(&old, &now));
            }
            world.assert_clean(&what);
        }
    }
}

/// Paths at which two trees differ.
fn differences(one: &Tree, other: &Tree) -> Vec<String> {
    let paths: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    paths.into_iter().filter(|path| one.get(*path) != other.get(*path)).cloned().collect()
}

#[test]
fn cancelled_before_the_first_file_is_replaced() {
    let world = World::new();
    let old = world.tree();
    let cancel = m1nd_base::Cancel::new();
    cancel.cancel();
    let workspace = world.workspace();
    let plan = workspace.plan(world.batch()).expect("plans");
    assert!(matches!(workspace.commit(&plan, &cancel, &mut |_| {}), Err(EditError::Cancelled)));
    assert_eq!(world.tree(), old);
    world.assert_clean("cancelled");
}
