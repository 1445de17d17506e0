//! Use of git history in queries.

#[path = "../../../history/tests/it/repository.rs"]
#[allow(dead_code, reason = "shared by several suites")]
pub(crate) mod repository;

use m1nd_base::Cancel;
use m1nd_engine::{Engine, EngineConfig, IngestRequest, Mode};
use m1nd_query::analysis::trace::{TraceQuery, trace};
use m1nd_query::retrieval::{SeekQuery, seek};
use m1nd_query::risk::changed_by;
use m1nd_testkit::TempTree;
use tempfile::TempDir;

use crate::project::ingest;
use repository::{DAY, Put, Repository, START};

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

fn open(home: &TempDir, roots: &[&TempTree]) -> Engine {
    let roots = roots.iter().map(|tree| tree.path().to_owned()).collect();
    Engine::open(EngineConfig { threads: Some(2), ..EngineConfig::new(home.path().into(), roots) }).expect("opens")
}

#[test]
fn what_changed_with_the_first_suspect_is_named() {
    let (mut repository, home) = (repository(), TempDir::new().expect("a folder"));
    repository.tree.write("other.py", "x = 1\n");
    for number in 0..9 {
        repository.commit("ann", "other", &[Put("other.py", &number.to_string())]);
    }
    let engine = open(&home, &[&repository.tree]);
    ingest(&engine, IngestRequest::code(repository.tree.path())).expect("ingests");
    let query = |window_hours| TraceQuery {
        text: "  File \"/x/a.py\", line 1, in load\nKeyError: 1\n".into(),
        format: None,
        window_hours,
        max_suspects: 9,
    };
    let answer = |window| trace(&engine.snapshot(), &query(window), &Cancel::new()).expect("not cancelled");
    let found = answer(24.0);
    assert!(found.suspects[0].signals.churn > 0.0 && found.suspects[0].signals.recency > 0.0, "{:?}", found.suspects);
    let shown: Vec<_> = found.co_changes.iter().map(|row| (&*row.path, row.support, row.is_partner)).collect();
    assert_eq!(shown, [("test_a.py", 3, true)]);
    assert_eq!(found.fix_scope.files, ["a.py", "test_a.py"]);
    let wide = answer(24.0 * 30.0);
    let shown: Vec<_> = wide.co_changes.iter().map(|row| (&*row.path, row.is_partner)).collect();
    assert_eq!(shown, [("test_a.py", true), ("other.py", false)]);
}

#[test]
fn roots_without_a_history_are_named_beside_those_with_one() {
    let (first, home) = (repository(), TempDir::new().expect("a folder"));
    let second = TempTree::new("//- b.py\ndef load():\n    pass\n");
    let engine = open(&home, &[&first.tree, &second]);
    ingest(&engine, IngestRequest::code(first.tree.path())).expect("ingests");
    let merge = IngestRequest { mode: Mode::Merge, ..IngestRequest::code(second.path()) };
    ingest(&engine, merge).expect("ingests");
    let snapshot = engine.snapshot();
    snapshot.history(&Cancel::new());
    let words = SeekQuery { text: "load".into(), graph_rerank: true, ..SeekQuery::default() };
    let found = seek(&snapshot, &words, &Cancel::new()).expect("not cancelled");
    let said = found.no_history.expect("the second root has none");
    assert!(said.starts_with(&snapshot.roots()[1].prefix) && said.contains("no history"), "{said}");
}

/// A tree of some hundred bytes stands for as many files as its folders are repeated, none of them code.
#[test]
fn a_commit_whose_folders_repeat_is_looked_through_in_part() {
    let mut repository = Repository::new();
    let bomb = |text: &str| {
        let mut tree = repository.write_tree(&[("a.md", text.as_bytes()), ("b.md", text.as_bytes())]);
        for level in 0..4 {
            let names = ('a'..='j').map(|name| format!("40000 {name}{level}\0"));
            let entries = names.flat_map(|entry| [entry.as_bytes(), tree.as_slice()].concat());
            tree = repository.write(gix_object::Kind::Tree, &entries.collect::<Vec<u8>>());
        }
        tree
    };
    let (before, after) = (bomb("wrong"), bomb("right"));
    let first = repository.write_commit(before, &[], "ann", START, "start");
    let second = repository.write_commit(after, &[first], "ann", START + DAY, "Fix all of it");
    repository.point(second);
    repository.tree.write("a.py", "x = 1\n");
    let home = TempDir::new().expect("a folder");
    let engine = open(&home, &[&repository.tree]);
    ingest(&engine, IngestRequest::code(repository.tree.path())).expect("ingests");
    let history = engine.snapshot().history(&Cancel::new());
    let place = history.place("a.py").expect("a repository");
    let touched = place.history.all_touched_by(0).count();
    assert!(touched >= 20_000, "{touched} files in one commit");
    let cancel = Cancel::at_poll(u64::MAX);
    let found = changed_by(place.history, &place.contents().expect("readable"), 0, &cancel).expect("not cancelled");
    assert_eq!(found.len(), 0);
    assert!(cancel.polls() <= 5_001, "{} files are looked at", cancel.polls());
}
