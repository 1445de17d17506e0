//! The arguments that several of the tools have.

use schemars::JsonSchema;
use serde::Deserialize;

use super::here::Named;

/// The perspective in question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OnePerspective {
    pub(super) perspective_id: String,
}

/// One of its routes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneRoute {
    pub(super) perspective_id: String,
    /// This or route_index
    route_id: Option<String>,
    /// On the page shown, from 1
    route_index: Option<usize>,
    pub(super) route_set_version: u64,
}

impl OneRoute {
    /// The route that is named, by its id or its place on the page.
    pub(super) fn named_route(&self) -> Named<'_> {
        Named::new(self.route_id.as_deref(), self.route_index, self.route_set_version)
    }
}
