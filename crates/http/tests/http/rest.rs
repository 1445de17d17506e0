//! The REST face and the page.

use std::collections::BTreeSet;

use m1nd_http::{Limits, list_instances};
use serde_json::{Value, json};

use crate::client::read_until;
use crate::{Server, start, start_test_tools, wait_until};

#[test]
fn tools_answer_as_over_mcp() {
    let server = start();
    server.wait_for_index();
    let health = server.get("/api/health").json();
    assert!(health["nodes"].as_u64().unwrap() > 0 && health["generation"].as_u64().unwrap() > 0, "{health}");
    let listed = server.get("/api/tools").json();
    let names: Vec<&str> =
        listed["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), m1nd_tools::ALL.len());
    let callers = server.call("callers", &json!({"agent_id": "test", "node_id": "shop/price.py::gross"}));
    assert_eq!(callers.status, 200, "{callers:?}");
    assert!(callers.json()["result"].to_string().contains("shop/order.py"), "{callers:?}");
    // Names as agents write them, and no body at all.
    assert_eq!(
        server.send(&server.request("POST", "/api/tools/m1nd_health").with("Content-Type", "application/json")).status,
        200
    );
    let text = server.call("callers", &json!({"node_id": "shop/price.py::gross", "format": "text"})).json();
    assert!(text["result"]["text"].as_str().unwrap().contains("shop/order.py"), "{text}");
}

#[test]
fn failures_have_a_status_a_code_and_a_message() {
    let server = start();
    server.wait_for_index();
    for (tool, body, status, code) in [
        ("nothing", "{}", 404, "unknown_tool"),
        ("callers", "{", 400, "invalid_json"),
        ("callers", "[]", 400, "invalid_params"),
        ("callers", r#"{"bogus": 1}"#, 400, "invalid_params"),
        ("callers", r#"{"node_id": "nothing_has_this_name"}"#, 404, "node_not_found"),
        ("view", r#"{"file_path": "/etc/passwd"}"#, 403, "outside_workspace"),
        ("search", r#"{"query": "(", "mode": "regex"}"#, 400, "invalid_pattern"),
    ] {
        let path = format!("/api/tools/{tool}");
        let request = server.request("POST", &path).with("Content-Type", "application/json").body(body);
        let answer = server.send(&request);
        let error = answer.json();
        assert_eq!((answer.status, error["error"].as_str()), (status, Some(code)), "{tool} {body}: {error}");
        assert!(!error["message"].as_str().unwrap().is_empty());
    }
    assert_eq!(server.get("/api/nothing").json()["error"], "unknown_route");
}

#[test]
fn the_map_is_opened_step_by_step() {
    let server = start();
    server.wait_for_index();
    let map = |query: &str| server.get(&format!("/api/map{query}"));
    let top = map("").json();
    let folder = top["nodes"][0]["id"].as_str().unwrap().to_owned();
    let opened = map(&format!("?open={}&color=language&limit=10", folder.replace(':', "%3A"))).json();
    assert!(opened["nodes"].to_string().contains("price.py"), "{opened}");
    assert_eq!(opened["opened"][0]["id"], folder.as_str());
    let revealed = map("?reveal=file::shop/price.py::fn::gross").json();
    assert!(revealed["nodes"].to_string().contains("\"gross\""), "{revealed}");
    for wrong in ["?limit=x", "?color=pink", "?bogus=1", "?open=%ff%zz"] {
        assert_eq!((map(wrong).status, &map(wrong).json()["error"]), (400, &json!("invalid_params")), "{wrong}");
    }
}

#[test]
fn watchers_see_calls_and_changes_and_miss_none_when_they_come_back() {
    let server = start();
    server.wait_for_index();
    let watch = server.request("GET", "/api/events");
    let (_, mut stream) = server.open_stream(&watch);
    server.call("callers", &json!({"agent_id": "ann", "node_id": "shop/price.py::gross"}));
    let lines = read_until(&mut stream, "data: ");
    assert!(lines.contains(&"event: tool_result".to_owned()), "{lines:?}");
    let data: Value = serde_json::from_str(lines.last().unwrap().strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(
        (&data["tool"], &data["agent_id"], &data["success"], &data["source"]),
        (&json!("callers"), &json!("ann"), &json!(true), &json!("rest"))
    );
    let id = lines.iter().find_map(|line| line.strip_prefix("id: ")).unwrap().to_owned();
    drop(stream);
    // Missed meanwhile.
    server.call("callers", &json!({"agent_id": "bob", "node_id": "nothing_has_this_name"}));
    let (_, mut stream) = server.open_stream(&watch.clone().with("Last-Event-ID", &id));
    let missed = read_until(&mut stream, "data: ");
    assert!(missed.last().unwrap().contains("bob") && missed.last().unwrap().contains("false"), "{missed:?}");
    assert_eq!(server.send(&watch.with("Last-Event-ID", "x")).status, 400);
    // The next generation of the index. A watcher is told of those after it began.
    std::thread::sleep(std::time::Duration::from_millis(600));
    server.project.write("shop/new.py", "def new():\n    pass\n");
    let begun = server.get("/api/health").json()["generation"].as_u64();
    assert_eq!(server.call("ingest", &json!({"path": ".", "agent_id": "ann"})).status, 200);
    let lines = read_until(&mut stream, "event: graph_changed");
    assert!(server.get("/api/health").json()["generation"].as_u64() > begun, "{lines:?}");
}

#[test]
fn several_clients_are_answered_during_an_ingest() {
    let server = start();
    server.wait_for_index();
    (0..300).for_each(|index| {
        server
            .project
            .write(format!("more/file{index}.py"), format!("def f{index}():\n    return {index}\n").repeat(20));
    });
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| server.call("ingest", &json!({"path": ".", "agent_id": "writer"})));
        let read = |agent: usize| {
            let session = server.open_session();
            for _ in 0..20 {
                let agent_id = format!("agent{agent}");
                let answer = server.call("callers", &json!({"agent_id": agent_id, "node_id": "shop/price.py::gross"}));
                assert!(answer.status == 200 && answer.body.contains("shop/order.py"), "{answer:?}");
                let list = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/list"});
                assert_eq!(server.send(&server.message(Some(&session), &list)).status, 200);
                assert_eq!(server.get("/api/health").json()["status"], "ok");
            }
        };
        let readers: Vec<_> = (0..6).map(|agent| scope.spawn(move || read(agent))).collect();
        readers.into_iter().for_each(|reader| reader.join().unwrap());
        assert_eq!(writer.join().unwrap().status, 200);
    });
    assert!(server.call("seek", &json!({"query": "f299"})).body.contains("file299.py"));
}

#[test]
fn a_running_server_is_listed_until_it_ends() {
    let server = start_test_tools(Limits::default());
    let home = server.home();
    let listed = server.get("/api/instances").json();
    let row = &listed["instances"][0];
    assert_eq!((&row["is_this"], &row["url"]), (&json!(true), &json!(format!("http://{}", server.address))));
    assert_eq!(list_instances(&home).unwrap().len(), 1);
    let shutdown = server.shutdown.clone();
    shutdown.cancel();
    wait_until("it is not listed any longer", || list_instances(&home).unwrap().is_empty());
}

#[test]
fn the_page_is_served_with_its_views_and_types() {
    let server = start_test_tools(Limits::default());
    let ask = |path: &str| server.send(&server.request("GET", path).without("Authorization"));
    let index = ask("/");
    assert_eq!((index.status, index.header("content-type")), (200, Some("text/html; charset=utf-8")));
    for view in ["/index.html", "/map", "/map?open=x", "/place?id=a%3A%3Ab", "/memory/"] {
        assert_eq!((ask(view).status, ask(view).body), (200, index.body.clone()), "{view}");
    }
    for missing in ["/assets/nothing.js", "/favicon.nothing", "/.well-known/oauth-protected-resource"] {
        assert_eq!(ask(missing).status, 404, "{missing}");
    }
    let tag = index.header("etag").unwrap();
    let again = server.send(&server.request("GET", "/").with("If-None-Match", tag));
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    // Nothing in it that the policy of the page forbids: scripts and handlers in the text, other hosts.
    assert!(
        !index.body.contains("<script>") && !index.body.contains(" onclick=") && !index.body.contains("src=\"http")
    );
}

/// All references in a document.
fn list_references<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str));
                rest.extend(members.values());
            }
            Value::Array(items) => rest.extend(items),
            _ => {}
        }
    }
}

