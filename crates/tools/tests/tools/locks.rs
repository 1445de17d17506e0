//! Locked regions: what changed in them, who may use them, who sees them.

use serde_json::{Value, json};

use crate::harness::Project;

const CODE: &str = "\
//- shop/cart.py
from shop.price import gross


def checkout(cart):
    return gross(cart)
//- shop/price.py
def net(order):
    return order


def gross(order):
    return net(order) * 2
//- shop/audit.py
def record(event):
    print(event)
";

const NET: &str = "def net(order):\n    return order\n";
const GROSS: &str = "\n\ndef gross(order):\n    return net(order) * 2\n";

fn lock(project: &Project, arguments: Value) -> Value {
    project.ok("lock_create", arguments)["lock_id"].clone()
}

fn diff(project: &Project, lock: &Value) -> Value {
    project.ok("lock_diff", json!({"lock_id": lock}))["diff"].clone()
}

/// Members of a difference that are not empty, with the ids in them shortened.
fn show_difference(diff: &Value) -> String {
    let mut shown = Vec::new();
    for name in ["modified_nodes", "new_nodes", "removed_nodes", "new_edges", "removed_edges", "boundary_edges_added", "boundary_edges_removed", "weight_changes"] {
        let rows = diff[name].as_array().expect("rows");
        if !rows.is_empty() {
            let rows: Vec<String> = rows.iter().map(|row| row.as_str().map_or_else(|| row.to_string(), str::to_owned)).collect();
            shown.push(format!("{name}: {}", rows.join(", ")));
        }
    }
    shown.join("; ").replace("file::shop/", "").replace("::fn::", ":")
}

/// The path of an edited file, its text, and the difference of a lock on `price.py` with its members.
const CASES: &[(&str, &str, &str)] = &[
    ("shop/price.py", "def net(order):\n    return order\n\n\ndef gross(order):\n    return net(order) * 2\n", ""),
    ("shop/audit.py", "def record(event):\n    print(event, 1)\n", ""),
    (
        "shop/price.py",
        "def net(order):\n    return order\n\n\ndef gross(order):\n    return net(order) * 3\n",
        "modified_nodes: price.py, price.py:gross",
    ),
    (
        "shop/price.py",
        "def net(order):\n    return gross(order)\n\n\ndef gross(order):\n    return net(order) * 2\n",
        "modified_nodes: price.py, price.py:net; new_edges: price.py:net -> price.py:gross: calls",
    ),
    (
        "shop/price.py",
        "def net(order):\n    return order\n\n\ndef gross(order):\n    return order * 2\n",
        "modified_nodes: price.py, price.py:gross; removed_edges: price.py:gross -> price.py:net: calls",
    ),
    (
        "shop/price.py",
        "def net(order):\n    return order\n\n\ndef gross(order):\n    return net(order) * 2\n\n\ndef tax(order):\n    return net(order)\n",
        "modified_nodes: price.py; new_nodes: price.py:tax; new_edges: price.py:tax -> price.py:net: calls",
    ),
    (
        "shop/audit.py",
        "from shop.price import net\n\n\ndef record(event):\n    print(net(event))\n",
        "boundary_edges_added: audit.py -> price.py: imports, audit.py -> price.py:net: imports, audit.py:record -> price.py:net: calls",
    ),
    (
        "shop/cart.py",
        "def checkout(cart):\n    return cart\n",
        "boundary_edges_removed: cart.py -> price.py: imports, cart.py -> price.py:gross: imports, cart.py:checkout -> price.py:gross: calls",
    ),
    (
        "shop/price.py",
        "def net(order):\n    return order\n",
        "modified_nodes: price.py; removed_nodes: {\"node_id\":\"price.py:gross\"}; removed_edges: price.py:gross -> price.py:net: calls; \
         boundary_edges_removed: cart.py -> price.py:gross: imports, cart.py:checkout -> price.py:gross: calls",
    ),
];

