//! Damaged, foreign or newer databases of a project: nothing panics, nothing precious is replaced.

use std::fs;
use std::path::{Path, PathBuf};

use m1nd_store::{Home, ProjectDir, StoreError};
use m1nd_testkit::{Random, TempTree};

fn open(tree: &TempTree) -> Result<ProjectDir, StoreError> {
    Home::open(&tree.join("home"))?.project(&tree.join("repo"))
}

/// A project with some content in each database; returns its folder.
fn filled(tree: &TempTree) -> PathBuf {
    let project = open(tree).expect("the project opens");
    for number in 0..50 {
        project.set_setting(&format!("key {number}"), Some("value")).expect("writable");
    }
    project.set_roots(&[tree.join("repo")]).expect("writable");
    project.path().to_owned()
}

fn tree() -> TempTree {
    TempTree::new("//- repo/a.py\n")
}

/// Replaces a database that no process has open with `bytes`.
fn replace(file: &Path, bytes: &[u8]) {
    for ending in ["-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{ending}", file.display()));
    }
    fs::write(file, bytes).expect("writable");
}

fn damaged_images(good: &[u8], seed: u64, flips: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new(seed);
    let flip = |round: usize| {
        let at = if round < 100 { round } else { random.below(good.len()) };
        let mut bytes = good.to_vec();
        bytes[at] ^= 1 << random.below(8);
        bytes
    };
    let flipped: Vec<Vec<u8>> = (0..flips).map(flip).collect();
    let cut = (0..good.len()).step_by(4096).map(|end| good[..end].to_vec());
    flipped.into_iter().chain(cut).chain([vec![0; good.len()], b"something else".to_vec()]).collect()
}

#[test]
fn precious_data_is_never_replaced() {
    let tree = tree();
    let file = filled(&tree).join("project.db");
    let good = fs::read(&file).expect("readable");
    let mut refused = 0;
    for (number, bytes) in damaged_images(&good, 5, 500).into_iter().enumerate() {
        replace(&file, &bytes);
        match open(&tree) {
            Err(StoreError::Damaged { .. } | StoreError::TooNew { .. }) => {
                refused += 1;
                assert_eq!(fs::read(&file).expect("readable"), bytes, "image {number}: changed although refused");
            }
            Err(error) => panic!("image {number}: {error}"),
            // A flip inside a value cannot be detected, one in unused space need not be; everything else is intact.
            Ok(project) => {
                let lost: Vec<usize> = (0..50)
                    .filter(|number| {
                        let value = project.setting(&format!("key {number}"));
                        value.is_ok_and(|value| value.is_none())
                    })
                    .collect();
                assert!(lost.len() <= 1, "image {number}: settings {lost:?} are lost without a word");
            }
        }
    }
    assert!(refused > 60, "only {refused} images were refused");
    replace(&file, &good);
    open(&tree).expect("the restored file opens");
}

#[test]
fn a_newer_database_is_refused_untouched() {
    let tree = tree();
    let file = filled(&tree).join("project.db");
    let mut bytes = fs::read(&file).expect("readable");
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    replace(&file, &bytes);
    let error = open(&tree).expect_err("it is newer");
    assert!(matches!(error, StoreError::TooNew { found: 99, .. }), "{error}");
    assert_eq!(error.code(), "store_too_new");
    assert_eq!(fs::read(&file).expect("readable"), bytes);
}

/// The newer version may have ended without checkpointing its log; opening and closing must not do that for it.
#[test]
fn a_newer_database_with_a_log_is_refused_untouched() {
    let tree = tree();
    let file = filled(&tree).join("project.db");
    let log = PathBuf::from(format!("{}-wal", file.display()));
    let newer = rusqlite::Connection::open(&file).expect("opens");
    newer.pragma_update(None, "user_version", 9).expect("writable");
    let image = (fs::read(&file).expect("readable"), fs::read(&log).expect("a log is there"));
    drop(newer);
    fs::write(&file, &image.0).expect("writable");
    fs::write(&log, &image.1).expect("writable");
    assert_ne!(image.0[60..64], 9_u32.to_be_bytes(), "the version must be in the log only");
    let error = open(&tree).expect_err("it is newer");
    assert!(matches!(error, StoreError::TooNew { found: 9, .. }), "{error}");
    assert_eq!((fs::read(&file).expect("readable"), fs::read(&log).expect("still there")), image);
}

#[test]
fn the_database_of_another_program_is_left_alone() {
    let tree = tree();
    let file = filled(&tree).join("project.db");
    fs::remove_file(&file).expect("removable");
    let foreign = rusqlite::Connection::open(&file).expect("opens");
    foreign.execute_batch("CREATE TABLE theirs (x)").expect("writable");
    drop(foreign);
    let bytes = fs::read(&file).expect("readable");
    assert!(matches!(open(&tree), Err(StoreError::Damaged { .. })));
    assert_eq!(fs::read(&file).expect("readable"), bytes);
}

/// The power fails while the log is written: whichever part of it is there, and whichever bit is wrong, reads see the
/// state of some commit.
#[test]
fn a_torn_log_gives_a_committed_prefix() {
    const COMMITS: usize = 40;
    const STEP: usize = 1024;
    let tree = tree();
    let folder = filled(&tree);
    let file = folder.join("project.db");
    let log = PathBuf::from(format!("{}-wal", file.display()));
    let (image, whole) = {
        let project = open(&tree).expect("the project opens");
        for number in 0..COMMITS {
            project.set_setting("count", Some(&number.to_string())).expect("writable");
            project.set_roots(&vec![PathBuf::from(number.to_string()); 3]).expect("writable");
        }
        // Their current content; closing the project would checkpoint the log.
        (fs::read(&file).expect("readable"), fs::read(&log).expect("a log is there"))
    };
    let read = |log_bytes: &[u8]| {
        replace(&file, &image);
        fs::write(&log, log_bytes).expect("writable");
        let project = open(&tree).expect("a torn log is no damage");
        let count = project.setting("count").expect("readable").map(|text| text.parse::<usize>().expect("a number"));
        let roots = project.roots().expect("readable");
        assert!(roots.iter().all(|root| root == &roots[0]), "torn roots: {roots:?}");
        assert_eq!(project.setting("key 7").expect("readable").as_deref(), Some("value"));
        count
    };
    let mut last = None;
    for end in (0..whole.len()).step_by(STEP) {
        let count = read(&whole[..end]);
        assert!(count >= last, "a longer log gives older content: {count:?} after {last:?}");
        last = count;
    }
    assert_eq!(read(&whole), Some(COMMITS - 1));
    let mut random = Random::new(3);
    for _ in 0..100 {
        let mut bytes = whole.clone();
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
        read(&bytes);
    }
}
