//! Text of a repository cannot hide anything in an answer.

use serde_json::json;

use crate::harness::Project;

const HIDDEN: [char; 9] =
    ['\u{202e}', '\u{200b}', '\u{2066}', '\u{1b}', '\u{7}', '\u{feff}', '\u{e0041}', '\u{ad}', '\u{9b}'];

#[test]
fn hidden_characters_are_made_visible_everywhere() {
    let junk: String = HIDDEN.iter().collect();
    let fixture = format!(
        "//- evil.py\n\"\"\"Doc {junk} of file.\"\"\"\ndef marker(arg='{junk}'):\n    \"\"\"Marker {junk} doc.\"\"\"\n    return 'marker {junk}'\n"
    );
    let project = Project::new(&fixture);
    let answers = [
        project.ok("search", json!({"query": "marker"})),
        project.ok("search", json!({"query": "marker", "mode": "semantic"})),
        project.ok("seek", json!({"query": "marker", "min_score": 0.0})),
        project.ok("view", json!({"file_path": "evil.py"})),
        project.ok("impact", json!({"node_id": "marker"})),
        project.ok("search", json!({"query": junk})),
        project.err("impact", json!({"node_id": format!("no{junk}")})),
        project.ok("help", json!({"tool_name": junk})),
    ];
    for answer in &answers {
        let found = visit(answer).into_iter().find(|c| HIDDEN.contains(c));
        assert_eq!(found, None, "{answer}");
    }
    let content = answers[3]["content"].as_str().expect("content");
    assert!(content.contains("\\u{202e}") && content.contains("\\u{1b}"), "{content}");
}

/// Every character of every text and key.
fn visit(value: &serde_json::Value) -> Vec<char> {
    match value {
        serde_json::Value::String(text) => text.chars().collect(),
        serde_json::Value::Array(items) => items.iter().flat_map(visit).collect(),
        serde_json::Value::Object(members) => {
            members.iter().flat_map(|(key, value)| key.chars().chain(visit(value)).collect::<Vec<_>>()).collect()
        }
        _ => Vec::new(),
    }
}
