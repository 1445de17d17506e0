//! Explains the risk of one file: every part, with the evidence behind it.

use std::collections::BTreeMap;

use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::risk::{FileRisk, Part, Tier, TremorLevel, dependents};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::risk_rows::risks;
use crate::framework::{Answer, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset};
use crate::heuristics;
use crate::past::{self, CitedCommit};
use crate::rows::{self, round_value};
use crate::word::{Band, Kind, Level, Word, answer_kinds};

/// Files within two steps up to which the blast radius is low, and medium.
const LOW_BLAST: usize = 3;
const MEDIUM_BLAST: usize = 10;
/// Steps of the blast radius.
const BLAST_STEPS: usize = 2;
/// Affected files that are named.
const NAMED: usize = 5;
/// Scores from which the level is high, and medium.
const HIGH: f64 = 0.75;
const MEDIUM: f64 = 0.35;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Id, path or name; a symbol stands for its file
    node_id: Option<String>,
    file_path: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Signals {
    heuristic_factor: f64,
    trust_score: Option<f64>,
    trust_risk_multiplier: Option<f64>,
    trust_tier: Word<Tier>,
    trust_band: Word<Band>,
    tremor_magnitude: Option<f64>,
    tremor_observation_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    tremor_risk_level: Option<Word<TremorLevel>>,
    reason: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    risk_level: Word<Level>,
    risk_score: f64,
    blast_radius_files: usize,
    blast_radius_risk: Word<Level>,
    top_affected: Vec<String>,
    antibody_hits: Option<u32>,
    heuristic_signals: Signals,
}

