//! The scorer on small truths and graphs: one test per definition.

use std::collections::HashMap;

use m1nd_base::{EdgeTier, NodeKind, Relation};

use super::edges::{Context, Findings, RepositoryResult, result};
use super::ours::{Edge, Node, Ours};
use super::truth::{Call, Definition, Enclosing, FileDependency, Inherit, Reference, Truth};

/// A graph under construction.
#[derive(Default)]
struct Graph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

impl Graph {
    fn file(&mut self, path: &str) -> usize {
        self.add(path, 0, (1, 1000), path, NodeKind::File, None)
    }

    fn function(&mut self, parent: usize, line: u32, name: &str) -> usize {
        let file = self.nodes[parent].file.clone().expect("a file");
        self.add(&file, line, (line, line + 8), name, NodeKind::Function, Some(parent))
    }

    fn class(&mut self, parent: usize, line: u32, name: &str) -> usize {
        let file = self.nodes[parent].file.clone().expect("a file");
        self.add(&file, line, (line, line + 90), name, NodeKind::Class, Some(parent))
    }

    fn add(
        &mut self,
        file: &str,
        line: u32,
        lines: (u32, u32),
        name: &str,
        kind: NodeKind,
        parent: Option<usize>,
    ) -> usize {
        let number = self.nodes.len();
        let (id, file, name) = (format!("{number}"), Some(file.to_owned()), name.to_owned());
        self.nodes.push(Node { id, file, line, lines, name, kind, parent, is_constructor: false });
        number
    }

    fn edge(&mut self, from: usize, to: usize, relation: Relation, of: u16, sites: &[(u32, u32)]) {
        let tier = if of == 1 { EdgeTier::Certain } else { EdgeTier::Possible };
        self.edges.push(Edge { from, to, relation, tier, of, sites: sites.to_vec() });
    }

    fn call(&mut self, from: usize, to: usize, of: u16, sites: &[(u32, u32)]) {
        self.edge(from, to, Relation::Calls, of, sites);
    }

    fn score(self, truth: &Truth) -> RepositoryResult {
        let ours = Ours::new(self.nodes, self.edges);
        let sources = HashMap::new();
        result("test", &Context::new(&ours, truth, &sources), &mut Findings::default())
    }
}

fn call(caller: (&str, u32, &str), target: (&str, u32, &str), sites: &[u32]) -> Call {
    Call {
        caller_file: caller.0.into(),
        caller_line: caller.1,
        caller_name: caller.2.into(),
        file: target.0.into(),
        line: target.1,
        name: target.2.into(),
        sites: sites.to_vec(),
    }
}

/// A reference at a 1-based column, inside of the function on line 1.
fn reference(at: (&str, u32, u32), target: (&str, u32, &str), kind: &str) -> Reference {
    Reference {
        file: at.0.into(),
        line: at.1,
        col: at.2 - 1,
        target_file: target.0.into(),
        target_line: target.1,
        name: target.2.into(),
        kind: kind.into(),
        role: "call".into(),
        symbol: String::new(),
        enclosing: Some(Enclosing { line: 1, kind: "fn".into() }),
    }
}

fn truth(calls: Vec<Call>, references: Vec<Reference>) -> Truth {
    Truth { calls, references, ..Truth::default() }
}

#[test]
fn recall_counts_pairs_by_the_best_edge() {
    let mut graph = Graph::default();
    let (a, b) = (graph.file("a.py"), graph.file("b.py"));
    let caller = graph.function(a, 1, "caller");
    let targets = [1, 20, 40, 60].map(|line| graph.function(b, line, &format!("f{line}")));
    graph.call(caller, targets[0], 1, &[(2, 5), (9, 9)]);
    graph.call(caller, targets[1], 3, &[(3, 5)]);
    // A reference that is no call, and a call from another caller.
    graph.edge(caller, targets[2], Relation::References, 1, &[(4, 5)]);
    graph.call(a, targets[3], 1, &[(5, 5)]);
    let rows = [1, 20, 40, 60].map(|line| {
        call(("a.py", 1, "caller"), ("b.py", line, &format!("f{line}")), &[if line == 60 { 5 } else { 2 }])
    });
    let score = graph.score(&truth(rows.to_vec(), Vec::new())).calls;
    let all = &score.all;
    assert_eq!((all.truth, all.certain, all.possible, all.candidates), (4, 1, 1, 3));
    assert_eq!((all.ratios.recall_certain, all.ratios.recall_possible), (Some(0.25), Some(0.5)));
    assert_eq!(all.ratios.mean_candidates, Some(2.0), "one certain, one of three");
    assert_eq!(all.certain_at_site, 2, "the one from elsewhere has its site where truth has it");
    assert_eq!((score.cross_file.truth, score.ambiguous.truth), (4, 0));
}

