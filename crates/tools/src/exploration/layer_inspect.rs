//! Shows one layer: its files, what they join, and how well it holds together.

use std::collections::BTreeMap;

use m1nd_base::Relation;
use m1nd_engine::Snapshot;
use m1nd_query::layers::{LayersQuery, place_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layer_rows::{Found, Grain, basis, layering, module_name};
use crate::framework::{
    Answer, ErrorCode, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset, number,
    rows_schema, yes,
};
use crate::past;
use crate::rows::round_value;
use crate::word::Word;

/// Default and maximum number of files.
const DEFAULT_ROWS: usize = 50;
const MAX_ROWS: usize = 1_000;
/// Maximum inferred layers, as in `layers`.
const DEFAULT_LAYERS: usize = 8;
const MAX_LAYERS: usize = 50;
/// Dependencies inside the layer that are listed.
const EDGES: usize = 50;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// 0 is the top
    level: u8,
    /// Folder, file or glob
    scope: Option<String>,
    #[serde(default = "yes")]
    include_edges: bool,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
    /// As in the call of `layers`
    #[serde(default = "number::<DEFAULT_LAYERS>")]
    #[schemars(range(min = 1, max = MAX_LAYERS))]
    max_layers: usize,
    #[serde(default)]
    modules: Grain,
}

#[derive(Debug, Serialize)]
pub(crate) struct Node {
    node_id: String,
    label: String,
    module: String,
    pagerank: f64,
    layer_confidence: f64,
    violations_as_source: usize,
    violations_as_target: usize,
    connections_up: usize,
    connections_down: usize,
    connections_lateral: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Edge {
    source: String,
    target: String,
    relation: Word<Relation>,
    location: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Health {
    cohesion: f64,
    coupling_up: usize,
    coupling_down: usize,
    violation_density: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    level: u8,
    name: String,
    description: String,
    basis: String,
    nodes: Vec<Node>,
    total_nodes: usize,
    intra_layer_edges: Vec<Edge>,
    total_intra_layer_edges: usize,
    layer_health: Health,
}

pub(crate) struct LayerInspect;

impl Tool for LayerInspect {
    const NAME: &'static str = "layer_inspect";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "Show the files of one layer and what joins them with the others";
    const ANSWERS: &'static str = "the files of one layer, and how it is joined with those above and below";
    const HELP: &'static str = "\
Shows a layer of `layers` (ask with the same `scope`, `max_layers` and `modules`): its files, the highest PageRank first.
`connections_up` is the number of files in layers above that a file is joined with by a dependency in either direction,
`connections_down` below, `connections_lateral` in its own. `violations_as_source` are dependencies of the file that
contradict the layers, `violations_as_target` those of others on it.

`intra_layer_edges` are dependencies between its files, at most 50. `layer_health`: `cohesion` is their number over that of
all ordered pairs of its files, `coupling_up` and `coupling_down` the dependencies with files above and below,
`violation_density` the violations per file.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "level": 0}"#;
    const NEEDS_FRESH: bool = true;
    const PAGED: bool = true;
    const RARE: &'static [&'static str] = &["include_edges", "max_layers", "modules"];
    const DETAILS: &'static [&'static str] =
        &["intra_layer_edges", "nodes.pagerank", "nodes.connections_lateral", "nodes.layer_confidence"];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("nodes": "node_id", "label", "module");
    const TEXT_OMITS: &'static [&'static str] = &["label"];
    type Input = Input;
    type Output = Output;
}

