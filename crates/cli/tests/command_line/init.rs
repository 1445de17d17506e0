use serde_json::Value;

use crate::{Place, SHOP, tree};

/// Every client, and a file that its user had before. Those in the user's home begin with `~`.
const CLIENTS: &[(&str, &str, &str)] = &[
    ("claude-code", ".mcp.json", "{\"mcpServers\": {\"other\": {\"command\": \"x\"}}}"),
    ("cursor", ".cursor/mcp.json", "{}\n"),
    ("vscode", ".vscode/mcp.json", "{\n  // mine\n  \"inputs\": [],\n}\n"),
    ("codex", ".codex/config.toml", "model = \"x\""),
    ("gemini", ".gemini/settings.json", "\u{feff}{\"theme\": \"dark\"}"),
    ("copilot", ".github/mcp.json", "{\"mcpServers\": {}}"),
    ("zed", ".zed/settings.json", "// Folder settings\n{\n  \"tab_size\": 2 // two\n}\n"),
    ("continue", ".continue/mcpServers/m1nd.json", "{ }"),
    ("junie", ".junie/mcp/mcp.json", "{\r\n}\r\n"),
    ("opencode", "opencode.json", "{\"$schema\": \"https://opencode.ai/config.json\"}"),
    ("windsurf", "~/.codeium/windsurf/mcp_config.json", "{\"mcpServers\":{\"a\":{}}}"),
    ("cline", "~/.cline/data/settings/cline_mcp_settings.json", "{\"mcpServers\":{}}"),
    ("goose", "~/.config/goose/config.yaml", "GOOSE_MODEL: x\nextensions:\n  a:\n    enabled: true"),
];

#[test]
fn every_client_is_connected_and_left_as_it_was() {
    for (client, file, text) in CLIENTS {
        // With a file of the user, and with none.
        for text in [Some(*text), None] {
            let place = Place::new(SHOP);
            let (folder, name) = match file.strip_prefix("~/") {
                Some(name) => (&place.user, name),
                None => (&place.project, *file),
            };
            if let Some(text) = text {
                folder.write(name, text);
            }
            let before = (tree(place.project.path()), tree(place.user.path()));
            let run = place.run(&["init", "--yes", "--client", client]);
            assert_eq!(run.code, 0, "{client}: {}", run.err);
            let written = std::fs::read_to_string(folder.join(name)).unwrap();
            assert!(
                written.len() > text.unwrap_or_default().len() && written.contains("--toolset"),
                "{client}: {written}"
            );
            let again = place.run(&["init", "--yes", "--client", client]);
            assert!(again.out.contains("nothing to do"), "{client}: {}{}", again.out, again.err);
            let run = place.run(&["init", "--remove", "--yes", "--client", client]);
            assert_eq!(run.code, 0, "{client}: {}", run.err);
            assert_eq!((tree(place.project.path()), tree(place.user.path())), before, "{client}: {}", run.out);
            let empty = std::fs::read_dir(place.project.path()).unwrap().map(|entry| entry.unwrap().path());
            let created =
                empty.filter(|path| path.is_dir() && std::fs::read_dir(path).unwrap().next().is_none()).count();
            assert_eq!(created, 0, "{client} leaves an empty folder");
        }
    }
}

/// Paths and texts of files.
type TextFiles = [(&'static str, &'static str)];

/// Files of a project that agents read, before; and those that get a block.
const AGENTS: &[(&TextFiles, &[&str])] = &[
    (&[], &["AGENTS.md"]),
    (&[("AGENTS.md", "# Ours")], &["AGENTS.md"]),
    (&[("CLAUDE.md", "# Ours\r\n"), ("GEMINI.md", "")], &["AGENTS.md", "CLAUDE.md", "GEMINI.md"]),
    (&[("AGENTS.md", "a\n"), ("CLAUDE.md", "@AGENTS.md\n")], &["AGENTS.md"]),
];

