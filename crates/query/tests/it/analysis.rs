use m1nd_base::Cancel;
use m1nd_engine::Snapshot;
use m1nd_query::analysis::{Direction, ImpactClass, ImpactQuery, WhyAnswer, WhyQuery};
use m1nd_query::closure::ClosureState;
use m1nd_query::what_if::counterfactual;

use crate::project::Project;

const FIXTURE: &str = "\
//- core.py
class Base:
    def shared(self):
        return helper()

def helper():
    return 1

def alone():
    return 2
//- service.py
from core import Base, helper

class Service(Base):
    def run(self):
        return self.shared()

def direct():
    return helper()
//- main.py
from service import Service

def main():
    Service().run()
//- tests/test_service.py
from service import direct

def test_direct():
    direct()
//- loose.py
def loose(thing):
    thing.helper()
";

fn why(snapshot: &Snapshot, source: &str, target: &str) -> WhyAnswer {
    let node = |text| m1nd_query::resolve::resolve_node(snapshot, text).unwrap_or_else(|error| panic!("{error}"));
    let query = WhyQuery { source: node(source), target: node(target), max_hops: 6, max_paths: 3 };
    m1nd_query::analysis::why(snapshot, &query, &Cancel::new()).expect("not cancelled")
}

fn show_paths(snapshot: &Snapshot, answer: &WhyAnswer) -> Vec<String> {
    let graph = snapshot.graph();
    let step = |step: &m1nd_query::analysis::WhyStep| {
        let arrow = if step.hop.forward { "→" } else { "←" };
        format!("{} {arrow} {} {}:{}", step.hop.relation, graph.label(step.hop.to), step.hop.file, step.hop.line)
    };
    answer.paths.iter().map(|path| path.steps.iter().map(step).collect::<Vec<_>>().join(", ")).collect()
}

#[test]
fn a_connection_is_shown_with_the_line_of_every_step() {
    let project = Project::new(FIXTURE);
    let snapshot = project.open_indexed().snapshot();
    let answer = why(&snapshot, "main.py::main", "core.py::helper");
    assert!(answer.found && answer.closure.state == ClosureState::Closed, "{answer:?}");
    let first = &show_paths(&snapshot, &answer)[0];
    assert_eq!(
        first,
        "calls → run main.py:4, calls → shared service.py:5, calls → helper core.py:3",
        "{:?}",
        show_paths(&snapshot, &answer)
    );
}

#[test]
fn the_other_direction_is_said_to_be_one() {
    let project = Project::new(FIXTURE);
    let snapshot = project.open_indexed().snapshot();
    let answer = why(&snapshot, "core.py::helper", "service.py::direct");
    assert_eq!(show_paths(&snapshot, &answer)[0], "calls ← direct service.py:8");
}

#[test]
fn no_path_is_closed_only_if_nothing_open_could_hide_one() {
    let project =
        Project::new("//- a.py\ndef f(): pass\ndef g(): pass\n//- b.py\ndef h(): pass\ndef k(x):\n    x.f()\n");
    let snapshot = project.open_indexed().snapshot();
    let answer = why(&snapshot, "b.py::h", "a.py::g");
    assert!(!answer.found, "{:?}", show_paths(&snapshot, &answer));
    assert_eq!(answer.closure.state, ClosureState::Closed, "{answer:?}");
    let answer = why(&snapshot, "b.py::k", "a.py::f");
    assert!(!answer.found, "{:?}", show_paths(&snapshot, &answer));
    assert_eq!((answer.closure.state, answer.closure.reason), (ClosureState::Unknown, Some("no_path_within_hops")));
    assert_eq!(answer.closure.dangling_edges[0].name, "f");
    // An open reference can be anything, whatever its name.
    let answer = why(&snapshot, "b.py::k", "a.py::g");
    assert_eq!((answer.found, answer.closure.state, answer.closure.dangling_total), (false, ClosureState::Unknown, 1));
}

#[test]
fn a_file_with_syntax_errors_could_hide_a_path() {
    let project = Project::new("//- a.py\ndef f(): pass\n//- b.py\ndef h(): pass\n\n)) = (f\n");
    let snapshot = project.open_indexed().snapshot();
    assert_eq!(why(&snapshot, "b.py::h", "a.py::f").closure.state, ClosureState::Unknown);
    let answer = impact(&snapshot, "a.py::f", Direction::Forward);
    let reasons: Vec<&str> = answer.closure.hiding.iter().map(|row| row.reason.as_str()).collect();
    assert_eq!((answer.closure.state, &reasons[..]), (ClosureState::Blocked, &["name_not_found"][..]), "{answer:?}");
}

