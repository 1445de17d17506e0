//! Shows what the target of a route is probably connected with, although no edge says so.

use m1nd_query::navigation::{Affine, affinity};
use serde::Serialize;
use serde_json::{Map, Value};

use super::here::Here;
use super::input::{OneRoute, OpenRoute};
use crate::framework::{
    Answer, Guidance, ProofState, ReadContext, ReadTool, RowText, Tool, ToolError, ToolRef, Toolset, rows_schema,
};
use crate::rows::round_value;

/// What the candidates are.
const NOTICE: &str = "Probable connections, not verified edges.";

/// A probable connection.
#[derive(Debug, Serialize)]
pub(super) struct AffineRow {
    node_id: String,
    label: String,
    strength: f64,
    reason: String,
}

impl AffineRow {
    pub(super) fn new(here: &Here<'_>, one: &Affine) -> Self {
        Self {
            node_id: here.id(one.node),
            label: here.label(one.node),
            strength: round_value(one.strength),
            reason: one.reason.clone(),
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    route_id: String,
    target_node: String,
    notice: &'static str,
    candidates: Vec<AffineRow>,
    /// The kind of evidence that is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<&'static str>,
}

pub(crate) struct PerspectiveAffinity;

impl Tool for PerspectiveAffinity {
    const NAME: &'static str = "perspective_affinity";
    const TOOLSET: Toolset = Toolset::Perspective;
    const SUMMARY: &'static str = "List probable connections of a route's target that no edge shows";
    const ANSWERS: &'static str = "what a route's target is like or changes with, without being connected with it";
    const HELP: &'static str = "\
Lists at most ten nodes that no edge connects with the route's target, strongest first, for two reasons: their
connections go to the same places (`strength` is the correlation of both, 0 is chance), or their files change together
(`strength` is the share of common commits, newer ones counting more). They are probable connections, not verified
edges: look before relying on one.

Pass exactly one of `route_id` and `route_index` (1-based, on the page shown last) and the current `route_set_version`.";
    const EXAMPLE: &'static str =
        r#"{"agent_id": "agent", "perspective_id": "persp_agent_0", "route_index": 1, "route_set_version": 16777216}"#;
    const ROW_TEXT: Option<RowText> = Some(row_text);
    const DETAILS: &'static [&'static str] = &["candidates.strength", "target_node"];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("candidates": "node_id", "label", "reason");
    type Input = OneRoute;
    type Output = Output;
}

impl ReadTool for PerspectiveAffinity {
    fn run(cx: &ReadContext<'_>, input: OneRoute) -> Result<Answer<Output>, ToolError> {
        let OpenRoute { here, set, place, .. } = OpenRoute::read(cx, &input)?;
        let route = &set.routes[place];
        let found = affinity(here.snapshot, route.target, here.history.as_ref(), here.cancel)?;
        let has_history = here.history.as_ref().is_some_and(|history| history.is_known());
        let guidance = match found.first() {
            Some(first) => {
                let hint = "ask for a connection before relying on one";
                Guidance::next(ProofState::Triaging, ToolRef("why"), Some(here.id(first.node)), hint)
            }
            None => Guidance::state(ProofState::Triaging),
        };
        let output = Output {
            route_id: route.id.clone(),
            target_node: here.id(route.target),
            notice: NOTICE,
            candidates: found.iter().map(|one| AffineRow::new(&here, one)).collect(),
            what_is_missing: (!has_history).then_some("no history is loaded: files that change together do not count"),
        };
        let count = found.len();
        Ok(Answer::new(output).with_found(count).guidance(guidance))
    }
}

pub(super) fn row_text(row: &Map<String, Value>, _: &Map<String, Value>) -> String {
    let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
    let strength = row.get("strength").and_then(Value::as_f64).unwrap_or_default();
    format!("{}  {strength:.2} — {}", text("node_id"), text("reason"))
}
