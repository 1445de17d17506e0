//! Says which kind of trust this connection deserves, from the binding and the host's tools alone.

use serde::Serialize;

use super::evidence::Seen;
use crate::checks::{
    Check, CheckName, Depth, Fingerprint, GraphState, Mismatch, Outcome, StepId, Surface, TrustMode, fingerprint,
    graph_state, inspect, playbook,
};
use crate::framework::{Answer, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset};
use crate::word::Word;

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    trust_mode: Word<TrustMode>,
    can_ingest: bool,
    can_retrieve: bool,
    can_recover: bool,
    next_action: Word<StepId>,
    tool_surface: Surface,
    checks: Vec<Check>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace_binding_mismatch: Option<Mismatch>,
    binding_fingerprint: Fingerprint,
    graph_state: GraphState,
}

pub(crate) struct SessionHandshake;

impl Tool for SessionHandshake {
    const NAME: &'static str = "session_handshake";
    const TOOLSET: Toolset = Toolset::Trust;
    const SUMMARY: &'static str = "Classify this connection: what it can do and how far to trust it";
    const ANSWERS: &'static str = "whether the host shows the tools it should, and what this connection can do";
    const HELP: &'static str = "\
The quick form of `trust_selftest`: the same checks with 12 sampled files, and `snapshot` only where it is small or was
compared before. Pass the tools that the host shows as `available_tools` (or their number): `tool_surface` compares
them with those that exist, and `missing_required_tools` names those without which an agent cannot recover.
`trust_mode` is as in `trust_selftest`. `can_retrieve` says that something is indexed, `can_ingest` that this process
can index, `can_recover` that no required tool is missing.";
    const WAITS: bool = false;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "available_tools": ["health", "seek", "help"]}"#;
    const RARE: &'static [&'static str] = super::trust_selftest::TrustSelftest::RARE;
    const UNLISTED: &'static [&'static str] =
        &["observed_tool", "observed_candidates", "observed_proof_state", "error_text"];
    const DETAILS: &'static [&'static str] = &["binding_fingerprint", "graph_state", "checks.cost", "tool_surface"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"trust_mode": {"type": "string"}}}"#;
    type Input = Seen;
    type Output = Output;
}

impl ReadTool for SessionHandshake {
    fn run(cx: &ReadContext<'_>, input: Seen) -> Result<Answer<Output>, ToolError> {
        let found = inspect(cx, &input.evidence(), Depth::Quick)?;
        let book = playbook(&found, cx.agent(), None);
        let guidance = super::trust_selftest::guidance(&found, &book);
        let output = Output {
            trust_mode: Word(found.mode),
            can_ingest: found.can_ingest && !found.surface.missing_required_tools.contains(&ToolRef("ingest")),
            can_retrieve: found.has(CheckName::Index, Outcome::Pass),
            can_recover: found.surface.missing_required_tools.is_empty(),
            next_action: book.next_action,
            binding_fingerprint: fingerprint(cx, &found.status),
            graph_state: graph_state(cx.snapshot()),
            workspace_binding_mismatch: found.mismatch,
            tool_surface: found.surface,
            checks: found.checks,
        };
        Ok(Answer::new(output).guidance(guidance))
    }
}
