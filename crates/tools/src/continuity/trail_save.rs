//! Saves an investigation.

use std::collections::BTreeMap;

use m1nd_engine::graph::NodeIx;
use m1nd_engine::{CodeTexts, Snapshot};
use m1nd_query::trails::{Outcome, Replay, is_claim};
use m1nd_sessions::{Conclusion, Evidence, Hypothesis, TRAIL_DAYS, Trail, TrailNode, TrailStatus};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::trails::redact_text;
use crate::framework::{
    Answer, Effect, Guidance, ProofState, Route, Stage, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
};
use crate::rows::{self, round_value, session_error};
use crate::word::Word;

/// Maximum hypotheses, and conclusions, of one trail.
pub(super) const MAX_STATEMENTS: usize = 50;
/// Maximum nodes that are given for or against one statement.
const MAX_SUPPORT: usize = 50;
/// Maximum nodes of one trail.
pub(super) const MAX_NODES: usize = 500;
/// Maximum claims that are tested for one trail.
pub(super) const MAX_EVIDENCE: usize = 40;
/// Maximum questions, and tags, of one trail.
pub(super) const MAX_WORDS: usize = 50;
/// Relevance of a node, and confidence of a statement, if the caller gives none.
const DEFAULT_SHARE: f64 = 0.5;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HypothesisInput {
    statement: String,
    #[serde(default = "half")]
    confidence: f64,
    #[serde(default)]
    supporting_nodes: Vec<String>,
    #[serde(default)]
    contradicting_nodes: Vec<String>,
    /// Testable claims: "A depends on B", "A -> B"
    #[serde(default)]
    evidence: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConclusionInput {
    statement: String,
    #[serde(default = "half")]
    confidence: f64,
    #[serde(default)]
    from_hypotheses: Vec<String>,
    #[serde(default)]
    supporting_nodes: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VisitedInput {
    node_external_id: String,
    annotation: Option<String>,
    #[serde(default = "half")]
    relevance: f64,
}

const fn half() -> f64 {
    DEFAULT_SHARE
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StatusWord {
    #[default]
    Saved,
    Active,
    Archived,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    label: String,
    #[serde(default)]
    hypotheses: Vec<HypothesisInput>,
    #[serde(default)]
    conclusions: Vec<ConclusionInput>,
    #[serde(default)]
    open_questions: Vec<String>,
    #[serde(default)]
    tags: Vec<String>,
    summary: Option<String>,
    #[serde(default)]
    visited_nodes: Vec<VisitedInput>,
    /// Ids, paths or names with 0 to 1
    #[serde(default)]
    activation_boosts: BTreeMap<String, f64>,
    /// To replace
    trail_id: Option<String>,
    #[serde(default)]
    status: StatusWord,
}

#[derive(Debug, Serialize)]
pub(crate) struct UnknownNode {
    name: String,
    reason: String,
}

/// A claim that is not tested.
#[derive(Debug, Serialize)]
pub(crate) struct Untested {
    name: String,
    reason: String,
    /// Ids of the nodes that an ambiguous name of it may mean.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Tested {
    evidence: String,
    outcome: Word<Outcome>,
    why: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    trail_id: String,
    label: String,
    agent_id: String,
    nodes_saved: usize,
    hypotheses_saved: usize,
    conclusions_saved: usize,
    open_questions_saved: usize,
    /// Results of the claims.
    evidence: Vec<Tested>,
    /// Names that are not those of one node: not saved.
    unknown_nodes: Vec<UnknownNode>,
    /// Claims that cannot be tested: not saved as evidence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    untested: Vec<Untested>,
    graph_generation_at_creation: u64,
    created_at_ms: u64,
    expires_in_days: u64,
}

pub(crate) struct TrailSave;

impl Tool for TrailSave {
    const NAME: &'static str = "trail_save";
    const TOOLSET: Toolset = Toolset::Continuity;
    const SUMMARY: &'static str = "Save an investigation: nodes, hypotheses, conclusions, open questions";
    const ANSWERS: &'static str =
        "saves what you found out, bound to the code as it is, to go on later or hand it over";
    const HELP: &'static str = "\
Saves a trail: `visited_nodes` (id, path or name, with an annotation and a relevance), `hypotheses`, `conclusions`,
`open_questions`, `tags`. Each node is bound to its text by a hash, so that `trail_resume` can say exactly which are
unchanged, modified, moved or missing. Names that are not those of one node come back in `unknown_nodes`; the rest is
saved. Passwords and keys are cut out of texts, and a text ends after 1,000 characters.

`evidence` of a hypothesis is a list of claims that `hypothesize` can test (\"Session depends on HTTPAdapter\"), or
`A -> B` for a path as `why` finds it. They are tested now and again on resume; a statement that is itself such a claim
needs no evidence of its own. Their nodes become nodes of the trail. `untested` lists claims that cannot be tested, those with
an ambiguous name with its `candidates`.

Boosts: a visited node has 0.2 + 0.5 x relevance, support of a hypothesis 0.7, of a conclusion 0.8, a contradiction
0.45, the greatest counts; `activation_boosts` sets more. They affect only queries of `seek` and `activate` that name
the trail in `trail`.

A trail is kept for 365 days after it was saved last. `trail_id` replaces one of your own, for example with
`status: archived`. An agent may hold 200 trails, each of at most 500 nodes, 50 hypotheses, 50 conclusions, 40 claims and
1 MB. Every agent can list, resume and merge it; only you can change it.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "label": "Where credentials are checked", "visited_nodes": [{"node_external_id": "auth.py"}]}"#;
    const STAGES: &'static [Route] = &[(Stage::Handoff, 10, "keep what you found out, bound to the code")];
    const NEEDS_FRESH: bool = true;
    const RARE: &'static [&'static str] = &["conclusions"];
    const UNLISTED: &'static [&'static str] = &["activation_boosts", "status", "summary", "tags", "trail_id"];
    const DETAILS: &'static [&'static str] = &["agent_id", "expires_in_days"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"trail_id": {"type": "string"}, "nodes_saved": {"type": "integer"}}}"#;
    const TEXT_OMITS: &'static [&'static str] =
        &["agent_id", "created_at_ms", "expires_in_days", "graph_generation_at_creation"];
    type Input = Input;
    type Output = Output;
}

