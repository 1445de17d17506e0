//! The entries in `.claude/settings.json` for the hooks of Claude Code that show memories.

use crate::json::with_member;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use super::json_edit::{EditError, remove_items, set_item};

/// The member of the file that holds the hooks.
const SECTION: &str = "hooks";
/// Timeout of a hook, in seconds. Hooks take milliseconds.
const TIMEOUT: u32 = 5;

/// A hook: the event of the client, the tools it applies to, and our word for it.
struct Hook {
    event: &'static str,
    matcher: Option<&'static str>,
    word: &'static str,
}

/// What is read of an entry of the file.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Entry {
    hooks: Vec<Command>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Command {
    command: String,
}

const HOOKS: &[Hook] = &[
    Hook { event: "SessionStart", matcher: None, word: "session-start" },
    Hook { event: "UserPromptSubmit", matcher: None, word: "prompt" },
    Hook { event: "PreToolUse", matcher: Some("Edit|MultiEdit|Write|NotebookEdit"), word: "pre-edit" },
    Hook { event: "Stop", matcher: None, word: "stop" },
];

/// The file of one project.
pub(crate) fn hooks_file(project: &Path) -> PathBuf {
    project.join(".claude/settings.json")
}

/// Returns the text with all hooks; `None` if they exist already. The rest of the text is unchanged.
///
/// # Errors
/// The text is not JSON, or the place for a hook has another type.
pub(crate) fn set_hooks(text: &str, command: &[String]) -> Result<Option<String>, EditError> {
    let mut edited: Option<String> = None;
    let command: Vec<String> = command.iter().map(|word| quote_word(word)).collect();
    for hook in HOOKS {
        let ours = format!(" memory hook {}", hook.word);
        let command = format!("{}{ours}", command.join(" "));
        let entry = json!({"hooks": [{"type": "command", "command": command, "timeout": TIMEOUT}]});
        let entry = hook.matcher.into_iter().fold(entry, |entry, matcher| with_member(entry, "matcher", matcher));
        let is_ours = |item: &Value| starts_command(item, &ours);
        let before = edited.as_deref().unwrap_or(text);
        edited = set_item(before, SECTION, hook.event, &entry, is_ours)?.or(edited);
    }
    Ok(edited)
}

/// Returns the text without our hooks; `None` if there are none. Empty if the file held nothing else.
///
/// # Errors
/// The text is not JSON.
pub(crate) fn remove_hooks(text: &str) -> Result<Option<String>, EditError> {
    let mut edited: Option<String> = None;
    for hook in HOOKS {
        let ours = format!(" memory hook {}", hook.word);
        let before = edited.as_deref().unwrap_or(text);
        edited = remove_items(before, SECTION, hook.event, |item| starts_command(item, &ours))?.or(edited);
    }
    Ok(edited)
}

/// Whether an entry runs a command with this end.
fn starts_command(item: &Value, end: &str) -> bool {
    let entry = Entry::deserialize(item).unwrap_or_default();
    entry.hooks.iter().any(|hook| hook.command.ends_with(end))
}

/// Quotes a word for a shell.
fn quote_word(word: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "/._-:\\".contains(char);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_hooks(text: &str, program: &str) -> Result<Option<String>, EditError> {
        super::set_hooks(text, &[program.to_owned()])
    }

    #[test]
    fn hooks_are_added_once_and_others_stay() {
        let text = "{\n  \"model\": \"x\",\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"./mine.sh\"}]}\n    ],\n    \"PreToolUse\": []\n  }\n}\n";
        let once = set_hooks(text, "m1nd").expect("is JSON").expect("changes");
        let value: Value = serde_json::from_str(&once).expect("is JSON");
        for (at, expected) in [
            ("/model", json!("x")),
            ("/hooks/Stop/0/hooks/0/command", json!("./mine.sh")),
            ("/hooks/Stop/1/hooks/0/command", json!("m1nd memory hook stop")),
            ("/hooks/PreToolUse/0/matcher", json!("Edit|MultiEdit|Write|NotebookEdit")),
            ("/hooks/SessionStart/0/hooks/0/timeout", json!(5)),
        ] {
            assert_eq!(value.pointer(at), Some(&expected), "{at}");
        }
        assert!(once.contains("{\"hooks\": [{\"type\": \"command\", \"command\": \"./mine.sh\"}]}"), "{once}");
        assert_eq!(set_hooks(&once, "m1nd"), Ok(None), "a second time there is nothing to do");
        let without = text.replace(",\n    \"PreToolUse\": []", "");
        assert_eq!(remove_hooks(&once), Ok(Some(without)), "an empty list goes with our hook");
        assert_eq!(remove_hooks(text), Ok(None));
        let alone = set_hooks("", "m1nd").expect("is JSON").expect("changes");
        assert_eq!(remove_hooks(&alone), Ok(Some(String::new())));
        let moved = set_hooks(&once, "/opt/my tools/m1nd").expect("is JSON").expect("changes");
        let value: Value = serde_json::from_str(&moved).expect("is JSON");
        let stop = value.pointer("/hooks/Stop").and_then(Value::as_array).expect("is a list");
        assert_eq!(stop.len(), 2, "a program elsewhere takes the place of the old");
        let command = stop[1].pointer("/hooks/0/command");
        assert_eq!(command, Some(&json!("'/opt/my tools/m1nd' memory hook stop")));
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        assert!(set_hooks("{ // comment\n}", "m1nd").is_err());
        assert!(set_hooks("{\"hooks\": []}", "m1nd").is_err());
        assert!(set_hooks("{\"hooks\": {\"Stop\": {}}}", "m1nd").is_err());
        assert!(set_hooks("", "m1nd").expect("is made").expect("changes").contains("SessionStart"));
    }
}
