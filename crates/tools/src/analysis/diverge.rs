//! Shows how far the code is from an earlier commit or date.

use m1nd_query::changes::{AnomalyKind, CouplingDirection, Divergence, Severity, diverge};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change_rows::row_text;
use crate::framework::{
    Answer, Guidance, ProofState, ReadContext, ReadTool, Route, RowText, Stage, Tool, ToolError, ToolRef, Toolset, yes,
};
use crate::past::{self, NoBaseline};
use crate::rows::{count, round_value};
use crate::word::Word;

/// Maximum rows of each list.
const MAX_ROWS: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Commit, branch, tag, date (`2026-01-31`) or last_session
    baseline: String,
    /// Path prefix or glob
    scope: Option<String>,
    #[serde(default = "yes")]
    include_coupling_changes: bool,
    #[serde(default = "yes")]
    include_anomalies: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct Modified {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<String>,
    growth_ratio: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Coupling {
    pair: [String; 2],
    was: f64,
    now: f64,
    direction: Word<CouplingDirection>,
}

#[derive(Debug, Serialize)]
pub(crate) struct AnomalyRow {
    #[serde(rename = "type")]
    kind: Word<AnomalyKind>,
    file: String,
    detail: String,
    severity: Word<Severity>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Renamed {
    from: String,
    to: String,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Output {
    baseline: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    summary: String,
    structural_drift: Option<f64>,
    anomalies: Vec<AnomalyRow>,
    modified_nodes: Vec<Modified>,
    coupling_changes: Vec<Coupling>,
    renamed_nodes: Vec<Renamed>,
    new_nodes: Vec<String>,
    removed_nodes: Vec<String>,
    new_edge_count: usize,
    removed_edge_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct Diverge;

impl Tool for Diverge {
    const NAME: &'static str = "diverge";
    const TOOLSET: Toolset = Toolset::Analysis;
    const SUMMARY: &'static str = "Show how far the code is from an earlier commit, date or visit, with anomalies";
    const ANSWERS: &'static str = "how far the code has moved from a commit or date, and what is unusual about it";
    const HELP: &'static str = "\
Compares the index of the work tree with an earlier state: a commit (`HEAD~20`, a branch, a tag, digits of its name) or a
date (`2026-01-31`, or a time; the newest commit that is not later). The commit is indexed in memory from the repository.

`last_session` is the state at your last visit, as in `drift`, commits or not.

- `structural_drift`: the share of nodes and edges (all references of one relation between two nodes) that only one of
  the states has, 0 to 1; renamed and moved nodes count as the same. `new_nodes`, `removed_nodes` and `renamed_nodes`
  are as in `differential`, which also lists the edges.
- `modified_nodes`: files of other content, most changed lines first; `growth_ratio` is lines now over lines then.
- `coupling_changes`: pairs of files whose common commits over those of the file with more changed by more than .15
  between the 300 commits before the baseline and those since (300 at most), and by more than chance explains (exact binomial,
  at most .05), with at least 3 common commits on the side with more and 3 commits since; both files changed on both sides.
  The top 20.
- `anomalies`: `velocity_spike` (a file more than 3 times as long, critical from 5, or churn more than 10 median absolute
  deviations above the median of the modified files, if there are 8), `test_deficit` (more than 3 new files of code and
  no new test), `new_coupling` (a pair that never changed together and now does in half of the commits), `isolation`
  (no connection with another file is left).

`scope` limits all of it. Each list has at most 200 rows.";
    const ROW_TEXT: Option<RowText> = Some(row_text);
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "baseline": "HEAD"}"#;
    const STAGES: &'static [Route] = &[(Stage::Review, 70, "how far a branch has moved, and what is unusual")];
    const RARE: &'static [&'static str] = &["include_coupling_changes", "include_anomalies"];
    const PAGED: bool = true;
    const DETAILS: &'static [&'static str] =
        &["modified_nodes.growth_ratio", "coupling_changes.was", "baseline_commit"];
    const NEEDS_FRESH: bool = true;
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"summary": {"type": "string"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Diverge {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let scope = past::scope(input.scope.as_deref())?;
        let mut output = Output { baseline: input.baseline.clone(), scope: input.scope.clone(), ..Output::default() };
        let history = cx.history();
        let place = past::first_place(snapshot, &history);
        let baseline = match past::baseline(cx, place.as_ref(), input.baseline.trim()) {
            Ok(baseline) => baseline,
            Err(NoBaseline::Unknown { reason, remedy }) => {
                output.note = Some(format!("cannot tell: {reason}"));
                return Ok(Answer::new(output).guidance(past::report_blocked(remedy)));
            }
            Err(NoBaseline::Failed(error)) => return Err(*error),
        };
        let place = place.ok();
        let prefix = place.as_ref().map(|place| place.outer("")).unwrap_or_default();
        let scope = scope.below(&prefix);
        let found = diverge(snapshot, place.as_ref(), &baseline, &scope, cx.cancel())
            .map_err(|error| past::no_snapshot(cx, error))?;
        output.baseline_commit = baseline.commit.map(|commit| past::short(&commit.name()));
        let guidance = guidance(&found);
        fill(&mut output, found);
        if !input.include_coupling_changes {
            output.coupling_changes.clear();
        }
        if !input.include_anomalies {
            output.anomalies.clear();
        }
        Ok(Answer::new(output).guidance(guidance))
    }
}

fn fill(output: &mut Output, found: Divergence) {
    let graph = &found.graph;
    output.structural_drift = Some(round_value(graph.drift()));
    // The summary counts everything; the lists below are cut.
    output.summary = format!(
        "{} modified; nodes: {} new, {} removed, {} renamed; edges: {} new, {} removed; {}",
        count(found.modified.len(), "file"),
        graph.new_nodes.len(),
        graph.removed_nodes.len(),
        graph.renamed.len(),
        graph.new_edges.len(),
        graph.removed_edges.len(),
        match found.anomalies.len() {
            0 => "no anomaly".to_owned(),
            1 => "1 anomaly".to_owned(),
            many => format!("{many} anomalies"),
        }
    );
    (output.new_edge_count, output.removed_edge_count) = (graph.new_edges.len(), graph.removed_edges.len());
    // What changed inside of files, then between them.
    let anomaly = |row: m1nd_query::changes::Anomaly| AnomalyRow {
        kind: Word(row.kind),
        file: row.path,
        detail: row.detail,
        severity: Word(row.severity),
    };
    output.anomalies = found.anomalies.into_iter().take(MAX_ROWS).map(anomaly).collect();
    output.modified_nodes = found
        .modified
        .into_iter()
        .take(MAX_ROWS)
        .map(|row| Modified {
            file: row.path,
            delta: row.delta.map(|(added, removed)| format!("+{added}/-{removed}")),
            growth_ratio: round_value(row.growth),
        })
        .collect();
    output.coupling_changes = found
        .couplings
        .into_iter()
        .map(|row| Coupling {
            direction: Word(row.direction()),
            was: round_value(row.was),
            now: round_value(row.now),
            pair: row.pair,
        })
        .collect();
    // Renamed nodes are neither new nor removed.
    let renamed = graph.renamed.iter().take(MAX_ROWS).cloned();
    output.renamed_nodes = renamed.map(|row| Renamed { from: row.from, to: row.to }).collect();
    output.new_nodes = graph.new_nodes.iter().take(MAX_ROWS).cloned().collect();
    output.removed_nodes = graph.removed_nodes.iter().take(MAX_ROWS).cloned().collect();
    output.what_is_missing = (!found.gaps.is_empty()).then(|| found.gaps.join("; "));
}

fn guidance(found: &Divergence) -> Guidance {
    match found.anomalies.first() {
        Some(first) => {
            let hint = format!("{}: {}", first.path, first.detail);
            Guidance::next(ProofState::Triaging, ToolRef("timeline"), Some(first.path.clone()), hint)
        }
        None => Guidance::state(ProofState::Triaging),
    }
}
