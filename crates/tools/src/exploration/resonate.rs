//! Finds code related to a start at several scales, and code built alike.

use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::retrieval::resonate;
use m1nd_query::retrieval::{Alike, ResonateAnswer, ResonateFrom, ResonateGroup, ResonateRow, SympatheticPair};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset, number, rows_schema,
};
use crate::rows::{self, NodeRow, Seed, round_value};

/// Default number of rows.
const DEFAULT_ROWS: usize = 20;
/// Maximum rows of one page.
const MAX_ROWS: usize = 200;
/// Maximum strongest nodes listed for each group.
const NAMED: usize = 5;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Topic; omit both for the whole project
    query: Option<String>,
    /// Overrides query
    node_id: Option<String>,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Harmonic {
    #[serde(flatten)]
    node: NodeRow,
    amplitude: f64,
    harmonic_order: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Antinode {
    node_id: String,
    amplitude: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Group {
    harmonic: usize,
    /// Average number of steps of a walk.
    mean_steps: u32,
    /// `1 / mean_steps`.
    frequency: f64,
    total_energy: f64,
    node_count: usize,
    /// Node at the centre of the part; only without a start.
    #[serde(skip_serializing_if = "Option::is_none")]
    anchor: Option<String>,
    antinodes: Vec<Antinode>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Pair {
    a: String,
    b: String,
    coupling: f64,
    /// Common neighbours.
    shared: Vec<String>,
    shared_total: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    /// The words or the node of the request; null for the whole project.
    seed: Option<String>,
    seeds: Vec<Seed>,
    harmonics: Vec<Harmonic>,
    total_harmonics: usize,
    groups: Vec<Group>,
    harmonic_groups: usize,
    sympathetic_pairs: Vec<Pair>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct Resonate;

impl Tool for Resonate {
    const NAME: &'static str = "resonate";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str =
        "Find code related at several distances, code built alike, or the parts of the project";
    const ANSWERS: &'static str = "code related at several distances, code built alike, and the parts of a project";
    const HELP: &'static str = "\
Walks from a start (`node_id`, or the matches of `query`) over all relations in both directions, at five scales: walks
of 1, 2, 4, 8 and 16 steps on average (personalised PageRank), minus what a walk from anywhere has at a node. A node
belongs to the scale that has most of what left the start there: `harmonic_order` 1 is what the start works with
directly, 5 the part of the project around it. `amplitude` is 0 to 1 within its scale; it is low for what every walk
reaches, such as a logger. Fields, constants, tests (unless the start is one) and the members of the start are
omitted. `groups` summarises each scale: `node_count`, `total_energy` (share of the walk), the strongest nodes as
`antinodes`.

`sympathetic_pairs` are nodes of one kind without an edge between them that are connected to the same others: code of
the same role, such as other handlers or a second implementation. `coupling` is the correlation of where one step
leads from each, 0 by chance and 1 for the same nodes; `shared` lists common neighbours. The ten most similar pairs
are listed; of a node with more than 300 neighbours, the strongest 300 are compared.

Without `query` and `node_id`, it shows the parts of the project: `groups` around `anchor`s, important nodes far from
each other (files and types, at most 12, most important first), and their pairs. `harmonic_order` is then the number
of the group. Rows are ordered by group. `incomplete`: a scale reached its edge limit. `what_is_missing` says what a
limit left out. The answer depends only on the graph, and on the ranking of `seek` for the matches of `query`.";
    const NEEDS_FRESH: bool = true;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "query": "validate credentials"}"#;
    const PAGED: bool = true;
    const DETAILS: &'static [&'static str] =
        &["harmonics.harmonic_order", "seeds", "groups", "sympathetic_pairs.shared"];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("harmonics": "node_id", "label", "type", "file_path", "amplitude");
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Resonate {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let (from, seed) = from(snapshot, &input)?;
        let history = matches!(from, ResonateFrom::Words(_)).then(|| cx.loaded_history()).flatten();
        let found = resonate(snapshot, &from, history.as_ref(), cx.cancel())?;
        let page = cx.page(input.top_k);
        let guidance = guidance(snapshot, &found, &from);
        let graph = snapshot.graph();
        let id = |node: &NodeIx| graph.id(*node).to_owned();
        let total = found.rows.len();
        let groups: Vec<Group> = found.groups.iter().map(|group| self::group(snapshot, group, &found.rows)).collect();
        let harmonic = |row: ResonateRow| Harmonic {
            node: NodeRow::new(snapshot, row.node),
            amplitude: round_value(row.amplitude),
            harmonic_order: row.group,
        };
        let pair = |pair: &SympatheticPair| Pair {
            a: id(&pair.a),
            b: id(&pair.b),
            coupling: round_value(pair.coupling),
            shared: pair.shared.iter().map(id).collect(),
            shared_total: pair.shared_total,
        };
        let seeds = found.seeds.iter().map(|seed| Seed::new(snapshot, seed));
        let output = Output {
            seed,
            seeds: seeds.collect(),
            harmonics: page.cut(found.rows.clone()).into_iter().map(harmonic).collect(),
            total_harmonics: total,
            harmonic_groups: groups.len(),
            groups,
            sympathetic_pairs: found.alike.pairs.iter().map(pair).collect(),
            incomplete: found.incomplete,
            what_is_missing: missing(snapshot, &found),
        };
        Ok(Answer::new(output).rows("harmonics", total).guidance(guidance))
    }
}

fn from(snapshot: &Snapshot, input: &Input) -> Result<(ResonateFrom, Option<String>), ToolError> {
    if let Some(text) = &input.node_id {
        let node = rows::resolve(snapshot, "node_id", text)?;
        return Ok((ResonateFrom::Node(node), Some(snapshot.graph().id(node).to_owned())));
    }
    match &input.query {
        None => Ok((ResonateFrom::Everywhere, None)),
        Some(text) => {
            rows::words("query", text, "the words or names of a topic; omit it for the whole project")?;
            Ok((ResonateFrom::Words(text.clone()), Some(text.clone())))
        }
    }
}

fn group(snapshot: &Snapshot, group: &ResonateGroup, rows: &[ResonateRow]) -> Group {
    let graph = snapshot.graph();
    let own = rows.iter().filter(|row| row.group == group.number).take(NAMED);
    let antinode =
        |row: &ResonateRow| Antinode { node_id: graph.id(row.node).to_owned(), amplitude: round_value(row.amplitude) };
    Group {
        harmonic: group.number,
        mean_steps: group.steps,
        frequency: round_value(1.0 / f64::from(group.steps)),
        total_energy: round_value(group.energy),
        node_count: group.size,
        anchor: group.anchor.map(|anchor| graph.id(anchor).to_owned()),
        antinodes: own.map(antinode).collect(),
    }
}

fn missing(snapshot: &Snapshot, found: &ResonateAnswer) -> Option<String> {
    let mut gaps: Vec<String> = Vec::new();
    if found.incomplete {
        gaps.push("a scale exceeds the search limit".to_owned());
    }
    if let Some((first, others)) = found.alike.in_part.split_first() {
        let others = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
        let (label, compared) = (snapshot.graph().label(*first), Alike::COMPARED);
        gaps.push(format!(
            "`{label}`{others} compared by the strongest {compared} neighbours only: they may share more"
        ));
    }
    if found.alike.more_candidates {
        gaps.push("the start was compared with only some of the nodes that share neighbours with it".to_owned());
    }
    if found.alike.more_pairs {
        gaps.push("there are more `sympathetic_pairs`: the most similar are listed".to_owned());
    }
    (!gaps.is_empty()).then(|| gaps.join("; "))
}

fn guidance(snapshot: &Snapshot, found: &ResonateAnswer, from: &ResonateFrom) -> Guidance {
    let graph = snapshot.graph();
    if let Some(pair) = found.alike.pairs.first() {
        let (a, b) = (graph.label(pair.a), graph.label(pair.b));
        let hint = format!("`{b}` is connected like `{a}` ({} in common): compare them", pair.shared_total);
        return Guidance::next(ProofState::Triaging, ToolRef("view"), Some(graph.id(pair.b).to_owned()), hint);
    }
    let strongest = match from {
        ResonateFrom::Everywhere => found.seeds.first().map(|(anchor, _)| *anchor),
        _ => found.rows.first().map(|row| row.node),
    };
    match (strongest, found.seeds.is_empty()) {
        (Some(node), _) => {
            let label = graph.label(node);
            let hint = match (from, found.alike.more_candidates) {
                (ResonateFrom::Everywhere, _) => format!("`{label}` is the most important node: start there"),
                (_, true) => format!("no compared node is connected alike; the nearest is `{label}`"),
                (_, false) => format!("no other node is connected alike; the nearest is `{label}`"),
            };
            Guidance::next(ProofState::Triaging, ToolRef("view"), Some(graph.id(node).to_owned()), hint)
        }
        (None, false) => {
            let target = found.seeds.first().map(|(node, _)| graph.id(*node).to_owned());
            let hint = "the start has no known connections: check what refers to it";
            Guidance::next(ProofState::Proving, ToolRef("impact"), target, hint)
        }
        (None, true) => match from {
            ResonateFrom::Words(text) => Guidance::no_match(Some(text)),
            _ => {
                let hint = "no file or type is connected to another: list the indexed files";
                Guidance::next(ProofState::Blocked, ToolRef("glob"), Some("**/*".to_owned()), hint)
            }
        },
    }
}
