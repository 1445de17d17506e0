//! Recovery after a crash at every exchange, with every operation of the recovery failing: all files are old or all are
//! new in the end, and what anybody wrote is still somewhere.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use m1nd_edit::{BatchOutcome, Gate, RecoveredBatch, Step, Workspace};
use m1nd_store::SharedFolder;

use crate::faults::Faults;
use crate::world::{Tree, World, commit, edit_in, set_mode, text, tree_of};

/// Dies before the file with this number is put in its place.
#[derive(Debug)]
struct DiesAtPlace {
    place: usize,
    places: AtomicUsize,
}

impl Gate for DiesAtPlace {
    fn pass(&self, step: Step) -> io::Result<()> {
        let is_place = step == Step::Place;
        let count = if is_place {
            self.places.fetch_add(1, Ordering::Relaxed) + 1
        } else {
            self.places.load(Ordering::Relaxed)
        };
        let dies = count > self.place || step == Step::Remove && count == self.place;
        if dies { Err(io::Error::other("injected")) } else { Ok(()) }
    }

    fn waits(&self) -> bool {
        false
    }
}

/// Starts the batch of the world and dies with this many files in place.
fn crash_with(world: &World, placed: usize) {
    let gate = DiesAtPlace { place: placed, places: AtomicUsize::new(0) };
    let workspace = Workspace::with(SharedFolder::new(world.journals()), world.home.path(), Arc::new(gate));
    commit(&workspace, world.batch()).expect_err("dies");
    assert_eq!(world.workspace().list_interrupted().expect("is listed").len(), 1, "the journal is there");
}

/// Starts the batch and dies with all files in place, before anything is cleaned up.
fn crash_when_all_are_placed(world: &World) {
    crash_with(world, world.batch().len());
}

/// Makes a folder what it was.
fn restore(folder: &Path, tree: &Tree) {
    for name in tree_of(folder).keys().filter(|name| !tree.contains_key(*name)) {
        let path = folder.join(name);
        _ = std::fs::remove_file(&path);
        _ = std::fs::remove_dir_all(&path);
    }
    for (name, (bytes, mode)) in tree {
        let path = folder.join(name);
        // Folders have the mark of a folder in their mode.
        match mode & 0o170_000 == 0o040_000 {
            true => std::fs::create_dir_all(&path).expect("is made"),
            false => {
                _ = std::fs::remove_file(&path);
                std::fs::write(&path, bytes).expect("is written");
                set_mode(&path, mode & 0o7777);
            }
        }
    }
}

/// The files of a tree without modes of folders.
fn files_of(tree: Tree) -> Tree {
    tree.into_iter().filter(|(_, (_, mode))| mode & 0o170_000 == 0o100_000).collect()
}

fn recover(world: &World) -> Vec<RecoveredBatch> {
    world.open_gated(&Faults::new(None, false)).recover().expect("recovers").batches
}

fn names(paths: &[m1nd_base::RepoPath]) -> Vec<&str> {
    paths.iter().map(|path| path.as_str()).collect()
}

