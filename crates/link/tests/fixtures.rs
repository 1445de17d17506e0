//! Link fixtures: annotated sources under `tests/fixtures/<language>/`. A new case is a new file.
//!
//! Each source file of a case starts with `//- path`. A line `#? name: expectation` (Python, shell),
//! `--? name: expectation` (Lua) or `//? name: expectation` (elsewhere) speaks of the last line of code above it: the
//! reference or import there whose written last name is `name`, or the second such with `name#2`. Expectations:
//! `certain id`, `possible id | id`, `external package`, `external package, open` (it may be the project's),
//! `unresolved`, `none`; ids without their `file::` prefix. Cases in `known_gaps/` are what the linker cannot do yet:
//! they are reported, and fail only when they start to pass, so that they get moved.

#![expect(clippy::print_stdout, reason = "test report")]

mod common;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use m1nd_base::{Cancel, EdgeTier, Limits, NoProgress, RepoPath};
use m1nd_link::{Explained, Linker};

/// One expectation of a case.
struct Expectation {
    path: String,
    line: u32,
    name: String,
    nth: usize,
    wanted: String,
}

fn split(case: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in case.lines() {
        if let Some(path) = line.strip_prefix("//- ") {
            files.push((path.trim().to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    files
}

fn expectations(path: &str, text: &str) -> Vec<Expectation> {
    let mut found = Vec::new();
    let mut code = 0;
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let Some(said) = ["#?", "//?", "--?"].iter().find_map(|start| trimmed.strip_prefix(start)) else {
            code = index as u32 + 1;
            continue;
        };
        let (name, wanted) =
            said.split_once(": ").unwrap_or_else(|| panic!("{path}:{}: no `: ` in {line:?}", index + 1));
        let (name, nth) = match name.trim().split_once('#') {
            Some((name, nth)) if !name.is_empty() => (name, nth.parse().expect("a number after #")),
            _ => (name.trim(), 1),
        };
        found.push(Expectation { path: path.into(), line: code, name: name.into(), nth, wanted: wanted.trim().into() });
    }
    found
}

fn show_explained(explained: Option<&Explained>) -> String {
    let Some(explained) = explained else { return "none".into() };
    let ids = |prefix: &str| {
        let mut ids: Vec<&str> = explained.targets.iter().map(|id| id.strip_prefix(prefix).unwrap_or(id)).collect();
        ids.sort_unstable();
        ids.join(" | ")
    };
    match (explained.tier, explained.reason) {
        (Some(EdgeTier::Certain), _) => format!("certain {}", ids("file::")),
        (Some(EdgeTier::Possible), _) => format!("possible {}", ids("file::")),
        (Some(EdgeTier::External), None) => format!("external {}", ids("external::")),
        (Some(EdgeTier::External), Some(_)) => format!("external {}, open", ids("external::")),
        (None, Some(reason)) => format!("unresolved {reason}"),
        (None, None) => "none".into(),
    }
}

fn canonical(wanted: &str) -> String {
    match wanted.split_once(' ') {
        Some(("possible", ids)) => {
            let mut ids: Vec<&str> = ids.split('|').map(str::trim).collect();
            ids.sort_unstable();
            format!("possible {}", ids.join(" | "))
        }
        _ => wanted.to_owned(),
    }
}

/// What is wrong with a case; empty if nothing.
fn check(case: &str) -> String {
    let mut linker = Linker::new(Limits::default());
    let files = split(case);
    let cancel = Cancel::new();
    for (path, text) in &files {
        common::put(&mut linker, path, text);
    }
    linker.link(&cancel, &NoProgress).expect("not cancelled");
    let mut report = String::new();
    for (path, text) in &files {
        let explained = linker.explain(&RepoPath::new(path).expect("a fixture path"));
        for expectation in expectations(path, text) {
            let mut at =
                explained.iter().filter(|row| row.pos.line == expectation.line && row.name == expectation.name);
            let got = show_explained(at.nth(expectation.nth - 1));
            let fits = match expectation.wanted.as_str() {
                "unresolved" => got.starts_with("unresolved"),
                wanted => got == canonical(wanted),
            };
            if !fits {
                let Expectation { path, line, name, wanted, .. } = &expectation;
                let _ = writeln!(report, "    {path}:{line} {name}: wanted {wanted}, got {got}");
            }
        }
    }
    report
}

fn cases(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut cases: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    cases.sort();
    cases
}

fn run(language: &str, at_least: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(language);
    let mut failed = String::new();
    let good = cases(&folder);
    for path in &good {
        let report = check(&std::fs::read_to_string(path).expect("a readable fixture"));
        if !report.is_empty() {
            let _ = writeln!(failed, "  {}\n{report}", path.display());
        }
    }
    for path in cases(&folder.join("known_gaps")) {
        let report = check(&std::fs::read_to_string(&path).expect("a readable fixture"));
        if report.is_empty() {
            let _ = writeln!(failed, "  {}: passes now, move it out of known_gaps", path.display());
        } else {
            println!("known gap: {}\n{report}", path.display());
        }
    }
    println!("{language}: {} cases", good.len());
    assert!(good.len() >= at_least, "{language}: only {} cases", good.len());
    assert!(failed.is_empty(), "\n{failed}");
}

#[test]
fn python() {
    run("python", 60);
}

#[test]
fn typescript() {
    run("typescript", 60);
}

#[test]
fn javascript() {
    run("javascript", 40);
}

#[test]
fn outlined_languages() {
    run("outlined", 1);
}

#[test]
fn rust() {
    run("rust", 60);
}

#[test]
fn java() {
    run("java", 60);
}

#[test]
fn php() {
    run("php", 15);
}

#[test]
fn bash() {
    run("bash", 1);
}

#[test]
fn lua() {
    run("lua", 2);
}

#[test]
fn ruby() {
    run("ruby", 5);
}

#[test]
fn scala() {
    run("scala", 6);
}

#[test]
fn csharp() {
    run("csharp", 12);
}

#[test]
fn kotlin() {
    run("kotlin", 10);
}

#[test]
fn swift() {
    run("swift", 11);
}

#[test]
fn cpp() {
    run("cpp", 60);
}

#[test]
fn c() {
    run("c", 60);
}

#[test]
fn go() {
    run("go", 60);
}
