//! Combines saved investigations.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_base::Cancelled;
use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::trails::{
    Belief, ClaimKey, Conflict, Decided, Replay, bridges, merge_beliefs, overlap, pool_confidence,
};
use m1nd_sessions::{Conclusion, Handle, Hypothesis, SessionError, Trail, TrailNode, TrailStatus};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::trail_save::{MAX_NODES, MAX_STATEMENTS, MAX_WORDS};
use super::trails::{HypothesisNow, NodeNow, Present, find, nodes_now, redact_text};
use crate::framework::{
    Answer, Effect, Guidance, ProofState, Route, Stage, Tool, ToolError, ToolRef, Toolset, WriteContext, WriteTool,
};
use crate::rows::{round_value, session_error};
use crate::word::{Word, answer_kinds};

/// Most trails of one merge.
const MAX_MERGED: usize = 10;
/// Least overlap of supporting nodes that is reported.
const MIN_OVERLAP: f64 = 0.3;
/// Rows of one kind of connection.
const MAX_CONNECTIONS: usize = 20;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Ids or labels
    #[schemars(length(min = 2, max = MAX_MERGED))]
    trail_ids: Vec<String>,
    label: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ConflictRow {
    hypothesis_a: String,
    hypothesis_b: String,
    reason: String,
    resolution: Word<Resolution>,
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_by: Option<Word<Decided>>,
    score_delta: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Agreement {
    statement: String,
    hypotheses: usize,
    confidence: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Connection {
    #[serde(rename = "type")]
    kind: Word<JointKind>,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_node: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_node: Option<String>,
    weight: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    merged_trail_id: String,
    label: String,
    source_trails: Vec<String>,
    nodes_merged: usize,
    hypotheses_merged: usize,
    conflicts: Vec<ConflictRow>,
    agreements: Vec<Agreement>,
    connections_discovered: Vec<Connection>,
    /// What did not fit into one trail.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
}

pub(crate) struct TrailMerge;

impl Tool for TrailMerge {
    const NAME: &'static str = "trail_merge";
    const TOOLSET: Toolset = Toolset::Continuity;
    const SUMMARY: &'static str = "Combine investigations: agreements, conflicts, connections between them";
    const ANSWERS: &'static str =
        "where several investigations agree, contradict each other and meet, as one new trail";
    const HELP: &'static str = "\
Makes a new trail, yours, from 2 to 10 others of any agents. The sources stay as they are; your own ones get the status
`merged` and can still be resumed.

Hypotheses that say the same (the same words, or the same claims as evidence) become one; its confidence is the mean of
their log odds, since investigations of the same code are not independent. Hypotheses of different trails are in
`conflicts` if a claim of one is the contrary of a claim of the other (A depends on B, A never calls B), or a node speaks
for one and against the other. Support in common is no conflict. A conflict is `resolved` if tested evidence still
holds for one and is refuted for the other, else if their confidences differ by 0.2 or more; both hypotheses are kept.

`connections_discovered`: `shared_node` (weight: share of the trails that have it), `cross_support` (different hypotheses
that share at least 0.3 of the larger set of supporting nodes), `bridge_edge` (an edge, either way, from a node that only
one trail has to a node that only another has; weight: probability that a change of the target reaches the source).
Nodes keep the text they were bound to last; `left_out` says what is beyond the limits of a trail.";
    const EXAMPLE: &'static str =
        r#"{"agent_id": "agent", "trail_ids": ["Where credentials are checked", "Where users are loaded"]}"#;
    const EXAMPLE_AFTER: &'static [(&'static str, &'static str)] = &[
        (
            "trail_save",
            r#"{"label": "Where credentials are checked", "visited_nodes": [{"node_external_id": "auth.py"}]}"#,
        ),
        ("trail_save", r#"{"label": "Where users are loaded", "visited_nodes": [{"node_external_id": "store.py"}]}"#),
    ];
    const STAGES: &'static [Route] = &[(Stage::Handoff, 40, "put several investigations together")];
    const NEEDS_FRESH: bool = true;
    const DETAILS: &'static [&'static str] = &["source_trails", "connections_discovered", "nodes_merged"];
    const OUTPUT_SCHEMA: &'static str =
        r#"{"type": "object", "properties": {"merged_trail_id": {"type": "string"}, "conflicts": {"type": "array"}}}"#;
    type Input = Input;
    type Output = Output;
}

/// A source with its state.
struct Source<'t> {
    trail: &'t Trail,
    nodes: Vec<NodeNow<'t>>,
    hypotheses: Vec<HypothesisNow<'t>>,
}

