use serde_json::json;

use crate::harness::{PROGRAM, Project, column};

#[test]
fn patterns_scopes_and_order() {
    let project = Project::new(PROGRAM);
    let files = |arguments| column(&project.ok("glob", arguments), "files", "file_path");
    assert_eq!(files(json!({"pattern": "src/*.py"})), "src/ab.py");
    assert_eq!(files(json!({"pattern": "src/**/*.py"})), "src/a/one.py src/ab.py");
    assert_eq!(files(json!({"pattern": "*.md"})), "README.md");
    assert_eq!(files(json!({"pattern": "**", "scope": "src/a"})), "src/a/one.py");
    assert_eq!(files(json!({"pattern": "*", "scope": "./twins/"})), "twins/left.py twins/right.py");
    let by_rank = files(json!({"pattern": "*.py", "sort": "activation"}));
    assert!(by_rank.starts_with("auth.py") || by_rank.starts_with("store.py"), "{by_rank}");
}

#[test]
fn the_whole_is_counted_before_it_is_cut() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("glob", json!({"pattern": "*.py", "top_k": 2}));
    assert_eq!(answer["total_matches"], json!(8));
    assert_eq!((answer["files"].as_array().map(Vec::len), &answer["truncated"]), (Some(2), &json!(true)));
    let next = project.ok("glob", json!({"pattern": "*.py", "top_k": 2, "cursor": answer["cursor"]}));
    assert_eq!(column(&next, "files", "file_path"), "src/a/one.py src/ab.py");
}

#[test]
fn bad_patterns_and_scopes() {
    let project = Project::new(PROGRAM);
    assert_eq!(project.err("glob", json!({"pattern": "a[z"}))["code"], "invalid_pattern");
    assert_eq!(project.err("glob", json!({"pattern": ""}))["code"], "invalid_pattern");
    assert_eq!(project.err("glob", json!({"pattern": "*", "scope": "sr"}))["code"], "file_not_found");
    let none = project.ok("glob", json!({"pattern": "*.zig"}));
    assert_eq!((&none["proof_state"], &none["total_matches"]), (&json!("blocked"), &json!(0)));
}

#[test]
fn brackets_name_folders_where_there_are_such_folders() {
    let project = Project::new(
        "//- app/[id]/page.ts\nexport const page = 1;\n//- app/i/page.ts\nexport const page = 2;\n\
         //- app/(shop)/[...slug]/page.ts\nexport const page = 3;\n//- cafe\u{301}.ts\nexport const page = 4;\n",
    );
    let files = |arguments| column(&project.ok("glob", arguments), "files", "file_path");
    assert_eq!(files(json!({"pattern": "**/[id]/*"})), "app/[id]/page.ts");
    assert_eq!(files(json!({"pattern": "app/[hij]/*"})), "app/i/page.ts");
    assert_eq!(files(json!({"pattern": "**/[...slug]/**"})), "app/(shop)/[...slug]/page.ts");
    assert_eq!(files(json!({"pattern": "caf\u{e9}*"})), "cafe\u{301}.ts");
    let found = project.ok("search", json!({"query": "page", "filename_pattern": "**/[id]/*"}));
    assert_eq!(column(&found, "matches", "file_path"), "app/[id]/page.ts");
    let found = project.ok("search", json!({"query": "page", "scope": "app/[id]"}));
    assert_eq!(column(&found, "matches", "file_path"), "app/[id]/page.ts");
}
