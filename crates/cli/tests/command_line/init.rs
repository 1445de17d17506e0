use serde_json::Value;

use crate::{Place, SHOP};

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