/// A trail that is being made.
struct Draft<'a> {
    snapshot: &'a Snapshot,
    /// Relevance, boost and remark of each node.
    nodes: BTreeMap<NodeIx, (f64, f64, Option<String>)>,
    unknown: Vec<UnknownNode>,
}

impl Draft<'_> {
    /// The nodes that names mean, each noted with at least this relevance and boost.
    fn add(&mut self, argument: &str, names: &[String], relevance: f64, boost: f64) -> Vec<NodeIx> {
        let mut found = Vec::new();
        for name in names {
            let Some(node) = self.resolve(argument, name) else { continue };
            self.note(node, relevance, boost, None);
            if !found.contains(&node) {
                found.push(node);
            }
        }
        found
    }

    fn resolve(&mut self, argument: &str, name: &str) -> Option<NodeIx> {
        match rows::resolve(self.snapshot, argument, name) {
            Ok(node) => Some(node),
            Err(error) => {
                let name: String = name.chars().take(200).collect();
                if !self.unknown.iter().any(|other| other.name == name) {
                    self.unknown.push(UnknownNode { name, reason: error.message });
                }
                None
            }
        }
    }

    fn note(&mut self, node: NodeIx, relevance: f64, boost: f64, annotation: Option<String>) {
        let noted = self.nodes.entry(node).or_default();
        *noted = (noted.0.max(relevance), noted.1.max(boost.clamp(0.0, 1.0)), annotation.or(noted.2.take()));
    }

    fn ids(&self, nodes: &[NodeIx]) -> Vec<String> {
        nodes.iter().map(|&node| self.snapshot.graph().id(node).to_owned()).collect()
    }

    /// The nodes with their hashes, most relevant first, and the boosts.
    fn bind_nodes(self) -> (Vec<TrailNode>, BTreeMap<String, f64>, Vec<UnknownNode>) {
        let (graph, texts) = (self.snapshot.graph(), CodeTexts::new(self.snapshot));
        let mut sorted: Vec<_> = self.nodes.into_iter().collect();
        sorted.sort_by(|a, b| graph.id(a.0).cmp(graph.id(b.0)));
        let boosts =
            sorted.iter().map(|(node, (_, boost, _))| (graph.id(*node).to_owned(), round_value(*boost))).collect();
        let node = |(node, (relevance, _, annotation)): (NodeIx, (f64, f64, Option<String>))| TrailNode {
            id: graph.id(node).to_owned(),
            hashes: texts.bind(node).map(|bound| (bound.content, bound.file)),
            annotation,
            relevance: round_value(relevance),
        };
        let mut nodes: Vec<TrailNode> = sorted.into_iter().map(node).collect();
        nodes.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then_with(|| a.id.cmp(&b.id)));
        (nodes, boosts, self.unknown)
    }
}

