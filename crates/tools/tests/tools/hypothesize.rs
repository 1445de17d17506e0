use serde_json::{Value, json};

use crate::harness::Project;

/// `b` is reached from `a` only, `c` and `d` are on a cycle, `lone` is connected with nothing.
const LAYERS: &str = "\
//- a.py
from b import load

def entry():
    return load(1)
//- b.py
from c import ping

def load(value):
    return ping(value)

def sink(value):
    return value
//- c.py
import d

def ping(value):
    return d.pong(value) if value else value
//- d.py
import c

def pong(value):
    return c.ping(value - 1)
//- lone.py
LIMIT = 3
//- open.py
def dynamic(thing):
    return thing.sink(1)
//- both.py
def one():
    return two()

def two():
    return 1
//- db/pool.py
def acquire():
    return 1
//- ui/pages/home.py
from db.pool import acquire
from ui.parts import part

def home():
    return part(acquire())
//- ui/parts.py
def part(value):
    return value
//- order.py
from b import load, sink

def good():
    load(1)
    return sink(2)

def also():
    load(3)
    return sink(4)
";

/// The verdict on a claim, and its type.
fn verdict(project: &Project, claim: &str) -> String {
    let answer = project.ok("hypothesize", json!({"claim": claim}));
    format!("{} {}", answer["claim_type"].as_str().unwrap_or("?"), answer["verdict"].as_str().unwrap_or("?"))
}

#[test]
fn verdicts_of_all_kinds_of_claims() {
    let project = Project::new(LAYERS);
    let cases = [
        ("entry depends on ping", "depends_on likely_true"),
        ("ping depends on entry", "depends_on likely_false"),
        ("a.py imports b.py", "depends_on likely_true"),
        ("entry never calls load", "never_calls likely_false"),
        ("ping never calls entry", "never_calls likely_true"),
        // A call of a method with this name could be the missing step.
        ("dynamic never calls b.py::sink", "never_calls inconclusive"),
        ("pong is independent of entry", "no_dependency likely_true"),
        ("circular dependency between c.py and d.py", "circular likely_true"),
        ("circular dependency between a.py and b.py", "circular likely_false"),
        ("ping is on a cycle", "circular likely_true"),
        ("load is on a cycle", "circular likely_false"),
        // What its functions have to do with each other is no circle of a file.
        ("both.py is on a cycle", "circular likely_false"),
        ("c.py is on a cycle", "circular likely_true"),
        ("ui/ never imports db/", "never_calls likely_false"),
        ("db/ never uses ui/", "never_calls likely_true"),
        ("ui/pages depends on db/pool.py", "depends_on likely_true"),
        ("ui/ is on a cycle", "circular likely_false"),
        // A call of an unknown value is no import.
        ("open.py never imports b.py", "never_calls likely_true"),
        ("open.py never uses b.py", "never_calls inconclusive"),
        ("ui/ and db/ are coupled", "coupling inconclusive"),
        ("entry and load are coupled", "coupling likely_true"),
        ("calls to ping go through load", "gateway likely_false"),
        ("calls to load go through entry", "gateway likely_false"),
        ("load always runs before b.py::sink", "always_before plausible"),
        ("b.py::sink always runs before load", "always_before likely_false"),
        ("lone.py is isolated", "isolated likely_true"),
        ("b.py is isolated", "isolated likely_false"),
        ("some files in the repo with no connections", "isolated likely_true"),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .map(|(claim, expected)| (claim, expected, verdict(&project, claim)))
        .filter(|(_, expected, found)| found != *expected)
        .map(|(claim, expected, found)| format!("{claim}: expected {expected}, found {found}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_shown_path_has_the_places_of_its_edges() {
    let project = Project::new(LAYERS);
    let answer = project.ok("hypothesize", json!({"claim": "entry depends on ping"}));
    let steps = answer["supporting_evidence"][0]["steps"].as_array().expect("steps");
    let places: Vec<String> = steps.iter().map(|step| format!("{}:{}", step["file_path"], step["line"])).collect();
    assert_eq!(places, ["\"a.py\":4", "\"b.py\":4"]);
    assert_eq!((&answer["proof_state"], &answer["confidence"]), (&json!("ready_to_edit"), &json!(0.99)));
}

#[test]
fn a_bound_decides_nothing() {
    let project = Project::new(LAYERS);
    let with = |extra: Value| {
        let mut call = json!({"claim": "entry depends on pong"});
        for (name, value) in extra.as_object().expect("an object") {
            call[name] = value.clone();
        }
        let answer = project.ok("hypothesize", call);
        (answer["verdict"].as_str().map(str::to_owned), answer["partial_reach"].is_array())
    };
    assert_eq!(with(json!({})), (Some("likely_true".to_owned()), false));
    assert_eq!(with(json!({"max_hops": 1})), (Some("inconclusive".to_owned()), true));
    assert_eq!(with(json!({"path_budget": 1})), (Some("inconclusive".to_owned()), true));
    assert_eq!(with(json!({"max_hops": 1, "include_partial_flow": false})), (Some("inconclusive".to_owned()), false));
}

#[test]
fn what_could_not_be_resolved_or_parsed_isolates_nothing() {
    let calls = Project::new("//- a.py\ndef run(thing):\n    thing.start()\n//- b.py\nimport a\na.run(1)\n//- c.py\ndef f(x):\n    x.go()\n");
    assert_eq!(verdict(&calls, "c.py is isolated"), "isolated inconclusive");
    assert_eq!(verdict(&calls, "some files in the repo with no connections"), "isolated inconclusive");
    let broken = Project::new("//- a.py\ndef run(:\n  )) import ((\n");
    assert_eq!(verdict(&broken, "a.py is isolated"), "isolated inconclusive");
}

#[test]
fn a_claim_needs_no_sentence() {
    let project = Project::new(LAYERS);
    let claim = json!({"type": "circular", "subject": "c.py", "object": "d.py", "relation": "imports"});
    let answer = project.ok("hypothesize", json!({"claim_ast": claim}));
    assert_eq!((&answer["verdict"], &answer["claim_type"]), (&json!("likely_true"), &json!("circular")), "{answer}");
    assert_eq!(project.err("hypothesize", json!({}))["code"], "invalid_params");
    assert_eq!(project.err("hypothesize", json!({"claim": "entry depends on nothing_like_it"}))["code"], "node_not_found");
}
