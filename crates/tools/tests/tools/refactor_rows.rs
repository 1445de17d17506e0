//! What a refactoring writes: one row per kind and language, in `refactor_cases/*.txt`.
//!
//! ```text
//! == LANGUAGE | KIND | TITLE
//! {"operation": "move", "node_id": "load", "to": "b.py"}
//! //- a.py
//! the text before
//! //= a.py
//! the text after
//! ```
//!
//! The second line has the arguments; `=> TEXT` behind them says that preview and commit refuse for a reason with this
//! text, and that nothing changes. Files that are not repeated after `//=` stay; `//x PATH` says that a file is gone.
//! Every row is asked twice: with lines that end with a line feed, and with a carriage return in front of it. A row
//! with `␍` at the end of some lines, where a carriage return stands, is asked once.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Project, files_below};

/// The texts of files, by path.
type Texts = BTreeMap<String, String>;

/// A row: its arguments, the text of its refusal, and the files before and after.
struct Row<'a> {
    title: &'a str,
    arguments: Value,
    refusal: Option<&'a str>,
    before: Texts,
    after: Texts,
}

impl<'a> Row<'a> {
    fn parse(text: &'a str) -> Self {
        let (title, rest) = text.split_once('\n').expect("a title");
        let (question, files) = rest.split_once('\n').expect("a question");
        let (question, refusal) = match question.split_once(" => ") {
            Some((question, refusal)) => (question, Some(refusal)),
            None => (question, None),
        };
        let arguments = serde_json::from_str(question).unwrap_or_else(|error| panic!("{title}: {error}"));
        let (mut before, mut after, mut gone) = (Texts::new(), Texts::new(), Vec::new());
        for part in split_marks(&format!("\n{files}")) {
            let (head, text) = part.split_once('\n').unwrap_or((&part, ""));
            let text = match text.trim_end_matches('\n') {
                "" => String::new(),
                text => format!("{text}\n").replace("␍\n", "\r\n"),
            };
            match head.split_once(' ').expect("a path") {
                ("-", path) => drop(before.insert(path.to_owned(), text)),
                ("=", path) => drop(after.insert(path.to_owned(), text)),
                ("x", path) => gone.push(path.to_owned()),
                (mark, _) => panic!("{title}: unknown mark `//{mark}`"),
            }
        }
        for (path, text) in &before {
            if !gone.contains(path) {
                after.entry(path.clone()).or_insert_with(|| text.clone());
            }
        }
        Self { title, arguments, refusal, before, after }
    }

    /// The row with lines that end with carriage returns and line feeds.
    fn with_returns(&self) -> Self {
        let convert = |texts: &Texts| -> Texts {
            texts.iter().map(|(path, text)| (path.clone(), text.replace('\n', "\r\n"))).collect()
        };
        let (before, after) = (convert(&self.before), convert(&self.after));
        Self { before, after, arguments: self.arguments.clone(), ..*self }
    }

    /// Asks for the preview and writes it, and compares the files, with each kind of line ends.
    fn check_both(&self) -> Result<(), String> {
        self.check()?;
        if self.before.values().any(|text| text.contains('\r')) {
            return Ok(());
        }
        self.with_returns().check().map_err(|why| format!("with carriage returns: {why}"))
    }

    /// Asks for the preview and writes it, and compares the files.
    fn check(&self) -> Result<(), String> {
        let fixture: String = self.before.iter().map(|(path, text)| format!("//- /{path}\n{text}")).collect();
        let project = Project::new(&fixture);
        let mut commit = self.arguments.clone();
        commit["confirm"] = json!(true);
        let answers = [
            project.call("refactor_preview", self.arguments.clone()),
            project.call("refactor_commit", commit),
        ];
        for answer in answers {
            match (answer, self.refusal) {
                (Ok(_), Some(_)) => return Err("it was not refused".to_owned()),
                (Err(error), None) => return Err(format!("refused: {}", error.to_json())),
                (Err(error), Some(text)) if !error.to_json().to_string().contains(text) => {
                    return Err(format!("another reason: {}", error.to_json()));
                }
                (Ok(answer), None) if answer["verification"]["verdict"] == "BROKEN" => {
                    return Err(format!("the verdict is BROKEN: {answer}"));
                }
                _ => {}
            }
        }
        compare(&project, &self.after)
    }
}

/// The parts behind the marks of a row. Other lines may begin with `//` too: they are code.
fn split_marks(files: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for part in files.split("\n//").skip(1) {
        match parts.last_mut().filter(|_| !["- ", "= ", "x "].iter().any(|mark| part.starts_with(mark))) {
            Some(last) => last.push_str(&format!("\n//{part}")),
            None => parts.push(part.to_owned()),
        }
    }
    parts
}

/// Compares the files of a project with what they should be.
fn compare(project: &Project, expected: &Texts) -> Result<(), String> {
    let mut found = Texts::new();
    for (path, bytes) in files_below(&[project.tree.path()]) {
        let name = path.strip_prefix(project.tree.path()).expect("below the tree").display().to_string();
        found.insert(name, String::from_utf8_lossy(&bytes).into_owned());
    }
    let paths: std::collections::BTreeSet<&String> = expected.keys().chain(found.keys()).collect();
    let differs = paths.into_iter().filter(|path| expected.get(*path) != found.get(*path));
    let rows: Vec<String> = differs
        .map(|path| format!("--- {path}, expected\n{:#}\n--- found\n{:#}", show(expected.get(path)), show(found.get(path))))
        .collect();
    if rows.is_empty() { Ok(()) } else { Err(rows.join("\n")) }
}

fn show(text: Option<&String>) -> &str {
    text.map_or("(not there)", |text| text.as_str())
}

/// Asks all rows of a file.
fn check_rows(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools/refactor_cases").join(name);
    let text = format!("\n{}", std::fs::read_to_string(path).expect("is text"));
    let rows: Vec<Row<'_>> = text.split("\n== ").skip(1).map(Row::parse).collect();
    assert!(!rows.is_empty(), "{name} has no rows");
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
    move_c: "move_c.txt",
    move_go: "move_go.txt",
    move_java: "move_java.txt",
    change_signature_python: "change_signature_python.txt",
    change_signature_typescript: "change_signature_typescript.txt",
    change_signature_go: "change_signature_go.txt",
    change_signature_rust: "change_signature_rust.txt",
    change_signature_java: "change_signature_java.txt",
    change_signature_c: "change_signature_c.txt",
    move_python: "move_python.txt",
    move_script: "move_script.txt",
    move_rust: "move_rust.txt",
    extract_c: "extract_c.txt",
    extract_go: "extract_go.txt",
    extract_java: "extract_java.txt",
    extract_python: "extract_python.txt",
    extract_rust: "extract_rust.txt",
    extract_typescript: "extract_typescript.txt",
    inline_c: "inline_c.txt",
    inline_go: "inline_go.txt",
    inline_java: "inline_java.txt",
    inline_python: "inline_python.txt",
    inline_rust: "inline_rust.txt",
    inline_typescript: "inline_typescript.txt",
}

#[test]
fn every_file_of_rows_is_asked() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools/refactor_cases");
    let this = include_str!("refactor_rows.rs");
    for entry in std::fs::read_dir(folder).expect("the cases") {
        let name = entry.expect("a file").file_name().into_string().expect("is text");
        assert!(this.contains(&format!("\"{name}\"")), "`{name}` is not asked");
    }
}