#[test]
fn every_operation_of_a_recovery_fails_once_or_for_good() {
    let world = World::new();
    let start = world.tree();
    let old = files_of(start.clone());
    let new = {
        let world = World::new();
        commit(&world.workspace(), world.batch()).expect("commits");
        files_of(world.tree())
    };
    let batch = world.batch().len();
    let mut failed = 0;
    for placed in 0..=batch {
        crash_with(&world, placed);
        let (project, home) = (world.tree(), tree_of(world.home.path()));
        for dies in [false, true] {
            for step in 0.. {
                let what = format!("{placed} placed, step {step}, dies: {dies}");
                let faults = Faults::new(Some(step), dies);
                let first = world.open_gated(&faults).recover();
                if faults.count() <= step {
                    break;
                }
                failed += 1;
                let between = files_of(world.tree());
                let is_whole = between == old || between == new;
                assert!(first.is_err() || is_whole, "{what}: done, but mixed");
                // The next start.
                let rest = world.open_gated(&Faults::new(None, false)).recover().expect(&what);
                let is_left = |batch: &RecoveredBatch| {
                    matches!(batch.outcome, BatchOutcome::LeftAlone | BatchOutcome::Unreadable | BatchOutcome::Waiting)
                };
                assert!(!rest.batches.iter().any(is_left), "{what}: {rest:?}");
                let now = files_of(world.tree());
                let expected = if placed == batch { &new } else { &old };
                assert!(now == *expected, "{what}: {first:?}, then {rest:?}");
                world.assert_clean(&what);
                restore(world.project.path(), &project);
                restore(world.home.path(), &home);
            }
        }
        recover(&world);
        restore(world.project.path(), &start);
    }
    assert!(failed > 1_000, "{failed} operations failed");
}

#[test]
fn what_a_person_finished_by_hand_is_not_undone() {
    let world = World::new();
    let new = {
        let world = World::new();
        commit(&world.workspace(), world.batch()).expect("commits");
        files_of(world.tree())
    };
    crash_with(&world, 4);
    for (name, (bytes, _)) in &new {
        // A name of its own: not the other name of a file.
        _ = std::fs::remove_file(world.project.join(name));
        world.project.write(name, bytes);
    }
    std::fs::remove_file(world.project.join("src/gone.py")).expect("was there");
    let found = recover(&world);
    assert_eq!(found[0].outcome, BatchOutcome::Finished, "{found:?}");
    assert_eq!(found[0].files.len(), world.batch().len());
    let bytes = |tree: &Tree| tree.iter().map(|(name, row)| (name.clone(), row.0.clone())).collect::<Vec<_>>();
    assert_eq!(bytes(&files_of(world.tree())), bytes(&new));
    world.assert_clean("finished");
}

#[test]
fn half_written_new_content_is_not_taken_for_what_somebody_saved() {
    // Killed while the only new file was being written; a person then wrote the same content by hand.
    for part in [b"".as_slice(), b"x = 2", b"x = 2\n\0\0\0"] {
        let world = World::new();
        crash_with_one(&world);
        let beside = world.tree().into_keys().find(|name| name.contains(".m1nd-edit-")).expect("is there");
        world.project.write(&beside, part);
        world.project.write("a.py", "x = 2\ny = 2\n");
        let found = recover(&world);
        assert_eq!(found[0].outcome, BatchOutcome::Finished, "{part:?}: {found:?}");
        assert_eq!(std::fs::read(world.project.join("a.py")).expect("is read"), b"x = 2\ny = 2\n");
        assert!(!world.tree().keys().any(|name| name.contains(".m1nd")), "{part:?}");
    }
}

fn crash_with_one(world: &World) {
    let gate = DiesAtPlace { place: 0, places: AtomicUsize::new(0) };
    let workspace = Workspace::with(SharedFolder::new(world.journals()), world.home.path(), Arc::new(gate));
    commit(&workspace, vec![world.edit("a.py", text("x = 2\ny = 2\n"))]).expect_err("dies");
}

