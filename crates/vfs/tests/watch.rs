//! Relevant changes are reported, once.

use std::collections::BTreeSet;
use std::fs;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use m1nd_base::{Cancel, Limits, NoProgress, RepoPath};
use m1nd_testkit::TempTree;
use m1nd_vfs::{Changes, Root, WalkOptions, Watcher};

/// Pause that ends a batch.
const DEBOUNCE: Duration = Duration::from_millis(20);
/// Maximum delay of a report on a busy machine; reached only by a failing test.
const PATIENCE: Duration = Duration::from_secs(20);

struct Session {
    tree: TempTree,
    root: Root,
    watcher: Watcher,
    changes: Receiver<Changes>,
}

impl Session {
    fn start(fixture: &str) -> Self {
        Self::start_with(fixture, DEBOUNCE)
    }

    fn start_with(fixture: &str, debounce: Duration) -> Self {
        let tree = TempTree::new(fixture);
        let root = Root::open(tree.path()).expect("the root opens");
        let (sink, changes) = channel();
        let sink = Box::new(move |batch| drop(sink.send(batch)));
        let watcher = Watcher::start(&root, WalkOptions::default(), Limits::default(), debounce, None, sink)
            .expect("it can be watched");
        let session = Self { tree, root, watcher, changes };
        assert_eq!(session.next(), Changes::Rescan, "everything may have changed before the first watch");
        session
    }

    fn next(&self) -> Changes {
        self.changes.recv_timeout(PATIENCE).expect("a change is told")
    }

    /// Waits until each of `expected` was reported; returns all other reported paths.
    fn await_paths(&self, expected: &[&str]) -> BTreeSet<String> {
        let mut missing: BTreeSet<String> = expected.iter().map(|&path| path.to_owned()).collect();
        let mut others = BTreeSet::new();
        while !missing.is_empty() {
            match self.next() {
                Changes::Paths(paths) => {
                    for path in paths {
                        if !missing.remove(path.as_str()) && !expected.contains(&path.as_str()) {
                            others.insert(path.as_str().to_owned());
                        }
                    }
                }
                Changes::Rescan => panic!("a rescan was asked for while {missing:?} were expected"),
            }
        }
        others
    }

    fn await_rescan(&self) {
        while self.next() != Changes::Rescan {}
    }
}

fn nothing() -> BTreeSet<String> {
    BTreeSet::new()
}

#[test]
fn files_made_changed_and_removed() {
    let session = Session::start("//- a.py\n//- src/b.py\n");
    session.tree.write("src/b.py", "x = 1");
    assert_eq!(session.await_paths(&["src/b.py"]), nothing());
    session.tree.write("src/new.py", "");
    session.tree.remove("a.py");
    assert_eq!(session.await_paths(&["src/new.py", "a.py"]), nothing());
    fs::rename(session.tree.join("src/new.py"), session.tree.join("src/moved.py")).expect("it can be renamed");
    assert_eq!(session.await_paths(&["src/new.py", "src/moved.py"]), nothing());
    assert_eq!(session.watcher.health().degraded, None);
    assert_eq!(session.watcher.health().folders, 2);
}

#[test]
fn new_folders_are_watched_with_all_they_hold() {
    let session = Session::start("//- a.py\n");
    session.tree.write("x/y/z.py", "");
    assert_eq!(session.await_paths(&["x/y/z.py"]), nothing());
    session.tree.write("x/y/later.py", "");
    assert_eq!(session.await_paths(&["x/y/later.py"]), nothing());
}

#[test]
fn what_is_not_indexed_is_not_told() {
    let session = Session::start("//- .gitignore\n*.log\ngen/\n//- gen/a.py\n//- node_modules/m/i.js\n//- src/a.py\n");
    for path in ["a.log", "src/b.log", "gen/b.py", "node_modules/m/j.js", ".hidden", ".env", ".git/HEAD", "dist/x.js"] {
        session.tree.write(path, "x");
    }
    session.tree.write("src/last.py", "");
    assert_eq!(session.await_paths(&["src/last.py"]), nothing());
}

#[test]
fn our_own_reading_is_no_change() {
    let session = Session::start("//- a.py\n//- src/b.py\n");
    for _ in 0..100 {
        let walk = session
            .root
            .walk(&WalkOptions::default(), &Limits::default(), &Cancel::new(), &NoProgress)
            .expect("nobody cancels");
        for (path, _) in walk.files {
            session.root.read(&path, 1 << 20).expect("readable");
        }
    }
    session.tree.write("marker.py", "");
    assert_eq!(session.next(), Changes::Paths(vec![RepoPath::new("marker.py").expect("well-formed")]));
}

#[test]
fn changed_rules_and_lost_folders_call_for_a_rescan() {
    let session = Session::start("//- a.py\n//- src/b.py\n//- src/in/c.py\n//- gen/d.py\n");
    session.tree.write(".gitignore", "gen/\n");
    session.await_rescan();
    session.tree.write("gen/e.py", "");
    session.tree.write("a.py", "x");
    assert_eq!(session.await_paths(&["a.py"]), nothing());
    fs::rename(session.tree.join("src"), session.tree.join("lib")).expect("it can be renamed");
    session.await_rescan();
    session.tree.write("lib/in/c.py", "x");
    session.await_paths(&["lib/in/c.py"]);
    session.tree.remove("lib");
    session.await_rescan();
}

