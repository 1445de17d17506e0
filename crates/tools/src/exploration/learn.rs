//! Records whether nodes were right for a question, for the ranking of similar questions.

use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::resolve::{ResolveError, resolve_node};
use m1nd_query::retrieval::{Feedback, Ledger};
use m1nd_query::risk::OutcomeKind;
use m1nd_sessions::{Lesson, Undone};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::framework::{
    Answer, Effect, ErrorCode, Guidance, ProofState, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
};
use crate::rows::{self, NodeRow, count, round_value};
use crate::word::Word;

/// Default strength.
const DEFAULT_STRENGTH: f64 = 0.2;
/// Maximum nodes of one call.
const MAX_NODES: usize = 100;

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FeedbackWord {
    Correct,
    Wrong,
    Partial,
}

/// A recorded outcome, for `trust`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OutcomeWord {
    Defect,
    FalseAlarm,
    Partial,
}

impl OutcomeWord {
    const fn kind(self) -> OutcomeKind {
        match self {
            Self::Defect => OutcomeKind::Defect,
            Self::FalseAlarm => OutcomeKind::FalseAlarm,
            Self::Partial => OutcomeKind::Partial,
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The question
    query: Option<String>,
    feedback: Option<FeedbackWord>,
    /// What the nodes turned out to have, for trust
    outcome: Option<OutcomeWord>,
    /// Rated nodes
    #[serde(default)]
    node_ids: Vec<String>,
    #[serde(default = "default_strength")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    strength: f64,
    /// ledger_id to undo, without the above
    undo: Option<i64>,
    /// Makes retries safe
    idempotency_key: Option<String>,
}

const fn default_strength() -> f64 {
    DEFAULT_STRENGTH
}

#[derive(Debug, Serialize)]
pub(crate) struct NotFound {
    node_id: String,
    reason: String,
    suggestions: Vec<String>,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Output {
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feedback: Option<Word<Feedback>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strength: Option<f64>,
    /// Row of the ledger, for `undo`.
    ledger_id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Word<OutcomeKind>>,
    /// Row of the outcome if feedback was recorded as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome_ledger_id: Option<i64>,
    /// The row that was undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    undone: Option<i64>,
    /// The same feedback or undo was recorded before: nothing was added.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    repeated: bool,
    nodes: Vec<NodeRow>,
    nodes_found: usize,
    /// Number of nodes with their members, as far as feedback applies to them.
    nodes_expanded: usize,
    not_found: Vec<NotFound>,
    /// The graph stays as it is.
    edges_modified: usize,
}

pub(crate) struct Learn;

impl Tool for Learn {
    const NAME: &'static str = "learn";
    const TOOLSET: Toolset = Toolset::Exploration;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "Rate nodes for a question; similar questions rank them accordingly";
    const ANSWERS: &'static str =
        "records whether nodes were right for a question, to rank similar questions accordingly; can be undone";
    const HELP: &'static str = "\
Adds a row to the feedback ledger of this project: these nodes were `correct`, `wrong` or `partial` (counts half of
`correct`) for this `query`. When any agent later asks `seek` or `activate` something similar, the score of these
nodes (and, half as strongly, of their members, the first 200 of each) is multiplied by up to 4^strength, or divided
for `wrong`: 1.32 with the default of 0.2. The effect is full for the same question and falls with similarity (shared
words weighted by rarity; none below 0.5). Rows add up, to at most a factor of 4 or a quarter, and count half after 30
days. Other questions and the graph do not change.

Answers show the feedback they used: `feedback` in a row (`weight` -1 to 1 and the `ledger_ids`), and
`feedback_applied` with the entries, rated nodes that are `gone`, and nodes rated correct that are `not_among_rows`.

`outcome` records what the nodes turned out to have: `defect` (they were wrong), `false_alarm` (suspected, but right) or
`partial` (part of a defect elsewhere). It is evidence for `trust` and does not change any ranking; `query` is then optional.
With `feedback` as well, it is a row of its own (`outcome_ledger_id`).

`undo: <ledger_id>` reverts a row; answers are then exactly as before. The ledger is append-only: an undo is a row,
too. The newest 10,000 rows in effect are kept. `idempotency_key` makes retries safe. Unknown node ids are listed in
`not_found`; if none exists, nothing is recorded. The first 2,000 characters of the query are stored in m1nd's own
folder, without passwords and keys, and compared with later ones.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "query": "validate credentials", "feedback": "correct", "node_ids": ["file::auth.py"]}"#;
    const RARE: &'static [&'static str] = &["idempotency_key", "strength", "outcome"];
    const DETAILS: &'static [&'static str] = &["nodes_found", "nodes_expanded", "edges_modified"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"ledger_id": {"type": "integer"}, "nodes": {"type": "array"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl WriteTool for Learn {
    const EFFECT: Effect = Effect::State;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        if let Some(entry) = input.undo {
            return undo(cx, &input, entry);
        }
        let snapshot = cx.snapshot();
        if snapshot.is_empty() {
            return Err(ToolError::empty_graph());
        }
        let query = input.query.as_deref().unwrap_or_default();
        if input.feedback.is_some() {
            rows::words("query", query, "the question that was asked")?;
        } else if input.outcome.is_none() {
            return Err(ToolError::invalid(
                "arguments `feedback` and `outcome` are missing, expected `feedback` (correct, wrong, partial) or `outcome` (defect, false_alarm, partial)",
            ));
        }
        let strength = input.strength;
        let (nodes, not_found) = resolve_all(snapshot, &input.node_ids)?;
        let feedback = input.feedback.map(|word| match word {
            FeedbackWord::Correct => Feedback::Correct,
            FeedbackWord::Wrong => Feedback::Wrong,
            FeedbackWord::Partial => Feedback::Partial,
        });
        let outcome = input.outcome.map(|word| word.kind().word());
        let ids: Vec<&str> = nodes.iter().map(|node| snapshot.graph().id(*node)).collect();
        let tell = |kind: &str, key: Option<&str>| {
            let told = Lesson { agent: cx.agent(), kind, query, strength, key, nodes: &ids };
            cx.sessions().learn(&told).map_err(rows::session_error)
        };
        let key = input.idempotency_key.as_deref();
        let first = feedback.map(|feedback| tell(feedback.word(), key)).transpose()?;
        // The key of a row is unique, and both rows have to be told once.
        let own_key = key.map(|key| if first.is_some() { format!("{key} outcome") } else { key.to_owned() });
        let second = outcome.map(|kind| tell(kind, own_key.as_deref())).transpose()?;
        let Some((ledger_id, repeated)) = first.or(second) else {
            return Err(ToolError::invalid("nothing to record"));
        };
        let guidance = guidance(query, &nodes, not_found.len(), feedback.is_some());
        let members = |node: &NodeIx| snapshot.graph().with_members(*node, Ledger::MAX_CONTAINED);
        let mut expanded: Vec<NodeIx> = nodes.iter().flat_map(members).collect();
        expanded.sort_unstable();
        expanded.dedup();
        Ok(Answer::new(Output {
            query: input.query.clone(),
            feedback: feedback.map(Word),
            outcome: input.outcome.map(|word| Word(word.kind())),
            strength: Some(round_value(strength)),
            ledger_id,
            outcome_ledger_id: second.filter(|_| first.is_some()).map(|(row, _)| row),
            undone: None,
            repeated,
            nodes: nodes.iter().map(|node| NodeRow::new(snapshot, *node)).collect(),
            nodes_found: nodes.len(),
            nodes_expanded: expanded.len(),
            not_found,
            edges_modified: 0,
        })
        .guidance(guidance))
    }
}

/// The nodes that the texts name, without duplicates, and the texts that name none.
fn resolve_all(snapshot: &Snapshot, texts: &[String]) -> Result<(Vec<NodeIx>, Vec<NotFound>), ToolError> {
    if texts.is_empty() || texts.len() > MAX_NODES {
        let got = texts.len();
        return Err(ToolError::invalid(format!("argument `node_ids` has {got} entries, expected 1 to {MAX_NODES}")));
    }
    let (mut nodes, mut not_found) = (Vec::new(), Vec::new());
    for text in texts {
        match resolve_node(snapshot, text) {
            Ok(node) if nodes.contains(&node) => {}
            Ok(node) => nodes.push(node),
            Err(error) => {
                let reason = error.to_string();
                let (ResolveError::NotFound { suggestions, .. }
                | ResolveError::Folder { files: suggestions, .. }
                | ResolveError::Ambiguous { candidates: suggestions, .. }) = error;
                not_found.push(NotFound { node_id: text.clone(), reason, suggestions });
            }
        }
    }
    if nodes.is_empty() {
        let error =
            ToolError::new(ErrorCode::NodeNotFound, "argument `node_ids`: no entry names a node; nothing was recorded")
                .next_step("pass the `node_id` of rows of an answer, or find them with `seek`");
        return Err(error.detail("not_found", json!(not_found)));
    }
    Ok((nodes, not_found))
}

fn undo(cx: &WriteContext<'_>, input: &Input, entry: i64) -> Result<Answer<Output>, ToolError> {
    if input.query.is_some() || input.feedback.is_some() || input.outcome.is_some() || !input.node_ids.is_empty() {
        return Err(ToolError::invalid(
            "argument `undo` cannot be combined with `query`, `feedback` and `node_ids`: omit those",
        ));
    }
    let (ledger_id, repeated) = match cx.sessions().unlearn(cx.agent(), entry).map_err(rows::session_error)? {
        Undone::Now(row) => (row, false),
        Undone::Before(row) => (row, true),
        Undone::NotThere => {
            return Err(ToolError::invalid(format!(
                "argument `undo` is {entry}, but no feedback has this `ledger_id`"
            ))
            .next_step("pass a `ledger_id` that `learn` returned, or one of the `ledger_ids` of a row"));
        }
    };
    let hint = "repeat the question: it ranks as before";
    let guidance = Guidance::next(ProofState::Triaging, ToolRef("seek"), None, hint);
    Ok(Answer::new(Output { ledger_id, undone: Some(entry), repeated, ..Output::default() }).guidance(guidance))
}

fn guidance(query: &str, nodes: &[NodeIx], missed: usize, has_feedback: bool) -> Guidance {
    if !has_feedback {
        let hint = format!("recorded for {}: it now counts in `trust`", count(nodes.len(), "node"));
        return Guidance::next(ProofState::Triaging, ToolRef("trust"), None, hint);
    }
    let target = Some(query.chars().take(100).collect());
    let hint = match missed {
        0 => format!("recorded for {}: the same question now ranks accordingly", count(nodes.len(), "node")),
        _ => format!("recorded for {}, but {} not found", count(nodes.len(), "node"), count(missed, "id")),
    };
    Guidance::next(ProofState::Triaging, ToolRef("seek"), target, hint)
}
