//! Finds the code of a topic by several kinds of evidence.

use m1nd_engine::Snapshot;
use m1nd_query::retrieval::{
    ActivateAnswer, ActivateQuery, ActivateRow, Dimension, GhostEdge, Prior, StructuralHole, activate_with, importance,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ghost_edges::Ghost as GhostRow;
use crate::continuity::trail_prior;
use crate::framework::{
    Answer, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset, number, rows_schema, yes,
};
use crate::prior::{PriorNote, PriorRow};
use crate::rows::{self, NodeRow, Seed, round_value};
use crate::word::Word;

/// Default number of rows.
const DEFAULT_ROWS: usize = 20;
/// Maximum rows of one page.
const MAX_ROWS: usize = 200;
/// Maximum rows of all pages.
const MAX_RANKED: usize = 1_000;
/// Minimum lift of a row that the hint names as connected to the first.
const CLEAR_LIFT: f64 = 2.0;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Topic: words or names
    query: String,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
    /// structural, semantic, temporal, causal; default all
    #[serde(default)]
    dimensions: Vec<String>,
    /// Subtract hub noise
    #[serde(default = "yes")]
    xlr: bool,
    #[serde(default = "yes")]
    include_ghost_edges: bool,
    #[serde(default)]
    include_structural_holes: bool,
    /// Favour the nodes of this saved trail
    trail: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Dimensions {
    structural: Option<f64>,
    semantic: Option<f64>,
    temporal: Option<f64>,
    causal: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    #[serde(flatten)]
    node: NodeRow,
    activation: f64,
    dimensions: Dimensions,
    #[serde(skip_serializing_if = "Option::is_none")]
    lift: Option<f64>,
    pagerank: f64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_seed: bool,
    #[serde(flatten)]
    prior: PriorRow,
}

#[derive(Debug, Serialize)]
pub(crate) struct Ghost {
    #[serde(flatten)]
    edge: GhostRow,
    shared_dimensions: [Word<Dimension>; 1],
}

#[derive(Debug, Serialize)]
pub(crate) struct Hole {
    #[serde(flatten)]
    node: NodeRow,
    score: f64,
    p_value: f64,
    reason: String,
    neighbours: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Unavailable {
    dimension: Word<Dimension>,
    reason: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    query: String,
    seeds: Vec<Seed>,
    activated: Vec<Row>,
    total_activated: usize,
    ghost_edges: Vec<Ghost>,
    structural_holes: Vec<Hole>,
    /// Requested dimensions that could not be computed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unavailable: Vec<Unavailable>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
    confidence: f64,
    #[serde(flatten)]
    prior: PriorNote,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct Activate;

impl Tool for Activate {
    const NAME: &'static str = "activate";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "Find the code of a topic and what is related to it";
    const ANSWERS: &'static str = "the code of a topic, what is related to it, and what changes with it";
    const HELP: &'static str = "\
Starts from the nodes that best match the words (`seeds`) and finds related nodes by four kinds of evidence, each 0 to
1: `structural` (personalised PageRank from the seeds over all relations in both directions; `xlr` subtracts the
PageRank of a walk from anywhere, so that hubs count only for what they owe to the seeds), `semantic` (its own words
match the query), `temporal` (its file changes together with files of the seeds; for seeds: how recently and how often
it changes) and `causal` (a change to a seed can reach it within two steps, or the reverse; symbols only).
`activation` is their weighted sum (.35, .25, .15, .25); `dimensions` selects some and distributes the weights of the
others over them. `lift` is how many times nearer to the seeds a node is than by chance. A dimension that cannot be
computed (no git history) is in `unavailable`, not 0.

`ghost_edges` are pairs of files, one of them the file of one of the first 50 rows, that change together although the
code does not connect them within two steps, with their commits (at least two of which touch ten files or fewer, so
pairs that only large commits change are omitted). `structural_holes` are nodes outside the rows that are connected to
more of the first 50 than chance explains (`p_value`, given their number of connections). Each lists the strongest
ten. `what_is_missing` says what a limit left out. Commit subjects are text of the repository.";
    const NEEDS_FRESH: bool = true;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "query": "retry of failed requests"}"#;
    const PAGED: bool = true;
    const TOKEN_BUDGET: bool = true;
    const RARE: &'static [&'static str] = &["xlr", "include_ghost_edges", "trail"];
    const DETAILS: &'static [&'static str] =
        &["activated.dimensions", "activated.lift", "activated.pagerank", "seeds", "ghost_edges", "structural_holes"];
    const OUTPUT_SCHEMA: &'static str =
        rows_schema!("activated": "node_id", "label", "type", "file_path", "line_start", "activation");
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Activate {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        rows::words("query", &input.query, "the words or names of a topic")?;
        let page = cx.page(input.top_k);
        let query = ActivateQuery {
            text: input.query.clone(),
            dimensions: dimensions(&input.dimensions)?,
            above_chance: input.xlr,
            ghost_edges: input.include_ghost_edges,
            structural_holes: input.include_structural_holes,
            max_rows: MAX_RANKED,
        };
        let prior = trail_prior(cx, &input.query, input.trail.as_deref())?;
        let history = if query.needs_history() { Some(cx.history_at_hand()) } else { cx.loaded_history() };
        let found = activate_with(snapshot, &query, &prior, history.as_ref(), cx.cancel())?;
        let guidance = guidance(snapshot, &found, &input.query);
        let total = found.rows.len();
        let activated = page.cut(found.rows.clone()).into_iter().map(|found| row(snapshot, &found, &prior)).collect();
        let output = Output {
            query: input.query,
            seeds: found.seeds.iter().map(|seed| Seed::new(snapshot, seed)).collect(),
            activated,
            total_activated: found.total_rows,
            ghost_edges: found.ghost_edges.rows.iter().map(|ghost| self::ghost(snapshot, ghost)).collect(),
            structural_holes: found.structural_holes.rows.iter().map(|hole| self::hole(snapshot, hole)).collect(),
            incomplete: found.incomplete,
            confidence: confidence(&found),
            prior: PriorNote::new(snapshot, &prior, found.rows.iter().map(|row| row.node)),
            what_is_missing: missing(&found),
            unavailable: found
                .unavailable
                .iter()
                .map(|(dimension, reason)| Unavailable { dimension: Word(*dimension), reason: reason.clone() })
                .collect(),
        };
        Ok(Answer::new(output).rows("activated", total).guidance(guidance))
    }
}

