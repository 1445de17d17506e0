//! Answers while the files of the first index are parsed and their references are being linked. Tools that need no
//! links get what is known by then, and say so; all others get the published index, which is empty, so that none of
//! them concludes anything from links that are not there yet.

use serde_json::{Map, Value, json};

use super::answer::{Guidance, ProofState};
use super::context::Context;
use super::definition::ToolDef;
use super::error::{ErrorCode, ToolError};

/// Member of an answer that is about parsed files whose references are not linked.
pub(super) const MEMBER: &str = "linking";
/// What it says.
const NOTE: &str = "files are parsed, their references are still being linked: callers and uses are not known yet, nor \
                    definitions that macros make";

/// The context with what is known before links; `None` if the tool needs links or there is nothing to take.
pub(super) fn take_unlinked<'a>(tool: &ToolDef, cx: &Context<'a>) -> Option<Context<'a>> {
    let snapshot =
        (tool.answers_unlinked && cx.snapshot.is_empty()).then(|| cx.services.engine.find_unlinked()).flatten()?;
    Some(Context { snapshot, ..cx.clone() })
}

/// The error of a question that links answer, while they are made.
pub fn cannot_tell() -> ToolError {
    ToolError::new(ErrorCode::EmptyGraph, "cannot tell yet: files are parsed, their references are still being linked")
        .hint("`search`, `outline` and `definition` of a name answer meanwhile")
        .next_step("repeat this call in a few seconds; `health` shows how far the index is")
        .detail(MEMBER, json!(true))
}

/// Adds the note to an answer from an index that is not linked.
pub(super) fn add_note(body: &mut Map<String, Value>, cx: &Context<'_>) {
    if cx.snapshot.is_unlinked() {
        // First, so that no limit of size cuts it off.
        body.shift_insert(0, MEMBER.into(), json!(NOTE));
    }
}

/// The next step after such an answer: what follows from it usually needs links.
pub(super) fn change_guidance(guidance: Guidance, cx: &Context<'_>) -> Guidance {
    if !cx.snapshot.is_unlinked() {
        return guidance;
    }
    let hint = "references are being linked; repeat this call in a few seconds for all that is known";
    Guidance { next_step_hint: Some(hint.into()), ..Guidance::state(ProofState::Proving) }
}

/// Says of what was not found, or not clear, that links may still bring it.
pub(super) fn change_error(error: ToolError, cx: &Context<'_>) -> ToolError {
    let is_open = match error.code {
        ErrorCode::NodeNotFound | ErrorCode::AmbiguousNode | ErrorCode::FileNotFound => cx.snapshot.is_unlinked(),
        ErrorCode::EmptyGraph => cx.services.engine.find_unlinked().is_some(),
        _ => false,
    };
    if is_open { cannot_tell() } else { error }
}
