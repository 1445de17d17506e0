//! Compares two perspectives.

use m1nd_query::navigation::{Comparison, Held, by_dimension, compare};
use m1nd_query::retrieval::Dimension;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::held::Kept;
use super::here::Here;
use crate::framework::{
    Answer, Guidance, ProofState, ReadContext, ReadTool, RowText, Tool, ToolError, ToolRef, Toolset,
};
use crate::rows::round_value;
use crate::word::Word;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    perspective_id_a: String,
    perspective_id_b: String,
    /// structural, semantic, temporal, causal; default all
    #[serde(default)]
    dimensions: Vec<String>,
}

/// Ids of the nodes, in the order of their labels.
#[derive(Debug, Serialize)]
pub(crate) struct Ids {
    shared: Vec<String>,
    unique_to_a: Vec<String>,
    unique_to_b: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Delta {
    dimension: Word<Dimension>,
    score_a: f64,
    score_b: f64,
    delta: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    perspective_id_a: String,
    perspective_id_b: String,
    shared_nodes: Vec<String>,
    unique_to_a: Vec<String>,
    unique_to_b: Vec<String>,
    node_ids: Ids,
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
Compares two perspectives of this agent on the current graph. Their nodes are the anchor and the stops, and the targets of
their first ten routes. A node is shared if both have been there, or if it is a route of both; where only one has been, it
is unique to that one. Nodes are listed by their labels, `node_ids` has their ids in the same order.
`dimension_deltas` compares the mean evidence of these routes (structural, semantic, temporal, causal, each 0 to 1):
`delta` is that of the first minus that of the second. Nothing changes.";
    const EXAMPLE: &'static str =
        r#"{"agent_id": "agent", "perspective_id_a": "persp_agent_0", "perspective_id_b": "persp_agent_1"}"#;
    const ROW_TEXT: Option<RowText> = Some(row_text);
    const DETAILS: &'static [&'static str] = &["response_chars", "node_ids"];
    const TEXT_OMITS: &'static [&'static str] = &["response_chars"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"shared_nodes": {"type": "array"}, "unique_to_a": {"type": "array"}, "unique_to_b": {"type": "array"}, "dimension_deltas": {"type": "array"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for PerspectiveCompare {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let here = Here::reading(cx)?;
        let wanted = dimensions(&input.dimensions)?;
        let get = |id: &str| cx.list_held().get::<Kept>(cx.agent(), id);
        let (a, b) = (get(&input.perspective_id_a)?, get(&input.perspective_id_b)?);
        let (of_a, of_b) = (here.routes(&a.value.0)?, here.routes(&b.value.0)?);
        let found = compare(here.snapshot.graph(), (&a.value.0, &of_a), (&b.value.0, &of_b));
        let Comparison { shared, only_a, only_b, dimensions } = &found;
        let labels = |all: &[Held]| all.iter().map(|one| here.label(one.node)).collect::<Vec<String>>();
        let ids = |all: &[Held]| all.iter().map(|one| here.id(one.node)).collect::<Vec<String>>();
        let [in_a, in_b] = *dimensions;
        let deltas = by_dimension(in_a).zip(in_b).filter(|((dimension, _), _)| wanted.contains(dimension));
        let mut output = Output {
            perspective_id_a: a.id.clone(),
            perspective_id_b: b.id.clone(),
            shared_nodes: labels(shared),
            unique_to_a: labels(only_a),
            unique_to_b: labels(only_b),
            node_ids: Ids { shared: ids(shared), unique_to_a: ids(only_a), unique_to_b: ids(only_b) },
            dimension_deltas: deltas.map(|((dimension, a), b)| delta(dimension, a, b)).collect(),
            response_chars: 0,
        };
        output.response_chars = serde_json::to_string(&output).map_or(0, |text| text.chars().count());
        let hint = "go on in the one that leads nearer, and close the other";
        let guidance = Guidance::next(ProofState::Triaging, ToolRef("perspective_suggest"), None, hint);
        Ok(Answer::new(output).guidance(guidance))
    }
}

fn delta(dimension: Dimension, a: f64, b: f64) -> Delta {
    Delta { dimension: Word(dimension), score_a: round_value(a), score_b: round_value(b), delta: round_value(a - b) }
}

/// A dimension, `causal  0.71 - 0.45 = 0.26`.
fn row_text(row: &Map<String, Value>, _: &Map<String, Value>) -> String {
    let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
    let figure = |name: &str| row.get(name).and_then(Value::as_f64).unwrap_or_default();
    let (a, b, delta) = (figure("score_a"), figure("score_b"), figure("delta"));
    format!("{}  {a:.2} - {b:.2} = {delta:.2}", text("dimension"))
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
