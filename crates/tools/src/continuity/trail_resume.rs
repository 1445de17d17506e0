//! Resumes a saved investigation.

use m1nd_engine::Snapshot;
use m1nd_query::trails::Held;
use m1nd_sessions::{Handle, Trail};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::trails::{
    EvidenceNow, HypothesisNow, NodeNow, NodeState, Present, TrailRow, conclusion_state, find, nodes_now,
};
use crate::framework::{
    Answer, ErrorCode, Guidance, ProofState, ReadContext, ReadTool, Route, Stage, Tool, ToolError, ToolRef, Toolset,
    number, rows_schema,
};
use crate::rows::{count, round_value};
use crate::word::Word;

/// Nodes on one page.
const NODES: usize = 50;
/// Default number of boosted nodes shown.
const DEFAULT_REACTIVATED: usize = 5;
/// Maximum boosted nodes shown.
const MAX_REACTIVATED: usize = 10;
/// Default number of hints.
const DEFAULT_HINTS: usize = 4;
/// Maximum hints.
const MAX_HINTS: usize = 8;
/// Nodes that one hint names.
const NAMED: usize = 3;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Id or label
    trail_id: String,
    /// Although over half its nodes are gone
    #[serde(default)]
    force: bool,
    #[serde(default = "number::<DEFAULT_REACTIVATED>")]
    #[schemars(range(min = 0, max = MAX_REACTIVATED))]
    max_reactivated_nodes: usize,
    #[serde(default = "number::<DEFAULT_HINTS>")]
    #[schemars(range(min = 0, max = MAX_HINTS))]
    max_resume_hints: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct NodeRow {
    node_id: String,
    state: NodeState,
    relevance: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotation: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct HypothesisRow {
    statement: String,
    state: Word<Held>,
    confidence: f64,
    confidence_saved: f64,
    why: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<EvidenceNow>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ConclusionRow {
    statement: String,
    state: Word<Held>,
    confidence: f64,
    confidence_saved: f64,
}

/// Number of nodes in each state.
#[derive(Debug, Default, Serialize)]
pub(crate) struct States {
    unchanged: usize,
    modified: usize,
    moved: usize,
    missing: usize,
    unknown: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    trail_id: String,
    label: String,
    /// A node is missing, modified or moved, or a hypothesis weakened or refuted.
    stale: bool,
    node_states: States,
    hypotheses: Vec<HypothesisRow>,
    conclusions: Vec<ConclusionRow>,
    open_questions: Vec<String>,
    nodes: Vec<NodeRow>,
    generations_behind: u64,
    missing_nodes: Vec<String>,
    /// Number of nodes that queries naming the trail favour.
    nodes_reactivated: usize,
    reactivated_node_ids: Vec<String>,
    hypotheses_downgraded: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_focus_node_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_open_question: Option<String>,
    resume_hints: Vec<String>,
    trail: TrailRow,
}

pub(crate) struct TrailResume;

impl Tool for TrailResume {
    const NAME: &'static str = "trail_resume";
    const TOOLSET: Toolset = Toolset::Continuity;
    const SUMMARY: &'static str = "Go on with a saved investigation, checked against the present code";
    const ANSWERS: &'static str = "what of a saved investigation still holds, and where to go on";
    const HELP: &'static str = "\
Compares a trail with the present code and says where to go on. It changes nothing, and any agent may call it.

State of a node, by the hash of its text: `unchanged`; `modified`: same id, another text; `moved`: the same text is at
`moved_to`; `missing`: neither its id nor its text is found (`reason` names another node of its name, if there is only
one); `unknown`: it could not be compared. A class or file is modified if anything in it is.

State of a hypothesis: its evidence is tested again, on moved code where it is now. `refuted`: a claim is shown not to
hold; `weakened`: a claim that held cannot be shown any more, or only uncertainly; `still_holds`; `unknown`. The worst
claim decides; one that cannot be told counts only if no other can. Without claims it is `still_holds` if the text of all
supporting nodes is the same, `weakened` if that of more than half is not, else `unknown`. `confidence` is that of the
save, times 1 (still holds), 0.75 (unknown), 0.5 (weakened) or 0.1 (refuted): an order, not a probability. A conclusion
has the worst state of its hypotheses. `hypotheses_downgraded` lost over half of their supporting nodes.

`next_focus_node_id`: a changed node of a hypothesis that does not hold any more, else the node with the greatest boost.
The next tool follows from the words of the first open question. If over half of the nodes are missing, `force: true` is
needed. `trail: <id>` in `seek` and `activate` favours its nodes.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "trail_id": "Where credentials are checked"}"#;
    const EXAMPLE_AFTER: &'static [(&'static str, &'static str)] = &[(
        "trail_save",
        r#"{"label": "Where credentials are checked", "visited_nodes": [{"node_external_id": "auth.py"}]}"#,
    )];
    const STAGES: &'static [Route] = &[(Stage::Handoff, 20, "go on with what was saved")];
    const PAGED: bool = true;
    const LISTS_BUDGET: bool = false;
    const NEEDS_FRESH: bool = true;
    const RARE: &'static [&'static str] = &["max_reactivated_nodes", "max_resume_hints"];
    const DETAILS: &'static [&'static str] = &[
        "generations_behind", "nodes_reactivated", "reactivated_node_ids", "hypotheses.confidence_saved",
        "hypotheses.evidence", "conclusions.confidence_saved", "trail",
    ];
    const OUTPUT_SCHEMA: &'static str = rows_schema!("nodes": "node_id", "state");
    const TEXT_OMITS: &'static [&'static str] = &[
        "confidence_saved", "evidence", "generations_behind", "hypotheses_downgraded", "missing_nodes",
        "next_open_question", "nodes_reactivated", "resume_hints", "trail",
    ];
    const ROW_TEXT: Option<crate::framework::RowText> = Some(row_text);
    type Input = Input;
    type Output = Output;
}

