use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project};

#[test]
fn distinct_files_count_once_and_money_needs_a_price() {
    let project = Project::new(PROGRAM);
    let session = |price: Value| project.ok("savings", price)["current_session"].clone();
    project.ok("outline", json!({"file_path": "auth.py"}));
    let once = session(json!({}));
    assert_eq!((&once["distinct_files"], &once["cost_saved_usd"]), (&json!(1), &Value::Null));
    project.ok("outline", json!({"file_path": "auth.py"}));
    let twice = session(json!({"usd_per_million_tokens": 10}));
    assert_eq!(twice["files_bytes"], once["files_bytes"]);
    assert!(twice["returned_bytes"].as_u64() > once["returned_bytes"].as_u64(), "{twice}");
    assert!(twice["cost_saved_usd"].is_number() && twice["queries_made"].as_u64() > once["queries_made"].as_u64());
    assert_eq!(session(json!({}))["basis"], "measured_bytes");
    let global = &project.ok("savings", json!({}))["global"];
    assert_eq!(global["total_tokens_saved"], Value::Null, "other sessions are not known");
}
