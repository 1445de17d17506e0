use serde_json::json;

use crate::harness::{PROGRAM, Project, column};

#[test]
fn hits_carry_their_symbol_and_context() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("search", json!({"query": "load_user", "context_lines": 1}));
    assert_eq!(column(&answer, "matches", "line_number"), "7 10");
    let first = &answer["matches"][0];
    assert_eq!(first["node_id"], "file::auth.py::fn::validate_credentials");
    assert_eq!(first["line_content"], "    return load_user(user) == password");
    assert_eq!(first["context_before"].as_array().map(Vec::len), Some(1));
    assert_eq!(first["match_score"], json!(1.0));
    assert_eq!(answer["total_matches"], json!(2));
    assert_eq!(answer["node_matches"][0]["node_id"], "file::auth.py::fn::load_user");
}

#[test]
fn text_shows_the_context_that_was_asked_for() {
    let project = Project::new(PROGRAM);
    let text = |more: serde_json::Value| {
        let mut arguments = json!({"query": "find(name)"});
        arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        project.text("search", arguments)
    };
    let plain = text(json!({}));
    assert!(plain.starts_with("1 match in 1 file of "), "{plain}");
    assert!(plain.contains("\nauth.py\n11: return Store().find(name)"), "{plain}");
    assert!(plain.contains("  (load_user)\n") && !plain.contains("next:"), "{plain}");
    assert!(!plain.contains("def load_user"), "not asked for: {plain}");
    let around = text(json!({"context_lines": 1}));
    assert!(around.contains("\n(load_user)\n10- def load_user(name):\n11:     return"), "{around}");
    assert_eq!(text(json!({"context_lines": 0})), plain);
}

#[test]
fn modes_and_flags() {
    let project = Project::new(PROGRAM);
    let lines = |arguments| {
        let answer = project.ok("search", arguments);
        (column(&answer, "matches", "file_path"), answer["total_matches"].as_u64().expect("total"))
    };
    let all = ("src/a/one.py src/ab.py README.md".to_owned(), 3);
    assert_eq!(lines(json!({"query": "NEEDLE"})), all, "hidden files are not searched");
    assert_eq!(lines(json!({"query": "NEEDLE", "case_sensitive": true})).1, 0);
    assert_eq!(lines(json!({"query": "^MARK.*needle", "mode": "regex"})).1, 2);
    assert_eq!(lines(json!({"query": "needle", "scope": "src/a"})), ("src/a/one.py".to_owned(), 1));
    assert_eq!(lines(json!({"query": "needle", "filename_pattern": "*.md"})), ("README.md".to_owned(), 1));
    assert_eq!(lines(json!({"query": "needle", "count_only": true})), (String::new(), 3));
    assert_eq!(lines(json!({"query": "Store:.*def find", "mode": "regex", "multiline": true})).1, 1);
    assert_eq!(lines(json!({"query": "needle", "invert": true, "scope": "README.md"})).1, 2);
    assert_eq!(lines(json!({"query": "needle", "top_k": 1})), ("src/a/one.py".to_owned(), 3));
    let (files, _) = lines(json!({"query": "validates credentials", "mode": "semantic"}));
    assert!(files.starts_with("auth.py"), "{files}");
}

#[test]
fn numbers_stand_by_file_and_words_are_whole() {
    let project = Project::new("//- a.py\nget = 1\nforget(get)\nx.get_it(); x.get()\n//- b.py\ndef f():\n    get(1)\n    get(1)\n//- c.txt\nget\\[0]\n");
    let text = |more: serde_json::Value| {
        let mut arguments = json!({"query": "get", "format": "text"});
        arguments.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        project.text("search", arguments)
    };
    let counted = text(json!({"count_only": true}));
    assert_eq!(counted, "6 matches in 3 files of 3\na.py: 3\nb.py: 2\nc.txt: 1\n");
    let whole = text(json!({"word": true, "scope": "b.py"}));
    assert_eq!(whole, "2 matches in 1 file of 1 below b.py\nb.py\n2, 3: get(1)  (f)\n");
    for (query, mode, total) in [("get", "literal", 6), ("GET", "literal", 6), (".get", "literal", 1), ("get\\[", "literal", 1), ("g.t", "regex", 6), ("forge", "literal", 0)] {
        let answer = project.ok("search", json!({"query": query, "mode": mode, "word": true, "count": true}));
        assert_eq!((&answer["total_matches"], &answer["matches"]), (&json!(total), &json!([])), "{query}: {answer}");
    }
}

#[test]
fn code_comes_before_tests_and_prose_between() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("search", json!({"query": "validate_credentials"}));
    assert_eq!(column(&answer, "matches", "file_path"), "app.py app.py auth.py tests/test_auth.py tests/test_auth.py");
}

