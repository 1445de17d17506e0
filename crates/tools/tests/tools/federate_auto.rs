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
