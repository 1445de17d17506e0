//! What a call returned, for the log of the process.

use m1nd_engine::Snapshot;
use m1nd_sessions::{CallRecord, FileSize, ShownFile};
use serde_json::Value;

use super::call::{Replied, Reply};
use super::context::Context;
use super::definition::ToolDef;
use super::error::ToolError;
use super::kinds::Effect;

/// Values of one answer that are looked at for code.
const MAX_VALUES: usize = 50_000;
/// Members of answers that hold code, and the fewest lines of it for which a reader would have opened the file.
const CODE: &[&str] = &["content", "code", "text", "snippet", "excerpt", "source", "body", "context"];
const LEAST_LINES: usize = 3;
/// Files of one answer that count as read in its place, in its order: nobody reads all files of a long list.
const MAX_READ: usize = 5;

/// What a call asked.
pub(super) struct Asked {
    agent: Option<String>,
    summary: String,
}

impl Asked {
    pub(super) fn of(arguments: &Value) -> Self {
        let members = || arguments.as_object().into_iter().flatten();
        let agent = members().find(|(name, _)| *name == "agent_id").and_then(|(_, value)| value.as_str());
        let texts = members().filter(|(name, _)| *name != "agent_id").filter_map(|(_, value)| value.as_str());
        Self { agent: agent.map(str::to_owned), summary: texts.collect::<Vec<_>>().join(" ") }
    }

    /// Adds the call to the log.
    pub(super) fn note(
        self,
        tool: &ToolDef,
        cx: &Context<'_>,
        outcome: &Result<Replied, ToolError>,
        shown: Vec<ShownFile>,
        elapsed_ms: f64,
    ) {
        let bytes = match outcome {
            Ok(Replied { reply: Reply::Text(text), .. }) => text.len(),
            Ok(Replied { reply: Reply::Json(body), .. }) => body.to_string().len(),
            Err(error) => error.to_json().to_string().len(),
        };
        let call = CallRecord {
            tool: tool.name.to_owned(),
            agent: self.agent.unwrap_or_else(|| cx.agent.to_owned()),
            elapsed_ms,
            results: outcome.as_ref().ok().and_then(|replied| replied.found),
            is_error: outcome.is_err(),
            summary: self.summary,
            writes: tool.effect == Effect::Disk,
            bytes: bytes as u64,
            ..CallRecord::default()
        };
        let graph = cx.snapshot.graph();
        let size = (graph.node_count() as u64, graph.edge_count() as u64, cx.snapshot.generation());
        cx.services.sessions.note_call(call, shown, size);
    }
}

/// The indexed files of which an answer shows code, with how much of it.
pub(super) fn shown_of(body: &Value, snapshot: &Snapshot) -> Vec<ShownFile> {
    let mut found: Vec<ShownFile> = Vec::new();
    // Values with the file that they are about, in the order of the answer.
    let mut open: Vec<(&Value, Option<&str>)> = vec![(body, None)];
    let mut values = 0;
    while let Some((value, path)) = open.pop().filter(|_| values < MAX_VALUES) {
        values += 1;
        match value {
            Value::Array(items) => open.extend(items.iter().rev().map(|item| (item, path))),
            Value::Object(members) => {
                let named = ["file_path", "path", "node_id", "source_path"];
                let own = named.iter().find_map(|name| members.get(*name)?.as_str()).map(file_of);
                let path = own.filter(|path| snapshot.files().by_text(path).is_some()).or(path);
                let code = members.iter().filter(|(name, _)| CODE.contains(&name.as_str()));
                let shown =
                    code.filter_map(|(_, value)| value.as_str()).filter(|text| text.lines().count() >= LEAST_LINES);
                let bytes: usize = shown.map(str::len).sum();
                if let Some(path) = path.filter(|_| bytes > 0) {
                    note(&mut found, path, bytes as u64, snapshot);
                }
                open.extend(members.values().rev().filter(|value| !value.is_string()).map(|value| (value, path)));
            }
            _ => {}
        }
    }
    found
}

/// The path that a text is: that of an id, or itself.
fn file_of(text: &str) -> &str {
    text.strip_prefix("file::").map_or(text, |id| id.split("::").next().unwrap_or(id))
}

fn note(found: &mut Vec<ShownFile>, path: &str, shown: u64, snapshot: &Snapshot) {
    if let Some(known) = found.iter_mut().find(|file| file.path == path) {
        known.shown += shown;
        return;
    }
    let Some(file) = snapshot.files().by_text(path).filter(|_| found.len() < MAX_READ) else { return };
    let size = FileSize { bytes: file.size, lines: u64::from(file.lines) };
    found.push(ShownFile { path: path.to_owned(), size, shown });
}
