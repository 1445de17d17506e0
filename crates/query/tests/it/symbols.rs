//! One symbol written in several places: every name of it, and every node, gives the same answer.

use m1nd_base::Cancel;
use m1nd_query::analysis::{ImpactQuery, WhyQuery, impact, why};
use m1nd_query::closure::ClosureState;
use m1nd_query::edits::rename;
use m1nd_query::references::{callers, references};
use m1nd_query::resolve::resolve_node;

use crate::project::Project;

const SOURCES: &str = "\
//- src/startup.hpp
#pragma once
namespace simu {
class Startup {
 public:
  Startup();
  explicit Startup(int level, int more);
  ~Startup();
  void Apply();
  int level() const;
  int& level();
  int level_;
};
void start(int n);
template <typename T> class Box { public: T get() const; };
}
#include \"box.inl\"
//- src/box.inl
namespace simu {
template <typename T> T Box<T>::get() const { return T(); }
}
//- src/startup.cpp
#include \"startup.hpp\"
namespace simu {
Startup::Startup() : level_(0) {}
Startup::Startup(int level, int more) : level_(level) {}
Startup::~Startup() {}
int Startup::level() const { return level_; }
int& Startup::level() { return level_; }
void start(int n) {}
}
void simu::Startup::Apply() { level_ = level(); }
//- src/main.cpp
#include \"startup.hpp\"
void use(simu::Startup& given) {
  simu::Startup made;
  made.Apply();
  simu::start(1);
  simu::Box<int> box;
  box.get();
}
//- c/pool.h
int pool_open(int flags);
//- c/pool.c
int pool_open(int flags) { return flags; }
//- c/main.c
#include \"pool.h\"
int run(void) { return pool_open(3); }
//- py/native.pyi
class Fast:
    def go(self) -> int: ...
def speed(n: int) -> int: ...
//- py/native.py
class Fast:
    def go(self):
        return 1
def speed(n):
    return n
//- py/user.py
from .native import Fast, speed
def drive():
    return speed(2) + Fast().go()
//- ts/old.js
export function legacy(n) { return n; }
//- ts/old.d.ts
export declare function legacy(n: number): number;
//- ts/user.ts
import { legacy } from './old';
export function call() { return legacy(1); }
";