impl WriteTool for TrailSave {
    const EFFECT: Effect = Effect::State;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        check(&input)?;
        let mut draft = Draft { snapshot: &snapshot, nodes: BTreeMap::new(), unknown: Vec::new() };
        // Nodes by what names them: visits weigh by their relevance.
        for visited in &input.visited_nodes {
            let relevance = visited.relevance.clamp(0.0, 1.0);
            if let Some(node) = draft.resolve("visited_nodes", &visited.node_external_id) {
                let annotation = visited.annotation.as_deref().map(redact_text);
                draft.note(node, relevance, 0.2 + 0.5 * relevance, annotation);
            }
        }
        let (mut tested, mut untested) = (Vec::new(), Vec::new());
        let mut hypotheses = Vec::new();
        // Hypotheses are tried on the present code, and saved with the result.
        for row in &input.hypotheses {
            hypotheses.push(hypothesis(cx, &mut draft, row, &mut tested, &mut untested)?);
        }
        let conclusions = input.conclusions.iter().map(|row| conclusion(&mut draft, row)).collect();
        for (name, boost) in &input.activation_boosts {
            if let Some(node) = draft.resolve("activation_boosts", name) {
                draft.note(node, 0.0, *boost, None);
            }
        }
        let (nodes, boosts, unknown_nodes) = draft.bind_nodes();
        if nodes.len() > MAX_NODES {
            return Err(ToolError::invalid(format!("the trail names {} nodes, the limit is {MAX_NODES}", nodes.len())));
        }
        // Texts of agents are bounded and hold no secrets.
        let trail = Trail {
            label: redact_text(&input.label),
            status: match input.status {
                StatusWord::Saved => TrailStatus::Saved,
                StatusWord::Active => TrailStatus::Active,
                StatusWord::Archived => TrailStatus::Archived,
            },
            summary: input.summary.as_deref().map(redact_text).unwrap_or_default(),
            nodes,
            hypotheses,
            conclusions,
            open_questions: input.open_questions.iter().map(|text| redact_text(text)).collect(),
            tags: input.tags.iter().map(|text| redact_text(text)).collect(),
            boosts,
            generation: snapshot.generation(),
            sources: Vec::new(),
            merged_into: None,
        };
        save(cx, trail, input.trail_id.as_deref(), tested, unknown_nodes, untested)
    }
}

fn save(
    cx: &WriteContext<'_>,
    trail: Trail,
    replaced: Option<&str>,
    evidence: Vec<Tested>,
    unknown_nodes: Vec<UnknownNode>,
    untested: Vec<Untested>,
) -> Result<Answer<Output>, ToolError> {
    let handle = match replaced {
        Some(name) => {
            let known = super::trails::find(cx.list_held(), cx.agent(), "trail_id", name)?;
            // A trail that is replaced keeps its id, and where it came from.
            let change = |value: &mut Trail| {
                let sources = std::mem::take(&mut value.sources);
                *value = Trail { sources, merged_into: value.merged_into.take(), ..trail.clone() };
                Ok(())
            };
            cx.sessions().update(cx.agent(), &known.id, change).map_err(session_error)?.0
        }
        None => cx.sessions().mint(cx.agent(), trail).map_err(|error| {
            session_error(error).hint("pass `trail_id` to replace one of your trails; `trail_list` shows them")
        })?,
    };
    let trail = &handle.value;
    let hint = "go on later, or have another agent go on, with this id";
    let guidance = Guidance::next(ProofState::Triaging, ToolRef("trail_resume"), Some(handle.id.clone()), hint);
    Ok(Answer::new(Output {
        trail_id: handle.id.clone(),
        label: trail.label.clone(),
        agent_id: handle.owner.clone(),
        nodes_saved: trail.nodes.len(),
        hypotheses_saved: trail.hypotheses.len(),
        conclusions_saved: trail.conclusions.len(),
        open_questions_saved: trail.open_questions.len(),
        evidence,
        unknown_nodes,
        untested,
        graph_generation_at_creation: trail.generation,
        created_at_ms: handle.created_ms,
        expires_in_days: TRAIL_DAYS,
    })
    .guidance(guidance))
}

