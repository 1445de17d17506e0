//! The commands as people and programs use them.

use serde_json::{Value, json as value};

use super::{MEMORY, json, mind, open_remembered};
use crate::Place;

/// The words behind `head` in a help text: the first of each line of that section.
fn section(help: &str, head: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != head).skip(1).take_while(|line| !line.is_empty());
    lines
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

/// Every command with the commands below it, and its help.
fn commands(place: &Place) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(path) = open.pop() {
        let arguments: Vec<&str> = path.split_whitespace().chain(["-h"]).collect();
        let help = mind(place, &arguments).out;
        let names = section(&help, "Commands:");
        open.extend(names.iter().map(|name| format!("{path} {name}").trim().to_owned()));
        found.push((path, help));
    }
    found
}

#[test]
fn the_manual_names_every_command_and_option() {
    let place = open_remembered();
    let manual = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/memory.md")).unwrap();
    let all = commands(&place);
    assert!(all.len() > 30, "{}", all.len());
    for (path, help) in &all {
        assert!(manual.contains(&format!("`{path}")), "`{path}` is not in docs/memory.md");
        let options = help.split([' ', '\n', ',', '[']).filter(|word| word.starts_with("--") && word.len() > 2);
        for option in options {
            assert!(manual.contains(option), "{option} of `{path}` is not in docs/memory.md");
        }
    }
    let hooks = mind(&place, &["hook", "-h"]).out;
    let words = hooks.split("possible values: ").nth(1).and_then(|rest| rest.split(']').next()).unwrap_or_default();
    let words: Vec<&str> = words.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    assert_eq!(words.len(), 4, "{hooks}");
    assert!(words.iter().all(|word| manual.contains(word)), "{words:?}");
}

#[test]
fn errors_are_json_for_programs() {
    let place = Place::new("//- a.py\n");
    let rows: [(&[&str], i32, &str); 5] = [
        (&["context"], 3, "PROJECT_NOT_REGISTERED"),
        (&["search", "x"], 3, "PROJECT_NOT_REGISTERED"),
        (&["add"], 3, "PROJECT_NOT_REGISTERED"),
        (&["daemon", "status"], 4, "DAEMON_NOT_RUNNING"),
        (&["edges", "verify", "edge_x"], 2, "INVALID_ARGUMENT"),
    ];
    for (arguments, exit, code) in rows {
        let run = mind(&place, &[arguments, &["--json"]].concat());
        let answer = json(&run);
        assert_eq!((run.code, answer["code"].as_str()), (exit, Some(code)), "{arguments:?}");
        assert!(!answer["message"].as_str().unwrap().is_empty(), "{answer}");
        assert_ne!(answer["details"]["cwd"], ".", "the folder is named, not pointed at");
    }
}

#[test]
fn an_export_holds_what_is_kept_beside_the_memories_where_that_is_wanted() {
    let place = open_remembered();
    place.project.write(".mind/MEMORY.md", format!("{MEMORY}**Fixed:** totals differ from the invoice\n"));
    assert_eq!(place.run(&["ingest"]).code, 0);
    assert_eq!(mind(&place, &["index"]).code, 0);
    let export = |more: &[&str]| mind(&place, &[&["export"], more].concat());
    assert_eq!(json(&export(&[]))["projects"][0]["index"], Value::Null);
    let answer = json(&export(&["--include-index"]));
    let project = &answer["projects"][0];
    let memories = project["memories"].as_array().unwrap();
    let decision = memories.iter().find(|memory| memory["type"] == "decision").unwrap();
    let index = &project["index"];
    let kept = index["memories"].as_array().unwrap().iter().find(|kept| kept["id"] == decision["id"]).unwrap();
    assert_eq!((&kept["code"][0]["name"], &kept["state"]), (&value!("shop/price.py"), &value!("current")), "{kept}");
    assert!(kept["first_seen"].is_string() && kept["retired"].is_null() && index["began"].is_string(), "{index}");
    assert_eq!(index["sessions"][0]["date"], "2026-03-02");
    let text = export(&["--include-index", "--format", "markdown"]).out;
    let id = decision["id"].as_str().unwrap();
    assert!(text.contains(&format!("  - `{id}` at .mind/MEMORY.md:11, first seen ")), "{text}");
    assert!(text.contains("price.py`: current") && !export(&["--format", "markdown"]).out.contains(id), "{text}");
}

#[test]
fn an_id_of_one_command_is_one_for_the_others() {
    let place = open_remembered();
    let entities = json(&mind(&place, &["parse", "--json"]))["entities"].clone();
    let issue = entities.as_array().unwrap().iter().find(|entity| entity["type"] == "issue").unwrap().clone();
    let id = issue["id"].as_str().unwrap();
    assert!(id.len() == 16 && mind(&place, &["search", "invoice totals"]).out.contains(id));
    let forgotten = mind(&place, &["forget", id, "--dry-run"]);
    assert!(forgotten.code == 0 && forgotten.out.contains("totals differ"), "{}", forgotten.out);
}

#[test]
fn gotchas_of_the_project_are_listed_first_and_tags_have_one_name() {
    let place = open_remembered();
    let rows = |arguments: &[&str]| json(&mind(&place, &[&["edges", "--json"], arguments].concat()));
    let all = rows(&[]);
    assert_eq!((&all[0]["source"], &all[0]["title"]), (&value!("project"), &value!("Prices are in cents")));
    assert!(all[0]["id"].as_str().unwrap().starts_with("proj_"));
    let postgres = rows(&["--stack", "Postgres"]);
    assert!(postgres.as_array().unwrap().len() > 1 && postgres == rows(&["--stack", "postgresql"]), "{postgres}");
    assert_eq!(rows(&["--search", "are in CENTS"]).as_array().unwrap().len(), 1);
}

#[test]
fn a_block_for_programs_and_a_status_for_people() {
    let place = open_remembered();
    let block = json(&mind(&place, &["context", "--json"]));
    assert!(block["text"].as_str().unwrap().starts_with("<!-- MIND:CONTEXT"), "{block}");
    assert_eq!(mind(&place, &["init"]).code, 0);
    let said = mind(&place, &["status"]).out;
    for expected in ["  memory: ", "1 decision, 1 open issue, ", "daemon: not running", "all: 1 project, 3 memories, "]
    {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert!(!said.contains("proof_state"), "{said}");
    let listed = mind(&place, &["list"]).out;
    assert!(listed.contains("1 open issue") && !listed.contains("never"), "{listed}");
}

#[cfg(unix)]
#[test]
fn the_help_says_what_people_type() {
    let place = open_remembered();
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mind"));
        command.args(arguments).current_dir(place.project.path()).env("MIND_HOME", place.user.join("mind"));
        let output = command.env("M1ND_HOME", place.user.join("store")).output().unwrap();
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    for arguments in [&["--help"][..], &["-h"], &["bogus"]] {
        assert!(run(arguments).contains("Usage: mind [OPTIONS] <COMMAND>"), "{arguments:?}: {}", run(arguments));
    }
    assert!(run(&["--help"]).contains("Exit codes:") && run(&["--help"]).starts_with("Decisions, issues"));
    assert!(run(&["search", "-h"]).contains("Usage: mind search "));
    assert_eq!(run(&["--version"]).trim_end(), format!("mind {}", env!("CARGO_PKG_VERSION")));
    assert!(run(&["completions", "bash"]).contains("--json"));
    assert!(mind(&place, &["-h"]).out.contains("Usage: m1nd memory "));
}
