//! Changes on disk: replaced roots and files, limits, stores of other versions.

use std::fs;
use std::path::Path;
use std::time::Duration;

use m1nd_base::ProblemKind;
use m1nd_engine::{Engine, EngineConfig, IngestRequest, Mode, Snapshot};
use m1nd_testkit::TempTree;

use crate::project::{Project, incremental, ingest};

fn list_skipped(snapshot: &Snapshot) -> Vec<(String, ProblemKind)> {
    snapshot.list_skipped().iter().map(|(path, why)| (path.clone(), why.kind)).collect()
}

fn has(engine: &Engine, id: &str) -> bool {
    engine.snapshot().graph().find(id).is_some()
}

/// Waits for a watcher; only a failing test waits for long.
fn await_that(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..6_000 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("never came: {what}");
}

/// Everything that a clean build of the same folder must have in common with `engine`.
fn state(engine: &Engine) -> String {
    let snapshot = engine.snapshot();
    let files: Vec<&str> = snapshot.files().iter().map(|file| file.path.as_str()).collect();
    format!("{files:?}\n{:?}\n{}", snapshot.list_skipped(), snapshot.graph().dump())
}

fn clean(root: &Path) -> String {
    let home = tempfile::TempDir::new().expect("temporary folder");
    let engine = Engine::open(EngineConfig::new(home.path().into(), vec![root.into()])).expect("opens");
    ingest(&engine, IngestRequest::code(root)).expect("ingests");
    state(&engine)
}

/// A project below a folder that stays, so that the root can go and come back.
fn open_nested() -> (Project, std::path::PathBuf, EngineConfig) {
    let project = Project::new("//- repo/a.py\ndef f(): pass\n");
    let root = project.tree.join("repo");
    let config = EngineConfig { roots: vec![root.clone()], ..project.config() };
    (project, root, config)
}

#[cfg(unix)]
#[test]
fn a_root_made_anew_is_read_anew() {
    let (project, root, config) = open_nested();
    let engine = Engine::open(config).expect("opens");
    ingest(&engine, IngestRequest::code(&root)).expect("ingests");
    fs::rename(&root, project.tree.join("old")).expect("renames");
    project.tree.write("repo/b.py", "def g(): pass\n");
    incremental(&engine, &root);
    assert!(has(&engine, "file::b.py::fn::g") && !has(&engine, "file::a.py"));
    let text = engine.snapshot().read_file(&crate::project::path("b.py")).expect("it is read through the new handle");
    assert_eq!(text.text, "def g(): pass\n");
}

#[cfg(unix)]
#[test]
fn a_watched_root_that_goes_is_reported_and_comes_back() {
    let (project, root, config) = open_nested();
    let engine = Engine::open(EngineConfig { watch: true, ..config }).expect("opens");
    ingest(&engine, IngestRequest::code(&root)).expect("ingests");
    fs::rename(&root, project.tree.join("old")).expect("renames");
    await_that("the root is reported", || {
        list_skipped(&engine.snapshot()) == [(".".to_owned(), ProblemKind::Unreadable)]
    });
    assert!(engine.snapshot().is_empty(), "its files are gone");
    assert_eq!(engine.status().roots, std::slice::from_ref(&root), "it stays a root");
    project.tree.write("repo/c.py", "def h(): pass\n");
    await_that("the root is back", || has(&engine, "file::c.py::fn::h"));
    assert_eq!(list_skipped(&engine.snapshot()), []);
    project.tree.write("repo/d.py", "def i(): pass\n");
    await_that("it is watched again", || has(&engine, "file::d.py::fn::i"));
}

#[cfg(unix)]
#[test]
fn a_link_put_in_place_of_a_file_is_no_file_whoever_sees_it() {
    let project = Project::new("//- a.py\ndef f(): pass\n//- b.py\ndef g(): pass\n");
    let engine = Engine::open(EngineConfig { watch: true, ..project.config() }).expect("opens");
    ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests");
    fs::remove_file(project.tree.join("b.py")).expect("removes");
    std::os::unix::fs::symlink("a.py", project.tree.join("b.py")).expect("links");
    await_that("the file is gone", || !has(&engine, "file::b.py"));
    await_that("the link is told", || {
        list_skipped(&engine.snapshot()) == [("b.py".to_owned(), ProblemKind::SymbolicLink)]
    });
    assert_eq!(state(&engine), clean(project.tree.path()));
}

