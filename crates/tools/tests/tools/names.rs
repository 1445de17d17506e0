//! No text names a tool that does not exist.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use m1nd_tools::{ALL, PROMPTS, RESOURCES, find};
use serde_json::Value;

use crate::harness::{PROGRAM, Project};

/// Names that clients of such servers know, one a line, whether or not there is a tool of that name today. Left out are
/// those that also are arguments, members of answers or commands.
const KNOWN: &str = include_str!("known_names.txt");

/// Words before a name in backticks that can only mean a tool.
const CALLS: &[&str] = &["call", "calls", "m1nd call"];

/// What a text names that is no tool: known names in backticks, and whatever it says to call.
fn missing(text: &str) -> BTreeSet<String> {
    let is_name = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let known: BTreeSet<&str> = KNOWN.lines().collect();
    let pieces: Vec<&str> = text.split('`').collect();
    let mut named = BTreeSet::new();
    for (at, piece) in pieces.iter().enumerate().filter(|(at, _)| at % 2 == 1) {
        let before = pieces[at - 1].trim_end();
        let is_called = CALLS.iter().any(|call| before.ends_with(&format!(" {call}")));
        if is_name(piece) && (is_called || known.contains(piece)) {
            named.insert((*piece).to_owned());
        }
    }
    for rest in text.split("m1nd call ").skip(1) {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if is_name(&rest[..end]) {
            named.insert(rest[..end].to_owned());
        }
    }
    named.into_iter().filter(|name| find(name).is_none()).collect()
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every file with this ending below a folder.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn texts_about_tools_name_those_that_exist() {
    for tool in ALL {
        let reasons = tool.stages.iter().map(|(_, _, reason)| *reason);
        let sentences = tool.mentions.iter().map(|(_, _, words)| *words);
        let schema = tool.schema().to_string();
        let texts = [tool.summary, tool.answers, tool.help, &schema].into_iter().chain(reasons).chain(sentences);
        for text in texts {
            assert_eq!(missing(text), BTreeSet::new(), "{}: {text}", tool.name);
        }
    }
}

#[test]
fn prompts_name_tools_that_exist() {
    for prompt in PROMPTS {
        let text = prompt.text(|_| true, |_| Some("x".to_owned())).expect("all arguments are given");
        assert_eq!(missing(&text), BTreeSet::new(), "{}: {text}", prompt.name);
        // A step begins with the tool to call.
        let steps = text.lines().filter_map(|line| line.strip_prefix("- `")?.split_once('`'));
        let named: Vec<&str> = steps.map(|(name, _)| name).collect();
        assert!(!named.is_empty() && named.iter().all(|name| find(name).is_some()), "{}: {named:?}", prompt.name);
        assert!(!text.contains(['{', '}']), "{}: {text}", prompt.name);
    }
    for resource in RESOURCES {
        assert!(resource.is_offered(|name| find(name).is_some()), "{}", resource.name);
    }
}

#[test]
fn docs_name_tools_that_exist() {
    let mut pages = files(&repository().join("docs"), ".md");
    pages.push(repository().join("README.md"));
    pages.extend(files(&repository().join("crates/cli/src/args"), ".rs"));
    pages.extend(files(&repository().join("crates/server/src"), ".rs"));
    for page in pages {
        let text = std::fs::read_to_string(&page).expect("a text");
        assert_eq!(missing(&text), BTreeSet::new(), "{}", page.display());
    }
}

#[test]
fn references_and_hints_in_the_sources_name_tools_that_exist() {
    let mut references = 0;
    for file in files(&repository().join("crates/tools/src"), ".rs") {
        let text = std::fs::read_to_string(&file).expect("a text");
        for rest in text.split("ToolRef(\"").skip(1) {
            let name = rest.split('"').next().expect("an end");
            assert!(find(name).is_some(), "{} names `{name}`, which does not exist", file.display());
            references += 1;
        }
        assert_eq!(missing(&text), BTreeSet::new(), "{}", file.display());
    }
    assert!(references >= 50, "{references}");
}

#[test]
fn the_next_call_of_every_example_exists() {
    let project = Project::new(PROGRAM);
    for tool in ALL {
        let answer = project.call_as_is(tool.name, project.example(tool));
        let answer = answer.unwrap_or_else(|error| panic!("{}: {}", tool.name, error.to_json()));
        let next = &answer["next_suggested_tool"];
        assert!(next.is_null() || next.as_str().is_some_and(|next| find(next).is_some()), "{}: {next}", tool.name);
        let hint = answer["next_step_hint"].as_str().unwrap_or_default();
        assert_eq!(missing(hint), BTreeSet::new(), "{}: {hint}", tool.name);
    }
    let steps = project.ok("help", serde_json::json!({"error_text": "x"}));
    assert!(steps["minimal_calls"].as_array().is_some_and(|calls| calls.iter().all(|call| call["tool"] != Value::Null)));
}

#[test]
fn names_that_do_not_exist_are_found() {
    for (text, expected) in [
        ("ask `impact`, then call `imapct`", "imapct"),
        ("see `transplant_commit`", "transplant_commit"),
        ("m1nd call sek --query x", "sek"),
    ] {
        assert_eq!(missing(text), BTreeSet::from([expected.to_owned()]), "{text}");
    }
    assert!(missing("`query` of `seek`; a call `foo()` and `m1nd call` lists").is_empty());
}
