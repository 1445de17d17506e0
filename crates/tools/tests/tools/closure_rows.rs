//! What may reach a function without a call that names it: one row per kind and language, in `closure_cases/*.txt`.
//!
//! A row is a small program and questions about it:
//!
//! ```text
//! == LANGUAGE | KIND | TITLE
//! setup STEP PATH
//! callers NODE => WANTED || WANTED
//! todo counterfactual NODE => WANTED
//! //- a.py
//! ```
//!
//! A question is right if one of its alternatives holds. `todo` marks those that are known to be wrong; they are only
//! counted. `UPDATE_EXPECT=1` writes the marks that hold today. `PLACE` is `FILE: TEXT`, the lines of a file of the row
//! that contain the text (of a file alone: any line).
//!
//! | wanted | holds if |
//! |---|---|
//! | `row LABEL [TIER]` | a caller has this label (and tier) |
//! | `site PLACE [TIER]` | a call is at this place |
//! | `no LABEL [TIER]` | no caller has this label (and tier) |
//! | `open [REASON] [@ PLACE]` | not `closed`, for that reason and place, nor `deletable` |
//! | `closed` | the answer is `closed` |
//! | `kept`, `deletable` | `counterfactual` does not say, or says, that the node can be deleted |
//! | `shows TEXT`, `lists TEXT` | the answer contains the text |

use std::path::{Path, PathBuf};
use std::process::Command;

use m1nd_base::Limits;
use m1nd_testkit::{TempTree, parse_fixture};
use serde_json::{Value, json};

use crate::harness::Project;

/// What `counterfactual` says of a node that nothing uses.
const DELETABLE: &str = "can be deleted";
/// How much of an error is shown, in characters.
const MAX_SHOWN: usize = 400;
/// Marks questions that are known to be answered wrongly.
const TODO: &str = "todo ";

/// A small program, and questions about it.
struct Row<'a> {
    /// Of the mark, counted from 0.
    line: usize,
    title: &'a str,
    setup: Vec<&'a str>,
    questions: Vec<Question<'a>>,
    fixture: &'a str,
}

struct Question<'a> {
    /// Counted from 0.
    line: usize,
    is_todo: bool,
    tool: &'a str,
    node: &'a str,
    wanted: Vec<Wanted<'a>>,
}

enum Wanted<'a> {
    Row(&'a str, Option<&'a str>),
    Site(Place<'a>, Option<&'a str>),
    No(&'a str, Option<&'a str>),
    Open(Option<&'a str>, Option<Place<'a>>),
    Closed,
    Kept,
    Deletable,
    Contains(&'a str),
}

/// A file, and a text that the line must contain.
#[derive(Clone, Copy)]
struct Place<'a> {
    file: &'a str,
    text: Option<&'a str>,
}

impl<'a> Place<'a> {
    fn parse(text: &'a str) -> Self {
        let (file, text) = match text.split_once(": ") {
            Some((file, text)) => (file, Some(text.trim())),
            None => (text, None),
        };
        Self { file: file.trim(), text }
    }

    /// Whether the line is here. A notebook counts as a file alone, because cells have lines of their own.
    fn holds(&self, files: &[(String, String)], row: &Value) -> bool {
        if row["file_path"] != self.file {
            return false;
        }
        let Some(text) = self.text else { return true };
        let line = row["line_number"].as_u64().or(row["line"].as_u64());
        let (_, content) = files.iter().find(|(path, _)| path == self.file).expect("a file of the row");
        let mut lines = (1..).zip(content.lines()).filter(|(_, line)| line.contains(text)).map(|(number, _)| number);
        lines.any(|number| Some(number) == line)
    }
}

/// Splits off a last word that is a tier.
fn split_tier(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(' ') {
        Some((text, tier @ ("certain" | "possible"))) => (text.trim(), Some(tier)),
        _ => (text, None),
    }
}

impl<'a> Wanted<'a> {
    fn parse(text: &'a str) -> Self {
        let text = text.trim();
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let (without_tier, tier) = split_tier(rest.trim());
        match word {
            "row" => Self::Row(without_tier, tier),
            "site" => Self::Site(Place::parse(without_tier), tier),
            "no" => Self::No(without_tier, tier),
            "open" => {
                let (reason, place) = match rest.split_once('@') {
                    Some((reason, place)) => (reason, Some(Place::parse(place.trim()))),
                    None => (rest, None),
                };
                Self::Open(Some(reason.trim()).filter(|reason| !reason.is_empty()), place)
            }
            "closed" => Self::Closed,
            "kept" => Self::Kept,
            "deletable" => Self::Deletable,
            "shows" | "lists" => Self::Contains(rest),
            _ => panic!("unknown expectation `{text}`"),
        }
    }

    fn place(&self) -> Option<Place<'a>> {
        match self {
            Self::Site(place, _) | Self::Open(_, Some(place)) => Some(*place),
            _ => None,
        }
    }
}

