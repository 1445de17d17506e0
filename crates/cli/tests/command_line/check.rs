use serde_json::Value;

use crate::{Place, Run, schema};

const SCHEMA: &str = include_str!("../sarif/sarif-schema-2.1.0.json");

const APP: &str = "\
//- app/web/page.py
from app.core import rules

def show():
    return rules.check()
//- app/core/rules.py
def check():
    return 1
//- m1nd-layers.toml
[[layer]]
name = 'web'
paths = ['app/web']
[[layer]]
name = 'core'
paths = ['app/core']
";

fn sarif(run: &Run) -> Value {
    let log: Value = serde_json::from_str(&run.out).expect("JSON");
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    assert_eq!(schema::faults(&schema, &log), Vec::<String>::new(), "{}", run.out);
    log
}

#[test]
fn a_clean_tree_has_no_findings() {
    let Some(place) = Place::open_committed(APP) else { return };
    let run = place.run(&["check"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    assert_eq!(
        run.out, "no findings in what changed since HEAD: declared layers, 0 bug patterns, new cycles\n",
        "the repository is indexed first"
    );
    assert_eq!(sarif(&place.run(&["check", "--sarif"]))["runs"][0]["results"], serde_json::json!([]));
}

#[test]
fn a_change_against_the_layers_fails() {
    let Some(place) = Place::open_committed(APP) else { return };
    place.project.write("app/core/rules.py", "from app.web import page\n\ndef check():\n    return page.show()\n");
    let run = place.run(&["check"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.out.contains("app/core/rules.py:1: error[layer-violation]"), "{}", run.out);
    assert!(run.out.contains("app/core/rules.py:1: error[new-cycle] closes a circle: app/core → app/web → app/core"));
    assert!(run.out.ends_with("2 findings in what changed since HEAD: declared layers, 0 bug patterns, new cycles\n"));
    let run = place.run(&["check", "--sarif"]);
    assert_eq!(run.code, 1);
    let results = &sarif(&run)["runs"][0]["results"];
    assert_eq!((&results[0]["baselineState"], &results[0]["level"]), (&"new".into(), &"error".into()));
    let run = place.run(&["check", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&run.out).expect("JSON")["total"], 2);
}

#[test]
fn a_check_that_cannot_be_made_is_no_finding() {
    let Some(place) = Place::open_committed(APP) else { return };
    let run = place.run(&["check", "--since", "nowhere"]);
    assert!(run.code == 2 && run.err.contains("nowhere"), "{run:?}");
    place.project.write("m1nd-layers.toml", "[[layer]]\n");
    assert_eq!(place.run(&["check"]).code, 2);
}

#[test]
fn the_validator_finds_faults() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    let faults = |text: &str| schema::faults(&schema, &serde_json::from_str(text).expect("JSON"));
    assert_eq!(faults(r#"{"version": "2.1.0", "runs": []}"#), Vec::<String>::new());
    assert_eq!(faults(r#"{"version": "2.0", "runs": [{}], "x": 1}"#).len(), 3);
}
