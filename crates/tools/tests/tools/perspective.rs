//! Perspectives: what a walk keeps, what undoes what, and who may do it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use m1nd_base::Clock;
use m1nd_testkit::Random;
use m1nd_tools::ErrorCode;
use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project};

/// A walk of one agent.
struct Walk<'p> {
    project: &'p Project,
    agent: &'static str,
    id: Value,
    version: Value,
}

impl<'p> Walk<'p> {
    fn start(project: &'p Project, agent: &'static str, more: Value) -> (Self, Value) {
        let mut arguments = json!({"query": "validate credentials", "agent_id": agent});
        for (name, value) in more.as_object().into_iter().flatten() {
            arguments[name] = value.clone();
        }
        let started = project.call_as_is("perspective_start", arguments).expect("is started");
        let (id, version) = (started["perspective_id"].clone(), started["route_set_version"].clone());
        (Self { project, agent, id, version }, started)
    }

    /// Calls a tool with the id, and with the current version if `more` names a route.
    fn call(&mut self, tool: &str, more: Value) -> Result<Value, Value> {
        let mut arguments = json!({"agent_id": self.agent, "perspective_id": self.id});
        let names_route = ["route_id", "route_index"].iter().any(|name| more.get(*name).is_some());
        if names_route || tool == "perspective_suggest" {
            arguments["route_set_version"] = self.version.clone();
        }
        for (name, value) in more.as_object().into_iter().flatten() {
            arguments[name] = value.clone();
        }
        let answer = self.project.call_as_is(tool, arguments).map_err(|error| error.to_json())?;
        if answer["route_set_version"].is_u64() {
            self.version = answer["route_set_version"].clone();
        }
        Ok(answer)
    }

    fn ok(&mut self, tool: &str, more: Value) -> Value {
        let shown = more.to_string();
        self.call(tool, more).unwrap_or_else(|error| panic!("{tool} {shown}: {error}"))
    }

    fn code(&mut self, tool: &str, more: Value) -> String {
        let error = self.call(tool, more).expect_err("is refused");
        error["code"].as_str().expect("a code").to_owned()
    }

    /// All routes with all they show.
    fn routes(&mut self) -> Vec<Value> {
        let mut all = Vec::new();
        for page in 1.. {
            let answer = self.ok("perspective_routes", json!({"page": page, "page_size": 10}));
            all.extend(answer["routes"].as_array().expect("rows").iter().cloned());
            if answer["total_pages"] == answer["page"] {
                return all;
            }
        }
        all
    }

    fn focus(&mut self) -> Value {
        self.ok("perspective_routes", json!({}))["focus"].clone()
    }
}

#[test]
fn a_query_starts_with_its_matches_and_an_anchor_with_its_neighbours() {
    let project = Project::new(PROGRAM);
    let (_, started) = Walk::start(&project, "ann", json!({}));
    assert_eq!((&started["mode"], &started["focus_node"]), (&json!("local"), &Value::Null));
    assert_eq!(started["routes"][0]["target_node"], "file::auth.py::fn::validate_credentials");
    assert_eq!(started["routes"][0]["family"], "semantic");
    assert_eq!((&started["page"], &started["routes"][0]["index"]), (&json!(1), &json!(1)));

    let (mut walk, started) = Walk::start(&project, "ann", json!({"anchor_node": "validate_credentials"}));
    assert_eq!(started["mode"], "anchored");
    assert_eq!(started["anchor_node"], "file::auth.py::fn::validate_credentials");
    assert_eq!(started["focus_node"], started["anchor_node"]);
    let routes = walk.routes();
    let of = |family: &str| {
        let of = routes.iter().filter(|route| route["family"] == family);
        of.map(|route| route["target_label"].as_str().expect("a label").to_owned()).collect::<BTreeSet<_>>()
    };
    assert!(of("causal_upstream").contains("load_user"), "{routes:?}");
    assert!(of("causal_downstream").contains("login"), "{routes:?}");
    assert!(of("test").contains("test_validate"), "{routes:?}");
    let called = routes.iter().find(|route| route["target_label"] == "load_user").expect("a route");
    assert_eq!(called["reason"], "`validate_credentials` calls `load_user` (auth.py:7)");
    assert_eq!(called["path_preview"], json!(["validate_credentials", "load_user"]));
    // Over the function between, to the method that it calls.
    let far = routes.iter().find(|route| route["target_label"] == "find").expect("a route of two steps");
    assert_eq!(far["path_preview"], json!(["validate_credentials", "load_user", "find"]));
    let scores: Vec<f64> = routes.iter().filter_map(|route| route["score"].as_f64()).collect();
    assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)) && scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
}

