//! Predicts the files that must change with others, from the commits of the repository.

use std::collections::HashSet;

use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_engine::history::ProjectHistory;
use m1nd_query::changes::predict::{
    ACT_SHARE, Calibration, PredictAnswer, PredictQuery, PredictRow, REVERIFY_SHARE, Source, SymbolRow, Verdict,
    predict,
};
use m1nd_query::changes::{Velocity, work_tree_changes};
use m1nd_query::what_if::hypothesize::Part;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::framework::{
    Answer, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, ToolRef, Toolset, number,
    rows_schema, yes,
};
use crate::heuristics::RowSignals;
use crate::past::{self, CitedCommit, STILL_MEASURED};
use crate::rows::{self, NodeRow, count, round_value};
use crate::test_rows::{CoveringRow, covering_tests};
use crate::word::{Word, answer_kinds};

/// Default number of rows.
const DEFAULT_ROWS: usize = 10;
/// Maximum rows of one page.
const MAX_ROWS: usize = 200;
/// Default of the least support of a row.
const DEFAULT_SUPPORT: usize = 2;
/// Symbols listed.
const MAX_SYMBOLS: usize = 10;
/// Test files listed.
const MAX_TESTS: usize = 5;
/// Maximum changed nodes of one question.
const MAX_CHANGED: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// File or symbol; default: what the work tree has changed
    changed_node: Option<String>,
    /// Further changed files or symbols
    #[serde(default)]
    changed: Vec<String>,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
    #[serde(default = "yes")]
    include_velocity: bool,
    /// Fewest common commits that count
    #[serde(default = "number::<DEFAULT_SUPPORT>")]
    #[schemars(range(min = 1))]
    min_co_change_count: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    node_id: String,
    label: String,
    file_path: String,
    /// Id of the changed node that it belongs to, if several changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    because_of: Option<String>,
    source: Word<Source>,
    coupling_strength: f64,
    confidence: f64,
    verdict: Word<Verdict>,
    support: u32,
    of_commits: u32,
    reason: String,
    commits: Vec<CitedCommit>,
    #[serde(flatten)]
    signals: Option<RowSignals>,
}

/// A symbol that changed with the first changed node.
#[derive(Debug, Serialize)]
pub(crate) struct Symbol {
    #[serde(flatten)]
    node: NodeRow,
    support: u32,
    of_commits: u32,
    commits: Vec<CitedCommit>,
}

answer_kinds! {
    /// Where the number of commits goes.
    pub(crate) Trending {
        Accelerating = "Accelerating",
        Decelerating = "Decelerating",
        Stable = "Stable",
    }
}

answer_kinds! {
    /// What a calibration is of.
    pub(crate) Signal { Predict = "predict", }
}

