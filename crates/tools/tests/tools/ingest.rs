use serde_json::json;

use crate::harness::{PROGRAM, Project};

#[test]
fn builds_the_graph_and_says_what_it_did() {
    let project = Project::open_unindexed(PROGRAM);
    let answer = project.ok("ingest", json!({"path": "."}));
    assert_eq!((&answer["mode"], &answer["adapter"]), (&json!("replace"), &json!("code")));
    assert!(answer["node_count"].as_u64() > Some(15) && answer["edge_count"].as_u64() > Some(10), "{answer}");
    assert_eq!(answer["generation"], json!(project.services.engine.snapshot().generation()), "that of the state it made");
    let again = project.ok("ingest", json!({"path": ".", "incremental": true}));
    assert_eq!(again["node_count"], answer["node_count"]);
}

#[test]
fn edits_arrive_and_removed_code_goes() {
    let project = Project::new(PROGRAM);
    project.tree.write("store.py", "class Vault:\n    pass\n");
    project.ok("ingest", json!({"path": ".", "incremental": true}));
    assert_eq!(project.ok("seek", json!({"query": "Vault"}))["results"][0]["label"], "Vault");
    assert_eq!(project.err("impact", json!({"node_id": "Store.find"}))["code"], "node_not_found");
}

#[test]
fn refusals() {
    let project = Project::new(PROGRAM);
    let code = |arguments| project.err("ingest", arguments)["code"].clone();
    assert_eq!(code(json!({"path": "no/such/folder"})), "file_not_found");
    assert_eq!(code(json!({"path": "/"})), "outside_workspace");
    assert_eq!(code(json!({"path": "../"})), "outside_workspace");
    assert_eq!(code(json!({"path": ""})), "invalid_params");
    assert_eq!(code(json!({"path": ".", "mode": "append"})), "invalid_params");
    let read_only = Project::open(PROGRAM, true);
    assert_eq!(read_only.err("ingest", json!({"path": "."}))["code"], "read_only");
}
