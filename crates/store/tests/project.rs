//! Stored data is found again, and only one process writes.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use m1nd_base::ContentHash;
use m1nd_store::{Home, NewFeedback, ProjectDir, RealSystem, StoreError, Undone};
use m1nd_testkit::{Fault, FaultSystem, TempTree};

fn open(tree: &TempTree) -> ProjectDir {
    Home::open(&tree.join("home")).and_then(|home| home.project(&tree.join("repo"))).expect("the project opens")
}

fn tree() -> TempTree {
    TempTree::new("//- repo/a.py\n//- other/b.py\n")
}

#[test]
fn settings_and_roots() {
    let tree = tree();
    let project = open(&tree);
    let roots = vec![PathBuf::from("/b"), PathBuf::from("/a ä"), odd_path()];
    project.set_roots(&roots).expect("writable");
    project.set_setting("k", Some("v")).expect("writable");
    project.set_setting("gone", Some("v")).expect("writable");
    project.set_setting("gone", None).expect("writable");
    let project = open(&tree);
    assert_eq!(project.roots().expect("readable"), roots);
    assert_eq!(project.setting("k").expect("readable").as_deref(), Some("v"));
    assert_eq!(project.setting("gone").expect("readable"), None);
}

#[test]
fn derived_files_are_replaced_and_set_aside() {
    let tree = tree();
    let files = open(&tree).derived_files();
    assert_eq!(files.read("history", 9).expect("readable"), None);
    files.write("history", b"one").expect("writable");
    files.write("history", b"two").expect("writable");
    assert_eq!(open(&tree).derived_files().read("history", 9).expect("readable").as_deref(), Some(&b"two"[..]));
    assert!(files.read("history", 2).is_err(), "larger than the limit");
    for _ in 0..9 {
        files.write("history", b"bad").expect("writable");
        let kept = files.set_aside("history").expect("renamed");
        assert_eq!(fs::read(kept).expect("kept"), b"bad");
    }
    assert_eq!(files.read("history", 9).expect("readable"), None);
    let folder = files.path("history").parent().expect("a folder").to_owned();
    assert!(fs::read_dir(folder).expect("there").count() <= 6);
}

#[cfg(unix)]
fn odd_path() -> PathBuf {
    <std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(b"/not-\xff-utf8".to_vec()).into()
}

#[cfg(not(unix))]
fn odd_path() -> PathBuf {
    PathBuf::from("/c")
}

#[test]
fn the_same_folder_is_the_same_project() {
    let tree = tree();
    let home = Home::open(&tree.join("home")).expect("the home opens");
    let path = |root: &str| home.project(&tree.join(root)).expect("the project opens").path().to_owned();
    assert_eq!(path("repo"), path("repo/../repo/."));
    assert_ne!(path("repo"), path("other"));
    assert!(matches!(home.project(&tree.join("nothing")), Err(StoreError::Io { .. })));
}

#[test]
fn snapshots_replace_each_other_and_old_ones_stay_readable() {
    let tree = tree();
    let project = open(&tree);
    assert!(!project.snapshot_path().exists());
    let publish = |text: &str| project.publish_snapshot(&mut |out| out.write_all(text.as_bytes())).expect("writable");
    let first = publish("one");
    assert_eq!(project.snapshot_path(), first);
    let mut reader = fs::File::open(&first).expect("it is there");
    let second = publish("two");
    assert_ne!(first, second);
    assert!(first.exists(), "a reader may be about to open it");
    publish("three");
    let last = publish("four");
    assert!(!first.exists() && !second.exists());
    let mut text = String::new();
    std::io::Read::read_to_string(&mut reader, &mut text).expect("an open file stays");
    assert_eq!(text, "one");
    assert_eq!(fs::read_to_string(open(&tree).snapshot_path()).expect("readable"), "four");

    // Quarantined: the previous one is current, and the number is not reused.
    let kept = project.quarantine(&last, "checksum does not fit").expect("it can be renamed");
    assert!(kept.to_string_lossy().contains(".corrupt-") && kept.exists());
    assert_eq!(fs::read_to_string(project.snapshot_path()).expect("readable"), "three");
    assert!(publish("five") > last);
}