#[test]
fn an_empty_answer_says_what_to_try() {
    let project = Project::new(PROGRAM);
    let next = |arguments| {
        let answer = project.ok("search", arguments);
        assert_eq!(answer["proof_state"], "blocked");
        format!("{} {}", answer["next_suggested_tool"].as_str().expect("tool"), answer["next_step_hint"])
    };
    assert!(next(json!({"query": "load.*user"})).contains("regex"));
    assert!(next(json!({"query": "LOAD_user", "case_sensitive": true})).contains("case_sensitive"));
    assert!(next(json!({"query": "load_user", "scope": "src"})).contains("scope"));
    assert!(next(json!({"query": "zebra"})).starts_with("seek"));
}

#[test]
fn bad_patterns_are_refused() {
    let project = Project::new(PROGRAM);
    for arguments in [
        json!({"query": "(", "mode": "regex"}),
        json!({"query": "a{1000}{1000}{1000}", "mode": "regex"}),
        json!({"query": "x", "filename_pattern": "[z"}),
    ] {
        assert_eq!(project.err("search", arguments)["code"], "invalid_pattern");
    }
    assert_eq!(project.err("search", json!({"query": ""}))["code"], "invalid_params");
    let lines = project.err("search", json!({"query": "a\nb"}));
    assert!(lines["suggested_next_step"].as_str().is_some_and(|next| next.contains("multiline")), "{lines}");
    let long = project.err("search", json!({"query": "x".repeat(100_000)}));
    assert!(long["suggested_next_step"].as_str().is_some_and(|next| next.contains("shorter")), "{long}");
    assert_eq!(project.err("search", json!({"query": "x", "multiline": true}))["code"], "invalid_params");
}

#[test]
fn changed_files_are_searched_as_they_are_and_marked() {
    let project = Project::new(PROGRAM).reopen(|config| config.read_only = true);
    project.tree.write("src/ab.py", "MARK = 1\nfresh = 'zebra'\n");
    let answer = project.ok("search", json!({"query": "zebra"}));
    assert_eq!(column(&answer, "matches", "line_number"), "2");
    assert_eq!(answer["matches"][0]["stale"], json!(true));
}

#[test]
fn auto_ingest_is_taken_and_indexes_nothing() {
    let project = Project::new(PROGRAM);
    let before = project.services.engine.snapshot().generation();
    for value in [false, true] {
        project.ok("search", json!({"query": "needle", "auto_ingest": value}));
    }
    assert_eq!(project.services.engine.snapshot().generation(), before);
}

#[test]
fn what_meaning_does_not_find_leads_to_the_text_and_not_to_the_same_again() {
    let project = Project::new(PROGRAM);
    let next = |arguments: serde_json::Value| {
        let answer = project.ok("search", arguments);
        assert_eq!((&answer["matches"], &answer["proof_state"]), (&json!([]), &json!("blocked")));
        (answer["next_suggested_tool"].clone(), answer["next_step_hint"].as_str().unwrap_or_default().to_owned())
    };
    let (tool, hint) = next(json!({"query": "zebra quagga", "mode": "semantic"}));
    assert!(tool == "search" && hint.contains("search for the text"), "{tool} {hint}");
    let (tool, hint) = next(json!({"query": "zebra quagga", "mode": "semantic", "scope": "auth.py"}));
    assert!(tool == "search" && hint.contains("without `scope`"), "{tool} {hint}");
}

#[test]
fn whether_meaning_had_a_part_is_said() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("search", json!({"query": "validates credentials", "mode": "semantic"}));
    assert!(answer["files_matched"] == 3 && answer["files_searched"] == 9, "{answer}");
    let said = answer["inline_summary"].as_str().unwrap_or_default();
    assert!(said.contains("meaning") && !said.contains("no embeddings"), "{said}");
    let long: String = (0..200).map(|n| format!("topic{n} ")).collect();
    let answer = project.ok("search", json!({"query": format!("validates {long}"), "mode": "semantic"}));
    let said = answer["inline_summary"].as_str().unwrap_or_default();
    assert!(said.contains("not looked up, since the query is long"), "{said}");
}

#[test]
fn meaning_without_an_index_falls_back_to_the_text_and_says_so() {
    let project = Project::open_unindexed(PROGRAM);
    let answer = project.ok("search", json!({"query": "validate", "mode": "semantic", "scope": "auth.py"}));
    assert_eq!((&answer["mode"], &answer["proof_state"]), (&json!("literal"), &json!("blocked")));
    assert!(answer["fallback"].as_str().is_some_and(|said| said.starts_with("nothing is indexed")), "{answer}");
    assert_eq!((&answer["next_suggested_tool"], &answer["files_searched"]), (&json!("ingest"), &json!(0)));
    project.ok("ingest", json!({"path": "."}));
    let answer = project.ok("search", json!({"query": "validate", "mode": "semantic"}));
    assert!(answer["mode"] == "semantic" && answer.get("fallback").is_none(), "{answer}");
}