fn parse_rows(text: &str) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut offset = 0;
    let mut start = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        offset += line.len();
        let line = line.trim_end();
        if let Some(title) = line.strip_prefix("== ") {
            assert_eq!(title.split(" | ").count(), 3, "`{line}` must say language, kind and title");
            rows.push(Row { line: number, title, setup: Vec::new(), questions: Vec::new(), fixture: "" });
            start = 0;
            continue;
        }
        let row = rows.last_mut().unwrap_or_else(|| panic!("`{line}` belongs to no row"));
        if start == 0 && line.starts_with("//- ") {
            start = offset - text[..offset].lines().next_back().map_or(0, str::len) - 1;
        }
        if start > 0 {
            row.fixture = &text[start..offset];
        } else if let Some(step) = line.strip_prefix("setup ") {
            row.setup.push(step);
        } else {
            row.questions.push(parse_question(number, line));
        }
    }
    rows
}

fn parse_question(number: usize, line: &str) -> Question<'_> {
    let (question, is_todo) = line.strip_prefix(TODO).map_or((line, false), |question| (question, true));
    let (asked, wanted) = question.split_once(" => ").unwrap_or_else(|| panic!("`{line}` expects nothing"));
    let (tool, node) = asked.split_once(' ').unwrap_or((asked, ""));
    let wanted = wanted.split(" || ").map(Wanted::parse).collect();
    Question { line: number, is_todo, tool, node, wanted }
}

impl Row<'_> {
    /// Panics if a place is in no file of the row: such a question could never be right.
    fn check_places(&self, files: &[(String, String)]) {
        for place in self.questions.iter().flat_map(|question| &question.wanted).filter_map(Wanted::place) {
            let file = files.iter().find(|(path, _)| path == place.file);
            let (_, content) = file.unwrap_or_else(|| panic!("{}: no file {}", self.title, place.file));
            let is_there = place.text.is_none_or(|text| content.contains(text));
            assert!(is_there, "{}: `{}` is not in {}", self.title, place.text.unwrap_or_default(), place.file);
        }
    }

    fn project(&self) -> Project {
        let project = Project::open_unindexed(self.fixture);
        for step in &self.setup {
            set_up(&project.tree, step);
        }
        project
    }
}

/// Does a step of a row's setup to its files.
fn set_up(tree: &TempTree, step: &str) {
    let (step, path) = step.split_once(' ').unwrap_or((step, ""));
    let read = || std::fs::read_to_string(tree.join(path)).expect("a file of the row");
    let limits = Limits::default();
    match step {
        "git" => commit_all(tree.path()),
        "sparse" => {
            git(tree.path(), &["update-index", "--skip-worktree", path]);
            tree.remove(path);
        }
        "submodule" => {
            commit_all(&tree.join(path));
            let url = tree.join(path);
            tree.write(".gitmodules", format!("[submodule \"{path}\"]\n\tpath = {path}\n\turl = {}\n", url.display()));
            commit_all(tree.path());
            git(tree.path(), &["submodule", "init"]);
            git(tree.path(), &["submodule", "absorbgitdirs"]);
        }
        "grow" => tree.write(path, read() + &"# filler\n".repeat(limits.parse_bytes / 9 + 1)),
        "long" => tree.write(path, read().trim_end().to_owned() + &"x=1;".repeat(limits.line_bytes / 4 + 1) + "\n"),
        "utf16" => {
            let units = std::iter::once(0xfeff).chain(read().encode_utf16().collect::<Vec<_>>());
            tree.write(path, units.flat_map(u16::to_le_bytes).collect::<Vec<_>>());
        }
        "latin1" => {
            let byte = |character| u8::try_from(u32::from(character)).expect("a character of Latin-1");
            tree.write(path, read().chars().map(byte).collect::<Vec<_>>());
        }
        _ => panic!("unknown step `{step}`"),
    }
}

/// Makes a repository of a folder, with one commit of all files, ignored ones included.
fn commit_all(folder: &Path) {
    git(folder, &["init", "-q"]);
    git(folder, &["add", "-A", "-f"]);
    git(folder, &["commit", "-q", "-m", "start"]);
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=ann", "-c", "user.email=ann@example.com", "-c", "protocol.file.allow=always"]);
    let output = command.args(arguments).current_dir(folder).env("HOME", folder).output().expect("git runs");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// An indexed row, and what `ingest` answered.
struct Asked<'a> {
    project: Project,
    files: &'a [(String, String)],
    ingested: Value,
}

