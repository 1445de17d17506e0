//! What a call returned, for the log of the process.

use std::collections::BTreeMap;

use m1nd_engine::Snapshot;
use m1nd_sessions::{CallRecord, FileSize};
use serde_json::Value;

use super::call::{Replied, Reply};
use super::context::Context;
use super::definition::ToolDef;
use super::error::ToolError;
use super::kinds::Effect;

/// Texts of one answer in which names of files are looked for.
const MAX_TEXTS: usize = 20_000;

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
        spoken: Vec<(String, FileSize)>,
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
        cx.services.sessions.note_call(call, spoken, size);
    }
}

/// The indexed files that an answer names, with their sizes.
pub(super) fn spoken_of(body: &Value, snapshot: &Snapshot) -> Vec<(String, FileSize)> {
    let mut found: BTreeMap<String, FileSize> = BTreeMap::new();
    let mut open = vec![body];
    let mut texts = 0;
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            Value::String(text) if texts < MAX_TEXTS => {
                texts += 1;
                let path = text.strip_prefix("file::").map_or(text.as_str(), |id| id.split("::").next().unwrap_or(id));
                if let Some(file) = snapshot.files().by_text(path) {
                    found.insert(path.to_owned(), FileSize { bytes: file.size, lines: u64::from(file.lines) });
                }
            }
            _ => {}
        }
    }
    found.into_iter().collect()
}
