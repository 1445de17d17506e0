//! Ranks the files of a project by risk, with every part of it.

use std::collections::BTreeMap;

use m1nd_base::NodeKind;
use m1nd_engine::Snapshot;
use m1nd_query::risk::{FileRisk, Part, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::risk_rows::risks;
use crate::framework::{
    Answer, Guidance, ProofState, ReadContext, ReadTool, Route, RowText, Stage, Tool, ToolError, ToolRef, Toolset,
    number, rows_schema, yes,
};
use crate::past;
use crate::rows::round_value;
use crate::word::{Word, answer_kinds};

/// Default number of modules.
const DEFAULT_ROWS: usize = 100;
/// Maximum modules of one page.
const MAX_ROWS: usize = 1_000;
/// Share of the files that can be critical, and least combined risk of one.
const CRITICAL_SHARE: f64 = 0.05;
const CRITICAL_RISK: f64 = 0.5;
/// Share of the files whose mean is the health of the whole.
const WORST_SHARE: f64 = 0.1;
/// Alerts of one answer.
const MAX_ALERTS: usize = 20;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Folder, file or glob
    scope: Option<String>,
    #[serde(default = "yes")]
    include_recommendations: bool,
    /// Least combined_risk
    #[serde(default)]
    #[schemars(range(min = 0, max = 1))]
    min_risk: f64,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    limit: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Module {
    node_id: String,
    label: String,
    #[serde(rename = "type")]
    kind: Word<NodeKind>,
    source_path: String,
    combined_risk: Option<f64>,
    is_critical: bool,
    trust_score: Option<f64>,
    tremor_magnitude: Option<f64>,
    layer_violations: Option<u32>,
    turbulence: Option<f64>,
    antibody_matches: Option<u32>,
    blast_backward: Option<u32>,
    blast_forward: Option<u32>,
    centrality: Option<f64>,
    parts: BTreeMap<&'static str, f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recommendation: Option<String>,
}

answer_kinds! {
    /// The strongest reason of an alert.
    pub(crate) AlertKind {
        TrustDeficit = "trust_deficit",
        Antibody = "antibody_critical",
        Layers = "layer_violation_cluster",
        HighRisk = "high_risk",
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Alert {
    category: Word<AlertKind>,
    message: String,
    affected_nodes: Vec<String>,
    severity: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Weight {
    part: Word<Part>,
    weight: f64,
    /// Number of files for which it is known.
    known: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    modules: Vec<Module>,
    /// Null if no part with a weight is known.
    overall_health: Option<f64>,
    critical_alerts: Vec<Alert>,
    total_scanned: usize,
    total_modules: usize,
    weights: Vec<Weight>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope_applied: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct Panoramic;

impl Tool for Panoramic {
    const NAME: &'static str = "panoramic";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "Rank files by risk: past defects, layers, bug patterns, shared state, reach, churn";
    const ANSWERS: &'static str = "the riskiest files, and each part of the risk on its own";
    const HELP: &'static str = "\
Ranks the product's files (not tests, not documents) by `combined_risk`, and shows each part in `parts`, 0 to 1:

- `reach_back`, `reach_forward`: share of the other files that depend on it, or that it depends on, directly or not, by
  certain edges; `blast_backward` and `blast_forward` are the numbers. `centrality`: share of files with at most its PageRank.
- `churn`: percentile of its commits, half-life 30 days. `tremor`: acceleration of its weekly commits (see `tremor`) in
  standard deviations, at most 1. `defect`: 1 - `trust_score` (see `trust`), only with enough evidence.
- `antibody`: matches of stored bug patterns over 3, if any are stored. `turbulence`: entry points that write its
  variables (not fields of objects) without a common lock (see `flow_simulate`) over 2, if there are entry points.
- `layer`: its dependencies that contradict the layers, declared or inferred (see `layers`), over 5.

`combined_risk` is the published formula: .30 `defect`, .25 `tremor`, .20 `layer`, .15 `turbulence`, .10 `antibody`, as the
mean of those that are known (`weights` says of how many files), null if none is. The other parts have no weight.

`is_critical`: among the riskiest 5 % and at least .5. `critical_alerts` name the two strongest parts. `overall_health` is 1
minus the mean of the riskiest tenth. `total_scanned` counts all files in `scope`, `total_modules` those from `min_risk`.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const STAGES: &'static [Route] = &[(Stage::Review, 15, "where the risk of the project is")];
    const PAGED: bool = true;
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("top_n", "limit")];
    const RARE: &'static [&'static str] = &["include_recommendations", "min_risk"];
    const DETAILS: &'static [&'static str] =
        &["modules.parts", "modules.blast_forward", "modules.layer_violations", "weights"];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("modules": "node_id", "label", "is_critical");
    const ROW_TEXT: Option<RowText> = Some(row_text);
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Panoramic {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let page = cx.page(input.limit);
        let found = risks(cx, past::scope(input.scope.as_deref())?)?;
        let scanned = found.files.len();
        // Critical is a share of all files, and only above a risk: a calm project has none.
        let critical = (scanned as f64 * CRITICAL_SHARE).ceil() as usize;
        let is_critical =
            |at: usize, row: &FileRisk| at < critical && row.combined.is_some_and(|risk| risk >= CRITICAL_RISK);
        let alerts: Vec<Alert> = found
            .files
            .iter()
            .enumerate()
            .filter(|(at, row)| is_critical(*at, row))
            .take(MAX_ALERTS)
            .map(|(_, row)| alert(snapshot, row))
            .collect();
        let weights = Part::ALL.map(|part| Weight {
            part: Word(part),
            weight: part.weight(),
            known: found.files.iter().filter(|row| row.part(part).is_some()).count(),
        });
        let health = health(&found.files);
        let rows: Vec<(usize, FileRisk)> = found.files.into_iter().enumerate().collect();
        // Rows below the wanted risk are left out after the alerts and the health, which are of all files.
        let kept = |(_, row): &(usize, FileRisk)| {
            input.min_risk <= 0.0 || row.combined.is_some_and(|risk| risk >= input.min_risk)
        };
        let rows: Vec<(usize, FileRisk)> = rows.into_iter().filter(kept).collect();
        let total = rows.len();
        let guidance = match rows.first().filter(|(_, row)| row.combined.is_some_and(|risk| risk > 0.0)) {
            Some((_, row)) => {
                let id = snapshot.graph().id(row.node).to_owned();
                let hint = format!("{id} is riskiest{}: look at the evidence", because(row));
                Guidance::next(ProofState::Triaging, ToolRef("heuristics_surface"), Some(id), hint)
            }
            None => Guidance::state(ProofState::Blocked),
        };
        let rows = page.cut(rows);
        let output = Output {
            modules: rows
                .iter()
                .map(|(at, row)| module(snapshot, row, is_critical(*at, row), input.include_recommendations))
                .collect(),
            overall_health: health,
            critical_alerts: alerts,
            total_scanned: scanned,
            total_modules: total,
            weights: weights.into(),
            scope_applied: input.scope,
            what_is_missing: (!found.gaps.is_empty()).then(|| found.gaps.join("; ")),
        };
        Ok(Answer::new(output).rows("modules", total).guidance(guidance))
    }
}

/// `src/a.py risk .37, critical: defect .8, layer .4`.
fn row_text(row: &Map<String, Value>, _: &Map<String, Value>) -> String {
    let path = row["source_path"].as_str().unwrap_or_default();
    let risk = row["combined_risk"].as_f64().map_or("unknown".to_owned(), |risk| risk.to_string());
    let critical = if row["is_critical"] == true { ", critical" } else { "" };
    let weighted = |name: &str| Part::ALL.iter().any(|part| part.word() == name && part.weight() > 0.0);
    let parts = row["parts"].as_object().into_iter().flatten();
    let parts: Vec<String> = parts
        .filter(|(name, value)| weighted(name) && value.as_f64().is_some_and(|value| value > 0.0))
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    let why = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    format!("{path} risk {risk}{critical}{why}")
}

/// One minus the mean of the riskiest tenth.
pub(crate) fn health(files: &[FileRisk]) -> Option<f64> {
    let known: Vec<f64> = files.iter().filter_map(|row| row.combined).collect();
    let worst = (known.len() as f64 * WORST_SHARE).ceil() as usize;
    (worst > 0).then(|| round_value(1.0 - known.iter().take(worst).sum::<f64>() / worst as f64))
}

fn because(row: &FileRisk) -> String {
    let parts: Vec<&str> = row.strongest().iter().take(2).map(|(part, _)| part.word()).collect();
    if parts.is_empty() { String::new() } else { format!(" by {}", parts.join(" and ")) }
}

fn alert(snapshot: &Snapshot, row: &FileRisk) -> Alert {
    let id = snapshot.graph().id(row.node).to_owned();
    let category = match row.strongest().first().map(|(part, _)| *part) {
        Some(Part::Defect) => AlertKind::TrustDeficit,
        Some(Part::BugPatterns) => AlertKind::Antibody,
        Some(Part::Layer) => AlertKind::Layers,
        _ => AlertKind::HighRisk,
    };
    let severity = round_value(row.combined.unwrap_or_default());
    let message = format!("{id}: {severity}{}", because(row));
    Alert { category: Word(category), message, affected_nodes: vec![id], severity }
}

fn module(snapshot: &Snapshot, row: &FileRisk, is_critical: bool, with_text: bool) -> Module {
    let graph = snapshot.graph();
    let parts = Part::ALL.into_iter().zip(row.parts);
    let trust = row.trust.as_ref().filter(|trust| trust.verdict.tier != Tier::Unknown);
    Module {
        node_id: graph.id(row.node).to_owned(),
        label: graph.label(row.node).to_owned(),
        kind: Word(graph.kind(row.node)),
        source_path: graph.path(row.node).to_owned(),
        combined_risk: row.combined.map(round_value),
        is_critical,
        trust_score: trust.map(|trust| round_value(trust.verdict.trust)),
        tremor_magnitude: row.tremor.as_ref().map(|tremor| round_value(tremor.tremor.magnitude)),
        layer_violations: row.layer_violations,
        turbulence: row.part(Part::Turbulence).map(round_value),
        antibody_matches: row.matches,
        blast_backward: row.reach.and_then(|reach| reach.back),
        blast_forward: row.reach.and_then(|reach| reach.forward),
        centrality: row.reach.map(|reach| round_value(reach.centrality)),
        parts: parts.filter_map(|(part, value)| Some((part.word(), round_value(value?)))).collect(),
        recommendation: with_text.then(|| recommendation(row)).flatten(),
    }
}

/// What to do about the strongest part.
fn recommendation(row: &FileRisk) -> Option<String> {
    let text = match row.strongest().first()?.0 {
        Part::Defect => {
            let trust = row.trust.as_ref()?;
            if trust.verdict.tier != Tier::High {
                return None;
            }
            format!("{} fix commits: test what they mended before changing it", trust.exposure.fixes.len())
        }
        Part::BugPatterns => "a stored bug pattern matches: look at the matches of `antibody_scan`".to_owned(),
        Part::Layer => "depends on what the declared layers do not allow: see `layers`".to_owned(),
        Part::Turbulence => {
            "several entry points write its state without a common lock: see `flow_simulate`".to_owned()
        }
        _ => return None,
    };
    Some(text)
}