#[test]
fn paths_the_other_way_or_both_ways_say_that_no_path_leads_forward() {
    let project = Project::new("//- a.py\ndef low(): pass\ndef one():\n    low()\ndef two(x):\n    low()\n");
    let snapshot = project.open_indexed().snapshot();
    for (source, target) in [("a.py::low", "a.py::one"), ("a.py::one", "a.py::two")] {
        let answer = why(&snapshot, source, target);
        assert!(answer.found);
        let closure = &answer.closure;
        assert_eq!((closure.state, closure.reason), (ClosureState::Closed, Some("no_forward_path")), "{closure:?}");
    }
    let open = Project::new("//- a.py\ndef low(x):\n    x.go()\ndef one():\n    low(1)\n");
    let answer = why(&open.open_indexed().snapshot(), "a.py::low", "a.py::one");
    assert_eq!((answer.found, answer.closure.state), (true, ClosureState::Unknown), "{answer:?}");
}

#[test]
fn an_open_reference_to_a_dependent_keeps_it_open() {
    let project = Project::new(
        "//- a.py\ndef a(): pass\ndef b():\n    a()\ndef c(): pass\n//- d.py\ndef open_call(x):\n    x.b()\n",
    );
    let snapshot = project.open_indexed().snapshot();
    let answer = impact(&snapshot, "a.py::a", Direction::Forward);
    assert_eq!(
        (answer.closure.state, answer.closure.indirect),
        (ClosureState::Closed, ClosureState::Blocked),
        "{answer:?}"
    );
    assert!(answer.closure.why.starts_with("direct rows are known"), "{}", answer.closure.why);
    assert!(answer.closure.hiding.iter().all(|open| open.far && open.name == "b"), "{:?}", answer.closure.hiding);
    assert_eq!(impact(&snapshot, "a.py::c", Direction::Forward).closure.indirect, ClosureState::Closed);
}

#[test]
fn what_lies_beyond_the_bound_of_hops_keeps_it_open() {
    let project = Project::new("//- a.py\ndef a(): pass\ndef b():\n    a()\ndef c():\n    b()\n");
    let snapshot = project.open_indexed().snapshot();
    let node = m1nd_query::resolve::resolve_node(&snapshot, "a.py::a").unwrap_or_else(|error| panic!("{error}"));
    let state = |max_hops| {
        let query = ImpactQuery { max_hops, ..ImpactQuery::new(node) };
        let answer = m1nd_query::analysis::impact(&snapshot, &query, &Cancel::new()).expect("not cancelled");
        (answer.closure.state, answer.closure.indirect)
    };
    assert_eq!(state(1), (ClosureState::Closed, ClosureState::Blocked));
    assert_eq!(state(2), (ClosureState::Closed, ClosureState::Closed));
}

/// The state of the direct dependents of the node `f` in a project.
fn state_of_f(case: &str) -> ClosureState {
    let project = Project::new(case);
    let engine = project.open_indexed();
    let snapshot = engine.snapshot();
    let node = snapshot.graph().find_labelled("f")[0];
    let id = snapshot.graph().id(node).to_owned();
    impact(&snapshot, &id, Direction::Forward).closure.state
}

#[test]
fn only_what_could_reach_the_node_blocks_it() {
    use ClosureState::{Blocked, Closed};
    let cases = [
        ("a name from an unknown module", "//- a.py\ndef f(): pass\n//- b.py\nfrom .gone import *\nf()\n", Blocked),
        ("other names from it", "//- a.py\ndef f(): pass\n//- b.py\nfrom .gone import *\ng()\n", Closed),
        ("an import of another name", "//- a.py\ndef f(): pass\n//- b.py\nfrom .gone import g\n", Closed),
        ("an import of the name", "//- a.py\ndef f(): pass\n//- b.py\nfrom .gone import f as g\n", Blocked),
        (
            "a default export of a file of that name",
            "//- a.js\nexport default function f() {}\n//- b.js\nimport g from '@/a';\ng();\n",
            Blocked,
        ),
        (
            "a default export of another file",
            "//- a.js\nexport default function f() {}\n//- b.js\nimport g from './gone';\ng();\n",
            Closed,
        ),
        (
            "a method is no default export",
            "//- a.js\nexport class A { f() {} }\n//- b.js\nimport g from './gone';\ng();\n",
            Closed,
        ),
        ("a bare name is no method", "//- a.py\nclass A:\n    def f(self): pass\n//- b.py\nf()\n", Closed),
        ("a method of something unknown", "//- a.py\nclass A:\n    def f(self): pass\n//- b.py\nx[0].f()\n", Closed),
        ("broken, with the name", "//- a.py\ndef f(): pass\n//- b.py\nf()\n\n)) = (\n", Blocked),
        ("broken, without the name", "//- a.py\ndef f(): pass\n//- b.py\ng()\n\n)) = (\n", Closed),
        (
            "an element of an outside container",
            "//- a.py\nclass A:\n    def f(self): pass\n//- b.py\nimport queue\ndef g(q: queue.Queue):\n    q.get().f()\n",
            Blocked,
        ),
        (
            "one of the values is not known",
            "//- a.py\nclass A:\n    def f(self): pass\nclass B:\n    def f(self): pass\n//- b.py\nfrom a import B\ndef g(c):\n    x = B() if c else h()\n    x.f()\n",
            Blocked,
        ),
        (
            "a value of an outside type",
            "//- a.py\nclass A:\n    def f(self): pass\n//- b.py\nimport queue\ndef g():\n    queue.Queue().f()\n",
            Closed,
        ),
    ];
    for (what, case, wanted) in cases {
        assert_eq!(state_of_f(case), wanted, "{what}");
    }
}

