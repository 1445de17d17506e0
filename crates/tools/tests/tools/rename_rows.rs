//! What a rename writes: one row per kind and language, in `rename_cases/*.txt`.
//!
//! ```text
//! == LANGUAGE | KIND | TITLE
//! rename NODE NEW
//! //- a.py
//! def «load»(): ...
//! ```
//!
//! A name in `«…»` is written as the old one before, and as the new one after; `«before|after»` gives both texts. A
//! file whose path changes has the new one behind ` => `.
//!
//! | question | right if |
//! |---|---|
//! | `rename NODE NEW` | preview and commit change all marks and nothing else |
//! | `refuse NODE NEW => TEXT` | both refuse, for a reason with this text, and nothing changes |
//! | `left NODE NEW => PLACE` | both refuse and list a line of `FILE: TEXT`; with `leave: true` the marks change |
//!
//! Every row is asked twice: with lines that end with a line feed, and with each second one of them behind a carriage
//! return.
//!
//! `todo` in front marks rows that are known to be refused, though they should not be; they must not be written half.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Project, files_below};

/// Marks rows that are refused, though they should not be.
const TODO: &str = "todo ";

/// The texts of files, by path.
type Texts = BTreeMap<String, String>;
/// Compares a project with what it should be.
type Check<'a> = dyn Fn(&Texts) -> Result<(), String> + 'a;

/// A row: its question and its files.
struct Row<'a> {
    title: &'a str,
    is_todo: bool,
    question: &'a str,
    node: &'a str,
    new: &'a str,
    wanted: &'a str,
    /// Path before and after, with the marks.
    files: Vec<(&'a str, &'a str, &'a str)>,
    /// Some lines end with a carriage return.
    has_returns: bool,
}

impl<'a> Row<'a> {
    fn parse(text: &'a str) -> Self {
        let (title, rest) = text.split_once('\n').expect("a title");
        let (question, files) = rest.split_once('\n').expect("a question");
        let is_todo = question.starts_with(TODO);
        let question = question.strip_prefix(TODO).unwrap_or(question);
        let (question, wanted) = question.split_once(" => ").unwrap_or((question, ""));
        let words: Vec<&str> = question.split(' ').collect();
        let [question, node, new] = words[..] else { panic!("{title}: expected `rename NODE NEW`") };
        let files = files.split("//- ").skip(1).map(|file| {
            let (path, text) = file.split_once('\n').expect("a path");
            let (before, after) = path.split_once(" => ").unwrap_or((path, path));
            (before, after, text.trim_end_matches('\n'))
        });
        Self { title, is_todo, question, node, new, wanted, files: files.collect(), has_returns: false }
    }