fn row_text(row: &Map<String, Value>, _: &Map<String, Value>) -> String {
    let text = |name: &str| row.get(name).and_then(Value::as_str);
    let mut line = format!("{:9} {}", text("state").unwrap_or_default(), text("node_id").unwrap_or_default());
    if let Some(to) = text("moved_to") {
        line += &format!(" -> {to}");
    }
    for more in [text("reason"), text("annotation")].into_iter().flatten() {
        line += &format!("  {more}");
    }
    line
}

impl ReadTool for TrailResume {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let handle = find(cx.list_held(), cx.agent(), "trail_id", &input.trail_id)?;
        cx.rests_on(format!("{}{}", handle.id, handle.version).as_bytes());
        let trail = &handle.value;
        let nodes = nodes_now(snapshot, trail, cx.cancel())?;
        // A trail whose code is mostly gone would mislead.
        let missing = nodes.iter().filter(|node| node.state == NodeState::Missing).count();
        if missing * 2 > nodes.len() && !input.force {
            return Err(too_stale(missing, nodes.len(), &handle));
        }
        // Hypotheses are tried again on the present code.
        let unseen = cx.describe_unseen();
        let present = Present { snapshot, unseen: unseen.as_deref(), cancel: cx.cancel() };
        let hypotheses = present.hypotheses(trail, &nodes)?;
        let boosted = list_boosted(snapshot, trail, &nodes);
        let focus = focus(snapshot, &nodes, &hypotheses).or_else(|| boosted.first().cloned());
        let question = trail.open_questions.first().cloned();
        let mut hints = hints(snapshot, &nodes, &hypotheses, question.as_deref());
        hints.truncate(input.max_resume_hints);
        let (rows, total) = (node_rows(snapshot, &nodes), nodes.len());
        // A conclusion is worth as much as the hypotheses that it rests on.
        let conclusion = |conclusion: &m1nd_sessions::Conclusion| {
            let state = conclusion_state(conclusion, &hypotheses, &nodes);
            ConclusionRow {
                statement: conclusion.statement.clone(),
                state: Word(state),
                confidence: round_value(conclusion.confidence * state.factor()),
                confidence_saved: conclusion.confidence,
            }
        };
        let states = states(&nodes);
        let is_worse = |row: &HypothesisNow<'_>| matches!(row.state, Held::Weakened | Held::Refuted);
        let output = Output {
            trail_id: handle.id.clone(),
            label: trail.label.clone(),
            stale: nodes.iter().any(NodeNow::is_stale) || hypotheses.iter().any(is_worse),
            conclusions: trail.conclusions.iter().map(conclusion).collect(),
            generations_behind: snapshot.generation().saturating_sub(trail.generation),
            missing_nodes: of_state(&nodes, NodeState::Missing).map(|node| node.saved.id.clone()).collect(),
            nodes_reactivated: boosted.len(),
            reactivated_node_ids: boosted.into_iter().take(input.max_reactivated_nodes).collect(),
            hypotheses_downgraded: list_downgraded(&hypotheses),
            hypotheses: hypotheses.into_iter().map(hypothesis_row).collect(),
            open_questions: trail.open_questions.clone(),
            next_focus_node_id: focus.clone(),
            next_open_question: question.clone(),
            resume_hints: hints,
            nodes: cx.page(NODES).cut(rows),
            node_states: states,
            trail: TrailRow::new(&handle),
        };
        let guidance = guidance(focus, question.as_deref(), output.resume_hints.first());
        Ok(Answer::new(output).rows("nodes", total).guidance(guidance))
    }
}