impl Asked<'_> {
    fn answer(&self, tool: &str, node: &str) -> Value {
        let arguments = match tool {
            "ingest" => return self.ingested.clone(),
            "counterfactual" => json!({"node_ids": [node]}),
            "view" => json!({"file_path": node}),
            "health" => json!({}),
            _ => json!({"node_id": node}),
        };
        self.project.call(tool, arguments).unwrap_or_else(|error| error.to_json())
    }

    fn says_deletable(&self, node: &str) -> bool {
        let answer = self.answer("counterfactual", node);
        answer["next_step_hint"].as_str().is_some_and(|hint| hint.contains(DELETABLE))
    }

    /// Whether the answer to a question is as wanted.
    fn holds(&self, question: &Question<'_>, answer: &Value, wanted: &Wanted<'_>) -> bool {
        let none = Vec::new();
        let callers = answer["callers"].as_array().unwrap_or(&none);
        let has = |row: &Value, label: &str, tier: Option<&str>| {
            let path_end = row["label"].as_str().and_then(|label| label.rsplit_once(['.', ':'])).map(|(_, end)| end);
            let is_named = row["label"] == label || row["file_path"] == label || path_end == Some(label);
            is_named && tier.is_none_or(|tier| row["tier"] == tier)
        };
        match *wanted {
            Wanted::Row(label, tier) => callers.iter().any(|row| has(row, label, tier)),
            Wanted::No(label, tier) => answer["callers"].is_array() && !callers.iter().any(|row| has(row, label, tier)),
            Wanted::Site(place, tier) => {
                let is_there = |row: &&Value| place.holds(self.files, row);
                callers.iter().filter(is_there).any(|row| tier.is_none_or(|tier| row["tier"] == tier))
            }
            Wanted::Open(reason, place) => {
                let hiding = answer["closure"]["hiding"].as_array().unwrap_or(&none);
                let is_meant = |row: &Value| {
                    reason.is_none_or(|reason| row["reason"] == reason)
                        && place.is_none_or(|place| place.holds(self.files, row))
                };
                let is_open = answer["closure"]["state"].as_str().is_some_and(|state| state != "closed");
                let is_told = reason.is_none() && place.is_none() || hiding.iter().any(is_meant);
                is_open && is_told && !self.says_deletable(question.node)
            }
            Wanted::Closed => answer["closure"]["state"] == "closed",
            Wanted::Kept => !self.says_deletable(question.node) && answer["closure"].is_object(),
            Wanted::Deletable => self.says_deletable(question.node),
            Wanted::Contains(text) => answer.to_string().contains(text),
        }
    }
}

/// What of an answer explains why it is wrong.
fn shorten(answer: &Value) -> String {
    if let Some(code) = answer.get("code") {
        return format!("{code}: {answer}").chars().take(MAX_SHOWN).collect();
    }
    let rows = answer["callers"].as_array().into_iter().flatten();
    let callers: Vec<String> = rows
        .map(|row| format!("{} {}:{} {}", row["label"], row["file_path"], row["line_number"], row["tier"]))
        .collect();
    let hiding = answer["closure"]["hiding"].as_array().into_iter().flatten();
    let hiding: Vec<String> =
        hiding.map(|row| format!("{} {} {}:{}", row["name"], row["reason"], row["file_path"], row["line"])).collect();
    format!("callers {callers:?}, {} {hiding:?}: {}", answer["closure"]["state"], answer["next_step_hint"])
}

/// Checks the rows of a file of `closure_cases`. Questions without a mark must be right.
#[expect(clippy::print_stdout, reason = "the count of rows that are not right yet is to be seen with --nocapture")]
fn check(name: &str, text: &str) {
    let is_update = std::env::var_os("UPDATE_EXPECT").is_some();
    let only = std::env::var("CLOSURE_ONLY").ok();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut wrong = Vec::new();
    let (mut rows, mut right_rows, mut questions, mut right_questions) = (0, 0, 0, 0);
    for row in parse_rows(text) {
        if only.as_ref().is_some_and(|only| !row.title.contains(only)) {
            continue;
        }
        let files = parse_fixture(row.fixture);
        row.check_places(&files);
        let project = row.project();
        let ingested = project.ok("ingest", json!({"path": "."}));
        let asked = Asked { project, files: &files, ingested };
        let mut is_row_right = true;
        for question in &row.questions {
            let answer = asked.answer(question.tool, question.node);
            let is_right = question.wanted.iter().any(|wanted| asked.holds(question, &answer, wanted));
            questions += 1;
            right_questions += usize::from(is_right);
            is_row_right &= is_right;
            let plain = lines[question.line].strip_prefix(TODO).unwrap_or(&lines[question.line]).to_owned();
            if is_right && question.is_todo {
                println!("right now: {name}.txt:{}: {plain}", question.line + 1);
            }
            if !is_right {
                let told = format!("{name}.txt:{}: {plain}\n    {}", question.line + 1, shorten(&answer));
                if question.is_todo { println!("todo: {told}") } else { wrong.push(told) }
            }
            lines[question.line] = if is_right { plain } else { format!("{TODO}{plain}") };
        }
        rows += 1;
        right_rows += usize::from(is_row_right);
        assert!(!row.questions.is_empty(), "row at line {} asks nothing", row.line + 1);
    }
    println!("{name}: {right_rows} of {rows} rows right, {right_questions} of {questions} questions");
    if is_update {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/tools/closure_cases/{name}.txt"));
        std::fs::write(path, lines.join("\n") + "\n").expect("the marks are written");
    } else {
        assert!(wrong.is_empty(), "wrong answers:\n{}", wrong.join("\n"));
    }
}

macro_rules! check_files {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            check(stringify!($name), include_str!(concat!("closure_cases/", stringify!($name), ".txt")));
        }
    )*};
}

check_files! { c_family go java javascript other_languages outside_values overridden python rust text }
