//! Compares two perspectives.

use m1nd_query::navigation::{Comparison, Held, by_dimension, compare};
use m1nd_query::retrieval::Dimension;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::held::Kept;
use super::here::Here;
use crate::framework::{Answer, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset};
use crate::rows::rounded;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    perspective_id_a: String,
    perspective_id_b: String,
    /// structural, semantic, temporal, causal; default all
    #[serde(default)]
    dimensions: Vec<String>,
}

/// A node of a perspective.
#[derive(Debug, Serialize)]
pub(crate) struct Node {
    node_id: String,
    label: String,
    /// `stop` if it was visited, `route` if it is only the target of one of the first ten routes.
    via: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct Delta {
    dimension: &'static str,
    score_a: f64,
    score_b: f64,
    delta: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    perspective_id_a: String,
    perspective_id_b: String,
    shared_nodes: Vec<Node>,
    unique_to_a: Vec<Node>,
    unique_to_b: Vec<Node>,
    dimension_deltas: Vec<Delta>,
    /// Length of this answer, without its frame.
    response_chars: usize,
}

pub(crate) struct PerspectiveCompare;

impl Tool for PerspectiveCompare {
    const NAME: &'static str = "perspective_compare";
    const TOOLSET: Toolset = Toolset::Perspective;
    const SUMMARY: &'static str = "Compare two perspectives: nodes of both or one, and their evidence by dimension";
    const ANSWERS: &'static str = "what two perspectives have in common, and where they differ";
    const HELP: &'static str = "\
Compares two perspectives of this agent on the current graph. Their nodes are the anchor and the stops (`via: stop`) and
the targets of their first ten routes (`via: route`); a shared node is a `stop` if it is one in both.
`dimension_deltas` compares the mean evidence of these routes (structural, semantic, temporal, causal, each 0 to 1):
`delta` is that of the first minus that of the second. Nothing changes.";
    const EXAMPLE: &'static str =
        r#"{"agent_id": "agent", "perspective_id_a": "persp_agent_0", "perspective_id_b": "persp_agent_1"}"#;
    const DETAILS: &'static [&'static str] = &["response_chars"];
    const TEXT_OMITS: &'static [&'static str] = &["response_chars"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"shared_nodes": {"type": "array"}, "unique_to_a": {"type": "array"}, "unique_to_b": {"type": "array"}, "dimension_deltas": {"type": "array"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for PerspectiveCompare {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let here = Here::reading(cx)?;
        let wanted = dimensions(&input.dimensions)?;
        let get = |id: &str| cx.held().get::<Kept>(cx.agent(), id);
        let (a, b) = (get(&input.perspective_id_a)?, get(&input.perspective_id_b)?);
        let (of_a, of_b) = (here.routes(&a.value.0)?, here.routes(&b.value.0)?);
        let found = compare(here.snapshot.graph(), (&a.value.0, &of_a), (&b.value.0, &of_b));
        let Comparison { shared, only_a, only_b, dimensions } = &found;
        let nodes = |all: &[Held]| all.iter().map(|one| node(&here, one)).collect::<Vec<Node>>();
        let [in_a, in_b] = *dimensions;
        let deltas = by_dimension(in_a).zip(in_b).filter(|((dimension, _), _)| wanted.contains(dimension));
        let mut output = Output {
            perspective_id_a: a.id.clone(),
            perspective_id_b: b.id.clone(),
            shared_nodes: nodes(shared),
            unique_to_a: nodes(only_a),
            unique_to_b: nodes(only_b),
            dimension_deltas: deltas.map(|((dimension, a), b)| delta(dimension, a, b)).collect(),
            response_chars: 0,
        };
        output.response_chars = serde_json::to_string(&output).map_or(0, |text| text.chars().count());
        let hint = "go on in the one that leads nearer, and close the other";
        let guidance = Guidance::next(ProofState::Triaging, ToolRef("perspective_suggest"), None, hint);
        Ok(Answer::new(output).guidance(guidance))
    }
}

fn node(here: &Here<'_>, one: &Held) -> Node {
    let via = if one.is_stop { "stop" } else { "route" };
    Node { node_id: here.id(one.node), label: here.label(one.node), via }
}

fn delta(dimension: Dimension, a: f64, b: f64) -> Delta {
    Delta { dimension: dimension.word(), score_a: rounded(a), score_b: rounded(b), delta: rounded(a - b) }
}

/// The dimensions that words name; all for none.
fn dimensions(words: &[String]) -> Result<Vec<Dimension>, ToolError> {
    if words.is_empty() {
        return Ok(Dimension::ALL.to_vec());
    }
    let one = |word: &String| {
        Dimension::parse(&word.trim().to_lowercase()).ok_or_else(|| {
            let shown: String = word.chars().take(60).collect();
            let allowed: Vec<String> = Dimension::ALL.iter().map(|one| format!("`{}`", one.word())).collect();
            ToolError::invalid(format!("argument `dimensions` contains `{shown}`, expected {}", allowed.join(", ")))
        })
    };
    words.iter().map(one).collect()
}
