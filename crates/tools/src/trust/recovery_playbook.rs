//! Steps back to full trust, in order.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::evidence::Seen;
use crate::checks::{Check, Depth, Playbook, TrustMode, inspect, playbook};
use crate::framework::{Answer, ReadContext, ReadTool, Route, Stage, Tool, ToolError, Toolset};
use crate::word::Word;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Default: as the checks find it
    trust_mode: Option<TrustMode>,
    /// Tools that the host shows
    #[serde(default)]
    available_tools: Vec<String>,
    /// Names known to be missing
    #[serde(default)]
    missing_tools: Vec<String>,
    /// Folder or file you work on
    scope: Option<String>,
    /// `proof_state` of a strange answer
    observed_proof_state: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    #[serde(flatten)]
    playbook: Playbook,
    /// The verdict of the checks, if the caller named another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    found_trust_mode: Option<Word<TrustMode>>,
    /// The checks that did not pass.
    checks: Vec<Check>,
}

pub(crate) struct RecoveryPlaybook;

impl Tool for RecoveryPlaybook {
    const NAME: &'static str = "recovery_playbook";
    const TOOLSET: Toolset = Toolset::Trust;
    const SUMMARY: &'static str = "List the steps back to full trust, as calls that can be made";
    const ANSWERS: &'static str = "what to do, in order, when answers look wrong, stale or empty";
    const HELP: &'static str = "\
Runs the checks of `session_handshake` and lists the steps for their verdict, or for `trust_mode` if you name one. A
step with `tool` and `arguments` is a call that can be made as it stands; one with `command` is for a shell; the others
are for you or the user. `checks` holds those that did not pass. Only proposes: nothing is changed.";
    const WAITS: bool = false;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const STAGES: &'static [Route] = &[(Stage::Operate, 40, "the way back when answers look wrong")];
    const RARE: &'static [&'static str] = &["missing_tools", "available_tools", "observed_proof_state"];
    const DETAILS: &'static [&'static str] = &["next_action"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"steps": {"type": "array", "items": {"type": "object", "required": ["id", "action"]}}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for RecoveryPlaybook {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let seen = Seen {
            available_tools: input.available_tools,
            missing_tools: input.missing_tools,
            scope: input.scope,
            observed_proof_state: input.observed_proof_state,
            ..Seen::default()
        };
        let found = inspect(cx, &seen.evidence(), Depth::Quick)?;
        let playbook = playbook(&found, cx.agent(), input.trust_mode);
        let guidance = super::trust_selftest::guidance(&found, &playbook);
        let differs = input.trust_mode.is_some_and(|wanted| wanted != found.mode);
        let output = Output {
            found_trust_mode: differs.then_some(Word(found.mode)),
            checks: found.list_failed().cloned().collect(),
            playbook,
        };
        Ok(Answer::new(output).guidance(guidance))
    }
}