impl WriteTool for TrailMerge {
    const EFFECT: Effect = Effect::State;

    fn run(cx: &WriteContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let handles = sources(cx, &input.trail_ids)?;
        let unseen = cx.describe_unseen();
        let present = Present { snapshot: &snapshot, unseen: unseen.as_deref(), cancel: cx.cancel() };
        let mut sources = Vec::new();
        for handle in &handles {
            let nodes = nodes_now(&snapshot, &handle.value, cx.cancel())?;
            let hypotheses = present.hypotheses(&handle.value, &nodes)?;
            sources.push(Source { trail: &handle.value, nodes, hypotheses });
        }
        let beliefs = beliefs(&snapshot, &sources)?;
        let merged = merge_beliefs(&beliefs);
        let labels: Vec<&str> = handles.iter().map(|handle| handle.value.label.as_str()).collect();
        let label = input.label.unwrap_or_else(|| format!("Merged: {}", labels.join(" + ")));
        let (agreements, hypotheses) = combine_hypotheses(&beliefs, &sources, &merged.groups);
        let mut left_out = Vec::new();
        let ids: Vec<String> = handles.iter().map(|handle| handle.id.clone()).collect();
        let trail = merged_trail(&sources, redact_text(&label), hypotheses, ids.clone(), &mut left_out);
        let minted = cx.sessions().mint(cx.agent(), trail).map_err(session_error)?;
        mark_merged(cx, &handles, &minted.id)?;
        let guidance = guidance(&minted.id, merged.conflicts.iter().filter(|row| row.winner.is_none()).count());
        Ok(Answer::new(Output {
            merged_trail_id: minted.id,
            label: minted.value.label,
            source_trails: ids,
            nodes_merged: minted.value.nodes.len(),
            hypotheses_merged: minted.value.hypotheses.len(),
            conflicts: merged.conflicts.iter().map(|row| conflict(&beliefs, row)).collect(),
            agreements,
            connections_discovered: connections(&snapshot, &sources, &beliefs, &merged.groups),
            left_out,
        })
        .guidance(guidance))
    }
}

fn sources(cx: &WriteContext<'_>, names: &[String]) -> Result<Vec<Handle<Trail>>, ToolError> {
    let mut handles: Vec<Handle<Trail>> = Vec::new();
    for name in names {
        let handle = find(cx.list_held(), cx.agent(), "trail_ids", name)?;
        if handles.iter().any(|other| other.id == handle.id) {
            return Err(ToolError::invalid(format!("argument `trail_ids` names trail `{}` twice", handle.id)));
        }
        handles.push(handle);
    }
    Ok(handles)
}

