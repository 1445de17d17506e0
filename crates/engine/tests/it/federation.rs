//! Several repositories in one index.

use m1nd_engine::{Engine, EngineConfig, IngestRequest, Mode, Snapshot};

use crate::project::{Project, edges, ingest};

const FIXTURE: &str = "\
//- /one/a.py
def first():
    return 1
//- /one/b.py
from a import first

def second():
    return first()
//- /two/c.py
def third():
    return 3
//- /two/d.py
from c import third

def fourth():
    return third()
";

#[test]
fn an_edit_in_one_repository_touches_no_other() {
    let project = Project::new(FIXTURE);
    let alone = |name: &str| {
        let config = EngineConfig { roots: vec![project.tree.join(name)], ..project.config() };
        Engine::open(config).expect("opens")
    };
    let names = ["one", "two"];
    for name in names {
        ingest(&alone(name), IngestRequest::code(project.tree.join(name))).expect("ingests");
    }
    let generations = names.map(|name| alone(name).snapshot().generation());

    let engine = project.open_federated(&names);
    let of_two = |snapshot: &Snapshot| -> Vec<_> {
        snapshot.files().within("two").map(|file| (file.path.clone(), file.hash, file.tiers)).collect()
    };
    let before = of_two(&engine.snapshot());
    assert_eq!(before.len(), 2);
    project.tree.write("one/a.py", "def first():\n    return 2\n\ndef late():\n    return first()\n");
    let root = project.tree.join("one");
    let request = IngestRequest { mode: Mode::Merge, incremental: true, ..IngestRequest::code(&root) };
    let report = ingest(&engine, request).expect("ingests");
    let looked_at: Vec<_> = report.by_root.iter().map(|row| (row.root, row.parsed, row.from_cache)).collect();
    assert_eq!(looked_at, [(0, 1, 0)]);
    assert_eq!((report.files_parsed, report.files_linked), (1, 1));
    let after = engine.snapshot();
    assert_eq!(of_two(&after), before);
    assert_eq!(edges(&after, "file::one/a.py::fn::late"), ["calls file::one/a.py::fn::first"]);
    drop(engine);
    // The indexes of the repositories alone are others.
    assert_eq!(names.map(|name| alone(name).snapshot().generation()), generations);
}
