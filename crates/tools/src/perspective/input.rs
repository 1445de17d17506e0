//! The arguments of the tools that are about one route.

use schemars::JsonSchema;
use serde::Deserialize;

use super::here::Named;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    pub(super) perspective_id: String,
    /// This or route_index
    route_id: Option<String>,
    /// On the page shown, from 1
    route_index: Option<usize>,
    pub(super) route_set_version: u64,
}

impl Input {
    /// The route that is named, by its id or its place on the page.
    pub(super) fn named_route(&self) -> Named<'_> {
        Named::new(self.route_id.as_deref(), self.route_index, self.route_set_version)
    }
}
