//! The map: what is shown at a level, bundled edges, colours, and that opening moves nothing.

use m1nd_base::Cancel;
use m1nd_engine::Snapshot;
use m1nd_query::map::{BOUNDS, Color, ColorValue, MapAnswer, MapKind, MapNode, MapQuery, map};

use crate::project::{PYTHON, Project};

const PACKAGES: &str = "\
//- package.json
{\"workspaces\": [\"packages/*\"]}
//- index.js
import { add } from './packages/core/src/add.js'
export const main = () => add(1, 2)
//- packages/core/package.json
{\"name\": \"core\"}
//- packages/core/src/add.js
export function add(a, b) { return a + b }
export class Sum { total() { return add(1, 2) } }
//- packages/web/package.json
{\"name\": \"web\"}
//- packages/web/src/<script>alert(1)<!--.js
import { add } from '../../core/src/add.js'
export function show() { return add(3, 4) + add(5, 6) }
//- examples/one/package.json
{}
//- examples/one/run.py
def go():
    return 1
";

fn ask(snapshot: &Snapshot, open: &[&str], color: Option<Color>) -> MapAnswer {
    let open = open.iter().map(|id| (*id).to_owned()).collect();
    map(snapshot, &MapQuery { open, color, ..MapQuery::default() }, &Cancel::new()).expect("not cancelled")
}

fn list_nodes(answer: &MapAnswer) -> Vec<String> {
    let word = |kind| match kind {
        MapKind::Package => "package",
        MapKind::Folder => "folder",
        MapKind::File => "file",
        MapKind::Symbol => "symbol",
    };
    answer.nodes.iter().map(|node| format!("{} {} {}", word(node.kind), node.id, node.label)).collect()
}

fn list_edges(answer: &MapAnswer) -> Vec<String> {
    let row = |edge: &m1nd_query::map::MapEdge| {
        let kinds: Vec<&str> = edge.kinds.iter().map(|kind| kind.word()).collect();
        format!("{} -> {} {}/{} {}", edge.source, edge.target, edge.certain, edge.count, kinds.join(","))
    };
    answer.edges.iter().map(row).collect()
}

fn find<'a>(answer: &'a MapAnswer, id: &str) -> &'a MapNode {
    answer.nodes.iter().find(|node| node.id == id).unwrap_or_else(|| panic!("no {id} in {:?}", list_nodes(answer)))
}

#[test]
fn each_level_shows_its_nodes_and_bundled_edges() {
    let project = Project::new(PACKAGES);
    let root = project.tree.path().file_name().expect("a name").to_string_lossy().into_owned();
    let snapshot = project.open_indexed().snapshot();
    // Packages stand at the top; those of examples stay in their folder, which is one with its only folder.
    let closed = ask(&snapshot, &[], None);
    let expected = [
        format!("package folder::. {root}"),
        "package folder::examples/one examples/one".to_owned(),
        "package folder::packages/core packages/core".to_owned(),
        "package folder::packages/web packages/web".to_owned(),
    ];
    assert_eq!(list_nodes(&closed), expected);
    let (core, web) = ("folder::packages/core", "folder::packages/web");
    let mut edges = list_edges(&closed);
    edges.sort();
    let expected = [format!("folder::. -> {core} 3/3 imports,calls"), format!("{web} -> {core} 3/3 imports,calls")];
    assert_eq!(edges, expected);
    let places: Vec<(&str, u32)> = closed
        .edges
        .iter()
        .filter_map(|edge| Some((edge.at.as_ref()?.file_path.as_str(), edge.at.as_ref()?.line)))
        .collect();
    assert_eq!(places, [("index.js", 1), ("packages/web/src/<script>alert(1)<!--.js", 1)]);
    // A file opens what contains it; its symbols are nodes, with members inside of them.
    let file = "file::packages/core/src/add.js";
    let open = ask(&snapshot, &[file], None);
    let symbols: Vec<&MapNode> = open.nodes.iter().filter(|node| node.kind == MapKind::Symbol).collect();
    assert_eq!(symbols.iter().map(|node| node.label.as_str()).collect::<Vec<_>>(), ["add", "Sum"]);
    assert!(symbols.iter().all(|node| node.parent.as_deref() == Some(file)));
    let opened: Vec<&str> = open.opened.iter().map(|node| node.id.as_str()).collect();
    assert_eq!(opened, [core, "folder::packages/core/src", file]);
    assert!(list_edges(&open).iter().any(|edge| edge.starts_with(&format!("{web} -> {file}::fn::add"))));
    assert!(list_edges(&open).iter().any(|edge| edge.contains("class::Sum -> ")), "{:?}", list_edges(&open));
}

#[test]
fn opening_moves_nothing_else() {
    let snapshot = Project::new(PACKAGES).open_indexed().snapshot();
    let closed = ask(&snapshot, &[], None);
    let open = ask(&snapshot, &["folder::packages/web", "no such node"], None);
    assert_eq!(open.unknown, ["no such node"]);
    for node in closed.nodes.iter().filter(|node| node.id != "folder::packages/web") {
        assert_eq!(find(&open, &node.id), node);
    }
    // The opened node is the circle around its content.
    let container = open.opened.iter().find(|node| node.id == "folder::packages/web").expect("is open");
    assert_eq!(container, find(&closed, "folder::packages/web"));
    let inner: Vec<&MapNode> =
        open.nodes.iter().filter(|node| node.parent.as_deref() == Some("folder::packages/web")).collect();
    assert_eq!(inner.len(), container.children);
    for node in inner {
        assert!((node.x - container.x).hypot(node.y - container.y) + node.size <= container.size + 1e-3);
        assert!(node.x >= 0.0 && node.x <= BOUNDS);
    }
    assert_eq!(ask(&snapshot, &["folder::packages/web", "no such node"], None), open);
}

#[test]
fn limits_keep_the_largest_and_count_the_rest() {
    let snapshot = Project::new(PACKAGES).open_indexed().snapshot();
    let all = ask(&snapshot, &["folder::packages/core/src"], None);
    let query = MapQuery { open: vec!["folder::packages/core/src".into()], limit: 2, edges: 1, ..MapQuery::default() };
    let cut = map(&snapshot, &query, &Cancel::new()).expect("not cancelled");
    assert_eq!((cut.nodes.len(), cut.hidden.nodes), (2, all.nodes.len() - 2));
    assert!(cut.edges.len() <= 1);
    for node in &cut.nodes {
        assert_eq!(find(&all, &node.id), node);
    }
    // What is to be seen is among the nodes, however small.
    let sum = "file::packages/core/src/add.js::class::Sum";
    let query = MapQuery { reveal: vec![sum.into(), "gone".into()], limit: 1, ..MapQuery::default() };
    let revealed = map(&snapshot, &query, &Cancel::new()).expect("not cancelled");
    assert_eq!(revealed.nodes.iter().map(|node| node.id.as_str()).collect::<Vec<_>>(), [sum]);
    assert_eq!(revealed.unknown, ["gone"]);
    let none = map(&snapshot, &MapQuery { edges: 0, ..MapQuery::default() }, &Cancel::new()).expect("not cancelled");
    assert_eq!((none.edges.len(), none.hidden.edges), (0, 2));
}

#[test]
fn colours_are_of_the_content() {
    let snapshot = Project::new(PACKAGES).open_indexed().snapshot();
    let value = |color, id: &str| find(&ask(&snapshot, &[], Some(color)), id).color_value.clone();
    let word = |text: &str| Some(ColorValue::Word(text.to_owned()));
    assert_eq!(value(Color::Language, "folder::examples/one"), word("python"));
    assert_eq!(value(Color::Language, "folder::packages/web"), word("javascript"));
    assert_eq!(value(Color::Tier, "folder::packages/web"), Some(ColorValue::Number(1.0)));
    let layers = ask(&snapshot, &[], Some(Color::Layer)).legend.expect("a legend");
    assert_eq!(value(Color::Layer, "folder::packages/core"), word(&layers.words[0]));
    // Without a repository there are no commits, and that is said.
    let churn = ask(&snapshot, &[], Some(Color::Churn));
    assert!(churn.nodes.iter().all(|node| node.color_value.is_none()));
    assert!(!churn.legend.expect("a legend").gaps.is_empty());
    for color in Color::ALL {
        assert_eq!(Color::parse(color.word()), Some(color));
    }
}

#[test]
fn a_project_without_packages_has_its_folders_at_the_top() {
    let snapshot = Project::new(PYTHON).open_indexed().snapshot();
    let answer = ask(&snapshot, &[], None);
    let ids: Vec<&str> = answer.nodes.iter().map(|node| node.id.as_str()).collect();
    assert_eq!(ids, ["folder::.", "folder::app", "folder::tests"]);
    assert_eq!(list_edges(&answer), ["folder::tests -> folder::app 4/4 imports,calls,tests"]);
    assert_eq!(ask(&Snapshot::empty(), &[], Some(Color::Risk)).nodes, []);
}

#[test]
fn a_federation_has_its_repositories_at_the_top() {
    let project = Project::new("//- one/a.py\ndef f():\n    return 1\n//- two/b.py\ndef g():\n    return 2\n");
    let snapshot = project.open_federated(&["one", "two"]).snapshot();
    let answer = ask(&snapshot, &["one::file::a.py"], None);
    assert_eq!(answer.unknown, Vec::<String>::new());
    assert_eq!(list_nodes(&answer), ["folder folder::two two", "symbol one::file::a.py::fn::f f"]);
}
