//! Investigations: saved, resumed after changes, merged.

use m1nd_testkit::Random;
use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project};

const CODE: &str = "\
//- shop/cart.py
from shop.price import net, gross


class Cart:
    def total(self):
        return gross(self)

    def clear(self):
        return None


def checkout(cart):
    return cart.total()
//- shop/price.py
def net(order):
    return order


def gross(order):
    return net(order) * 2


def round_up(value):
    return value + 1
//- shop/audit.py
def record(event):
    print(event)
";

fn save(project: &Project, label: &str, nodes: &[&str]) -> String {
    let visited: Vec<Value> = nodes.iter().map(|node| json!({"node_external_id": node})).collect();
    let answer = project.ok("trail_save", json!({"label": label, "visited_nodes": visited}));
    answer["trail_id"].as_str().expect("an id").to_owned()
}

/// The state of each node, by id without the prefix.
fn states(resumed: &Value) -> Vec<String> {
    let rows = resumed["nodes"].as_array().expect("rows");
    let row = |row: &Value| {
        let text = |name: &str| row[name].as_str().unwrap_or_default().trim_start_matches("file::").to_owned();
        let to = text("moved_to");
        let arrow = if to.is_empty() { "" } else { " -> " };
        format!("{}: {}{arrow}{to}", text("node_id"), text("state"))
    };
    let mut states: Vec<String> = rows.iter().map(row).collect();
    states.sort();
    states
}

/// A node, an edit of the tree, and what the node is after it.
struct Case {
    node: &'static str,
    edit: fn(&Project),
    expected: &'static str,
}

fn replace(project: &Project, path: &str, from: &str, to: &str) {
    let text = std::fs::read_to_string(project.tree.path().join(path)).expect("a file");
    assert!(text.contains(from), "{path} has no `{from}`");
    project.tree.write(path, text.replace(from, to));
}

fn remove(project: &Project, path: &str) {
    std::fs::remove_file(project.tree.path().join(path)).expect("is removed");
}

const CASES: &[Case] = &[
    Case { node: "shop/price.py::net", edit: |_| {}, expected: "shop/price.py::fn::net: unchanged" },
    Case {
        node: "shop/price.py::net",
        edit: |project| replace(project, "shop/price.py", "* 2", "* 3"),
        expected: "shop/price.py::fn::net: unchanged",
    },
    Case {
        node: "shop/price.py::gross",
        edit: |project| replace(project, "shop/price.py", "* 2", "* 3"),
        expected: "shop/price.py::fn::gross: modified",
    },
    Case {
        node: "shop/price.py",
        edit: |project| replace(project, "shop/price.py", "* 2", "* 3"),
        expected: "shop/price.py: modified",
    },
    Case {
        node: "Cart",
        edit: |project| replace(project, "shop/cart.py", "return None", "return 1"),
        expected: "shop/cart.py::class::Cart: modified",
    },
    Case {
        node: "Cart.total",
        edit: |project| replace(project, "shop/cart.py", "return None", "return 1"),
        expected: "shop/cart.py::class::Cart::fn::total: unchanged",
    },
    Case {
        node: "shop/price.py::round_up",
        edit: |project| {
            replace(project, "shop/price.py", "\n\ndef round_up(value):\n    return value + 1\n", "");
            replace(project, "shop/audit.py", "print(event)\n", "print(event)\n\n\ndef round_up(value):\n    return value + 1\n");
        },
        expected: "shop/price.py::fn::round_up: moved -> shop/audit.py::fn::round_up",
    },
    Case {
        node: "shop/audit.py::record",
        edit: |project| {
            remove(project, "shop/audit.py");
            project.tree.write("shop/log.py", "def record(event):\n    print(event)\n");
        },
        expected: "shop/audit.py::fn::record: moved -> shop/log.py::fn::record",
    },
    Case {
        node: "shop/audit.py",
        edit: |project| {
            remove(project, "shop/audit.py");
            project.tree.write("shop/log.py", "def record(event):\n    print(event)\n");
        },
        expected: "shop/audit.py: moved -> shop/log.py",
    },
    Case {
        node: "shop/price.py::round_up",
        edit: |project| replace(project, "shop/price.py", "\n\ndef round_up(value):\n    return value + 1\n", ""),
        expected: "shop/price.py::fn::round_up: missing",
    },
    Case {
        node: "shop/audit.py::record",
        edit: |project| remove(project, "shop/audit.py"),
        expected: "shop/audit.py::fn::record: missing",
    },
    Case {
        node: "shop/price.py::net",
        edit: |project| replace(project, "shop/price.py", "def net", "# A remark.\n\n\ndef net"),
        expected: "shop/price.py::fn::net: unchanged",
    },
];