#[test]
fn agents_are_told_only_on_request_and_the_files_are_left_as_they_were() {
    for (files, expected) in AGENTS {
        let place = Place::new(SHOP);
        files.iter().for_each(|(file, text)| place.project.write(file, text));
        let before = tree(place.project.path());
        let list = || {
            tree(place.project.path())
                .into_iter()
                .filter(|(_, text)| String::from_utf8_lossy(text).contains("m1nd:start"))
        };
        assert_eq!(place.run(&["init", "--yes", "--client", "cursor"]).code, 0);
        assert_eq!(list().count(), 0, "only on request");
        let run = place.run(&["init", "--agents", "--client", "cursor", "--yes"]);
        assert!(run.code == 0 && run.out.contains("+ ## Questions about code"), "{}{}", run.out, run.err);
        assert_eq!(list().map(|(name, _)| name).collect::<Vec<_>>(), *expected);
        let again = place.run(&["init", "--agents", "--yes", "--client", "cursor"]);
        assert!(again.out.contains("nothing to do"), "{}", again.out);
        // `uninstall` finds the files from another project, too.
        let shown = place.command(&["uninstall", "--dry-run"]).current_dir(place.user.path()).output().unwrap();
        assert!(String::from_utf8_lossy(&shown.stdout).contains("AGENTS.md"));
        assert_eq!(place.run(&["init", "--remove", "--yes"]).code, 0);
        assert_eq!(tree(place.project.path()), before, "{files:?}");
    }
}

#[test]
fn what_was_added_later_stays_when_m1nd_is_removed() {
    let place = Place::new(SHOP);
    assert_eq!(place.run(&["init", "--yes", "--client", "cursor"]).code, 0);
    let mut value = config(&place, ".cursor/mcp.json");
    value["mcpServers"]["later"] = serde_json::json!({"command": "z"});
    place.project.write(".cursor/mcp.json", value.to_string());
    assert_eq!(place.run(&["init", "--remove", "--yes"]).code, 0);
    assert_eq!(config(&place, ".cursor/mcp.json"), serde_json::json!({"mcpServers": {"later": {"command": "z"}}}));
    assert!(place.run(&["init", "--remove", "--yes"]).out.contains("nothing to do"));
}

#[test]
fn files_of_all_projects_are_only_changed_by_name() {
    let place = Place::new(SHOP);
    place.user.write(".config/goose/config.yaml", "extensions:\n");
    place.user.write(".gemini/settings.json", "{}");
    let run = place.run(&["init", "--yes"]);
    assert!(run.code == 0 && run.out.contains("Gemini CLI") && !run.out.contains("Goose"), "{}", run.out);
    assert!(place.project.join(".gemini/settings.json").is_file());
    assert_eq!(std::fs::read_to_string(place.user.join(".gemini/settings.json")).unwrap(), "{}");
}