#[derive(Debug, Serialize)]
pub(crate) struct Trend {
    /// Commits per 30 days, newer half of the last 90 days minus older half.
    velocity: f64,
    trend: Word<Trending>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Stratum {
    source: Word<Source>,
    /// Extension of the files, or `all`.
    files: String,
    n: usize,
    tau: Option<f64>,
    tau_reverify: Option<f64>,
    measured_precision: Option<f64>,
    precision_bound: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct CalibrationRow {
    signal: Word<Signal>,
    calibrated: bool,
    target_alpha: f64,
    n: usize,
    coverage: f64,
    measured_precision: Option<f64>,
    calibration_error: f64,
    strata: Vec<Stratum>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    #[serde(skip_serializing_if = "Option::is_none")]
    changed_node: Option<String>,
    changed: Vec<String>,
    predictions: Vec<Row>,
    total_predictions: usize,
    /// Test files that cover what changed, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tests: Vec<CoveringRow>,
    /// Symbols that changed in the same commits as the first changed node, if that is a symbol.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    symbols: Vec<Symbol>,
    /// Why there are no symbols.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbols_note: Option<String>,
    co_change_count: usize,
    structural_fallback_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    velocity: Option<Trend>,
    calibration: CalibrationRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct Predict;

impl Tool for Predict {
    const NAME: &'static str = "predict";
    const TOOLSET: Toolset = Toolset::Analysis;
    const SUMMARY: &'static str = "Predict what else must change with a file, a symbol or the work tree";
    const ANSWERS: &'static str = "what usually changes with something, or was forgotten in the work tree";
    const HELP: &'static str = "\
Lists the files that usually change with a file or a symbol (`changed_node`, `changed`). Without either, the question is
what the work tree has changed, compared by content with the checked-out commit, and which files that usually change
with those have not changed.

A row has `support` common commits out of `of_commits` commits of the changed node (formatting, merges and commits of
more than 50 files do not count), `coupling_strength` (the former over the latter), `commits` as evidence, and
`confidence`: the probability that the file changes with the node, by a logistic model over confidence in both
directions, recency, size of the commits, names, folders and authors, and the commits around its own and of files like it,
calibrated on this repository. A file that is not committed yet is answered by the latter alone. `source` is
`co_change` or, without `min_co_change_count` common commits, `structural_fallback` (connected in the code, or of the same
name; `support` is then 0: fewer commits do not count). Connections
in the code order rows of the same verdict, and are not part of `confidence`.

If the first changed node is a symbol, `symbols` lists the symbols whose lines changed in the same commits: of its own
file and of three files that changed with it most often, followed back through up to 60 commits of each, those first
that changed in commits of few symbols. They have no `confidence`. `symbols_note` says when there are none, so that only
the file level answers.

`verdict`: the newest commits (up to 1,000) are replayed, each answered from older ones alone; each half maps values to
probabilities for the other, and all decide from which probability (`tau`) rows are `act` (at least 80 % right, and each more
probable than not) or `reverify` (30 %, each at least 15 % probable), by an exact one-sided binomial bound (90 % in all), tested from the 20, 68 and 225 most
probable rows on until one fails, for each stratum of source and file extension. An extension without a `tau` of its own has that of all files of the source, unless its own rows
contradict it. All else is `abstain`, also all rows where the history is thin. `calibration` has the figures: `n` rows, `coverage` (questions with an `act` row), the precision of
`act` rows and the calibration error, all of the rows replayed. With several changed nodes a row counts for the one that it
belongs to most; figures are those of questions about a single file.

`velocity` is the trend of the first changed node, and of each row, over 90 days (commits per 30 days, newer minus older
half). Rows of product code also have what `trust` and `tremor` say of the file, as far as there is evidence, and
`heuristic_factor`: 1 + .2 (`trust_risk_multiplier` - 1), times 1 + .1 `tremor_magnitude` (at most 1, from 3 commits). It says
where a mistake is likelier, and is no part of order, `confidence` or `verdict`; `heuristics_surface` explains it.
`tests` are the test files that cover what changed, best first (`tests_for` lists all). `note` says why there is no
evidence. Subjects are text of the repository.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "changed_node": "README.md"}"#;
    const STAGES: &'static [Route] = &[
        (Stage::Plan, 40, "what usually changes with it"),
        (Stage::Edit, 60, "what usually changes with it and was not changed"),
        (Stage::Review, 30, "what usually changes with it and was not changed"),
    ];
    const PAGED: bool = true;
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("node_id", "changed_node"), ("node", "changed_node")];
    const RARE: &'static [&'static str] = &["include_velocity", "min_co_change_count"];
    const DETAILS: &'static [&'static str] = &[
        "predictions.coupling_strength",
        "predictions.of_commits",
        "predictions.heuristic_factor",
        "predictions.trust_score",
        "predictions.trust_risk_multiplier",
        "predictions.tremor_magnitude",
        "predictions.tremor_observation_count",
        "predictions.tremor_risk_level",
        "predictions.velocity",
        "calibration.strata",
        "velocity",
    ];
    const OUTPUT_SCHEMA: &'static str =
        rows_schema!("predictions": "node_id", "label", "file_path", "confidence", "verdict", "reason");
    const TEXT_OMITS: &'static [&'static str] = &["label", "node_id"];
    type Input = Input;
    type Output = Output;
}

