//! Compares the graph of two commits, or of a commit and the work tree.

use std::sync::Arc;

use m1nd_engine::Snapshot;
use m1nd_engine::history::PlacedHistory;
use m1nd_query::changes::{
    Asked, ChangedFile, CouplingDelta, EdgeRow, FileChange, Finding, GraphDifference, Question, RenamedNode,
    WeightChange, changed_files, differences, findings,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change_rows::row_text;
use crate::framework::{
    Answer, Command, Guidance, ProofState, ReadContext, ReadTool, Route, RowText, Stage, Tool, ToolError, ToolRef,
    Toolset,
};
use crate::past;
use crate::rows::{self, count, round_value};
use crate::word::{Word, answer_kinds};

/// Maximum rows of each list.
const MAX_ROWS: usize = 200;
/// The name of the state on disk, as far as it is indexed.
const CURRENT: &str = "current";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Commit, branch, tag, or `A..B`
    snapshot_a: String,
    /// The same; default `current`: the index of the work tree
    snapshot_b: Option<String>,
    /// E.g. which dependencies are new, which API is gone; other words: only rows with one of them
    question: Option<String>,
    /// Only rows that name one of these or of their members
    #[serde(default)]
    focus_nodes: Vec<String>,
    /// Path prefix or glob
    scope: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Edge {
    source: String,
    target: String,
    relation: &'static str,
    /// Number of places.
    weight: usize,
    file_path: String,
    line: u32,
}

#[derive(Debug, Serialize)]
pub(crate) struct Weight {
    source: String,
    target: String,
    relation: &'static str,
    old_weight: usize,
    new_weight: usize,
    delta: i64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Renamed {
    from: String,
    to: String,
    kind: Word<RenameKind>,
    likeness: f64,
}

/// A file with another content or path.
#[derive(Debug, Serialize)]
pub(crate) struct FileRow {
    file_path: String,
    change: Word<FileChange>,
    /// Its path before, if it was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines_before: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines_after: Option<u32>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Coupling {
    community_a: String,
    community_b: String,
    old_coupling: f64,
    new_coupling: f64,
    delta: f64,
}

/// What answers the question.
#[derive(Debug, Serialize)]
pub(crate) struct AnswerRow {
    asked: Word<Asked>,
    detail: String,
    names: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    snapshot_a: String,
    snapshot_b: String,
    summary: String,
    /// Absent if the question asks for nothing of this kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<Vec<AnswerRow>>,
    structural_drift: f64,
    files: Vec<FileRow>,
    renamed_nodes: Vec<Renamed>,
    new_nodes: Vec<String>,
    removed_nodes: Vec<String>,
    new_edges: Vec<Edge>,
    removed_edges: Vec<Edge>,
    weight_changes: Vec<Weight>,
    coupling_deltas: Vec<Coupling>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

pub(crate) struct Differential;

impl Tool for Differential {
    const NAME: &'static str = "differential";
    const TOOLSET: Toolset = Toolset::Analysis;
    const SUMMARY: &'static str = "Compare the graph of two commits, or of a commit and the work tree";
    const ANSWERS: &'static str = "which symbols and connections differ between two commits, with renames";
    const HELP: &'static str = "\
Compares two states of the code: commits (`HEAD~3`, a branch, a tag, a name of at least four digits) or `current`, the
index of the work tree, which is the default of `snapshot_b`. `A..B` in `snapshot_a` names both. A commit is indexed in
memory from the objects of the repository (of the first root); files that the index leaves out are left out.

`files` are those of another content or path, with their lines before and after. `renamed_nodes` pairs what went away with what is new: files of equal content, else with at least half of their members
(kind and name) in common; symbols of the same kind and name that are the only ones, moved; symbols of one owner that
share at least half of their connections. `likeness` is that share, 0 to 1. Members of a renamed file or class keep their
names and are not listed. All other ids are those of the newer state.

An edge is all references of one relation from one node to another; `weight` is the number of places, `file_path` and
`line` are the first. `coupling_deltas` are pairs of folders: the share of the edges of both that lead from one to the
other, if it changed by more than .01. `structural_drift` is the share of nodes and edges that only one state has, 0 to 1.

`question` is looked through for what it asks: new dependencies between files (`new_coupling`), exported definitions that
went away (`removed_api`), circles of files (`new_cycle`), files without any dependency left (`isolated`), new dependencies against the layers
(`layer_violation`; those of the declaration, see `layers`, else inferred ones). `answers` has what
certain edges show, tests last; an empty list says that they show none. What was possible before is not new, and what is still
possible is not gone. Its other words, as far as they are part of a name,
limit the lists to rows with one of them; `focus_nodes` limit them to rows that name one of these or of their members, and
are used instead of words. `scope` limits all of it to a folder.
Each list has at most 200 rows, code before what documents say; `what_is_missing` says how many more there are.";
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "snapshot_a": "HEAD"}"#;
    const STAGES: &'static [Route] = &[(Stage::Review, 40, "what a branch adds, removes and renames")];
    const ROW_TEXT: Option<RowText> = Some(row_text);
    const COMMAND: Option<Command> = Some(Command::new("diff", &["snapshot_a", "snapshot_b"]));
    const PAGED: bool = true;
    const DETAILS: &'static [&'static str] = &["weight_changes", "coupling_deltas", "new_edges.weight"];
    const NEEDS_FRESH: bool = true;
    const OUTPUT_SCHEMA: &'static str = r#"{"type": "object", "properties": {"summary": {"type": "string"}}}"#;
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Differential {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        let (one, other) = both(&input)?;
        let history = cx.history();
        let mut output = empty(&one, &other);
        let place = match past::first_place(snapshot, &history) {
            Ok(place) => place,
            Err(reason) => {
                output.note = Some(format!("cannot tell: {reason}"));
                return Ok(Answer::new(output).guidance(past::report_blocked(past::remedy(&reason))));
            }
        };
        // The states to compare; without one of them it is the present index.
        let (before, after) = (state(cx, &place, "snapshot_a", &one)?, state(cx, &place, "snapshot_b", &other)?);
        let (scope, prefix) = (past::scope(input.scope.as_deref())?, place.outer(""));
        let scope = scope.below(&prefix);
        let (before, after) = (before.as_deref().unwrap_or(snapshot), after.as_deref().unwrap_or(snapshot));
        let found = differences(before, after, &scope, cx.cancel())?;
        let guidance = guidance(&found);
        // What the caller asks about, as words of names or as nodes.
        let mut question = Question::parse(input.question.as_deref().unwrap_or_default());
        let unknown = question.drop_unknown(before, after);
        let wanted = match input.focus_nodes.is_empty() {
            true => Wanted::Words(question.words),
            false => Wanted::Nodes(focus(&input.focus_nodes, before, after)?),
        };
        let mut gaps = Vec::new();
        let mut answered = String::new();
        if !question.asked.is_empty() {
            let answers = findings((before, after), &found, &scope, &question.asked, &mut gaps, cx.cancel())?;
            let named: Vec<Finding> = answers.into_iter().filter(|row| wanted.has_any(&row.names)).collect();
            if named.len() > MAX_ROWS {
                gaps.push(format!("{} of {} answers are not listed", named.len() - MAX_ROWS, named.len()));
            }
            let asked: Vec<&str> = question.asked.iter().map(|asked| asked.word()).collect();
            answered = format!("; {} to the question ({})", count(named.len(), "answer"), asked.join(", "));
            output.answers = Some(named.into_iter().take(MAX_ROWS).map(answer).collect());
        }
        // What could not be looked for is said: an empty answer is otherwise a "no".
        let files = changed_files((before, after), &found, &scope);
        if !unknown.is_empty() {
            gaps.push(format!("no name has these words of the question: {}", unknown.join(", ")));
        }
        fill(&mut output, (Arc::unwrap_or_clone(found), files), &wanted, gaps);
        output.summary += &answered;
        Ok(Answer::new(output).guidance(guidance))
    }
}

/// The names of both states.
fn both(input: &Input) -> Result<(String, String), ToolError> {
    let one = input.snapshot_a.trim();
    let other = input.snapshot_b.as_deref().map(str::trim);
    let named = |text: &str| if text.is_empty() { CURRENT.to_owned() } else { text.to_owned() };
    match (one.split_once(".."), other) {
        (Some((one, other)), None) => Ok((named(one), named(other.trim_start_matches('.')))),
        (Some(_), Some(_)) => {
            Err(ToolError::invalid("argument `snapshot_a` names two states; expected no `snapshot_b` beside it"))
        }
        (None, other) => Ok((named(one), named(other.unwrap_or_default()))),
    }
}

/// The snapshot of a name; `None` for the current one.
fn state(
    cx: &ReadContext<'_>,
    place: &PlacedHistory<'_>,
    argument: &str,
    name: &str,
) -> Result<Option<Arc<Snapshot>>, ToolError> {
    if name == CURRENT {
        return Ok(None);
    }
    let commit = past::commit(place, argument, name)?;
    past::at_commit(cx, place, commit).map(Some)
}

/// What rows must name.
enum Wanted {
    /// One of these words, if there are any.
    Words(Vec<String>),
    /// One of these nodes, by id or path, or a member of one.
    Nodes(Vec<String>),
}

impl Wanted {
    fn has(&self, name: &str) -> bool {
        match self {
            Self::Words(words) => {
                words.is_empty() || words.iter().any(|word| name.to_lowercase().contains(word.as_str()))
            }
            Self::Nodes(ids) => {
                let is_own = |rest: &str| rest.is_empty() || rest.starts_with("::");
                let path = |id: &str| id.strip_prefix("file::").is_some_and(|path| path == name);
                ids.iter().any(|id| name.strip_prefix(id.as_str()).is_some_and(is_own) || path(id))
            }
        }
    }

    fn has_any(&self, names: &[String]) -> bool {
        names.iter().any(|name| self.has(name))
    }
}

/// The ids of the nodes that the lists are limited to: of the newer state, or of the older one if they went away.
fn focus(names: &[String], before: &Snapshot, after: &Snapshot) -> Result<Vec<String>, ToolError> {
    let one = |name: &String| match rows::resolve(after, "focus_nodes", name) {
        Ok(node) => Ok(after.graph().id(node).to_owned()),
        Err(error) => match rows::resolve(before, "focus_nodes", name) {
            Ok(node) => Ok(before.graph().id(node).to_owned()),
            Err(_) => Err(error),
        },
    };
    names.iter().map(one).collect()
}

fn answer(found: Finding) -> AnswerRow {
    let (file_path, line) = found.place.unzip();
    AnswerRow { asked: Word(found.asked), detail: found.detail, names: found.names, file_path, line }
}

fn empty(one: &str, other: &str) -> Output {
    Output {
        snapshot_a: one.to_owned(),
        snapshot_b: other.to_owned(),
        summary: String::new(),
        answers: None,
        structural_drift: 0.0,
        files: Vec::new(),
        renamed_nodes: Vec::new(),
        new_nodes: Vec::new(),
        removed_nodes: Vec::new(),
        new_edges: Vec::new(),
        removed_edges: Vec::new(),
        weight_changes: Vec::new(),
        coupling_deltas: Vec::new(),
        note: None,
        what_is_missing: None,
    }
}

fn fill(
    output: &mut Output,
    (found, files): (GraphDifference, Vec<ChangedFile>),
    wanted: &Wanted,
    mut left_out: Vec<String>,
) {
    output.structural_drift = round_value(found.drift());
    output.summary = format!("{}; {}", count(files.len(), "changed file"), summary(&found));
    let names = |texts: &[&str]| texts.iter().any(|text| wanted.has(text));
    let mut cut = |what: &str, rows: usize| {
        if rows > MAX_ROWS {
            left_out.push(format!("{} of {rows} {what} are not listed", rows - MAX_ROWS));
        }
    };
    let nodes = |rows: Vec<String>| rows.into_iter().filter(|id| names(&[id])).collect::<Vec<_>>();
    let edges =
        |rows: Vec<EdgeRow>| rows.into_iter().filter(|row| names(&[&row.source, &row.target])).collect::<Vec<_>>();
    let (new_nodes, removed_nodes) = (nodes(found.new_nodes), nodes(found.removed_nodes));
    let (new_edges, removed_edges) = (edges(found.new_edges), edges(found.removed_edges));
    let renamed: Vec<RenamedNode> = found.renamed.into_iter().filter(|row| names(&[&row.from, &row.to])).collect();
    let weights: Vec<WeightChange> =
        found.weight_changes.into_iter().filter(|row| names(&[&row.edge.source, &row.edge.target])).collect();
    let files: Vec<ChangedFile> = files.into_iter().filter(|row| names(&[&row.path])).collect();
    cut("changed files", files.len());
    cut("renamed nodes", renamed.len());
    cut("new nodes", new_nodes.len());
    cut("removed nodes", removed_nodes.len());
    cut("new edges", new_edges.len());
    cut("removed edges", removed_edges.len());
    cut("changed weights", weights.len());
    output.files = files.into_iter().take(MAX_ROWS).map(file_row).collect();
    output.new_nodes = new_nodes.into_iter().take(MAX_ROWS).collect();
    output.removed_nodes = removed_nodes.into_iter().take(MAX_ROWS).collect();
    output.new_edges = new_edges.into_iter().take(MAX_ROWS).map(edge).collect();
    output.removed_edges = removed_edges.into_iter().take(MAX_ROWS).map(edge).collect();
    output.renamed_nodes = renamed.into_iter().take(MAX_ROWS).map(self::build_renamed).collect();
    output.weight_changes = weights.into_iter().take(MAX_ROWS).map(weight).collect();
    output.coupling_deltas = found.couplings.into_iter().take(MAX_ROWS).map(coupling).collect();
    output.what_is_missing = (!left_out.is_empty()).then(|| left_out.join("; "));
}

fn summary(found: &GraphDifference) -> String {
    let nodes =
        [("new", found.new_nodes.len()), ("removed", found.removed_nodes.len()), ("renamed", found.renamed.len())];
    let nodes = nodes.map(|(what, number)| format!("{number} {what}"));
    let (added, removed) = (found.new_edges.len(), found.removed_edges.len());
    format!("nodes: {}; edges: {added} new, {removed} removed", nodes.join(", "))
}

fn file_row(row: ChangedFile) -> FileRow {
    let (lines_before, lines_after) = row.lines;
    FileRow { file_path: row.path, change: Word(row.change), from: row.from, lines_before, lines_after }
}

fn edge(row: EdgeRow) -> Edge {
    let EdgeRow { source, target, relation, sites, place: (file_path, line) } = row;
    Edge { source, target, relation, weight: sites, file_path, line }
}

answer_kinds! {
    /// What became of a symbol: its name stayed, or has changed.
    pub(crate) RenameKind { Move = "move", Rename = "rename", }
}

fn build_renamed(row: RenamedNode) -> Renamed {
    Renamed {
        from: row.from,
        to: row.to,
        kind: Word(if row.is_move { RenameKind::Move } else { RenameKind::Rename }),
        likeness: round_value(row.likeness),
    }
}

fn weight(row: WeightChange) -> Weight {
    Weight {
        source: row.edge.source,
        target: row.edge.target,
        relation: row.edge.relation,
        old_weight: row.before,
        new_weight: row.edge.sites,
        delta: row.edge.sites as i64 - row.before as i64,
    }
}

fn coupling(row: CouplingDelta) -> Coupling {
    let (old, new) = row.shares;
    Coupling {
        community_a: row.one,
        community_b: row.other,
        old_coupling: round_value(old),
        new_coupling: round_value(new),
        delta: round_value(new - old),
    }
}

fn guidance(found: &GraphDifference) -> Guidance {
    match found.removed_nodes.first() {
        Some(_) => {
            let hint =
                format!("{} went away: search for what still names them", count(found.removed_nodes.len(), "node"));
            Guidance::next(ProofState::Triaging, ToolRef("search"), None, hint)
        }
        None => Guidance::state(ProofState::Triaging),
    }
}