#[test]
fn differences_are_exact() {
    for (path, text, expected) in CASES {
        let project = Project::new(CODE);
        let lock = lock(&project, json!({"scope": "node", "root_nodes": ["shop/price.py"]}));
        assert_eq!(diff(&project, &lock)["no_changes"], json!(true), "nothing changed yet");
        project.tree.write(path, text);
        let found = diff(&project, &lock);
        assert_eq!((show_difference(&found).as_str(), &found["no_changes"]), (*expected, &json!(expected.is_empty())), "{text}");
        let rebased = project.ok("lock_rebase", json!({"lock_id": lock}));
        assert_eq!(rebased["watcher_preserved"], false);
        assert_eq!(show_difference(&diff(&project, &lock)), "", "nothing is left after a rebase: {text}");
    }
}

#[test]
fn what_moved_out_of_the_region_is_named() {
    let project = Project::new(CODE);
    let lock = lock(&project, json!({"scope": "node", "root_nodes": ["shop/price.py"]}));
    project.tree.write("shop/price.py", NET);
    project.tree.write("shop/money.py", format!("from shop.price import net{GROSS}"));
    let removed = &diff(&project, &lock)["removed_nodes"];
    assert_eq!(removed, &json!([{"node_id": "file::shop/price.py::fn::gross", "moved_to": "file::shop/money.py::fn::gross"}]));
}

#[test]
fn scopes_choose_nodes() {
    let project = Project::new(CODE);
    let cases = [
        (json!({"scope": "node", "root_nodes": ["net"]}), 1),
        (json!({"scope": "node", "root_nodes": ["shop/price.py", "net"]}), 3),
        (json!({"scope": "subgraph", "root_nodes": ["net"], "radius": 1}), 2),
        (json!({"scope": "subgraph", "root_nodes": ["net"], "radius": 2}), 4),
        (json!({"scope": "path", "path_nodes": ["checkout", "net"]}), 3),
        (json!({"scope": "query_neighborhood", "query": "record", "radius": 1}), 1),
    ];
    for (arguments, nodes) in cases {
        let made = project.ok("lock_create", arguments.clone());
        assert_eq!(made["baseline_nodes"], json!(nodes), "{arguments} {made}");
        project.ok("lock_release", json!({"lock_id": made["lock_id"]}));
    }
    for (arguments, code) in [
        (json!({"scope": "node", "root_nodes": ["nobody"]}), "node_not_found"),
        (json!({"scope": "node"}), "invalid_params"),
        (json!({"scope": "path", "root_nodes": ["net"]}), "invalid_params"),
        (json!({"scope": "query_neighborhood"}), "invalid_params"),
        (json!({"scope": "query_neighborhood", "query": "zzzzqqq"}), "invalid_params"),
        (json!({"scope": "subgraph", "root_nodes": ["net"], "radius": 5}), "invalid_params"),
    ] {
        assert_eq!(project.err("lock_create", arguments.clone())["code"], code, "{arguments}");
    }
}

#[test]
fn a_region_has_a_limit() {
    let many: String = (0..2_100).map(|number| format!("def f{number}():\n    pass\n")).collect();
    let project = Project::new(&format!("//- many.py\n{many}"));
    let error = project.err("lock_create", json!({"scope": "node", "root_nodes": ["many.py"]}));
    assert_eq!(error["code"], "limit_reached", "{error}");
    assert!(error["error"].as_str().is_some_and(|text| text.contains("2000 nodes")), "{error}");
    for _ in 0..10 {
        lock(&project, json!({"scope": "node", "root_nodes": ["f1"]}));
    }
    let error = project.err("lock_create", json!({"scope": "node", "root_nodes": ["f1"]}));
    assert_eq!(error["code"], "limit_reached", "{error}");
}

