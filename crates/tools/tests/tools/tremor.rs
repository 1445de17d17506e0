use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};
use crate::repository::{Put, Repository};

/// Of four files that change about weekly, one changes daily at the end.
fn project() -> Project {
    let mut repository = Repository::new();
    let names = ["a.py", "b.py", "c.py", "hot.py"];
    for day in 0..40 {
        let text = format!("x = {day}\n");
        let mut changes = vec![Put("notes.md", &text)];
        changes.extend(names.iter().enumerate().filter(|(at, _)| day % 7 == *at).map(|(_, name)| Put(name, &text)));
        if day >= 34 {
            changes.retain(|change| !matches!(change, Put("hot.py", _)));
            changes.push(Put("hot.py", &text));
        }
        repository.commit("ann", &format!("day {day}"), &changes);
    }
    names.iter().for_each(|name| repository.tree.write(name, "x = 39\n"));
    Project::over_repository(repository)
}

#[test]
fn the_pace_of_a_file_is_compared_with_the_others() {
    let project = project();
    let answer = project.ok("tremor", json!({"include_history": true}));
    let first = &answer["tremors"][0];
    assert_eq!((&first["node_id"], &first["direction"]), (&json!("file::hot.py"), &json!("accelerating")));
    assert!(first["magnitude"].as_f64().is_some_and(|magnitude| magnitude > 1.0), "{answer}");
    assert_eq!(first["weekly_commits"].as_array().and_then(|weeks| weeks.last()), Some(&json!(6)));
    assert!(!column(&answer, "tremors", "node_id").contains("notes"), "documents are no code");
    let few = project.ok("tremor", json!({"node_filter": "hot.py", "threshold": 0.0}));
    assert_eq!(column(&few, "tremors", "node_id"), "file::hot.py");
    let none = project.ok("tremor", json!({"threshold": 9.0}));
    assert_eq!(none["total_tremors"], 0);
}

#[test]
fn what_cannot_be_told_is_said() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("tremor", json!({}));
    assert!(answer["note"].as_str().is_some_and(|note| note.contains("cannot tell")), "{answer}");
    assert_eq!(answer["tremors"], Value::Array(Vec::new()));
    assert_eq!(project.err("tremor", json!({"window": "soon"}))["code"], "invalid_params");
}