#[test]
fn code_outside_of_functions_is_top_level() {
    let mut graph = Graph::default();
    let a = graph.file("a.py");
    let class = graph.class(a, 10, "C");
    let target = graph.function(a, 1, "f");
    graph.call(class, target, 1, &[(12, 5)]);
    let score = graph.score(&truth(vec![call(("a.py", 0, "<module>"), ("a.py", 1, "f"), &[12])], Vec::new()));
    assert_eq!((score.calls.all.certain, score.calls.cross_file.truth), (1, 0));
}

#[test]
fn functions_that_truth_does_not_have_are_no_callers() {
    let graph = || {
        let mut graph = Graph::default();
        let a = graph.file("a.ts");
        let (outer, target) = (graph.function(a, 1, "outer"), graph.function(a, 90, "f"));
        let (arrow, constant) = (graph.function(outer, 3, "inner"), graph.function(a, 20, "arrow"));
        graph.call(arrow, target, 1, &[(4, 5)]);
        graph.call(constant, target, 1, &[(21, 5)]);
        graph
    };
    let calls = vec![
        call(("a.ts", 1, "outer"), ("a.ts", 90, "f"), &[4]),
        call(("a.ts", 0, "<module>"), ("a.ts", 90, "f"), &[21]),
    ];
    let found = |definitions: &[(u32, &str, &str)]| {
        let definition = |&(line, name, kind): &(u32, &str, &str)| Definition {
            file: "a.ts".into(),
            line,
            name: name.into(),
            kind: kind.into(),
        };
        let definitions = definitions.iter().map(definition).collect();
        graph().score(&Truth { calls: calls.clone(), definitions, ..Truth::default() }).calls.all.certain
    };
    let (outer, f, constant) = ((1, "outer", "fn"), (90, "f", "fn"), (20, "arrow", "term"));
    assert_eq!(found(&[outer, f, constant]), 2);
    assert_eq!(found(&[outer, f, (20, "arrow", "fn")]), 1, "truth could have said `arrow`");
    assert_eq!(found(&[]), 0, "truth does not say which functions it has");
}

#[test]
fn precision_speaks_of_sites_where_truth_speaks() {
    let mut graph = Graph::default();
    let (a, b) = (graph.file("a.py"), graph.file("b.py"));
    let caller = graph.function(a, 1, "caller");
    let c = graph.file("c.py");
    let [right, wrong, other, unknown, value] = [(b, "f"), (c, "f"), (b, "g"), (b, "h"), (b, "v")]
        .map(|(file, name)| graph.function(file, u32::from(name.as_bytes()[0]) - 101, name));
    graph.call(caller, right, 1, &[(2, 5)]);
    graph.call(caller, wrong, 1, &[(3, 5)]);
    graph.call(caller, other, 1, &[(4, 5)]);
    graph.call(caller, unknown, 1, &[(5, 5)]);
    graph.call(caller, value, 1, &[(6, 5)]);
    // A possible edge makes no claim.
    graph.call(caller, wrong, 2, &[(2, 5)]);
    let rows = [2, 3, 4].map(|line| reference(("a.py", line, 5), ("b.py", 1, "f"), "fn"));
    let variable = reference(("a.py", 6, 5), ("a.py", 1, "handler"), "term");
    let score = graph.score(&truth(Vec::new(), [&rows[..], &[variable]].concat())).calls;
    let all = &score.all;
    assert_eq!(
        (all.right, all.invented, all.other_name, all.silent),
        (1, 1, 1, 0),
        "an untyped language may be silent"
    );
    assert_eq!(all.ratios.precision, Some(0.3333));
    assert_eq!((all.ratios.invented_share, all.ratios.phantom_share), (Some(0.3333), Some(0.3333)));
    assert_eq!((score.ambiguous.right, score.ambiguous.invented, score.ambiguous.other_name), (1, 1, 0));
}

#[test]
fn silence_of_a_typed_language_is_a_phantom() {
    let mut graph = Graph::default();
    let a = graph.file("a.rs");
    let caller = graph.function(a, 1, "caller");
    let unseen = graph.function(a, 100, "unseen");
    let target = graph.function(a, 20, "f");
    graph.call(caller, target, 1, &[(2, 5), (3, 5)]);
    graph.call(unseen, target, 1, &[(101, 5)]);
    let score = graph.score(&truth(Vec::new(), vec![reference(("a.rs", 2, 5), ("a.rs", 20, "f"), "fn")])).calls.all;
    assert_eq!((score.right, score.silent), (1, 1), "truth has nothing in `unseen`: it may be compiled out");
    assert_eq!((score.ratios.precision, score.ratios.phantom_share), (Some(1.0), Some(0.5)));
}