#[test]
fn a_file_leads_to_files_and_what_changes_with_it() {
    let commits: [(&str, &[&str]); 3] =
        [("one", &["store.py", "app.py"]), ("two", &["store.py", "app.py"]), ("three", &["app.py", "store.py"])];
    let project = Project::in_git(PROGRAM, &commits);
    project.ok("timeline", json!({"node": "store.py"}));
    let (mut walk, _) = Walk::start(&project, "ann", json!({"anchor_node": "store.py"}));
    let routes = walk.routes();
    let app = routes.iter().find(|route| route["target_node"] == "file::app.py").expect("its partner");
    let all: Vec<&Value> = std::iter::once(&app["family"]).chain(app["also"].as_array().into_iter().flatten()).collect();
    assert!(all.contains(&&json!("history")), "{app}");
    let auth = routes.iter().find(|route| route["target_node"] == "file::auth.py").expect("its user");
    assert_eq!(auth["path_preview"], json!(["store.py", "auth.py"]));
}

#[test]
fn back_undoes_follow_exactly_and_branches_are_independent() {
    let project = Project::new(PROGRAM);
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let anchor = if random.coin() { json!({"anchor_node": "auth.py"}) } else { json!({}) };
        let (mut walk, _) = Walk::start(&project, "ann", anchor);
        let mut before = vec![(walk.focus(), walk.routes())];
        for _ in 0..4 {
            let route = random.below(before.last().expect("a stop").1.len());
            let id = before.last().expect("a stop").1[route]["route_id"].clone();
            walk.ok("perspective_follow", json!({"route_id": id}));
            before.push((walk.focus(), walk.routes()));
        }
        let branch = walk.ok("perspective_branch", json!({"branch_name": "other way"}));
        let mut other = Walk { id: branch["branch_perspective_id"].clone(), version: walk.version.clone(), ..walk };
        let mut walk = Walk { project: &project, agent: "ann", id: branch["perspective_id"].clone(), version: other.version.clone() };
        assert_eq!(branch["branched_from_focus"], before[4].0);
        assert_eq!(other.routes(), before[4].1, "seed {seed}: a branch starts where it was branched");
        walk.ok("perspective_follow", json!({"route_index": 1}));
        assert_eq!((other.focus(), other.routes()), before[4], "seed {seed}: the branch stays");
        for (focus, routes) in before.iter().rev().skip(1) {
            let back = other.ok("perspective_back", json!({}));
            assert_eq!(back["restored_focus"], *focus, "seed {seed}");
            assert_eq!(other.routes(), *routes, "seed {seed}: the same routes as before");
        }
        assert_eq!(other.code("perspective_back", json!({})), "at_the_start");
        walk.ok("perspective_back", json!({}));
        assert_eq!((walk.focus(), walk.routes()), before[4], "seed {seed}: going back in one leaves the other");
        for mut done in [walk, other] {
            done.ok("perspective_close", json!({}));
        }
    }
}

#[test]
fn routes_are_the_same_in_every_process_and_project_of_the_same_state() {
    let shown = |project: &Project| {
        let (mut walk, _) = Walk::start(project, "ann", json!({"anchor_node": "auth.py"}));
        let first = walk.routes();
        walk.ok("perspective_follow", json!({"route_id": first[1]["route_id"]}));
        let second = walk.routes();
        walk.ok("perspective_close", json!({}));
        json!([first, second]).to_string()
    };
    let (project, other) = (Project::new(PROGRAM), Project::new(PROGRAM));
    let first = shown(&project);
    assert_eq!(first, shown(&project));
    assert_eq!(first, shown(&other));
    assert_eq!(first, shown(&project.reopen(|_| {})));
}

