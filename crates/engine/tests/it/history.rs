//! Histories of a snapshot's files.

#[path = "../../../history/tests/it/repository.rs"]
#[allow(dead_code, reason = "shared with the tests of the history itself")]
pub(crate) mod repository;

use m1nd_base::Cancel;
use m1nd_engine::{Engine, EngineConfig, IngestRequest, Mode, Snapshot};
use m1nd_testkit::TempTree;
use repository::{Put, Repository};
use tempfile::TempDir;

use crate::project::ingest;

fn open(home: &TempDir, roots: &[&TempTree]) -> Engine {
    let roots = roots.iter().map(|tree| tree.path().to_owned()).collect();
    Engine::open(EngineConfig { threads: Some(2), ..EngineConfig::new(home.path().into(), roots) }).expect("opens")
}

fn repository() -> Repository {
    let mut repository = Repository::new();
    repository.tree.write("a.py", "def load():\n    pass\n");
    repository.tree.write("test_a.py", "import a\n");
    for number in 0..3 {
        let text = number.to_string();
        repository.commit("ann", &format!("both {number}"), &[Put("a.py", &text), Put("test_a.py", &text)]);
    }
    repository
}

fn subjects(snapshot: &Snapshot, path: &str) -> Vec<String> {
    let history = snapshot.history(&Cancel::new());
    history.file(path).map_or_else(Vec::new, |file| file.subjects().map(str::to_owned).collect())
}

#[test]
fn a_snapshot_follows_what_is_checked_out() {
    let (mut repository, home) = (repository(), TempDir::new().expect("a folder"));
    let engine = open(&home, &[&repository.tree]);
    ingest(&engine, IngestRequest::code(repository.tree.path())).expect("ingests");
    let snapshot = engine.snapshot();
    assert!(snapshot.loaded_history().is_none(), "nobody asked for it");
    assert_eq!(subjects(&snapshot, "a.py"), ["both 2", "both 1", "both 0"]);
    assert!(snapshot.loaded_history().is_some_and(|history| history.is_known() && history.gaps().is_empty()));
    let history = snapshot.history(&Cancel::new());
    let partners = history.partners("a.py", 5);
    assert_eq!(partners.iter().map(|row| (&*row.path, row.partner.support)).collect::<Vec<_>>(), [("test_a.py", 3)]);
    repository.commit("bob", "one more", &[Put("a.py", "more")]);
    assert_eq!(subjects(&snapshot, "a.py")[0], "one more", "the index did not change, what is checked out did");
}

#[test]
fn a_stored_history_is_used_and_a_damaged_one_is_not() {
    let (repository, home) = (repository(), TempDir::new().expect("a folder"));
    let engine = open(&home, &[&repository.tree]);
    ingest(&engine, IngestRequest::code(repository.tree.path())).expect("ingests");
    let expected = subjects(&engine.snapshot(), "a.py");
    drop(engine);
    // Without its objects nothing can be read but what is stored.
    std::fs::rename(repository.tree.join(".git/objects"), repository.tree.join(".git/away")).expect("renamed");
    let engine = open(&home, &[&repository.tree]);
    assert_eq!(subjects(&engine.snapshot(), "a.py"), expected);
    drop(engine);
    std::fs::rename(repository.tree.join(".git/away"), repository.tree.join(".git/objects")).expect("renamed");
    let stored = walk(home.path()).into_iter().find(|path| path.to_string_lossy().contains("history-"));
    let stored = stored.expect("a stored history");
    let mut bytes = std::fs::read(&stored).expect("readable");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(&stored, bytes).expect("written");
    let engine = open(&home, &[&repository.tree]);
    assert_eq!(subjects(&engine.snapshot(), "a.py"), expected);
    let set_aside = walk(home.path()).into_iter().filter(|path| path.to_string_lossy().contains(".corrupt-")).count();
    assert_eq!(set_aside, 1);
    drop(engine);
    std::fs::rename(repository.tree.join(".git/objects"), repository.tree.join(".git/away")).expect("renamed");
    assert_eq!(subjects(&open(&home, &[&repository.tree]).snapshot(), "a.py"), expected, "it was stored anew");
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found
}

#[test]
fn without_history_there_is_a_reason() {
    let (tree, home) = (TempTree::new("//- a.py\nx = 1\n"), TempDir::new().expect("a folder"));
    let engine = open(&home, &[&tree]);
    ingest(&engine, IngestRequest::code(tree.path())).expect("ingests");
    let history = engine.snapshot().history(&Cancel::new());
    assert!(!history.is_known() && history.file("a.py").is_none() && history.partners("a.py", 3).is_empty());
    assert_eq!(history.gaps(), ["no history: the root is not the top of a git repository"]);
    assert!(Snapshot::empty().history(&Cancel::new()).gaps().is_empty(), "no roots, no gaps");
}

#[test]
fn every_root_has_its_own() {
    let (first, second, home) = (repository(), repository(), TempDir::new().expect("a folder"));
    let engine = open(&home, &[&first.tree, &second.tree]);
    ingest(&engine, IngestRequest::code(first.tree.path())).expect("ingests");
    let merge = IngestRequest { mode: Mode::Merge, ..IngestRequest::code(second.tree.path()) };
    ingest(&engine, merge).expect("ingests");
    let snapshot = engine.snapshot();
    let prefix = snapshot.roots()[1].prefix.clone();
    let path = format!("{prefix}a.py");
    assert_eq!(subjects(&snapshot, &path).len(), 3);
    let history = snapshot.history(&Cancel::new());
    assert_eq!(history.partners(&path, 3)[0].path, format!("{prefix}test_a.py"));
}
