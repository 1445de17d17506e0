//! A repository at first sight, in one call.

use m1nd_query::layers::{Layering, LayersQuery, declaration, files};
use m1nd_query::overview::{Hot, overview};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::framework::{
    Answer, Command, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, ToolRef, Toolset,
    number,
};
use crate::past;
use crate::rows::{self, round_value};
use crate::task::{Gap, GapCode};

/// Default number of rows of each kind.
const DEFAULT_ROWS: usize = 8;
/// Most rows of each kind.
const MAX_ROWS: usize = 50;
/// Kinds of problems listed.
const PROBLEMS: usize = 8;
/// Modules of a layer that are named.
const MODULES: usize = 6;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Rows of each kind
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
    /// Folder or file
    scope: Option<String>,
}

/// A node, and what is said of it.
#[derive(Debug, Serialize)]
struct Noted {
    node_id: String,
    label: String,
    file_path: String,
    line_start: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<&'static str>,
    /// Test code refers to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    tested: Option<bool>,
}

#[derive(Debug, Serialize)]
struct Risk {
    file_path: String,
    commits: usize,
    recent_commits: f64,
    lines: u32,
    tested: bool,
}

#[derive(Debug, Serialize)]
struct Layer {
    name: String,
    files: usize,
    modules: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    languages: Vec<Value>,
    folders: Vec<Value>,
    entry_points: Vec<Noted>,
    entry_points_total: usize,
    central: Vec<Noted>,
    tests: Value,
    risks: Vec<Risk>,
    /// From the top.
    layers: Vec<Layer>,
    layer_violations: usize,
    skipped: Vec<Value>,
    honest_gaps: Vec<Gap>,
}

pub(crate) struct Audit;

impl Tool for Audit {
    const NAME: &'static str = "audit";
    const TOOLSET: Toolset = Toolset::Lifecycle;
    const SUMMARY: &'static str =
        "Show a repository at first sight: languages, ways in, central code, layers, tests, risks";
    const ANSWERS: &'static str =
        "what a newcomer asks first: languages, entry points, central code, tests, risks, gaps";
    const HELP: &'static str = "\
One call for a repository that you do not know. `languages` with files, lines and the share of references with a certain
target; `folders` at the top; `entry_points`: functions named `main`, and those that a framework runs (`registered`);
`central`: the most important functions and types by references, outside of tests, each with whether test code refers to
it (`tested`); `tests`: test files and functions; `risks`: files of code that change most (`commits`, and
`recent_commits` with a half-life of 90 days), weighted by the logarithm of their lines; `skipped`: what is not, or not
whole, in the index, by kind with an example; `layers`, declared or inferred, from the top, and how many dependencies
contradict them (`layer_violations`; see `layers`). `honest_gaps` says what could not be told. `scope` limits it to a folder.";
    const NEEDS_FRESH: bool = true;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const STAGES: &'static [Route] = &[
        (Stage::Orient, 8, "a repository at first sight"),
        (Stage::Operate, 50, "what the index holds and what it skipped"),
    ];
    const RARE: &'static [&'static str] = &["top_k", "scope"];
    const COMMAND: Option<Command> = Some(Command::new("audit", &[]));
    const DETAILS: &'static [&'static str] = &["folders", "languages.lines", "central.tested", "layers.modules"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"central": {"type": "array"}, "entry_points": {"type": "array"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Audit {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let scope = rows::scope(snapshot, input.scope.as_deref())?;
        let history = cx.loaded_history().filter(|history| history.is_known());
        let found = overview(snapshot, history.as_ref(), (&scope, input.top_k), cx.cancel())?;
        let graph = snapshot.graph();
        let noted = |node, entry, tested| Noted {
            node_id: graph.id(node).to_owned(),
            label: graph.label(node).to_owned(),
            file_path: graph.path(node).to_owned(),
            line_start: graph.lines(node).0,
            entry,
            tested,
        };
        let status = cx.status();
        // An empty list is an absence only if its source was read.
        let mut honest_gaps = Vec::new();
        if history.is_none() {
            let why = "the git history is not available (or not loaded yet): no `risks`";
            honest_gaps.push(Gap::new(GapCode::HistoryMissing, why, None));
        }
        if !scope.is_empty() {
            let why = "`languages` and `skipped` are of the whole repository";
            honest_gaps.push(Gap::new(GapCode::ScopeIgnored, why, None));
        }
        let layering = layering(cx, &scope, &mut honest_gaps)?;
        let first = found.central.first().map(|(node, _)| graph.id(*node).to_owned());
        let hint = "read the most important symbol, or ask `north` with your task";
        let guidance = Guidance::next(ProofState::Triaging, ToolRef("view"), first, hint);
        let output = Output {
            languages: status.languages.iter().map(language).collect(),
            folders: found
                .folders
                .iter()
                .map(|(name, row)| {
                    json!({"folder": name, "files": row.files, "test_files": row.test_files, "lines": row.lines})
                })
                .collect(),
            entry_points_total: found.entries.1,
            entry_points: found.entries.0.iter().map(|(node, kind)| noted(*node, Some(kind.word()), None)).collect(),
            central: found.central.iter().map(|(node, is_tested)| noted(*node, None, Some(*is_tested))).collect(),
            tests: json!({"files": found.tests.0, "functions": found.tests.1}),
            risks: found.hot.into_iter().map(risk).collect(),
            layer_violations: layering.as_ref().map_or(0, |found| found.against.len()),
            layers: layering.map(layers).unwrap_or_default(),
            skipped: status.problems.iter().take(PROBLEMS).map(problem).collect(),
            honest_gaps,
        };
        Ok(Answer::new(output).guidance(guidance))
    }
}

/// The layers of a folder; `None`, with a gap, if the declaration cannot be used.
fn layering(cx: &ReadContext<'_>, scope: &str, gaps: &mut Vec<Gap>) -> Result<Option<Layering>, ToolError> {
    let declared = match declaration(cx.snapshot()) {
        Ok(declared) => declared,
        Err(error) => {
            gaps.push(Gap::new(GapCode::LayersUnreadable, error.to_string(), None));
            return Ok(None);
        }
    };
    let files = files(cx.snapshot(), cx.cancel())?;
    let query = LayersQuery { paths: past::scope(Some(scope))?, ..LayersQuery::default() };
    Ok(Some(Layering::of(cx.snapshot(), &files, declared.as_ref(), &query, cx.cancel())?))
}

fn layers(found: Layering) -> Vec<Layer> {
    let modules = &found.modules;
    let row = |layer: m1nd_query::layers::Layer| {
        let names: Vec<&str> =
            layer.modules.iter().take(MODULES).map(|module| modules.names[*module].as_str()).collect();
        Layer { name: layer.name, files: layer.files.len(), modules: names.join(", ") }
    };
    found.layers.into_iter().map(row).collect()
}

fn language(row: &m1nd_engine::LanguageStatus) -> Value {
    let tiers = &row.tiers;
    let inside = tiers.certain + tiers.possible + tiers.unresolved;
    let share = if inside > 0 { Some(round_value(tiers.certain as f64 / inside as f64)) } else { None };
    json!({"language": row.language, "files": row.files, "lines": row.lines, "certain_share": share})
}

fn risk(row: Hot) -> Risk {
    Risk {
        file_path: row.path,
        commits: row.commits,
        recent_commits: round_value(row.recent),
        lines: row.lines,
        tested: row.is_tested,
    }
}

fn problem(row: &m1nd_engine::ProblemStatus) -> Value {
    let example = row.examples.first().map(|(path, _)| path.clone());
    json!({"kind": crate::core::word(&row.kind), "count": row.count, "example": example})
}
