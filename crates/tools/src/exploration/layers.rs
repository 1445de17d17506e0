//! Shows the layers of a project and the dependencies that contradict them.

use std::collections::BTreeSet;

use m1nd_base::NodeKind;
use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::layers::{LayersQuery, NewCycle, new_layer_violations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layer_rows::{Found, Grain, Naming, Violation, basis, layering, mean, module_name};
use crate::framework::{
    Answer, Command, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, ToolRef, Toolset,
    number, rows_schema, yes,
};
use crate::past;
use crate::rows::{count, round_value};
use crate::word::{Word, answer_kinds};

/// Default and maximum number of inferred layers.
const DEFAULT_LAYERS: usize = 8;
const MAX_LAYERS: usize = 50;
/// Default number of files below which a layer is joined with its neighbour.
const DEFAULT_FILES: usize = 2;
const MAX_FILES: usize = 1_000;
/// Default and maximum number of violations.
const DEFAULT_VIOLATIONS: usize = 100;
const MAX_VIOLATIONS: usize = 1_000;
/// Types that a call names.
const MAX_TYPES: usize = 20;
/// Nodes, modules and users of one row, circles and pairs of an answer.
const NODES: usize = 5;
const MODULES: usize = 30;
const CYCLES: usize = 20;
const UTILITIES: usize = 30;
/// Share of the layers that use what is cross-cutting.
const CROSS_CUTTING: f64 = 0.5;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Folder, file or glob
    scope: Option<String>,
    #[serde(default = "number::<DEFAULT_LAYERS>")]
    #[schemars(range(min = 1, max = MAX_LAYERS))]
    max_layers: usize,
    #[serde(default = "yes")]
    include_violations: bool,
    /// Smaller ones are joined with a neighbour
    #[serde(default = "number::<DEFAULT_FILES>")]
    #[schemars(range(min = 1, max = MAX_FILES))]
    min_nodes_per_layer: usize,
    /// What `nodes` lists, instead of files
    #[serde(default)]
    #[schemars(length(max = MAX_TYPES))]
    node_types: Vec<String>,
    #[serde(default)]
    naming_strategy: Naming,
    /// Leave the layer of tests out
    #[serde(default)]
    exclude_tests: bool,
    #[serde(default = "number::<DEFAULT_VIOLATIONS>")]
    #[schemars(range(min = 0, max = MAX_VIOLATIONS))]
    violation_limit: usize,
    #[serde(default)]
    modules: Grain,
    /// Commit: only what changed since, and new cycles
    since: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Node {
    node_id: String,
    label: String,
    #[serde(rename = "type")]
    kind: Word<NodeKind>,
    in_degree: usize,
    out_degree: usize,
    layer_confidence: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Layer {
    /// Null for tests, which may use everything.
    level: Option<usize>,
    name: String,
    description: String,
    node_count: usize,
    /// Null for tests.
    layer_confidence: Option<f64>,
    /// In their order.
    modules: Vec<String>,
    nodes: Vec<Node>,
    avg_pagerank: f64,
    avg_out_degree: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Cycle {
    modules: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    closed_by: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Open {
    modules: [String; 2],
    why: String,
}

answer_kinds! {
    /// How a file stands to the layers.
    pub(crate) UtilityKind { CrossCutting = "cross_cutting", Orphan = "orphan", Bridge = "bridge", }
}

#[derive(Debug, Serialize)]
pub(crate) struct Utility {
    node_id: String,
    label: String,
    used_by_layers: usize,
    classification: Word<UtilityKind>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    total_nodes_classified: usize,
    total_layers_detected: usize,
    total_violations: usize,
    total_utility_nodes: usize,
    layer_separation_score: f64,
    has_cycles: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    basis: String,
    layers: Vec<Layer>,
    violations: Vec<Violation>,
    /// Groups of modules that use each other, directly or not.
    cycles: Vec<Cycle>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_cycles: Option<Vec<Cycle>>,
    cannot_tell: Vec<Open>,
    utility_nodes: Vec<Utility>,
    summary: Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct Layers;

impl Tool for Layers {
    const NAME: &'static str = "layers";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "Show the layers of the code, and the dependencies that contradict them";
    const ANSWERS: &'static str = "which parts stand above which, and which dependencies contradict that";
    const HELP: &'static str = r#"Puts the files of the product into layers, from the top (`level` 0, users) to the bottom (used), by the file
`m1nd-layers.toml` at the top of the repository:

  strict = false             # true: a layer may use the next one only
  [[layer]]                  # from the top to the bottom
  name = "web"
  paths = ["src/web", "src/api/**"]   # folders, files or globs; the first layer that has a path wins
  [[layer]]
  name = "core"
  paths = ["src/core"]
  may_use = []               # default: all layers below

Without it, layers are inferred (`basis`): modules are packages (folders with a manifest) if there are three or more, else
folders and files at the top of the code (`modules`). They are put in the order that the fewest dependencies contradict,
taken from imports, calls, references and bases that are certain; then depths are joined until there are `max_layers` and
none has less than `min_nodes_per_layer` files. Tests may use everything and form a layer without a level.

`violations` are pairs of files, with `location` and up to `violation_limit` of them: `upward_dependency`,
`forbidden_dependency` (not in `may_use`), `skip_layer_dependency` (`strict`), and, of inferred layers, the weaker direction of
modules that use each other (`circular_dependency` inside a layer). `severity` is `high` for imports, `medium` for calls and
bases, one more past several layers, `critical` for circles. Where two modules use each other about evenly, neither direction
is a violation: the pair is in `cannot_tell`. `layer_confidence` is the share of dependencies that agree; .5 without any.
`cycles` are groups of modules that use each other, directly or not. `utility_nodes`: `cross_cutting` (used by half of the
layers), `bridge` (joins layers that are no neighbours only), `orphan` (no dependencies).

With `since`, `violations` are only those in files that changed since that commit or differ from it, with `is_new`, and
`new_cycles` are circles of folders that the commit did not have, with the places that close them."#;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const STAGES: &'static [Route] = &[(Stage::Review, 40, "whether dependencies contradict the layers")];
    const NEEDS_FRESH: bool = true;
    const RARE: &'static [&'static str] =
        &["min_nodes_per_layer", "node_types", "naming_strategy", "exclude_tests", "violation_limit", "modules"];
    const DETAILS: &'static [&'static str] = &["layers.nodes", "layers.avg_out_degree", "utility_nodes"];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("layers": "name", "node_count");
    const TEXT_OMITS: &'static [&'static str] =
        &["label", "nodes", "description", "avg_pagerank", "avg_out_degree", "utility_nodes"];
    const COMMAND: Option<Command> = Some(Command::new("layers", &["scope"]));
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Layers {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let kinds = kinds(&input.node_types)?;
        let query = LayersQuery {
            paths: past::scope(input.scope.as_deref())?,
            max_layers: input.max_layers,
            min_files: input.min_nodes_per_layer,
            grain: input.modules.query(),
            naming: match input.naming_strategy {
                Naming::Auto => m1nd_query::layers::Naming::Auto,
                Naming::PathPrefix => m1nd_query::layers::Naming::PathPrefix,
                Naming::Pagerank => m1nd_query::layers::Naming::PageRank,
            },
        };
        let found = layering(cx, &query)?;
        let mut gaps = Vec::new();
        if found.layering.unclassified > 0 {
            gaps.push(format!("{} in no declared layer", count(found.layering.unclassified, "file")));
        }
        // With `since`, only what the change adds.
        let mut violations: Vec<Violation> =
            found.layering.against.iter().map(|row| Violation::of(snapshot, &found, row, None)).collect();
        let mut new_cycles = None;
        if let Some(since) = &input.since {
            let change = change(cx, since, &found, &mut gaps)?;
            (violations, new_cycles) = (change.violations, Some(change.cycles));
        }
        let total_violations = violations.len();
        violations.truncate(if input.include_violations { input.violation_limit } else { 0 });
        // Tests may use everything, so that they are a layer of their own.
        let mut layers = layer_rows(snapshot, &found, &kinds);
        if !input.exclude_tests {
            layers.extend(tests(snapshot, &found, &query));
        }
        let mut utilities = utilities(snapshot, &found);
        let total_utility_nodes = utilities.len();
        utilities.truncate(UTILITIES);
        let guidance = guidance(&violations, &found);
        let output = Output {
            basis: basis(&found),
            summary: Summary {
                total_nodes_classified: found.layering.levels.iter().flatten().count(),
                total_layers_detected: found.layering.layers.len(),
                total_violations,
                total_utility_nodes,
                layer_separation_score: round_value(found.layering.separation()),
                has_cycles: !found.layering.modules.circles().is_empty(),
            },
            cycles: cycles(&found),
            new_cycles: new_cycles.map(|rows| rows.into_iter().map(cycle).collect()),
            cannot_tell: open(&found),
            utility_nodes: utilities,
            layers,
            violations,
            what_is_missing: (!gaps.is_empty()).then(|| gaps.join("; ")),
        };
        let total = output.layers.len();
        Ok(Answer::new(output).rows("layers", total).guidance(guidance))
    }
}

fn kinds(words: &[String]) -> Result<Vec<NodeKind>, ToolError> {
    let kind = |word: &String| {
        NodeKind::ALL.iter().copied().find(|kind| kind.word() == word.trim().to_lowercase()).ok_or_else(|| {
            let known: Vec<&str> = NodeKind::ALL.iter().map(|kind| kind.word()).collect();
            ToolError::invalid(format!("argument `node_types` has `{word}`, expected some of {}", known.join(", ")))
        })
    };
    words.iter().map(kind).collect()
}

fn guidance(violations: &[Violation], found: &Found) -> Guidance {
    match violations.first() {
        Some(row) => {
            let path = row.location.rsplit_once(':').map(|(path, _)| path.to_owned());
            let hint = format!("{} contradicts the layers: {}", row.location, row.explanation);
            Guidance::next(ProofState::Triaging, ToolRef("view"), path, hint)
        }
        None if found.layering.layers.is_empty() => Guidance::state(ProofState::Blocked),
        None => Guidance::state(ProofState::Triaging),
    }
}

/// What changed since a commit.
struct Change {
    violations: Vec<Violation>,
    cycles: Vec<NewCycle>,
}

fn change(cx: &ReadContext<'_>, since: &str, found: &Found, gaps: &mut Vec<String>) -> Result<Change, ToolError> {
    let (snapshot, history) = (cx.snapshot(), cx.history());
    let changed = past::changed_files(cx, Some(since), gaps)?;
    let place = past::first_place(snapshot, &history).map_err(past::without_history)?;
    let commit = past::commit(&place, "since", since)?;
    let before = past::at_commit(cx, &place, commit)?;
    let new = new_layer_violations(&before, snapshot, found.declared.as_ref(), cx.cancel())?;
    let is_changed = |at: usize| changed.contains(snapshot.graph().path(found.files.nodes[found.files.arcs[at].from]));
    let rows: Vec<_> = match &found.declared {
        Some(_) => new.against.iter().map(|(row, is_new)| (*row, *is_new)).collect(),
        None => found.layering.against.iter().map(|row| (*row, false)).collect(),
    };
    let meant: BTreeSet<usize> = found.layering.against.iter().map(|row| row.arc).collect();
    let rows = rows.iter().filter(|(row, _)| is_changed(row.arc) && meant.contains(&row.arc));
    let violations = rows.map(|(row, is_new)| {
        let is_new = found.declared.as_ref().map(|_| *is_new);
        Violation::of(snapshot, found, row, is_new)
    });
    Ok(Change { violations: violations.collect(), cycles: new.cycles })
}

fn layer_rows(snapshot: &Snapshot, found: &Found, kinds: &[NodeKind]) -> Vec<Layer> {
    let graph = snapshot.graph();
    let confidences = found.layering.confidences(&found.files);
    let (mut out, mut into) = (vec![0usize; confidences.len()], vec![0usize; confidences.len()]);
    for arc in &found.files.arcs {
        out[arc.from] += 1;
        into[arc.to] += 1;
    }
    let modules = &found.layering.modules;
    let row = |(level, layer): (usize, &m1nd_query::layers::Layer)| {
        // Files, or the symbols in them of the kinds that were asked for.
        let mut ranked: Vec<(NodeIx, usize)> = match kinds {
            [] => layer.files.iter().map(|at| (found.files.nodes[*at], *at)).collect(),
            kinds => {
                let members = |at: &usize| {
                    let nodes = graph.of_file(found.files.nodes[*at]).into_iter();
                    nodes.filter(|node| kinds.contains(&graph.kind(*node))).map(|node| (node, *at)).collect::<Vec<_>>()
                };
                layer.files.iter().flat_map(members).collect()
            }
        };
        ranked.sort_by(|a, b| graph.pagerank(b.0).total_cmp(&graph.pagerank(a.0)).then_with(|| a.cmp(b)));
        let node = |&(node, at): &(NodeIx, usize)| Node {
            node_id: graph.id(node).to_owned(),
            label: graph.label(node).to_owned(),
            kind: Word(graph.kind(node)),
            in_degree: into[at],
            out_degree: out[at],
            layer_confidence: round_value(confidences[at]),
        };
        let module = |module: &usize| module_name(&modules.names[*module]).to_owned();
        Layer {
            level: Some(level),
            name: layer.name.clone(),
            description: layer.description.clone(),
            node_count: layer.files.len(),
            layer_confidence: Some(mean(&confidences, &layer.files)),
            modules: layer.modules.iter().take(MODULES).map(module).collect(),
            nodes: ranked.iter().take(NODES).map(node).collect(),
            avg_pagerank: (layer.pagerank * 1e6).round() / 1e6,
            avg_out_degree: round_value(
                layer.files.iter().map(|at| out[*at]).sum::<usize>() as f64 / layer.files.len().max(1) as f64,
            ),
        }
    };
    found.layering.layers.iter().enumerate().map(row).collect()
}

/// The layer of tests, which has no level.
fn tests(snapshot: &Snapshot, found: &Found, query: &LayersQuery) -> Option<Layer> {
    let graph = snapshot.graph();
    let files: Vec<NodeIx> =
        found.files.tests.iter().copied().filter(|node| query.paths.has(graph.path(*node))).collect();
    let rank: f64 = files.iter().map(|node| f64::from(graph.pagerank(*node))).sum();
    (!files.is_empty()).then(|| Layer {
        level: None,
        name: "tests".to_owned(),
        description: "may use everything".to_owned(),
        node_count: files.len(),
        layer_confidence: None,
        modules: Vec::new(),
        nodes: Vec::new(),
        avg_pagerank: (rank / files.len() as f64 * 1e6).round() / 1e6,
        avg_out_degree: 0.0,
    })
}

fn cycle(found: NewCycle) -> Cycle {
    let modules = found.modules.iter().map(|name| module_name(name).to_owned()).collect();
    Cycle { modules, closed_by: found.closed_by }
}

fn cycles(found: &Found) -> Vec<Cycle> {
    let name = |module: &usize| module_name(&found.layering.modules.names[*module]).to_owned();
    let row = |modules: &Vec<usize>| {
        let mut sorted = modules.clone();
        sorted.sort_by_key(|module| found.layering.modules.place(*module));
        Cycle { modules: sorted.iter().take(MODULES).map(name).collect(), closed_by: Vec::new() }
    };
    found.layering.modules.circles().iter().take(CYCLES).map(row).collect()
}

fn open(found: &Found) -> Vec<Open> {
    let modules = &found.layering.modules;
    let row = |&(a, b): &(usize, usize)| {
        let pairs = |a, b| modules.joints.get(&(a, b)).map_or(0, |joint| joint.arcs.len());
        Open {
            modules: [a, b].map(|module| module_name(&modules.names[module]).to_owned()),
            why: format!("{} pairs of files one way, {} the other", pairs(a, b), pairs(b, a)),
        }
    };
    match found.declared {
        Some(_) => Vec::new(),
        None => found.layering.open.iter().take(CYCLES).map(row).collect(),
    }
}

/// Files that most layers use, that join only layers that are no neighbours, or that nothing joins.
fn utilities(snapshot: &Snapshot, found: &Found) -> Vec<Utility> {
    let graph = snapshot.graph();
    let levels = &found.layering.levels;
    let count = found.files.nodes.len();
    // By file: the layers that use it; whether it has arrows, and whether all of them skip a layer.
    let mut users: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    let mut gaps: Vec<(bool, bool)> = vec![(false, true); count];
    for arc in &found.files.arcs {
        let (Some(from), Some(to)) = (levels[arc.from], levels[arc.to]) else { continue };
        users[arc.to].insert(from);
        for at in [arc.from, arc.to] {
            gaps[at] = (true, gaps[at].1 && from.abs_diff(to) > 1);
        }
    }
    // A file counts as cross-cutting from a share of the layers on, but never for one alone.
    let least = ((found.layering.layers.len() as f64 * CROSS_CUTTING).ceil() as usize).max(2);
    let row = |at: usize| {
        levels[at]?;
        let (is_joined, is_bridge) = gaps[at];
        let classification = match () {
            () if users[at].len() >= least => UtilityKind::CrossCutting,
            () if !is_joined => UtilityKind::Orphan,
            () if is_bridge => UtilityKind::Bridge,
            () => return None,
        };
        let node = found.files.nodes[at];
        Some((
            graph.pagerank(node),
            Utility {
                node_id: graph.id(node).to_owned(),
                label: graph.label(node).to_owned(),
                used_by_layers: users[at].len(),
                classification: Word(classification),
            },
        ))
    };
    let mut rows: Vec<(f32, Utility)> = (0..count).filter_map(row).collect();
    rows.sort_by(|a, b| {
        let key = |row: &(f32, Utility)| (std::cmp::Reverse(row.1.used_by_layers), row.1.node_id.clone());
        key(a).cmp(&key(b))
    });
    rows.into_iter().map(|(_, row)| row).collect()
}
