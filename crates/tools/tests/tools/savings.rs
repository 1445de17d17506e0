use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project};

#[test]
fn files_count_by_what_was_shown_and_money_needs_a_price() {
    let project = Project::new(PROGRAM);
    let session = |price: Value| project.ok("savings", price)["current_session"].clone();
    project.ok("seek", json!({"query": "login"}));
    project.ok("impact", json!({"node_id": "login"}));
    let named = session(json!({}));
    assert_eq!((&named["tokens_saved"], &named["distinct_files"]), (&json!(0), &json!(0)), "named, not shown: {named}");
    project.ok("view", json!({"file_path": "auth.py", "limit": 4}));
    let once = session(json!({}));
    assert_eq!((&once["distinct_files"], &once["cost_saved_usd"]), (&json!(1), &Value::Null), "{once}");
    assert!(once["tokens_saved"].as_u64() > Some(0), "{once}");
    project.ok("view", json!({"file_path": "auth.py"}));
    let twice = session(json!({"usd_per_million_tokens": 10}));
    assert_eq!(twice["files_bytes"], once["files_bytes"]);
    assert!(twice["tokens_saved"].as_u64() < once["tokens_saved"].as_u64(), "all of it was shown: {twice}");
    assert!(twice["cost_saved_usd"].is_number() && twice["queries_made"].as_u64() > once["queries_made"].as_u64());
    assert_eq!(session(json!({}))["basis"], "measured_bytes");
}

#[test]
fn figures_of_all_sessions_are_kept() {
    let project = Project::new(PROGRAM);
    project.ok("view", json!({"file_path": "auth.py", "limit": 4}));
    let first = project.ok("savings", json!({}));
    let before = first["global"].clone();
    assert_eq!((&before["total_sessions"], before.get("note")), (&json!(1), None), "{first}");
    assert_eq!(before["total_tokens_saved"], first["current_session"]["tokens_saved"], "{first}");
    let again = project.reopen(|_| {});
    again.ok("view", json!({"file_path": "app.py", "limit": 3}));
    let after = again.ok("savings", json!({"usd_per_million_tokens": 10}))["global"].clone();
    assert_eq!(after["total_sessions"], 2, "{after}");
    assert!(after["total_queries"].as_u64() > before["total_queries"].as_u64(), "{after}");
    assert!(after["total_cost_saved_usd"].is_number(), "{after}");
}
