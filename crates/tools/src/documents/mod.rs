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

pub(crate) use auto_ingest_start::AutoIngestStart;
pub(crate) use auto_ingest_status::AutoIngestStatus;
pub(crate) use auto_ingest_stop::AutoIngestStop;
pub(crate) use auto_ingest_tick::AutoIngestTick;
pub(crate) use document_bindings::DocumentBindings;
pub(crate) use document_drift::DocumentDrift;
pub(crate) use document_provider_health::DocumentProviderHealth;
pub(crate) use document_resolve::DocumentResolve;

use crate::framework::{ErrorCode, ToolError};
use crate::rows;

/// Reads the document that a caller names: by its path, or by a node in it.
fn read_named(snapshot: &Snapshot, path: Option<&str>, node_id: Option<&str>) -> Result<Read, ToolError> {
    let path = match (path, node_id) {
        (Some(path), None) => path.to_owned(),
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
