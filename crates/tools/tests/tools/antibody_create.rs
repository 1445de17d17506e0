use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};
use crate::repository::{Put, Repository};

const BEFORE: &str = "def mean(items):\n    total = sum(items)\n    return total / len(items)\n";
const AFTER: &str = "def mean(items):\n    total = sum(items)\n    return total / max(len(items), 1)\n";
const OTHER: &str = "def rate(hits, all_of_them):\n    return hits / len(all_of_them)\n";

/// A defect that was mended in one file and stands in another.
fn project() -> Project {
    let mut repository = Repository::new();
    repository.commit("ann", "start", &[Put("mean.py", BEFORE), Put("rate.py", OTHER)]);
    repository.commit("ann", "Fix division by zero", &[Put("mean.py", AFTER)]);
    repository.tree.write("mean.py", AFTER);
    repository.tree.write("rate.py", OTHER);
    Project::over_repository(repository)
}

#[test]
fn a_pattern_is_learned_from_a_fix_and_finds_the_defect_elsewhere() {
    let project = project();
    let proposed = project.ok("antibody_create", json!({"commit": "HEAD", "propose_only": true}));
    assert_eq!((&proposed["code"], &proposed["antibody_id"]), (&json!("return $V0 / len($V1)"), &Value::Null));
    assert_eq!(project.ok("antibody_list", json!({}))["total"], 0);
    let stored = project.ok("antibody_create", json!({"commit": "HEAD", "severity": "critical"}));
    assert_eq!((&stored["matches_before"], &stored["matches_elsewhere"]), (&json!(1), &json!(1)));
    let found = project.ok("antibody_scan", json!({}));
    assert_eq!((column(&found, "matches", "location"), column(&found, "matches", "antibody_name")), ("rate.py:2".into(), "Fix division by zero".into()));
    assert_eq!(found["matches"][0]["bound_nodes"][0]["node_id"], "file::rate.py::fn::rate");
    let again = project.ok("antibody_create", json!({"code": stored["code"]}));
    assert!(again["warning"].as_str().is_some_and(|warning| warning.contains("same pattern")), "{again}");
    // Patterns survive a restart.
    let project = project.reopen(|_| {});
    assert_eq!(project.ok("antibody_list", json!({}))["enabled"], 2);
}

#[test]
fn only_what_changed_is_scanned() {
    let project = project();
    project.ok("antibody_create", json!({"code": "$A / len($B)"}));
    assert_eq!(project.ok("antibody_scan", json!({"scope": "changed"}))["total_matches"], 0);
    project.tree.write("rate.py", format!("import os\n{OTHER}"));
    project.ok("ingest", json!({"path": "."}));
    let changed = project.ok("antibody_scan", json!({"scope": "changed"}));
    assert_eq!((column(&changed, "matches", "location"), &changed["files_changed"]), ("rate.py:3".into(), &json!(1)));
    let since = project.ok("antibody_scan", json!({"scope": "changed", "since": "HEAD~1"}));
    assert_eq!(column(&since, "matches", "location"), "rate.py:3", "mean.py no longer has it");
    assert_eq!(since["files_changed"], 2);
}

#[test]
fn graph_patterns_bind_nodes_and_negative_edges() {
    let project = Project::new(PROGRAM);
    let node = |label: &str| json!({"role": label, "node_type": "function", "label_contains": label});
    let calls = json!([{"source_idx": 0, "target_idx": 1, "relation": "calls"}]);
    let pattern = json!({"nodes": [node("validate_credentials"), {"role": "callee", "node_type": "function"}], "edges": calls});
    let stored = project.ok("antibody_create", json!({"pattern": pattern, "name": "checks"}));
    assert!(stored["initial_matches"].as_u64().is_some_and(|count| count > 0), "{stored}");
    let found = project.ok("antibody_scan", json!({}));
    assert_eq!(found["matches"][0]["bound_nodes"][0]["label"], "validate_credentials");
    let none = json!({"nodes": [node("validate_credentials"), {"role": "callee", "node_type": "function"}], "edges": calls, "negative_edges": calls});
    assert_eq!(project.ok("antibody_create", json!({"pattern": none}))["initial_matches"], 0);
    let regex = json!({"nodes": [{"role": "f", "node_type": "function", "label_contains": "^valid.*als$"}]});
    let id = project.ok("antibody_create", json!({"pattern": regex}))["antibody_id"].clone();
    let count = |mode: &str| project.ok("antibody_scan", json!({"antibody_ids": [id], "match_mode": mode}))["total_matches"].clone();
    assert_eq!((count("regex") != json!(0), count("substring")), (true, json!(0)));
}

#[test]
fn faults_name_what_is_wrong() {
    let project = Project::new(PROGRAM);
    let index = json!({"nodes": [{"node_type": "function", "label_contains": "a"}], "edges": [{"source_idx": 0, "target_idx": 7}]});
    for (arguments, code) in [
        (json!({}), "invalid_params"),
        (json!({"code": "f(", "language": "python"}), "invalid_pattern"),
        (json!({"code": "f($X)", "commit": "HEAD"}), "invalid_params"),
        (json!({"pattern": index}), "invalid_pattern"),
        (json!({"pattern": {"nodes": [{"role": "any"}]}}), "invalid_pattern"),
        (json!({"pattern": {"nodes": []}}), "invalid_pattern"),
        (json!({"action": "disable"}), "invalid_params"),
    ] {
        assert_eq!(project.err("antibody_create", arguments.clone())["code"], code, "{arguments}");
    }
    let id = project.ok("antibody_create", json!({"code": "eval($X)"}))["antibody_id"].clone();
    project.ok("antibody_create", json!({"action": "disable", "antibody_id": id}));
    let listed = project.ok("antibody_list", json!({}));
    assert_eq!((&listed["total"], &listed["disabled"], listed["antibodies"].as_array().map(Vec::len)), (&json!(1), &json!(1), Some(0)));
    assert_eq!(project.ok("antibody_scan", json!({}))["antibodies_checked"], 0);
    project.ok("antibody_create", json!({"action": "delete", "antibody_id": id}));
    assert_eq!(project.ok("antibody_list", json!({"include_disabled": true}))["total"], 0);
}