#[test]
fn columns_in_other_units_are_found_by_name() {
    let mut graph = Graph::default();
    let a = graph.file("a.py");
    let caller = graph.function(a, 1, "caller");
    let (f, g) = (graph.function(a, 20, "f"), graph.function(a, 40, "g"));
    graph.call(caller, f, 1, &[(2, 7)]);
    graph.call(caller, g, 1, &[(2, 12)]);
    // The truth points at `f` where we point at `g`, and four columns before our `f`.
    let rows =
        vec![reference(("a.py", 2, 3), ("a.py", 20, "f"), "fn"), reference(("a.py", 2, 7), ("a.py", 40, "g"), "fn")];
    let score = graph.score(&truth(Vec::new(), rows)).calls.all;
    assert_eq!((score.right, score.invented + score.other_name), (2, 0));
}

#[test]
fn the_ambiguous_remainder_are_names_with_several_symbols() {
    let mut graph = Graph::default();
    let (a, b) = (graph.file("a.py"), graph.file("b.py"));
    let caller = graph.function(a, 1, "caller");
    let [one, twice, redefined] = [(a, 20, "once"), (a, 40, "twice"), (a, 60, "again")]
        .map(|(file, line, name)| graph.function(file, line, name));
    graph.function(b, 1, "twice");
    // The same symbol, defined again.
    graph.function(a, 70, "again");
    for target in [one, twice, redefined] {
        graph.call(caller, target, 1, &[(2, 5)]);
    }
    let row = |line, name| call(("a.py", 1, "caller"), ("a.py", line, name), &[2]);
    let rows = vec![row(20, "once"), row(40, "twice"), row(60, "again")];
    let score = graph.score(&truth(rows, Vec::new())).calls;
    assert_eq!((score.all.certain, score.ambiguous.truth, score.ambiguous.certain), (3, 1, 1));
}

#[test]
fn declarations_of_one_symbol_are_one_target() {
    // Lines 20 and 30 declare what line 40 defines; the index names the first. We have only the last, or all.
    for lines in [&[40][..], &[20, 30, 40]] {
        for (ending, right, found) in [("py", 1, 1), ("ts", 1, 1), ("java", 0, 0)] {
            let mut graph = Graph::default();
            let file = format!("a.{ending}");
            let a = graph.file(&file);
            let class = graph.class(a, 10, "C");
            let caller = graph.function(a, 1, "caller");
            let targets: Vec<usize> = lines.iter().map(|&line| graph.function(class, line, "f")).collect();
            graph.call(caller, *targets.last().expect("one"), 1, &[(2, 5)]);
            let target = (file.as_str(), 20, "f");
            let rows = vec![call((&file, 1, "caller"), target, &[2])];
            let score = graph.score(&truth(rows, vec![reference((&file, 2, 5), target, "fn")])).calls.all;
            assert_eq!((score.right, score.certain), (right, found), "{ending} {lines:?}");
            assert_eq!(score.invented, 1 - right, "{ending} {lines:?}");
        }
    }
}

#[test]
fn the_owner_of_a_symbol_counts() {
    let mut graph = Graph::default();
    let a = graph.file("a.py");
    let caller = graph.function(a, 1, "caller");
    let (one, two) = (graph.class(a, 100, "One"), graph.class(a, 300, "Two"));
    graph.function(one, 110, "f");
    let wrong = graph.function(two, 310, "f");
    // In the index, nested functions are siblings of the outer ones.
    let outer = graph.function(two, 320, "outer");
    let inner = graph.function(outer, 322, "inner");
    let method = graph.function(two, 330, "method");
    graph.function(method, 332, "inner");
    graph.call(caller, wrong, 1, &[(2, 5)]);
    graph.call(caller, inner, 1, &[(3, 5)]);
    let rows = vec![
        reference(("a.py", 2, 5), ("a.py", 110, "f"), "fn"),
        reference(("a.py", 3, 5), ("a.py", 332, "inner"), "fn"),
    ];
    let score = graph.score(&truth(Vec::new(), rows)).calls.all;
    assert_eq!((score.right, score.invented), (1, 1));
}

