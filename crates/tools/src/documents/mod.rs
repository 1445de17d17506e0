//! Documents and their links to code.

mod auto_ingest_start;
mod auto_ingest_status;
mod auto_ingest_stop;
mod auto_ingest_tick;
mod document_bindings;
mod document_drift;
mod document_provider_health;
mod document_resolve;

use m1nd_base::RepoPath;
use m1nd_engine::{ReadError, Snapshot};
use m1nd_query::documents::{DocumentError, Read, read};
use schemars::JsonSchema;
use serde::Deserialize;

pub(crate) use auto_ingest_start::AutoIngestStart;
pub(crate) use auto_ingest_status::AutoIngestStatus;
pub(crate) use auto_ingest_stop::AutoIngestStop;
pub(crate) use auto_ingest_tick::AutoIngestTick;
pub(crate) use document_bindings::DocumentBindings;
pub(crate) use document_drift::DocumentDrift;
pub(crate) use document_provider_health::DocumentProviderHealth;
pub(crate) use document_resolve::DocumentResolve;

use crate::framework::{ErrorCode, ToolError, number};
use crate::rows;

/// A document, and how much of it is shown.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentInput<const DEFAULT_ROWS: usize, const MAX_ROWS: usize> {
    /// The document, relative to its root
    path: Option<String>,
    /// Or a node in it
    node_id: Option<String>,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
}

impl<const DEFAULT_ROWS: usize, const MAX_ROWS: usize> DocumentInput<DEFAULT_ROWS, MAX_ROWS> {
    /// Reads the document.
    fn read(&self, snapshot: &Snapshot) -> Result<Read, ToolError> {
        let path = match (&self.path, &self.node_id) {
            (Some(path), None) => path.clone(),
            (None, Some(node)) => snapshot.graph().path(rows::resolve(snapshot, "node_id", node)?).to_owned(),
            _ => return Err(ToolError::invalid("expected one of `path` and `node_id`: the document to read")),
        };
        let inner = RepoPath::new(path.trim()).map_err(|error| rows::read_error("path", &ReadError::Path(error)))?;
        read(snapshot, &inner).map_err(|error| match error {
            DocumentError::File(error) => rows::read_error("path", &error),
            DocumentError::Content(error) => {
                let message = format!("document `{}` cannot be read: {error}", inner.as_str());
                ToolError::new(ErrorCode::FileUnreadable, message).next_step("read the file as text with `view`")
            }
        })
    }
}
