//! What is read of a project while its files change, or cannot be read.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use m1nd_engine::Snapshot;
use m1nd_mind::{
    Depth, HookEvent, Keeper, Memories, MemoryError, MemoryQuery, MindConfig, ProjectMemory, SharedFolder, archive,
    block_text, forget, hook, write_blocks,
};
use m1nd_testkit::TempTree;
use serde_json::{Value, json};

use crate::repository::{Put, Repository};

const MEMORY: &str = "# Shop\n\n## 2024-03-02\n**Decided:** sell jam because people like it\n\n\
                      ## 2025-03-02\n**Decided:** sell honey because bees like it\n";

fn shop(files: &str) -> (TempTree, PathBuf, Keeper) {
    let tree = TempTree::new(&format!("//- p/.mind/MEMORY.md\n{MEMORY}{files}"));
    let project = std::fs::canonicalize(tree.join("p")).expect("is there");
    let keeper = Keeper::new(&tree.join("home"), None);
    keeper.approve(&project, &[], None).expect("is approved");
    (tree, project, keeper)
}

fn read(project: &std::path::Path, keeper: &Keeper) -> ProjectMemory {
    ProjectMemory::read(project, keeper.home()).expect("is read")
}

fn titles(memory: &ProjectMemory) -> Vec<&str> {
    memory.records.iter().map(|record| &*record.title).collect()
}

#[test]
fn lines_are_taken_out_only_of_the_text_they_were_found_in() {
    let (tree, project, keeper) = shop("//- p/.mind/archive/2020.md\n# 2020\n\n## 2020-01-01\n**Decided:** sell wax\n");
    let memory = read(&project, &keeper);
    let id = |title: &str| {
        let found = memory.records.iter().find(|record| record.title.contains(title));
        found.expect("is known").id.to_string()
    };
    // Somebody writes a line above everything.
    let (changed, old) =
        (format!("{MEMORY}**Learned:** bees\n").replacen("# Shop\n", "# Shop\n\n", 1), "a line\n# 2020\n");
    tree.write("p/.mind/MEMORY.md", &changed);
    tree.write("p/.mind/archive/2020.md", format!("{old}\n## 2020-01-01\n**Decided:** sell wax\n"));
    let before = "2025-01-01".parse().expect("a day");
    assert!(matches!(archive(&memory, before, false), Err(MemoryError::Invalid(_))));
    for title in ["jam", "wax"] {
        assert!(matches!(forget(&keeper, &memory, &id(title), false), Err(MemoryError::Invalid(_))), "{title}");
    }
    assert_eq!(std::fs::read_to_string(project.join(".mind/MEMORY.md")).expect("is there"), changed);
    let memory = read(&project, &keeper);
    assert_eq!(archive(&memory, before, false).expect("is moved").len(), 1);
    for title in ["wax", "honey"] {
        let memory = read(&project, &keeper);
        forget(&keeper, &memory, &id(title), false).expect(title);
    }
    let text = std::fs::read_to_string(project.join(".mind/MEMORY.md")).expect("is there");
    assert!(text.contains("bees") && !text.contains("honey") && !text.contains("jam"), "{text}");
}

#[test]
fn a_memory_of_several_lines_is_taken_out_as_a_whole() {
    let rows = [
        ("**Decided:** sell the red jam in glasses of the old kind\nwhich the bees made for us last year", 0),
        ("problem: jam burns\nfixed: jam burns", 0),
        ("problem: jam burns\n\nlearned that jam sticks", 1),
        ("decided on plum jam\nlearned that jam sticks", 1),
    ];
    for (text, left) in rows {
        let (tree, project, keeper) = shop("");
        tree.write("p/.mind/MEMORY.md", format!("# Shop\n\n## 2025-03-02\n{text}\n\n## 2025-03-03\n"));
        let memory = read(&project, &keeper);
        let first = memory.records.iter().min_by_key(|record| record.source.line).expect("is known").id.to_string();
        forget(&keeper, &memory, &first, false).expect(text);
        let kept = std::fs::read_to_string(project.join(".mind/MEMORY.md")).expect("is there");
        assert_eq!(read(&project, &keeper).records.len(), left, "{kept}");
        assert_eq!(kept.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).count(), left, "{kept}");
        assert!(kept.ends_with("## 2025-03-03\n"), "{kept}");
    }
}