/// What changed.
struct Asked {
    nodes: Vec<NodeIx>,
    /// Changed files without a node.
    others: Vec<String>,
    gaps: Vec<String>,
    is_work_tree: bool,
}

impl ReadTool for Predict {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let page = cx.page(input.top_k);
        let history = cx.history_at_hand();
        let one = input.changed_node.iter().map(|name| ("changed_node", name));
        let named: Vec<(&str, &String)> = one.chain(input.changed.iter().map(|name| ("changed", name))).collect();
        // The change: named nodes, or what differs in the work tree.
        let asked = match named.is_empty() {
            true => match work_tree_changes(snapshot, &history, cx.cancel()) {
                Ok(found) => of_work_tree(snapshot, found.changed, found.gaps),
                Err(error) => return past::untold(error, |note| answer_empty(snapshot, None, note)),
            },
            false => of_names(snapshot, &named)?,
        };
        let query = PredictQuery {
            changed: asked.nodes.clone(),
            also_changed: asked.others.clone(),
            min_support: u32::try_from(input.min_co_change_count).unwrap_or(u32::MAX),
            with_symbols: true,
            waits: cx.answers_once(),
        };
        let mut found = predict(snapshot, &history, &query, cx.cancel())?;
        cx.rests_on(&[u8::from(found.is_being_measured)]);
        if !input.include_velocity {
            found.velocity = None;
        }
        let guidance = guidance(&asked, &found);
        // Totals and guidance are of all rows; rows with their signals are read only for the page.
        let total = found.rows.len();
        let covering = covering_tests(cx, Some(&history), asked.nodes.iter().copied(), "")?;
        let mut output = answer_empty(snapshot, Some(&asked), String::new());
        output.changed_node = input.changed_node;
        output.note = note(&asked, &found);
        fill(&mut output, snapshot, &found);
        let several = asked.nodes.len() > 1;
        let shown = page.cut(found.rows);
        output.predictions = shown.iter().map(|found| row(snapshot, found, several)).collect();
        add_signals(cx, &history, &shown, &mut output.predictions, input.include_velocity)?;
        output.tests = covering.rows.iter().take(MAX_TESTS).map(|row| CoveringRow::new(snapshot, row)).collect();
        let gaps: Vec<String> = asked.gaps.into_iter().chain(found.gaps).collect();
        output.what_is_missing = (!gaps.is_empty()).then(|| gaps.join("; "));
        Ok(Answer::new(output).rows("predictions", total).guidance(guidance))
    }
}

/// The nodes of arguments, each with the name of its argument.
fn of_names(snapshot: &Snapshot, named: &[(&str, &String)]) -> Result<Asked, ToolError> {
    if named.len() > MAX_CHANGED {
        return Err(ToolError::invalid(format!("{} changed nodes, expected at most {MAX_CHANGED}", named.len())));
    }
    let mut nodes = Vec::new();
    for (argument, name) in named {
        match rows::resolve_part(snapshot, argument, name)? {
            Part::Node(node) => nodes.push(node),
            Part::Folder { files, .. } => nodes.extend(files.iter().copied()),
        }
    }
    let mut seen = HashSet::new();
    nodes.retain(|node| seen.insert(*node));
    let mut gaps = Vec::new();
    if nodes.len() > MAX_CHANGED {
        gaps.push(format!("only the first {MAX_CHANGED} of {} files were asked about", nodes.len()));
        nodes.truncate(MAX_CHANGED);
    }
    Ok(Asked { nodes, others: Vec::new(), gaps, is_work_tree: false })
}

