//! Keeps documents current from the events of the watchers.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use m1nd_engine::{Adapter, AutoIngestRequest, AutoIngestTick, EventSource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, Effect, Guidance, ProofState, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool, number,
};
use crate::rows::{count, engine_error};

/// Default time without events, in milliseconds.
const DEBOUNCE_MS: usize = AutoIngestRequest::DEBOUNCE.as_millis() as usize;
/// Longest time without events, in milliseconds.
const MAX_DEBOUNCE_MS: usize = AutoIngestRequest::MAX_DEBOUNCE.as_millis() as usize;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Folders or files below an allowed root
    #[schemars(length(min = 1, max = 64))]
    roots: Vec<String>,
    /// universal, light, article, bibtex, crossref, rfc, patent; default all
    #[serde(default)]
    formats: Option<Vec<String>>,
    /// Time without events before changes are read
    #[serde(default = "number::<DEBOUNCE_MS>")]
    #[schemars(range(max = MAX_DEBOUNCE_MS))]
    debounce_ms: usize,
    /// Part of the ids of documents
    #[serde(default)]
    #[schemars(length(max = 64))]
    namespace: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    running: bool,
    backend: EventSource,
    roots: Vec<String>,
    formats: Vec<Adapter>,
    debounce_ms: u64,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    provider_status: BTreeMap<String, String>,
    /// Result of the first reading of all documents.
    bootstrap: AutoIngestTick,
}

pub(crate) struct AutoIngestStart;

impl Tool for AutoIngestStart {
    const NAME: &'static str = "auto_ingest_start";
    const TOOLSET: Toolset = Toolset::Documents;
    const SUMMARY: &'static str = "Keep documents of folders current in the graph as their files change";
    const ANSWERS: &'static str = "starts following changes of documents";
    const HELP: &'static str = "\
Reads all documents below `roots` now (`bootstrap`), and from then on whenever their files change: new and changed ones
are read, those of removed or renamed files leave the graph. A document whose content is already in the graph is not
read again, also not after a restart. The documents become nodes as `ingest` with `adapter: auto` makes them.

The watcher is that of the code, so the index follows the code, too, while this runs. Changes wait until no event came
for `debounce_ms` and are published together, as one generation. If more paths change than can wait, or events are lost,
everything is compared again. `formats` selects kinds of documents; `universal` takes what no other listed kind takes.

It runs until `auto_ingest_stop`; a server that watches takes it up again after a restart. Only the agent that started
it can stop or replace it, or anybody after a restart. A call that fails leaves what ran before as it was.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "roots": ["."]}"#;
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("paths", "roots")];
    const DETAILS: &'static [&'static str] = &["bootstrap.recent_events", "formats"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"running": {"type": "boolean"}, "bootstrap": {"type": "object"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl WriteTool for AutoIngestStart {
    const EFFECT: Effect = Effect::Graph;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let formats = match input.formats {
            None => AutoIngestRequest::FORMATS.to_vec(),
            Some(words) => words.iter().map(|word| word.parse()).collect::<Result<Vec<Adapter>, _>>().map_err(
                |error: m1nd_engine::UnknownWord| ToolError::invalid(format!("argument `formats`: {error}")),
            )?,
        };
        let request = AutoIngestRequest {
            agent: cx.agent().to_owned(),
            roots: input.roots.iter().map(|root| PathBuf::from(root.trim())).collect(),
            formats,
            debounce: Duration::from_millis(input.debounce_ms as u64),
            namespace: input.namespace,
        };
        let bootstrap = cx.engine().start_auto_ingest(request, cx.cancel()).map_err(engine_error)?;
        let status = cx.engine().auto_ingest_status();
        let hint = match bootstrap.errored_paths {
            0 => format!("{} read", count(bootstrap.ingested_paths, "document")),
            failed => format!("{failed} could not be read, see `recent_events` of `auto_ingest_status`"),
        };
        let output = Output {
            running: status.running,
            backend: status.backend,
            roots: status.roots,
            formats: status.formats,
            debounce_ms: status.debounce_ms,
            provider_status: status.provider_status,
            bootstrap,
        };
        let guidance = Guidance::next(ProofState::Triaging, ToolRef("auto_ingest_status"), None, hint);
        Ok(Answer::new(output).guidance(guidance))
    }
}
