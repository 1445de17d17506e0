//! Tests the index itself and says whether answers can be trusted.

use std::collections::BTreeMap;

use serde::Serialize;

use super::evidence::Seen;
use crate::checks::{
    Check, CheckName, Depth, Fingerprint, GraphState, Inspection, Playbook, StepId, TrustMode, TrustStatus,
    fingerprint, graph_state, inspect, playbook,
};
use crate::framework::{
    Answer, Command, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, ToolRef, Toolset,
};
use crate::word::Word;

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    verdict: Word<TrustMode>,
    ok: bool,
    status: Word<TrustStatus>,
    checks: Vec<Check>,
    /// Milliseconds by check.
    cost_ms: BTreeMap<Word<CheckName>, f64>,
    next_action: Word<StepId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery_playbook: Option<Playbook>,
    binding_fingerprint: Fingerprint,
    graph_state: GraphState,
    non_claims: &'static [&'static str],
}

/// What no check looked at.
const NON_CLAIMS: &[&str] = &[
    "files that were not sampled are compared by time and size only",
    "references that are `possible` or `unresolved` stay so: the verdict is about the index, not about the code",
];

pub(crate) struct TrustSelftest;

impl Tool for TrustSelftest {
    const NAME: &'static str = "trust_selftest";
    const TOOLSET: Toolset = Toolset::Trust;
    const SUMMARY: &'static str = "Test the index: is it this repository, fresh, sound, and does it find what it holds";
    const ANSWERS: &'static str = "whether the answers can be trusted: each check with its result and cost";
    const HELP: &'static str = "\
Runs every check and gives one verdict. Each row of `checks` has a `result` (`pass`, `fail`, `unknown`), a `detail` and
what it read (`cost`); `cost_ms` holds the time of each. The checks: `host_tools` (the tools that the host shows,
against those that recovery needs; pass `available_tools`), `workspace` (the client's folder and `scope` against the
indexed roots), `index` (it is not empty), `store` (damaged files, failed watching), `files` (64 files compared by
content, others with every generation), `disk` (all files compared by time and size), `round_trip` (a known symbol is
found by id, name, text, edge and search), `snapshot` (checksums of the stored index), `git_head` (the commit now and
when it was indexed).

`verdict` is `full_trust` only if no check of the index failed; `needs_ingest` or `orientation_only` (nothing is
indexed, and this process can or cannot index), `wrong_workspace_binding`, `degraded_host_tool_surface`,
`stale_binding_suspected` (a check of the index failed, or `observed_proof_state` is `blocked`). `recovery_playbook`
holds the steps back. Nothing is changed.";
    const WAITS: bool = false;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const STAGES: &'static [Route] = &[(Stage::Operate, 20, "whether the index can be trusted")];
    const RARE: &'static [&'static str] = &[
        "observed_tool_count", "missing_tools", "observed_tool", "observed_candidates", "observed_proof_state",
        "error_text",
    ];
    const UNLISTED: &'static [&'static str] = &["observed_tool", "observed_candidates", "error_text"];
    const COMMAND: Option<Command> = Some(Command::new("selftest", &[]));
    const TEXT_OMITS: &'static [&'static str] = &["cost_ms", "cost", "graph_state", "non_claims", "status", "ok"];
    const DETAILS: &'static [&'static str] =
        &["cost_ms", "binding_fingerprint", "graph_state", "non_claims", "checks.cost", "next_action"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"verdict": {"type": "string"}, "ok": {"type": "boolean"}}}"#;
    type Input = Seen;
    type Output = Output;
}

impl ReadTool for TrustSelftest {
    fn run(cx: &ReadContext<'_>, input: Seen) -> Result<Answer<Output>, ToolError> {
        let found = inspect(cx, &input.evidence(), Depth::Full)?;
        let book = playbook(&found, cx.agent(), None);
        let guidance = guidance(&found, &book);
        let output = Output {
            verdict: Word(found.mode),
            ok: found.mode == TrustMode::FullTrust,
            status: Word(found.mode.status()),
            next_action: book.next_action,
            recovery_playbook: (found.mode != TrustMode::FullTrust).then_some(book),
            binding_fingerprint: fingerprint(cx, &found.status),
            graph_state: graph_state(cx.snapshot()),
            checks: found.checks,
            cost_ms: found.cost_ms,
            non_claims: NON_CLAIMS,
        };
        Ok(Answer::new(output).guidance(guidance))
    }
}

/// The first step of a playbook that is a call.
pub(super) fn guidance(found: &Inspection, book: &Playbook) -> Guidance {
    let state = match found.mode {
        TrustMode::FullTrust => ProofState::Triaging,
        TrustMode::StaleBindingSuspected | TrustMode::DegradedHostToolSurface => ProofState::Proving,
        TrustMode::NeedsIngest | TrustMode::OrientationOnly | TrustMode::WrongWorkspaceBinding => ProofState::Blocked,
    };
    if found.mode == TrustMode::FullTrust {
        return Guidance::next(state, ToolRef("seek"), None, "the index can be trusted: find the code in question");
    }
    let failed: Vec<&str> = found.list_failed().map(|check| check.detail.as_str()).collect();
    let hint = match failed.is_empty() {
        true => "every check passes; the fault is elsewhere".to_owned(),
        false => failed.join("; "),
    };
    let call = book.steps.iter().find_map(|step| step.call.as_ref());
    let Some(call) = call else { return Guidance { next_step_hint: Some(hint), ..Guidance::state(state) } };
    let target = call.arguments["path"].as_str().map(str::to_owned);
    Guidance::next(state, call.tool, target, hint)
}
