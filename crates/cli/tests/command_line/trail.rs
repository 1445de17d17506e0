//! `m1nd trail`, and the example of `docs/trails.md` as it is written there.

use std::process::Command;

use crate::Place;

const PROGRAM: &str = include_str!("../../../../tests/fixtures/program.txt");
const PAGE: &str = include_str!("../../../../docs/trails.md");

/// Commands of the page with the lines below each.
fn commands() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut commands: Vec<(&str, Vec<&str>)> = Vec::new();
    for block in PAGE.split("```console\n").skip(1) {
        for line in block.split("```").next().unwrap().lines() {
            match line.strip_prefix("$ ") {
                Some(command) => commands.push((command, Vec::new())),
                None => commands.last_mut().unwrap().1.push(line),
            }
        }
    }
    commands
}

/// The words of a command: separated by spaces, except inside of single quotes.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('\'').enumerate();
    let words = parts.flat_map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

/// Whether a line has the parts between `…`, in order.
fn fits(line: &str, pattern: &str) -> bool {
    let mut rest = line;
    pattern.split('…').map(str::trim).all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

#[test]
fn the_example_of_the_page_runs() {
    let place = Place::new(PROGRAM);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    let commands = commands();
    assert!(commands.len() >= 8, "{commands:?}");
    for (command, expected) in commands {
        let words = words(command);
        if words[0] != "m1nd" {
            let status = Command::new("sh").args(["-c", command]).current_dir(place.project.path()).status().unwrap();
            assert!(status.success(), "{command}");
            continue;
        }
        let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let run = place.run(&arguments);
        assert_eq!(run.code, 0, "{command}: {}{}", run.out, run.err);
        for line in expected {
            assert!(run.out.lines().any(|other| fits(other, line)), "{command} prints no `{line}`:\n{}", run.out);
        }
    }
}

#[test]
fn trails_are_listed_and_an_unknown_one_is_an_error() {
    let place = Place::new(PROGRAM);
    assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
    assert_eq!(place.run(&["trail", "list"]).out, "No investigation is saved here.\n");
    let saved = place.run(&["call", "trail_save", "--label", "empty"]);
    assert_eq!(saved.code, 0, "{}", saved.err);
    let listed = place.run(&["trail", "list"]).out;
    assert!(listed.starts_with("empty  (saved, cli: 0 nodes)  trail_cli_0"), "{listed}");
    let none = place.run(&["trail", "show", "nothing"]);
    assert!(none.code >= 2 && none.err.contains("trail_list"), "{} {}", none.code, none.err);
    let json = place.run(&["trail", "show", "empty", "--json"]);
    assert!(json.out.contains("\"label\": \"empty\""), "{}", json.out);
}