#[test]
fn a_file_of_others_leaves_all_files_as_they_are_with_copies() {
    let world = World::new();
    crash_with(&world, 3);
    world.project.write("crlf.c", "mine\n");
    let before: Tree = files_of(world.tree()).into_iter().filter(|(name, _)| !name.contains(".m1nd")).collect();
    let found = recover(&world);
    let [batch] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((batch.outcome, names(&batch.changed)), (BatchOutcome::LeftAlone, vec!["crlf.c"]));
    assert_eq!(files_of(world.tree()), before, "nothing was touched, and nothing is left beside");
    let copies = batch.copies.clone().expect("are kept");
    let read = |name: &str| std::fs::read(copies.join(name)).expect(name);
    assert_eq!(read("old/a.py"), b"x = 1\ny = 2\n");
    assert_eq!(read("new/a.py"), b"x = 100\ny = 2\n");
    assert_eq!(read("old/crlf.c"), b"int a;\r\nint b;\r\n");
    assert_eq!(read("new/src/run.sh"), b"echo b\n");
    assert_eq!(read("new/new/deep/b.py"), b"b = 1\n");
    assert!(String::from_utf8_lossy(&read("README.txt")).contains("crlf.c: has content of somebody else"));
    assert!(batch.notice().contains("crlf.c") && batch.notice().contains("then remove that folder"));
    assert!(world.workspace().list_interrupted().expect("is listed").is_empty());
    assert_eq!(world.workspace().list_copies().expect("is listed"), [copies]);
    assert!(recover(&world).is_empty(), "once");
}

#[test]
fn a_file_of_others_in_a_batch_that_changed_nothing_yet_is_left_without_copies() {
    let world = World::new();
    crash_with(&world, 0);
    world.project.write("a.py", "mine\n");
    let found = recover(&world);
    assert_eq!((found[0].outcome, names(&found[0].changed)), (BatchOutcome::Undone, vec!["a.py"]));
    assert_eq!(std::fs::read(world.project.join("a.py")).expect("is read"), b"mine\n");
    world.assert_clean("undone");
}

#[test]
fn a_recovery_that_leaves_files_alone_fails_at_every_operation_and_loses_no_copy() {
    for dies in [false, true] {
        for step in 0.. {
            let world = World::new();
            crash_with(&world, 3);
            world.project.write("crlf.c", "mine\n");
            let faults = Faults::new(Some(step), dies);
            let _ = world.open_gated(&faults).recover();
            if faults.count() <= step {
                break;
            }
            recover(&world);
            let what = format!("step {step}, dies: {dies}");
            let copies = world.workspace().list_copies().expect("is listed");
            let [copies] = copies.as_slice() else { panic!("{what}: {copies:?}") };
            for (name, bytes) in [
                ("old/a.py", "x = 1\ny = 2\n"),
                ("new/a.py", "x = 100\ny = 2\n"),
                ("new/src/run.sh", "echo b\n"),
                ("old/src/run.sh", "echo a\n"),
            ] {
                assert_eq!(std::fs::read_to_string(copies.join(name)).expect(&what), bytes, "{what}");
            }
            assert_eq!(std::fs::read(world.project.join("crlf.c")).expect("is read"), b"mine\n", "{what}");
            assert_eq!(std::fs::read(world.project.join("a.py")).expect("is read"), b"x = 100\ny = 2\n", "{what}");
            assert!(!world.tree().keys().any(|name| name.contains(".m1nd")), "{what}");
        }
    }
}

#[test]
fn a_root_that_is_gone_waits() {
    let world = World::new();
    let other = m1nd_testkit::TempTree::new("//- b.py\nb = 1\n");
    let gate = DiesAtPlace { place: 1, places: AtomicUsize::new(0) };
    let workspace = Workspace::with(SharedFolder::new(world.journals()), world.home.path(), Arc::new(gate));
    let batch = vec![world.edit("a.py", text("a\n")), edit_in(other.path(), "b.py", text("b\n"))];
    commit(&workspace, batch).expect_err("dies");
    let moved = other.path().with_extension("moved");
    std::fs::rename(other.path(), &moved).expect("moves");
    for is_link in [false, true] {
        if is_link {
            std::os::unix::fs::symlink(&moved, other.path()).expect("is made");
        }
        let found = recover(&world);
        assert_eq!(found[0].outcome, BatchOutcome::Waiting, "{found:?}");
        assert!(found[0].notice().contains("is gone, or a link took its place"), "{found:?}");
        let interrupted = world.workspace().list_interrupted().expect("is listed");
        assert_eq!(names(&interrupted[0].files), ["a.py", "b.py"]);
        // Writes elsewhere go on.
        commit(&world.workspace(), vec![world.edit("empty.py", text(&format!("e = {is_link}\n")))]).expect("commits");
    }
    std::fs::remove_file(other.path()).expect("is a link");
    std::fs::rename(&moved, other.path()).expect("moves back");
    assert_eq!(recover(&world)[0].outcome, BatchOutcome::Undone);
    assert_eq!(std::fs::read(world.project.join("a.py")).expect("is read"), b"x = 1\ny = 2\n");
}

