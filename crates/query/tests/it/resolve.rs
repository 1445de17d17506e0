//! From what a caller writes to the node that is meant.

use m1nd_query::resolve::{ResolveError, resolve_node};

use crate::project::{PYTHON, Project};

#[test]
fn a_name_finds_its_node() {
    let project = Project::new(PYTHON);
    let snapshot = project.open_indexed().snapshot();
    let id = |text: &str| resolve_node(&snapshot, text).map(|node| snapshot.graph().id(node).to_owned());
    let acquire = "file::app/pool.py::class::Pool::fn::acquire".to_owned();
    for text in [
        &*acquire, "acquire", "Pool.acquire", "Pool::acquire", "pool.py::acquire", "app/pool.py::Pool::acquire",
        "pool.Pool.acquire", "Pool#acquire", "acquire()", "file::app/pool.py::fn::acquire",
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
    let snapshot = project.open_indexed().snapshot();
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
    let snapshot = project.open_indexed().snapshot();
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
fn of_several_nodes_the_one_is_meant_that_takes_precedence() {
    let project = Project::new(
        "//- core/board.py\ndef resolve(): pass\nclass Board:\n    def resolve(self): pass\n\
         //- core/gson.py\nclass Gson:\n    pass\n\
         //- tests/test_gson.py\nclass Gson:\n    pass\ndef helper(): pass\n\
         //- core/kinds.rs\npub enum Kind { Reader, Writer }\npub struct Reader;\n\
         //- core/tree.go\npackage core\ntype node struct{}\nfunc (n *node) walk() {}\nfunc walk() {}\n\
         //- core/util.ts\nexport function helper() { return 1 }\nexport const o = { helper() { return 2 } }\n\
         //- core/printer/mod.rs\npub struct Other { pub printer: u8 }\n\
         //- lib/sessions.py\ndef get(): pass\n\
         //- lib/one.py\ndef twice(): pass\n\
         //- lib/two.py\ndef twice(): pass\n",
    );
    let snapshot = project.open_indexed().snapshot();
    let id = |text: &str| match resolve_node(&snapshot, text) {
        Ok(node) => snapshot.graph().id(node).to_owned(),
        Err(ResolveError::Folder { path, .. }) => format!("folder {path}"),
        Err(ResolveError::Ambiguous { total, .. }) => format!("{total} nodes"),
        Err(ResolveError::NotFound { .. }) => "nothing".to_owned(),
    };
    for (text, expected) in [
        ("resolve", "file::core/board.py::fn::resolve"),
        ("core/board.py::resolve", "file::core/board.py::fn::resolve"),
        ("walk", "file::core/tree.go::fn::walk"),
        ("Board.resolve", "file::core/board.py::class::Board::fn::resolve"),
        ("Gson", "file::core/gson.py::class::Gson"),
        ("Reader", "file::core/kinds.rs::struct::Reader"),
        ("helper", "file::core/util.ts::fn::helper"),
        ("twice", "2 nodes"),
        ("core/printer", "folder core/printer/"),
        ("core", "folder core/"),
        ("./lib/", "folder lib/"),
        ("core/nothing", "nothing"),
        ("other/printer", "nothing"),
        ("file::sessions.py", "file::lib/sessions.py"),
        ("sessions.py", "file::lib/sessions.py"),
    ] {
        assert_eq!(id(text), expected, "{text}");
    }
    let (_, others) = m1nd_query::resolve::find_choice(&snapshot, "Gson").expect("there was a choice");
    let others: Vec<&str> = others.iter().map(|&node| snapshot.graph().id(node)).collect();
    assert_eq!(others, ["file::tests/test_gson.py::class::Gson"]);
    assert!(m1nd_query::resolve::find_choice(&snapshot, "twice").is_none(), "nothing was taken");
}

#[test]
fn a_type_is_not_mistaken_for_its_impl_blocks() {
    let fixture = "//- Cargo.toml\n[package]\nname = \"demo\"\nversion = \"0.1.0\"\n//- src/lib.rs\n\
        pub struct Pool;\nimpl Pool { pub fn get(&self) {} }\nimpl Drop for Pool { fn drop(&mut self) {} }\n";
    let project = Project::new(fixture);
    let snapshot = project.open_indexed().snapshot();
    let id = |text: &str| resolve_node(&snapshot, text).map(|node| snapshot.graph().id(node).to_owned());
    assert_eq!(id("Pool").as_deref(), Ok("file::src/lib.rs::struct::Pool"));
    assert_eq!(id("Pool::get").as_deref(), Ok("file::src/lib.rs::impl::Pool::fn::get"));
    assert_eq!(id("Pool::drop").as_deref(), Ok("file::src/lib.rs::impl::Drop for Pool::fn::drop"));
}

#[test]
fn every_id_names_its_node() {
    let project = Project::new(PYTHON);
    let snapshot = project.open_indexed().snapshot();
    for node in snapshot.graph().nodes() {
        assert_eq!(resolve_node(&snapshot, snapshot.graph().id(node)), Ok(node));
    }
}

const MODULES: &str = r#"//- src/_pytest/fixtures.py
class FixtureDef:
    value = 1

    @decorated
    def finish(self):
        pass

    def other(self): pass
//- src/requests/sessions.py
class Session:
    def get(self): pass
//- src/requests/api.py
def get(): pass
//- core/java/com/google/gson/Gson.java
package com.google.gson;
public class Gson {
    public String toJson(Object o) { return null; }
    static class Inner { void run() {} }
}
//- core/java/com/google/other/Gson.java
package com.google.other;
public class Gson {}
//- kt/Dispatcher.kt
package okhttp3.internal
class Dispatcher(val host: String, val port: Int) {
    fun enqueue() {}
}
//- cs/Token.cs
namespace Newtonsoft.Json.Linq;
public class Token { public void Load() {} }
//- cs/Deep.cs
namespace Newtonsoft.Json {
    public class Deep { public void Load() {} }
}
//- actor.scala
package akka.actor
class ActorRef { def tell() = 1 }
//- go.mod
module github.com/go-chi/chi/v5
//- mux.go
package chi

type Mux struct {}

func (m *Mux) ServeHTTP() {}
//- middleware/mux.go
package middleware

func Logger() {}
//- Cargo.toml
[package]
name = "tokio-like"
version = "0.1.0"
//- src/lib.rs
pub mod runtime;
//- src/runtime/mod.rs
mod scheduler;
//- src/runtime/scheduler/mod.rs
pub struct Scheduler<T>(T);

impl<T> Scheduler<T> {
    pub fn spawn(&self) {}
}
"#;

#[test]
fn names_with_modules_in_front_and_places_find_their_node() {
    let project = Project::new(MODULES);
    let snapshot = project.open_indexed().snapshot();
    let rows = [
        ("_pytest.fixtures.FixtureDef.finish", "file::src/_pytest/fixtures.py::class::FixtureDef::fn::finish"),
        ("_pytest/fixtures.FixtureDef.finish", "file::src/_pytest/fixtures.py::class::FixtureDef::fn::finish"),
        ("src/_pytest/fixtures.py::FixtureDef.finish", "file::src/_pytest/fixtures.py::class::FixtureDef::fn::finish"),
        ("src/_pytest/fixtures.py:6", "file::src/_pytest/fixtures.py::class::FixtureDef::fn::finish"),
        ("src/_pytest/fixtures.py:5:9", "file::src/_pytest/fixtures.py::class::FixtureDef::fn::finish"),
        ("file::src/_pytest/fixtures.py:5-6", "file::src/_pytest/fixtures.py::class::FixtureDef::fn::finish"),
        ("fixtures.py:3", "file::src/_pytest/fixtures.py::class::FixtureDef"),
        ("fixtures.py:5-8", "file::src/_pytest/fixtures.py::class::FixtureDef"),
        ("fixtures.py:500", "file::src/_pytest/fixtures.py"),
        ("kt/Dispatcher.kt:2", "file::kt/Dispatcher.kt::class::Dispatcher"),
        ("requests.sessions.Session.get", "file::src/requests/sessions.py::class::Session::fn::get"),
        ("requests.Session", "file::src/requests/sessions.py::class::Session"),
        ("src.requests.api.get", "file::src/requests/api.py::fn::get"),
        ("com.google.gson.Gson", "file::core/java/com/google/gson/Gson.java::class::Gson"),
        ("com.google.gson.Gson.toJson", "file::core/java/com/google/gson/Gson.java::class::Gson::fn::toJson"),
        ("com.google.gson.Gson#toJson", "file::core/java/com/google/gson/Gson.java::class::Gson::fn::toJson"),
        ("com.google.gson.Gson$Inner", "file::core/java/com/google/gson/Gson.java::class::Gson::class::Inner"),
        ("gson.Gson.Inner.run", "file::core/java/com/google/gson/Gson.java::class::Gson::class::Inner::fn::run"),
        ("okhttp3.internal.Dispatcher.enqueue", "file::kt/Dispatcher.kt::class::Dispatcher::fn::enqueue"),
        ("Newtonsoft.Json.Linq.Token.Load", "file::cs/Token.cs::class::Token::fn::Load"),
        ("Newtonsoft.Json.Deep.Load", "file::cs/Deep.cs::class::Deep::fn::Load"),
        ("Json.Deep", "file::cs/Deep.cs::class::Deep"),
        ("akka.actor.ActorRef.tell", "file::actor.scala::class::ActorRef::fn::tell"),
        ("Mux.ServeHTTP", "file::mux.go::impl::Mux::fn::ServeHTTP"),
        ("mux.go::Mux.ServeHTTP", "file::mux.go::impl::Mux::fn::ServeHTTP"),
        ("chi.Mux.ServeHTTP", "file::mux.go::impl::Mux::fn::ServeHTTP"),
        ("(*Mux).ServeHTTP", "file::mux.go::impl::Mux::fn::ServeHTTP"),
        ("github.com/go-chi/chi/v5.Mux.ServeHTTP", "file::mux.go::impl::Mux::fn::ServeHTTP"),
        ("github.com/go-chi/chi/v5/middleware.Logger", "file::middleware/mux.go::fn::Logger"),
        ("Scheduler::spawn", "file::src/runtime/scheduler/mod.rs::impl::Scheduler<T>::fn::spawn"),
        ("crate::runtime::Scheduler::spawn", "file::src/runtime/scheduler/mod.rs::impl::Scheduler<T>::fn::spawn"),
        ("tokio_like::runtime::Scheduler::spawn", "file::src/runtime/scheduler/mod.rs::impl::Scheduler<T>::fn::spawn"),
        ("runtime::scheduler::Scheduler", "file::src/runtime/scheduler/mod.rs::struct::Scheduler"),
    ];
    for (text, expected) in rows {
        let id = resolve_node(&snapshot, text).map(|node| snapshot.graph().id(node).to_owned());
        assert_eq!(id.as_deref(), Ok(expected), "{text}");
    }
    // Modules that the project does not have are not passed over.
    for text in ["std::runtime::Scheduler", "urllib3.sessions.Session", "org.google.gson.Gson", "gone.py:3", "os.Mux"] {
        assert!(matches!(resolve_node(&snapshot, text), Err(ResolveError::NotFound { .. })), "{text}");
    }
    assert!(matches!(resolve_node(&snapshot, "com.google.Gson"), Err(ResolveError::Ambiguous { total: 2, .. })));
}

const SIMILAR: &str = "\
//- a_first.py
def connection_of_the_reader(): pass
class Aside:
    def acquire(self): pass
//- tests/a_test.py
def test_connect(): pass
def conect(): pass
//- net.py
def connect(): pass
def connecting(): pass
def dial(): return connect()
def call(): return connect()
class Pool:
    def acquire(self): pass
//- store/sessions.py
def used_much(): pass
def used_mush(): pass
def one(): used_mush()
def two(): used_mush()
";

#[test]
fn suggestions_are_the_most_similar_names_then_the_most_important() {
    let project = Project::new(SIMILAR);
    let snapshot = project.open_indexed().snapshot();
    let rows: [(&str, &[&str]); 6] = [
        // By similarity, not by the alphabet: one letter is less than the rest of a long name.
        ("connec", &["file::net.py::fn::connect", "file::net.py::fn::connecting"]),
        // Names as similar: the one that more code uses.
        ("used_muxh", &["file::store/sessions.py::fn::used_mush", "file::store/sessions.py::fn::used_much"]),
        // The same name below a similar owner.
        ("Pol.acquire", &["file::net.py::class::Pool::fn::acquire", "file::a_first.py::class::Aside::fn::acquire"]),
        ("Pool.aquire()", &["file::net.py::class::Pool::fn::acquire", "file::a_first.py::class::Aside::fn::acquire"]),
        // Files by the whole name.
        ("store/sesions.py", &["file::store/sessions.py"]),
        ("app/sessions.py", &["file::store/sessions.py"]),
    ];
    for (text, expected) in rows {
        match resolve_node(&snapshot, text) {
            Err(ResolveError::NotFound { suggestions, .. }) => {
                let first: Vec<&str> = suggestions.iter().map(String::as_str).take(expected.len()).collect();
                assert_eq!(first, expected, "{text}: {suggestions:?}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}
