//! How clients start a server, and what they ask first.

use m1nd_testkit::wire::Wire;
use serde_json::{Value, json};

use crate::{Place, SHOP};

/// A server, started in a folder with these arguments.
fn serve(place: &Place, folder: &std::path::Path, arguments: &[&str]) -> Wire {
    Wire::spawn(place.command(&[&["serve"], arguments].concat()).current_dir(folder)).unwrap()
}

fn ask(wire: &mut Wire, tool: &str, mut arguments: Value) -> (Value, bool) {
    arguments["agent_id"] = json!("a");
    wire.call(tool, arguments)
}

#[test]
fn a_home_folder_is_indexed_only_if_it_is_named() {
    let place = Place::new(SHOP);
    let home = place.user.path().to_owned();
    place.user.write("shop/a.py", "def gross(): pass\n");
    for folder in [home.as_path(), std::path::Path::new("/")] {
        let mut wire = serve(&place, folder, &[]);
        wire.initialize("2025-06-18");
        let (answer, failed) = ask(&mut wire, "seek", json!({"query": "gross"}));
        assert!(failed && answer["code"] == "empty_graph", "{answer}");
        let (answer, failed) = ask(&mut wire, "ingest", json!({"path": "."}));
        let text = answer.to_string();
        assert!(failed && text.contains("--root PROJECT"), "{answer}");
        let (answer, _) = ask(&mut wire, "health", json!({}));
        assert!(answer.to_string().contains("\"workspace_root_source\":\"working_directory\""), "{answer}");
        if folder == home {
            let (answer, failed) = ask(&mut wire, "ingest", json!({"path": "shop"}));
            assert!(!failed, "a project in it may be named: {answer}");
        }
        assert!(wire.finish().success());
    }
    let mut wire = serve(&place, &home, &["--root", &home.to_string_lossy()]);
    wire.initialize("2025-06-18");
    let (answer, failed) = ask(&mut wire, "seek", json!({"query": "gross"}));
    assert!(!failed, "{answer}");
    assert!(wire.finish().success());
}

#[test]
fn a_server_started_in_a_home_folder_answers_from_the_folder_that_the_client_has_open() {
    let place = Place::new(SHOP);
    let home = place.user.path().to_owned();
    for arguments in [&[][..], &["--root", "${workspaceFolder}"]] {
        let mut wire = serve(&place, &home, arguments);
        wire.initialize_with_roots("2025-06-18", &[format!("file://{}", place.project.path().display())]);
        let (answer, failed) = ask(&mut wire, "seek", json!({"query": "gross"}));
        assert!(!failed && answer.to_string().contains("shop/price.py"), "{answer}");
        assert!(wire.finish().success());
    }
}

#[test]
fn a_root_that_the_client_did_not_fill_in_is_left_out() {
    let place = Place::new(SHOP);
    let mut wire = serve(&place, place.project.path(), &["--root", "${workspaceFolder}"]);
    wire.initialize("2025-06-18");
    let (answer, failed) = ask(&mut wire, "seek", json!({"query": "gross"}));
    assert!(!failed && answer.to_string().contains("shop/price.py"), "{answer}");
    assert!(wire.finish().success());
}

#[test]
fn text_is_text_everywhere_and_has_no_structure_beside_it() {
    let place = Place::new(SHOP);
    let mut wire = serve(&place, place.project.path(), &["--format", "text"]);
    wire.initialize("2025-06-18");
    let calls = [
        ("seek", json!({"query": "gross"}), false),
        ("help", json!({}), false),
        ("help", json!({"tool_name": "seek"}), false),
        ("report", json!({}), false),
        ("timeline", json!({"node": "shop/price.py"}), true),
        ("callers", json!({"node": "nothing_like_it"}), true),
        ("seek", json!({"bogus": 1}), true),
        ("no_such_tool", json!({}), true),
    ];
    for (tool, mut arguments, may_fail) in calls {
        arguments["agent_id"] = json!("a");
        let answer = wire.request("tools/call", json!({"name": tool, "arguments": arguments}))["result"].clone();
        let text = answer["content"][0]["text"].as_str().unwrap_or_default();
        assert!(answer.get("structuredContent").is_none(), "{tool}: {answer}");
        assert!(!text.is_empty() && !text.starts_with('{'), "{tool}: {answer}");
        assert!(may_fail || answer["isError"] != true, "{tool}: {answer}");
    }
    assert!(wire.finish().success());
}