fn too_stale(missing: usize, all: usize, handle: &Handle<Trail>) -> ToolError {
    let message = format!("{missing} of the {all} nodes of trail `{}` are gone", handle.value.label);
    ToolError::new(ErrorCode::TrailStale, message)
        .hint("it is from another state of the code, perhaps another branch")
        .next_step("pass `force: true` to resume it nevertheless, or check out the branch it is from")
}

fn of_state<'a, 't>(nodes: &'a [NodeNow<'t>], state: NodeState) -> impl Iterator<Item = &'a NodeNow<'t>> {
    nodes.iter().filter(move |node| node.state == state)
}

fn states(nodes: &[NodeNow<'_>]) -> States {
    let number = |state| of_state(nodes, state).count();
    States {
        unchanged: number(NodeState::Unchanged),
        modified: number(NodeState::Modified),
        moved: number(NodeState::Moved),
        missing: number(NodeState::Missing),
        unknown: number(NodeState::Unknown),
    }
}

/// The nodes, those that changed first, then by relevance.
fn node_rows(snapshot: &Snapshot, nodes: &[NodeNow<'_>]) -> Vec<NodeRow> {
    let mut sorted: Vec<&NodeNow<'_>> = nodes.iter().collect();
    sorted.sort_by_key(|node| node.state);
    let row = |node: &NodeNow<'_>| NodeRow {
        node_id: node.saved.id.clone(),
        state: node.state,
        relevance: node.saved.relevance,
        moved_to: moved_to(snapshot, node),
        reason: node.reason.clone(),
        annotation: node.saved.annotation.clone(),
    };
    sorted.into_iter().map(row).collect()
}

fn moved_to(snapshot: &Snapshot, node: &NodeNow<'_>) -> Option<String> {
    let moved = node.node.filter(|_| node.state == NodeState::Moved)?;
    Some(snapshot.graph().id(moved).to_owned())
}

fn hypothesis_row(now: HypothesisNow<'_>) -> HypothesisRow {
    HypothesisRow {
        statement: now.saved.statement.clone(),
        state: Word(now.state),
        confidence: now.confidence,
        confidence_saved: now.saved.confidence,
        why: now.why,
        evidence: now.evidence,
    }
}

fn list_downgraded(hypotheses: &[HypothesisNow<'_>]) -> Vec<String> {
    let lost = hypotheses.iter().filter(|row| row.lost * 2 > row.saved.supporting.len());
    lost.map(|row| row.saved.statement.clone()).collect()
}

/// Present ids of the boosted nodes, strongest first.
fn list_boosted(snapshot: &Snapshot, trail: &Trail, nodes: &[NodeNow<'_>]) -> Vec<String> {
    let boost = |node: &NodeNow<'_>| trail.boosts.get(&node.saved.id).copied().unwrap_or_default();
    let mut found: Vec<(f64, String)> = nodes
        .iter()
        .filter_map(|node| Some((boost(node), snapshot.graph().id(node.node?).to_owned())))
        .filter(|(boost, _)| *boost > 0.0)
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.into_iter().map(|(_, id)| id).collect()
}

/// A changed node of a hypothesis that does not hold any more.
fn focus(snapshot: &Snapshot, nodes: &[NodeNow<'_>], hypotheses: &[HypothesisNow<'_>]) -> Option<String> {
    let mut worse: Vec<&HypothesisNow<'_>> = hypotheses.iter().filter(|row| row.state >= Held::Weakened).collect();
    worse.sort_by_key(|row| std::cmp::Reverse(row.state));
    worse.into_iter().find_map(|row| {
        let claims = row.saved.evidence.iter().flat_map(|claim| [&claim.subject, &claim.object]).flatten();
        let named: Vec<&String> = row.saved.supporting.iter().chain(claims).collect();
        let changed = nodes.iter().find(|node| node.state == NodeState::Modified && named.contains(&&node.saved.id))?;
        Some(snapshot.graph().id(changed.node?).to_owned())
    })
}

fn hints(
    snapshot: &Snapshot,
    nodes: &[NodeNow<'_>],
    hypotheses: &[HypothesisNow<'_>],
    question: Option<&str>,
) -> Vec<String> {
    let mut hints = Vec::new();
    for state in [Held::Refuted, Held::Weakened] {
        let rows = hypotheses.iter().filter(|row| row.state == state);
        hints.extend(rows.map(|row| format!("{}: \"{}\" ({})", state.word(), row.saved.statement, row.why)));
    }
    let names = |state| -> Vec<&str> { of_state(nodes, state).map(|node| node.saved.id.as_str()).collect() };
    for (state, what) in [(NodeState::Modified, "read again"), (NodeState::Missing, "find what replaced it")] {
        let ids = names(state);
        if !ids.is_empty() {
            let word = if state == NodeState::Modified { "modified" } else { "missing" };
            let shown = ids.iter().take(NAMED).map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
            hints.push(format!("{what}: {} {word}, such as {shown}", count(ids.len(), "node")));
        }
    }
    let moved = of_state(nodes, NodeState::Moved).filter_map(|node| Some((node, moved_to(snapshot, node)?)));
    hints.extend(moved.take(NAMED).map(|(node, to)| format!("`{}` is now `{to}`", node.saved.id)));
    hints.extend(question.map(|question| format!("open question: {question}")));
    hints
}

/// Words of a question, and the tool that answers it; the first row that fits counts.
const ROUTES: &[(&[&str], ToolRef)] = &[
    (&["changed", "change", "last", "history", "recent", "commit"], ToolRef("timeline")),
    (&["impact", "blast", "break", "breaks", "affected", "touch", "touches"], ToolRef("impact")),
    (&["why", "proof", "prove", "evidence", "violation", "missing", "guard"], ToolRef("hypothesize")),
    (&["where", "which", "owner", "helper", "normalize", "canonical", "dispatch", "route"], ToolRef("seek")),
];

fn guidance(focus: Option<String>, question: Option<&str>, hint: Option<&String>) -> Guidance {
    let words: Vec<String> =
        question.unwrap_or_default().split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
    let routed = ROUTES.iter().find(|(known, _)| words.iter().any(|word| known.contains(&word.as_str())));
    let hint = hint.map_or("open the focus of the investigation", String::as_str);
    match (routed.map(|(_, tool)| *tool), focus, question) {
        (Some(tool), focus, Some(question)) if matches!(tool.0, "hypothesize" | "seek") => {
            let target = if tool.0 == "seek" { Some(question.to_owned()) } else { focus };
            Guidance::next(ProofState::Triaging, tool, target, hint)
        }
        (Some(tool), Some(focus), _) => Guidance::next(ProofState::Triaging, tool, Some(focus), hint),
        (_, Some(focus), _) => Guidance::next(ProofState::Triaging, ToolRef("view"), Some(focus), hint),
        (_, None, Some(question)) => {
            Guidance::next(ProofState::Triaging, ToolRef("search"), Some(question.to_owned()), hint)
        }
        (_, None, None) => Guidance::state(ProofState::Blocked),
    }
}
