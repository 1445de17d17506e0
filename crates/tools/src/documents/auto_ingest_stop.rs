//! Stops keeping documents current.

use serde::Serialize;

use crate::framework::{
    Answer, Effect, Guidance, NoArguments, ProofState, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
};
use crate::rows::engine_error;

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    stopped: bool,
    /// Documents that were kept current.
    manifest_entries: usize,
}

pub(crate) struct AutoIngestStop;

impl Tool for AutoIngestStop {
    const NAME: &'static str = "auto_ingest_stop";
    const TOOLSET: Toolset = Toolset::Documents;
    const SUMMARY: &'static str = "Stop keeping documents current; what was read stays in the graph";
    const ANSWERS: &'static str = "stops following changes of documents";
    const HELP: &'static str = "\
Stops what `auto_ingest_start` started, also after a restart. The documents stay in the graph as they were read last, and
the list of what was read is kept, so that starting again reads only what changed meanwhile. Only the agent that started
it can stop it, or anybody if it was taken up after a restart.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const EXAMPLE_AFTER: &'static [(&'static str, &'static str)] = &[("auto_ingest_start", r#"{"roots": ["."]}"#)];
    const DETAILS: &'static [&'static str] = &["manifest_entries"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"stopped": {"type": "boolean"}, "manifest_entries": {"type": "integer"}}}"#;
    type Input = NoArguments;
    type Output = Output;
}

impl WriteTool for AutoIngestStop {
    const EFFECT: Effect = Effect::Graph;

    fn run(cx: &WriteContext<'_>, _: NoArguments) -> Result<Answer<Output>, ToolError> {
        let manifest_entries = cx.engine().stop_auto_ingest(cx.agent(), cx.cancel()).map_err(engine_error)?;
        let hint = "documents stay as they were read last";
        let guidance = Guidance::next(ProofState::Triaging, ToolRef("auto_ingest_start"), None, hint);
        Ok(Answer::new(Output { stopped: true, manifest_entries }).guidance(guidance))
    }
}
