//! Finds state that several ways into the program write without a common lock.

use m1nd_base::NodeKind;
use m1nd_engine::Snapshot;
use m1nd_query::risk::{FlowAnswer, FlowQuery, MAX_ENTRIES, SharedState, flow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, ErrorCode, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset, number,
    rows_schema, yes,
};
use crate::past;
use crate::rows::{self, count, round_value};
use crate::word::{Word, answer_kinds};

/// Default and maximum divisor of the number of ways.
const DEFAULT_PARTICLES: usize = 2;
const MAX_PARTICLES: usize = 100;
/// Default and maximum calls that are followed.
const DEFAULT_DEPTH: usize = 15;
const MAX_DEPTH: usize = 100;
/// Default and maximum functions visited.
const DEFAULT_STEPS: usize = 50_000;
const MAX_STEPS: usize = 1_000_000;
/// Default number of rows.
const DEFAULT_ROWS: usize = 50;
const MAX_ROWS: usize = 500;
/// Maximum texts of one argument.
const MAX_TEXTS: usize = 50;
/// Rows of points that are no risk.
const OTHERS: usize = 20;
/// Pairs of entry points and paths of one row.
const PAIRS: usize = 5;
/// Default score below which shared state is left out.
const DEFAULT_THRESHOLD: f64 = 0.5;
/// Factor for state that is shared only if the object is.
const FIELD: f64 = 0.7;
/// Factor for ways with calls that are possible only.
const POSSIBLE: f64 = 0.8;

const fn default_threshold() -> f64 {
    DEFAULT_THRESHOLD
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Default: what frameworks run, handle_*, on_*, main …
    #[serde(default)]
    #[schemars(length(max = MAX_ENTRIES))]
    entry_nodes: Vec<String>,
    /// Ways for the full score
    #[serde(default = "number::<DEFAULT_PARTICLES>")]
    #[schemars(range(min = 1, max = MAX_PARTICLES))]
    num_particles: usize,
    /// Further texts that take a lock
    #[serde(default)]
    #[schemars(length(max = MAX_TEXTS))]
    lock_patterns: Vec<String>,
    /// Texts in names of state to skip
    #[serde(default)]
    #[schemars(length(max = MAX_TEXTS))]
    read_only_patterns: Vec<String>,
    #[serde(default = "number::<DEFAULT_DEPTH>")]
    #[schemars(range(min = 1, max = MAX_DEPTH))]
    max_depth: usize,
    #[serde(default = "default_threshold")]
    #[schemars(range(min = 0, max = 1))]
    turbulence_threshold: f64,
    #[serde(default = "yes")]
    include_paths: bool,
    #[serde(default = "number::<DEFAULT_STEPS>")]
    #[schemars(range(min = 1, max = MAX_STEPS))]
    max_total_steps: usize,
    /// Folder or glob of the state
    scope_filter: Option<String>,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
}

answer_kinds! {
    /// How likely concurrent writes are to meet.
    pub(crate) FlowSeverity { Low = "Low", Medium = "Medium", High = "High", Critical = "Critical", }
}