#[test]
fn a_restart_keeps_perspectives_and_time_ends_them() {
    let now = Arc::new(AtomicU64::new(1_000_000));
    let clock = || {
        let now = now.clone();
        Clock::new(move || now.load(Ordering::Relaxed))
    };
    let project = Project::with(PROGRAM, |config| config.clock = clock());
    project.ok("ingest", json!({"path": "."}));
    let (mut walk, _) = Walk::start(&project, "ann", json!({}));
    walk.ok("perspective_follow", json!({"route_index": 2}));
    let (id, version, routes) = (walk.id.clone(), walk.version.clone(), walk.routes());
    let project = project.reopen(|config| config.clock = clock());
    let mut walk = Walk { project: &project, agent: "ann", id, version };
    assert_eq!(walk.routes(), routes);
    let listed = project.call_as_is("perspective_list", json!({"agent_id": "ann"})).expect("a list");
    assert_eq!(listed["perspectives"].as_array().map(Vec::len), Some(1));
    assert_eq!((&listed["perspectives"][0]["nav_event_count"], &listed["perspectives"][0]["stale"]), (&json!(1), &json!(false)));
    assert_eq!(listed["total_memory_bytes"], listed["perspectives"][0]["memory_bytes"]);
    now.fetch_add(8 * 24 * 60 * 60 * 1_000, Ordering::Relaxed);
    assert_eq!(walk.code("perspective_routes", json!({})), "handle_expired");
}

#[test]
fn another_agent_and_an_unknown_id_are_refused_by_every_tool() {
    let project = Project::new(PROGRAM);
    let (walk, _) = Walk::start(&project, "ann", json!({}));
    let tools = ["routes", "inspect", "peek", "follow", "suggest", "affinity", "branch", "back", "close"];
    let with_route = ["inspect", "peek", "follow", "affinity"];
    for (agent, id, code) in
        [("bob", walk.id.clone(), "handle_not_yours"), ("ann", json!("persp_ann_001"), "handle_unknown")]
    {
        let mut other = Walk { project: &project, agent, id: id.clone(), version: walk.version.clone() };
        for tool in tools {
            let more = if with_route.contains(&tool) { json!({"route_index": 1}) } else { json!({}) };
            assert_eq!(other.code(&format!("perspective_{tool}"), more), code, "{tool}");
        }
        let both = json!({"agent_id": agent, "perspective_id_a": walk.id, "perspective_id_b": id});
        let error = project.call_as_is("perspective_compare", both).expect_err("is refused");
        assert_eq!(error.to_json()["code"], code);
    }
    let listed = project.call_as_is("perspective_list", json!({"agent_id": "bob"})).expect("a list");
    assert_eq!(listed["perspectives"], json!([]));
}

#[test]
fn a_stale_version_shows_current_routes_and_refuses_everything_else() {
    let project = Project::new(PROGRAM);
    let (mut walk, started) = Walk::start(&project, "ann", json!({}));
    let old = started["route_set_version"].clone();
    let followed = walk.ok("perspective_follow", json!({"route_index": 1}));
    let shown = walk.ok("perspective_routes", json!({"route_set_version": old}));
    assert_eq!((&shown["stale"], &shown["requested_version"]), (&json!(true), &old));
    assert_eq!(shown["routes"], followed["routes"]);
    let current = walk.version.clone();
    for tool in ["inspect", "peek", "follow", "affinity"] {
        let more = json!({"route_index": 1, "route_set_version": old});
        let error = walk.call(&format!("perspective_{tool}"), more).expect_err("is refused");
        assert_eq!((&error["code"], &error["route_set_version"]), (&json!("stale_route_set"), &current), "{tool}");
    }
    assert_eq!(walk.code("perspective_suggest", json!({"route_set_version": old})), "stale_route_set");
    assert!(walk.ok("perspective_routes", json!({"route_set_version": current}))["stale"].is_null());
    // The graph changes under it.
    project.tree.write("extra.py", "from auth import validate_credentials\n\n\ndef extra():\n    validate_credentials(1, 2)\n");
    project.ok("ingest", json!({"path": "."}));
    assert_eq!(walk.code("perspective_follow", json!({"route_index": 1})), "stale_route_set");
    let listed = project.call_as_is("perspective_list", json!({"agent_id": "ann"})).expect("a list");
    assert_eq!(listed["perspectives"][0]["stale"], true);
    let routes = walk.routes();
    assert!(routes.iter().any(|route| route["target_label"] == "extra"), "routes follow the graph");
}

