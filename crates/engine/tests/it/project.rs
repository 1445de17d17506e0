use std::path::Path;

use m1nd_base::{Cancel, NoProgress, RepoPath};
use m1nd_engine::{Engine, EngineConfig, EngineError, Federation, IngestReport, IngestRequest, Member, Snapshot};
use m1nd_testkit::TempTree;
use tempfile::TempDir;

/// A small package with a test and a document.
pub(crate) const PYTHON: &str = "\
//- app/pool.py
class Pool:
    def acquire(self):
        return connect()

def connect():
    return 1
//- app/main.py
from app.pool import Pool

def run():
    return Pool().acquire()
//- app/__init__.py
//- tests/test_main.py
from app.main import run

def test_run():
    assert run()
//- README.md
# Pool
";

/// A repository and a store of its own.
pub(crate) struct Project {
    pub(crate) tree: TempTree,
    pub(crate) home: TempDir,
}

impl Project {
    pub(crate) fn new(fixture: &str) -> Self {
        Self { tree: TempTree::new(fixture), home: TempDir::new().expect("temporary folder") }
    }

    pub(crate) fn config(&self) -> EngineConfig {
        EngineConfig { threads: Some(2), ..EngineConfig::new(self.home.path().into(), vec![self.tree.path().into()]) }
    }

    pub(crate) fn open(&self) -> Engine {
        Engine::open(self.config()).expect("opens")
    }

    /// An engine over these folders of the tree as one, brought up to date. Its state belongs to a folder beside them.
    pub(crate) fn open_federated(&self, members: &[&str]) -> Engine {
        let member = |name: &&str| Member { name: (*name).into(), path: self.tree.join(name) };
        let federation = Federation::new(self.home.path().into(), members.iter().map(member).collect());
        let engine = Engine::open(self.config().with_federation(federation.expect("is one"))).expect("opens");
        engine.federate(true, &Cancel::new(), &NoProgress).expect("ingests");
        engine
    }

    /// An engine over the whole tree, indexed.
    pub(crate) fn open_indexed(&self) -> Engine {
        let engine = self.open();
        ingest(&engine, IngestRequest::code(self.tree.path())).expect("ingests");
        engine
    }
}

pub(crate) fn ingest(engine: &Engine, request: IngestRequest) -> Result<IngestReport, EngineError> {
    engine.ingest(request, &Cancel::new(), &NoProgress)
}

pub(crate) fn incremental(engine: &Engine, root: &Path) -> IngestReport {
    ingest(engine, IngestRequest { incremental: true, ..IngestRequest::code(root) }).expect("ingests")
}

pub(crate) fn path(text: &str) -> RepoPath {
    RepoPath::new(text).expect("valid path")
}

/// Out-edges of a node as `relation target`, without `contains`.
pub(crate) fn edges(snapshot: &Snapshot, id: &str) -> Vec<String> {
    let graph = snapshot.graph();
    let node = graph.find(id).unwrap_or_else(|| panic!("no node {id} in\n{}", graph.dump()));
    let edges = graph.out_edges(node).filter(|edge| edge.relation != m1nd_base::Relation::Contains);
    let mut edges: Vec<String> = edges.map(|edge| format!("{} {}", edge.relation, graph.id(edge.to))).collect();
    edges.sort();
    edges
}
