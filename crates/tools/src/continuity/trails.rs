//! Trails compared with the present code.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::{Cancel, Cancelled, secrets};
use m1nd_engine::graph::NodeIx;
use m1nd_engine::{Bound, BoundState, CodeTexts, Snapshot};
use m1nd_query::retrieval::{PrimedTask, Prior};
use m1nd_query::trails::{Held, Outcome, Replay, hypothesis_state, recheck};
use m1nd_sessions::{Conclusion, Evidence, Handle, Hypothesis, MAX_CHECKED_TRAILS, Trail, TrailNode, TrailStatus};
use serde::Serialize;
use serde_json::json;

use crate::framework::{ErrorCode, HeldValues, ReadContext, ToolError};
use crate::rows::{round_value, session_error};
use crate::word::Word;

/// Longest text of a trail, in characters; the rest is cut.
pub(super) const MAX_TEXT: usize = 1_000;
/// Boost of the strongest node of a trail that a query names, as a share of its score.
const TRAIL_STRENGTH: f64 = 0.3;

/// A text as it is stored: bounded and without secrets.
pub(super) fn redact_text(text: &str) -> String {
    let short: String = text.trim().chars().take(MAX_TEXT).collect();
    secrets::redact(&short).into_owned()
}

/// The trail that a caller names: by its id, or by its label: the caller's own one that was changed last, else the only
/// one of other agents.
pub(crate) fn find(held: HeldValues<'_>, agent: &str, argument: &str, text: &str) -> Result<Handle<Trail>, ToolError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(ToolError::invalid(format!("argument `{argument}` is empty, expected the id or label of a trail")));
    }
    let error = match held.get::<Trail>(agent, text) {
        Ok(trail) => return Ok(trail),
        Err(error) => error,
    };
    let mut named = held.list::<Trail>(None, MAX_CHECKED_TRAILS).map_err(session_error)?.handles;
    named.retain(|trail| trail.value.label.to_lowercase() == text.to_lowercase());
    if let Some(own) = named.iter().position(|trail| trail.owner == agent) {
        return Ok(named.swap_remove(own));
    }
    if named.len() > 1 {
        let ids: Vec<&str> = named.iter().map(|trail| trail.id.as_str()).collect();
        let message = format!("argument `{argument}`: {} trails have the label `{text}`", ids.len());
        return Err(ToolError::new(ErrorCode::InvalidParams, message)
            .next_step("pass the `trail_id` of one of `candidates`")
            .detail("candidates", json!(ids)));
    }
    named.pop().ok_or_else(|| session_error(error).next_step("find it with `trail_list`"))
}

/// State of a node of a trail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NodeState {
    Missing,
    Modified,
    Moved,
    Unknown,
    Unchanged,
}

/// A node of a trail, as it is now.
#[derive(Debug, Clone)]
pub(crate) struct NodeNow<'t> {
    pub(super) saved: &'t TrailNode,
    pub(super) state: NodeState,
    /// The node that it is now; `None` if it is missing.
    pub(super) node: Option<NodeIx>,
    /// Why its state is unknown, or what has its name.
    pub(super) reason: Option<String>,
}

impl NodeNow<'_> {
    /// Its text is the one that was saved.
    pub(super) fn is_intact(&self) -> bool {
        matches!(self.state, NodeState::Unchanged | NodeState::Moved)
    }

    /// Its state is known, and another one than when it was saved.
    pub(super) fn is_stale(&self) -> bool {
        matches!(self.state, NodeState::Missing | NodeState::Modified | NodeState::Moved)
    }
}

/// The nodes of a trail, as they are now, in its order.
pub(crate) fn nodes_now<'t>(
    snapshot: &Snapshot,
    trail: &'t Trail,
    cancel: &Cancel,
) -> Result<Vec<NodeNow<'t>>, Cancelled> {
    let texts = CodeTexts::new(snapshot);
    let mut sorted: Vec<(usize, &TrailNode)> = trail.nodes.iter().enumerate().collect();
    sorted.sort_by(|a, b| a.1.id.cmp(&b.1.id));
    let mut found: Vec<(usize, NodeNow<'_>)> = Vec::with_capacity(sorted.len());
    for (place, saved) in sorted {
        cancel.check()?;
        found.push((place, node_now(snapshot, &texts, saved)));
    }
    found.sort_by_key(|(place, _)| *place);
    Ok(found.into_iter().map(|(_, node)| node).collect())
}

