//! Programs that a person names to read documents: what is told of them, and what they read.

use serde_json::{Value, json};

use crate::harness::Project;

fn row<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let rows = answer["providers"].as_array().expect("rows");
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name}: {answer}"))
}

fn settings(project: &Project, text: &str) {
    let folder = project.home().join("documents");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("settings.toml"), text).expect("written");
}

#[test]
fn nothing_is_used_that_is_not_named() {
    let project = Project::new("//- a.py\nx = 1\n");
    let answer = project.ok("document_provider_health", json!({}));
    assert_eq!((&row(&answer, "internal")["available"], &row(&answer, "internal")["mode"]), (&json!(true), &json!("built_in")));
    for name in ["pdftotext", "docling", "markitdown", "grobid"] {
        assert_eq!((&row(&answer, name)["available"], &row(&answer, name)["mode"]), (&json!(false), &json!("not_configured")));
        assert!(row(&answer, name)["install_hint"].is_string());
    }
    settings(&project, "[pdftotext]\nprogram = \"./evil\"\n");
    let answer = project.ok("document_provider_health", json!({}));
    assert!(answer["settings_error"].as_str().is_some_and(|why| why.contains("absolute path")), "{answer}");
    settings(&project, "[grobid]\nurl = \"http://example.org:80\"\n");
    let answer = project.ok("document_provider_health", json!({}));
    assert!(answer["settings_error"].as_str().is_some_and(|why| why.contains("127.0.0.1")), "{answer}");
    settings(&project, "[other]\nprogram = \"x\"\n");
    let answer = project.ok("document_provider_health", json!({}));
    assert!(answer["settings_error"].as_str().is_some_and(|why| why.contains("pdftotext")), "{answer}");
}

#[cfg(unix)]
#[test]
fn a_named_program_reads_documents_and_its_failure_falls_back() {
    use std::os::unix::fs::PermissionsExt as _;

    let project = Project::new("//- shop.py\ndef total_price():\n    pass\n//- docs/a.csv\nname,price\npear,1\n");
    let program = project.home().join("reader");
    let script = "#!/bin/sh\nif [ \"$1\" = --version ]; then echo reader 1.2; exit 0; fi\n\
                  grep -q broken \"$1\" && { echo no >&2; exit 3; }\nprintf '# Read\\n\\nCall `total_price()`.\\n' > \"$3\"\n";
    std::fs::write(&program, script).expect("written");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("executable");
    settings(&project, &format!("[markitdown]\nprogram = {:?}\nformats = [\"csv\"]\ntimeout_s = 10\n", program.display().to_string()));

    let answer = project.ok("document_provider_health", json!({}));
    let first = row(&answer, "markitdown");
    assert_eq!((&first["available"], &first["version"], &first["cached"]), (&json!(true), &json!("reader 1.2"), &json!(false)), "{answer}");
    assert_eq!(row(&project.ok("document_provider_health", json!({})), "markitdown")["cached"], true);

    let read = project.ok("ingest", json!({"path": "docs", "adapter": "universal", "mode": "merge"}));
    assert_eq!((&read["documents"]["producers"], &read["documents"]["bound"]), (&json!({"markitdown": 1}), &json!(1)), "{read}");
    project.tree.write("docs/a.csv", "broken,1\n");
    let read = project.ok("ingest", json!({"path": "docs", "adapter": "universal", "mode": "merge"}));
    assert_eq!(read["documents"]["producers"], json!({"internal": 1}), "{read}");
    assert!(read["documents"]["fallbacks"].to_string().contains("code 3"), "{read}");
    let answer = project.ok("document_provider_health", json!({}));
    assert!(row(&answer, "markitdown")["last_error"].to_string().contains("code 3"), "{answer}");
    let left = std::fs::read_dir(project.home().join("documents")).expect("the folder").count();
    assert_eq!(left, 1, "only the settings are left");
}
