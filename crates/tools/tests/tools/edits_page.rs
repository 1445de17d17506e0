//! The calls of docs/edits.md, made one after the other.

use serde_json::Value;

use crate::harness::Project;

const PAGE: &str = include_str!("../../../../docs/edits.md");

/// The text of the block of the page with this word after its fence.
fn block(word: &str) -> &'static str {
    let start = format!("```{word}\n");
    let text = PAGE.split_once(&start).unwrap_or_else(|| panic!("no block {word}")).1;
    text.split_once("```").expect("it ends").0
}

/// A call, and what members of its answer are.
#[derive(Debug)]
struct Call {
    tool: String,
    arguments: String,
    expected: Vec<(String, Value)>,
}

fn calls() -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    for line in block("calls").lines() {
        let last = calls.last_mut();
        match (line.split_once(" = "), line.split_once(' ')) {
            (Some((member, value)), _) if line.starts_with("  ") && !line.contains('{') => {
                let value = serde_json::from_str(value).unwrap_or_else(|error| panic!("{line}: {error}"));
                last.expect("a call").expected.push((format!("/{}", member.trim()), value));
            }
            (_, Some((tool, arguments))) if !line.starts_with(' ') => {
                calls.push(Call { tool: tool.to_owned(), arguments: arguments.to_owned(), expected: Vec::new() });
            }
            _ => last.expect("a call").arguments.push_str(line),
        }
    }
    calls
}

#[test]
fn the_documented_calls_answer_what_is_documented() {
    let project = Project::new(block("fixture"));
    let calls = calls();
    assert!(calls.len() >= 7, "{calls:?}");
    for Call { tool, arguments, expected } in calls {
        let arguments = serde_json::from_str(&arguments).unwrap_or_else(|error| panic!("{arguments}: {error}"));
        let answer = project.ok(&tool, arguments);
        assert!(!expected.is_empty(), "{tool}");
        for (member, value) in expected {
            assert_eq!(answer.pointer(&member), Some(&value), "{tool} {member}: {answer}");
        }
    }
}
