//! Batches that are taken back: bytes, modes and folders as before, all or none, and back again.

use m1nd_base::{Cancel, RepoPath};
use m1nd_edit::{EditError, FileChange, KEPT_MS, KeptWrite, MAX_FILE_BYTES, MAX_KEPT_BYTES, Origin, Target, Workspace};
use m1nd_vfs::Root;

use crate::faults::Faults;
use crate::world::{Tree, World, text};

const NOW: u64 = 1_000;

fn origin(undoes: Option<&str>, time_ms: u64) -> Origin {
    Origin { agent: "ann".to_owned(), tool: "apply".to_owned(), time_ms, undoes: undoes.map(str::to_owned) }
}

/// Writes the batch of the world. Returns its id.
fn write(world: &World, workspace: &Workspace) -> Option<String> {
    let plan = workspace.plan(world.batch()).expect("plans");
    workspace.commit_as(&plan, &origin(None, NOW), &Cancel::new(), &mut |_| {}).expect("commits").kept
}

/// Takes a write back. Returns the id of that.
fn undo(world: &World, workspace: &Workspace, id: &str) -> Result<Option<String>, EditError> {
    let find = |path: &RepoPath| {
        let root = Root::open(world.project.path()).expect("opens");
        Ok(Target { root, inner: path.clone(), path: path.clone() })
    };
    let plan = workspace.plan_undo(id, &find, &|error| error)?;
    let done = workspace.commit_as(&plan, &origin(Some(id), NOW), &Cancel::new(), &mut |_| {})?;
    workspace.remove_created_folders(id)?;
    Ok(done.kept)
}

fn listed(workspace: &Workspace) -> Vec<KeptWrite> {
    workspace.list_kept(NOW).expect("is listed")
}

/// The files of a tree, without folders.
fn files(tree: &Tree) -> Vec<(&String, &(Vec<u8>, u32))> {
    tree.iter().filter(|(_, (_, mode))| mode & 0o170_000 != 0o040_000).collect()
}

#[test]
fn a_batch_is_taken_back_and_back_again() {
    let world = World::new();
    let workspace = world.workspace();
    let old = world.tree();
    let id = write(&world, &workspace).expect("is kept");
    let new = world.tree();
    let kept = &listed(&workspace)[0];
    let of = |change: FileChange| kept.files.iter().filter(|file| file.change == change).count();
    assert_eq!((of(FileChange::Created), of(FileChange::Removed), of(FileChange::Replaced)), (2, 1, 8));
    assert_eq!((kept.origin.clone(), kept.is_undone), (origin(None, NOW), false));

    let back = undo(&world, &workspace, &id).expect("is undone").expect("is kept");
    assert_eq!(world.tree(), old, "bytes, modes and folders");
    let undone: Vec<bool> = listed(&workspace).iter().map(|write| write.is_undone).collect();
    assert_eq!(undone, [false, true], "newest first");

    undo(&world, &workspace, &back).expect("is undone");
    assert_eq!(files(&world.tree()), files(&new));
    let undone: Vec<bool> = listed(&workspace).iter().map(|write| write.is_undone).collect();
    assert_eq!(undone, [false, true, false]);
}

#[test]
fn a_file_that_changed_since_refuses_it() {
    let world = World::new();
    let workspace = world.workspace();
    let id = write(&world, &workspace).expect("is kept");
    let new = world.tree();
    for name in ["a.py", "latin.py", "new/c.py", "src/gone.py"] {
        let path = world.project.join(name);
        let written = std::fs::read(&path).ok();
        std::fs::write(&path, "theirs\n").expect("is written");
        let found = undo(&world, &workspace, &id);
        assert!(matches!(&found, Err(EditError::SourceModified { path, .. }) if path == name), "{name}: {found:?}");
        match written {
            Some(bytes) => std::fs::write(&path, bytes).expect("is written"),
            None => std::fs::remove_file(&path).expect("is removed"),
        }
        assert_eq!(files(&world.tree()), files(&new), "{name}");
    }
    assert!(matches!(undo(&world, &workspace, "0000"), Err(EditError::NotKept { .. })));
    undo(&world, &workspace, &id).expect("is undone");
}