#[test]
fn everything_that_was_written_is_uninstalled() {
    let place = Place::new(SHOP);
    place.project.write(".claude/settings.json", "{\"model\": \"x\"}");
    let before = tree(place.project.path());
    for command in [&["ingest"][..], &["callers", "gross"], &["seek", "price"], &["health"]] {
        place.run(command);
    }
    assert_eq!(place.run(&["init", "--yes", "--client", "claude-code", "--client", "goose"]).code, 0);
    place.user.write("store/settings.toml", "format = \"text\"\n");
    let shown = place.run(&["uninstall", "--dry-run"]);
    for part in [".mcp.json", "config.yaml", "projects", "cache", "nothing was removed"] {
        assert!(shown.out.contains(part), "{part}: {}", shown.out);
    }
    assert!(place.run(&["uninstall"]).code == 2 && place.project.join(".mcp.json").exists(), "only with consent");
    // From another project, too.
    let run = place.command(&["uninstall", "--yes"]).current_dir(place.user.path()).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(tree(place.project.path()), before);
    let left: Vec<String> = tree(place.user.path()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(left, ["store/settings.toml"], "settings that a person wrote stay");
}

#[test]
fn a_report_tells_nothing_about_the_code() {
    let place = Place::new(SHOP);
    assert_eq!(place.run(&["ingest"]).code, 0);
    place.project.write(".mcp.json", "{\"mcpServers\": {\"m1nd\": {\"command\": \"/opt/secretplace/m1nd\"}}}");
    let file = place.user.join("report.json");
    let run = place.run(&["doctor", "--bundle", file.to_str().unwrap()]);
    assert_eq!(run.code, 0, "{}", run.err);
    let text = std::fs::read_to_string(&file).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    assert!(report["findings"].as_array().unwrap().len() > 3, "{text}");
    for word in ["secretplace", "gross", "order", place.project.path().to_str().unwrap()] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    assert_eq!(place.run(&["doctor", "--bundle", file.to_str().unwrap()]).code, 2, "no file is replaced");
}

fn config(place: &Place, file: &str) -> Value {
    serde_json::from_slice(&std::fs::read(place.project.join(file)).unwrap()).unwrap()
}

#[test]
fn clients_that_are_found_are_connected_and_the_rest_is_left() {
    let place = Place::new(SHOP);
    place.project.write(".mcp.json", "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}\n");
    place.project.write(".vscode/settings.json", "{}");
    let run = place.run(&["init", "--yes"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.out.contains("+     \"m1nd\": {"), "the change is shown: {}", run.out);
    let claude = config(&place, ".mcp.json");
    assert_eq!(claude["mcpServers"]["other"]["command"], "x");
    let arguments = serde_json::json!(["serve", "--stdio", "--format", "text", "--toolset", "agent"]);
    assert_eq!(claude["mcpServers"]["m1nd"]["args"], arguments);
    assert_eq!(config(&place, ".vscode/mcp.json")["servers"]["m1nd"]["type"], "stdio");
    assert!(!place.project.join(".cursor").exists(), "a client that is not there is not made up");
    let again = place.run(&["init", "--yes"]);
    assert!(again.code == 0 && again.out.contains("nothing to do"), "{}", again.out);
}

#[test]
fn nothing_is_written_without_consent() {
    let place = Place::new(SHOP);
    let run = place.run(&["init", "--client", "cursor"]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(run.out.contains(".cursor/mcp.json") && run.err.contains("--yes"), "{}{}", run.out, run.err);
    assert!(!place.project.join(".cursor").exists());
}

#[test]
fn a_file_that_is_not_understood_is_never_touched() {
    for text in ["{ \"mcpServers\": ", "{} // mine", "[]", "{\"mcpServers\": 3}"] {
        let place = Place::new(SHOP);
        place.project.write(".mcp.json", text);
        let run = place.run(&["init", "--yes"]);
        assert_eq!(run.code, 2, "{}", run.err);
        assert!(run.err.contains("was not changed") && run.err.contains("by hand"), "{}", run.err);
        assert_eq!(std::fs::read_to_string(place.project.join(".mcp.json")).unwrap(), text);
    }
}

#[test]
fn without_any_client_it_says_how_to_name_one() {
    let run = Place::new(SHOP).run(&["init", "--yes"]);
    assert!(run.code == 2 && run.err.contains("--client claude-code"), "{}", run.err);
}

#[test]
fn programs_are_shown_the_change_too() {
    let place = Place::new(SHOP);
    let refused = place.run(&["init", "--json", "--client", "cursor"]);
    assert!(refused.code == 2 && refused.err.contains("+     \"m1nd\": {"), "{}", refused.err);
    let run = place.run(&["init", "--json", "--yes", "--client", "cursor"]);
    assert!(run.code == 0 && run.err.contains("+     \"m1nd\": {"), "shown before it is written: {}", run.err);
    let rows: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&rows[0]["state"], &rows[0]["new_file"]), (&Value::from("written"), &Value::from(true)));
    let change = rows[0]["change"].as_array().unwrap();
    assert!(change.iter().any(|line| line == "+     \"m1nd\": {"), "{change:?}");
    let again: Value = serde_json::from_str(&place.run(&["init", "--json", "--client", "cursor"]).out).unwrap();
    assert_eq!((&again[0]["state"], &again[0]["change"]), (&Value::from("unchanged"), &serde_json::json!([])));
}

#[test]
fn a_memory_is_shown_file_by_file_before_it_is_made() {
    let place = Place::new(SHOP);
    place.project.write("AGENTS.md", "# Ours\n");
    let files = [".mind/MEMORY.md", ".mind/.gitignore", ".mind/.index", "CLAUDE.md", "AGENTS.md", "projects.json"];
    let run = place.run(&["init", "--memory", "--dry-run"]);
    assert_eq!(run.code, 0, "{}", run.err);
    for file in files {
        assert!(run.out.contains(file), "{file}: {}", run.out);
    }
    assert!(run.out.contains("nothing was written") && !place.project.join(".mind").exists(), "{}", run.out);
    let refused = place.run(&["init", "--memory"]);
    assert!(refused.code == 2 && refused.err.contains("--yes"), "{}", refused.err);
    assert!(!place.project.join(".mind").exists() && !place.project.join("CLAUDE.md").exists());
}
