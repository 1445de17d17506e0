//! Says which files change faster than before, compared with the others of the project.

use m1nd_engine::Snapshot;
use m1nd_query::changes::Depth;
use m1nd_query::risk::{Direction, TremorLevel, TremorNode, tremor_nodes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset, number, rows_schema,
};
use crate::past;
use crate::rows::{self, round_value};
use crate::word::Word;

/// Default number of rows.
const DEFAULT_ROWS: usize = 20;
/// Maximum rows of one page.
const MAX_ROWS: usize = 500;
/// Default magnitude below which files are left out.
const DEFAULT_THRESHOLD: f64 = 0.1;
/// Default sensitivity.
const DEFAULT_SENSITIVITY: f64 = 1.0;
/// Default of the fewest commits of a row.
const DEFAULT_OBSERVATIONS: usize = 3;
/// Maximum of the fewest commits.
const MAX_OBSERVATIONS: usize = 1_000;

fn default_window() -> String {
    "30d".to_owned()
}

const fn default_threshold() -> f64 {
    DEFAULT_THRESHOLD
}

const fn default_sensitivity() -> f64 {
    DEFAULT_SENSITIVITY
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// `<N>d` or `all` (two years)
    #[serde(default = "default_window")]
    window: String,
    /// Least magnitude
    #[serde(default = "default_threshold")]
    #[schemars(range(min = 0))]
    threshold: f64,
    /// Divides threshold
    #[serde(default = "default_sensitivity")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    sensitivity: f64,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
    /// Folder, glob, file or symbol
    node_filter: Option<String>,
    /// Weekly commits of each row
    #[serde(default)]
    include_history: bool,
    /// Fewest commits in the window
    #[serde(default = "number::<DEFAULT_OBSERVATIONS>")]
    #[schemars(range(min = 1, max = MAX_OBSERVATIONS))]
    min_observations: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    node_id: String,
    label: String,
    magnitude: f64,
    direction: Word<Direction>,
    risk_level: Word<TremorLevel>,
    observation_count: usize,
    mean_acceleration: f64,
    trend_slope: f64,
    latest_velocity: f64,
    previous_velocity: f64,
    window_start: String,
    window_end: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    weekly_commits: Option<Vec<u32>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    window: String,
    threshold: f64,
    tremors: Vec<Row>,
    total_tremors: usize,
    total_nodes_analyzed: usize,
    nodes_with_sufficient_data: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct Tremor;

impl Tool for Tremor {
    const NAME: &'static str = "tremor";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "List files whose pace of change accelerates more than that of the others";
    const ANSWERS: &'static str = "which files change faster than before, compared with the project";
    const HELP: &'static str = "\
Compares the pace of change of the product's files (not tests, not documents) in a `window` that ends at the newest commit:
the number of commits per week, without formatting, merges and commits of more than 50 files. The second difference of a
week is by how much it exceeds what the two weeks before let expect; `mean_acceleration` is its mean, the newer half of the
window counting double.

`magnitude` is the size of that mean in standard deviations among all files that changed in the window, so that busy and
quiet projects have one scale; `direction` is `accelerating`, `decelerating` or `stable` (below .5). `risk_level` rises with
acceleration only: `Medium` from 1, `High` from 2, `Critical` from 3. `trend_slope` is the slope of the weekly commits;
`latest_velocity` and `previous_velocity` are the differences of the last two weeks. `observation_count` is the number of
commits in the window: files with fewer than `min_observations` are not listed (`nodes_with_sufficient_data` counts the
others), nor are those below `threshold` / `sensitivity`. A symbol in `node_filter` stands for its file.

A change of pace says where work is going on. It predicts later fixes less well than size does (measured in `eval/risk` in
the repository of m1nd).";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const PAGED: bool = true;
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("node_id", "node_filter")];
    const RARE: &'static [&'static str] = &["sensitivity", "min_observations", "include_history"];
    const DETAILS: &'static [&'static str] = &[
        "nodes_with_sufficient_data", "tremors.mean_acceleration", "tremors.trend_slope", "tremors.latest_velocity",
        "tremors.previous_velocity", "tremors.window_start", "tremors.window_end",
    ];
    const OUTPUT_SCHEMA: &'static str =
        rows_schema!("tremors": "node_id", "label", "magnitude", "direction", "risk_level");
    const TEXT_OMITS: &'static [&'static str] = &["label"];
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Tremor {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let page = cx.page(input.top_k);
        let (mut paths, node) = rows::part(snapshot, input.node_filter.as_deref())?;
        if let Some(node) = node {
            paths = past::scope(Some(snapshot.graph().path(node)))?;
        }
        // The window of commits.
        let text = input.window.trim().to_lowercase();
        let days = match Depth::parse(&text) {
            Some(Depth::Days(days)) => Some(days),
            Some(Depth::All) => None,
            None => {
                return Err(ToolError::invalid(format!(
                    "argument `window` is `{text}`, expected `<N>d` with N from 1 to {}, or `all`",
                    Depth::MAX_DAYS
                )));
            }
        };
        let history = cx.history();
        let mut found = tremor_nodes(snapshot, &history, &paths, days, cx.cancel())?;
        // Few observations make every change look sudden.
        let sufficient = |row: &TremorNode| row.series.observations() >= input.min_observations;
        found.rows.retain(sufficient);
        let with_data = found.rows.len();
        let threshold = input.threshold / input.sensitivity;
        found.rows.retain(|row| row.tremor.magnitude >= threshold);
        let graph = snapshot.graph();
        found.rows.sort_by(|a, b| {
            let by = b.tremor.magnitude.total_cmp(&a.tremor.magnitude);
            by.then_with(|| graph.id(a.node).cmp(graph.id(b.node)))
        });
        let total = found.rows.len();
        let guidance = guidance(snapshot, &found.rows, history.is_known());
        let gaps = (!found.gaps.is_empty()).then(|| found.gaps.join("; "));
        let window = found.window.unwrap_or_default();
        let rows = page.cut(found.rows);
        let output = Output {
            window: text,
            threshold: round_value(threshold),
            tremors: rows.iter().map(|row| build_row(snapshot, row, window, input.include_history)).collect(),
            total_tremors: total,
            total_nodes_analyzed: found.analyzed,
            nodes_with_sufficient_data: with_data,
            note: match history.is_known() {
                true => None,
                false => Some(format!("cannot tell: {}", gaps.clone().unwrap_or_default())),
            },
            what_is_missing: gaps.filter(|_| history.is_known()),
        };
        Ok(Answer::new(output).rows("tremors", total).guidance(guidance))
    }
}