/// The trails of the caller with nodes that are not as they were saved, last changed first: id, label, and the number
/// of such nodes.
pub(crate) fn stale_trails(cx: &ReadContext<'_>) -> Result<Vec<(String, String, usize)>, ToolError> {
    let own = cx.list_held().list::<Trail>(Some(cx.agent()), MAX_CHECKED_TRAILS).map_err(session_error)?;
    let mut found = Vec::new();
    for trail in own.handles {
        let nodes = nodes_now(cx.snapshot(), &trail.value, cx.cancel())?;
        let stale = nodes.iter().filter(|node| node.is_stale()).count();
        if stale > 0 {
            found.push((trail.id, trail.value.label, stale));
        }
    }
    Ok(found)
}

fn node_now<'t>(snapshot: &Snapshot, texts: &CodeTexts<'_>, saved: &'t TrailNode) -> NodeNow<'t> {
    let graph = snapshot.graph();
    let node = graph.find(&saved.id);
    let now = |state, node, reason| NodeNow { saved, state, node, reason };
    let Some((content, file)) = saved.hashes else {
        return match node {
            None => now(NodeState::Missing, None, None),
            // A package or a key of the configuration has no text.
            Some(node) if graph.path(node).is_empty() => now(NodeState::Unchanged, Some(node), None),
            Some(node) => {
                let reason = "its text could not be read when the trail was saved".to_owned();
                now(NodeState::Unknown, Some(node), Some(reason))
            }
        };
    };
    match texts.state(&Bound { node: saved.id.clone(), content, file }, "") {
        BoundState::Unchanged => now(NodeState::Unchanged, node, None),
        BoundState::Modified => now(NodeState::Modified, node, None),
        BoundState::Moved(to) => now(NodeState::Moved, Some(to), None),
        BoundState::Missing(other) => {
            let reason = other.map(|other| format!("`{}` has its name and another text", graph.id(other)));
            now(NodeState::Missing, None, reason)
        }
        BoundState::Unknown(reason) => now(NodeState::Unknown, node, Some(reason)),
    }
}

/// A claim of a hypothesis, tested now.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct EvidenceNow {
    pub(super) evidence: String,
    pub(super) then: Word<Outcome>,
    pub(super) now: Word<Outcome>,
    pub(super) why: String,
}

/// A hypothesis, as it is now.
#[derive(Debug, Clone)]
pub(crate) struct HypothesisNow<'t> {
    pub(super) saved: &'t Hypothesis,
    pub(super) state: Held,
    /// What is left of its confidence.
    pub(super) confidence: f64,
    pub(super) why: String,
    pub(super) evidence: Vec<EvidenceNow>,
    /// Number of its supporting nodes that are gone.
    pub(super) lost: usize,
}

/// What the state of hypotheses depends on.
#[derive(Clone, Copy)]
pub(super) struct Present<'a> {
    pub(super) snapshot: &'a Snapshot,
    /// What changed on disk and is not in the snapshot.
    pub(super) unseen: Option<&'a str>,
    pub(super) cancel: &'a Cancel,
}

impl Present<'_> {
    /// The hypotheses of a trail, with their evidence tested again.
    pub(super) fn hypotheses<'t>(
        self,
        trail: &'t Trail,
        nodes: &[NodeNow<'t>],
    ) -> Result<Vec<HypothesisNow<'t>>, Cancelled> {
        let by_id: BTreeMap<&str, &NodeNow<'_>> = nodes.iter().map(|node| (node.saved.id.as_str(), node)).collect();
        trail.hypotheses.iter().map(|saved| self.hypothesis(saved, &by_id)).collect()
    }

    fn hypothesis<'t>(
        self,
        saved: &'t Hypothesis,
        nodes: &BTreeMap<&str, &NodeNow<'_>>,
    ) -> Result<HypothesisNow<'t>, Cancelled> {
        let mut evidence = Vec::new();
        let mut states = Vec::new();
        for claim in &saved.evidence {
            let (state, row) = self.evidence(claim, nodes)?;
            states.push(state);
            evidence.push(row);
        }
        let support = || saved.supporting.iter().filter_map(|id| nodes.get(id.as_str()));
        let intact = support().filter(|node| node.is_intact()).count();
        let lost = support().filter(|node| node.state == NodeState::Missing).count();
        let all = saved.supporting.len();
        let state = hypothesis_state(&states, intact, all);
        let decisive = states.iter().position(|other| *other == state).and_then(|place| evidence.get(place));
        let why = match decisive {
            Some(row) if row.evidence == saved.statement => row.why.clone(),
            Some(row) => format!("{}: {}", row.evidence, row.why),
            None if all == 0 => "it has no evidence that can be tested, and no supporting nodes".to_owned(),
            None => format!("{intact} of its {all} supporting nodes have the text that was saved"),
        };
        let confidence = round_value(saved.confidence * state.factor());
        Ok(HypothesisNow { saved, state, confidence, why, evidence, lost })
    }

    fn evidence(
        self,
        claim: &Evidence,
        nodes: &BTreeMap<&str, &NodeNow<'_>>,
    ) -> Result<(Held, EvidenceNow), Cancelled> {
        let graph = self.snapshot.graph();
        // What moved is tested where it is now.
        let present = |id: &Option<String>| {
            let id = id.as_deref()?;
            let moved = nodes.get(id).and_then(|node| node.node).map(|node| graph.id(node));
            Some(moved.unwrap_or(id).to_owned())
        };
        let (subject, object) = (present(&claim.subject), present(&claim.object));
        let then = Outcome::parse(&claim.outcome);
        let row =
            |now: Outcome, why| EvidenceNow { evidence: claim.text.clone(), then: Word(then), now: Word(now), why };
        match Replay::of_ids(self.snapshot, &claim.text, (subject.as_deref(), object.as_deref())) {
            Ok(replay) => {
                let tested = replay.run(self.snapshot, self.unseen, self.cancel)?;
                Ok((recheck(then, tested.outcome), row(tested.outcome, tested.why)))
            }
            // Code that is gone shows nothing any more.
            Err(error) => Ok((recheck(then, Outcome::Undecided), row(Outcome::Undecided, error.to_string()))),
        }
    }
}