#[test]
fn a_class_stands_for_its_constructors() {
    let mut graph = Graph::default();
    let a = graph.file("a.py");
    let caller = graph.function(a, 1, "caller");
    let (base, class) = (graph.class(a, 100, "Base"), graph.class(a, 300, "C"));
    let constructor = graph.function(class, 310, "__init__");
    let inherited = graph.function(base, 110, "__init__");
    for node in [constructor, inherited] {
        graph.nodes[node].is_constructor = true;
    }
    for node in [class, constructor, inherited] {
        graph.call(caller, node, 1, &[(2, 5)]);
    }
    let row = |line, name| call(("a.py", 1, "caller"), ("a.py", line, name), &[2]);
    let references = vec![reference(("a.py", 2, 5), ("a.py", 300, "C"), "type")];
    let score = graph.score(&truth(vec![row(300, "C"), row(310, "__init__")], references)).calls.all;
    assert_eq!((score.certain, score.right), (2, 2));
    assert_eq!(score.invented + score.other_name, 0, "an inherited constructor is called, too");
}

#[test]
fn references_of_every_relation_are_found_on_their_line() {
    let mut graph = Graph::default();
    let (a, b) = (graph.file("a.py"), graph.file("b.py"));
    let target = graph.function(b, 1, "f");
    graph.edge(a, target, Relation::Imports, 1, &[(1, 15)]);
    graph.edge(a, target, Relation::Contains, 1, &[(2, 5)]);
    let mut rows: Vec<Reference> =
        [1, 2].into_iter().map(|line| reference(("a.py", line, 15), ("b.py", 1, "f"), "fn")).collect();
    rows.push(reference(("a.py", 1, 6), ("b.py", 1, "b"), "module"));
    let score = graph.score(&truth(Vec::new(), rows)).references.all;
    assert_eq!((score.truth, score.certain, score.right), (2, 1, 1), "modules are left out");
}

#[test]
fn inheritance_is_judged_where_truth_knows_the_type() {
    let mut graph = Graph::default();
    let a = graph.file("a.py");
    let [base, other, known, unknown] =
        [("Base", 1), ("Other", 100), ("Known", 200), ("Unknown", 300)].map(|(name, line)| graph.class(a, line, name));
    for (from, to) in [(known, base), (known, other), (unknown, other)] {
        graph.edge(from, to, Relation::Inherits, 1, &[(200, 9)]);
    }
    let row = |line, name: &str| Inherit {
        file: "a.py".into(),
        line: 200,
        name: "Known".into(),
        target_file: "a.py".into(),
        target_line: line,
        target_name: name.into(),
    };
    let truth = Truth { inherits: vec![row(1, "Base"), row(500, "Missing")], ..Truth::default() };
    let score = graph.score(&truth).inheritance;
    assert_eq!((score.truth, score.certain, score.right, score.invented), (2, 1, 1, 1));
}

#[test]
fn files_depend_by_any_edge_and_rust_roots_are_left_out() {
    let mut graph = Graph::default();
    let [a, b, c, lib] = ["src/a.rs", "src/b.rs", "src/c.rs", "src/lib.rs"].map(|path| graph.file(path));
    let f = graph.function(b, 1, "f");
    graph.edge(a, f, Relation::References, 1, &[(2, 5)]);
    graph.edge(a, c, Relation::Imports, 1, &[(1, 5)]);
    graph.edge(a, lib, Relation::Imports, 1, &[(1, 5)]);
    graph.edge(c, b, Relation::Imports, 1, &[(1, 5)]);
    let row = |src: &str, dst: &str| FileDependency { src: src.into(), dst: dst.into() };
    let files = vec![row("src/a.rs", "src/b.rs"), row("src/a.rs", "benches/x.rs"), row("src/a.rs", "src/d.rs")];
    let mut root = reference(("src/a.rs", 1, 5), ("benches/x.rs", 1, "crate"), "ns");
    root.symbol = "index cargo x 1.0 crate/".into();
    let score = graph.score(&Truth { files, references: vec![root], ..Truth::default() }).file_dependencies;
    assert_eq!((score.truth, score.certain), (2, 1), "the bench stands for the root module");
    assert_eq!((score.right, score.other_name), (1, 1), "of `a` to `b` and `c`; truth knows nothing of `c`");
}

#[test]
fn further_declarations_are_no_calls() {
    let lines = ["def f(a: int) -> int: ...", "async def f(a):", "x = f(1)", "undef f(1)"];
    let sources = HashMap::from([("a.py".to_owned(), lines.map(str::to_owned).to_vec())]);
    let references = (1..=4).map(|line| reference(("a.py", line, 5), ("a.py", 1, "f"), "fn")).collect();
    let calls = vec![
        call(("a.py", 0, "<module>"), ("a.py", 1, "f"), &[1, 2]),
        call(("a.py", 0, "<module>"), ("a.py", 1, "f"), &[2, 3]),
    ];
    let mut truth = truth(calls, references);
    truth.drop_declarations(&sources);
    assert_eq!(truth.references.iter().map(|row| row.line).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(truth.calls.iter().map(|row| row.sites.clone()).collect::<Vec<_>>(), [[3]]);
}
