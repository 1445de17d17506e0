//! Reads documents that changed now, without waiting for a pause.

use m1nd_engine::AutoIngestTick as Tick;

use crate::framework::{
    Answer, Effect, Guidance, NoArguments, ProofState, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
};
use crate::rows::engine_error;

pub(crate) struct AutoIngestTick;

impl Tool for AutoIngestTick {
    const NAME: &'static str = "auto_ingest_tick";
    const TOOLSET: Toolset = Toolset::Documents;
    const SUMMARY: &'static str = "Read documents that changed now, without waiting for a pause";
    const ANSWERS: &'static str = "reads changed documents at once";
    const HELP: &'static str = "\
Has the watchers pass on everything that happened by now and reads all documents that wait, without the debounce. If the
watchers cannot tell, all documents are compared. `changed_paths` were looked at; of these, documents were ingested,
removed, skipped (the content is in the graph already, or the kind is not wanted) or could not be read (`errored_paths`:
what was read before stays). All changes are published as one generation. Needs `auto_ingest_start` before.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const EXAMPLE_AFTER: &'static [(&'static str, &'static str)] = &[("auto_ingest_start", r#"{"roots": ["."]}"#)];
    const DETAILS: &'static [&'static str] = &["recent_events", "last_tick_ms"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"changed_paths": {"type": "integer"}, "queue_depth": {"type": "integer"}}}"#;
    type Input = NoArguments;
    type Output = Tick;
}

impl WriteTool for AutoIngestTick {
    const EFFECT: Effect = Effect::Graph;

    fn run(cx: &WriteContext<'_>, _: NoArguments) -> Result<Answer<Tick>, ToolError> {
        let tick = cx.engine().tick_auto_ingest(cx.cancel()).map_err(engine_error)?;
        let hint = match tick.errored_paths {
            0 => "the documents in the graph are those on disk".to_owned(),
            failed => format!("{failed} could not be read, see `recent_events`"),
        };
        let guidance = Guidance::next(ProofState::Triaging, ToolRef("document_drift"), None, hint);
        Ok(Answer::new(tick).guidance(guidance))
    }
}