fn check(input: &Input) -> Result<(), ToolError> {
    rows::words("label", &input.label, "a name for the investigation")?;
    let evidence: usize = input.hypotheses.iter().map(|row| row.evidence.len()).sum();
    let support = input.hypotheses.iter().map(|row| row.supporting_nodes.len().max(row.contradicting_nodes.len()));
    let support = support.chain(input.conclusions.iter().map(|row| row.supporting_nodes.len())).max();
    let counts = [
        ("hypotheses", input.hypotheses.len(), MAX_STATEMENTS),
        ("conclusions", input.conclusions.len(), MAX_STATEMENTS),
        ("open_questions", input.open_questions.len(), MAX_WORDS),
        ("tags", input.tags.len(), MAX_WORDS),
        ("visited_nodes", input.visited_nodes.len(), MAX_NODES),
        ("activation_boosts", input.activation_boosts.len(), MAX_NODES),
        ("hypotheses` in its lists `evidence", evidence, MAX_EVIDENCE),
        ("hypotheses` or `conclusions` in a list of nodes of theirs", support.unwrap_or_default(), MAX_SUPPORT),
    ];
    match counts.into_iter().find(|(_, count, limit)| count > limit) {
        Some((name, count, limit)) => {
            Err(ToolError::invalid(format!("argument `{name}` has {count} entries, expected at most {limit}")))
        }
        None => Ok(()),
    }
}

fn hypothesis(
    cx: &WriteContext<'_>,
    draft: &mut Draft<'_>,
    row: &HypothesisInput,
    tested: &mut Vec<Tested>,
    untested: &mut Vec<Untested>,
) -> Result<Hypothesis, ToolError> {
    rows::words("hypotheses", &row.statement, "a statement")?;
    let confidence = row.confidence.clamp(0.0, 1.0);
    let supporting = draft.add("supporting_nodes", &row.supporting_nodes, confidence.max(0.6), 0.7);
    let against = (0.8 * confidence).max(0.45);
    let contradicting = draft.add("contradicting_nodes", &row.contradicting_nodes, against, 0.45);
    let own = row.evidence.is_empty() && is_claim(&row.statement) && tested.len() < MAX_EVIDENCE;
    let claims = if own { std::slice::from_ref(&row.statement) } else { row.evidence.as_slice() };
    let mut evidence = Vec::new();
    for text in claims {
        let text = redact_text(text);
        match Replay::parse(draft.snapshot, &text) {
            Ok(replay) => {
                let unseen = cx.describe_unseen();
                let found = replay.run(draft.snapshot, unseen.as_deref(), cx.cancel())?;
                let (subject, object) = replay.nodes();
                for node in [subject, object].into_iter().flatten() {
                    draft.note(node, DEFAULT_SHARE, 0.45, None);
                }
                let id = |node: Option<NodeIx>| node.map(|node| draft.snapshot.graph().id(node).to_owned());
                let outcome: Outcome = found.outcome;
                let (subject, object) = (id(subject), id(object));
                evidence.push(Evidence { text: text.clone(), subject, object, outcome: outcome.word().to_owned() });
                tested.push(Tested { evidence: text, outcome: Word(outcome), why: found.why });
            }
            // A statement may just look like a claim, unless it names code that there is more than once.
            Err(error) if own && error.candidates().is_empty() => {}
            Err(error) => untested.push(Untested {
                candidates: error.candidates().to_vec(),
                reason: error.to_string(),
                name: text,
            }),
        }
    }
    Ok(Hypothesis {
        statement: redact_text(&row.statement),
        confidence: round_value(confidence),
        supporting: draft.ids(&supporting),
        contradicting: draft.ids(&contradicting),
        evidence,
    })
}

fn conclusion(draft: &mut Draft<'_>, row: &ConclusionInput) -> Conclusion {
    let confidence = row.confidence.clamp(0.0, 1.0);
    let supporting = draft.add("supporting_nodes", &row.supporting_nodes, confidence.max(0.7), 0.8);
    Conclusion {
        statement: redact_text(&row.statement),
        confidence: round_value(confidence),
        from_hypotheses: row.from_hypotheses.iter().take(MAX_STATEMENTS).map(|text| redact_text(text)).collect(),
        supporting: draft.ids(&supporting),
    }
}
