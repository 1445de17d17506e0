use serde_json::json;

use crate::harness::{PROGRAM, Project, column};

const COMMITS: &[(&str, &[&str])] = &[
    ("docs", &["README.md"]),
    ("one", &["README.md", "store.py"]),
    ("alone", &["auth.py"]),
    ("two", &["README.md", "store.py"]),
    ("alone again", &["auth.py"]),
    ("three", &["README.md", "store.py"]),
    ("more", &["app.py"]),
    ("more", &["app.py", "auth.py"]),
    ("more", &["app.py", "auth.py"]),
    ("more", &["app.py", "auth.py"]),
    ("more", &["app.py", "auth.py"]),
    ("more", &["app.py"]),
    ("four", &["README.md", "store.py"]),
];

#[test]
fn pairs_without_a_connection_are_listed() {
    let project = Project::in_git(PROGRAM, COMMITS);
    let all = project.ok("ghost_edges", json!({}));
    assert_eq!(column(&all, "ghost_edges", "source"), "file::README.md", "{all}");
    assert_eq!(column(&all, "ghost_edges", "target"), "file::store.py");
    let row = &all["ghost_edges"][0];
    assert_eq!((&row["commits"], &row["evidence"][0]["subject"]), (&json!(4), &json!("four")));
    let own = project.ok("ghost_edges", json!({"node": "store.py"}));
    assert_eq!(column(&own, "ghost_edges", "target"), "file::README.md");
    // What changes together and is connected in the code is no ghost.
    let connected = project.ok("ghost_edges", json!({"node": "app.py"}));
    assert_eq!(connected["total_ghost_edges"], 0, "{connected}");
    // Of the last three days only the newest common commit is left, which is no pattern.
    let lately = project.ok("ghost_edges", json!({"depth": "3d"}));
    assert!(!column(&lately, "ghost_edges", "source").contains("README"), "{lately}");
    assert_eq!(project.ok("ghost_edges", json!({"depth": "90d"}))["ghost_edges"], all["ghost_edges"]);
    assert_eq!(project.err("ghost_edges", json!({"depth": "soon"}))["code"], "invalid_params");
    let none = Project::new(PROGRAM).ok("ghost_edges", json!({}));
    assert!(none["note"].as_str().unwrap_or_default().starts_with("cannot tell"), "{none}");
}