#[derive(Debug, Serialize)]
pub(crate) struct Point {
    node: String,
    node_label: String,
    turbulence_score: f64,
    severity: Word<FlowSeverity>,
    /// Number of entry points that write it without a lock in common with another one.
    particle_count: usize,
    has_lock: bool,
    entry_pairs: Vec<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest_upstream_lock: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paths: Vec<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cannot_tell: Option<&'static str>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Valve {
    node: String,
    node_label: String,
    lock_type: String,
    particles_serialized: usize,
    downstream_protected: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Meeting {
    node: String,
    entries: usize,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Summary {
    total_entry_points: usize,
    total_particles: usize,
    total_nodes_visited: usize,
    turbulence_count: usize,
    valve_count: usize,
    convergence_count: usize,
    coverage_pct: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    turbulence_points: Vec<Point>,
    total_turbulence_points: usize,
    valve_points: Vec<Valve>,
    protected_nodes: usize,
    /// Functions that several entry points reach: no evidence of a race.
    convergence: Vec<Meeting>,
    summary: Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct FlowSimulate;

impl Tool for FlowSimulate {
    const NAME: &'static str = "flow_simulate";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "Find shared state that several entry points write without a common lock";
    const ANSWERS: &'static str = "shared state that several entry points write without a common lock";
    const HELP: &'static str = "\
Follows calls from entry points (`entry_nodes`; else functions that a framework runs, and those named `handle_*`, `route_*`,
`api_*`, `endpoint_*`, `on_*`, `cmd_*`, `tick_*`, `daemon_*` or `main`, at most 200) and reports state written from at least
two of them: variables of modules, statics, and fields outside of constructors. A function writes state if, where it refers
to it, the line assigns it, deletes from it or calls a changing method (`append`, `insert`, `store` …).

Two ways to writes of one state are open if no lock is taken by a function on both of them: `with lock:`, `x.lock()`,
`x.Lock()`, `x.acquire()`, `synchronized (x)`, or a line with one of `lock_patterns`. Locks are compared as they are written.
`turbulence_points` have open pairs: `particle_count` is the number of entry points in them, `turbulence_score` that number
over `num_particles`, at most 1, times .7 for fields (shared only if the object is) and .8 if every open pair has a call that
is only possible. `severity`: `Critical` from .8 with three or more entry points, `High` from .6, `Medium` from .3, else `Low`.
`valve_points` are written by several, always under a common lock. `convergence` lists what several entry points merely
reach: that alone is no evidence.

`max_total_steps` (50,000) bounds the functions visited, `num_particles` (2) divides the score.

It does not know which entry points run at the same time, so a row is a question, not a race. Aliases of state, state behind
the project's own functions, and locks taken by decorators are not seen.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "entry_nodes": ["auth.py::validate_credentials"]}"#;
    const NEEDS_FRESH: bool = true;
    const PAGED: bool = true;
    const RARE: &'static [&'static str] =
        &["lock_patterns", "read_only_patterns", "turbulence_threshold", "include_paths"];
    const UNLISTED: &'static [&'static str] = &["max_total_steps", "num_particles"];
    const DETAILS: &'static [&'static str] = &["turbulence_points.paths", "convergence", "protected_nodes"];
    const OUTPUT_SCHEMA: &'static str =
        rows_schema!("turbulence_points": "node", "node_label", "turbulence_score", "severity");
    const TEXT_OMITS: &'static [&'static str] = &["node_label"];
    type Input = Input;
    type Output = Output;
}

impl ReadTool for FlowSimulate {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let page = cx.page(input.top_k);
        let entries = input.entry_nodes.iter().map(|text| rows::resolve(snapshot, "entry_nodes", text));
        let query = FlowQuery {
            entries: entries.collect::<Result<_, _>>()?,
            lock_patterns: input.lock_patterns.iter().filter(|text| !text.is_empty()).cloned().collect(),
            read_only_patterns: input.read_only_patterns.iter().filter(|text| !text.is_empty()).cloned().collect(),
            max_depth: input.max_depth,
            max_steps: input.max_total_steps,
            paths: past::scope(input.scope_filter.as_deref())?,
        };
        let found = flow(snapshot, &query, cx.cancel())?;
        if found.entries.is_empty() {
            return Err(ToolError::new(
                ErrorCode::NodeNotFound,
                "no entry points: no function is run by a framework or named like a handler",
            )
            .next_step("pass functions as `entry_nodes`"));
        }
        // Points that some pair of flows reaches without a common lock.
        let mut points: Vec<Point> = found
            .shared
            .iter()
            .filter(|shared| !shared.open_pairs.is_empty())
            .map(|shared| point(snapshot, shared, &input))
            .filter(|point| point.turbulence_score >= input.turbulence_threshold)
            .collect();
        points.sort_by(|a, b| b.turbulence_score.total_cmp(&a.turbulence_score).then_with(|| a.node.cmp(&b.node)));
        let total = points.len();
        let guidance = match points.first() {
            Some(point) => {
                let hint = format!(
                    "{} is written from {} without a common lock: check if they run at the same time",
                    point.node,
                    count(point.particle_count, "entry point")
                );
                Guidance::next(ProofState::Triaging, ToolRef("references"), Some(point.node.clone()), hint)
            }
            None => Guidance::state(ProofState::Triaging),
        };
        Ok(Answer::new(output(snapshot, &found, page.cut(points), total, input.num_particles))
            .rows("turbulence_points", total)
            .guidance(guidance))
    }
}

