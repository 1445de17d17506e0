//! Memories of the project: decisions, issues, learnings, gotchas.

mod add_global_edge;
mod answers;
mod edges;
mod search;
mod status;

pub(crate) use add_global_edge::AddGlobalEdge;
pub(crate) use edges::Edges;
pub(crate) use search::MemorySearch;
pub(crate) use status::MemoryStatus;

use m1nd_mind::MemoryError;
use serde_json::{Value, json};

use crate::framework::{ErrorCode, ToolError};

/// Converts an error of the memory engine into a tool error with its code and the next step.
#[must_use]
pub fn memory_error(error: &MemoryError) -> ToolError {
    let code = match error {
        MemoryError::NoProject { .. } | MemoryError::NoFile { .. } => ErrorCode::ProjectNotRegistered,
        MemoryError::EdgeExists { .. } => ErrorCode::EdgeExists,
        MemoryError::IndexNotReady { .. } => ErrorCode::IndexNotReady,
        MemoryError::SearchFailed { .. } => ErrorCode::SearchFailed,
        MemoryError::DaemonNotRunning => ErrorCode::DaemonNotRunning,
        MemoryError::Invalid(_) => ErrorCode::InvalidArgument,
        _ => ErrorCode::StoreFailed,
    };
    let body = ToolError::new(code, error.to_string());
    match error {
        MemoryError::NoProject { cwd } => body
            .detail("details", json!({"cwd": cwd}))
            .hint("a project with memories holds `.mind/MEMORY.md`; `scope: all` searches every registered project")
            .next_step("run `mind init` (or `m1nd memory init`) in the project, then repeat this call"),
        MemoryError::NoFile { path, what } => body
            .detail("details", json!({"path": path, "is": what}))
            .next_step("move it away, run `mind init` in the project, then repeat this call"),
        MemoryError::EdgeExists { id, similarity, .. } => {
            let details = json!({"existing_id": id, "similarity": crate::rows::round_value(f64::from(*similarity))});
            body.detail("details", details).next_step("no action is required: the existing gotcha is used")
        }
        MemoryError::IndexNotReady { done, total } => body
            .detail("details", json!({"progress": {"done": done, "total": total}}))
            .next_step("repeat this call in a few seconds; `.mind/MEMORY.md` itself was searched"),
        MemoryError::SearchFailed { why } => body
            .detail("details", json!({"why": why}))
            .next_step("run `mind doctor` to find out what to repair; meanwhile read `.mind/MEMORY.md` directly"),
        MemoryError::DaemonNotRunning => body.next_step("start it with `mind daemon start`; no tool requires it"),
        MemoryError::Damaged { .. } | MemoryError::Store(_) | MemoryError::Files(_) | MemoryError::Block { .. } => {
            body.next_step("run `mind doctor`: it names the file and how to repair it")
        }
        _ => body,
    }
}

/// A number between 0 and 1, rounded for the answer.
fn share(value: f32) -> Value {
    json!((f64::from(value) * 100.0).round() / 100.0)
}