#[test]
fn an_absent_node_is_unknown() {
    let answer = WhyAnswer::node_not_found();
    assert_eq!((answer.closure.state, answer.closure.reason), (ClosureState::Unknown, Some("node_not_found")));
}

fn impact(snapshot: &Snapshot, text: &str, direction: Direction) -> m1nd_query::analysis::ImpactAnswer {
    let node = m1nd_query::resolve::resolve_node(snapshot, text).unwrap_or_else(|error| panic!("{error}"));
    m1nd_query::analysis::impact(snapshot, &ImpactQuery { direction, ..ImpactQuery::new(node) }, &Cancel::new())
        .expect("not cancelled")
}

#[test]
fn dependents_come_with_distance_class_and_witness() {
    let project = Project::new(FIXTURE);
    let snapshot = project.open_indexed().snapshot();
    let graph = snapshot.graph();
    let answer = impact(&snapshot, "core.py::helper", Direction::Forward);
    let row = |label: &str| {
        answer.rows.iter().find(|row| graph.label(row.node) == label).unwrap_or_else(|| panic!("{label}: {answer:?}"))
    };
    assert_eq!((row("direct").hops, row("direct").class), (1, ImpactClass::Breaks));
    assert_eq!((row("run").hops, row("run").class), (2, ImpactClass::Behaviour));
    assert_eq!(row("test_direct").class, ImpactClass::Test);
    let witness: Vec<(String, u32)> = row("run").witness.iter().map(|hop| (hop.file.clone(), hop.line)).collect();
    assert_eq!(witness, [("service.py".to_owned(), 5), ("core.py".to_owned(), 3)]);
    assert!(row("direct").strength > row("main").strength);
    assert!(!answer.rows.iter().any(|row| graph.label(row.node) == "alone"));
    assert!(answer.files.iter().any(|file| file.path == "tests/test_service.py" && file.is_test));
}

#[test]
fn open_references_of_the_name_keep_it_open() {
    let project = Project::new(FIXTURE);
    let snapshot = project.open_indexed().snapshot();
    let answer = impact(&snapshot, "core.py::helper", Direction::Forward);
    // `thing.helper()` in loose.py may be a call of it or not.
    assert!(!answer.rows.iter().any(|row| snapshot.graph().label(row.node) == "loose"), "{answer:?}");
    assert_eq!(answer.closure.state, ClosureState::Blocked);
    assert!(
        answer.closure.hiding.iter().any(|open| !open.far && open.file == "loose.py" && open.line == 2),
        "{answer:?}"
    );
    let closed = impact(&snapshot, "core.py::alone", Direction::Forward);
    assert_eq!((closed.closure.state, closed.rows.len()), (ClosureState::Closed, 0), "{closed:?}");
}

#[test]
fn a_container_changes_with_its_members() {
    let project = Project::new(FIXTURE);
    let snapshot = project.open_indexed().snapshot();
    let labels = |text: &str, direction| -> Vec<String> {
        let answer = impact(&snapshot, text, direction);
        answer.rows.iter().map(|row| snapshot.graph().label(row.node).to_owned()).collect()
    };
    let of_class = labels("core.py::Base", Direction::Forward);
    assert!(of_class.contains(&"run".to_owned()) && of_class.contains(&"Service".to_owned()), "{of_class:?}");
    let of_file = labels("core.py", Direction::Forward);
    assert!(of_file.contains(&"direct".to_owned()) && of_file.contains(&"main".to_owned()), "{of_file:?}");
    let entry = labels("main.py::main", Direction::Forward);
    assert!(entry.is_empty(), "{entry:?}");
    let uses = labels("main.py::main", Direction::Reverse);
    assert!(uses.contains(&"helper".to_owned()) && uses.contains(&"run".to_owned()), "{uses:?}");
}

