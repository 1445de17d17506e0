//! Text of a repository cannot hide anything in an answer.

use serde_json::json;

use crate::harness::Project;

const HIDDEN: [char; 13] = [
    '\u{202e}', '\u{200b}', '\u{2066}', '\u{1b}', '\u{7}', '\u{feff}', '\u{e0041}', '\u{ad}', '\u{9b}', '\u{fe0f}', '\u{fe00}',
    '\u{e0100}', '\u{180b}',
];

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

/// File names that are hard to print, with a number that only that file contains.
fn odd_names() -> Vec<(String, usize)> {
    let names = HIDDEN.iter().map(|c| format!("odd{c}name.py"));
    let more = [
        "src/\u{202e}yp.live\u{200b}/\u{1b}[31mx.py",
        "\u{26a0}\u{fe0f}.py",
        // Written like an escape, beside the file whose name such an escape shows.
        "odd\\u{202e}name.py",
        "odd\\u{5c}u{202e}name.py",
        "back\\slash.py",
        "file::colons.py",
        "ab::c.py",
        " blanks .py",
    ];
    names.chain(more.map(str::to_owned)).zip(1_000..).collect()
}

#[cfg(unix)]
#[test]
fn every_name_in_an_answer_opens_again() {
    let names = odd_names();
    let project = Project::open_unindexed("//- notes.txt\n");
    for (name, number) in &names {
        project.tree.write(name, format!("def marker{number}():\n    return {number}\n"));
    }
    project.ok("ingest", json!({"path": "."}));
    let listed = project.ok("glob", json!({"pattern": "**/*.py"}));
    let rows = listed["files"].as_array().expect("rows");
    assert_eq!(rows.len(), names.len(), "{listed}");
    let mut seen = std::collections::BTreeSet::new();
    for row in rows {
        let path = row["file_path"].as_str().expect("a path");
        assert!(!path.chars().any(|c| HIDDEN.contains(&c)), "{path}");
        let shown = project.ok("view", json!({"file_path": path}));
        let content = shown["content"].as_str().expect("content").to_owned();
        assert!(seen.insert(content.clone()), "{path} opens the file of another name: {content}");
        assert_eq!(shown["file_path"], row["file_path"]);
        let outline = project.ok("outline", json!({"file_path": path}));
        let symbol = outline["symbols"][0]["node_id"].as_str().unwrap_or_else(|| panic!("{outline}")).to_owned();
        for answer in [
            project.ok("view", json!({"file_path": symbol})),
            project.ok("batch_view", json!({"files": [path]}))["entries"][0].clone(),
            project.ok("batch_view", json!({"files": [symbol]}))["entries"][0].clone(),
        ] {
            assert_eq!(answer["file_path"], row["file_path"], "{answer}");
        }
        project.ok("callers", json!({"node_id": symbol}));
        let found = project.ok("search", json!({"query": "return", "scope": path}));
        assert_eq!(found["matches"][0]["file_path"], row["file_path"], "{found}");
        assert_eq!(found["matches"].as_array().map(Vec::len), Some(1), "{found}");
    }
    // Names as people type them open, too, where no answer shows another file that way.
    for typed in ["odd\u{202e}name.py", "back\\slash.py", "odd\\u{5c}u{202e}name.py", " blanks .py"] {
        project.ok("view", json!({"file_path": typed}));
    }
}
