use serde_json::json;

use crate::harness::{Project, column};

const APP: &str = "\
//- /app/web/page.py
from app.core import rules

def show():
    return rules.check()
//- /app/web/other.py
from app.core import more, rules
from app.web import page

def other():
    return page.show() + rules.check() + more.more()
//- /app/core/rules.py
def check():
    return 1

def late():
    from app.web import page
    return page.show()
//- /app/core/more.py
from app.core import rules

def more():
    return rules.check()
//- /app/main.py
from app.web import page
from app.web import other

def main():
    return page.show() + other.other()
//- /app/start.py
from app.web import page

def start():
    return page.show()
";

#[test]
fn a_layer_has_files_and_health() {
    let project = Project::new(APP);
    let layers = project.ok("layers", json!({}));
    assert_eq!(column(&layers, "layers", "node_count"), "2 2 2", "{layers}");
    let answer = project.ok("layer_inspect", json!({"level": 1}));
    assert_eq!(answer["name"], "app/web");
    let page = answer["nodes"].as_array().expect("rows").iter().find(|row| row["label"] == "page.py").expect("is there");
    assert_eq!(page["connections_up"], 2);
    assert_eq!((&page["connections_lateral"], &page["module"]), (&json!(1), &json!("app/web")));
    assert_eq!(answer["total_intra_layer_edges"], 1);
    assert_eq!(answer["layer_health"]["cohesion"], 0.5);
}

#[test]
fn an_unknown_level_is_an_error() {
    let error = Project::new(APP).err("layer_inspect", json!({"level": 9}));
    assert_eq!((&error["code"], &error["error"]), (
        &json!("layer_not_found"),
        &json!("argument `level` is 9, expected 0 to 2")
    ));
}