fn output(snapshot: &Snapshot, found: &FlowAnswer, points: Vec<Point>, total: usize, particles: usize) -> Output {
    let graph = snapshot.graph();
    let closed: Vec<&SharedState> = found.shared.iter().filter(|shared| shared.open_pairs.is_empty()).collect();
    let functions = graph.nodes().filter(|&node| graph.kind(node) == NodeKind::Function).count();
    let valve = |shared: &&SharedState| Valve {
        node: graph.id(shared.state).to_owned(),
        node_label: graph.label(shared.state).to_owned(),
        lock_type: shared.common.iter().next().cloned().unwrap_or_default(),
        particles_serialized: shared.ways.len(),
        downstream_protected: shared
            .ways
            .iter()
            .filter_map(|way| way.path.last())
            .collect::<std::collections::BTreeSet<_>>()
            .len(),
    };
    let meeting = |(node, entries): &(_, usize)| Meeting { node: graph.id(*node).to_owned(), entries: *entries };
    Output {
        turbulence_points: points,
        total_turbulence_points: total,
        valve_points: closed.iter().take(OTHERS).map(valve).collect(),
        protected_nodes: closed.len(),
        convergence: found.convergence.iter().take(OTHERS).map(meeting).collect(),
        summary: Summary {
            total_entry_points: found.entries.len(),
            total_particles: found.entries.len() * particles,
            total_nodes_visited: found.visited,
            turbulence_count: total,
            valve_count: closed.len(),
            convergence_count: found.convergence.len(),
            coverage_pct: round_value(100.0 * found.visited as f64 / functions.max(1) as f64),
        },
        what_is_missing: found.is_cut.then(|| "a limit on entry points, depth or steps ended the search".to_owned()),
    }
}

fn point(snapshot: &Snapshot, shared: &SharedState, input: &Input) -> Point {
    let graph = snapshot.graph();
    let id = |node| graph.id(node).to_owned();
    let mut open: Vec<usize> = shared.open_pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
    open.sort_unstable();
    open.dedup();
    let is_field = graph.kind(shared.state) == NodeKind::Field;
    let is_certain = shared.open_pairs.iter().any(|(a, b)| shared.ways[*a].is_certain && shared.ways[*b].is_certain);
    let score = (open.len() as f64 / input.num_particles as f64).min(1.0)
        * if is_field { FIELD } else { 1.0 }
        * if is_certain { 1.0 } else { POSSIBLE };
    let severity = match score {
        score if score >= 0.8 && open.len() >= 3 => FlowSeverity::Critical,
        score if score >= 0.6 => FlowSeverity::High,
        score if score >= 0.3 => FlowSeverity::Medium,
        _ => FlowSeverity::Low,
    };
    let pairs = shared.open_pairs.iter().take(PAIRS);
    let ways = open.iter().take(PAIRS).map(|at| &shared.ways[*at]);
    Point {
        node: id(shared.state),
        node_label: graph.label(shared.state).to_owned(),
        turbulence_score: round_value(score),
        severity: Word(severity),
        particle_count: open.len(),
        has_lock: shared.ways.iter().any(|way| !way.locks.is_empty()),
        entry_pairs: pairs.map(|(a, b)| [id(shared.ways[*a].entry), id(shared.ways[*b].entry)]).collect(),
        nearest_upstream_lock: shared.ways.iter().flat_map(|way| &way.locks).next().cloned(),
        paths: match input.include_paths {
            true => ways.map(|way| way.path.iter().map(|node| id(*node)).collect()).collect(),
            false => Vec::new(),
        },
        cannot_tell: is_field.then_some("whether the entry points share the object"),
    }
}
