use serde_json::json;

use crate::harness::{Project, column};

#[test]
fn repositories_are_found_by_what_files_say() {
    let around = tempfile::tempdir().expect("a folder");
    let lib = around.path().canonicalize().expect("a path").join("lib");
    std::fs::create_dir_all(lib.join("src")).expect("a folder");
    std::fs::write(lib.join("Cargo.toml"), "[package]\n").expect("a file");
    let lib = lib.to_string_lossy().into_owned();
    let bare = around.path().canonicalize().expect("a path").to_string_lossy().into_owned();
    let fixture = format!(
        "//- README.md\nSee [lib]({lib}/src) and [x]({lib}/none).\n//- a.py\nopen('{lib}/Cargo.toml')\nx = '/api/users'\n\
         //- .env.example\nREPO_ROOT={bare}\n"
    );
    let project = Project::new(&fixture);
    let answer = project.ok("federate_auto", json!({}));
    assert_eq!(column(&answer, "discovered_repos", "namespace"), "lib");
    let first = &answer["discovered_repos"][0];
    assert_eq!((&first["confidence"], &first["marker"]), (&json!("high"), &json!("Cargo.toml")));
    assert_eq!(first["evidence_types"], json!(["markdown_link", "quoted_path"]));
    assert_eq!((&first["evidence"][1]["file_path"], &first["evidence"][1]["line"]), (&json!("a.py"), &json!(1)));
    assert_eq!(answer["suggested_repos"], json!([{"name": "lib", "path": lib, "adapter": "code"}]));
    let skipped = column(&answer, "skipped_paths", "reason");
    assert!(skipped.contains("path_missing_on_disk"), "{answer}");
    assert_eq!(answer["next_suggested_tool"], "federate");
}

#[test]
fn a_project_that_refers_to_nothing_has_none() {
    let answer = Project::new("//- a.py\nx = 1\n").ok("federate_auto", json!({"current_repo_name": "me"}));
    assert_eq!(answer["discovered_repos"], json!([]));
    assert_eq!(answer["current_repo"]["namespace"], json!("me"));
}

#[test]
fn folders_named_as_packages_are_listed_and_read_only_when_allowed() {
    let around = tempfile::tempdir().expect("a folder");
    let above = around.path().canonicalize().expect("a path");
    let write = |path: &str, text: &str| {
        let path = above.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write("app/main.py", "import tool_kit\nimport other\n\ntool_kit.run()\n");
    write("tool-kit/pyproject.toml", "[project]\nname = \"tool_kit\"\n");
    write("tool-kit/tool_kit/__init__.py", "def run(): ...\n");
    // No repository, and one that nothing here is named after.
    write("other/notes.txt", "x");
    write("unrelated/pyproject.toml", "[project]\nname = \"unrelated\"\n");
    let project = Project::with("", |config| config.roots = vec![above.join("app")]);
    project.ok("ingest", json!({"path": "."}));
    project.follow();
    let answer = project.ok("federate_auto", json!({}));
    let rows = answer["unread_folders"].as_array().expect("rows");
    assert_eq!(rows.len(), 1, "{answer}");
    assert_eq!(rows[0]["path"], json!(above.join("tool-kit")), "{answer}");
    assert_eq!((&rows[0]["file_path"], &rows[0]["line"]), (&json!("main.py"), &json!(1)));
    assert!(rows[0]["allow"].as_str().is_some_and(|text| text.starts_with("m1nd workspace add ")), "{answer}");
    assert_eq!(answer["discovered_repos"], json!([]), "{answer}");
    let executed = project.ok("federate_auto", json!({"execute": true}));
    assert_eq!(executed["executed"], json!(false), "what nobody allowed is not federated: {executed}");

    m1nd_engine::allow_reading(&project.services.engine.config().home, &above.join("tool-kit")).expect("is there");
    let answer = project.ok("federate_auto", json!({}));
    assert_eq!(answer["unread_folders"], serde_json::Value::Null, "{answer}");
    assert_eq!(column(&answer, "discovered_repos", "namespace"), "tool-kit");
    assert_eq!(answer["discovered_repos"][0]["allowed"], json!(true));
    let executed = project.ok("federate_auto", json!({"execute": true}));
    assert_eq!(executed["executed"], json!(true), "{executed}");
    assert!(executed["federate_result"].to_string().contains("tool-kit::file::tool_kit/__init__.py::fn::run"), "{executed}");
}
