//! Namings of suites, and what counts as found, missing and wrong, on a small program.

use m1nd_base::{EdgeTier, NodeKind, Relation};
use serde_json::json;

use super::callgraph::{Case, CaseOutcome, Naming, Tally, outcome};
use super::ours::{Edge, Node, Ours};

const BOTH: &[EdgeTier] = &[EdgeTier::Certain, EdgeTier::Possible];

/// `main.py` with a class `A` (constructor, method `run`), a function `f` with `inner` inside, and `pkg/__init__.py`
/// with `g`. Top-level code calls `A`, its constructor and `g`; `f` calls `run` or `inner`; `f` is decorated with
/// `g`.
fn program() -> Ours {
    let node = |file: &str, line, name: &str, kind, parent| Node {
        id: name.to_owned(),
        file: Some(file.to_owned()),
        line,
        lines: (line, line),
        name: name.to_owned(),
        kind,
        parent,
        is_constructor: name == "__init__",
    };
    let nodes = vec![
        node("main.py", 0, "main.py", NodeKind::File, None),
        node("main.py", 1, "A", NodeKind::Class, Some(0)),
        node("main.py", 2, "__init__", NodeKind::Function, Some(1)),
        node("main.py", 4, "run", NodeKind::Function, Some(1)),
        node("main.py", 6, "f", NodeKind::Function, Some(0)),
        node("main.py", 7, "inner", NodeKind::Function, Some(4)),
        node("pkg/__init__.py", 0, "__init__.py", NodeKind::File, None),
        node("pkg/__init__.py", 1, "g", NodeKind::Function, Some(6)),
    ];
    let edge = |from, to, relation, of, line| Edge {
        from,
        to,
        relation,
        tier: if of == 1 { EdgeTier::Certain } else { EdgeTier::Possible },
        of,
        sites: vec![(line, 1)],
    };
    let edges = vec![
        edge(0, 1, Relation::Calls, 1, 10),
        edge(0, 2, Relation::Calls, 1, 10),
        edge(0, 7, Relation::Calls, 1, 11),
        edge(4, 3, Relation::Calls, 2, 8),
        edge(4, 5, Relation::Calls, 2, 8),
        edge(4, 7, Relation::Decorates, 1, 5),
        edge(5, 3, Relation::References, 1, 9),
    ];
    Ours::new(nodes, edges)
}

fn run(naming: Naming, edges: serde_json::Value, tiers: &[EdgeTier]) -> CaseOutcome {
    let case: Case =
        serde_json::from_value(json!({"suite": "s", "case": "c/main", "category": "c", "dir": "src", "edges": edges}))
            .expect("a case");
    outcome(&program(), &case, naming, tiers)
}

#[test]
fn edges_by_qualified_names() {
    let edges = json!([
        ["main", "main.A.__init__"],
        ["main", "pkg.g"],
        ["main.f", "main.f.inner"],
        ["main", "<builtin>.len"],
        ["main", "main.<lambda1>"],
        ["main.f.inner", "main.A.run"],
        ["main", "ext.thing"],
    ]);
    let all = run(Naming::Qualified, edges.clone(), BOTH);
    assert_eq!(all.found, 3);
    assert_eq!(all.missing, ["main → ext.thing", "main → main.<lambda1>", "main.f.inner → main.A.run"]);
    assert_eq!(all.wrong.len(), 1, "a possible edge too many: {:?}", all.wrong);
    let certain = run(Naming::Qualified, edges, &[EdgeTier::Certain]);
    assert_eq!((certain.found, certain.missing.len(), certain.wrong.len()), (2, 4, 0));
}

#[test]
fn edges_by_modules_without_their_classes() {
    let edges = json!([
        ["<global>", "main.__init__:1"],
        ["<global>", "pkg.g"],
        ["main.f", "main.run"],
        ["main.f:5", "main.inner"],
        ["<global>", "Native.print"],
    ]);
    let all = run(Naming::Module, edges, BOTH);
    assert_eq!((all.found, all.missing.len(), all.wrong.len()), (4, 0, 0), "{all:?}");
}

#[test]
fn edges_by_lines_of_calls_and_definitions() {
    let edges = json!([
        ["main.py:global:10", "main.py:__init__:2"],
        ["main.py:f:8", "main.py:anon:4"],
        ["main.py:f:8", "Native"],
        ["main.py:global:12", "main.py:f:6"],
    ]);
    let all = run(Naming::Lines, edges, BOTH);
    assert_eq!((all.found, all.missing.len()), (2, 1), "{all:?}");
    // `g` in line 11, `inner` in line 8, and the decorator in line 5.
    assert_eq!(all.wrong.len(), 3, "{all:?}");
}

#[test]
fn sums_over_programs() {
    let mut tally = Tally::default();
    tally.add(&CaseOutcome { found: 3, missing: vec!["a".into()], wrong: Vec::new() });
    tally.add(&CaseOutcome { found: 3, missing: Vec::new(), wrong: vec!["b".into(), "c".into()] });
    tally.finish();
    assert_eq!((tally.programs, tally.truth, tally.sound, tally.complete), (2, 7, 1, 1));
    assert_eq!((tally.precision, tally.recall, tally.f1), (Some(0.75), Some(0.8571), Some(0.8)));
}