fn dimensions(words: &[String]) -> Result<Vec<Dimension>, ToolError> {
    let parse = |word: &String| {
        Dimension::parse(word.trim().to_lowercase().as_str()).ok_or_else(|| {
            let known = Dimension::ALL.map(Dimension::word).join(", ");
            ToolError::invalid(format!("argument `dimensions` contains `{word}`, expected some of {known}"))
        })
    };
    words.iter().map(parse).collect()
}

fn row(snapshot: &Snapshot, found: &ActivateRow, prior: &Prior) -> Row {
    let [structural, semantic, temporal, causal] = found.dimensions.map(|value| value.map(round_value));
    Row {
        node: NodeRow::new(snapshot, found.node),
        activation: round_value(found.activation),
        dimensions: Dimensions { structural, semantic, temporal, causal },
        lift: found.lift.map(round_value),
        pagerank: round_value(importance(snapshot, found.node)),
        is_seed: found.is_seed,
        prior: PriorRow::new(prior, found.node),
    }
}

fn ghost(snapshot: &Snapshot, ghost: &GhostEdge) -> Ghost {
    Ghost { edge: GhostRow::new(snapshot, ghost), shared_dimensions: [Word(Dimension::Temporal)] }
}

fn hole(snapshot: &Snapshot, hole: &StructuralHole) -> Hole {
    let id = |node: &m1nd_engine::graph::NodeIx| snapshot.graph().id(*node).to_owned();
    Hole {
        node: NodeRow::new(snapshot, hole.node),
        score: round_value(hole.score),
        p_value: hole.p_value,
        reason: format!("{} of its {} connections are to found nodes", hole.connected, hole.of),
        neighbours: hole.neighbours.iter().map(id).collect(),
    }
}

/// Share of the computed dimensions in which the first row has evidence.
fn confidence(found: &ActivateAnswer) -> f64 {
    let Some(first) = found.rows.first() else { return 0.0 };
    let counted = first.dimensions.iter().flatten().count().max(1);
    let live = first.dimensions.iter().flatten().filter(|value| **value > 0.1).count();
    round_value(live as f64 / counted as f64)
}

fn missing(found: &ActivateAnswer) -> Option<String> {
    let mut gaps: Vec<String> = Vec::new();
    for (dimension, reason) in &found.unavailable {
        gaps.push(format!("{}: {reason}", dimension.word()));
    }
    if found.total_rows > found.rows.len() {
        gaps.push(format!("only the best {} of {} nodes are listed", found.rows.len(), found.total_rows));
    }
    let told = [
        ("ghost edges", found.ghost_edges.rows.len(), found.ghost_edges.total),
        ("structural holes", found.structural_holes.rows.len(), found.structural_holes.total),
    ];
    for (what, told, all) in told.into_iter().filter(|(_, told, all)| told < all) {
        gaps.push(format!("only the strongest {told} of {all} {what} are listed"));
    }
    if found.unranked_words {
        gaps.push("more nodes match a word than were ranked: the others have no semantic evidence".to_owned());
    }
    if found.incomplete {
        gaps.push("the neighbourhood exceeds the search limit".to_owned());
    }
    (!gaps.is_empty()).then(|| gaps.join("; "))
}

fn guidance(snapshot: &Snapshot, found: &ActivateAnswer, query: &str) -> Guidance {
    let Some(first) = found.rows.first() else {
        return Guidance::no_match(Some(query));
    };
    let graph = snapshot.graph();
    let target = Some(graph.id(first.node).to_owned());
    let mut others = found.rows.iter().filter(|row| row.node != first.node && !row.is_seed);
    let tied = others.find(|row| row.lift.is_some_and(|lift| lift >= CLEAR_LIFT));
    let hint = match tied {
        Some(tied) => {
            let (first, tied) = (graph.label(first.node), graph.label(tied.node));
            format!("open `{first}`, then ask `why` how it is connected to `{tied}`")
        }
        None => format!("open `{}`; no other node stands out by its connections", graph.label(first.node)),
    };
    Guidance::next(ProofState::Triaging, ToolRef("view"), target, hint)
}