#[test]
fn comments_of_files_that_come_with_an_old_time_are_found() {
    let (tree, project, keeper) = shop("//- p/one.py\n# MEMORY: learned that zebras eat jam\n//- p/two.py\nx = 1\n");
    let long_ago = SystemTime::now() - Duration::from_secs(90_000);
    let set_back = |file: &str| {
        let file = std::fs::File::options().write(true).open(project.join(file)).expect("is there");
        file.set_modified(long_ago).expect("is set");
    };
    set_back("one.py");
    set_back("two.py");
    keeper.refresh(&project, Depth::Full).expect("is noted");
    assert!(titles(&read(&project, &keeper)).contains(&"zebras eat jam"));
    // As a move, a copy that keeps times or an archive that is unpacked leaves it.
    std::fs::rename(project.join("one.py"), project.join("three.py")).expect("is moved");
    tree.write("p/four.py", "# MEMORY: learned that lions eat wax\n");
    set_back("four.py");
    for _ in 0..2 {
        keeper.refresh(&project, Depth::Full).expect("is noted");
        let memory = read(&project, &keeper);
        let place = |title: &str| {
            let found = memory.records.iter().find(|record| &*record.title == title);
            found.map(|record| record.source.file.to_string())
        };
        assert_eq!(place("zebras eat jam").as_deref(), Some("three.py"));
        assert_eq!(place("lions eat wax").as_deref(), Some("four.py"));
    }
}

#[test]
fn what_is_there_and_cannot_be_read_is_named() {
    let folder = |path: &'static str| (path, format!("{path}/x"), "x");
    let rows = [
        folder("p/.mind/config.toml"),
        folder("p/.mind/SESSION.md"),
        folder("home/config.toml"),
        folder("home/global_edges.json"),
        ("p/.mind/archive", "p/.mind/archive".to_owned(), "no folder"),
        ("home/global_edges.json", "home/global_edges.json".to_owned(), ""),
    ];
    for (name, path, text) in rows {
        let (tree, project, keeper) = shop("");
        assert_eq!(read(&project, &keeper).problems, Vec::<String>::new());
        tree.write(&path, text);
        let memory = read(&project, &keeper);
        let file = name.rsplit('/').next().expect("a name");
        assert!(memory.problems.iter().any(|why| why.contains(file)), "{name}: {:?}", memory.problems);
        assert_eq!(memory.records.len(), 2, "the rest is read");
    }
}

