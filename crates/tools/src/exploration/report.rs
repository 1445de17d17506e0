//! Reports on the session: calls, findings, changes of the graph, and what was returned.

use m1nd_engine::Snapshot;
use m1nd_query::risk::{FileRisk, Tier, TremorLevel};
use m1nd_sessions::{CallLog, CallRecord, Lock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::risk_rows::risks;
use super::savings::Measured;
use crate::framework::{Answer, Guidance, ProofState, ReadContext, ReadTool, Tool, ToolError, ToolRef, Toolset};
use crate::past;
use crate::perspective::open_perspectives;
use crate::rows::{count, round_value};
use crate::word::{Kind, Word, answer_kinds};

/// Calls that are listed one by one, newest first.
const QUERIES: usize = 100;
/// Calls in the short list.
const RECENT: usize = 10;
/// Findings of one kind.
const BUGS: usize = 20;
/// Files in the list of hotspots.
const HOTSPOTS: usize = 5;
/// Locks that are counted.
const LOCKS: usize = 1_000;
/// Milliseconds of a second.
const SECOND: f64 = 1_000.0;
/// Magnitude of tremor that counts as severity 1.
const FULL_TREMOR: f64 = 3.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FormatWord {
    Text,
    Json,
    #[default]
    Markdown,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Of `formatted`
    #[serde(default)]
    format: FormatWord,
    /// Price, for money
    #[schemars(range(min = 0))]
    usd_per_million_tokens: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct SessionSummary {
    uptime_seconds: f64,
    total_queries: u64,
    queries_answered: u64,
    unique_agents: usize,
    node_count: usize,
    edge_count: usize,
    active_perspectives: usize,
    active_locks: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct QueryRecord {
    tool: String,
    agent_id: String,
    timestamp_ms: u64,
    elapsed_ms: f64,
    result_count: usize,
    m1nd_answered: bool,
    summary: String,
}

answer_kinds! {
    /// What a finding is from.
    pub(crate) BugKind {
        AntibodyMatch = "antibody_match",
        TrustDeficit = "trust_deficit",
        TremorSpike = "tremor_spike",
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct BugRecord {
    category: Word<BugKind>,
    node_id: String,
    description: String,
    severity: f64,
    detected_at_ms: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Evolution {
    nodes_added: u64,
    nodes_removed: u64,
    edges_added: u64,
    edges_removed: u64,
    ingestions: u64,
    learn_events: u64,
    apply_operations: u64,
    generation_start: u64,
    generation_current: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Hotspot {
    node_id: String,
    file_path: String,
    risk_score: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    session_summary: SessionSummary,
    queries_made: Vec<QueryRecord>,
    bugs_found: Vec<BugRecord>,
    graph_evolution: Evolution,
    savings: Measured,
    heuristic_hotspots: Vec<Hotspot>,
    formatted: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct Report;

impl Tool for Report {
    const NAME: &'static str = "report";
    const TOOLSET: Toolset = Toolset::Exploration;
    const SUMMARY: &'static str = "Report on the session: queries, bugs found, graph evolution, savings";
    const ANSWERS: &'static str =
        "what was asked and found in this session, how the graph changed, and what was returned";
    const HELP: &'static str = "\
Reports on this process since it started. `session_summary` counts calls (`queries_answered`: without errors and with
results), agents, nodes and edges; `queries_made` has the newest 100 calls, newest first, with the first 100 characters of
what was asked, without passwords and keys.

`bugs_found` are findings as of now, at most 20 of each `category`: `antibody_match` (files that stored bug patterns match),
`trust_deficit` (files that needed more fixes than the mean beyond doubt, see `trust`) and `tremor_spike` (files whose pace
of change stands out, see `tremor`). `heuristic_hotspots` are the five riskiest files of `panoramic`. `detected_at_ms` is the
time of the report.

`graph_evolution` compares with the end of the first call: nodes and edges are net differences, `apply_operations` counts
calls that wrote files of the project. `savings` is that of the tool `savings`: measured bytes, money only at a price that
the call gives. `formatted` is all of it as `format`: `markdown`, `text`, or `json`.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent"}"#;
    const LISTS_BUDGET: bool = true;
    const RARE: &'static [&'static str] = &["usd_per_million_tokens"];
    const DETAILS: &'static [&'static str] = &["queries_made", "heuristic_hotspots"];
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"session_summary": {"type": "object"}, "bugs_found": {"type": "array"}, "graph_evolution": {"type": "object"}, "savings": {"type": "object"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Report {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let (log, uptime_ms, now_ms) = cx.calls();
        // What happened in the session, then the riskiest files of the project.
        let found = risks(cx, past::scope(None)?)?;
        let perspectives = open_perspectives(cx)?;
        let locks = cx.list_held().list::<Lock>(None, LOCKS).map_err(crate::rows::session_error)?.handles.len();
        let summary = SessionSummary {
            uptime_seconds: uptime_ms as f64 / SECOND,
            total_queries: log.total,
            queries_answered: log.calls.iter().filter(|call| is_answered(call)).count() as u64,
            unique_agents: cx.agents().len(),
            node_count: snapshot.graph().node_count(),
            edge_count: snapshot.graph().edge_count(),
            active_perspectives: perspectives,
            active_locks: locks,
        };
        let hotspots = found.files.iter().take(HOTSPOTS).filter(|row| row.combined.is_some_and(|risk| risk > 0.0));
        let mut output = Output {
            session_summary: summary,
            queries_made: log.calls.iter().rev().take(QUERIES).map(query).collect(),
            bugs_found: bugs(snapshot, &found.files, now_ms),
            graph_evolution: evolution(snapshot, &log),
            savings: Measured::of(&log, input.usd_per_million_tokens),
            heuristic_hotspots: hotspots.map(|row| hotspot(snapshot, row)).collect(),
            formatted: None,
            what_is_missing: (!found.gaps.is_empty()).then(|| found.gaps.join("; ")),
        };
        // The text is of the answer itself, so it is written when all else is known.
        output.formatted = Some(match input.format {
            FormatWord::Json => serde_json::to_string(&output).unwrap_or_default(),
            FormatWord::Markdown => write_report(&output, true),
            FormatWord::Text => write_report(&output, false),
        });
        let guidance = match output.bugs_found.first() {
            Some(bug) => {
                let hint = format!("{}: look at the first", count(output.bugs_found.len(), "finding"));
                Guidance::next(ProofState::Triaging, ToolRef("heuristics_surface"), Some(bug.node_id.clone()), hint)
            }
            None => Guidance::state(ProofState::Triaging),
        };
        Ok(Answer::new(output).guidance(guidance))
    }
}

fn is_answered(call: &CallRecord) -> bool {
    !call.is_error && call.results != Some(0)
}

fn query(call: &CallRecord) -> QueryRecord {
    QueryRecord {
        tool: call.tool.clone(),
        agent_id: call.agent.clone(),
        timestamp_ms: call.at_ms,
        elapsed_ms: round_value(call.elapsed_ms),
        result_count: call.results.unwrap_or(0),
        m1nd_answered: is_answered(call),
        summary: call.summary.clone(),
    }
}

fn hotspot(snapshot: &Snapshot, row: &FileRisk) -> Hotspot {
    let graph = snapshot.graph();
    Hotspot {
        node_id: graph.id(row.node).to_owned(),
        file_path: graph.path(row.node).to_owned(),
        risk_score: round_value(row.combined.unwrap_or_default()),
    }
}

fn evolution(snapshot: &Snapshot, log: &CallLog) -> Evolution {
    let (nodes, edges) = (snapshot.graph().node_count() as u64, snapshot.graph().edge_count() as u64);
    let (nodes_before, edges_before, generation_start) = log.start.unwrap_or((nodes, edges, snapshot.generation()));
    Evolution {
        nodes_added: nodes.saturating_sub(nodes_before),
        nodes_removed: nodes_before.saturating_sub(nodes),
        edges_added: edges.saturating_sub(edges_before),
        edges_removed: edges_before.saturating_sub(edges),
        ingestions: log.of("ingest"),
        learn_events: log.of("learn"),
        apply_operations: log.writes,
        generation_start,
        generation_current: snapshot.generation(),
    }
}

fn bugs(snapshot: &Snapshot, files: &[FileRisk], now_ms: u64) -> Vec<BugRecord> {
    let id = |row: &FileRisk| snapshot.graph().id(row.node).to_owned();
    let record = |category, row: &FileRisk, description, severity: f64| BugRecord {
        category: Word(category),
        node_id: id(row),
        description,
        severity: round_value(severity.clamp(0.0, 1.0)),
        detected_at_ms: now_ms,
    };
    let matched = files.iter().filter_map(|row| Some((row, row.matches.filter(|count| *count > 0)?)));
    let matched = matched.map(|(row, hits)| {
        record(
            BugKind::AntibodyMatch,
            row,
            count(hits as usize, "match of bug patterns"),
            f64::from(hits) / FULL_TREMOR,
        )
    });
    let risky = files.iter().filter_map(|row| Some((row, row.trust.as_ref()?)));
    let risky = risky.filter(|(_, trust)| trust.verdict.tier == Tier::High).map(|(row, trust)| {
        let text = format!("{}, more than the mean of the project", count(trust.exposure.fixes.len(), "fix commit"));
        record(BugKind::TrustDeficit, row, text, 1.0 - trust.verdict.trust)
    });
    let shaken = files.iter().filter_map(|row| Some((row, row.tremor.as_ref()?)));
    let shaken = shaken.filter(|(_, tremor)| tremor.tremor.level >= TremorLevel::High).map(|(row, tremor)| {
        let text = format!("its pace accelerates by {:.1} standard deviations", tremor.tremor.magnitude);
        record(BugKind::TremorSpike, row, text, tremor.tremor.magnitude / FULL_TREMOR)
    });
    matched.take(BUGS).chain(risky.take(BUGS)).chain(shaken.take(BUGS)).collect()
}

/// The report for people.
fn write_report(report: &Output, is_markdown: bool) -> String {
    let mut lines: Vec<String> = Vec::new();
    let title = |text: &str| if is_markdown { format!("## {text}") } else { text.to_owned() };
    let (summary, evolution, savings) = (&report.session_summary, &report.graph_evolution, &report.savings);
    lines.push(title("Session"));
    lines.push(format!(
        "- {} from {}, {} answered; {} nodes, {} edges",
        count(summary.total_queries as usize, "call"),
        count(summary.unique_agents, "agent"),
        summary.queries_answered,
        summary.node_count,
        summary.edge_count
    ));
    lines.push(title("Queries"));
    lines.extend(report.queries_made.iter().take(RECENT).map(|call| format!("- {} {}", call.tool, call.summary)));
    lines.push(title("Bugs found"));
    let bug = |bug: &BugRecord| format!("- {} {}: {}", bug.category.0.word(), bug.node_id, bug.description);
    lines.extend(report.bugs_found.iter().map(bug));
    lines.push(title("Graph"));
    lines.push(format!(
        "- nodes +{}/-{}, edges +{}/-{}, {}",
        evolution.nodes_added,
        evolution.nodes_removed,
        evolution.edges_added,
        evolution.edges_removed,
        count(evolution.ingestions as usize, "ingest")
    ));
    lines.push(title("Returned"));
    lines.push(format!(
        "- {} bytes about {} of {} bytes",
        savings.returned_bytes,
        count(savings.distinct_files as usize, "file"),
        savings.files_bytes
    ));
    lines.join("\n")
}
