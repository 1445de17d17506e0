//! What all tools of perspectives do: routes and their version at a moment, and the route that a caller names.

use std::sync::Arc;

use m1nd_base::Cancel;
use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_engine::history::ProjectHistory;
use m1nd_query::navigation::{self, Perspective, RouteSet};
use m1nd_sessions::Handle;
use serde_json::json;

use super::held::Kept;
use super::rows::{RouteRow, pages};
use crate::framework::{ErrorCode, ReadContext, ToolError, WriteContext};

/// The graph and the history that a call answers from.
pub(super) struct Here<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) history: Option<ProjectHistory>,
    pub(super) cancel: &'a Cancel,
}

/// The route that a caller names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named<'a> {
    pub(super) route_id: Option<&'a str>,
    pub(super) route_index: Option<usize>,
    pub(super) route_set_version: u64,
}

impl<'a> Named<'a> {
    pub(super) fn new(route_id: Option<&'a str>, route_index: Option<usize>, route_set_version: u64) -> Self {
        Self { route_id, route_index, route_set_version }
    }
}

impl<'a> Here<'a> {
    pub(super) fn reading(cx: &ReadContext<'a>) -> Result<Self, ToolError> {
        let snapshot = cx.require_indexed()?;
        Ok(Self { snapshot, history: cx.loaded_history(), cancel: cx.cancel() })
    }

    pub(super) fn writing(cx: &WriteContext<'a>) -> Result<Self, ToolError> {
        let snapshot = cx.snapshot();
        if snapshot.is_empty() {
            return Err(ToolError::empty_graph());
        }
        Ok(Self { snapshot, history: cx.loaded_history(), cancel: cx.cancel() })
    }

    pub(super) fn routes(&self, perspective: &Perspective) -> Result<Arc<RouteSet>, ToolError> {
        Ok(navigation::routes(self.snapshot, perspective, self.history.as_ref(), self.cancel)?)
    }

    pub(super) fn version(&self, perspective: &Perspective) -> u64 {
        perspective.route_set_version(navigation::basis(self.snapshot, self.history.as_ref()))
    }

    /// Rejects a version that is not the current one.
    pub(super) fn check(&self, id: &str, perspective: &Perspective, given: u64) -> Result<(), ToolError> {
        let current = self.version(perspective);
        if given == current {
            return Ok(());
        }
        let why = if navigation::has_moved(given, current) {
            "the perspective moved since"
        } else {
            "the graph or its history changed since"
        };
        let message = format!("argument `route_set_version` is {given}, the routes of `{id}` are at {current}: {why}");
        Err(ToolError::new(ErrorCode::StaleRouteSet, message)
            .hint("routes belong to a place of the perspective and a state of the graph")
            .next_step("list the routes with `perspective_routes` and repeat the call with its `route_set_version`")
            .detail("route_set_version", json!(current))
            .detail("requested_version", json!(given)))
    }

    /// The routes of a perspective, and the place of the named one among them.
    pub(super) fn route(
        &self,
        id: &str,
        perspective: &Perspective,
        named: Named<'_>,
    ) -> Result<(Arc<RouteSet>, usize), ToolError> {
        let given = match (named.route_id, named.route_index) {
            (Some(_), Some(_)) => Some("both"),
            (None, None) => Some("neither"),
            _ => None,
        };
        if let Some(given) = given {
            return Err(ToolError::invalid(format!(
                "expected exactly one of the arguments `route_id` and `route_index`, received {given}"
            )));
        }
        self.check(id, perspective, named.route_set_version)?;
        let set = self.routes(perspective)?;
        let shown = pages(perspective, &set);
        let place = match (named.route_id, named.route_index) {
            (Some(route), _) => set.place(route),
            (_, Some(index)) => index.checked_sub(1).filter(|at| *at < shown.len).map(|at| shown.start + at),
            _ => None,
        };
        let Some(place) = place else { return Err(no_route(id, &set, named, (shown.page, shown.len))) };
        Ok((set, place))
    }

    pub(super) fn row(&self, set: &RouteSet, place: usize) -> RouteRow {
        RouteRow::new(self.snapshot, set, place)
    }

    pub(super) fn id(&self, node: NodeIx) -> String {
        self.snapshot.graph().id(node).to_owned()
    }

    pub(super) fn label(&self, node: NodeIx) -> String {
        self.snapshot.graph().label(node).to_owned()
    }
}

fn no_route(id: &str, set: &RouteSet, named: Named<'_>, (page, shown): (usize, usize)) -> ToolError {
    let message = match (named.route_id, named.route_index) {
        (Some(route), _) => {
            let route: String = route.chars().take(60).collect();
            format!("argument `route_id`: `{id}` has no route `{route}` among its {}", set.routes.len())
        }
        (_, index) => {
            let index = index.unwrap_or_default();
            format!("argument `route_index` is {index}, but page {page} of `{id}` shows {shown} routes, counted from 1")
        }
    };
    ToolError::new(ErrorCode::RouteNotFound, message).next_step("pass a `route_id` that `perspective_routes` lists")
}

/// The id that a tool shows for a perspective, with its values.
pub(super) fn open_handle(handle: &Handle<Kept>) -> (&str, &Perspective) {
    (&handle.id, &handle.value.0)
}