#[test]
fn a_failed_writer_changes_nothing() {
    let tree = tree();
    let project = open(&tree);
    project.publish_snapshot(&mut |out| out.write_all(b"good")).expect("writable");
    let failed = project.publish_snapshot(&mut |out| {
        out.write_all(b"half")?;
        Err(std::io::Error::other("the graph has no more"))
    });
    assert!(matches!(failed, Err(StoreError::Io { action: "write", .. })), "{failed:?}");
    assert_eq!(fs::read(project.snapshot_path()).expect("readable"), b"good");
    project.publish_snapshot(&mut |out| out.write_all(b"better")).expect("not closed by that");
}

#[test]
fn only_the_last_damaged_snapshots_are_kept() {
    let tree = tree();
    let project = open(&tree);
    for round in 0..10 {
        let path = project.publish_snapshot(&mut |out| write!(out, "{round}")).expect("writable");
        project.quarantine(&path, "checksum does not fit").expect("it can be renamed");
    }
    let folder = project.snapshot_path().parent().expect("it has a folder").to_owned();
    let names = fs::read_dir(folder).expect("listable").map(|entry| entry.expect("listable").file_name());
    let kept = names.filter(|name| name.to_string_lossy().contains(".corrupt-")).count();
    assert!((1..=6).contains(&kept), "{kept} are kept");
}

/// The system may have dropped the data of a failed sync and report success for the next.
#[test]
fn after_a_failed_synchronisation_nothing_more_is_written() {
    let tree = tree();
    let system = FaultSystem::new(Arc::new(RealSystem));
    let reopen = || {
        let home = Home::open_with(&tree.join("home"), Arc::new(system.clone()))?;
        home.project(&tree.join("repo"))
    };
    let publish = |project: &ProjectDir, text: &str| {
        project.publish_snapshot(&mut |out| out.write_all(text.as_bytes())).map(drop)
    };
    let project = reopen().expect("the project opens");
    publish(&project, "one").expect("nothing fails yet");
    // Folder, file, content, sync.
    system.fail(3, Fault::Device);
    assert!(matches!(publish(&project, "two"), Err(StoreError::Io { action: "synchronise", .. })));
    assert!(matches!(publish(&project, "three"), Err(StoreError::Closed { .. })));
    assert!(matches!(project.set_setting("k", Some("v")), Err(StoreError::Closed { .. })));
    assert_eq!(fs::read(project.snapshot_path()).expect("readable"), b"one");
    let project = reopen().expect("the project opens again");
    publish(&project, "four").expect("open again, writable again");
    assert_eq!(fs::read(project.snapshot_path()).expect("readable"), b"four");
}

#[test]
fn a_useless_pointer_is_not_followed() {
    let tree = tree();
    let project = open(&tree);
    let path = project.publish_snapshot(&mut |out| out.write_all(b"x")).expect("writable");
    for pointer in
        ["", "../../../etc/passwd", "snapshot-99.m1nd", "snapshot-01.m1nd", "snapshot-1.m1nd.corrupt-1", "\0"]
    {
        fs::write(path.with_file_name("current"), pointer).expect("writable");
        assert_eq!(project.snapshot_path(), path, "{pointer:?}");
    }
    fs::write(path.with_file_name("current"), vec![b'x'; 1 << 20]).expect("writable");
    assert_eq!(project.snapshot_path(), path);
}

#[test]
fn one_writer_at_a_time() {
    let tree = tree();
    let (one, two) = (open(&tree), open(&tree));
    let lock = one.try_lock().expect("lockable").expect("free");
    assert!(two.try_lock().expect("lockable").is_none());
    assert!(one.try_lock().expect("lockable").is_none());
    drop(lock);
    assert!(two.try_lock().expect("lockable").is_some());
}