#[test]
fn a_storm_becomes_a_rescan() {
    // Long enough to put everything in one batch, or all but the first few on a busy machine.
    let session = Session::start_with("//- a.py\n", Duration::from_millis(500));
    for number in 0..3_000 {
        session.tree.write(format!("{number}.py"), "");
    }
    session.await_rescan();
}

#[cfg(target_os = "linux")]
#[test]
fn a_single_save_does_not_wait_for_the_whole_pause() {
    let pause = PATIENCE / 2;
    let session = Session::start_with("//- a.py\n", pause);
    let begin = std::time::Instant::now();
    session.tree.write("a.py", "x = 1");
    assert_eq!(session.await_paths(&["a.py"]), nothing());
    session.tree.write("b.py.tmp", "x = 1");
    fs::rename(session.tree.join("b.py.tmp"), session.tree.join("b.py")).expect("it can be renamed");
    session.await_paths(&["b.py"]);
    assert!(begin.elapsed() < pause, "{:?}", begin.elapsed());
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_written_to_waits() {
    use std::io::Write as _;
    let session = Session::start_with("//- a.py\n", Duration::from_millis(700));
    let mut file = fs::File::create(session.tree.join("a.py")).expect("it can be written");
    for _ in 0..3 {
        file.write_all(b"x = 1\n").expect("it can be written");
        std::thread::sleep(Duration::from_millis(50));
        assert!(session.changes.try_recv().is_err(), "nothing is passed on before the end");
    }
    drop(file);
    assert_eq!(session.await_paths(&["a.py"]), nothing());
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let outside = TempTree::new("//- a.py\n");
    let session = Session::start("//- a.py\n");
    std::os::unix::fs::symlink(outside.path(), session.tree.join("link")).expect("a link can be made");
    outside.write("b.py", "");
    session.tree.write("last.py", "");
    // The link itself is reported, because it may have replaced a file.
    let others = session.await_paths(&["last.py"]);
    assert!(others.iter().all(|path| path == "link"), "{others:?}");
}

#[test]
fn the_sink_is_let_go_after_the_watcher() {
    let session = Session::start("//- a.py\n");
    drop(session.watcher);
    while session.changes.recv_timeout(PATIENCE).is_ok() {}
    assert_eq!(session.changes.try_recv(), Err(std::sync::mpsc::TryRecvError::Disconnected));
}

#[test]
fn a_sink_that_fails_is_seen() {
    let tree = TempTree::new("//- a.py\n");
    let root = Root::open(tree.path()).expect("the root opens");
    let (ended, end) = channel::<()>();
    let sink = Box::new(move |_| {
        let _ = &ended;
        panic!("on purpose");
    });
    let watcher = Watcher::start(&root, WalkOptions::default(), Limits::default(), DEBOUNCE, None, sink)
        .expect("it can be watched");
    // The sink is dropped with its thread, after the thread has reported its end.
    assert!(end.recv_timeout(PATIENCE).is_err());
    assert!(watcher.health().degraded.is_some_and(|reason| reason.contains("ended")));
}

#[cfg(unix)]
#[test]
fn a_root_that_another_folder_replaced_calls_for_a_rescan() {
    let session = Session::start("//- a.py\n");
    let elsewhere = TempTree::new("");
    fs::rename(session.tree.path(), elsewhere.join("old")).expect("it can be renamed");
    fs::create_dir(session.tree.path()).expect("it can be made");
    session.await_rescan();
}

#[cfg(target_os = "linux")]
#[test]
fn a_flush_reports_everything_before_it_without_a_pause() {
    let (tree, marks) = (TempTree::new("//- a.py\n"), TempTree::new(""));
    let root = Root::open(tree.path()).expect("the root opens");
    let (sink, changes) = channel();
    let sink = Box::new(move |batch| drop(sink.send(batch)));
    // No pause ever ends a batch of this test.
    let (options, limits, marks) = (WalkOptions::default(), Limits::default(), Some(marks.path().to_owned()));
    let watcher = Watcher::start(&root, options, limits, Duration::from_secs(3_600), marks, sink).expect("it watches");
    assert_eq!(changes.recv_timeout(PATIENCE), Ok(Changes::Rescan));
    for round in 0..50 {
        let path = format!("{}new_{round}.py", if round % 2 == 0 { "" } else { "deep/er/" });
        tree.write(&path, "pass\n");
        assert!(watcher.flush(PATIENCE), "{path}");
        let all: Vec<Changes> = changes.try_iter().collect();
        let names =
            |changes: &Changes| matches!(changes, Changes::Paths(paths) if paths.iter().any(|it| it.as_str() == path));
        assert!(all.iter().any(names), "{path}: {all:?}");
    }
    assert!(watcher.flush(PATIENCE), "nothing happened");
    assert_eq!(changes.try_iter().count(), 0);
}
