use m1nd_testkit::parse_fixture;
use serde_json::{Value, json};

use crate::harness::{Project, column};
use crate::repository::{Put, Repository};

/// Three folders that use each other downwards, with one import that leads up.
const APP: &str = "\
//- /app/web/page.py
from app.core import rules
from app.base import text

def show():
    return text.clean(rules.check())
//- /app/web/other.py
from app.base import text
from app.core import rules

def other():
    return text.clean(rules.check())
//- /app/web/third.py
from app.base import text

def third():
    return text.clean('z')
//- /app/core/rules.py
from app.base import text

def check():
    return text.clean('x')
//- /app/core/more.py
from app.base import text

def more():
    return text.clean('y')
//- /app/base/text.py
def clean(value):
    return value

def late():
    from app.web import page
    return page.show()
//- /app/base/words.py
WORDS = []
//- /tests/test_page.py
from app.web import page

def test_show():
    assert page.show()
";

const DECLARED: &str = "\
//- /m1nd-layers.toml
[[layer]]
name = 'web'
paths = ['app/web']
may_use = ['core']
[[layer]]
name = 'core'
paths = ['app/core/**']
[[layer]]
name = 'base'
description = 'texts'
paths = ['app/base']
";

fn names(answer: &Value) -> String {
    column(answer, "layers", "name")
}

#[test]
fn layers_follow_from_the_dependencies() {
    let project = Project::new(APP);
    let answer = project.ok("layers", json!({}));
    assert_eq!(names(&answer), "entry_points app/core foundation tests");
    assert_eq!(answer["basis"], "inferred from dependencies between folders");
    assert_eq!(answer["layers"][0]["modules"], json!(["app/web"]));
    let violations = answer["violations"].as_array().expect("rows");
    assert_eq!(violations.len(), 1, "{answer}");
    let row = &violations[0];
    assert_eq!((&row["violation_type"], &row["severity"]), (&json!("upward_dependency"), &json!("high")));
    assert_eq!(row["location"], "app/base/text.py:5");
    assert_eq!((&row["source_layer"], &row["target_layer"]), (&json!("foundation"), &json!("entry_points")));
    assert_eq!(answer["summary"]["has_cycles"], true);
    assert_eq!(answer["cycles"][0]["modules"], json!(["app/web", "app/core", "app/base"]));
    assert_eq!(answer["layers"][3]["level"], Value::Null, "tests have no level");
}

#[test]
fn declared_layers_come_first() {
    let project = Project::new(&format!("{APP}{DECLARED}//- /tool.py\nx = 1\n"));
    let answer = project.ok("layers", json!({"exclude_tests": true}));
    assert_eq!(names(&answer), "web core base");
    assert_eq!(answer["basis"], "declared in m1nd-layers.toml");
    assert_eq!(column(&answer, "violations", "violation_type"), "upward_dependency forbidden_dependency forbidden_dependency forbidden_dependency");
    assert_eq!(column(&answer, "violations", "location"), "app/base/text.py:5 app/web/other.py:1 app/web/page.py:2 app/web/third.py:1");
    assert_eq!(answer["what_is_missing"], "1 file in no declared layer");
    let none = project.ok("layers", json!({"include_violations": false}));
    assert_eq!((&none["violations"], &none["summary"]["total_violations"]), (&json!([]), &json!(4)));
}

#[test]
fn a_declaration_that_cannot_be_used_is_an_error() {
    let project = Project::new(&format!("{APP}//- /m1nd-layers.toml\n[[layer]]\nname = 'a'\npath = 'x'\n"));
    let error = project.err("layers", json!({}));
    assert!(error["error"].as_str().is_some_and(|text| text.contains("unknown field `path`")), "{error}");
}

#[test]
fn modules_that_use_each_other_evenly_are_left_open() {
    let both = "//- /a/x.py\nfrom b import y\n\ndef f():\n    return y.g()\n//- /b/y.py\nfrom a import x\n\ndef g():\n    return x.f()\n//- /c/z.py\n";
    let answer = Project::new(both).ok("layers", json!({}));
    assert_eq!(answer["cannot_tell"][0]["modules"], json!(["a", "b"]), "{answer}");
    assert_eq!(answer["summary"]["total_violations"], 0);
}

#[test]
fn arguments_choose_what_is_shown() {
    let project = Project::new(APP);
    let one = project.ok("layers", json!({"max_layers": 1, "exclude_tests": true, "naming_strategy": "path_prefix"}));
    assert_eq!(names(&one), "app/web");
    assert_eq!(one["violations"][0]["violation_type"], "circular_dependency");
    let functions = project.ok("layers", json!({"node_types": ["function"], "scope": "app/web"}));
    assert_eq!(functions["layers"][0]["nodes"][0]["type"], "function");
    assert_eq!(functions["summary"]["total_nodes_classified"], 3);
    let error = project.err("layers", json!({"node_types": ["dream"]}));
    assert!(error["error"].as_str().is_some_and(|text| text.contains("`dream`")), "{error}");
}

#[test]
fn a_change_is_compared_with_a_commit() {
    let mut repository = Repository::new();
    let fixture = format!("{APP}{DECLARED}");
    let files = parse_fixture(&fixture);
    let all: Vec<_> = files.iter().map(|(path, text)| Put(path, text)).collect();
    repository.commit("ann", "start", &all);
    files.iter().for_each(|(path, text)| repository.tree.write(path, text));
    repository.tree.write("app/base/words.py", "from app.lib import more\n\nWORDS = more.MORE\n");
    repository.tree.write("app/lib/more.py", "from app.base import words\n\nMORE = words.WORDS\n");
    let project = Project::over_repository(repository);
    let answer = project.ok("layers", json!({"since": "HEAD"}));
    assert_eq!(answer["violations"], json!([]), "the file that changed contradicts nothing");
    assert_eq!(answer["new_cycles"][0]["modules"], json!(["app/base", "app/lib"]));
    assert_eq!(answer["new_cycles"][0]["closed_by"], json!(["app/base/words.py:1"]));
    project.tree.write("app/base/words.py", "from app.core import more\n\nWORDS = more.more()\n");
    let answer = project.ok("layers", json!({"since": "HEAD"}));
    assert_eq!(column(&answer, "violations", "location"), "app/base/words.py:1");
    assert_eq!((&answer["violations"][0]["is_new"], &answer["new_cycles"]), (&json!(true), &json!([])), "{answer}");
}
