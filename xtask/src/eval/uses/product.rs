//! What a program of m1nd answers, asked from outside over MCP, so that any version can be measured.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use m1nd_testkit::wire::Wire;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Outcome;

/// Version of the protocol that is spoken.
const PROTOCOL: &str = "2025-06-18";
/// Rows asked for at once.
const ROWS: usize = 200;
/// Maximum number of pages read of one answer.
const MAX_PAGES: usize = 10;
/// Name of the caller in all calls.
const AGENT: &str = "eval";

/// A definition that the program lists.
#[derive(Debug, Clone)]
pub(super) struct Definition {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) is_constructor: bool,
    /// It is a member of a class, trait or block of methods.
    pub(super) is_member: bool,
}

/// A row of `m1nd export --what nodes`.
#[derive(Deserialize)]
struct NodeRow {
    id: String,
    kind: String,
    name: String,
    file: Option<String>,
    line: u32,
    start_line: u32,
    end_line: u32,
    parent: Option<String>,
    flags: Vec<String>,
}

/// What was answered about a function.
pub(super) struct Answer {
    pub(super) state: String,
    /// File and line of each caller.
    pub(super) places: Vec<(String, u32)>,
    /// Reason and place of what may hide more.
    pub(super) hiding: Vec<(String, String)>,
    pub(super) time: Duration,
}

/// A running program over an indexed checkout.
pub(super) struct Product {
    wire: Wire,
    _home: tempfile::TempDir,
}

impl Product {
    /// Indexes a checkout with a program, and lists its definitions.
    pub(super) fn start(program: &Path, repository: &Path) -> Outcome<(Self, Vec<Definition>)> {
        let home = tempfile::tempdir()?;
        let command = || {
            let mut command = Command::new(program);
            command.env("M1ND_HOME", home.path()).env("MIND_HOME", home.path()).current_dir(repository);
            command
        };
        let output = command().args(["ingest", ".", "--quiet"]).output()?;
        if !output.status.success() {
            return Err(format!("ingest: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        let output = command().args(["export", "--what", "nodes", "--quiet"]).output()?;
        let definitions = read_definitions(&String::from_utf8_lossy(&output.stdout))?;
        let mut wire = Wire::spawn(command().args(["serve", "--no-watch", "--read-only"]))?;
        wire.initialize(PROTOCOL);
        Ok((Self { wire, _home: home }, definitions))
    }

    fn call(&mut self, tool: &str, mut arguments: Value) -> Value {
        arguments["agent_id"] = json!(AGENT);
        self.wire.call(tool, arguments).0
    }

    /// The callers of a node, all pages.
    pub(super) fn callers(&mut self, id: &str) -> Answer {
        self.rows("callers", "callers", id)
    }

    /// The uses of a node, all pages.
    pub(super) fn references(&mut self, id: &str) -> Answer {
        self.rows("references", "references", id)
    }

    fn rows(&mut self, tool: &str, member: &str, id: &str) -> Answer {
        let started = Instant::now();
        let mut answer = self.call(tool, json!({"node_id": id, "top_k": ROWS}));
        let time = started.elapsed();
        let mut places = Vec::new();
        let state = answer["closure"]["state"].as_str().unwrap_or("error").to_owned();
        let hiding = answer["closure"]["hiding"].as_array().into_iter().flatten();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let hiding =
            hiding.map(|row| (text(&row["reason"]), format!("{}:{}", text(&row["file_path"]), row["line"]))).collect();
        for _ in 0..MAX_PAGES {
            let rows = answer[member].as_array().into_iter().flatten();
            places.extend(rows.map(|row| (text(&row["file_path"]), row["line_number"].as_u64().unwrap_or(0) as u32)));
            if answer["truncated"] != true {
                break;
            }
            answer = self.call(tool, json!({"node_id": id, "top_k": ROWS, "cursor": answer["cursor"]}));
        }
        Answer { state, places, hiding, time }
    }

    /// How long `impact` takes.
    pub(super) fn time_impact(&mut self, id: &str) -> Duration {
        let started = Instant::now();
        self.call("impact", json!({"node_id": id}));
        started.elapsed()
    }

    /// Whether `counterfactual` says that a node can be deleted.
    pub(super) fn is_deletable(&mut self, id: &str) -> bool {
        let answer = self.call("counterfactual", json!({"node_ids": [id]}));
        answer["next_step_hint"].as_str().is_some_and(|hint| hint.contains("can be deleted"))
    }
}

fn read_definitions(lines: &str) -> Outcome<Vec<Definition>> {
    let owners = ["class", "struct", "trait", "interface", "impl", "enum", "type"];
    let mut definitions = Vec::new();
    for line in lines.lines() {
        let row: NodeRow = serde_json::from_str(line)?;
        let Some(file) = row.file.filter(|_| row.line > 0 && !["section", "file"].contains(&row.kind.as_str())) else {
            continue;
        };
        let parent_kind = row.parent.as_deref().and_then(|parent| parent.rsplit("::").nth(1).map(str::to_owned));
        let is_in_impl = row.parent.as_deref().is_some_and(|parent| parent.contains("::impl::"));
        definitions.push(Definition {
            id: row.id,
            name: row.name,
            kind: row.kind,
            file,
            line: row.line,
            start: row.start_line.min(row.line),
            end: row.end_line,
            is_constructor: row.flags.iter().any(|flag| flag == "constructor"),
            is_member: is_in_impl || parent_kind.is_some_and(|kind| owners.contains(&kind.as_str())),
        });
    }
    definitions.sort_by(|one, other| (&one.id, one.line).cmp(&(&other.id, other.line)));
    Ok(definitions)
}

/// The program to ask, made absolute because it runs in the checkout.
pub(super) fn absolute(program: &Path) -> Outcome<PathBuf> {
    Ok(std::fs::canonicalize(program)?)
}
