//! What is known about a task: where to look, what is remembered, what is missing. The tools `north`, `orient` and
//! `focus` print it.

mod gaps;
mod recalled;

pub(crate) use gaps::{Gap, GapCode, gaps_of_search};
pub(crate) use recalled::{Claim, Recalled, recall_memories};

use m1nd_base::{NodeKind, count};
use m1nd_engine::Snapshot;
use m1nd_engine::graph::NodeIx;
use m1nd_query::retrieval::{
    Extent, Focus, FocusCalibration, FocusNode, FocusState, LineFinder, Prior, SeekAnswer, SeekQuery, anchors, focus,
    importance, seek_with,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::checks::Repair;
use crate::framework::{ReadContext, ToolError};
use crate::rows::{self, CodeLine, NodeRow, code_lines, round_value};
use crate::word::{Word, answer_kinds};

/// Bytes that count as one token.
const TOKEN_BYTES: usize = 4;
/// Words shown of those that nothing in the set meets.
const SHOWN_WORDS: usize = 6;
/// Central nodes shown.
const ANCHORS: usize = 5;

/// The one search of an answer.
pub(crate) struct Searched {
    pub(crate) found: SeekAnswer,
    pub(crate) scope: String,
    prior: Prior,
    is_long: bool,
}

/// Searches the task once; everything else in the answer follows from it.
pub(crate) fn search_task(
    cx: &ReadContext<'_>,
    task: &str,
    scope: Option<&str>,
    min_score: f64,
) -> Result<Searched, ToolError> {
    let snapshot = cx.require_indexed()?;
    let query = SeekQuery {
        text: task.to_owned(),
        scope: rows::scope(snapshot, scope)?,
        min_score,
        graph_rerank: true,
        ..SeekQuery::default()
    };
    let prior = cx.prior(task)?;
    let history = cx.loaded_history();
    let found = seek_with(snapshot, &query, &prior, history.as_ref(), cx.cancel())?;
    Ok(Searched { is_long: found.is_long, found, scope: query.scope, prior })
}

impl Searched {
    /// The set of nodes that covers the task.
    pub(crate) fn focus(&self, snapshot: &Snapshot, most: usize, tokens: usize) -> Focus {
        let first = self.found.rows.first().and_then(|row| self.prior.feedback_on(row.node));
        let is_doubted = first.is_some_and(|told| told.weight < 0.0);
        focus(snapshot, &self.found, most, tokens.saturating_mul(TOKEN_BYTES), self.is_measured() && !is_doubted)
    }

    /// Returns whether the search is like those that were measured: with all signals, over all files, about this code.
    fn is_measured(&self) -> bool {
        let words = self.found.words.len().min(SeekAnswer::TOLD_WORDS);
        let is_elsewhere = !self.is_long && 2 * self.found.met_in_file < words;
        self.found.no_history.is_none() && self.found.used_vectors && self.scope.is_empty() && !is_elsewhere
    }
}

answer_kinds! {
    /// The part of a long text to read.
    pub(crate) ReadPart { Head = "head", Outline = "outline", }
}

/// A node to look at.
#[derive(Debug, Serialize)]
pub(crate) struct FocusRow {
    #[serde(flatten)]
    node: NodeRow,
    score: f64,
    /// Its header, and the lines that meet the task.
    lines: Vec<CodeLine>,
    /// Bytes to read, about.
    bytes: usize,
    /// The part to read if the text is too long to be meant as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<Word<ReadPart>>,
}

/// The rows of nodes, with the lines that meet the task.
pub(crate) fn focus_rows(snapshot: &Snapshot, task: &str, nodes: Vec<&FocusNode>) -> Vec<FocusRow> {
    let mut finder = LineFinder::new(snapshot, task);
    nodes.into_iter().map(|node| FocusRow::new(snapshot, &mut finder, node)).collect()
}

impl FocusRow {
    fn new(snapshot: &Snapshot, finder: &mut LineFinder<'_>, node: &FocusNode) -> Self {
        Self {
            lines: code_lines(snapshot, finder, node.row.node, ""),
            node: NodeRow::new(snapshot, node.row.node),
            score: round_value(node.row.score),
            bytes: node.bytes,
            read: match node.extent {
                Extent::Whole => None,
                Extent::Head => Some(Word(ReadPart::Head)),
                Extent::Outline => Some(Word(ReadPart::Outline)),
            },
        }
    }
}

/// A central node near those in question.
#[derive(Debug, Serialize)]
pub(crate) struct Anchor {
    node_id: String,
    label: String,
    importance: f64,
}

/// Central nodes among those in question and their neighbours.
pub(crate) fn anchor_rows(snapshot: &Snapshot, nodes: &[NodeIx]) -> Vec<Anchor> {
    let graph = snapshot.graph();
    let row = |node: NodeIx| Anchor {
        node_id: graph.id(node).to_owned(),
        label: graph.label(node).to_owned(),
        importance: round_value(importance(snapshot, node)),
    };
    anchors(snapshot, nodes, ANCHORS).into_iter().map(row).collect()
}

/// Whether the set is likely to be enough, and how often such a statement was right.
#[derive(Debug, Serialize)]
pub(crate) struct Sufficiency {
    pub(crate) state: Word<FocusState>,
    pub(crate) why: String,
    top_score: f64,
    /// Share of the task's words that the set meets.
    captured: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    likelihood: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calibration: Option<Value>,
}

impl Sufficiency {
    pub(crate) fn new(searched: &Searched, focus: &Focus) -> Self {
        let measured = FocusCalibration::load_measured();
        let is_name = searched.found.named == 1;
        let is_by_measure = focus.state == FocusState::Sufficient && !is_name;
        Self {
            state: Word(focus.state),
            why: why(searched, focus, &measured),
            top_score: focus.nodes.first().map_or(0.0, |node| round_value(node.row.score)),
            captured: round_value(focus.covered),
            likelihood: focus.likelihood.map(round_value),
            calibration: is_by_measure.then(|| {
                json!({"sufficient_at": measured.sufficient_at, "precision": measured.precision,
                    "precision_interval": measured.interval, "coverage": measured.coverage, "rows": measured.rows})
            }),
        }
    }
}

fn why(searched: &Searched, focus: &Focus, measured: &FocusCalibration) -> String {
    let words = match focus.uncovered.len() {
        0 => "every word of the task is met".to_owned(),
        _ => {
            let shown: Vec<String> = focus.uncovered.iter().take(SHOWN_WORDS).map(|word| format!("`{word}`")).collect();
            let more = focus.uncovered.len() - shown.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("not met: {}{more}", shown.join(", "))
        }
    };
    let found = count(focus.nodes.len(), "node");
    match focus.state {
        _ if focus.nodes.is_empty() => "no node matches".to_owned(),
        FocusState::Sufficient if searched.found.named == 1 => "the task is the name of the first node".to_owned(),
        FocusState::Sufficient => {
            let [low, high] = measured.interval.map(|share| (100.0 * share).round());
            let right = (100.0 * measured.precision).round();
            format!("the function in question was in such a set in {right} of 100 cases ({low} to {high}); {words}")
        }
        FocusState::Gathering => {
            format!(
                "{found} fit; {} did not: raise `token_budget` or narrow the task; {words}",
                count(focus.dropped, "match")
            )
        }
        FocusState::Saturated => format!("all matches are among these: use other words, or read them; {words}"),
    }
}

/// The call that reads these nodes.
pub(crate) fn read_call(cx: &ReadContext<'_>, nodes: &[&FocusNode]) -> Option<Repair> {
    let graph = cx.snapshot().graph();
    let first = nodes.first()?;
    let id = |node: &&FocusNode| graph.id(node.row.node).to_owned();
    if first.extent == Extent::Outline || graph.kind(first.row.node) == NodeKind::File {
        let arguments = json!({"agent_id": cx.agent(), "file_path": graph.path(first.row.node)});
        return Some(Repair::new("outline", arguments));
    }
    Some(Repair::new("view", json!({"agent_id": cx.agent(), "file_path": id(first)})))
}