    /// The old name: the last one of the node.
    fn old(&self) -> &'a str {
        let last = self.node.rsplit([':', '.']).next().expect("a name");
        last.split('~').next().expect("a name")
    }

    /// The text of a file, before or after.
    fn text(&self, marked: &str, is_after: bool) -> String {
        let mut parts = marked.split('«');
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (mark, rest) = part.split_once('»').expect("the end of a mark");
            text.push_str(match (mark.split_once('|'), is_after) {
                (Some((before, _)), false) => before,
                (Some((_, after)), true) => after,
                (None, false) => mark,
                (None, true) => {
                    assert_eq!(mark, self.old(), "{}: a mark that is not the old name", self.title);
                    self.new
                }
            });
            text.push_str(rest);
        }
        text.push('\n');
        match self.has_returns {
            true => text.split_inclusive('\n').enumerate().map(|(at, line)| give_return(at, line)).collect(),
            false => text,
        }
    }

    fn make_texts(&self, is_after: bool) -> Texts {
        let row = |(before, after, text): &(&str, &str, &str)| {
            (if is_after { *after } else { *before }.to_owned(), self.text(text, is_after))
        };
        self.files.iter().map(row).collect()
    }

    /// Checks the row with each kind of line ends.
    fn check_both(&self) -> Result<(), String> {
        self.check()?;
        let other = Self { has_returns: true, files: self.files.clone(), ..*self };
        other.check().map_err(|why| format!("with carriage returns: {why}"))
    }

    /// What is wrong with the answers; `None` if nothing.
    fn check(&self) -> Result<(), String> {
        let (before, after) = (self.make_texts(false), self.make_texts(true));
        let fixture: String = before.iter().map(|(path, text)| format!("//- /{path}\n{text}")).collect();
        let project = Project::new(&fixture);
        let call = |tool: &str, leaves: bool| {
            let mut arguments = json!({"node_id": self.node, "new_name": self.new});
            if tool == "rename_commit" {
                arguments["confirm"] = json!(true);
            }
            if leaves {
                arguments["leave"] = json!(true);
            }
            project.call(tool, arguments)
        };
        let is_now = |expected: &Texts| match changes(&project, expected) {
            changes if changes.is_empty() => Ok(()),
            changes => Err(changes.join("\n")),
        };
        let refused = |tool: &str| match call(tool, false) {
            Ok(_) => Err(format!("`{tool}` was not refused")),
            Err(error) => Ok(error.to_json().to_string()),
        };
        match self.question {
            "rename" if self.is_todo => {
                let message = refused("rename_commit")?;
                is_now(&before).map_err(|changes| format!("{message}\n{changes}"))
            }
            "rename" => self.preview_and_write(&call, &is_now, &after, false),
            "refuse" => {
                for tool in ["rename_preview", "rename_commit"] {
                    let message = refused(tool)?;
                    if !message.contains(self.wanted) {
                        return Err(format!("another reason: {message}"));
                    }
                }
                is_now(&before)
            }
            "left" => {
                let (file, text) = self.wanted.split_once(": ").expect("`FILE: TEXT`");
                let lines = (1..).zip(before[file].lines()).filter(|(_, line)| line.contains(text));
                let places: Vec<String> = lines.map(|(line, _)| format!("{file}:{line}")).collect();
                for tool in ["rename_preview", "rename_commit"] {
                    let message = refused(tool)?;
                    if !places.iter().any(|place| message.contains(place)) {
                        return Err(format!("none of {places:?} is listed: {message}"));
                    }
                }
                is_now(&before)?;
                self.preview_and_write(&call, &is_now, &after, true)
            }
            other => Err(format!("`{other}` is not a question")),
        }
    }

    /// Previews and writes.
    fn preview_and_write(
        &self,
        call: &dyn Fn(&str, bool) -> Result<Value, m1nd_tools::ToolError>,
        is_now: &Check<'_>,
        after: &Texts,
        leaves: bool,
    ) -> Result<(), String> {
        let preview = call("rename_preview", leaves).map_err(|error| format!("the preview is refused: {error}"))?;
        let commit = call("rename_commit", leaves).map_err(|error| format!("refused: {error}"))?;
        if preview["total_places"] != commit["total_places"] {
            return Err(format!("the preview shows other places: {preview} {commit}"));
        }
        if commit["verification"]["verdict"] == "BROKEN" {
            return Err(format!("the verdict is BROKEN: {commit}"));
        }
        is_now(after)
    }
}

/// A line, with a carriage return if its place is even.
fn give_return(at: usize, line: &str) -> String {
    if at.is_multiple_of(2) { line.replace('\n', "\r\n") } else { line.to_owned() }
}

/// Lines in which a project differs from what is expected.
fn changes(project: &Project, expected: &Texts) -> Vec<String> {
    let mut found = Vec::new();
    for (path, bytes) in files_below(&[project.tree.path()]) {
        let name = path.strip_prefix(project.tree.path()).expect("below the tree").display().to_string();
        let now = String::from_utf8_lossy(&bytes).into_owned();
        match expected.get(&name) {
            None => found.push(format!("`{name}` should not be there")),
            Some(wanted) if *wanted != now => {
                let lines = wanted.lines().zip(now.lines()).filter(|(wanted, now)| wanted != now);
                found.extend(lines.map(|(wanted, now)| format!("{name}\n  expected: {wanted}\n  found:    {now}")));
            }
            Some(_) => {}
        }
    }
    let missing = expected.keys().filter(|path| !project.tree.path().join(path).exists());
    found.extend(missing.map(|path| format!("`{path}` is missing")));
    found
}

/// Asks all rows of a file.
fn check_rows(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools/rename_cases").join(name);
    let text = format!("\n{}", std::fs::read_to_string(path).expect("is text"));
    let rows: Vec<Row<'_>> = text.split("\n== ").skip(1).map(Row::parse).collect();
    let wrong = rows.iter().filter_map(|row| row.check_both().err().map(|why| format!("{}\n{why}", row.title)));
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{} of {} rows are wrong:\n\n{}", wrong.len(), rows.len(), wrong.join("\n\n"));
}

macro_rules! rows {
    ($($name:ident: $file:literal,)*) => {$(
        #[test]
        fn $name() {
            check_rows($file);
        }
    )*};
}

rows! {
    c_family: "c_family.txt",
    csharp: "csharp.txt",
    go: "go.txt",
    java: "java.txt",
    javascript: "javascript.txt",
    python: "python.txt",
    rust: "rust.txt",
}

#[test]
fn every_file_of_rows_is_asked() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools/rename_cases");
    let this = include_str!("rename_rows.rs");
    for entry in std::fs::read_dir(folder).expect("the cases") {
        let name = entry.expect("a file").file_name().into_string().expect("is text");
        assert!(this.contains(&format!("\"{name}\"")), "`{name}` is not asked");
    }
}