#[test]
fn a_focus_that_is_gone_leaves_the_query() {
    let project = Project::new(PROGRAM);
    let (mut walk, _) = Walk::start(&project, "ann", json!({}));
    walk.ok("perspective_follow", json!({"route_index": 1}));
    project.tree.write("auth.py", "from store import Store\n");
    project.ok("ingest", json!({"path": "."}));
    let shown = walk.ok("perspective_routes", json!({}));
    assert!(shown["what_is_missing"].as_str().expect("a note").contains("no longer in the graph"), "{shown}");
    assert!(shown["total_routes"].as_u64() > Some(0));
    walk.ok("perspective_back", json!({}));
}

#[test]
fn exactly_one_route_is_named_and_counted_on_the_page_shown() {
    let project = Project::new(PROGRAM);
    let (mut walk, started) = Walk::start(&project, "ann", json!({}));
    assert_eq!(walk.code("perspective_follow", json!({"route_index": 1, "route_id": "R_1"})), "invalid_params");
    let version = walk.version.clone();
    assert_eq!(walk.code("perspective_follow", json!({"route_set_version": version})), "invalid_params");
    for (named, code) in [(json!({"route_id": "R_0"}), "route_not_found"), (json!({"route_index": 0}), "route_not_found")] {
        assert_eq!(walk.code("perspective_inspect", named), code);
    }
    let second = walk.ok("perspective_routes", json!({"page": 2, "page_size": 2}));
    assert_eq!(second["routes"][0]["index"], 3);
    let inspected = walk.ok("perspective_inspect", json!({"route_index": 1}));
    assert_eq!(inspected["route_id"], second["routes"][0]["route_id"]);
    assert_eq!((&inspected["route_index"], &inspected["index"]), (&json!(1), &json!(3)));
    assert_eq!(walk.code("perspective_inspect", json!({"route_index": 3})), "route_not_found");
    let first = walk.ok("perspective_inspect", json!({"route_id": started["routes"][0]["route_id"]}));
    assert_eq!(first["route_index"], Value::Null, "it is on another page");
    let clamped = walk.ok("perspective_routes", json!({"page": 99, "page_size": 99}));
    assert_eq!((&clamped["page_size_clamped"], &clamped["page"]), (&json!(true), &clamped["total_pages"]));
}

#[test]
fn a_lens_filters_and_weighs() {
    let project = Project::new(PROGRAM);
    let routes = |lens: Value| {
        let (mut walk, _) = Walk::start(&project, "ann", json!({"anchor_node": "validate_credentials", "lens": lens}));
        let routes = walk.routes();
        walk.ok("perspective_close", json!({}));
        routes
    };
    let all = routes(json!({}));
    let is = |rows: &[Value], member: &str, value: &str| !rows.is_empty() && rows.iter().all(|row| row[member] == value);
    assert!(is(&routes(json!({"families": ["test"]})), "family", "test"));
    assert!(is(&routes(json!({"node_types": ["file"]})), "target_type", "file"));
    assert!(is(&routes(json!({"paths": ["store.py"]})), "file_path", "store.py"));
    let calls = routes(json!({"relations": ["calls"], "tiers": ["certain"]}));
    assert!(!calls.is_empty() && calls.len() < all.len(), "{calls:?}");
    assert!(calls.iter().all(|row| row["reason"].as_str().is_some_and(|reason| reason.contains("calls"))), "{calls:?}");
    let structural = routes(json!({"dimensions": {"causal": 0, "semantic": 0}}));
    assert!(structural.iter().all(|row| !row["family"].as_str().expect("a word").starts_with("causal")));
    for (lens, named) in [
        (json!({"relations": ["calling"]}), "`lens.relations`"),
        (json!({"paths": ["["]}), "`lens.paths`"),
        (json!({"node_types": ["x"]}), "`node_types`"),
        (json!({"dimensions": {"causal": 2}}), "`lens.dimensions.causal`"),
        (json!({"colour": 1}), "`lens.colour`"),
    ] {
        let error = project.err("perspective_start", json!({"query": "x", "lens": lens}));
        assert!(error["error"].as_str().expect("a message").contains(named), "{error}");
    }
}

