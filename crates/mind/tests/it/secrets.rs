//! Secrets that people wrote into memories, comments, commits and notes are neither stored nor told.

use std::path::Path;

use m1nd_mind::{
    Depth, EdgeQuestion, HookEvent, Keeper, Memories, MemoryQuery, MindConfig, ProjectMemory, hook, write_blocks,
};
use m1nd_testkit::{SeededSecret, seeded_secrets};
use serde_json::json;

use crate::repository::{Put, Repository};

/// Where they stand, and how a line of them is written there.
const PLACES: &[(&str, &str)] = &[
    ("decision", "**Decided:** zebra stripes: {} because of the audit"),
    ("reason", "**Learned:** zebra stripes fade, since {}"),
    ("prose", "Decided zebra prices. Turns out that {}"),
    ("gotcha", "- zebra stripes {} -> rotate it"),
    ("issue", "**Problem:** zebra prices `{}` is in the log"),
    ("comment", "MEMORY: learned zebra prices {}"),
    ("commit", "learned: zebra prices {}"),
    ("session", "- zebra prices {} - because of the audit"),
    ("next", "Next: zebra prices {}"),
];

fn repository_of(place: &str, lines: &[String]) -> Repository {
    let mut repository = Repository::new();
    let all = lines.join("\n");
    let (mut gotchas, mut day) = (String::new(), String::new());
    match place {
        "gotcha" => gotchas = all,
        "comment" => {
            let comments = lines.iter().map(|line| format!("/* {line} */\nint x;\n"));
            repository.tree.write("zebra.c", comments.collect::<String>());
        }
        "session" => repository.tree.write(".mind/SESSION.md", format!("## Rejected\n{all}\n\n## Blockers\n{all}\n")),
        "commit" => {
            repository.commit("eve", &format!("x\n\n{all}"), &[Put("x", "1")]);
        }
        _ => day = all,
    }
    let memory = format!("# Shop\n\n## Gotchas\n{gotchas}\n\n---\n\n## 2026-03-02\n{day}\n");
    repository.tree.write(".mind/MEMORY.md", memory);
    repository.tree.write("CLAUDE.md", "# Mine\n");
    repository
}

/// All that is stored beside what people wrote, and all that an agent is told, by name.
fn stored_and_told(repository: &Repository) -> Vec<(String, String)> {
    let home = repository.tree.join(".git/home");
    let keeper = Keeper::new(&home, None);
    let project = std::fs::canonicalize(repository.tree.path()).expect("is there");
    keeper.approve(&project, &[], None).expect("is approved");
    keeper.refresh(&project, Depth::Full).expect("is read");
    let memory = ProjectMemory::read(&project, keeper.home()).expect("is read");
    write_blocks(&memory);
    let mut found = vec![
        ("memories".to_owned(), format!("{:?}", memory.records)),
        ("gotchas".to_owned(), format!("{:?}", memory.parsed.gotchas)),
        ("sessions".to_owned(), format!("{:?} {:?}", memory.sessions, memory.notes)),
    ];
    for (name, event, mut input) in [
        ("session-start", HookEvent::SessionStart, json!({})),
        ("prompt", HookEvent::Prompt, json!({"prompt": "zebra prices, zebra stripes"})),
        (
            "pre-edit",
            HookEvent::PreEdit,
            json!({"tool_input": {"file_path": "zebra.c", "new_string": "zebra stripes"}}),
        ),
    ] {
        (input["cwd"], input["session_id"]) = (json!(project), json!(name));
        let answer = hook(&keeper, event, &input, &[]).expect("never fails for a text");
        found.push((name.to_owned(), format!("{answer:?}")));
    }
    let memories = Memories::new(MindConfig { home: home.clone(), places: vec![project.clone()], named: 1 });
    let query = MemoryQuery { text: "zebra prices stripes", all_projects: false, kinds: &[], limit: 100, near: &[] };
    let answer = memories.search(&query, &m1nd_engine::Snapshot::empty());
    found.push(("search".to_owned(), format!("{:?}", answer.map(|found| found.rows))));
    let question = EdgeQuestion { intent: "zebra stripes", code: None, stack: None };
    found.push(("edges".to_owned(), format!("{:?}", memories.edges(&question).warnings)));
    for folder in [project.join(".mind/.index"), home] {
        files(&folder, &mut found);
    }
    files(&project.join("CLAUDE.md"), &mut found);
    found
}

fn files(path: &Path, found: &mut Vec<(String, String)>) {
    if path.is_dir() {
        std::fs::read_dir(path).expect("a folder").for_each(|entry| files(&entry.expect("an entry").path(), found));
    } else if let Ok(bytes) = std::fs::read(path) {
        found.push((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()));
    }
}

#[test]
fn no_seeded_secret_is_stored_or_told() {
    let secrets: Vec<SeededSecret> = seeded_secrets();
    let mut left = Vec::new();
    for (place, line) in PLACES {
        let of = |secret: &SeededSecret| line.replace("{}", &secret.text.replace('\n', " "));
        let repository = repository_of(place, &secrets.iter().map(of).collect::<Vec<_>>());
        let texts = stored_and_told(&repository);
        assert!(texts.iter().any(|(_, text)| text.contains("zebra")), "{place}: nothing of it is told");
        for secret in &secrets {
            let is_left = |text: &str| secret.parts.iter().any(|part| text.contains(part.as_str()));
            let names: Vec<&str> = texts.iter().filter(|(_, text)| is_left(text)).map(|(name, _)| &**name).collect();
            if !names.is_empty() {
                left.push(format!("{place}: {:?} in {names:?}", secret.row));
            }
        }
    }
    assert!(left.is_empty(), "{} left:\n{}", left.len(), left.join("\n"));
}
