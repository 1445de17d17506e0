use serde_json::{Value, json};

use crate::harness::{Project, column};

const STATE: &str = "\
//- /state.py
import threading

lock = threading.Lock()
open_count = 0
closed_count = 0
seen = []

def bump():
    global open_count
    open_count += 1

def guarded():
    global closed_count
    with lock:
        closed_count += 1

def read():
    return seen
//- /web.py
import state

def handle_get():
    state.bump()
    state.guarded()
    state.read()

def handle_post():
    state.bump()
    state.guarded()
    state.read()
";

#[test]
fn state_written_from_two_entries_without_a_common_lock() {
    let project = Project::new(STATE);
    let answer = project.ok("flow_simulate", json!({}));
    assert_eq!(column(&answer, "turbulence_points", "node_label"), "open_count");
    let point = &answer["turbulence_points"][0];
    assert_eq!((&point["severity"], &point["particle_count"]), (&json!("High"), &json!(2)));
    assert_eq!(point["paths"][0], json!(["file::web.py::fn::handle_get", "file::state.py::fn::bump"]));
    assert_eq!((&answer["valve_points"][0]["node_label"], &answer["valve_points"][0]["lock_type"]), (&json!("closed_count"), &json!("lock")));
    let convergence = answer["convergence"].to_string();
    assert!(convergence.contains("fn::read") && !answer["turbulence_points"].to_string().contains("seen"), "{answer}");
    assert_eq!(answer["summary"]["total_entry_points"], 2);
}

#[test]
fn entries_and_limits() {
    let project = Project::new(STATE);
    let one = project.ok("flow_simulate", json!({"entry_nodes": ["handle_get"]}));
    assert_eq!(one["turbulence_points"], Value::Array(Vec::new()), "one way does not meet itself");
    let locked = project.ok("flow_simulate", json!({"lock_patterns": ["open_count += 1"]}));
    assert_eq!(locked["total_turbulence_points"], 0);
    let skipped = project.ok("flow_simulate", json!({"read_only_patterns": ["open_"]}));
    assert_eq!(skipped["total_turbulence_points"], 0);
    let cut = project.ok("flow_simulate", json!({"max_total_steps": 1}));
    assert!(cut["what_is_missing"].is_string(), "{cut}");
    let none = Project::new("//- /a.py\ndef quiet():\n    pass\n");
    assert_eq!(none.err("flow_simulate", json!({}))["code"], "node_not_found");
}
