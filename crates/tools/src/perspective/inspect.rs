//! Shows all that is known of a route.

use m1nd_base::{NodeKind, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_query::navigation::{Family, affinity, by_dimension};
use serde::Serialize;
use serde_json::{Map, Value};

use super::affinity::{AffineRow, row_text};
use super::here::open_handle;
use super::input::{OneRoute, OpenRoute};
use super::rows::pages;
use crate::framework::{
    Answer, Guidance, ProofState, ReadContext, ReadTool, RowText, Tool, ToolError, ToolRef, Toolset,
};
use crate::rows::round_value;
use crate::word::Word;

/// Probable connections shown; `perspective_affinity` shows more.
const SHOWN_AFFINE: usize = 3;

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    route_id: String,
    /// Place on the page shown; null if the route is on another page.
    route_index: Option<usize>,
    index: usize,
    target_node: String,
    target_label: String,
    target_type: Word<NodeKind>,
    family: Word<Family>,
    family_explanation: &'static str,
    /// Families of further evidence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    also: Vec<Word<Family>>,
    reason: String,
    path_preview: Vec<String>,
    /// Ids of the nodes of the path.
    path_nodes: Vec<String>,
    score: f64,
    score_breakdown: Map<String, Value>,
    /// Evidence by dimension, before the weights of the lens.
    dimensions: Map<String, Value>,
    provenance: Provenance,
    peek_available: bool,
    affinity_candidates: Vec<AffineRow>,
    /// Length of this answer, without its frame.
    response_chars: usize,
}

/// Where the target is.
#[derive(Debug, Serialize)]
pub(crate) struct Provenance {
    source_path: String,
    line_start: u32,
    line_end: u32,
    /// Prefix of its root, if several are indexed.
    namespace: Option<String>,
    /// The file changed since it was indexed, or cannot be read.
    provenance_stale: bool,
}

impl Provenance {
    pub(super) fn new(snapshot: &Snapshot, node: m1nd_engine::graph::NodeIx) -> Self {
        let graph = snapshot.graph();
        let path = graph.path(node);
        let (line_start, line_end) = graph.lines(node);
        let roots = snapshot.roots().iter().filter(|root| !root.prefix.is_empty());
        let namespace = roots.map(|root| root.prefix.to_string()).find(|prefix| path.starts_with(prefix.as_str()));
        let read = RepoPath::new(path).ok().and_then(|path| snapshot.read_file(&path).ok());
        let provenance_stale = read.is_none_or(|source| source.stale);
        Self { source_path: path.to_owned(), line_start, line_end, namespace, provenance_stale }
    }
}

pub(crate) struct PerspectiveInspect;

impl Tool for PerspectiveInspect {
    const NAME: &'static str = "perspective_inspect";
    const TOOLSET: Toolset = Toolset::Perspective;
    const SUMMARY: &'static str =
        "Explain a route of a perspective: path, parts of its score, source, probable connections";
    const ANSWERS: &'static str = "why a route is where it is: its evidence, path, score by parts, and source";
    const HELP: &'static str = "\
Shows a route without following it; nothing changes. Pass exactly one of `route_id` and `route_index` (1-based, on the page
shown last) and the current `route_set_version`.

`score` is a weighted sum of parts of `score_breakdown`, each 0 to 1: `anchor_relevance` (.65: how well it matches the
query, in anchored mode half of that and half its nearness to the anchor), `local_activation` (.25: strength of all
evidence that connects it with the focus and the query; half of it for test code), `path_coherence` (.05: how certain
the edges of its path are, less for each further hop) and `continuity` (.05: earlier stops connect with it, too). The
sum is multiplied by .3 + .7 `novelty`, which is low in files that the way has seen, and 0 for its stops. Without a
focus the first two share all weight. `dimensions` is the evidence by kind.

`provenance_stale` means that the file changed since it was indexed. `affinity_candidates` are probable connections of
the target that no edge shows.";
    const EXAMPLE: &'static str =
        r#"{"agent_id": "agent", "perspective_id": "persp_agent_0", "route_index": 1, "route_set_version": 16777216}"#;
    const ROW_TEXT: Option<RowText> = Some(row_text);
    const DETAILS: &'static [&'static str] =
        &["family_explanation", "score_breakdown", "dimensions", "path_nodes", "affinity_candidates", "response_chars"];
    const TEXT_OMITS: &'static [&'static str] = &["path_nodes", "target_node", "response_chars", "peek_available"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"route_id": {"type": "string"}, "target_node": {"type": "string"}, "score": {"type": "number"}, "reason": {"type": "string"}}}"#;
    type Input = OneRoute;
    type Output = Output;
}

impl ReadTool for PerspectiveInspect {
    fn run(cx: &ReadContext<'_>, input: OneRoute) -> Result<Answer<Output>, ToolError> {
        let OpenRoute { here, handle, set, place } = OpenRoute::read(cx, &input)?;
        let (_, perspective) = open_handle(&handle);
        let (route, shown) = (&set.routes[place], pages(perspective, &set));
        let affine = affinity(here.snapshot, route.target, here.history.as_ref(), here.cancel)?;
        let graph = here.snapshot.graph();
        let mut output = Output {
            route_id: route.id.clone(),
            route_index: place.checked_sub(shown.start).filter(|at| *at < shown.len).map(|at| at + 1),
            index: place + 1,
            target_node: here.id(route.target),
            target_label: here.label(route.target),
            target_type: Word(graph.kind(route.target)),
            family: Word(route.family),
            family_explanation: route.family.explanation(),
            also: route.also.iter().map(|&family| Word(family)).collect(),
            reason: route.reason.clone(),
            path_preview: route.path.iter().map(|node| here.label(*node)).collect(),
            path_nodes: route.path.iter().map(|node| here.id(*node)).collect(),
            score: round_value(route.score),
            score_breakdown: figures(route.breakdown.parts().into_iter()),
            dimensions: figures(by_dimension(route.dimensions).map(|(one, value)| (one.word(), value))),
            provenance: Provenance::new(here.snapshot, route.target),
            peek_available: is_readable(here.snapshot, graph.path(route.target)),
            affinity_candidates: affine.iter().take(SHOWN_AFFINE).map(|one| AffineRow::new(&here, one)).collect(),
            response_chars: 0,
        };
        output.response_chars = serde_json::to_string(&output).map_or(0, |text| text.chars().count());
        let hint = "read it first with `perspective_peek`, or follow it";
        let target = Some(route.id.clone());
        let guidance = Guidance::next(ProofState::Triaging, ToolRef("perspective_follow"), target, hint);
        Ok(Answer::new(output).guidance(guidance))
    }
}

fn figures(parts: impl Iterator<Item = (&'static str, f64)>) -> Map<String, Value> {
    parts.map(|(name, value)| (name.to_owned(), round_value(value).into())).collect()
}

/// Whether the text of a file may be shown.
fn is_readable(snapshot: &Snapshot, path: &str) -> bool {
    let path = RepoPath::new(path).ok().filter(|path| snapshot.check_withheld(path).is_none());
    path.and_then(|path| snapshot.read_file(&path).ok()).is_some_and(|source| !source.binary)
}
