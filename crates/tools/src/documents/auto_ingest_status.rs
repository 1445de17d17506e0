//! Shows what keeps documents current, and what it did.

use m1nd_engine::AutoIngestStatus as Status;

use crate::framework::{
    Answer, Guidance, NoArguments, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset,
};
use crate::rows::count;

pub(crate) struct AutoIngestStatus;

impl Tool for AutoIngestStatus {
    const NAME: &'static str = "auto_ingest_status";
    const TOOLSET: Toolset = Toolset::Documents;
    const WAITS: bool = false;
    const SUMMARY: &'static str = "Show whether documents are kept current, and what happened to them last";
    const ANSWERS: &'static str = "whether documents follow their files, counts, last events and errors";
    const HELP: &'static str = "\
`running` says whether documents are kept current; `backend` by what: `notify`, `degraded` (events may be missed,
`last_error` says why), `other_process` (the one that writes the index), `none`. `resumes` means that it was not stopped,
and the next server that watches takes it up.

`manifest_entries` are the documents in the graph by it, `queue_depth` the paths that wait, `rescan_pending` that all of
them are compared again. The counters are since the start; those that begin with `semantic_` are of all documents.
`drift_document_count` counts documents that named code which was not in the index when they were read.
`provider_route_counts` says what read the documents, `provider_fallback_counts` where a configured provider failed.
`recent_events` are the last 40.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const DETAILS: &'static [&'static str] = &[
        "recent_events", "provider_route_counts", "provider_fallback_counts", "semantic_section_count",
        "semantic_claim_count", "semantic_entity_count", "semantic_citation_count",
    ];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"running": {"type": "boolean"}, "manifest_entries": {"type": "integer"}, "queue_depth": {"type": "integer"}}}"#;
    type Input = NoArguments;
    type Output = Status;
}

impl ReadTool for AutoIngestStatus {
    fn run(cx: &ReadContext<'_>, _: NoArguments) -> Result<Answer<Status>, ToolError> {
        let status = cx.auto_ingest();
        let (next, hint) = match (status.running, status.queue_depth) {
            (false, _) => (ToolRef("auto_ingest_start"), "documents are not kept current".to_owned()),
            (true, 0) => (ToolRef("document_drift"), "nothing waits".to_owned()),
            (true, waiting) => (ToolRef("auto_ingest_tick"), format!("{} will be read soon", count(waiting, "path"))),
        };
        let guidance = Guidance::next(ProofState::Triaging, next, None, hint);
        Ok(Answer::new(status).guidance(guidance))
    }
}