/// Every operation of undoing fails once, or the process dies there: all files are old or all are new.
#[test]
fn every_step_of_undoing_fails_once_or_for_good() {
    let start = || {
        let world = World::new();
        let old = world.tree();
        let id = write(&world, &world.workspace()).expect("is kept");
        let new = world.tree();
        (world, id, old, new)
    };
    let free = Faults::new(None, false);
    let (world, id, ..) = start();
    undo(&world, &world.open_gated(&free), &id).expect("is undone");
    let steps = free.count();
    assert!(steps > 60, "{steps} steps");
    for step in 0..steps {
        for dies in [false, true] {
            let (world, id, old, new) = start();
            let what = format!("step {step}, dies: {dies}");
            _ = undo(&world, &world.open_gated(&Faults::new(Some(step), dies)), &id);
            world.workspace().recover().expect(&what);
            let now = world.tree();
            assert!(files(&now) == files(&old) || files(&now) == files(&new), "{what}");
            // Whatever happened, what is kept says whether it can be undone now.
            let is_undone = listed(&world.workspace()).iter().any(|write| write.id == id && write.is_undone);
            assert!(!is_undone || files(&now) == files(&old), "{what}");
        }
    }
}

#[test]
fn a_batch_that_a_crash_interrupted_after_its_last_file_is_kept() {
    let world = World::new();
    let free = Faults::new(None, false);
    let plan = world.workspace().plan(world.batch()).expect("plans");
    let other = World::new();
    let counted = other.open_gated(&free);
    write(&other, &counted);
    // From the end, the first step of which the failure leaves a journal with all files in place.
    for step in (0..free.count()).rev() {
        let dying = Faults::new(Some(step), true);
        let result = world.open_gated(&dying).commit_as(&plan, &origin(None, NOW), &Cancel::new(), &mut |_| {});
        let journals = world.workspace().list_interrupted().expect("is listed").len();
        world.workspace().recover().expect("recovers");
        if let [kept] = listed(&world.workspace()).as_slice() {
            assert!(undo(&world, &world.workspace(), &kept.id).is_ok(), "step {step}");
            if journals == 1 {
                return;
            }
        } else {
            panic!("step {step}: nothing is kept, {result:?}");
        }
        std::fs::remove_dir_all(world.journals()).expect("is removed");
    }
}

#[test]
fn records_have_an_age_and_a_size() {
    let world = World::new();
    let workspace = world.workspace();
    let big = usize::try_from(MAX_FILE_BYTES).expect("fits") - 2;
    let most = usize::try_from(MAX_KEPT_BYTES / MAX_FILE_BYTES).expect("fits");
    // Each takes the place of one as large, so that its record has that.
    for (number, letter) in "abcdefgh".chars().enumerate() {
        let content = format!("{}\n", letter.to_string().repeat(big));
        let plan = workspace.plan(vec![world.edit("big.txt", text(&content))]).expect("plans");
        let origin = origin(None, NOW + number as u64);
        workspace.commit_as(&plan, &origin, &Cancel::new(), &mut |_| {}).expect("commits");
    }
    let kept = listed(&workspace);
    assert!(kept.len() <= most && kept.len() + 1 >= most, "{} of 8", kept.len());
    assert_eq!(kept[0].origin.time_ms, NOW + 7, "the newest stay");
    assert_eq!(workspace.list_kept(NOW + KEPT_MS + 100).expect("is listed"), [], "a day later");
    // The next write removes what is too old.
    let plan = workspace.plan(vec![world.edit("b.txt", text("x\n"))]).expect("plans");
    let late = origin(None, NOW + KEPT_MS + 100);
    workspace.commit_as(&plan, &late, &Cancel::new(), &mut |_| {}).expect("commits");
    assert_eq!(listed(&workspace).len(), 1);
}

#[test]
fn a_program_that_was_removed_is_a_program_again() {
    let world = World::new();
    let workspace = world.workspace();
    let plan = workspace.plan(vec![world.edit("src/run.sh", m1nd_edit::Change::Remove)]).expect("plans");
    let done = workspace.commit_as(&plan, &origin(None, NOW), &Cancel::new(), &mut |_| {}).expect("commits");
    undo(&world, &workspace, &done.kept.expect("is kept")).expect("is undone");
    assert_eq!(world.tree()["src/run.sh"].1 & 0o777, 0o755);
}
