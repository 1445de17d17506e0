//! What an answer says when files changed that its snapshot does not have.

use m1nd_base::count;
use m1nd_engine::{Freshness, ProcessRole};
use serde::Serialize;
use serde_json::Value;

use super::answer::{Guidance, ProofState, ToolRef};
use super::context::{Context, stage};
use super::error::ToolError;

/// Files that changed and are not in the snapshot.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Stale {
    /// The first of them, at most [`Freshness::MAX_LISTED`].
    files: Vec<String>,
    total: usize,
    /// Not everything was compared: there may be more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
    /// What to do.
    hint: &'static str,
    #[serde(skip)]
    role: ProcessRole,
}

/// The context after the engine has caught up with the disk as far as it can, and what is still missing.
pub(super) fn caught_up<'a>(cx: &Context<'a>) -> (Context<'a>, Option<Stale>) {
    let engine = &cx.services.engine;
    stage(cx.progress, "comparing with the disk");
    let (snapshot, found) = engine.catch_up(cx.cancel);
    stage(cx.progress, "answering");
    (Context { snapshot, ..cx.clone() }, Stale::of(&found, engine.role()))
}

impl Stale {
    /// What a comparison found; `None` if the index is what is on disk.
    pub(super) fn of(found: &Freshness, role: ProcessRole) -> Option<Self> {
        let hint = match role {
            ProcessRole::Writer => "call `ingest` with `incremental: true`, then repeat this call",
            ProcessRole::Reader => "another m1nd process writes the index; repeat this call in a few seconds",
            ProcessRole::ReadOnly => "this process only reads the index; run `m1nd ingest`, then repeat this call",
        };
        let files = found.changed.iter().map(ToString::to_string).collect();
        (!found.is_fresh()).then_some(Self { files, total: found.total, incomplete: !found.complete, hint, role })
    }

    /// The reason why nothing can be said to be absent.
    pub(super) fn why(&self) -> String {
        let changed = match self.total {
            0 => return "the index could not be compared with the files on disk in time".to_owned(),
            1 => "1 file changed since it was indexed".to_owned(),
            total => format!("{} changed since they were indexed", count(total, "file")),
        };
        if self.incomplete { format!("at least {changed}") } else { changed }
    }

    pub(super) fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// An answer on an old index lets nobody edit: the next step is a newer one.
    pub(super) fn guidance(&self, of_answer: Guidance, cx: &Context<'_>) -> Guidance {
        let proof_state = match of_answer.proof_state {
            ProofState::ReadyToEdit => ProofState::Proving,
            state => state,
        };
        let root = cx.snapshot.roots().first().map(|root| root.path.to_string_lossy().into_owned());
        let indexes = self.role == ProcessRole::Writer;
        Guidance {
            proof_state,
            next_suggested_tool: indexes.then_some(ToolRef("ingest")),
            next_suggested_target: root.filter(|_| indexes),
            next_step_hint: Some(format!("{}: {}", self.why(), self.hint)),
        }
    }

    /// What was not found may be in a file that changed.
    pub(super) fn in_error(&self, error: ToolError) -> ToolError {
        error.detail("stale", self.to_json())
    }
}