#[test]
fn leftovers_of_a_crash_are_swept_by_the_next_writer() {
    let tree = tree();
    let project = open(&tree);
    project.publish_snapshot(&mut |out| out.write_all(b"x")).expect("writable");
    let leftover = project.snapshot_path().with_file_name(format!(".tmp-{}-0", std::process::id()));
    fs::write(&leftover, "half").expect("writable");
    project.publish_snapshot(&mut |out| out.write_all(b"y")).expect("a taken name is no obstacle");
    let _lock = project.try_lock().expect("lockable").expect("free");
    assert!(!leftover.exists());
    assert_eq!(fs::read(project.snapshot_path()).expect("readable"), b"y");
}

/// Earlier versions kept a database of derived data here; its state is irrelevant.
#[test]
fn a_file_of_an_earlier_version_does_not_keep_the_project_from_opening() {
    let tree = tree();
    let project = open(&tree);
    project.set_setting("k", Some("v")).expect("writable");
    fs::write(project.path().join("derived.db"), "not a database").expect("writable");
    drop(project);
    assert_eq!(open(&tree).setting("k").expect("readable").as_deref(), Some("v"));
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_look() {
    use std::os::unix::fs::PermissionsExt;
    let tree = tree();
    let home = Home::open(&tree.join("home")).expect("the home opens");
    let facts = home.facts_cache().expect("the cache opens");
    facts.put_many(&[(ContentHash::of(b"k"), b"v".to_vec())], 1).expect("writable");
    let project = open(&tree);
    project.set_setting("k", Some("v")).expect("writable");
    project.publish_snapshot(&mut |out| out.write_all(b"x")).expect("writable");
    let _lock = project.try_lock().expect("lockable").expect("free");
    let mut folders = vec![home.path().to_owned()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        let mode = |path: &std::path::Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
        for entry in fs::read_dir(&folder).expect("listable") {
            let path = entry.expect("listable").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files += 1;
                assert_eq!(mode(&path), 0o600, "{}", path.display());
            }
        }
    }
    assert!(files >= 7, "databases with their logs, a snapshot, its pointer and the lock; found {files}");
}

#[test]
fn feedback_is_added_taken_back_and_seen_by_others() {
    let tree = tree();
    let (one, other) = (open(&tree), open(&tree));
    let told = |query: &str, key: Option<&str>| NewFeedback {
        at_ms: 7,
        agent: "ann".into(),
        kind: "correct".into(),
        query: query.into(),
        strength: 0.2,
        key: key.map(str::to_owned),
        nodes: vec!["file::b".into(), "file::a".into()],
    };
    let newest = |project: &ProjectDir| project.newest_feedback().expect("readable");
    assert_eq!(newest(&other), 0);
    one.set_setting("k", Some("v")).expect("writable");
    assert_eq!(newest(&other), 0, "other writes are none of it");
    let (first, known) = one.add_feedback(&told("first", Some("k"))).expect("writable");
    assert!(!known && newest(&other) == first);
    assert_eq!(one.add_feedback(&told("other", Some("k"))).expect("writable"), (first, true));
    let (second, _) = other.add_feedback(&told("second", None)).expect("writable");
    assert!(second > first);
    let standing = |limit| one.feedback(limit).expect("readable").iter().map(|row| row.id).collect::<Vec<_>>();
    assert_eq!((standing(9), standing(1)), (vec![first, second], vec![second]));
    assert_eq!(one.feedback(9).expect("readable")[0].told, told("first", Some("k")));
    let Undone::Now(undo) = one.undo_feedback(first, "bob", 8).expect("writable") else { panic!("it stands") };
    assert_eq!(other.undo_feedback(first, "bob", 9).expect("writable"), Undone::Before(undo));
    assert_eq!(one.undo_feedback(undo, "bob", 9).expect("writable"), Undone::NotThere);
    assert_eq!(one.undo_feedback(99, "bob", 9).expect("writable"), Undone::NotThere);
    assert_eq!(standing(9), [second]);
    drop((one, other));
    assert_eq!(open(&tree).feedback(9).expect("readable").len(), 1);
}
