//! Comparison of the index with the disk, and catching up with it.

use std::fs;
use std::time::{Duration, SystemTime};

use m1nd_base::Cancel;
use m1nd_engine::{Engine, EngineConfig, Freshness, ProcessRole};

use crate::project::{Project, incremental};

const FIXTURE: &str = "\
//- .gitignore
*.log
//- a.py
def f(): pass
//- sub/b.py
from a import f
f()
//- run.log
";

/// The paths that changed, and whether everything was compared.
fn describe_freshness((_, found): &(std::sync::Arc<m1nd_engine::Snapshot>, Freshness)) -> (String, bool) {
    let paths: Vec<&str> = found.changed.iter().map(|path| path.as_str()).collect();
    assert_eq!(paths.len(), found.total.min(Freshness::MAX_LISTED));
    (paths.join(" "), found.complete)
}

/// Makes files look as if they had been there for long: their stamps prove that they are as indexed.
fn age(project: &Project, paths: &[&str]) {
    for path in paths {
        let file = fs::File::options().write(true).open(project.tree.join(path)).expect("opens");
        file.set_modified(SystemTime::now() - Duration::from_secs(3_600)).expect("sets the time");
    }
}

type Change = fn(&Project);

/// A change on disk, and the files that are told.
const CHANGES: &[(&str, Change, &str)] = &[
    ("nothing", |_| {}, ""),
    ("added", |project| project.tree.write("c.py", "from a import f\n"), "c.py"),
    ("edited", |project| project.tree.write("a.py", "def f(): return 1\n"), "a.py"),
    ("edited, same size", |project| project.tree.write("a.py", "def g(): pass\n"), "a.py"),
    ("removed", |project| project.tree.remove("sub/b.py"), "sub/b.py"),
    (
        "renamed",
        |project| fs::rename(project.tree.join("a.py"), project.tree.join("d.py")).expect("renames"),
        "a.py d.py",
    ),
    ("touched", |project| project.tree.write("a.py", "def f(): pass\n"), ""),
    ("given another time", |project| age(project, &["a.py"]), ""),
    ("ignored", |project| project.tree.write("run.log", "text"), ""),
    ("added and ignored", |project| project.tree.write("sub/new.log", "text"), ""),
    ("ignored from now on", |project| project.tree.write(".gitignore", "*.log\nsub\n"), "sub/b.py"),
    ("folder added", |project| project.tree.write("new/deep/e.py", "pass\n"), "new/deep/e.py"),
    ("folder removed", |project| fs::remove_dir_all(project.tree.join("sub")).expect("removes"), "sub/b.py"),
];

#[test]
fn every_change_on_disk_is_told_and_caught_up_with() {
    for aged in [false, true] {
        for (what, change, expected) in CHANGES {
            let project = Project::new(FIXTURE);
            if aged {
                age(&project, &["a.py", "sub/b.py", ".gitignore"]);
            }
            let engine = project.open_indexed();
            change(&project);
            let before = engine.snapshot().generation();
            assert_eq!(describe_freshness(&engine.freshness(&Cancel::new())), ((*expected).to_owned(), true), "{what}");
            assert_eq!(engine.snapshot().generation(), before, "{what}: a look changes nothing");
            assert_eq!(describe_freshness(&engine.catch_up(&Cancel::new())), (String::new(), true), "{what}");
            assert_eq!(describe_freshness(&engine.freshness(&Cancel::new())), (String::new(), true), "{what}");
            assert_eq!(engine.snapshot().generation() > before, !expected.is_empty(), "{what}");
            let report = incremental(&engine, project.tree.path());
            assert!(!report.changed, "{what}: an ingest agrees");
        }
    }
}

#[test]
fn an_index_of_an_earlier_run_is_compared_too() {
    let project = Project::new(FIXTURE);
    drop(project.open_indexed());
    project.tree.write("c.py", "from a import f\nf()\n");
    let reader = Engine::open(EngineConfig { read_only: true, ..project.config() }).expect("opens");
    assert_eq!(describe_freshness(&reader.catch_up(&Cancel::new())), ("c.py".to_owned(), true), "it may not index");
    drop(reader);
    let engine = project.open();
    let (snapshot, found) = engine.catch_up(&Cancel::new());
    assert!(found.is_fresh() && snapshot.graph().find("file::c.py").is_some());
}

#[test]
fn a_process_beside_the_writer_tells_what_changed() {
    let project = Project::new(FIXTURE);
    let _writer = project.open_indexed();
    let beside = project.open();
    assert_eq!(beside.role(), ProcessRole::Reader);
    assert!(beside.catch_up(&Cancel::new()).1.is_fresh());
    project.tree.write("c.py", "pass\n");
    assert_eq!(describe_freshness(&beside.catch_up(&Cancel::new())), ("c.py".to_owned(), true));
}

#[test]
fn a_check_without_time_proves_nothing() {
    let project = Project::new(FIXTURE);
    drop(project.open_indexed());
    let config = EngineConfig { check_budget: Duration::ZERO, read_only: true, ..project.config() };
    let engine = Engine::open(config).expect("opens");
    let (_, found) = engine.freshness(&Cancel::new());
    assert!(!found.complete && !found.is_fresh(), "{found:?}");
    let cancelled = Cancel::new();
    cancelled.cancel();
    assert!(!project.open().freshness(&cancelled).1.is_fresh());
}