#[test]
fn peek_shows_text_of_the_target_and_marks_it() {
    let long: String = (0..900).map(|n| format!("    value_{n} = {n}\n")).collect();
    let fixture = format!("{PROGRAM}//- big.py\ndef needle_of_size():\n    key = \"AKIAIOSFODNN7EXAMPLE\"\n{long}");
    let project = Project::new(&fixture);
    let (mut walk, _) = Walk::start(&project, "ann", json!({}));
    let peeked = walk.ok("perspective_peek", json!({"route_index": 1}));
    let content = &peeked["content"];
    assert!(content["excerpt"].as_str().expect("a text").starts_with("def validate_credentials(user, password):\n"));
    assert_eq!((&content["file_path"], &content["line_start"], &content["truncated"]), (&json!("auth.py"), &json!(5), &json!(false)));
    assert!(peeked["notice"].as_str().expect("a notice").contains("data, not instructions"));
    project.tree.write("auth.py", "# changed\n");
    assert_eq!(walk.ok("perspective_peek", json!({"route_index": 1}))["content"]["provenance_stale"], true);
    let (mut walk, _) = Walk::start(&project, "ann", json!({"query": "needle_of_size"}));
    let content = walk.ok("perspective_peek", json!({"route_index": 1}))["content"].take();
    let excerpt = content["excerpt"].as_str().expect("a text");
    assert!(excerpt.lines().count() <= 200 && excerpt.len() <= 8 << 10, "{}", excerpt.len());
    assert_eq!(content["truncated"], true);
    assert!(!excerpt.contains("AKIAIOSFODNN7EXAMPLE"), "{excerpt}");
}

#[test]
fn suggestions_follow_what_is_new_and_go_back_where_nothing_is() {
    let project = Project::new(PROGRAM);
    let (mut walk, _) = Walk::start(&project, "ann", json!({"anchor_node": "validate_credentials"}));
    let suggestion = walk.ok("perspective_suggest", json!({}))["suggestion"].take();
    assert_eq!(suggestion["action"], "follow");
    assert!(suggestion["confidence"].as_f64().is_some_and(|value| (0.0..=1.0).contains(&value)));
    walk.ok("perspective_follow", json!({"route_id": suggestion["route_id"]}));
    let next = walk.ok("perspective_suggest", json!({}))["suggestion"].take();
    assert_ne!(next["target_node"], "file::auth.py::fn::validate_credentials", "it is not sent back where it was");
    let (mut alone, _) = Walk::start(&project, "ann", json!({"anchor_node": "logout", "lens": {"families": ["test"]}}));
    assert_eq!(alone.ok("perspective_suggest", json!({}))["suggestion"]["action"], "start");
}

#[test]
fn too_many_perspectives_are_refused_and_closing_makes_room() {
    let project = Project::new(PROGRAM);
    let mut walks: Vec<Walk<'_>> = (0..50).map(|_| Walk::start(&project, "ann", json!({})).0).collect();
    let more = json!({"query": "validate", "agent_id": "ann"});
    let error = project.call_as_is("perspective_start", more.clone()).expect_err("is refused").to_json();
    assert_eq!(error["code"], "limit_reached");
    let closed = walks.pop().expect("a walk").ok("perspective_close", json!({}));
    assert_eq!((&closed["closed"], &closed["locks_released"]), (&json!(true), &json!([])));
    project.call_as_is("perspective_start", more).expect("there is room");
}

