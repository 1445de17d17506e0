//! Overriding methods that a call may run.

use m1nd_base::{EdgeTier, NodeKind, Pos, Relation};
use m1nd_graph::{EdgeInput, Graph, NodeFlags, NodeInput, Part};

/// `Base.go` (abstract if flagged), overridden by `A.go` and `B.go`; `C` inherits from `B`. `run` calls `Base.go`;
/// `make` calls the named classes.
fn graph(base_flags: NodeFlags, made: &[&str], dispatches: bool) -> Graph {
    let ids = ["f", "Base", "Base.go", "A", "A.go", "B", "B.go", "C", "run", "make"];
    let number = |id: &str| ids.iter().position(|known| *known == id).expect("a known id") as u32;
    let node = |id: &'static str| {
        let (kind, parent) = match id {
            "f" => (NodeKind::File, None),
            "run" | "make" => (NodeKind::Function, Some("f")),
            _ => match id.strip_suffix(".go") {
                Some(class) => (NodeKind::Function, Some(class)),
                None => (NodeKind::Class, Some("f")),
            },
        };
        let flags = if id == "Base.go" { base_flags } else { NodeFlags::default() };
        let parent = parent.map(number);
        let symbol = number(id);
        NodeInput { symbol, parent, kind, label: id, lines: (1, 2), name_line: 1, flags, signature: "", doc: "" }
    };
    let sites = [Pos { line: 7, col: 3 }];
    let edge = |from: &str, relation, to: &str, dispatches| EdgeInput {
        from: number(from),
        to: number(to),
        relation,
        tier: EdgeTier::Certain,
        of: 1,
        dispatches,
        compiler: false,
        reads: false,
        sites: &sites,
    };
    let mut edges = vec![
        edge("A", Relation::Inherits, "Base", false),
        edge("B", Relation::Inherits, "Base", false),
        edge("C", Relation::Inherits, "B", false),
        edge("A.go", Relation::Overrides, "Base.go", false),
        edge("B.go", Relation::Overrides, "Base.go", false),
        edge("run", Relation::Calls, "Base.go", dispatches),
    ];
    edges.extend(made.iter().map(|class| edge("make", Relation::Calls, class, false)));
    let part = Part { nodes: ids.map(node).to_vec(), edges, unresolved: Vec::new() };
    Graph::build(&[part], &|symbol| ids[symbol as usize]).0
}

/// Methods that `run` may run, as `target of sites`, and the same in the other direction.
fn show_dispatched(graph: &Graph) -> Vec<String> {
    let run = graph.find("run").expect("a node");
    let mut rows: Vec<String> = graph
        .find_dispatched(run)
        .into_iter()
        .map(|edge| {
            assert_eq!((edge.relation, edge.tier), (Relation::Calls, EdgeTier::Possible));
            format!("{} {} {}", graph.id(edge.to), edge.of, edge.sites.len())
        })
        .collect();
    rows.sort();
    let mut from_there: Vec<String> = graph
        .nodes()
        .flat_map(|node| graph.dispatching(node))
        .map(|edge| {
            assert_eq!(edge.from, run);
            format!("{} {} {}", graph.id(edge.to), edge.of, edge.sites.len())
        })
        .collect();
    from_there.sort();
    assert_eq!(rows, from_there);
    rows
}

#[test]
fn only_methods_of_classes_that_are_made() {
    let plain = NodeFlags::default();
    assert_eq!(show_dispatched(&graph(plain, &["A"], true)), ["A.go 2 1"]);
    assert_eq!(show_dispatched(&graph(plain, &["A", "B"], true)), ["A.go 3 1", "B.go 3 1"]);
}

#[test]
fn a_method_runs_for_heirs_that_do_not_replace_it() {
    assert_eq!(show_dispatched(&graph(NodeFlags::default(), &["C"], true)), ["B.go 2 1"]);
}

#[test]
fn an_abstract_method_is_no_candidate() {
    assert_eq!(show_dispatched(&graph(NodeFlags::ABSTRACT, &["A"], true)), ["A.go 1 1"]);
}

#[test]
fn a_library_makes_none_of_its_classes() {
    assert_eq!(show_dispatched(&graph(NodeFlags::default(), &[], true)), ["A.go 3 1", "B.go 3 1"]);
}

#[test]
fn a_call_of_an_exact_class_runs_what_it_names() {
    assert_eq!(show_dispatched(&graph(NodeFlags::default(), &["A", "B"], false)), [""; 0]);
}