fn build_row(snapshot: &Snapshot, row: &TremorNode, (start, end): (i64, i64), with_weeks: bool) -> Row {
    let graph = snapshot.graph();
    Row {
        node_id: graph.id(row.node).to_owned(),
        label: graph.label(row.node).to_owned(),
        magnitude: round_value(row.tremor.magnitude),
        direction: Word(row.tremor.direction),
        risk_level: Word(row.tremor.level),
        observation_count: row.series.observations(),
        mean_acceleration: round_value(row.tremor.acceleration),
        trend_slope: round_value(row.tremor.slope),
        latest_velocity: row.tremor.velocities.0,
        previous_velocity: row.tremor.velocities.1,
        window_start: past::date(start),
        window_end: past::date(end),
        weekly_commits: with_weeks.then(|| row.series.window().to_vec()),
    }
}

fn guidance(snapshot: &Snapshot, rows: &[TremorNode], is_known: bool) -> Guidance {
    match rows.iter().find(|row| row.tremor.level > TremorLevel::Low) {
        Some(row) => {
            let id = snapshot.graph().id(row.node).to_owned();
            let hint = format!("{id} changes faster than the others: look at its commits");
            Guidance::next(ProofState::Triaging, ToolRef("timeline"), Some(id), hint)
        }
        None => Guidance::state(if is_known { ProofState::Triaging } else { ProofState::Blocked }),
    }
}
