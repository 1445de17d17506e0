//! Arguments that several tools of trust take.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::checks::Evidence;

/// What the caller has seen of the server.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Seen {
    /// Tools that the host shows
    pub(crate) observed_tool_count: Option<usize>,
    /// Their names
    #[serde(default)]
    pub(crate) available_tools: Vec<String>,
    /// Names known to be missing
    #[serde(default)]
    pub(crate) missing_tools: Vec<String>,
    /// Folder or file you work on
    pub(crate) scope: Option<String>,
    /// Tool that answered strangely
    pub(crate) observed_tool: Option<String>,
    /// Its `proof_state`
    pub(crate) observed_proof_state: Option<String>,
    /// Number of its results
    pub(crate) observed_candidates: Option<usize>,
    /// Its error
    pub(crate) error_text: Option<String>,
}

impl Seen {
    pub(super) fn evidence(&self) -> Evidence {
        Evidence {
            observed_tool_count: self.observed_tool_count,
            available_tools: self.available_tools.clone(),
            missing_tools: self.missing_tools.clone(),
            scope: self.scope.clone(),
            observed_proof_state: self.observed_proof_state.clone(),
            observed_tool: self.observed_tool.clone(),
            observed_candidates: self.observed_candidates,
            error_text: self.error_text.clone(),
        }
    }
}