impl ReadTool for LayerInspect {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let page = cx.page(input.top_k);
        let query = LayersQuery {
            paths: past::scope(input.scope.as_deref())?,
            max_layers: input.max_layers,
            grain: input.modules.query(),
            ..LayersQuery::default()
        };
        let found = layering(cx, &query)?;
        let level = usize::from(input.level);
        let Some(layer) = found.layering.layers.get(level) else {
            let message = match found.layering.layers.len() {
                0 => "no file is in a layer".to_owned(),
                count => format!("argument `level` is {level}, expected 0 to {}", count - 1),
            };
            return Err(ToolError::new(ErrorCode::LayerNotFound, message)
                .next_step("call `layers` for the levels, with the same arguments"));
        };
        let mut nodes = nodes(snapshot, &found, level);
        // Edges inside of the layer; those to others are violations or uses.
        let inner: Vec<usize> = (0..found.files.arcs.len())
            .filter(|at| {
                let arc = &found.files.arcs[*at];
                [arc.from, arc.to].iter().all(|file| found.layering.levels[*file] == Some(level))
            })
            .collect();
        let edge = |at: &usize| {
            let arc = &found.files.arcs[*at];
            Edge {
                source: snapshot.graph().id(arc.source).to_owned(),
                target: snapshot.graph().id(arc.target).to_owned(),
                relation: Word(arc.relation),
                location: place_of(snapshot.graph(), &found.files, arc),
            }
        };
        let shown = if input.include_edges { EDGES } else { 0 };
        let total = nodes.len();
        let health = health(&found, level, inner.len());
        // The most central first, as these say most about the layer.
        nodes.sort_by(|a, b| b.pagerank.total_cmp(&a.pagerank).then_with(|| a.node_id.cmp(&b.node_id)));
        let guidance = match nodes.iter().find(|node| node.violations_as_source > 0) {
            Some(node) => {
                let hint = format!("{} contradicts the layers", node.node_id);
                Guidance::next(ProofState::Triaging, ToolRef("layers"), Some(node.node_id.clone()), hint)
            }
            None => Guidance::state(ProofState::Triaging),
        };
        let output = Output {
            level: input.level,
            name: layer.name.clone(),
            description: layer.description.clone(),
            basis: basis(&found),
            nodes: page.cut(nodes),
            total_nodes: total,
            intra_layer_edges: inner.iter().take(shown).map(edge).collect(),
            total_intra_layer_edges: inner.len(),
            layer_health: health,
        };
        Ok(Answer::new(output).rows("nodes", total).guidance(guidance))
    }
}

fn nodes(snapshot: &Snapshot, found: &Found, level: usize) -> Vec<Node> {
    let graph = snapshot.graph();
    let layering = &found.layering;
    let confidences = layering.confidences(&found.files);
    let mut joined: BTreeMap<usize, [usize; 3]> = BTreeMap::new();
    for arc in &found.files.arcs {
        for (file, other) in [(arc.from, arc.to), (arc.to, arc.from)] {
            let (Some(own), Some(theirs)) = (layering.levels[file], layering.levels[other]) else { continue };
            if own == level {
                let way = match theirs.cmp(&own) {
                    std::cmp::Ordering::Less => 0,
                    std::cmp::Ordering::Greater => 1,
                    std::cmp::Ordering::Equal => 2,
                };
                joined.entry(file).or_default()[way] += 1;
            }
        }
    }
    let against =
        |end: &dyn Fn(usize) -> usize, at: usize| layering.against.iter().filter(|row| end(row.arc) == at).count();
    let row = |&at: &usize| {
        let node = found.files.nodes[at];
        let [connections_up, connections_down, connections_lateral] = joined.get(&at).copied().unwrap_or_default();
        Node {
            node_id: graph.id(node).to_owned(),
            label: graph.label(node).to_owned(),
            module: layering.modules.of[at]
                .map_or_else(String::new, |module| module_name(&layering.modules.names[module]).to_owned()),
            pagerank: (f64::from(graph.pagerank(node)) * 1e6).round() / 1e6,
            layer_confidence: round_value(confidences[at]),
            violations_as_source: against(&|arc| found.files.arcs[arc].from, at),
            violations_as_target: against(&|arc| found.files.arcs[arc].to, at),
            connections_up,
            connections_down,
            connections_lateral,
        }
    };
    layering.layers[level].files.iter().map(row).collect()
}

fn health(found: &Found, level: usize, inner: usize) -> Health {
    let levels = &found.layering.levels;
    let count = found.layering.layers[level].files.len();
    let (mut up, mut down) = (0, 0);
    for arc in &found.files.arcs {
        let (Some(from), Some(to)) = (levels[arc.from], levels[arc.to]) else { continue };
        let other = match (from == level, to == level) {
            (true, false) => to,
            (false, true) => from,
            _ => continue,
        };
        if other < level { up += 1 } else { down += 1 }
    }
    let touches = |row: &&m1nd_query::layers::Against| row.levels.0 == level || row.levels.1 == level;
    let own = found.layering.against.iter().filter(touches).count();
    Health {
        cohesion: round_value(inner as f64 / (count * count.saturating_sub(1)).max(1) as f64),
        coupling_up: up,
        coupling_down: down,
        violation_density: round_value(own as f64 / count.max(1) as f64),
    }
}