answer_kinds! {
    /// The argument that named the file.
    pub(crate) ResolvedBy { NodeId = "node_id", FilePath = "file_path", }
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    node_id: String,
    file_path: String,
    resolved_by: Word<ResolvedBy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    heuristic_summary: Option<Summary>,
    /// As in `panoramic`.
    combined_risk: Option<f64>,
    parts: BTreeMap<&'static str, f64>,
    unknown_parts: Vec<Word<Part>>,
    fixes: Vec<CitedCommit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct HeuristicsSurface;

impl Tool for HeuristicsSurface {
    const NAME: &'static str = "heuristics_surface";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "Explain the risk of one file: every signal with its evidence";
    const ANSWERS: &'static str = "why a file counts as risky: every signal, with the evidence";
    const HELP: &'static str = "\
Explains the risk of the file that `node_id` or `file_path` names; a symbol stands for its file (`resolved_by` says which).
`parts` and `combined_risk` are those of `panoramic`, `unknown_parts` those without evidence, `fixes` the newest three fix
commits.

`heuristic_summary` is the published short form. `blast_radius_files` counts files that depend on this one within two steps
of certain edges (`low` up to 3, `medium` up to 10, else `high`). `risk_score` adds .4 for the risk multiplier of trust
((m - 1) / 2), .25 for the magnitude of tremor (at most 1), .15 for matches of bug patterns (of 3) and .2 for the blast
radius; what is unknown adds nothing. `risk_level`: `high` from .75 or with a high blast radius, `medium` from .35 or with a
medium one. `heuristic_factor` multiplies 1 + .2 (m - 1), 1 + .1 tremor (from 3 commits), 1 + .05 matches, and 1.15 or 1.05
for the blast radius; no ranking uses it. Subjects are text of the repository.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "node_id": "auth.py"}"#;
    const DETAILS: &'static [&'static str] = &["parts", "unknown_parts", "fixes"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"node_id": {"type": "string"}, "heuristic_summary": {"type": "object"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for HeuristicsSurface {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let graph = snapshot.graph();
        let (node, resolved_by) = match (&input.node_id, &input.file_path) {
            (Some(text), _) => (rows::resolve(snapshot, "node_id", text)?, ResolvedBy::NodeId),
            (None, Some(text)) => (rows::resolve(snapshot, "file_path", text)?, ResolvedBy::FilePath),
            (None, None) => {
                return Err(ToolError::invalid(
                    "arguments `node_id` and `file_path` are missing, expected one of them",
                ));
            }
        };
        let file = graph.file(node).ok_or_else(|| {
            ToolError::invalid(format!("`{}` is not part of a file, expected a file or a symbol", graph.id(node)))
        })?;
        // Of all files, since percentiles are of the project.
        let found = risks(cx, past::scope(None)?)?;
        let row = found.files.iter().find(|row| row.node == file);
        let parts = |is_known: bool| {
            let all =
                Part::ALL.into_iter().filter(move |part| row.is_some_and(|row| row.part(*part).is_some()) == is_known);
            all.collect::<Vec<Part>>()
        };
        let output = Output {
            node_id: graph.id(node).to_owned(),
            file_path: graph.path(file).to_owned(),
            resolved_by: Word(resolved_by),
            heuristic_summary: row.map(|row| summary(snapshot, file, row)),
            combined_risk: row.and_then(|row| row.combined).map(round_value),
            parts: parts(true)
                .into_iter()
                .filter_map(|part| Some((part.word(), round_value(row?.part(part)?))))
                .collect(),
            unknown_parts: parts(false).into_iter().map(Word).collect(),
            fixes: row
                .and_then(|row| row.trust.as_ref())
                .map(|trust| CitedCommit::all(&trust.evidence.commits))
                .unwrap_or_default(),
            note: row
                .is_none()
                .then(|| "cannot tell: it is no code of the product (tests and documents are not rated)".to_owned()),
            what_is_missing: (!found.gaps.is_empty()).then(|| found.gaps.join("; ")),
        };
        let hint = "how its risk came about is in its history";
        let guidance = Guidance::next(ProofState::Triaging, ToolRef("timeline"), Some(graph.id(file).to_owned()), hint);
        Ok(Answer::new(output).guidance(guidance))
    }
}

fn summary(snapshot: &Snapshot, file: NodeIx, row: &FileRisk) -> Summary {
    let graph = snapshot.graph();
    let affected = dependents(graph, file, BLAST_STEPS);
    let (blast, blast_share, blast_factor) = match affected.len() {
        count if count <= LOW_BLAST => (Level::Low, 0.0, 1.0),
        count if count <= MEDIUM_BLAST => (Level::Medium, 0.5, 1.05),
        _ => (Level::High, 1.0, 1.15),
    };
    // What is unknown adds nothing: it is neither a risk nor a proof of safety.
    let trust = row.trust.as_ref().filter(|trust| trust.verdict.tier != Tier::Unknown);
    let tier = row.trust.as_ref().map_or(Tier::Unknown, |trust| trust.verdict.tier);
    let multiplier = heuristics::multiplier(trust);
    let tremor = row.tremor.as_ref();
    let magnitude = tremor.map_or(0.0, |tremor| tremor.tremor.magnitude.min(1.0));
    let observations = tremor.map_or(0, |tremor| tremor.series.observations());
    let hits = f64::from(row.matches.unwrap_or(0).min(3));
    let above = multiplier.unwrap_or(1.0) - 1.0;
    let score = 0.4 * (above / 2.0).clamp(0.0, 1.0) + 0.25 * magnitude + 0.15 * hits / 3.0 + 0.2 * blast_share;
    // A wide blast radius alone is enough.
    let level = match () {
        () if score >= HIGH || blast == Level::High => Level::High,
        () if score >= MEDIUM || blast == Level::Medium => Level::Medium,
        () => Level::Low,
    };
    let mut reasons = heuristics::reasons(trust, tremor);
    if hits > 0.0 {
        reasons.push(format!("bug patterns match x{}", row.matches.unwrap_or(0)));
    }
    if blast != Level::Low {
        reasons.push(format!("{} blast radius", blast.word()));
    }
    Summary {
        risk_level: Word(level),
        risk_score: round_value(score),
        blast_radius_files: affected.len(),
        blast_radius_risk: Word(blast),
        top_affected: affected.iter().take(NAMED).map(|node| graph.path(*node).to_owned()).collect(),
        antibody_hits: row.matches,
        heuristic_signals: Signals {
            heuristic_factor: round_value(heuristics::factor(trust, tremor) * (1.0 + 0.05 * hits) * blast_factor),
            trust_score: trust.map(|trust| round_value(trust.verdict.trust)),
            trust_risk_multiplier: multiplier.map(round_value),
            trust_tier: Word(tier),
            trust_band: Word(Band(tier)),
            tremor_magnitude: tremor.map(|tremor| round_value(tremor.tremor.magnitude)),
            tremor_observation_count: observations,
            tremor_risk_level: tremor.map(|tremor| Word(tremor.tremor.level)),
            reason: if reasons.is_empty() { "neutral".to_owned() } else { reasons.join("; ") },
        },
    }
}