fn of_work_tree(snapshot: &Snapshot, changed: Vec<String>, mut gaps: Vec<String>) -> Asked {
    let (known, others): (Vec<String>, Vec<String>) =
        changed.into_iter().partition(|path| snapshot.graph().find_file(path).is_some());
    let mut nodes: Vec<NodeIx> = known.iter().filter_map(|path| snapshot.graph().find_file(path)).collect();
    if nodes.len() > MAX_CHANGED {
        gaps.push(format!("only the first {MAX_CHANGED} of {} changed files were asked about", nodes.len()));
        nodes.truncate(MAX_CHANGED);
    }
    let others: Vec<String> = others.into_iter().chain(known.into_iter().skip(MAX_CHANGED)).collect();
    Asked { nodes, others, gaps, is_work_tree: true }
}

/// An answer without rows.
fn answer_empty(snapshot: &Snapshot, asked: Option<&Asked>, note: String) -> Output {
    let paths = |asked: &Asked| {
        let ids = asked.nodes.iter().map(|&node| snapshot.graph().id(node).to_owned());
        ids.chain(asked.others.iter().cloned()).collect()
    };
    Output {
        changed_node: None,
        changed: asked.map(paths).unwrap_or_default(),
        predictions: Vec::new(),
        total_predictions: 0,
        tests: Vec::new(),
        symbols: Vec::new(),
        symbols_note: None,
        co_change_count: 0,
        structural_fallback_count: 0,
        velocity: None,
        calibration: calibration(&Calibration::default()),
        note: Some(note),
        what_is_missing: None,
    }
}

fn fill(output: &mut Output, snapshot: &Snapshot, found: &PredictAnswer) {
    let of = |source| found.rows.iter().filter(|row| row.source == source).count();
    output.total_predictions = found.rows.len();
    output.co_change_count = of(Source::CoChange);
    output.structural_fallback_count = of(Source::Structure);
    output.calibration = calibration(&found.calibration);
    if let Some(symbols) = &found.symbols {
        output.symbols = symbols.rows.iter().take(MAX_SYMBOLS).map(|row| symbol(snapshot, row, symbols.of)).collect();
        output.symbols_note = symbols.rows.is_empty().then(|| {
            let (commits, files) = (count(symbols.of as usize, "commit"), count(symbols.files.len(), "file"));
            format!("file level only: no symbol of {files} changed with it often enough in its {commits}")
        });
    }
    output.velocity = found.velocity.map(|(trend, (older, newer))| Trend {
        velocity: round_value(newer - older),
        trend: Word(match trend {
            Velocity::Accelerating => Trending::Accelerating,
            Velocity::Decelerating => Trending::Decelerating,
            Velocity::Stable => Trending::Stable,
        }),
    });
    if output.changed.is_empty() {
        output.changed = found.untold.iter().map(|(node, _)| snapshot.graph().id(*node).to_owned()).collect();
    }
}

fn symbol(snapshot: &Snapshot, row: &SymbolRow, of: u32) -> Symbol {
    Symbol {
        node: NodeRow::new(snapshot, row.node),
        support: row.support,
        of_commits: of,
        commits: CitedCommit::all(&row.commits),
    }
}

fn calibration(found: &Calibration) -> CalibrationRow {
    let stratum = |row: &m1nd_query::changes::predict::Stratum| Stratum {
        source: Word(row.source),
        files: row.extension.as_ref().map_or_else(|| "all".to_owned(), |extension| format!(".{extension}")),
        n: row.rows,
        tau: row.act.map(|threshold| round_value(threshold.tau)),
        tau_reverify: row.reverify.map(|threshold| round_value(threshold.tau)),
        measured_precision: row.act.map(|threshold| round_value(threshold.precision)),
        precision_bound: row.act.map(|threshold| round_value(threshold.bound)),
    };
    let note = match found.is_known() {
        true if found.precision.is_none() => Some(format!(
            "no row is `act`: from no probability on were rows shown to be right in {:.0} % of the cases",
            ACT_SHARE * 100.0
        )),
        true => None,
        false => Some(format!(
            "{} fit for replay are too few: every verdict is abstain ({:.0} % right would be needed to reverify)",
            count(found.commits, "commit"),
            REVERIFY_SHARE * 100.0
        )),
    };
    CalibrationRow {
        signal: Word(Signal::Predict),
        calibrated: found.is_known(),
        target_alpha: round_value(1.0 - ACT_SHARE),
        n: found.rows,
        coverage: round_value(found.coverage),
        measured_precision: found.precision.map(round_value),
        calibration_error: round_value(found.error),
        strata: found.strata.iter().map(stratum).collect(),
        note,
    }
}

