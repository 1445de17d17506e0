//! The plugin for Claude Code: its manifests, its server, and a command for each prompt. Its skills and hooks are
//! written by hand.

use m1nd_tools::{PROMPTS, PromptDef};
use serde_json::{Value, json};

use crate::Outcome;
use crate::product::{DESCRIPTION, SERVE};

/// The folder of the plugin.
const FOLDER: &str = "plugin";
/// What Claude Code replaces by the words after a command.
const WORDS: &str = "$ARGUMENTS";

/// All files, each with its text.
pub(super) fn write_files() -> Outcome<Vec<(String, String)>> {
    let json = |value: Value| format!("{value:#}\n");
    let mut files = vec![
        (".claude-plugin/marketplace.json".to_owned(), json(write_marketplace())),
        (format!("{FOLDER}/.claude-plugin/plugin.json"), json(write_manifest())),
        (format!("{FOLDER}/.mcp.json"), json(json!({"mcpServers": {"m1nd": {"command": "m1nd", "args": SERVE}}}))),
    ];
    for prompt in PROMPTS {
        let path = format!("{FOLDER}/commands/{}.md", prompt.name.replace('_', "-"));
        files.push((path, write_command(prompt)?));
    }
    Ok(files)
}

fn write_marketplace() -> Value {
    json!({
        "$schema": "https://anthropic.com/claude-code/marketplace.schema.json",
        "name": "m1nd",
        "description": DESCRIPTION,
        "owner": {"name": "m1nd maintainers", "url": env!("CARGO_PKG_REPOSITORY")},
        "plugins": [
            {"name": "m1nd", "source": format!("./{FOLDER}"), "description": DESCRIPTION, "category": "development"},
        ],
    })
}

fn write_manifest() -> Value {
    json!({
        "name": "m1nd",
        "version": env!("CARGO_PKG_VERSION"),
        "description": DESCRIPTION,
        "author": {"name": "m1nd maintainers", "url": env!("CARGO_PKG_REPOSITORY")},
        "homepage": env!("CARGO_PKG_REPOSITORY"),
        "repository": env!("CARGO_PKG_REPOSITORY"),
        "license": "MIT OR Apache-2.0",
        "keywords": ["code", "graph", "search"],
    })
}

/// The command of a prompt. What is written after the command is its first argument.
fn write_command(prompt: &PromptDef) -> Outcome<String> {
    let first = prompt.arguments.first().map(|argument| argument.name);
    let text = prompt.text(|_| true, |name| (Some(name) == first).then(|| WORDS.to_owned()));
    let text = text.map_err(|error| format!("{}: {error}", prompt.name))?;
    let hint = first.unwrap_or_default();
    Ok(format!("---\ndescription: {}\nargument-hint: \"[{hint}]\"\n---\n\n{text}\n", prompt.description))
}