#[test]
fn far_from_the_anchor_a_walk_is_local() {
    // A chain of calls: each step is one hop further.
    let chain: String = (0..14)
        .map(|n| format!("//- step_{n:02}.py\nfrom step_{:02} import go_{:02}\n\n\ndef go_{n:02}():\n    go_{:02}()\n", n + 1, n + 1, n + 1))
        .collect();
    let project = Project::new(&format!("{chain}//- step_14.py\ndef go_14():\n    pass\n"));
    let lens = json!({"families": ["causal_upstream"], "relations": ["calls"]});
    let (mut walk, _) = Walk::start(&project, "ann", json!({"query": "go", "anchor_node": "go_00", "lens": lens}));
    let mut modes = BTreeMap::new();
    for step in 1..=10 {
        let routes = walk.routes();
        let label = format!("go_{step:02}");
        let route = routes.iter().find(|route| route["target_label"] == *label).expect("the next step");
        let followed = walk.ok("perspective_follow", json!({"route_id": route["route_id"]}));
        assert_eq!(followed["mode"], "anchored");
        modes.insert(step, followed["mode_effective"].clone());
    }
    assert_eq!((&modes[&8], &modes[&9], &modes[&10]), (&json!("anchored"), &json!("local"), &json!("local")));
    walk.ok("perspective_back", json!({}));
    assert_eq!(walk.ok("perspective_back", json!({}))["restored_mode"], "anchored");
}

#[test]
fn no_sequence_of_calls_of_several_agents_breaks_leaks_or_mixes() {
    const AGENTS: [&str; 3] = ["ann", "bob", "cat"];
    const TOOLS: [&str; 10] =
        ["start", "routes", "inspect", "peek", "follow", "follow", "suggest", "affinity", "branch", "back"];
    let project = Project::new(PROGRAM);
    for seed in 0..4 {
        let mut random = Random::new(seed);
        // What must be open: the owner of each.
        let mut open: BTreeMap<String, &str> = BTreeMap::new();
        let mut versions: BTreeMap<String, Value> = BTreeMap::new();
        for number in 0..60 {
            if random.below(20) == 0 {
                project.tree.write("app.py", format!("from auth import validate_credentials\n\n\ndef login_{seed}_{number}():\n    validate_credentials(1, 2)\n"));
                project.ok("ingest", json!({"path": "."}));
            }
            let agent = AGENTS[random.below(AGENTS.len())];
            let ids: Vec<String> = open.keys().cloned().collect();
            let id = ids.get(random.below(ids.len().max(1))).cloned().unwrap_or_else(|| "persp_x_0".to_owned());
            let tool = if random.below(12) == 0 { "close" } else { TOOLS[random.below(TOOLS.len())] };
            let mut arguments = json!({"agent_id": agent});
            match tool {
                "start" => arguments["query"] = json!(["credentials", "store find", "session"][random.below(3)]),
                _ => arguments["perspective_id"] = json!(id),
            }
            if ["inspect", "peek", "follow", "affinity"].contains(&tool) {
                arguments["route_index"] = json!(1 + random.below(7));
            }
            if ["inspect", "peek", "follow", "affinity", "suggest"].contains(&tool) {
                arguments["route_set_version"] = versions.get(&id).cloned().unwrap_or(json!(1));
            }
            let is_owner = open.get(&id) == Some(&agent);
            match project.call_as_is(&format!("perspective_{tool}"), arguments.clone()) {
                Ok(answer) => {
                    assert!(is_owner || tool == "start", "seed {seed}: {agent} did {tool} {arguments}");
                    let own = answer["branch_perspective_id"].as_str().or(answer["perspective_id"].as_str());
                    let generation = project.services.engine.snapshot().generation();
                    assert_eq!(answer["generation"], generation, "seed {seed} {tool}");
                    if answer["cache_generation"].is_u64() {
                        assert_eq!(answer["cache_generation"], generation, "seed {seed} {tool}");
                    }
                    match (tool, own) {
                        ("close", Some(own)) => assert!(open.remove(own).is_some()),
                        ("start" | "branch", Some(own)) => drop(open.insert(own.to_owned(), agent)),
                        _ => {}
                    }
                    if let (Some(own), true) = (own, answer["route_set_version"].is_u64()) {
                        versions.insert(own.to_owned(), answer["route_set_version"].clone());
                    }
                }
                Err(error) => {
                    assert_ne!(error.code, ErrorCode::Internal, "seed {seed}: {tool} {arguments}: {error}");
                    let code = error.code.word();
                    assert!(is_owner || tool == "start" || code.starts_with("handle_"), "seed {seed} {tool}: {error}");
                }
            }
        }
        for agent in AGENTS {
            let listed = project.call_as_is("perspective_list", json!({"agent_id": agent})).expect("a list");
            let rows = listed["perspectives"].as_array().expect("rows");
            let listed: BTreeSet<&str> = rows.iter().filter_map(|row| row["perspective_id"].as_str()).collect();
            let expected = open.iter().filter(|(_, owner)| **owner == agent).map(|(id, _)| id.as_str());
            assert_eq!(listed, expected.collect(), "seed {seed}: {agent}");
        }
        for (id, agent) in open {
            let close = json!({"agent_id": agent, "perspective_id": id});
            project.call_as_is("perspective_close", close).expect("is closed");
        }
    }
}

