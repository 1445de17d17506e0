//! Every client: what is written, and that it goes as it came.

use std::path::Path;

use super::*;

/// Texts of files that users have, for each format.
const JSON: &[&str] = &["{\n  \"theme\": \"dark\"\n}\n", "{\"a\":{\"b\":[1,2]}}", "{\r\n\t\"z\": \"é\"\r\n}\r\n"];
const JSON_WITH_COMMENTS: &[&str] =
    &["// Settings\n{\n  // Mine: {\n  \"theme\": \"dark\", /* } */\n}\n", "{\n  \"a\": [1, 2,], // last\n}\n"];
const TOML: &[&str] =
    &["model = \"x\" # mine\n\n[mcp_servers.other]\ncommand = \"y\"\n", "a = 1\r\n", "[profiles.a]\nb = [\n  1,\n]\n"];
const YAML: &[&str] = &[
    "GOOSE_MODEL: x # mine\nextensions:\n  developer:\n    enabled: true\n    args:\n    - a\n\nlast: 1\n",
    "extensions:\n    # four spaces\n    a:\n        name: a\n",
    "GOOSE_MODEL: x\n",
];

fn texts(client: Client) -> Vec<&'static str> {
    match client.row().format {
        Format::Json(Syntax::Strict) => JSON.to_vec(),
        Format::Json(Syntax::Comments) => [JSON, JSON_WITH_COMMENTS].concat(),
        Format::Toml => TOML.to_vec(),
        Format::Yaml => YAML.to_vec(),
    }
}

#[test]
fn every_client_has_a_row() {
    use clap::ValueEnum;
    assert!(Client::value_variants().iter().copied().eq(Client::all()), "the rows are in the order of the clients");
}

#[test]
fn an_entry_is_set_changed_and_removed_in_every_file() {
    let project = Path::new("/work/my project");
    for client in Client::all() {
        let entry = |program: &str| client.entry(&[program.to_owned()], project);
        let (entry, moved) = (entry("m1nd"), entry("/opt/my tools/m1nd"));
        for before in texts(client).into_iter().chain([""]) {
            let place = format!("{}: {before}", client.label());
            let set =
                |text: &str, entry| client.set_entry(text, entry).unwrap_or_else(|error| panic!("{place}: {error}"));
            let once = set(before, &entry).expect(&place);
            // Nothing is lost, and a second time there is nothing to do.
            assert!(once.len() > before.len(), "{place}");
            assert_eq!(set(&once, &entry), None, "{place}: {once}");
            assert_eq!(client.read_command(&once).as_ref().map(Option::as_deref), Ok(Some("m1nd")), "{once}");
            // Another program takes the place of the first.
            let twice = set(&once, &moved).expect(&place);
            assert_eq!(client.read_command(&twice).as_ref().map(Option::as_deref), Ok(Some("/opt/my tools/m1nd")));
            assert_eq!(set(&twice, &entry).as_deref(), Some(&*once), "{place}");
            // It goes as it came.
            let removed = client.remove_entry(&once).unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_eq!(removed.as_deref(), Some(before), "{place}: {once}");
            assert_eq!(client.remove_entry(before), Ok(None), "{place}");
        }
    }
}

#[test]
fn files_that_are_not_understood_are_refused() {
    let rows = [
        (Client::ClaudeCode, "{ // comment\n}"),
        (Client::Gemini, "{ /* open "),
        (Client::Vscode, "{\"servers\": []}"),
        (Client::Codex, "mcp_servers = { other = { command = \"x\" } }\n"),
        (Client::Codex, "a = \n"),
        (Client::Codex, "mcp_servers.m1nd.command = \"x\"\n"),
        (Client::Goose, "extensions: {}\n"),
        (Client::Goose, "extensions:\n\ta: 1\n"),
    ];
    for (client, text) in rows {
        let entry = client.entry(&["m1nd".to_owned()], Path::new("/work"));
        assert!(client.set_entry(text, &entry).is_err(), "{}: {text}", client.label());
    }
}

#[test]
fn an_entry_is_what_the_client_documents() {
    let text = |client: Client| client.write_by_hand(&client.entry(&["m1nd".to_owned()], Path::new("/p")));
    let codex = "[mcp_servers.m1nd]\ncommand = \"m1nd\"\n\
                 args = [\"serve\", \"--stdio\", \"--format\", \"text\", \"--toolset\", \"agent\"]\n";
    assert_eq!(text(Client::Codex), codex);
    let goose = text(Client::Goose);
    assert!(
        goose.starts_with("extensions:\n  m1nd:\n    name: \"m1nd\"\n    type: \"stdio\"\n    enabled: true\n"),
        "{goose}"
    );
    assert!(
        goose.contains("    args:\n    - \"serve\"\n") && goose.contains("    - \"/p\"\n    timeout: 300\n"),
        "{goose}"
    );
    let opencode: Value = serde_json::from_str(&text(Client::Opencode)).expect("is JSON");
    assert_eq!(opencode.pointer("/mcp/m1nd/command/1"), Some(&json!("serve")));
    let copilot: Value = serde_json::from_str(&text(Client::Copilot)).expect("is JSON");
    assert_eq!(copilot.pointer("/mcpServers/m1nd/tools"), Some(&json!(["*"])));
}

/// Reads a file of the plugin for Claude Code.
fn read_plugin(file: &str) -> String {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugin")).join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_plugin_starts_the_server_and_the_hooks_as_init_does() {
    let command = ["m1nd".to_owned()];
    let server: Value = serde_json::from_str(&read_plugin(".mcp.json")).expect("is JSON");
    assert_eq!(server.pointer("/mcpServers/m1nd"), Some(&Client::ClaudeCode.entry(&command, Path::new("/p"))));
    let hooks = set_hooks("", &command).expect("is understood").expect("changes");
    assert_eq!(read_plugin("hooks/hooks.json").trim_end(), hooks.trim_end());
    let manifest: Value = serde_json::from_str(&read_plugin(".claude-plugin/plugin.json")).expect("is JSON");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn skills_of_the_plugin_have_what_the_client_reads_and_name_tools_that_exist() {
    let folders = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../plugin/skills")).expect("a folder");
    let names: Vec<String> =
        folders.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into()).collect();
    assert!(!names.is_empty());
    for name in names {
        let text = read_plugin(&format!("skills/{name}/SKILL.md"));
        let (head, body) =
            text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).expect("front matter");
        let find = |key: &str| head.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
        assert_eq!(find("name"), Some(&*name));
        let length = find("description").unwrap_or_default().len();
        assert!((40..=1024).contains(&length), "{name}: {length} bytes");
        // The second column of the table names tools.
        let cells = body.lines().filter_map(|line| line.strip_prefix('|')?.split('|').nth(1));
        let tools: Vec<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
        assert!(tools.len() > 5, "{tools:?}");
        for tool in tools {
            assert!(m1nd_tools::ALL.iter().any(|known| known.name == tool), "{name}: {tool}");
        }
    }
}