#[test]
fn paths_are_taken_as_other_programs_write_them() {
    let place = Place::new(SHOP);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    let root = std::fs::canonicalize(place.project.path()).unwrap();
    let mut wire = serve(&place, place.project.path(), &[]);
    wire.initialize("2025-06-18");
    let root = root.display();
    let spellings = [
        "shop/price.py".to_owned(),
        "./shop/price.py".to_owned(),
        ".\\shop\\price.py".to_owned(),
        "shop\\price.py".to_owned(),
        format!("{root}/shop/price.py"),
        format!("file://{root}/shop/price.py"),
        format!("file://localhost{root}/shop/price%2Epy"),
    ];
    let tools = [
        ("view", "file_path"),
        ("outline", "file_path"),
        ("impact", "node_id"),
        ("timeline", "node"),
        ("surgical_context", "file_path"),
        ("seek", "scope"),
        ("validate_plan", "actions"),
    ];
    for path in &spellings {
        for (tool, name) in tools {
            let mut arguments = match name {
                "actions" => json!({"actions": [{"action_type": "modify", "file_path": path}]}),
                "scope" => json!({"query": "gross", "scope": path}),
                name => json!({name: path}),
            };
            arguments["agent_id"] = json!("a");
            let (answer, failed) = wire.call(tool, arguments);
            assert!(!failed || tool == "timeline" && answer.to_string().contains("git"), "{tool} {path}: {answer}");
            assert!(tool != "seek" || answer.to_string().contains("shop/price.py"), "{tool} {path}: {answer}");
        }
    }
    assert!(wire.finish().success());
}

#[test]
fn values_are_taken_where_only_one_can_be_meant_and_numbers_brought_into_range() {
    let place = Place::new(SHOP);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    let mut wire = serve(&place, place.project.path(), &[]);
    wire.initialize("2025-06-18");
    for top_k in [json!("5"), json!(5.0), json!("5.0")] {
        let (answer, failed) = ask(&mut wire, "seek", json!({"query": "gross", "top_k": top_k}));
        assert!(!failed && answer.get("clamped").is_none(), "{answer}");
    }
    let (answer, failed) = ask(&mut wire, "seek", json!({"query": "gross", "top_k": 100_000}));
    let said = answer["clamped"][0].as_str().unwrap_or_default();
    assert!(!failed && said.starts_with("`top_k` 100000 is out of range"), "{answer}");
    assert!(wire.finish().success());
}

#[test]
fn a_folder_is_that_folder_and_a_choice_is_said() {
    let place = Place::new(
        "//- .git/HEAD\nref: refs/heads/main\n//- core/a.py\nclass Pool:\n    size = 1\ndef used(): pass\n\
         //- core/b.py\nfrom core.a import used\ndef inside(): used()\n\
         //- web/c.py\nfrom core.a import used\ndef outside(): used()\n//- tests/t.py\nclass Pool: pass\n",
    );
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    let mut wire = serve(&place, place.project.path(), &[]);
    wire.initialize("2025-06-18");
    let (answer, failed) = ask(&mut wire, "impact", json!({"node_id": "core"}));
    let labels: Vec<&str> =
        answer["blast_radius"].as_array().unwrap().iter().filter_map(|row| row["label"].as_str()).collect();
    assert!(!failed && labels.contains(&"outside") && !labels.contains(&"inside"), "{answer}");
    assert_eq!((&answer["source"], &answer["source_label"]), (&json!("core/"), &json!("core/")));
    let (answer, failed) = ask(&mut wire, "callers", json!({"node_id": "core"}));
    assert!(failed && answer["error"].as_str().is_some_and(|error| error.contains("`core/` is a folder")), "{answer}");
    let (answer, failed) = ask(&mut wire, "references", json!({"node_id": "Pool"}));
    let said = answer["taken"][0].as_str().unwrap_or_default();
    assert!(!failed && said == "`Pool` is core/a.py::Pool; not tests/t.py::Pool", "{answer}");
    for claim in ["no file in core imports web", "core never depends on web", "core has no dependency on web"] {
        let (answer, failed) = ask(&mut wire, "hypothesize", json!({"claim": claim}));
        assert!(!failed && answer["verdict"] == "likely_true", "{claim}: {answer}");
    }
    for claim in ["core never frobnicates web", "the good core depends on web", "core is not isolated"] {
        let (answer, failed) = ask(&mut wire, "hypothesize", json!({"claim": claim}));
        assert!(failed, "{claim}: {answer}");
    }
    assert!(wire.finish().success());
}

#[test]
fn commits_are_read_after_the_answer() {
    let Some(place) = Place::open_committed(SHOP) else { return };
    // One file for both streams, so that the order of what is written is that of the file.
    let said = place.user.join("said");
    for _ in 0..2 {
        let file = std::fs::File::create(&said).unwrap();
        let mut command = place.command(&["ingest"]);
        command.stdout(file.try_clone().unwrap()).stderr(file);
        assert!(command.status().unwrap().success());
        let text = std::fs::read_to_string(&said).unwrap();
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("`{what}` is missing: {text}"));
        assert!(at("next: m1nd call") < at("reading history"), "{text}");
    }
    let found = place.run(&["trust", "--json"]);
    assert!(found.code == 0 && !found.out.contains("being read"), "{found:?}");
}