#[test]
fn a_root_that_is_gone_is_told() {
    let project = Project::new("//- repo/a.py\ndef f(): pass\n");
    let root = project.tree.join("repo");
    let config = EngineConfig { roots: vec![root.clone()], ..project.config() };
    let engine = Engine::open(config).expect("opens");
    crate::project::ingest(&engine, m1nd_engine::IngestRequest::code(&root)).expect("ingests");
    fs::rename(&root, project.tree.join("old")).expect("renames");
    assert_eq!(describe_freshness(&engine.freshness(&Cancel::new())), ("a.py".to_owned(), true));
    project.tree.write("repo/b.py", "def g(): pass\n");
    assert_eq!(describe_freshness(&engine.freshness(&Cancel::new())), ("a.py b.py".to_owned(), true));
    let (snapshot, found) = engine.catch_up(&Cancel::new());
    assert!(found.is_fresh() && snapshot.graph().find("file::b.py").is_some());
}

#[test]
fn a_watcher_is_asked_for_what_it_has_not_passed_on() {
    let project = Project::new(FIXTURE);
    let engine = Engine::open(EngineConfig { watch: true, ..project.config() }).expect("opens");
    crate::project::ingest(&engine, m1nd_engine::IngestRequest::code(project.tree.path())).expect("ingests");
    for round in 0..50 {
        let name = format!("{}new_{round}.py", if round % 5 == 0 { "deep/er/" } else { "" });
        project.tree.write(&name, "from a import f\nf()\n");
        let (snapshot, found) = engine.catch_up(&Cancel::new());
        let is_in = snapshot.graph().find(&format!("file::{name}")).is_some();
        assert!(is_in || !found.is_fresh(), "{name}: {found:?}");
    }
}

/// What a watcher knows needs no walk.
#[test]
fn an_incremental_ingest_of_a_watched_root_takes_what_changed_from_the_watcher() {
    let project = Project::new(FIXTURE);
    let engine = Engine::open(EngineConfig { watch: true, ..project.config() }).expect("opens");
    crate::project::ingest(&engine, m1nd_engine::IngestRequest::code(project.tree.path())).expect("ingests");
    let mut asked = 0;
    for round in 0..50 {
        let name = format!("new_{round}.py");
        project.tree.write(&name, "from a import f\nf()\n");
        let report = incremental(&engine, project.tree.path());
        assert!(engine.snapshot().graph().find(&format!("file::{name}")).is_some(), "{name}");
        // Of an older file the watcher may still have a belated event.
        assert!(report.files_linked <= 2, "{report:?}");
        if report.stages.iter().any(|(stage, _)| *stage == "asking watchers") {
            asked += 1;
            assert_eq!(report.files_scanned, 2 + round + 1, "{report:?}");
        }
    }
    assert!(asked > 0 || cfg!(not(target_os = "linux")), "each time the root was walked");
}

#[test]
fn checks_at_the_same_time_know_what_was_written_before_them() {
    let project = Project::new(FIXTURE);
    let engine = project.open_indexed();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (engine, project) = (&engine, &project);
            scope.spawn(move || {
                for round in 0..10 {
                    let name = format!("new_{number}_{round}.py");
                    project.tree.write(&name, "pass\n");
                    let (snapshot, found) = engine.catch_up(&Cancel::new());
                    let is_in = snapshot.graph().find(&format!("file::{name}")).is_some();
                    assert!(is_in || !found.is_fresh(), "{name}");
                }
            });
        }
    });
}

/// A root that vanished, or that a link replaced, is named as that, and nothing behind the link is read.
#[cfg(unix)]
#[test]
fn a_root_that_a_link_replaced_is_not_followed() {
    let project = Project::new("//- repo/a.py\ndef f(): pass\n//- foreign/secret.py\ndef leaked(): pass\n");
    let root = project.tree.join("repo");
    let config = EngineConfig { roots: vec![root.clone()], ..project.config() };
    let engine = Engine::open(config.clone()).expect("opens");
    crate::project::ingest(&engine, m1nd_engine::IngestRequest::code(&root)).expect("ingests");
    let said = || engine.status().notices.join("; ");
    assert_eq!(said(), "");
    fs::rename(&root, project.tree.join("old")).expect("renames");
    assert!(said().contains("is gone; its files come back with it"), "{}", said());
    std::os::unix::fs::symlink(project.tree.join("foreign"), &root).expect("is made");
    assert!(said().contains("was replaced by a link to") && said().contains("foreign"), "{}", said());
    let (snapshot, _) = engine.catch_up(&Cancel::new());
    assert!(snapshot.graph().find("file::secret.py").is_none(), "the link is not followed");
    let request = m1nd_engine::IngestRequest { incremental: true, ..m1nd_engine::IngestRequest::code(&root) };
    let _ = engine.ingest(request, &Cancel::new(), &m1nd_base::NoProgress);
    assert!(engine.snapshot().graph().find("file::secret.py").is_none(), "nor by an ingest");
    assert!(!engine.gone_roots().is_empty());
    fs::remove_file(&root).expect("is a link");
    fs::rename(project.tree.join("old"), &root).expect("renames back");
    let (snapshot, found) = engine.catch_up(&Cancel::new());
    assert!(found.is_fresh() && snapshot.graph().find("file::a.py").is_some());
    assert!(engine.gone_roots().is_empty());
}
