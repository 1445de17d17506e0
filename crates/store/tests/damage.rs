//! Damaged, foreign or newer databases of a project: nothing panics, nothing precious is replaced.

use std::fs;
use std::path::{Path, PathBuf};

use m1nd_store::{Home, ProjectDir, StoreError};
use m1nd_testkit::{Random, TempTree};

fn open(tree: &TempTree) -> Result<ProjectDir, StoreError> {
    Home::open(&tree.join("home"))?.project(&tree.join("repo"))
}

/// A project with some content in each database; returns its folder.
fn open_filled(tree: &TempTree) -> PathBuf {
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

/// The file that a damaged database was renamed to, if there is one.
fn find_kept(folder: &Path) -> Option<PathBuf> {
    let names = fs::read_dir(folder).expect("lists").map(|entry| entry.expect("an entry").path());
    names.into_iter().find(|path| {
        let name = path.file_name().expect("named").to_string_lossy().into_owned();
        name.starts_with("project.db.corrupt-") && !name.ends_with(".txt") && !name.ends_with("-wal")
    })
}

#[test]
fn precious_data_is_kept_and_what_is_lost_is_named() {
    let tree = tree();
    let folder = open_filled(&tree);
    let file = folder.join("project.db");
    let good = fs::read(&file).expect("readable");
    let mut refused = 0;
    for (number, bytes) in damaged_images(&good, 5, 500).into_iter().enumerate() {
        replace(&file, &bytes);
        let reader = Home::to_read(&tree.join("home")).project_to_read(&tree.join("repo"));
        let reader = reader.expect("reading goes on, whatever the image");
        let told = reader.notice().map(str::to_owned);
        let usable = reader.setting("key 0").is_ok() && told.is_none();
        drop(reader);
        assert!(usable || fs::read(&file).expect("readable") == bytes, "image {number}: a reader changed it");
        let project = match open(&tree) {
            Err(StoreError::TooNew { .. }) => {
                assert_eq!(fs::read(&file).expect("readable"), bytes, "image {number}: changed although refused");
                assert!(told.is_some(), "image {number}");
                continue;
            }
            opened => opened.unwrap_or_else(|error| panic!("image {number}: {error}")),
        };
        let lost = (0..50).filter(|number| {
            let value = project.setting(&format!("key {number}"));
            value.is_ok_and(|value| value.is_none())
        });
        let lost = lost.count();
        match project.notice() {
            Some(notice) => {
                refused += 1;
                let kept = find_kept(&folder).expect("the damaged file is kept");
                assert!(notice.contains(&kept.display().to_string()), "{notice}");
                assert_eq!(fs::read(&kept).expect("readable"), bytes, "image {number}: the kept file is another");
                assert!(told.is_some(), "image {number}: a reader used it");
                assert_eq!(project.kept_databases(), std::slice::from_ref(&kept));
                project.set_setting("key 0", Some("again")).expect("the new one is writable");
                drop(project);
                fs::remove_file(kept).expect("removable");
            }
            // A flip inside a value cannot be detected, one in unused space need not be; everything else is intact.
            None => assert!(lost <= 1, "image {number}: {lost} settings are lost without a word"),
        }
    }
    assert!(refused > 60, "only {refused} images were refused");
    replace(&file, &good);
    assert!(open(&tree).expect("the restored file opens").notice().is_none());
}

/// Another process may be using the file, and its writes would be lost with it.
#[test]
fn only_the_writer_of_a_project_puts_its_database_aside() {
    let tree = tree();
    let folder = open_filled(&tree);
    let file = folder.join("project.db");
    let writer = open(&tree).expect("the project opens");
    let lock = writer.try_lock().expect("works").expect("is free");
    drop(writer);
    replace(&file, b"something else");
    let project = open(&tree).expect("reading goes on");
    assert!(project.notice().is_some_and(|notice| notice.contains("damaged")), "{:?}", project.notice());
    let error = project.set_setting("key 0", Some("lost")).expect_err("nothing is written");
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert_eq!((fs::read(&file).expect("readable"), find_kept(&folder)), (b"something else".to_vec(), None));
    drop(lock);
    assert!(open(&tree).expect("opens").notice().is_some() && find_kept(&folder).is_some());
}

#[test]
fn a_newer_database_is_refused_untouched() {
    let tree = tree();
    let file = open_filled(&tree).join("project.db");
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
    let file = open_filled(&tree).join("project.db");
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
fn the_database_of_another_program_is_kept() {
    let tree = tree();
    let folder = open_filled(&tree);
    let file = folder.join("project.db");
    fs::remove_file(&file).expect("removable");
    let foreign = rusqlite::Connection::open(&file).expect("opens");
    foreign.execute_batch("CREATE TABLE theirs (x)").expect("writable");
    drop(foreign);
    let bytes = fs::read(&file).expect("readable");
    let project = open(&tree).expect("opens without it");
    assert!(project.notice().is_some_and(|notice| notice.contains("another program")), "{:?}", project.notice());
    assert_eq!(fs::read(find_kept(&folder).expect("kept")).expect("readable"), bytes);
}

/// The power fails while the log is written: whichever part of it is there, and whichever bit is wrong, reads see the
/// state of some commit.
#[test]
fn a_torn_log_gives_a_committed_prefix() {
    const COMMITS: usize = 40;
    const STEP: usize = 1024;
    let tree = tree();
    let folder = open_filled(&tree);
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