/// What a hook says.
fn ask_hook(keeper: &Keeper, event: HookEvent, input: &Value) -> String {
    let answer = hook(keeper, event, input, &[]).expect("has something to say").unwrap_or_default();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_session_starts_with_the_block_whatever_cannot_be_noted() {
    for text in ["{", ""] {
        let (tree, project, keeper) = shop("");
        tree.write("home/projects.json", text);
        assert!(ask_hook(&keeper, HookEvent::SessionStart, &json!({"cwd": project})).contains("sell jam"), "{text:?}");
    }
}

#[test]
fn few_memories_are_shown_before_an_edit_with_gotchas_or_without() {
    let (tree, project, keeper) = shop("");
    let many: String =
        (0..9).map(|n| format!("**Decided:** `jar.py` holds {n} kinds of jam because of {n}\n")).collect();
    tree.write("p/.mind/MEMORY.md", format!("{MEMORY}{many}"));
    let edit = json!({"cwd": project, "tool_input": {"file_path": "jar.py", "old_string": "x", "new_string": "y"}});
    let text = ask_hook(&keeper, HookEvent::PreEdit, &edit);
    assert_eq!(text.lines().filter(|line| line.starts_with("- ")).count(), 3, "{text}");
}

#[test]
fn what_a_comment_gave_up_is_quoted() {
    let comment = "# MEMORY: decided jam in glasses over \"buckets\" -<!-- x -->-> because buckets leak\n";
    let (_tree, project, keeper) = shop(&format!("//- p/jar.py\n{comment}"));
    keeper.refresh(&project, Depth::Full).expect("is noted");
    let ask = json!({"cwd": project, "prompt": "let us sell the jam in buckets instead"});
    let text = ask_hook(&keeper, HookEvent::Prompt, &ask);
    let row = text.lines().find(|line| line.contains("[rejected before]")).unwrap_or_default();
    assert!(
        row.starts_with("- [rejected before] \"buckets\": [decision") && row.contains("a comment in the repository"),
        "{text}"
    );
    assert!(!text.contains("<!--") && !text.contains("-->"), "{text}");
}

#[test]
fn what_is_told_for_what_it_rejected_is_told_once() {
    let session = "//- p/.mind/SESSION.md\n## Rejected\n- microwave baking because it is soggy\n";
    let (_tree, project, keeper) = shop(session);
    let text = ask_hook(
        &keeper,
        HookEvent::Prompt,
        &json!({"cwd": project, "session_id": "s", "prompt": "let us bake the bread by microwave baking"}),
    );
    assert_eq!(text.matches("soggy").count(), 1, "{text}");
}

#[test]
fn gotchas_that_cannot_be_read_are_not_taken_for_none() {
    let (tree, _project, _keeper) = shop("");
    tree.write("home/global_edges.json", "");
    let home = SharedFolder::new(tree.join("home"));
    let error = m1nd_mind::GlobalEdges::read(&home).expect_err("is damaged");
    assert!(matches!(error, MemoryError::Damaged { .. }), "{error}");
}

/// Sets when a file was last changed, so many minutes ago.
fn age(path: &std::path::Path, minutes: u64) {
    let file = std::fs::File::options().write(true).open(path).expect("is there");
    file.set_modified(SystemTime::now() - Duration::from_secs(minutes * 60)).expect("is set");
}

#[test]
fn notes_of_a_session_that_is_over_are_cleared_and_what_outlives_it_is_kept() {
    let notes = "# Session\n\n## Experience\n- `jar.py` opens lids twice\n- it rained\n\n## Rejected\n\
                 - jam in buckets because buckets leak\n- a global lock\n\n## Assumptions\n- bees fly\n";
    let (tree, project, keeper) = shop(&format!("//- p/.mind/SESSION.md\n{notes}"));
    let (session, memory) = (project.join(".mind/SESSION.md"), project.join(".mind/MEMORY.md"));
    let text = || std::fs::read_to_string(&session).expect("is there");
    age(&memory, 90);
    assert!(!keeper.end_session(&project).expect("is looked at"), "it was written just now");
    age(&session, 40);
    age(&memory, 10);
    assert!(!keeper.end_session(&project).expect("is looked at"), "the memory was written since");
    age(&memory, 90);
    let start = |source: &str| json!({"cwd": project, "source": source});
    ask_hook(&keeper, HookEvent::SessionStart, &start("compact"));
    assert_eq!(text(), notes, "a session that goes on");
    ask_hook(&keeper, HookEvent::SessionStart, &start("startup"));
    let empty = text();
    assert!(empty.contains("## Rejected") && !empty.contains("buckets"), "{empty}");
    assert!(!keeper.end_session(&project).expect("is looked at"), "there is nothing to end");
    let after = read(&project, &keeper);
    assert!(titles(&after).contains(&"against jam in buckets"), "{:?}", titles(&after));
    assert!(titles(&after).iter().any(|title| title.contains("opens lids twice")) && after.notes.is_empty());
    assert!(!titles(&after).iter().any(|title| title.contains("rained") || title.contains("global lock")));
    let copies = std::fs::read_dir(tree.join("p/.mind/.index/backup")).expect("is there").flatten();
    let kept: Vec<String> = copies.map(|copy| std::fs::read_to_string(copy.path()).expect("is text")).collect();
    assert!(kept.iter().any(|copy| copy == notes), "the notes as they were");
    assert_eq!(std::fs::read_to_string(&memory).expect("is there"), MEMORY, "not a byte of the memory changes");
}

#[test]
fn a_block_that_is_missing_or_old_for_a_day_makes_a_memory_stale() {
    let (tree, project, keeper) = shop("");
    let health = || {
        let memories = Memories::new(MindConfig { home: tree.join("home"), places: vec![project.clone()], named: 1 });
        let status = memories.status().expect("is told").current_project.expect("is one");
        (json!(status.memory_health), status.memory_health_reason)
    };
    const DAYS: u64 = 3 * 24 * 60;
    let memory = project.join(".mind/MEMORY.md");
    assert_eq!(health().0, "good", "it was just made");
    age(&memory, DAYS);
    let (word, why) = health();
    assert!(word == "stale" && why.contains("no file has the context block"), "{why}");
    write_blocks(&read(&project, &keeper));
    assert_eq!(health().0, "good");
    // Written before the memory was changed, and that is long ago.
    tree.write("p/.mind/MEMORY.md", format!("{MEMORY}**Decided:** sell wax because it keeps\n"));
    assert_eq!(health().0, "good", "it has not been old for long");
    age(&memory, DAYS);
    age(&project.join("CLAUDE.md"), 2 * DAYS);
    let (word, why) = health();
    assert!(word == "stale" && why.contains("out of date"), "{why}");
    // Whoever wants none is not asked for one.
    std::fs::remove_file(project.join("CLAUDE.md")).expect("is removed");
    assert_eq!(health().0, "stale");
    keeper.approve(&project, &[], Some(true)).expect("is noted");
    assert_eq!(health().0, "good");
}

#[test]
fn the_block_says_since_when_a_project_went_on_without_notes() {
    let mut repository = Repository::new();
    // Commits of these tests are of November 2023.
    repository.commit("ann", "one", &[]);
    let project = std::fs::canonicalize(repository.tree.path()).expect("is there");
    let keeper = Keeper::new(&repository.tree.join(".git/home"), None);
    let rows = [
        ("2023-05-01", "", true),
        ("2023-12-24", "", false),
        ("2023-05-01", "[context]\nshow_stale_after_days = 3650\n", false),
    ];
    for (day, settings, is_behind) in rows {
        repository.tree.write(".mind/MEMORY.md", format!("# p\n\n## {day}\n**Decided:** sell jam\n"));
        repository.tree.write(".mind/config.toml", settings);
        keeper.approve(&project, &[], None).expect("is approved");
        let text = block_text(&read(&project, &keeper));
        assert_eq!(text.contains(&format!("Stale (since {day}; run `mind status`)")), is_behind, "{text}");
        assert_eq!(text.contains("✓ Active"), !is_behind, "{text}");
    }
}

#[test]
fn a_commit_without_a_change_of_a_file_is_noticed() {
    let mut repository = Repository::new();
    repository.commit("ann", "one", &[Put(".mind/MEMORY.md", MEMORY)]);
    let project = std::fs::canonicalize(repository.tree.path()).expect("is there");
    repository.tree.write(".mind/MEMORY.md", MEMORY);
    let memories =
        Memories::new(MindConfig { home: repository.tree.join("home"), places: vec![project.clone()], named: 1 });
    let before = memories.stamp(&project);
    assert_eq!(memories.stamp(&project), before);
    repository.commit("ann", "two\n\nlearned: bees like honey best\n", &[]);
    assert_ne!(memories.stamp(&project), before);
}

#[test]
fn nothing_is_made_beside_a_memory_that_is_gone() {
    let (_tree, project, keeper) = shop("");
    std::fs::remove_dir_all(project.join(".mind")).expect("is removed");
    for depth in [Depth::Quick, Depth::Full] {
        assert!(keeper.refresh(&project, depth).is_err());
    }
    assert!(keeper.keep(&project).is_err() && !project.join(".mind").exists());
}

#[test]
fn what_a_commit_said_is_remembered_however_many_follow() {
    let mut repository = Repository::new();
    repository.tree.write(".mind/MEMORY.md", "# Shop\n");
    repository.commit("ann", "root", &[Put("a.py", "r")]);
    repository.commit("ann", "old\n\ndecided: jam over honey because of bees", &[Put("a.py", "0")]);
    let home = TempTree::new("");
    let keeper = Keeper::new(home.path(), None);
    let project = std::fs::canonicalize(repository.tree.path()).expect("is there");
    keeper.refresh(&project, Depth::Quick).expect("is noted");
    for round in 0..2 {
        for number in 0..250 {
            repository.commit("ann", "more", &[Put("a.py", &format!("{round} {number}"))]);
        }
        keeper.refresh(&project, Depth::Quick).expect("is noted");
        assert_eq!(titles(&read(&project, &keeper)), ["jam over honey"], "round {round}");
    }
    // A branch that does not hold it.
    let mut other = Repository::new();
    let elsewhere = other.commit("ann", "another root", &[Put("b.py", "1")]);
    let path = repository.object_path(&elsewhere);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("is made");
    std::fs::copy(other.object_path(&elsewhere), &path).expect("is copied");
    repository.point(elsewhere);
    keeper.refresh(&project, Depth::Quick).expect("is noted");
    assert_eq!(titles(&read(&project, &keeper)), Vec::<&str>::new());
}

#[test]
fn an_answer_from_the_memory_file_alone_says_so() {
    let tree = TempTree::new(&format!("//- p/.mind/MEMORY.md\n{MEMORY}"));
    let project = std::fs::canonicalize(tree.join("p")).expect("is there");
    let query = MemoryQuery { text: "jam", all_projects: false, kinds: &[], limit: 5, near: &[] };
    let notice = || {
        let config = MindConfig { home: tree.join("home"), places: vec![project.clone()], named: 1 };
        let found = Memories::new(config).search(&query, &Snapshot::empty()).expect("is searched");
        found.notice.unwrap_or_default()
    };
    assert!(notice().contains("only its files of memories were searched"), "{}", notice());
    Keeper::new(&tree.join("home"), None).refresh(&project, Depth::Full).expect("is read");
    assert!(!notice().contains("only its files"), "{}", notice());
}
