//! From what a caller writes to the node that is meant.

use m1nd_query::resolve::{ResolveError, resolve_node};

use crate::project::Project;

const PYTHON: &str = "\
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

#[test]
fn a_name_finds_its_node() {
    let project = Project::new(PYTHON);
    let snapshot = project.indexed().snapshot();
    let id = |text: &str| resolve_node(&snapshot, text).map(|node| snapshot.graph().id(node).to_owned());
    let acquire = "file::app/pool.py::class::Pool::fn::acquire".to_owned();
    for text in [
        &*acquire,
        "acquire",
        "Pool.acquire",
        "Pool::acquire",
        "pool.py::acquire",
        "app/pool.py::Pool::acquire",
        "pool.Pool.acquire",
        "Pool#acquire",
        "acquire()",
        "file::app/pool.py::fn::acquire",
    ] {
        assert_eq!(id(text), Ok(acquire.clone()), "{text}");
    }
    let file = "file::app/pool.py".to_owned();
    let absolute = project.tree.join("app/pool.py");
    for text in ["app/pool.py", "./app/pool.py", "pool.py", absolute.to_str().expect("UTF-8")] {
        assert_eq!(id(text), Ok(file.clone()), "{text}");
    }
    match id("aquire") {
        Err(ResolveError::NotFound { suggestions, .. }) => assert_eq!(suggestions[0], acquire),
        other => panic!("{other:?}"),
    }
    assert!(
        matches!(id("nothing_like_it_at_all"), Err(ResolveError::NotFound { suggestions, .. }) if suggestions.is_empty())
    );
}

#[test]
fn a_member_of_a_package_outside_is_found_where_the_project_has_nothing_of_the_name() {
    let project = Project::new(
        "//- a.py\nimport requests\ndef go(): requests.get('/')\ndef post(): requests.post('/')\n\
         //- b.py\nfrom requests import get\ndef again(): get('/')\n",
    );
    let snapshot = project.indexed().snapshot();
    let id = |text: &str| resolve_node(&snapshot, text).map(|node| snapshot.graph().id(node).to_owned());
    for text in ["external::requests::get", "requests.get", "requests::get", "get"] {
        assert_eq!(id(text), Ok("external::requests::get".to_owned()), "{text}");
    }
    assert_eq!(id("post"), Ok("file::a.py::fn::post".to_owned()));
    assert_eq!(id("requests"), Ok("external::requests".to_owned()));
    let get = snapshot.graph().find("external::requests::get").expect("node");
    let users = snapshot.graph().in_edges(get).map(|edge| snapshot.graph().id(edge.from));
    let users: std::collections::BTreeSet<&str> = users.collect();
    assert_eq!(users.into_iter().collect::<Vec<_>>(), ["file::a.py::fn::go", "file::b.py", "file::b.py::fn::again"]);
}

#[test]
fn several_nodes_of_a_name_are_listed() {
    let project =
        Project::new("//- a.py\ndef load(): pass\n//- b.py\ndef load(): pass\n//- tests/c.py\ndef load(): pass\n");
    let snapshot = project.indexed().snapshot();
    match resolve_node(&snapshot, "load") {
        Err(ResolveError::Ambiguous { candidates, total, .. }) => {
            assert_eq!(total, 3);
            assert_eq!(candidates, ["file::a.py::fn::load", "file::b.py::fn::load", "file::tests/c.py::fn::load"]);
        }
        other => panic!("{other:?}"),
    }
    assert!(resolve_node(&snapshot, "b.py::load").is_ok());
}

#[test]
fn a_type_is_not_mistaken_for_its_impl_blocks() {
    let fixture = "//- Cargo.toml\n[package]\nname = \"demo\"\nversion = \"0.1.0\"\n//- src/lib.rs\n\
        pub struct Pool;\nimpl Pool { pub fn get(&self) {} }\nimpl Drop for Pool { fn drop(&mut self) {} }\n";
    let project = Project::new(fixture);
    let snapshot = project.indexed().snapshot();
    let id = |text: &str| resolve_node(&snapshot, text).map(|node| snapshot.graph().id(node).to_owned());
    assert_eq!(id("Pool").as_deref(), Ok("file::src/lib.rs::struct::Pool"));
    assert_eq!(id("Pool::get").as_deref(), Ok("file::src/lib.rs::impl::Pool::fn::get"));
    assert_eq!(id("Pool::drop").as_deref(), Ok("file::src/lib.rs::impl::Drop for Pool::fn::drop"));
}

#[test]
fn every_id_names_its_node() {
    let project = Project::new(PYTHON);
    let snapshot = project.indexed().snapshot();
    for node in snapshot.graph().nodes() {
        assert_eq!(resolve_node(&snapshot, snapshot.graph().id(node)), Ok(node));
    }
}