/// A step of the example in `docs/navigation.md`: a name, a tool and its arguments, with members that its answer has.
type DocumentedStep = (String, String, String, Vec<(String, Value)>);

fn documented_steps() -> Vec<DocumentedStep> {
    let page = include_str!("../../../../docs/navigation.md");
    let (_, block) = page.split_once("```perspective\n").expect("an example");
    let (block, _) = block.split_once("```").expect("its end");
    let mut steps: Vec<DocumentedStep> = Vec::new();
    for line in block.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let (name, rest) = line.trim().split_once(" = ").unwrap_or_else(|| panic!("no step: {line}"));
        if line.starts_with(' ') {
            let value = serde_json::from_str(rest).unwrap_or_else(|error| panic!("{line}: {error}"));
            steps.last_mut().expect("a step before").3.push((name.to_owned(), value));
        } else {
            let (tool, arguments) = rest.split_once(' ').expect("arguments");
            steps.push((name.to_owned(), tool.to_owned(), arguments.to_owned(), Vec::new()));
        }
    }
    steps
}

/// The value at a path such as `routes.0.route_id`.
fn at<'v>(value: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(value, |value, name| match name.parse::<usize>() {
        Ok(index) => &value[index],
        Err(_) => &value[name],
    })
}

#[test]
fn the_documented_workflow_runs() {
    let project = Project::new(PROGRAM);
    let mut answers: BTreeMap<String, Value> = BTreeMap::new();
    let steps = documented_steps();
    assert!(steps.len() >= 10, "{}", steps.len());
    for (name, tool, arguments, expected) in steps {
        let mut arguments: Value = serde_json::from_str(&arguments).unwrap_or_else(|error| panic!("{arguments}: {error}"));
        for value in arguments.as_object_mut().expect("an object").values_mut() {
            if let Some(path) = value.as_str().and_then(|text| text.strip_prefix('$')) {
                let (answer, path) = path.split_once('.').expect("a member");
                *value = at(&answers[answer], path).clone();
            }
        }
        let answer = project.ok(&tool, arguments.clone());
        for (path, value) in expected {
            let found = at(&answer, &path);
            let value = match value.as_str().and_then(|text| text.strip_prefix('$')) {
                Some(path) => at(&answers[path.split_once('.').expect("a member").0], path.split_once('.').expect("a member").1).clone(),
                None => value,
            };
            assert_eq!(*found, value, "{tool} {arguments}: {path}");
        }
        answers.insert(name, answer);
    }
}