#[test]
fn asking_twice_gives_the_same_answer() {
    let project = Project::new(FIXTURE);
    let engine = project.open_indexed();
    let dump = engine.snapshot().graph().dump();
    let ask = || format!("{:?}", impact(&engine.snapshot(), "core.py", Direction::Both));
    assert_eq!(ask(), ask());
    assert_eq!(engine.snapshot().graph().dump(), dump);
}

#[test]
fn a_caller_by_a_declared_type_depends_on_what_overrides_the_method() {
    let project = Project::new(
        "//- shapes.py\nclass Shape:\n    def area(self): ...\nclass Circle(Shape):\n    def area(self): ...\n\
         class Ghost(Shape):\n    def area(self): ...\n\
         //- app.py\nfrom shapes import Shape, Circle\ndef total(s: Shape):\n    return s.area()\ndef main():\n    total(Circle())\n\
         //- haunt.py\nfrom shapes import Ghost\ndef haunt(): Ghost.area(None)\n",
    );
    let snapshot = project.open_indexed().snapshot();
    let answer = impact(&snapshot, "shapes.py::Circle::area", Direction::Forward);
    let total = m1nd_query::resolve::resolve_node(&snapshot, "app.py::total").unwrap_or_else(|error| panic!("{error}"));
    let row = answer.rows.iter().find(|row| row.node == total).expect("the caller is a dependent");
    assert!(row.witness[0].dispatch && row.witness[0].of == 2, "{:?}", row.witness);
    let answer = why(&snapshot, "app.py::total", "shapes.py::Circle::area");
    let step = &answer.paths[0].steps[0];
    assert!(step.hop.dispatch && step.candidates.len() == 2, "{step:?}");
    assert_eq!(answer.closure.dangling_edges[0].reason, "dynamic_dispatch");
    // Nothing in sight makes a Ghost, but something out of sight may.
    let ghost = impact(&snapshot, "shapes.py::Ghost::area", Direction::Forward);
    assert!(ghost.rows.len() == 1 && ghost.closure.not_made == 1, "only the call by its own name: {ghost:?}");
    assert_eq!(ghost.closure.state, ClosureState::Blocked);
    let haunt = m1nd_query::resolve::resolve_node(&snapshot, "haunt.py::haunt").expect("a node");
    let lost = counterfactual(&snapshot, &[haunt], &Cancel::new()).expect("not cancelled");
    let orphan = lost.orphans.iter().find(|row| snapshot.graph().label(row.node) == "area");
    assert!(orphan.is_some_and(|row| row.open == 1), "{:?}", lost.orphans);
    let unconnected = why(&snapshot, "app.py::total", "shapes.py::Ghost::area");
    assert!(unconnected.closure.state != ClosureState::Closed, "{unconnected:?}");
}

#[test]
fn every_one_of_many_overriding_methods_knows_its_callers() {
    let mut text = "//- shapes.py\nclass Shape:\n    def area(self): ...\n".to_owned();
    let numbers = 0..40;
    for n in numbers.clone() {
        text += &format!("class S{n}(Shape):\n    def area(self): ...\n");
    }
    text += "//- app.py\nfrom shapes import *\ndef total(s: Shape):\n    return s.area()\ndef main():\n";
    for n in numbers.clone() {
        text += &format!("    total(S{n}())\n");
    }
    let project = Project::new(&text);
    let snapshot = project.open_indexed().snapshot();
    let total = m1nd_query::resolve::resolve_node(&snapshot, "app.py::total").unwrap_or_else(|error| panic!("{error}"));
    for n in numbers {
        let method = format!("shapes.py::S{n}::area");
        let answer = impact(&snapshot, &method, Direction::Forward);
        let row = answer.rows.iter().find(|row| row.node == total).unwrap_or_else(|| panic!("{method}: {answer:?}"));
        assert!(row.witness[0].dispatch && row.witness[0].of == 41, "{:?}", row.witness);
        let step = &why(&snapshot, "app.py::total", &method).paths[0].steps[0];
        let target = m1nd_query::resolve::resolve_node(&snapshot, &method).unwrap_or_else(|error| panic!("{error}"));
        assert!(step.candidates.contains(&target) && step.candidates.len() <= 18, "{step:?}");
    }
}
