//! What was learned, saved or locked is found when a federation is opened, and when it is left.

use std::path::Path;

use m1nd_base::{Cancel, NoProgress};
use m1nd_engine::EngineConfig;
use m1nd_tools::{Context, Services, TOOLS, find};
use serde_json::{Value, json};

use crate::harness::{Project, column};

const PAIR: &str = "\
//- lib/pyproject.toml
[project]
name = \"tool-kit\"
//- lib/toolkit/__init__.py
def run(tool):
    return tool


def stop(tool):
    return None
//- app/pyproject.toml
[project]
name = \"app\"
dependencies = [\"tool-kit\"]
//- app/main.py
import toolkit


def main():
    return toolkit.run(1)
";

fn federate(project: &Project, repos: Value) -> Value {
    project.ok("federate", json!({"repos": repos, "incremental": true}))
}

/// `kit` and `app`, by other names than those of their folders.
fn both() -> Value {
    json!([{"name": "kit", "path": "lib"}, {"name": "app", "path": "app"}])
}

/// The folder of the server alone.
fn alone() -> Value {
    json!([{"name": "all", "path": "."}])
}

/// Feedback in effect that speaks of a node.
fn feedback_about(project: &Project, node: &str) -> usize {
    let (rows, unavailable) = project.services.current().sessions.feedback();
    assert_eq!(unavailable, None);
    rows.rows().iter().filter(|row| row.told.nodes.iter().any(|id| id == node)).count()
}

#[test]
fn what_was_made_in_the_folder_is_in_the_federation_and_back() {
    let project = Project::new(PAIR);
    project.follow();
    let run = "file::lib/toolkit/__init__.py::fn::run";
    let trail = json!({"label": "before", "visited_nodes": [{"node_external_id": run}]});
    project.ok("trail_save", trail);
    let lock = project.ok("lock_create", json!({"scope": "node", "root_nodes": [run]}))["lock_id"].clone();
    let told = json!({"query": "how does it run", "feedback": "correct", "node_ids": [run], "idempotency_key": "one"});
    project.ok("learn", told.clone());
    let walk = project.ok("perspective_start", json!({"query": "run", "anchor_node": run}))["perspective_id"].clone();
    project.ok("warmup", json!({"task_description": "run a tool"}));

    federate(&project, both());
    let shown = "kit::file::toolkit/__init__.py::fn::run";
    let resumed = project.ok("trail_resume", json!({"trail_id": "before"}));
    assert_eq!((&resumed["missing_nodes"], &resumed["stale"]), (&json!([]), &json!(false)), "{resumed}");
    assert!(resumed.to_string().contains(shown) && !resumed.to_string().contains("file::lib/"), "{resumed}");
    let diff = project.ok("lock_diff", json!({"lock_id": lock}));
    for changed in ["modified_nodes", "removed_nodes", "unknown_nodes", "new_nodes"] {
        assert!(diff["diff"][changed].as_array().is_none_or(Vec::is_empty), "{changed}: {diff}");
    }
    let walks = project.ok("perspective_list", json!({}));
    assert!(walks.to_string().contains(shown), "{walks}");
    assert_eq!(feedback_about(&project, "file::kit/toolkit/__init__.py::fn::run"), 1);
    // The same call again tells nothing twice.
    let mut again = told;
    again["node_ids"] = json!([shown]);
    assert_eq!(project.ok("learn", again)["repeated"], true);
    let stop = "kit::file::toolkit/__init__.py::fn::stop";
    let ledger =
        project.ok("learn", json!({"query": "stop", "feedback": "wrong", "node_ids": [stop]}))["ledger_id"].clone();
    project.ok("learn", json!({"query": "end", "feedback": "wrong", "node_ids": [stop]}));
    project.ok("learn", json!({"undo": ledger}));
    project.ok("trail_save", json!({"label": "during", "visited_nodes": [{"node_external_id": stop}]}));
    let across = json!([{"node_external_id": stop}, {"node_external_id": "app::file::main.py"}]);
    project.ok("trail_save", json!({"label": "across", "visited_nodes": across}));
    project.ok("lock_rebase", json!({"lock_id": lock}));

    let left = federate(&project, alone());
    assert!(left["next_step_hint"].as_str().is_some_and(|hint| hint.contains("is left")), "{left}");
    let labels = column(&project.ok("trail_list", json!({})), "trails", "label");
    assert!(["before", "during", "across"].iter().all(|label| labels.contains(label)), "{labels}");
    for label in ["before", "during", "across"] {
        let resumed = project.ok("trail_resume", json!({"trail_id": label}));
        assert_eq!(resumed["missing_nodes"], json!([]), "{resumed}");
    }
    project.ok("lock_release", json!({"lock_id": lock}));
    project.ok("perspective_close", json!({"perspective_id": walk}));
    assert_eq!(feedback_about(&project, "file::lib/toolkit/__init__.py::fn::stop"), 1);

    federate(&project, both());
    let labels = column(&project.ok("trail_list", json!({})), "trails", "label");
    assert_eq!(labels.split(' ').count(), 3, "{labels}");
    assert_eq!(feedback_about(&project, "file::kit/toolkit/__init__.py::fn::stop"), 1);
}

/// A call of somebody who works on one folder alone.
fn call_in(home: &Path, folder: &Path, calls: &[(&str, Value)]) -> Vec<Value> {
    let config = EngineConfig { threads: Some(1), ..EngineConfig::new(home.to_owned(), vec![folder.to_owned()]) };
    let services = Services::self_contained(config).expect("an engine");
    let cancel = Cancel::new();
    let one = |(tool, arguments): &(&str, Value)| {
        let mut arguments = arguments.clone();
        arguments["agent_id"] = json!("other");
        let context = Context::new(&services, TOOLS, &cancel, &NoProgress);
        let answer = find(tool).expect("a tool").invoke(&context, arguments);
        answer.unwrap_or_else(|error| panic!("{tool}: {}", error.to_json()))
    };
    calls.iter().map(one).collect()
}

#[test]
fn what_others_hold_in_a_repository_counts_in_the_federation() {
    let project = Project::open_unindexed(PAIR);
    project.follow();
    let (home, lib) = (project.home().to_owned(), project.tree.path().join("lib"));
    let lock = json!({"scope": "node", "root_nodes": ["toolkit/__init__.py"], "strict": true});
    let calls = [("ingest", json!({"path": "."})), ("lock_create", lock)];
    call_in(&home, &lib, &calls);
    federate(&project, both());
    let edit = json!({"file_path": "kit::toolkit/__init__.py", "new_content": "def run(tool):\n    return 2\n"});
    let refused = project.call_federated("apply", edit).expect_err("is locked by another agent");
    assert!(refused.to_string().contains("lock"), "{refused}");
}