#[test]
fn a_watcher_follows_the_options_of_the_last_ingest() {
    let project = Project::new("//- a.py\ndef f(): pass\n//- .conf/b.py\ndef g(): pass\n");
    let engine = Engine::open(EngineConfig { watch: true, ..project.config() }).expect("opens");
    ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests");
    assert!(!has(&engine, "file::.conf/b.py"));
    let all = IngestRequest { include_hidden: true, ..IngestRequest::code(project.tree.path()) };
    ingest(&engine, all).expect("ingests");
    assert!(has(&engine, "file::.conf/b.py"));
    project.tree.write(".conf/c.py", "def h(): pass\n");
    await_that("a hidden file is seen", || has(&engine, "file::.conf/c.py::fn::h"));
}

#[test]
fn the_first_of_several_roots_does_not_take_the_files_of_the_others() {
    let (project, other) = (Project::new("//- a.py\ndef f(): pass\n"), TempTree::new("//- b.py\ndef g(): pass\n"));
    let roots = vec![project.tree.path().into(), other.path().into()];
    let engine = Engine::open(EngineConfig { roots, ..project.config() }).expect("opens");
    let merge = |root: &Path| IngestRequest { mode: Mode::Merge, ..IngestRequest::code(root) };
    ingest(&engine, merge(project.tree.path())).expect("ingests");
    ingest(&engine, merge(other.path())).expect("ingests");
    let count = engine.snapshot().files().len();
    assert_eq!(count, 2);
    project.tree.write("c.py", "def h(): pass\n");
    ingest(&engine, merge(project.tree.path())).expect("ingests");
    assert_eq!(engine.snapshot().files().len(), 3, "{:?}", engine.snapshot().files());
}

#[test]
fn the_node_limit_holds_for_the_index_and_refused_files_keep_nothing() {
    let project = Project::new("//- a.py\ndef f(): pass\n//- b.py\ndef g(): pass\n");
    let mut config = project.config();
    config.limits.graph_nodes = 5;
    let engine = Engine::open(config).expect("opens");
    ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests");
    assert_eq!(list_skipped(&engine.snapshot()), [], "four nodes fit");
    project.tree.write("c.py", "def h(): pass\n");
    incremental(&engine, project.tree.path());
    assert_eq!(list_skipped(&engine.snapshot()), [("c.py".to_owned(), ProblemKind::GraphLimit)], "six do not");
    project.tree.write("b.py", "def g2(): pass\ndef g3(): pass\ndef g4(): pass\n");
    project.tree.remove("c.py");
    incremental(&engine, project.tree.path());
    assert_eq!(list_skipped(&engine.snapshot()), [("b.py".to_owned(), ProblemKind::GraphLimit)]);
    assert!(
        !has(&engine, "file::b.py::fn::g") && !has(&engine, "file::b.py"),
        "what it was is not shown as what it is"
    );
    project.tree.write("b.py", "def g5(): pass\n");
    incremental(&engine, project.tree.path());
    assert_eq!(list_skipped(&engine.snapshot()), []);
    assert!(has(&engine, "file::b.py::fn::g5"));
}

#[test]
fn old_facts_are_dropped_past_their_bound() {
    let project = Project::new("");
    let text =
        |number: usize| (0..50).map(|def| format!("def f{number}_{def}(a, b): return a + {def}\n")).collect::<String>();
    (0..40).for_each(|number| project.tree.write(format!("m{number}.py"), text(number)));
    let stored = || {
        let home = m1nd_store::Home::open(project.home.path()).expect("opens");
        home.facts_cache().expect("opens").stored_bytes().expect("readable")
    };
    drop(project.open_indexed());
    let all = stored();
    assert!(all > 10_000, "{all} bytes");
    let bound = all / 2;
    let engine = Engine::open(EngineConfig { facts_bytes: bound, ..project.config() }).expect("opens");
    ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests");
    drop(engine);
    let left = stored();
    assert!(left <= bound && left > 0, "{left} of {all} are left, bound {bound}");
    let engine = project.open();
    ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests without the dropped facts");
    assert_eq!(engine.snapshot().files().len(), 40);
}

#[test]
fn derived_files_of_another_version_or_in_ruins_do_not_keep_it_from_opening() {
    let project = Project::new("//- a.py\ndef f(): pass\n");
    drop(project.open_indexed());
    let facts = project.home.path().join("cache/facts/facts.db");
    let folder =
        fs::read_dir(project.home.path().join("projects")).expect("lists").next().expect("one").expect("entry");
    let mut newer = fs::read(&facts).expect("readable");
    newer[60..64].copy_from_slice(&99_u32.to_be_bytes());
    for bytes in [newer, b"no database".to_vec(), Vec::new()] {
        for ending in ["-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{ending}", facts.display()));
        }
        fs::write(&facts, &bytes).expect("writable");
        fs::write(folder.path().join("derived.db"), &bytes).expect("writable");
        let engine = project.open();
        ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests");
        assert!(has(&engine, "file::a.py::fn::f"));
    }
}