/// State of a conclusion: the worst of the hypotheses it follows from, else that of its supporting nodes.
pub(super) fn conclusion_state(
    conclusion: &Conclusion,
    hypotheses: &[HypothesisNow<'_>],
    nodes: &[NodeNow<'_>],
) -> Held {
    let from = hypotheses.iter().filter(|row| conclusion.from_hypotheses.contains(&row.saved.statement));
    let states: Vec<Held> = from.map(|row| row.state).collect();
    let support: BTreeSet<&str> = conclusion.supporting.iter().map(String::as_str).collect();
    let intact = nodes.iter().filter(|node| support.contains(node.saved.id.as_str()) && node.is_intact()).count();
    hypothesis_state(&states, intact, support.len())
}

/// A trail in an answer.
#[derive(Debug, Serialize)]
pub(crate) struct TrailRow {
    pub(super) trail_id: String,
    pub(super) label: String,
    pub(super) agent_id: String,
    pub(super) status: Word<TrailStatus>,
    pub(super) created_at_ms: u64,
    pub(super) last_modified_ms: u64,
    pub(super) node_count: usize,
    pub(super) hypothesis_count: usize,
    pub(super) conclusion_count: usize,
    pub(super) open_question_count: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tags: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) merged_into: Option<String>,
}

impl TrailRow {
    pub(super) fn new(handle: &Handle<Trail>) -> Self {
        let trail = &handle.value;
        Self {
            trail_id: handle.id.clone(),
            label: trail.label.clone(),
            agent_id: handle.owner.clone(),
            status: Word(trail.status),
            created_at_ms: handle.created_ms,
            last_modified_ms: handle.changed_ms,
            node_count: trail.nodes.len(),
            hypothesis_count: trail.hypotheses.len(),
            conclusion_count: trail.conclusions.len(),
            open_question_count: trail.open_questions.len(),
            tags: trail.tags.clone(),
            summary: trail.summary.clone(),
            merged_into: trail.merged_into.clone(),
        }
    }
}

/// Priming and feedback for a query: with a trail, its nodes in place of the priming of the caller.
pub(crate) fn prior(cx: &ReadContext<'_>, query: &str, trail: Option<&str>) -> Result<Prior, ToolError> {
    let Some(name) = trail else { return cx.prior(query) };
    let handle = find(cx.list_held(), cx.agent(), "trail", name)?;
    let (trail, snapshot) = (&handle.value, cx.snapshot());
    let texts = CodeTexts::new(snapshot);
    let present = |id: &String| {
        if snapshot.graph().find(id).is_some() {
            return Some(id.clone());
        }
        let saved = trail.nodes.iter().find(|node| node.id == *id)?;
        node_now(snapshot, &texts, saved).node.map(|node| snapshot.graph().id(node).to_owned())
    };
    let nodes: Vec<(String, f64)> =
        trail.boosts.iter().filter_map(|(id, boost)| Some((present(id)?, *boost))).collect();
    let task = format!("trail: {}", trail.label);
    cx.prior_of(query, &PrimedTask { task: &task, strength: TRAIL_STRENGTH, nodes: &nodes })
}