#[test]
fn staleness_is_exact_for_each_node() {
    for (number, case) in CASES.iter().enumerate() {
        let project = Project::new(CODE);
        let id = save(&project, "the way of a price", &[case.node]);
        (case.edit)(&project);
        // Without an ingest: resuming catches up with the disk.
        let resumed = project.ok("trail_resume", json!({"trail_id": id, "force": true}));
        assert_eq!(states(&resumed), [case.expected], "case {number}");
        let is_stale = !case.expected.ends_with("unchanged");
        assert_eq!(resumed["stale"], json!(is_stale), "case {number}");
        let listed = project.ok("trail_list", json!({}));
        assert_eq!(listed["trails"][0]["stale_nodes"], json!(usize::from(is_stale)), "case {number}");
    }
}

/// A hypothesis, an edit of the tree, its state and what is left of its confidence.
type Belief = (Value, fn(&Project), &'static str, f64);

#[test]
fn evidence_is_tested_again() {
    let cut_call: fn(&Project) = |project| replace(project, "shop/price.py", "net(order) * 2", "order * 2");
    let add_call: fn(&Project) = |project| replace(project, "shop/audit.py", "print(event)", "record_twice(event)\n\n\ndef record_twice(event):\n    record(event)");
    let nothing: fn(&Project) = |_| {};
    let cases: Vec<Belief> = vec![
        (json!({"statement": "gross calls net", "confidence": 0.8}), nothing, "still_holds", 0.8),
        (json!({"statement": "gross calls net", "confidence": 0.8}), cut_call, "refuted", 0.08),
        (json!({"statement": "tax is added last", "confidence": 0.8, "evidence": ["gross -> net"]}), cut_call, "refuted", 0.08),
        (json!({"statement": "net never calls gross", "confidence": 0.8}), cut_call, "still_holds", 0.8),
        (json!({"statement": "record is not recursive", "evidence": ["record is independent of gross"]}), add_call, "still_holds", 0.5),
        (json!({"statement": "prices are exact", "supporting_nodes": ["gross"]}), cut_call, "weakened", 0.25),
        (json!({"statement": "prices are exact", "supporting_nodes": ["net"]}), cut_call, "still_holds", 0.5),
        (json!({"statement": "prices are exact", "supporting_nodes": ["net", "gross"]}), cut_call, "unknown", 0.375),
        (json!({"statement": "prices are exact"}), nothing, "unknown", 0.375),
    ];
    for (hypothesis, edit, state, confidence) in cases {
        let project = Project::new(CODE);
        let saved = project.ok("trail_save", json!({"label": "prices", "hypotheses": [hypothesis]}));
        assert_eq!(saved["hypotheses_saved"], 1, "{saved}");
        edit(&project);
        let resumed = project.ok("trail_resume", json!({"trail_id": saved["trail_id"], "force": true}));
        let row = &resumed["hypotheses"][0];
        assert_eq!((&row["state"], &row["confidence"]), (&json!(state), &json!(confidence)), "{hypothesis} {row}");
        assert_eq!(row["confidence_saved"], hypothesis.get("confidence").cloned().unwrap_or(json!(0.5)));
    }
}

#[test]
fn what_moved_is_tested_where_it_is() {
    let project = Project::new(CODE);
    let hypothesis = json!({"statement": "gross calls net", "supporting_nodes": ["gross"]});
    let saved = project.ok("trail_save", json!({"label": "prices", "hypotheses": [hypothesis]}));
    let text = std::fs::read_to_string(project.tree.path().join("shop/price.py")).expect("a file");
    remove(&project, "shop/price.py");
    project.tree.write("shop/money.py", &text);
    let resumed = project.ok("trail_resume", json!({"trail_id": saved["trail_id"]}));
    assert_eq!(resumed["hypotheses"][0]["state"], "still_holds", "{resumed}");
    assert_eq!(resumed["node_states"]["moved"], 2, "{resumed}");
    let found = project.ok("activate", json!({"query": "gross", "trail": saved["trail_id"]}));
    assert_eq!(found["primed_by"]["task"], "trail: prices", "{found}");
    assert_eq!(found["primed_by"]["nodes"], 2, "boosts follow what moved");
}

#[test]
fn unknown_names_are_reported_and_the_rest_is_saved() {
    let project = Project::new(CODE);
    let saved = project.ok(
        "trail_save",
        json!({
            "label": "prices",
            "visited_nodes": [{"node_external_id": "gross"}, {"node_external_id": "no_such_thing"}],
            "hypotheses": [{"statement": "x", "supporting_nodes": ["nobody"], "evidence": ["gross is nice", "gross calls nobody_knows"]}],
            "conclusions": [{"statement": "y", "from_hypotheses": ["x"], "confidence": 3.0}],
        }),
    );
    assert_eq!((&saved["nodes_saved"], &saved["unknown_nodes"].as_array().map(Vec::len)), (&json!(1), &Some(2)), "{saved}");
    assert_eq!(saved["untested"].as_array().map(Vec::len), Some(2), "{saved}");
    let resumed = project.ok("trail_resume", json!({"trail_id": "PRICES"}));
    assert_eq!(resumed["conclusions"][0], json!({"statement": "y", "state": "unknown", "confidence": 0.75, "confidence_saved": 1.0}));
}

#[test]
fn a_statement_with_an_ambiguous_name_is_reported_as_not_tested() {
    let project = Project::new("//- a.py\ndef load():\n    return 1\n//- b.py\ndef load():\n    return 2\n//- c.py\ndef run():\n    return 3\n");
    let statements = ["run depends on load", "this is nice"].map(|text| json!({"statement": text}));
    let saved = project.ok("trail_save", json!({"label": "loads", "hypotheses": statements}));
    assert_eq!(saved["untested"].as_array().map(Vec::len), Some(1), "{saved}");
    let row = &saved["untested"][0];
    assert_eq!(row["name"], "run depends on load");
    assert_eq!(row["candidates"], json!(["file::a.py::fn::load", "file::b.py::fn::load"]), "{saved}");
}

#[test]
fn questions_choose_the_next_tool() {
    let cases = [
        ("what changed in the last release?", "timeline"),
        ("what does it break?", "impact"),
        ("is there a proof?", "hypothesize"),
        ("where is the tax rate?", "seek"),
        ("hm?", "view"),
    ];
    let project = Project::new(CODE);
    for (question, tool) in cases {
        project.ok("trail_save", json!({"label": "q", "visited_nodes": [{"node_external_id": "gross"}], "open_questions": [question]}));
        let resumed = project.ok("trail_resume", json!({"trail_id": "q"}));
        assert_eq!(resumed["next_suggested_tool"], tool, "{question}");
        assert_eq!(resumed["next_open_question"], question);
        assert!(resumed["resume_hints"].to_string().contains(question), "{resumed}");
    }
}

#[test]
fn more_than_half_gone_needs_force() {
    let project = Project::new(CODE);
    save(&project, "prices", &["shop/price.py", "net", "gross", "Cart"]);
    remove(&project, "shop/price.py");
    let error = project.err("trail_resume", json!({"trail_id": "prices"}));
    assert_eq!(error["code"], "trail_stale", "{error}");
    let resumed = project.ok("trail_resume", json!({"trail_id": "prices", "force": true}));
    assert_eq!(resumed["missing_nodes"].as_array().map(Vec::len), Some(3), "{resumed}");
}

fn as_agent(project: &Project, agent: &str, tool: &str, mut arguments: Value) -> Result<Value, Value> {
    arguments["agent_id"] = json!(agent);
    project.call_as_is(tool, arguments).map_err(|error| error.to_json())
}

#[test]
fn others_resume_and_merge_but_do_not_change() {
    let project = Project::new(CODE);
    let id = save(&project, "prices", &["gross"]);
    let resumed = as_agent(&project, "bob", "trail_resume", json!({"trail_id": id})).expect("is resumed");
    assert_eq!(resumed["trail"]["agent_id"], "tester");
    let error = as_agent(&project, "bob", "trail_save", json!({"label": "mine", "trail_id": id})).expect_err("not his");
    assert_eq!(error["code"], "handle_not_yours", "{error}");
    let replaced = project.ok("trail_save", json!({"label": "prices", "trail_id": id, "status": "archived"}));
    assert_eq!((&replaced["trail_id"], &replaced["nodes_saved"]), (&json!(id), &json!(0)));
    let archived = project.ok("trail_list", json!({"filter_status": "archived"}));
    assert_eq!(archived["total_count"], 1);
    assert_eq!(project.ok("trail_list", json!({"filter_agent_id": "bob"}))["total_count"], 0);
    let unknown = project.err("trail_resume", json!({"trail_id": "trail_x_01J"}));
    assert_eq!(unknown["code"], "handle_unknown", "{unknown}");
}

#[test]
fn names_of_agents_never_leave_the_store() {
    let project = Project::new(CODE);
    let saved = as_agent(&project, "../../x", "trail_save", json!({"label": "out"})).expect("is saved");
    let id = saved["trail_id"].as_str().expect("an id");
    assert!(id.starts_with("trail_x_0") && id.len() == "trail_x_".len() + 26, "{id}");
}

#[test]
fn a_merge_finds_conflicts_by_polarity_and_pools_agreement() {
    let project = Project::new(CODE);
    let trail = |agent: &str, label: &str, hypotheses: Value, node: &str| {
        let arguments = json!({"label": label, "hypotheses": hypotheses, "visited_nodes": [{"node_external_id": node}],
            "open_questions": ["why?"], "tags": [label]});
        as_agent(&project, agent, "trail_save", arguments).expect("is saved")["trail_id"].clone()
    };
    let a = trail(
        "tester",
        "a",
        json!([
            {"statement": "gross calls net", "confidence": 0.6},
            {"statement": "Rounding is wrong.", "confidence": 0.9, "supporting_nodes": ["round_up"]},
        ]),
        "shop/cart.py",
    );
    let b = trail(
        "bob",
        "b",
        json!([
            {"statement": "gross never calls net", "confidence": 0.7},
            {"statement": "rounding is right", "confidence": 0.8, "contradicting_nodes": ["round_up"]},
            {"statement": "prices follow the law", "supporting_nodes": ["round_up"]},
        ]),
        "shop/price.py",
    );
    let merged = project.ok("trail_merge", json!({"trail_ids": [a, b]}));
    let conflicts = merged["conflicts"].as_array().expect("rows");
    assert_eq!(conflicts.len(), 2, "{merged}");
    assert_eq!(conflicts[0]["winner"], "gross calls net", "by evidence, against the higher confidence: {merged}");
    assert_eq!(conflicts[0]["decided_by"], "evidence");
    assert_eq!((&conflicts[1]["resolution"], conflicts[1].get("winner")), (&json!("unresolved"), None), "{merged}");
    let kinds: Vec<&str> = merged["connections_discovered"].as_array().expect("rows").iter().filter_map(|row| row["type"].as_str()).collect();
    assert!(["shared_node", "cross_support", "bridge_edge"].iter().all(|kind| kinds.contains(kind)), "{merged}");
    assert_eq!(merged["label"], "Merged: a + b");
    let listed = project.ok("trail_list", json!({"filter_tags": ["A", "b"]}));
    let status = |id: &Value| {
        let rows = listed["trails"].as_array().expect("rows").iter();
        rows.filter(|row| row["trail_id"] == *id).map(|row| row["status"].clone()).next()
    };
    assert_eq!((status(&a), status(&b)), (Some(json!("merged")), Some(json!("saved"))), "only one's own");
    let resumed = project.ok("trail_resume", json!({"trail_id": merged["merged_trail_id"]}));
    assert_eq!((&resumed["trail"]["hypothesis_count"], &resumed["open_questions"]), (&json!(5), &json!(["why?"])), "{resumed}");
    let again = as_agent(&project, "eve", "trail_merge", json!({"trail_ids": [a, merged["merged_trail_id"]]})).expect("is merged");
    assert_eq!(again["hypotheses_merged"], 5, "the same hypotheses are one");
    assert_eq!(again["agreements"].as_array().map(Vec::len), Some(2), "{again}");
    let error = project.err("trail_merge", json!({"trail_ids": [a, a]}));
    assert_eq!(error["code"], "invalid_params");
}

#[test]
fn boosts_affect_only_queries_that_name_the_trail() {
    let project = Project::new(PROGRAM);
    let ask = |arguments: Value| {
        let mut answer = project.ok("seek", arguments);
        answer["elapsed_ms"].take();
        answer
    };
    let before = ask(json!({"query": "user credentials", "min_score": 0.0}));
    save(&project, "users", &["load_user"]);
    assert_eq!(ask(json!({"query": "user credentials", "min_score": 0.0})), before);
    let named = ask(json!({"query": "user credentials", "min_score": 0.0, "trail": "users"}));
    assert_eq!(named["primed_by"], json!({"task": "trail: users", "strength": 0.3, "nodes": 1}));
    let row = named["results"].as_array().and_then(|rows| rows.iter().find(|row| row["label"] == "load_user")).cloned();
    assert!(row.is_some_and(|row| row["primed_by"].as_f64() > Some(0.1)), "{named}");
    assert_eq!(project.err("seek", json!({"query": "x", "trail": "none"}))["code"], "handle_unknown");
}

#[test]
fn secrets_are_not_saved() {
    let project = Project::new(CODE);
    let secret = "AKIAIOSFODNN7EXAMPLE";
    project.ok("trail_save", json!({"label": "keys", "summary": format!("the key is {secret}"), "open_questions": [secret]}));
    let resumed = project.ok("trail_resume", json!({"trail_id": "keys"}));
    assert!(!resumed.to_string().contains(secret), "{resumed}");
}

#[test]
fn trails_and_locks_survive_a_restart() {
    let project = Project::new(CODE);
    let id = save(&project, "prices", &["gross"]);
    let lock = project.ok("lock_create", json!({"scope": "node", "root_nodes": ["shop/price.py"]}));
    let before = project.ok("trail_resume", json!({"trail_id": id}));
    assert_eq!(before["stale"], false);
    let project = project.reopen(|_| {});
    let resumed = project.ok("trail_resume", json!({"trail_id": id}));
    assert_eq!((&resumed["stale"], &resumed["nodes"]), (&json!(false), &before["nodes"]), "a restart changes nothing");
    replace(&project, "shop/price.py", "* 2", "* 3");
    let diff = project.ok("lock_diff", json!({"lock_id": lock["lock_id"]}));
    assert_eq!(diff["diff"]["modified_nodes"], json!(["file::shop/price.py", "file::shop/price.py::fn::gross"]), "{diff}");
}

#[test]
fn no_sequence_of_calls_breaks_what_agents_hold() {
    let project = Project::new(CODE);
    let agents = ["ann", "bob", "eve"];
    let nodes = ["Cart", "gross", "net", "record", "shop/audit.py", "nobody"];
    for seed in 0..4 {
        let mut random = Random::new(seed);
        let mut trails: Vec<(usize, Value)> = Vec::new();
        let mut locks: Vec<(usize, Value)> = Vec::new();
        for step in 0..40 {
            let agent = random.below(agents.len());
            let node = nodes[random.below(nodes.len())];
            let trail = trails.get(random.below(trails.len().max(1))).map_or(json!("none"), |trail| trail.1.clone());
            let lock = locks.get(random.below(locks.len().max(1))).cloned().unwrap_or((9, json!("none")));
            let (tool, arguments) = match random.below(10) {
                0 => ("trail_save", json!({"label": format!("{seed}.{step}"), "visited_nodes": [{"node_external_id": node}]})),
                1 => ("trail_save", json!({"label": "again", "trail_id": trail})),
                2 => ("trail_resume", json!({"trail_id": trail})),
                3 => ("trail_list", json!({"filter_status": "stale"})),
                4 => ("trail_merge", json!({"trail_ids": [trail, trails.last().map_or(json!("x"), |last| last.1.clone())]})),
                5 => ("lock_create", json!({"scope": "subgraph", "root_nodes": [node]})),
                6 => ("lock_diff", json!({"lock_id": lock.1})),
                7 => ("lock_rebase", json!({"lock_id": lock.1})),
                8 => ("lock_release", json!({"lock_id": lock.1})),
                _ => {
                    let body = if random.below(2) == 0 { "print(event)" } else { "net(event)" };
                    project.tree.write("shop/audit.py", format!("def record(event):\n    {body}\n"));
                    ("ingest", json!({"path": "."}))
                }
            };
            let answer = as_agent(&project, agents[agent], tool, arguments.clone());
            let context = format!("seed {seed} step {step}: {} {tool} {arguments}: {answer:?}", agents[agent]);
            match &answer {
                Ok(answer) => {
                    let made = answer.get("trail_id").or(answer.get("merged_trail_id"));
                    match made.filter(|_| tool != "trail_resume") {
                        Some(id) if !trails.iter().any(|known| known.1 == *id) => trails.push((agent, id.clone())),
                        _ => {}
                    }
                    match tool {
                        "lock_create" => locks.push((agent, answer["lock_id"].clone())),
                        "lock_diff" | "lock_rebase" | "lock_release" => assert_eq!(lock.0, agent, "{context}"),
                        _ => {}
                    }
                    if tool == "lock_release" {
                        locks.retain(|known| known.1 != lock.1);
                    }
                }
                Err(error) => {
                    let known = ["handle_unknown", "handle_not_yours", "invalid_params", "node_not_found", "limit_reached", "trail_stale"];
                    assert!(known.contains(&error["code"].as_str().unwrap_or_default()), "{context}");
                    if error["code"] == "handle_not_yours" {
                        assert!(tool == "trail_save" || lock.0 != agent, "{context}");
                    }
                }
            }
        }
        // Nothing is left behind but what was answered.
        for (owner, lock) in &locks {
            as_agent(&project, agents[*owner], "lock_release", json!({"lock_id": lock})).expect("is released");
        }
        assert_eq!(project.services.sessions.list::<m1nd_sessions::Lock>(None, 100).expect("a list").handles.len(), 0);
    }
}