#[test]
fn watches_count_what_happened() {
    let project = Project::new(CODE);
    let lock = lock(&project, json!({"scope": "node", "root_nodes": ["shop/price.py"]}));
    let events = || project.ok("lock_diff", json!({"lock_id": lock}))["watcher_events_drained"].clone();
    let watch = |strategy: &str| project.ok("lock_watch", json!({"lock_id": lock, "strategy": strategy}))["previous_strategy"].clone();
    project.tree.write("shop/audit.py", "def record(event):\n    return event\n");
    assert_eq!(events(), 0, "nothing is watched");
    assert_eq!(watch("on_ingest"), "manual");
    assert_eq!(events(), 0, "only what comes after counts");
    project.tree.write("shop/audit.py", "def record(event):\n    return 2\n");
    assert_eq!(events(), 1);
    assert_eq!(events(), 1, "asking uses nothing up");
    assert_eq!(watch("on_learn"), "on_ingest");
    for node in ["record", "gross"] {
        project.ok("learn", json!({"query": "prices", "feedback": "correct", "node_ids": [node]}));
    }
    assert_eq!(events(), 1, "feedback on a node of the region");
    project.ok("lock_rebase", json!({"lock_id": lock}));
    assert_eq!(events(), 0);
    let error = project.err("lock_watch", json!({"lock_id": lock, "strategy": "periodic"}));
    assert!(error["error"].as_str().is_some_and(|text| text.contains("on_ingest")), "{error}");
}

#[test]
fn locks_belong_to_their_owner_and_others_learn_of_them() {
    let project = Project::new(CODE);
    let own = lock(&project, json!({"scope": "node", "root_nodes": ["shop/price.py"], "strict": true}));
    for (tool, arguments) in [
        ("lock_diff", json!({})),
        ("lock_rebase", json!({})),
        ("lock_release", json!({})),
        ("lock_watch", json!({"strategy": "manual"})),
    ] {
        let mut arguments = arguments;
        (arguments["agent_id"], arguments["lock_id"]) = (json!("bob"), own.clone());
        let error = project.call_as_is(tool, arguments).expect_err("not his").to_json();
        assert_eq!(error["code"], "handle_not_yours", "{tool}");
    }
    let made = project.call_as_is("lock_create", json!({"agent_id": "bob", "scope": "node", "root_nodes": ["net"]}));
    let made = made.expect("is made");
    assert_eq!(made["shared_with"], json!([{"lock_id": own, "agent_id": "tester", "strict": true, "nodes": 2}]));
    let touched = project.services.sessions.locks_touched("bob", &["shop/price.py"], &[]).expect("is read");
    assert_eq!((touched.len(), touched[0].strict, touched[0].nodes.len()), (1, true, 3));
    project.ok("lock_release", json!({"lock_id": own}));
    assert_eq!(project.err("lock_diff", json!({"lock_id": own}))["code"], "handle_unknown");
}

#[test]
fn a_rebase_without_roots_changes_nothing() {
    let project = Project::new(CODE);
    let lock = lock(&project, json!({"scope": "node", "root_nodes": ["shop/audit.py"]}));
    std::fs::remove_file(project.tree.path().join("shop/audit.py")).expect("is removed");
    assert_eq!(project.err("lock_rebase", json!({"lock_id": lock}))["code"], "node_not_found");
    assert_eq!(diff(&project, &lock)["removed_nodes"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_lock_ends_with_its_perspective_which_has_to_exist() {
    let project = Project::new(CODE);
    let perspective = project.ok("perspective_start", json!({"query": "gross price"}))["perspective_id"].clone();
    let of = |id: &Value| json!({"scope": "node", "root_nodes": ["shop/price.py::gross"], "perspective_id": id});
    let lock = lock(&project, of(&perspective));
    let error = project.err("lock_create", of(&json!("persp_agent_none")));
    assert_eq!(error["code"], "handle_unknown", "{error}");
    let closed = project.ok("perspective_close", json!({"perspective_id": perspective}));
    assert_eq!(closed["locks_released"], json!([lock]), "{closed}");
    assert_eq!(project.err("lock_diff", json!({"lock_id": lock}))["code"], "handle_unknown");
}