#[test]
fn readers_name_an_interrupted_write_and_change_nothing() {
    let world = World::new();
    crash_with(&world, 2);
    let before = (world.tree(), tree_of(world.home.path()));
    let found = world.workspace().list_interrupted().expect("is listed");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].files.len(), world.batch().len());
    assert!(found[0].notice().contains("a.py") && found[0].notice().contains("run `m1nd ingest`"), "{found:?}");
    assert_eq!((world.tree(), tree_of(world.home.path())), before);
    // A write that runs is not interrupted.
    let state = SharedFolder::new(world.journals());
    let held = state.hold("write.lock", std::time::Duration::ZERO).expect("is free");
    assert!(world.workspace().list_interrupted().expect("is listed").is_empty());
    drop(held);
    // The write that recovers names it afterwards.
    let workspace = world.workspace();
    commit(&workspace, vec![world.edit("empty.py", text("e = 1\n"))]).expect("commits");
    let recovered = workspace.take_recovered();
    assert_eq!(recovered.batches[0].outcome, BatchOutcome::Undone);
    assert!(workspace.take_recovered().is_empty(), "once");
}

#[test]
fn a_write_of_another_project_to_the_same_folder_is_recovered_as_well() {
    let world = World::new();
    crash_with(&world, 2);
    let journals = world.home.join("projects/other/edits");
    let elsewhere = m1nd_testkit::TempTree::new("");
    let at = |root: &Path| Workspace::new(journals.clone(), world.home.path()).with_roots(vec![root.to_owned()]);
    let unrelated = at(elsewhere.path());
    assert!(unrelated.interrupted_anywhere().expect("is listed").is_empty());
    assert!(unrelated.recover().expect("recovers").is_empty());
    // A folder inside of the root, and one around it.
    for root in [world.project.join("src"), world.project.path().parent().expect("has one").to_owned()] {
        assert_eq!(at(&root).interrupted_anywhere().expect("is listed").len(), 1, "{root:?}");
    }
    let inner = at(&world.project.join("src"));
    assert_eq!(inner.recover().expect("recovers").batches[0].outcome, BatchOutcome::Undone);
    assert_eq!(std::fs::read(world.project.join("a.py")).expect("is read"), b"x = 1\ny = 2\n");
    assert_eq!(inner.take_recovered().batches.len(), 1);
    world.assert_clean("undone by another project");
}

#[test]
fn damaged_and_newer_journals() {
    let world = World::new();
    crash_when_all_are_placed(&world);
    let journal = world.workspace().list_interrupted().expect("is listed")[0].journal.clone();
    let bytes = std::fs::read(&journal).expect("is read");
    let mut newer = bytes.clone();
    newer[7] = b'2';
    std::fs::write(&journal, &newer).expect("is written");
    let error = world.workspace().recover().expect_err("is refused").to_string();
    assert!(error.contains("install the newer m1nd"), "{error}");
    assert_eq!(std::fs::read(&journal).expect("is read"), newer);
    let mut damaged = bytes;
    *damaged.last_mut().expect("has bytes") ^= 1;
    std::fs::write(&journal, damaged).expect("is written");
    let found = recover(&world);
    assert_eq!(found[0].outcome, BatchOutcome::Unreadable);
    assert!(found[0].copies.as_deref().is_some_and(Path::is_file), "{found:?}");
}
