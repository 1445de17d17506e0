//! The pages of `docs`: every command that is shown with what it prints is run, and prints that.
//!
//! A page with blocks of `console` names its project in a comment: `<!-- run: PATH -->`, a fixture or a folder of this
//! repository; with ` with a commit` behind it, the project has a git history.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Place;

/// Top of the repository.
fn top() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A command of a page with the lines below it.
struct Step {
    command: String,
    expected: Vec<String>,
}

/// The pages with commands, each with its text.
fn list_pages() -> Vec<(PathBuf, String)> {
    let mut pages = Vec::new();
    let mut open = vec![top().join("docs")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(|end| end.to_str()) {
                None if path.is_dir() => open.push(path),
                Some("md") => pages.push((path.clone(), std::fs::read_to_string(&path).unwrap())),
                _ => {}
            }
        }
    }
    pages.retain(|(_, text)| text.contains("```console"));
    pages.sort();
    pages
}

fn list_steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_block = false;
    for line in page.lines().map(str::trim_start) {
        match (is_block, line) {
            (false, _) => is_block = line == "```console",
            (true, "```") => is_block = false,
            (true, _) => match line.strip_prefix("$ ") {
                Some(command) => steps.push(Step { command: command.to_owned(), expected: Vec::new() }),
                None => steps.last_mut().expect("a command comes first").expected.push(line.to_owned()),
            },
        }
    }
    steps
}

/// The text of a fixture that holds a folder.
fn read_folder(folder: &Path) -> String {
    let mut text = String::new();
    for (name, bytes) in crate::tree(folder) {
        if let Ok(content) = String::from_utf8(bytes) {
            // Lines that begin a file of a fixture are none of its content.
            let content = content.lines().filter(|line| !line.starts_with("//- ")).collect::<Vec<_>>().join("\n");
            let _ = write!(text, "//- {name}\n{content}\n");
        }
    }
    text
}

/// The project that a page names.
fn open_project(page: &str) -> Option<Place> {
    let (_, named) = page.split_once("<!-- run: ")?;
    let (named, _) = named.split_once(" -->")?;
    let (path, is_committed) = named.strip_suffix(" with a commit").map_or((named, false), |path| (path, true));
    let path = top().join(path);
    let fixture = if path.is_dir() { read_folder(&path) } else { std::fs::read_to_string(&path).ok()? };
    if is_committed { Place::open_committed(&fixture) } else { Some(Place::new(&fixture)) }
}

/// Runs a line of a shell in the project, where the built program is the first `m1nd`.
fn run(place: &Place, line: &str) -> (Option<i32>, String) {
    let program = place.command(&[]);
    let folder = Path::new(program.get_program()).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(place.project.path()).stdin(std::process::Stdio::null());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let output = shell.env("PATH", std::env::join_paths(path).unwrap()).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
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
fn every_command_of_the_book_prints_what_the_page_shows() {
    let pages = list_pages();
    assert!(pages.len() >= 10, "{pages:?}");
    let mut wrong = String::new();
    for (path, text) in pages {
        let place = open_project(&text).unwrap_or_else(|| panic!("{}: names no project to run in", path.display()));
        let steps = list_steps(&text);
        if !steps[0].command.contains("ingest") {
            assert_eq!(place.run(&["ingest", "--quiet"]).code, 0);
        }
        for Step { command, expected } in steps {
            let (code, out) = run(&place, &command);
            let missing: Vec<&String> =
                expected.iter().filter(|line| !out.lines().any(|other| fits(other, line))).collect();
            if code != Some(0) || !missing.is_empty() {
                let _ = writeln!(wrong, "{}: `{command}` ({code:?}) lacks {missing:?}:\n{out}", path.display());
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
