//! Rows of routes and pages of them, in answers of several tools.

use m1nd_base::NodeKind;
use m1nd_engine::Snapshot;
use m1nd_query::navigation::{Family, Perspective, RouteSet};
use serde::Serialize;
use serde_json::{Map, Value};

use super::here::Here;
use crate::framework::{Guidance, ProofState, ToolError, ToolRef};
use crate::rows::round_value;
use crate::word::Word;

/// Largest page.
pub(super) const MAX_PAGE: usize = 10;
/// Longest reason of a row, in characters; `perspective_inspect` shows all of it.
const MAX_REASON: usize = 300;

/// A route in a list.
#[derive(Debug, Serialize)]
pub(super) struct RouteRow {
    route_id: String,
    /// Place in the whole set, 1-based.
    index: usize,
    target_node: String,
    target_label: String,
    target_type: Word<NodeKind>,
    file_path: String,
    line_start: u32,
    line_end: u32,
    family: Word<Family>,
    /// Families of its other evidence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<Word<Family>>,
    score: f64,
    path_preview: Vec<String>,
    reason: String,
}

impl RouteRow {
    pub(super) fn new(snapshot: &Snapshot, set: &RouteSet, place: usize) -> Self {
        let (graph, route) = (snapshot.graph(), &set.routes[place]);
        let (line_start, line_end) = graph.lines(route.target);
        let label = |node| graph.label(node).to_owned();
        Self {
            route_id: route.id.clone(),
            index: place + 1,
            target_node: graph.id(route.target).to_owned(),
            target_label: label(route.target),
            target_type: Word(graph.kind(route.target)),
            file_path: graph.path(route.target).to_owned(),
            line_start,
            line_end,
            family: Word(route.family),
            also: route.also.iter().map(|&family| Word(family)).collect(),
            score: round_value(route.score),
            path_preview: route.path.iter().map(|node| label(*node)).collect(),
            reason: cut(&route.reason, MAX_REASON),
        }
    }
}

/// The start of a text.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// The page that a perspective shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown {
    pub(super) page: usize,
    pub(super) total_pages: usize,
    /// Place of its first route.
    pub(super) start: usize,
    /// Number of its routes.
    pub(super) len: usize,
}

pub(super) fn pages(perspective: &Perspective, set: &RouteSet) -> Shown {
    let (total, size) = (set.routes.len(), perspective.page_size.clamp(1, MAX_PAGE));
    let total_pages = total.div_ceil(size).max(1);
    let page = perspective.page.clamp(1, total_pages);
    let start = (page - 1) * size;
    Shown { page, total_pages, start, len: size.min(total - start.min(total)) }
}

/// A page of routes with what belongs to the whole set.
#[derive(Debug, Serialize)]
pub(super) struct PageOfRoutes {
    routes: Vec<RouteRow>,
    total_routes: usize,
    page: usize,
    total_pages: usize,
    route_set_version: u64,
    /// Generation of the graph that the routes are of.
    cache_generation: u64,
    suggested: Option<String>,
    /// What limits left out, or what is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

impl PageOfRoutes {
    /// The page that the perspective shows, and the next step.
    pub(super) fn of(
        here: &Here<'_>,
        id: &str,
        perspective: &Perspective,
    ) -> Result<(Self, usize, Guidance), ToolError> {
        let set = here.routes(perspective)?;
        let shown = pages(perspective, &set);
        let routes: Vec<RouteRow> = (shown.start..shown.start + shown.len).map(|place| here.row(&set, place)).collect();
        let guidance = guidance(id, &set, routes.first());
        let suggested = routes.first().map(|route| {
            let why = if route.path_preview.len() > 1 { "how it is connected" } else { "its evidence" };
            format!("inspect {} for {why}, or follow it", route.route_id)
        });
        let total = set.routes.len();
        let page = Self {
            routes,
            total_routes: total,
            page: shown.page,
            total_pages: shown.total_pages,
            route_set_version: here.version(perspective),
            cache_generation: here.snapshot.generation(),
            suggested,
            what_is_missing: missing(&set),
        };
        Ok((page, total, guidance))
    }
}

fn missing(set: &RouteSet) -> Option<String> {
    if let Some(gone) = &set.gone {
        return Some(format!(
            "`{gone}` is no longer in the graph: these are matches of the query; `perspective_back` leads to the stop before"
        ));
    }
    let left_out = set.found - set.routes.len();
    match (set.is_cut, left_out) {
        (false, _) => None,
        (true, 0) => Some("the focus has more edges than were examined".to_owned()),
        (true, left_out) => {
            Some(format!("{left_out} further targets, with lower scores or more than four of one file"))
        }
    }
}

fn guidance(id: &str, set: &RouteSet, first: Option<&RouteRow>) -> Guidance {
    match first {
        Some(first) => {
            let hint = format!("follow {} to {}, or inspect or peek it first", first.route_id, first.target_label);
            Guidance::next(ProofState::Triaging, ToolRef("perspective_follow"), Some(first.route_id.clone()), hint)
        }
        None if set.focus.is_some() => {
            let hint = "nothing leads on from here that the lens shows; go back, or start with another query";
            Guidance::next(ProofState::Blocked, ToolRef("perspective_back"), Some(id.to_owned()), hint)
        }
        None => Guidance::no_match(None),
    }
}

/// `R_a1b2c3d4 Worker.run  src/worker.py:12-40  0.89  causal_downstream — reason`.
pub(super) fn row_text(row: &Map<String, Value>, _: &Map<String, Value>) -> String {
    let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
    let number = |name: &str| row.get(name).and_then(Value::as_u64).unwrap_or_default();
    let place = match text("target_type") {
        "file" => text("file_path").to_owned(),
        _ => format!("{}  {}:{}", text("target_label"), text("file_path"), number("line_start")),
    };
    let score = row.get("score").and_then(Value::as_f64).unwrap_or_default();
    let path = row.get("path_preview").and_then(Value::as_array).map_or(0, Vec::len);
    let hops = if path > 2 { format!(" ({} hops)", path - 1) } else { String::new() };
    format!(
        "{}. {}  {place}  {score:.2}  {}{hops} — {}",
        number("index"),
        text("route_id"),
        text("family"),
        text("reason")
    )
}