fn beliefs(snapshot: &Snapshot, sources: &[Source<'_>]) -> Result<Vec<Belief>, Cancelled> {
    let mut beliefs = Vec::new();
    for (trail, source) in sources.iter().enumerate() {
        for row in &source.hypotheses {
            let key = |claim: &m1nd_sessions::Evidence| -> Option<ClaimKey> {
                let names = (claim.subject.as_deref(), claim.object.as_deref());
                Replay::of_ids(snapshot, &claim.text, names).ok()?.key(snapshot)
            };
            beliefs.push(Belief {
                trail,
                statement: row.saved.statement.clone(),
                confidence: row.saved.confidence,
                supporting: row.saved.supporting.iter().cloned().collect(),
                contradicting: row.saved.contradicting.iter().cloned().collect(),
                claims: row.saved.evidence.iter().filter_map(key).collect(),
                // Without evidence nothing was tested.
                state: (!row.saved.evidence.is_empty()).then_some(row.state),
            });
        }
    }
    Ok(beliefs)
}

/// One hypothesis for each group, and the groups of several.
fn combine_hypotheses(
    beliefs: &[Belief],
    sources: &[Source<'_>],
    groups: &[Vec<usize>],
) -> (Vec<Agreement>, Vec<Hypothesis>) {
    let all: Vec<&HypothesisNow<'_>> = sources.iter().flat_map(|source| &source.hypotheses).collect();
    let (mut agreements, mut hypotheses) = (Vec::new(), Vec::new());
    for group in groups {
        let confidences: Vec<f64> = group.iter().map(|&number| beliefs[number].confidence).collect();
        let confidence = round_value(pool_confidence(&confidences));
        let first = &beliefs[group[0]];
        let union = |of: fn(&Belief) -> &BTreeSet<String>| {
            let ids: BTreeSet<String> = group.iter().flat_map(|&number| of(&beliefs[number]).clone()).collect();
            ids.into_iter().collect()
        };
        let mut evidence: Vec<m1nd_sessions::Evidence> = Vec::new();
        for claim in group.iter().flat_map(|&number| &all[number].saved.evidence) {
            let is_same = |other: &m1nd_sessions::Evidence| {
                (&other.text, &other.subject, &other.object) == (&claim.text, &claim.subject, &claim.object)
            };
            if !evidence.iter().any(is_same) {
                evidence.push(claim.clone());
            }
        }
        if group.len() > 1 {
            agreements.push(Agreement { statement: first.statement.clone(), hypotheses: group.len(), confidence });
        }
        hypotheses.push(Hypothesis {
            statement: first.statement.clone(),
            confidence,
            supporting: union(|belief| &belief.supporting),
            contradicting: union(|belief| &belief.contradicting),
            evidence,
        });
    }
    (agreements, hypotheses)
}

fn merged_trail(
    sources: &[Source<'_>],
    label: String,
    mut hypotheses: Vec<Hypothesis>,
    ids: Vec<String>,
    left_out: &mut Vec<String>,
) -> Trail {
    let mut nodes: BTreeMap<&str, TrailNode> = BTreeMap::new();
    let mut boosts: BTreeMap<String, f64> = BTreeMap::new();
    let mut by_age: Vec<&Source<'_>> = sources.iter().collect();
    by_age.sort_by_key(|source| source.trail.generation);
    for source in by_age {
        for node in &source.trail.nodes {
            let known = nodes.entry(&node.id).or_insert_with(|| node.clone());
            known.relevance = known.relevance.max(node.relevance);
            known.annotation = known.annotation.take().or_else(|| node.annotation.clone());
            // Of a node saved twice, the newer text counts.
            known.hashes = node.hashes.or(known.hashes);
        }
        for (id, boost) in &source.trail.boosts {
            let known = boosts.entry(id.clone()).or_default();
            *known = known.max(*boost);
        }
    }
    let mut nodes: Vec<TrailNode> = nodes.into_values().collect();
    nodes.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then_with(|| a.id.cmp(&b.id)));
    let mut conclusions: Vec<Conclusion> = Vec::new();
    for conclusion in sources.iter().flat_map(|source| &source.trail.conclusions) {
        if !conclusions.iter().any(|other| other.statement == conclusion.statement) {
            conclusions.push(conclusion.clone());
        }
    }
    let words = |of: fn(&Trail) -> &Vec<String>| {
        let mut all: Vec<String> = Vec::new();
        for word in sources.iter().flat_map(|source| of(source.trail)) {
            if !all.contains(word) {
                all.push(word.clone());
            }
        }
        all
    };
    let (mut open_questions, mut tags) = (words(|trail| &trail.open_questions), words(|trail| &trail.tags));
    cut(&mut nodes, MAX_NODES, "nodes", left_out);
    cut(&mut hypotheses, MAX_STATEMENTS, "hypotheses", left_out);
    cut(&mut conclusions, MAX_STATEMENTS, "conclusions", left_out);
    cut(&mut open_questions, MAX_WORDS, "open questions", left_out);
    cut(&mut tags, MAX_WORDS, "tags", left_out);
    boosts.retain(|id, _| nodes.iter().any(|node| node.id == *id));
    Trail {
        label,
        status: TrailStatus::Saved,
        summary: String::new(),
        nodes,
        hypotheses,
        conclusions,
        open_questions,
        tags,
        boosts,
        generation: sources.iter().map(|source| source.trail.generation).min().unwrap_or_default(),
        sources: ids,
        merged_into: None,
    }
}

fn cut<T>(rows: &mut Vec<T>, limit: usize, what: &str, left_out: &mut Vec<String>) {
    if rows.len() > limit {
        left_out.push(format!("{} of {} {what}", rows.len() - limit, rows.len()));
        rows.truncate(limit);
    }
}

/// Marks the caller's own sources. What cannot be marked stays a source nevertheless.
fn mark_merged(cx: &WriteContext<'_>, handles: &[Handle<Trail>], into: &str) -> Result<(), ToolError> {
    for handle in handles {
        let marked = cx.sessions().update(cx.agent(), &handle.id, |trail: &mut Trail| {
            (trail.status, trail.merged_into) = (TrailStatus::Merged, Some(into.to_owned()));
            Ok::<(), SessionError>(())
        });
        match marked {
            Ok(_)
            | Err(SessionError::NotYours { .. } | SessionError::Unknown { .. } | SessionError::Expired { .. }) => {}
            Err(SessionError::Store(m1nd_sessions::StoreError::ReadOnly)) => {}
            Err(error) => return Err(session_error(error)),
        }
    }
    Ok(())
}

answer_kinds! {
    /// Whether one of two hypotheses that exclude each other is stronger.
    pub(crate) Resolution { Resolved = "resolved", Unresolved = "unresolved", }
}

answer_kinds! {
    /// What two investigations have in common.
    pub(crate) JointKind { SharedNode = "shared_node", BridgeEdge = "bridge_edge", CrossSupport = "cross_support", }
}

fn conflict(beliefs: &[Belief], row: &Conflict) -> ConflictRow {
    ConflictRow {
        hypothesis_a: beliefs[row.a].statement.clone(),
        hypothesis_b: beliefs[row.b].statement.clone(),
        reason: row.reason.clone(),
        resolution: Word(if row.winner.is_some() { Resolution::Resolved } else { Resolution::Unresolved }),
        winner: row.winner.map(|(number, _)| beliefs[number].statement.clone()),
        decided_by: row.winner.map(|(_, by)| Word(by)),
        score_delta: round_value(row.gap),
    }
}

fn connections(
    snapshot: &Snapshot,
    sources: &[Source<'_>],
    beliefs: &[Belief],
    groups: &[Vec<usize>],
) -> Vec<Connection> {
    let graph = snapshot.graph();
    let mut number: BTreeMap<&str, usize> = BTreeMap::new();
    for node in sources.iter().flat_map(|source| &source.trail.nodes) {
        *number.entry(&node.id).or_default() += 1;
    }
    let mut shared: Vec<(&str, usize)> = number.into_iter().filter(|(_, count)| *count > 1).collect();
    shared.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let shared_node = |(id, count): (&str, usize)| Connection {
        kind: Word(JointKind::SharedNode),
        detail: format!("{count} of {} trails have `{id}`", sources.len()),
        from_node: Some(id.to_owned()),
        to_node: None,
        weight: round_value(count as f64 / sources.len() as f64),
    };
    let mut found: Vec<Connection> = shared.into_iter().take(MAX_CONNECTIONS).map(shared_node).collect();
    found.extend(cross_support(beliefs, groups));
    let nodes = |source: &Source<'_>| -> Vec<NodeIx> { source.nodes.iter().filter_map(|node| node.node).collect() };
    let nodes: Vec<Vec<NodeIx>> = sources.iter().map(nodes).collect();
    found.extend(bridges(snapshot, &nodes).into_iter().map(|bridge| Connection {
        kind: Word(JointKind::BridgeEdge),
        detail: format!("{} {} {}", graph.label(bridge.from), bridge.relation, graph.label(bridge.to)),
        from_node: Some(graph.id(bridge.from).to_owned()),
        to_node: Some(graph.id(bridge.to).to_owned()),
        weight: round_value(bridge.weight),
    }));
    found
}

/// Different hypotheses of different trails that rest on the same nodes.
fn cross_support(beliefs: &[Belief], groups: &[Vec<usize>]) -> Vec<Connection> {
    let mut found = Vec::new();
    for (place, group) in groups.iter().enumerate() {
        for other in &groups[place + 1..] {
            let (a, b) = (&beliefs[group[0]], &beliefs[other[0]]);
            let share = overlap(&a.supporting, &b.supporting);
            if a.trail != b.trail && share >= MIN_OVERLAP {
                found.push(Connection {
                    kind: Word(JointKind::CrossSupport),
                    detail: format!("\"{}\" and \"{}\" rest on the same nodes", a.statement, b.statement),
                    from_node: a.supporting.intersection(&b.supporting).next().cloned(),
                    to_node: None,
                    weight: round_value(share),
                });
            }
        }
    }
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.detail.cmp(&b.detail)));
    found.truncate(MAX_CONNECTIONS);
    found
}

fn guidance(id: &str, open: usize) -> Guidance {
    let hint = match open {
        0 => "go on with the merged trail".to_owned(),
        _ => format!("{open} conflicts are open: give these hypotheses evidence, and test it with `hypothesize`"),
    };
    Guidance::next(ProofState::Triaging, ToolRef("trail_resume"), Some(id.to_owned()), hint)
}