fn row(snapshot: &Snapshot, found: &PredictRow, several: bool) -> Row {
    let graph = snapshot.graph();
    let id = found.node.map_or_else(|| format!("file::{}", found.path), |node| graph.id(node).to_owned());
    let coupling = if found.support > 0 { f64::from(found.support) / f64::from(found.of.max(1)) } else { found.linked };
    Row {
        label: found.path.rsplit('/').next().unwrap_or(&found.path).to_owned(),
        node_id: id,
        file_path: found.path.clone(),
        because_of: several.then(|| graph.id(found.because_of).to_owned()),
        source: Word(found.source),
        coupling_strength: round_value(coupling),
        confidence: round_value(found.probability),
        verdict: Word(found.verdict),
        support: found.support,
        of_commits: found.of,
        reason: reason(found),
        commits: CitedCommit::all(&found.commits),
        signals: None,
    }
}

/// Adds what trust, tremor and the trend say of the files of the rows. It does not order them.
fn add_signals(
    cx: &ReadContext<'_>,
    history: &ProjectHistory,
    found: &[PredictRow],
    rows: &mut [Row],
    with_velocity: bool,
) -> Result<(), ToolError> {
    let (places, nodes): (Vec<usize>, Vec<NodeIx>) =
        found.iter().enumerate().filter_map(|(place, row)| Some((place, row.node?))).unzip();
    for (place, mut signals) in places.into_iter().zip(RowSignals::of(cx, history, &nodes)?) {
        signals.velocity = signals.velocity.filter(|_| with_velocity);
        let row = &mut rows[place];
        for reason in std::mem::take(&mut signals.reasons) {
            row.reason += &format!("; {reason}");
        }
        row.signals = Some(signals);
    }
    Ok(())
}

fn reason(found: &PredictRow) -> String {
    let mut parts: Vec<String> = Vec::new();
    if found.support > 0 {
        parts.push(format!("changed in {} of {}", found.support, count(found.of as usize, "commit")));
    }
    if found.tests {
        parts.push("one tests the other".to_owned());
    } else if found.linked > 0.0 {
        parts.push("connected in the code".to_owned());
    }
    if found.is_alike {
        parts.push("of the same name".to_owned());
    }
    if found.support == 0 && found.with_additions > 0.0 {
        parts.push("changed when files were added to its folder".to_owned());
    }
    if parts.is_empty() {
        parts.push("changed in the commits of files like it".to_owned());
    }
    parts.join("; ")
}

fn note(asked: &Asked, found: &PredictAnswer) -> Option<String> {
    if found.is_being_measured {
        return Some(STILL_MEASURED.to_owned());
    }
    if asked.is_work_tree && asked.nodes.is_empty() && asked.others.is_empty() {
        return Some("the work tree is as the checked-out commit: nothing changed".to_owned());
    }
    let reasons: Vec<String> = found.untold.iter().map(|(_, reason)| reason.to_string()).collect();
    if reasons.is_empty() { None } else { Some(reasons.join("; ")) }
}

fn guidance(asked: &Asked, found: &PredictAnswer) -> Guidance {
    let first = found.rows.first().filter(|row| row.verdict != Verdict::Abstain);
    match first {
        Some(row) => {
            let hint = format!("{} usually changes with it: open it", row.path);
            Guidance::next(ProofState::Triaging, ToolRef("view"), Some(row.path.clone()), hint)
        }
        None if asked.nodes.is_empty() => Guidance::state(ProofState::Blocked),
        None => {
            let hint = "the history proves no file to change with it; ask what depends on it";
            // `impact` takes one node.
            Guidance::next(ProofState::Triaging, ToolRef("impact"), None, hint)
        }
    }
}