/// The definition, its declaration, a caller, and names that mean it.
type Symbol = (&'static str, &'static str, &'static str, &'static [&'static str]);

const SYMBOLS: &[Symbol] = &[
    (
        "file::src/startup.cpp::fn::Apply",
        "file::src/startup.hpp::mod::simu::class::Startup::fn::Apply",
        "use",
        &[
            "Apply", "Startup.Apply", "Startup::Apply", "simu::Startup::Apply", "startup.hpp::Apply",
            "startup.cpp::Startup::Apply", "src/startup.cpp::Apply",
        ],
    ),
    (
        "file::src/startup.cpp::mod::simu::fn::start",
        "file::src/startup.hpp::mod::simu::fn::start",
        "use",
        &["start", "simu::start", "startup.hpp::start", "startup.cpp::start"],
    ),
    (
        "file::src/box.inl::mod::simu::fn::get",
        "file::src/startup.hpp::mod::simu::class::Box::fn::get",
        "use",
        &["Box.get", "Box::get", "simu::Box::get"],
    ),
    (
        "file::c/pool.c::fn::pool_open",
        "file::c/pool.h::fn::pool_open",
        "run",
        &["pool_open", "pool.h::pool_open", "pool.c::pool_open"],
    ),
    (
        "file::py/native.py::fn::speed",
        "file::py/native.pyi::fn::speed",
        "drive",
        &["speed", "native.speed", "py.native.speed"],
    ),
    (
        "file::py/native.py::class::Fast::fn::go",
        "file::py/native.pyi::class::Fast::fn::go",
        "drive",
        &["Fast.go", "native.Fast.go"],
    ),
    ("file::py/native.py::class::Fast", "file::py/native.pyi::class::Fast", "drive", &["Fast", "native.Fast"]),
    ("file::ts/old.js::fn::legacy", "file::ts/old.d.ts::fn::legacy", "call", &["legacy", "old.legacy"]),
];

#[test]
fn declarations_and_definitions_answer_alike() {
    let project = Project::new(SOURCES);
    let snapshot = project.open_indexed().snapshot();
    let graph = snapshot.graph();
    let cancel = Cancel::new();
    for (definition, declaration, caller, names) in SYMBOLS {
        let node = |id: &str| graph.find(id).unwrap_or_else(|| panic!("no node {id}"));
        for name in *names {
            let found = resolve_node(&snapshot, name).map(|node| graph.id(node));
            assert_eq!(found, Ok(*definition), "{name}");
        }
        let from = graph.nodes().find(|node| graph.label(*node) == *caller).expect("the caller");
        for place in [definition, declaration] {
            let answer = callers(&snapshot, node(place), &cancel).expect("not cancelled");
            let labels: Vec<&str> = answer.rows.iter().map(|row| graph.label(row.from)).collect();
            assert!(labels.contains(caller), "{place}: {labels:?}");
            assert_eq!(answer.others.len(), 1, "{place}");
            assert!(answer.rows.iter().all(|row| row.from != node(definition)), "{place} does not use itself");
            let used = references(&snapshot, node(place), &[], &cancel).expect("not cancelled");
            assert!(used.rows.iter().any(|row| row.from == from), "{place}");
            let reach = impact(&snapshot, &ImpactQuery::new(node(place)), &cancel).expect("not cancelled");
            assert!(reach.rows.iter().any(|row| row.node == from && row.hops == 1), "{place}");
            let query = WhyQuery { source: from, target: node(place), max_hops: 1, max_paths: 1 };
            let path = why(&snapshot, &query, &cancel).expect("not cancelled");
            assert_eq!((path.found, path.closure.state), (true, ClosureState::Closed), "{place}");
        }
    }
}

#[test]
fn a_class_answers_for_its_constructors() {
    let project = Project::new(SOURCES);
    let snapshot = project.open_indexed().snapshot();
    let graph = snapshot.graph();
    let class = resolve_node(&snapshot, "Startup").expect("one node");
    assert_eq!(graph.id(class), "file::src/startup.hpp::mod::simu::class::Startup");
    let answer = callers(&snapshot, class, &Cancel::new()).expect("not cancelled");
    assert_eq!(answer.rows.iter().map(|row| row.pos.line).collect::<Vec<_>>(), [3], "only the declared variable");
    assert_eq!(answer.others.len(), 4, "two constructors, each declared and defined");
}

#[test]
fn overloads_that_differ_in_const_have_a_definition_each() {
    let project = Project::new(SOURCES);
    let snapshot = project.open_indexed().snapshot();
    let graph = snapshot.graph();
    let declared: Vec<_> = graph.nodes().filter(|&node| graph.label(node) == "level").collect();
    assert_eq!(declared.len(), 4);
    for node in declared {
        let all = graph.same_symbol(node);
        let is_const = |node| graph.signature(node).ends_with("const");
        assert_eq!(all.len(), 2, "{}", graph.id(node));
        assert_eq!(is_const(all[0]), is_const(all[1]), "{}", graph.id(node));
    }
}

#[test]
fn a_new_name_reaches_every_place_of_a_symbol() {
    let project = Project::new(SOURCES);
    let snapshot = project.open_indexed().snapshot();
    let texts = |name: &str, new: &str| {
        let node = resolve_node(&snapshot, name).unwrap_or_else(|error| panic!("{error}"));
        let found =
            rename(&snapshot, node, new, false, &Cancel::new()).unwrap_or_else(|error| panic!("{name}: {error}"));
        found.files.into_iter().map(|file| (file.path.to_string(), file.text)).collect::<Vec<_>>()
    };
    let has = |files: &[(String, String)], path: &str, text: &str| {
        files.iter().any(|(known, content)| known == path && content.contains(text))
    };
    let files = texts("Startup.Apply", "Run");
    for (path, text) in [
        ("src/startup.hpp", "void Run();"),
        ("src/startup.cpp", "void simu::Startup::Run()"),
        ("src/main.cpp", "made.Run();"),
    ] {
        assert!(has(&files, path, text), "{text}: {files:?}");
    }
    let files = texts("c/pool.h::pool_open", "pool_start");
    for path in ["c/pool.h", "c/pool.c", "c/main.c"] {
        assert!(has(&files, path, "pool_start("), "{path}: {files:?}");
    }
    let files = texts("Startup", "Launch");
    for (path, text) in [
        ("src/startup.hpp", "class Launch {"),
        ("src/startup.hpp", "  Launch();"),
        ("src/startup.hpp", "explicit Launch(int"),
        ("src/startup.hpp", "  ~Launch();"),
        ("src/startup.cpp", "Launch::Launch() :"),
        ("src/startup.cpp", "Launch::~Launch() {}"),
        ("src/startup.cpp", "void simu::Launch::Apply()"),
        ("src/main.cpp", "void use(simu::Launch& given)"),
        ("src/main.cpp", "simu::Launch made;"),
    ] {
        assert!(has(&files, path, text), "{text}: {files:?}");
    }
    for (_, text) in &files {
        assert!(!text.contains("Startup"), "{text}");
    }
}
