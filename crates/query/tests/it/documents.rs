//! Sections of documents and string literals are found.

use m1nd_base::{Cancel, NodeKind};
use m1nd_engine::Snapshot;
use m1nd_query::retrieval::SeekQuery;

use crate::project::{Project, incremental};

const FIXTURE: &str = r#"
//- docs/guide.md
# Guide

Start here.

## Connections

The pool hands out connections until it is exhausted.

## Retries

Waits grow with each attempt.
//- src/pool.py
class Pool:
    def acquire(self):
        raise RuntimeError("no connection is left: the pool is exhausted")

    def release(self, connection):
        self.free.append(connection)
//- src/other.py
def exhausted(pool):
    return not pool.free

def connection_left(pool):
    return len(pool.free)
"#;

fn seek(snapshot: &Snapshot, text: &str, kinds: &[NodeKind]) -> Vec<String> {
    let query = SeekQuery { text: text.to_owned(), kinds: kinds.to_vec(), graph_rerank: true, ..SeekQuery::default() };
    let answer = m1nd_query::retrieval::seek(snapshot, &query, &Cancel::new()).expect("not cancelled");
    answer.rows.iter().map(|row| snapshot.graph().id(row.node).to_owned()).collect()
}

#[test]
fn sections_are_nodes_with_lines_and_follow_edits() {
    let project = Project::new(FIXTURE);
    let engine = project.open_indexed();
    let snapshot = engine.snapshot();
    let graph = snapshot.graph();
    let guide = graph.find("file::docs/guide.md::section::Guide").expect("the title");
    let retries = graph.find("file::docs/guide.md::section::Guide::section::Retries").expect("below the title");
    assert_eq!((graph.parent(retries), graph.kind(retries)), (Some(guide), NodeKind::Section));
    assert_eq!((graph.lines(guide), graph.lines(retries)), ((1, 11), (9, 11)));
    assert_eq!(m1nd_query::retrieval::summary(&snapshot, retries), "Waits grow with each attempt.");
    let found = seek(&snapshot, "how long does it wait between attempts", &[NodeKind::Section]);
    assert_eq!(found.first().map(String::as_str), Some("file::docs/guide.md::section::Guide::section::Retries"));
    project.tree.write("docs/guide.md", "# Guide\n\n## Again\n\nWaits grow with each attempt.\n");
    incremental(&engine, project.tree.path());
    let found = seek(&engine.snapshot(), "waits attempt", &[NodeKind::Section]);
    assert_eq!(found.first().map(String::as_str), Some("file::docs/guide.md::section::Guide::section::Again"));
}

#[test]
fn documents_come_after_code_unless_they_are_asked_for() {
    let project = Project::new(FIXTURE);
    let snapshot = project.open_indexed().snapshot();
    let first = |text: &str| seek(&snapshot, text, &[]).first().cloned().unwrap_or_default();
    let plain = first("pool connections exhausted");
    assert!(plain.starts_with("file::src/"), "{plain}");
    let documented = first("where is the documentation of connections of the pool");
    assert_eq!(documented, "file::docs/guide.md::section::Guide::section::Connections");
}

#[test]
fn a_quoted_message_leads_to_the_literal() {
    let project = Project::new(FIXTURE);
    let snapshot = project.open_indexed().snapshot();
    let text = "Crash under load\n```\nRuntimeError: no connection is left: the pool is exhausted\n```";
    let found = seek(&snapshot, text, &[NodeKind::Function]);
    assert_eq!(found.first().map(String::as_str), Some("file::src/pool.py::class::Pool::fn::acquire"));
}
