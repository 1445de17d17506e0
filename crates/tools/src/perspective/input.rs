//! The arguments that several of the tools have.

use std::sync::Arc;

use m1nd_query::navigation::RouteSet;
use m1nd_sessions::Handle;
use schemars::JsonSchema;
use serde::Deserialize;

use super::held::Kept;
use super::here::{Here, Named, open_handle};
use crate::framework::{ReadContext, ToolError};

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

/// A route of a perspective that a reader names.
pub(super) struct OpenRoute<'a> {
    pub(super) here: Here<'a>,
    pub(super) handle: Handle<Kept>,
    pub(super) set: Arc<RouteSet>,
    /// Its place among the routes of `set`.
    pub(super) place: usize,
}

impl<'a> OpenRoute<'a> {
    pub(super) fn read(cx: &ReadContext<'a>, input: &OneRoute) -> Result<Self, ToolError> {
        let here = Here::reading(cx)?;
        let handle = cx.list_held().get::<Kept>(cx.agent(), &input.perspective_id)?;
        let (id, perspective) = open_handle(&handle);
        let (set, place) = here.route(id, perspective, input.named_route())?;
        Ok(Self { here, handle, set, place })
    }
}