#[test]
fn people_list_approve_and_forget_memories() {
    let server = start();
    server.wait_for_index();
    let post = |path: &str, body: &str| {
        server.send(&server.request("POST", path).with("Content-Type", "application/json").body(body))
    };
    assert_eq!(server.get("/api/memory").json()["registered"], false);
    server.project.write(".mind/MEMORY.md", "# Shop\n\n## Decisions\n- Prices are net, since taxes differ\n");
    let listed = server.get("/api/memory").json();
    assert_eq!(
        (&listed["registered"], listed["memories"].as_array().map(Vec::len)),
        (&json!(true), Some(1)),
        "{listed}"
    );
    let id = listed["memories"][0]["id"].as_str().unwrap();
    // Approved, and withdrawn.
    for (body, is_approved) in [(r#"{"undo": true}"#, false), ("{}", true)] {
        assert_eq!(post("/api/memory/approve", body).status, 200);
        assert_eq!(server.get("/api/memory").json()["approved"], is_approved, "{body}");
    }
    // Refused, tried, and done.
    for (path, body) in [
        ("/api/memory/forget", "{}"),
        ("/api/memory/forget", r#"{"id": "nothing"}"#),
        ("/api/memory/forget", r#"{"id": "nothing", "undo": 1}"#),
        ("/api/memory/approve", r#"{"sources": [1]}"#),
    ] {
        assert_eq!(post(path, body).status, 400, "{path} {body}");
    }
    assert_eq!(post("/api/memory/forget", &format!(r#"{{"id": "{id}", "dry_run": true}}"#)).status, 200);
    assert_eq!(server.get("/api/memory").json()["memories"].as_array().map(Vec::len), Some(1));
    assert_eq!(post("/api/memory/forget", &format!(r#"{{"id": "{id}"}}"#)).status, 200);
    assert_eq!(server.get("/api/memory").json()["memories"], json!([]));
}

#[test]
fn a_memory_whose_text_stays_is_listed_as_hidden_and_can_be_shown_again() {
    let server = start();
    server.wait_for_index();
    server.project.write("shop/jam.py", "# MEMORY: decided cherries over grapes, password=hunter2hunter2\n");
    server.project.write(".mind/MEMORY.md", "# Shop\n\ndecided to sell plums. Learned that figs rot\n");
    let ids = |name: &str| -> Vec<String> {
        let listed = server.get("/api/memory").json();
        let rows = listed[name].as_array().unwrap();
        assert!(!listed.to_string().contains("hunter2"), "{listed}");
        let mut ids: Vec<_> = rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids
    };
    let forget = |id: &str, undo: bool| {
        let request = server.request("POST", "/api/memory/forget").with("Content-Type", "application/json");
        server.send(&request.body(json!({"id": id, "undo": undo}).to_string()))
    };
    let all = ids("memories");
    assert_eq!((all.len(), ids("hidden")), (3, Vec::new()));
    for id in &all {
        let answer = forget(id, false);
        assert_eq!((answer.status, &answer.json()["hidden"]), (200, &json!(true)), "{answer:?}");
    }
    assert_eq!((ids("memories"), ids("hidden")), (Vec::new(), all.clone()));
    let listed = server.get("/api/memory").json();
    let places: Vec<&Value> = listed["hidden"].as_array().unwrap().iter().map(|row| &row["source_file"]).collect();
    assert!(places.contains(&&json!("shop/jam.py")) && places.contains(&&json!(".mind/MEMORY.md")), "{listed}");
    for id in &all {
        assert_eq!(forget(id, true).status, 200);
    }
    assert_eq!((ids("memories"), ids("hidden")), (all, Vec::new()));
}

#[test]
fn the_description_of_the_api_is_complete_and_refers_to_itself() {
    let server = start();
    let document = describe(&server);
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().unwrap();
    for tool in m1nd_tools::ALL {
        let operation = &paths[&format!("/api/tools/{}", tool.name)]["post"];
        assert_eq!(operation["operationId"], tool.name);
        assert_eq!(
            operation["requestBody"]["content"]["application/json"]["schema"]["type"], "object",
            "{}",
            tool.name
        );
    }
    // Each path that is read exists, and the names of operations are unique.
    for path in paths.iter().filter(|(_, item)| item.get("get").is_some()).map(|(path, _)| path) {
        assert_eq!(server.open_stream(&server.request("GET", path)).0, 200, "{path}");
    }
    let ids: BTreeSet<&str> = paths
        .values()
        .flat_map(|item| item.as_object().unwrap().values())
        .filter_map(|op| op["operationId"].as_str())
        .collect();
    assert_eq!(ids.len(), paths.len());
    let mut references = BTreeSet::new();
    list_references(&document, &mut references);
    assert!(!references.is_empty());
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{reference} leads elsewhere"));
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
}

fn describe(server: &Server) -> Value {
    server.get("/api/openapi.json").json()
}
