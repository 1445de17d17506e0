//! `diagram`: what each kind shows in each language, its bounds, and names that try to be more than names.

use m1nd_testkit::parse_fixture;
use serde_json::{Value, json};

use crate::harness::Project;

/// Two folders, an import that leads up, and a file with a hostile name.
const APP: &str = "\
//- /app/web/page.py
from app.core.rules import check

def show():
    return check()
//- /app/web/x\"]; click n0 \"javascript:alert(1)\".py
from app.core.rules import check

def other():
    return check()
//- /app/core/rules.py
def check():
    return 1

def late():
    from app.web.page import show
    return show()
//- /app/tests/test_page.py
from app.web.page import show

def test_show():
    assert show()
//- /m1nd-layers.toml
[[layer]]
name = 'web'
paths = ['app/web']
may_use = ['core']
[[layer]]
name = 'core'
paths = ['app/core']
";

/// Arguments, and lines that are in the diagram; of a line after `!`, nothing is.
const ROWS: &[(&str, &[&str])] = &[
    ("{}", &["flowchart TD", "page.py<br/>4 lines\"]:::circle", "classDef circle", "-->|", "!test_page", "!click n0 \"java"]),
    (r#"{"scope": "app/core"}"#, &["rules.py", "!page.py"]),
    (r#"{"language": "dot"}"#, &["digraph m1nd {", "rules.py\\n6 lines\"", "!click n0 \"javascript"]),
    (r#"{"kind": "layers"}"#, &["subgraph b0[\"web\"]", "subgraph b1[\"core\"]", " ==>", "linkStyle", "!==> n9"]),
    (r#"{"kind": "layers", "language": "dot"}"#, &["subgraph cluster_1 { label=\"core\"", "penwidth=2"]),
    (
        r#"{"kind": "impact", "node_id": "check"}"#,
        &["check<br/>app/core/rules.py:1\"]:::focus", "show<br/>app/web/page.py:3\"]:::breaks", ":::test"],
    ),
    (r#"{"kind": "impact", "node_id": "late"}"#, &["late<br/>app/core/rules.py:4\"]:::focus", "!-->"]),
];

#[test]
fn each_kind_shows_its_boxes() {
    let project = Project::new(APP);
    for (arguments, expected) in ROWS {
        let arguments: Value = serde_json::from_str(arguments).expect("JSON");
        let answer = project.ok("diagram", arguments.clone());
        let diagram = answer["diagram"].as_str().expect("a text");
        for line in *expected {
            match line.strip_prefix('!') {
                None => assert!(diagram.contains(line), "{arguments}: no {line} in\n{diagram}"),
                Some(line) => assert!(!diagram.contains(line), "{arguments}: {line} in\n{diagram}"),
            }
        }
        assert_eq!(project.ok("diagram", arguments)["diagram"], answer["diagram"]);
    }
}

#[test]
fn what_is_hidden_is_counted_and_said() {
    let mut files: Vec<String> = (0..40).map(|at| format!("//- /m{at}.py\nimport m{}\n", (at + 1) % 40)).collect();
    files.push("//- /alone.py\nx = 1\n".to_owned());
    assert_eq!(parse_fixture(&files.concat()).len(), 41);
    let project = Project::new(&files.concat());
    let answer = project.ok("diagram", json!({"limit": 10}));
    let boxes = answer["boxes"].as_u64().expect("a number");
    assert!(boxes <= 10, "{answer}");
    assert_eq!(answer["diagram"].as_str().expect("a text").matches("[\"").count() as u64, boxes);
    let answer = project.ok("diagram", json!({"kind": "impact", "node_id": "m0.py", "limit": 4}));
    let hidden = answer["hidden"]["boxes"].as_u64().expect("a number");
    assert!(hidden > 0 && answer["boxes"] == 4, "{answer}");
    assert!(answer["shows"].as_str().expect("a text").contains(&format!("hidden: {hidden} box")), "{answer}");
}

#[test]
fn mistakes_are_named() {
    let project = Project::new(APP);
    let rows = [
        (json!({"kind": "impact"}), "argument `node_id` is missing"),
        (json!({"node_id": "check"}), "argument `node_id` applies only to kind `impact`"),
        (json!({"kind": "impact", "node_id": "nowhere"}), "no node is named `nowhere`"),
    ];
    for (arguments, message) in rows {
        let error = project.err("diagram", arguments);
        assert!(error["error"].as_str().is_some_and(|text| text.contains(message)), "{error}");
    }
}
